// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recursive doubling of the whole vector: log2 n steps, half as many as halving
 * and doubling, for vectors so short that only the number of steps counts.
 * Thakur, Rabenseifner and Gropp 2005.
 *
 * If the members are no power of two, the first ones pair up: one of each pair
 * gives its vector to the other, which stands for both, and is given the result.
 */
#include "model/plan/group.h"

/* Send what is in a range now, even if it changes before it has been sent. */
static void send_copy(struct suo_build *b, uint32_t rank, uint32_t peer,
		      struct suo_range range)
{
	struct suo_place copy = suo_build_scratch(b, rank, range.len);

	suo_build_copy(b, rank, copy, suo_data(range));
	suo_build_send(b, rank, peer, copy);
}

/* Active member i, or rather the one of its pair that is active. */
static uint32_t active(const struct suo_group *group, uint32_t pairs, uint32_t i)
{
	return suo_group_rank(group, i < pairs ? 2 * i : i + pairs);
}

/*
 * Both partners need the sum in the place of what they send: so they send copies,
 * and do not wait until they know that it has been read.
 */
static void allreduce(struct suo_build *b, const struct suo_group *group,
		      struct suo_range range, uint32_t chunks)
{
	uint32_t n = 1, pairs;

	while (2 * n <= group->n)
		n *= 2;
	pairs = group->n - n;
	for (uint32_t i = 0; i < pairs; i++)
		suo_build_fold(b, suo_group_rank(group, 2 * i + 1),
			       active(group, pairs, i), range);
	for (uint32_t d = 1; d < n; d *= 2) {
		for (uint32_t i = 0; i < n; i++)
			send_copy(b, active(group, pairs, i),
				  active(group, pairs, i ^ d), range);
		for (uint32_t i = 0; i < n; i++)
			suo_build_reduce(b, active(group, pairs, i),
					 active(group, pairs, i ^ d), range);
	}
	for (uint32_t i = 0; i < pairs; i++)
		suo_build_move(b, active(group, pairs, i),
			       suo_group_rank(group, 2 * i + 1), range);
}

const struct suo_group_algo suo_group_rd = {
	.name = "rd",
	.allreduce = allreduce,
};
