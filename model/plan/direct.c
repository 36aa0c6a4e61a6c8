// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Everybody sends straight to everybody. In two steps, each member sums up its
 * part and sends it to all ("two-shot"): the bytes of a ring at two latencies,
 * where the fabric lets all ports talk to all others at once. In one step, each
 * is sent all vectors ("one-shot"): for the shortest ones. The s-th message of a
 * member goes to the one s further on, so that no port is everybody's target.
 */
#include "model/plan/group.h"

static void reduce_scatter(struct suo_build *b, const struct suo_group *group,
			   const struct suo_parts *parts)
{
	uint32_t n = group->n;

	for (uint32_t s = 1; s < n; s++)
		for (uint32_t i = 0; i < n; i++)
			suo_build_send(b, suo_group_rank(group, i),
				       suo_group_rank(group, (i + s) % n),
				       suo_data(suo_part(parts, (i + s) % n)));
	for (uint32_t s = 1; s < n; s++)
		for (uint32_t i = 0; i < n; i++)
			suo_build_reduce(b, suo_group_rank(group, i),
					 suo_group_rank(group, (i + n - s) % n),
					 suo_part(parts, i));
}

static void all_gather(struct suo_build *b, const struct suo_group *group,
		       const struct suo_parts *parts)
{
	uint32_t n = group->n;

	for (uint32_t s = 1; s < n; s++)
		for (uint32_t i = 0; i < n; i++)
			suo_build_send(b, suo_group_rank(group, i),
				       suo_group_rank(group, (i + s) % n),
				       suo_data(suo_part(parts, i)));
	for (uint32_t s = 1; s < n; s++)
		for (uint32_t i = 0; i < n; i++)
			suo_build_recv(b, suo_group_rank(group, i),
				       suo_group_rank(group, (i + n - s) % n),
				       suo_data(suo_part(parts, (i + n - s) % n)));
}

const struct suo_group_algo suo_group_direct = {
	.name = "direct",
	.reduce_scatter = reduce_scatter,
	.all_gather = all_gather,
};

/*
 * The vector is sent as a copy, as sums go where it is. All add the vectors up in
 * an order of their own, so that where rounding counts the results are not the
 * same to the last bit.
 */
static void oneshot(struct suo_build *b, const struct suo_group *group,
		    struct suo_range range, uint32_t chunks)
{
	uint32_t n = group->n;

	for (uint32_t i = 0; i < n && n > 1; i++) {
		uint32_t rank = suo_group_rank(group, i);
		struct suo_place copy = suo_build_scratch(b, rank, range.len);

		suo_build_copy(b, rank, copy, suo_data(range));
		for (uint32_t s = 1; s < n; s++)
			suo_build_send(b, rank, suo_group_rank(group, (i + s) % n),
				       copy);
	}
	for (uint32_t s = 1; s < n; s++)
		for (uint32_t i = 0; i < n; i++)
			suo_build_reduce(b, suo_group_rank(group, i),
					 suo_group_rank(group, (i + n - s) % n),
					 range);
}

const struct suo_group_algo suo_group_oneshot = {
	.name = "oneshot",
	.allreduce = oneshot,
};
