// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ring ReduceScatter and AllGather, n - 1 steps of 1/n of the vector each, and
 * the AllReduce made of both. Patarasuk and Yuan, "Bandwidth optimal all-reduce
 * algorithms for clusters of workstations", 2009.
 */
#include <stdlib.h>

#include "model/plan/group.h"
#include "model/plan/ring.h"

/* Members and parts are counted modulo n; back < 2n. */
static uint32_t before(const struct suo_group *group, uint32_t member, uint32_t back)
{
	return (member + 2 * group->n - back) % group->n;
}

static uint32_t member_of(const struct suo_ring *ring, uint32_t place)
{
	return ring->backwards ? ring->group.n - 1 - place : place;
}

static uint32_t rank_at(const struct suo_ring *ring, uint32_t place)
{
	return suo_group_rank(&ring->group, member_of(ring, place % ring->group.n));
}

static struct suo_range part_at(const struct suo_ring *ring, uint32_t place)
{
	struct suo_range part = suo_part(&ring->parts, member_of(ring, place));

	return ring->half ? suo_range_part(&part, 2, ring->half - 1) : part;
}

void suo_ring_reduce_scatter_step(struct suo_build *b, const struct suo_ring *ring,
				  uint32_t step)
{
	uint32_t n = ring->group.n;

	for (uint32_t p = 0; p < n; p++)
		suo_build_send(b, rank_at(ring, p), rank_at(ring, p + 1),
			       suo_data(part_at(ring, before(&ring->group, p,
							     step + 1))));
	for (uint32_t p = 0; p < n; p++)
		suo_build_reduce(b, rank_at(ring, p), rank_at(ring, p + n - 1),
				 part_at(ring, before(&ring->group, p, step + 2)));
}

/*
 * Each receive waits for the one before, which costs nothing as both come from
 * one peer: so the last one stands for all.
 */
void suo_ring_all_gather_step(struct suo_build *b, const struct suo_ring *ring,
			      uint32_t step, uint32_t *got)
{
	uint32_t n = ring->group.n;

	for (uint32_t p = 0; p < n; p++)
		suo_build_send(b, rank_at(ring, p), rank_at(ring, p + 1),
			       suo_data(part_at(ring, before(&ring->group, p,
							     step))));
	for (uint32_t p = 0; p < n; p++) {
		if (step)
			suo_build_after(b, rank_at(ring, p), got[p]);
		got[p] = suo_build_recv(b, rank_at(ring, p), rank_at(ring, p + n - 1),
					suo_data(part_at(ring, before(&ring->group, p,
								      step + 1))));
	}
}

static void reduce_scatter(struct suo_build *b, const struct suo_group *group,
			   const struct suo_parts *parts)
{
	const struct suo_ring ring = { *group, *parts, false, 0 };

	for (uint32_t s = 0; s + 1 < group->n; s++)
		suo_ring_reduce_scatter_step(b, &ring, s);
}

static void all_gather(struct suo_build *b, const struct suo_group *group,
		       const struct suo_parts *parts)
{
	const struct suo_ring ring = { *group, *parts, false, 0 };
	uint32_t *got = suo_build_new_gate(b);

	for (uint32_t s = 0; s + 1 < group->n && !b->err; s++)
		suo_ring_all_gather_step(b, &ring, s, got);
	free(got);
}

const struct suo_group_algo suo_group_ring = {
	.name = "ring",
	.reduce_scatter = reduce_scatter,
	.all_gather = all_gather,
};
