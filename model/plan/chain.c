// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A chain through which the data passes in chunks: each member sends everything
 * once, so that n - 1 links and C chunks take (n + C - 2) steps of S / C.
 */
#include "model/plan/group.h"

static uint32_t rank_at(const struct suo_group *group, uint32_t root, uint32_t i)
{
	return suo_group_rank(group, (root + i) % group->n);
}

static void broadcast(struct suo_build *b, const struct suo_group *group,
		      uint32_t root, struct suo_range range, uint32_t chunks)
{
	chunks = suo_group_chunks(b, chunks, range.len, group->n - 1);
	for (uint32_t c = 0; c < chunks; c++)
		for (uint32_t i = 0; i + 1 < group->n; i++)
			suo_build_move(b, rank_at(group, root, i),
				       rank_at(group, root, i + 1),
				       suo_range_part(&range, chunks, c));
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	chunks = suo_group_chunks(b, chunks, range.len, group->n - 1);
	for (uint32_t c = 0; c < chunks; c++) {
		struct suo_range chunk = suo_range_part(&range, chunks, c);

		for (uint32_t i = group->n - 1; i; i--) {
			uint32_t from = rank_at(group, root, i);
			uint32_t to = rank_at(group, root, i - 1);

			suo_build_send(b, from, to, suo_data(chunk));
			suo_build_reduce(b, to, from, chunk);
		}
	}
}

const struct suo_group_algo suo_group_chain = {
	.name = "chain",
	.broadcast = broadcast,
	.reduce = reduce,
};
