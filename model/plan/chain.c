// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A chain through which the data passes in chunks: each member sends everything
 * once, so that n - 1 links and C chunks take (n + C - 2) steps of S / C.
 */
#include "model/plan/group.h"

static void broadcast(struct suo_build *b, const struct suo_group *group,
		      uint32_t root, struct suo_range range, uint32_t chunks)
{
	chunks = suo_group_chunks(b, chunks, range.len, group->n - 1);
	for (uint32_t c = 0; c < chunks; c++)
		for (uint32_t i = 0; i + 1 < group->n; i++)
			suo_build_move(b, suo_group_from(group, root, i),
				       suo_group_from(group, root, i + 1),
				       suo_range_part(&range, chunks, c));
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	chunks = suo_group_chunks(b, chunks, range.len, group->n - 1);
	for (uint32_t c = 0; c < chunks; c++)
		for (uint32_t i = group->n - 1; i; i--)
			suo_build_fold(b, suo_group_from(group, root, i),
				       suo_group_from(group, root, i - 1),
				       suo_range_part(&range, chunks, c));
}

const struct suo_group_algo suo_group_chain = {
	.name = "chain",
	.chunked = true,
	.broadcast = broadcast,
	.reduce = reduce,
};
