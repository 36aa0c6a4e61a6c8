// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Broadcast of long vectors as a binomial Scatter and a ring AllGather, van de
 * Geijn's way: 2 (n - 1)/n of the vector a port, where a binomial tree sends
 * log2 n times the vector. A Reduce is a ring ReduceScatter and a Gather.
 */
#include "model/plan/group.h"

static uint32_t rank_at(const struct suo_group *group, uint32_t root, uint32_t i)
{
	return suo_group_rank(group, (root + i) % group->n);
}

/* Parts of members root + i to root + i + count - 1, in one or two ranges. */
static uint32_t span(const struct suo_group *group, const struct suo_parts *parts,
		     uint32_t root, uint32_t i, uint32_t count, struct suo_range range[2])
{
	uint32_t first = (root + i) % group->n;
	uint32_t head = group->n - first;

	if (head > count)
		head = count;
	range[0] = suo_range_span(&parts->range, parts->n, first, head);
	if (head == count)
		return 1;
	range[1] = suo_range_span(&parts->range, parts->n, 0, count - head);
	return 2;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t first_distance(uint32_t n)
{
	uint32_t d = 1;

	while (d < n)
		d *= 2;
	return d / 2;
}

static void broadcast(struct suo_build *b, const struct suo_group *group,
		      uint32_t root, struct suo_range range, uint32_t chunks)
{
	struct suo_parts parts = suo_parts_of(group, range);
	struct suo_range part[2];

	for (uint32_t d = first_distance(group->n); d; d /= 2) {
		for (uint32_t i = 0; i + d < group->n; i += 2 * d) {
			uint32_t pieces = span(group, &parts, root, i + d,
					       least(d, group->n - i - d), part);

			for (uint32_t p = 0; p < pieces; p++)
				suo_build_move(b, rank_at(group, root, i),
					       rank_at(group, root, i + d), part[p]);
		}
	}
	suo_group_ring.all_gather(b, group, &parts);
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	struct suo_parts parts = suo_parts_of(group, range);
	struct suo_range part[2];

	suo_group_ring.reduce_scatter(b, group, &parts);
	for (uint32_t d = 1; d < group->n; d *= 2) {
		for (uint32_t i = 0; i + d < group->n; i += 2 * d) {
			uint32_t pieces = span(group, &parts, root, i + d,
					       least(d, group->n - i - d), part);

			for (uint32_t p = 0; p < pieces; p++)
				suo_build_move(b, rank_at(group, root, i + d),
					       rank_at(group, root, i), part[p]);
		}
	}
}

const struct suo_group_algo suo_group_scatter_ag = {
	.name = "scatter_ag",
	.broadcast = broadcast,
	.reduce = reduce,
};
