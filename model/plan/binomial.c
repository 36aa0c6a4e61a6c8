// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Binomial tree: in each step of a Broadcast, twice as many members have the
 * data. ceil(log2 n) steps of the whole vector; a Reduce is the same backwards.
 */
#include "model/plan/group.h"

static void broadcast(struct suo_build *b, const struct suo_group *group,
		      uint32_t root, struct suo_range range, uint32_t chunks)
{
	for (uint32_t d = suo_group_half(group->n); d; d /= 2)
		for (uint32_t i = 0; i + d < group->n; i += 2 * d)
			suo_build_move(b, suo_group_from(group, root, i),
				       suo_group_from(group, root, i + d), range);
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	for (uint32_t d = 1; d < group->n; d *= 2)
		for (uint32_t i = 0; i + d < group->n; i += 2 * d)
			suo_build_fold(b, suo_group_from(group, root, i + d),
				       suo_group_from(group, root, i), range);
}

/* Reduced to one member, and spread again. */
static void allreduce(struct suo_build *b, const struct suo_group *group,
		      struct suo_range range, uint32_t chunks)
{
	reduce(b, group, 0, range, chunks);
	broadcast(b, group, 0, range, chunks);
}

const struct suo_group_algo suo_group_binomial = {
	.name = "binomial",
	.allreduce = allreduce,
	.broadcast = broadcast,
	.reduce = reduce,
};
