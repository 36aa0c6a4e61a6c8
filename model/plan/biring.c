// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two rings, one in each direction, with half of each part: what a port that
 * has a link to either neighbour can use. On one link a step takes as long as
 * the ring's, as both halves pass it, so that it is worth its second message
 * only where the directions have links of their own.
 */
#include <stdlib.h>

#include "model/plan/group.h"
#include "model/plan/ring.h"

/* Each direction takes its half of the range, cut into the same parts. */
static void halves(struct suo_ring ring[2], const struct suo_group *group,
		   const struct suo_parts *parts)
{
	for (uint32_t i = 0; i < 2; i++)
		ring[i] = (struct suo_ring){ *group, *parts, i == 1, i + 1 };
}

static void reduce_scatter(struct suo_build *b, const struct suo_group *group,
			   const struct suo_parts *parts)
{
	struct suo_ring ring[2];

	halves(ring, group, parts);
	for (uint32_t s = 0; s + 1 < group->n; s++) {
		suo_ring_reduce_scatter_step(b, &ring[0], s);
		suo_ring_reduce_scatter_step(b, &ring[1], s);
	}
}

static void all_gather(struct suo_build *b, const struct suo_group *group,
		       const struct suo_parts *parts)
{
	uint32_t *got[2] = { suo_build_new_gate(b), suo_build_new_gate(b) };
	struct suo_ring ring[2];

	halves(ring, group, parts);
	for (uint32_t s = 0; s + 1 < group->n && !b->err; s++) {
		suo_ring_all_gather_step(b, &ring[0], s, got[0]);
		suo_ring_all_gather_step(b, &ring[1], s, got[1]);
	}
	free(got[1]);
	free(got[0]);
}

const struct suo_group_algo suo_group_biring = {
	.name = "biring",
	.reduce_scatter = reduce_scatter,
	.all_gather = all_gather,
};
