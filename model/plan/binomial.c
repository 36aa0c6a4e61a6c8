// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Binomial tree: in each step of a Broadcast, twice as many members have the
 * data. ceil(log2 n) steps of the whole vector; a Reduce is the same backwards.
 */
#include "model/plan/group.h"

/* Members are counted from the root on. */
static uint32_t rank_at(const struct suo_group *group, uint32_t root, uint32_t i)
{
	return suo_group_rank(group, (root + i) % group->n);
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
	for (uint32_t d = first_distance(group->n); d; d /= 2)
		for (uint32_t i = 0; i + d < group->n; i += 2 * d)
			suo_build_move(b, rank_at(group, root, i),
				       rank_at(group, root, i + d), range);
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	for (uint32_t d = 1; d < group->n; d *= 2) {
		for (uint32_t i = 0; i + d < group->n; i += 2 * d) {
			uint32_t to = rank_at(group, root, i);
			uint32_t from = rank_at(group, root, i + d);

			suo_build_send(b, from, to, suo_data(range));
			suo_build_reduce(b, to, from, range);
		}
	}
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
