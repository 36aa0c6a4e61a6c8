// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Broadcast of long vectors as a binomial Scatter and a ring AllGather, van de
 * Geijn's way: 2 (n - 1)/n of the vector a port, where a binomial tree sends
 * log2 n times the vector. A Reduce is a ring ReduceScatter and a Gather.
 */
#include "model/plan/group.h"

/*
 * Member i of a binomial tree, counted from the root on, and the subtree of i + d:
 * the subtree's parts go there, or come from there. They lie in one or two ranges.
 */
static void along(struct suo_build *b, const struct suo_group *group,
		  const struct suo_parts *parts, uint32_t root, uint32_t i, uint32_t d,
		  bool down)
{
	uint32_t upper = suo_group_from(group, root, i);
	uint32_t lower = suo_group_from(group, root, i + d);
	uint32_t from = down ? upper : lower, to = down ? lower : upper;
	uint32_t count = d < group->n - i - d ? d : group->n - i - d;
	uint32_t first = (root + i + d) % group->n;
	uint32_t head = suo_group_head(group->n, first, count);

	suo_build_move(b, from, to,
		       suo_range_span(&parts->range, parts->n, first, head));
	if (head < count)
		suo_build_move(b, from, to,
			       suo_range_span(&parts->range, parts->n, 0, count - head));
}

static void broadcast(struct suo_build *b, const struct suo_group *group,
		      uint32_t root, struct suo_range range, uint32_t chunks)
{
	struct suo_parts parts = suo_parts_of(group, range);

	for (uint32_t d = suo_group_half(group->n); d; d /= 2)
		for (uint32_t i = 0; i + d < group->n; i += 2 * d)
			along(b, group, &parts, root, i, d, true);
	suo_group_ring.all_gather(b, group, &parts);
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	struct suo_parts parts = suo_parts_of(group, range);

	suo_group_ring.reduce_scatter(b, group, &parts);
	for (uint32_t d = 1; d < group->n; d *= 2)
		for (uint32_t i = 0; i + d < group->n; i += 2 * d)
			along(b, group, &parts, root, i, d, false);
}

const struct suo_group_algo suo_group_scatter_ag = {
	.name = "scatter_ag",
	.broadcast = broadcast,
	.reduce = reduce,
};
