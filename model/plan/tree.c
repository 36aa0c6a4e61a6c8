// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A binary tree through which the data passes in chunks: about log2 n links
 * one after the other, where the chain has n - 1, but two children a port.
 */
#include "model/plan/group.h"
#include "model/plan/tree.h"

static uint32_t rank_at(const struct suo_group *group, uint32_t root, uint32_t i)
{
	return suo_group_rank(group, (root + i) % group->n);
}

/* As in a heap, the children of node i are 2 i + 1 and 2 i + 2. */
static uint32_t parent(uint32_t i)
{
	return (i - 1) / 2;
}

static void broadcast(struct suo_build *b, const struct suo_group *group,
		      uint32_t root, struct suo_range range, uint32_t chunks)
{
	chunks = suo_group_chunks(b, chunks, range.len, suo_tree_depth(group->n));
	for (uint32_t c = 0; c < chunks; c++)
		for (uint32_t i = 1; i < group->n; i++)
			suo_build_move(b, rank_at(group, root, parent(i)),
				       rank_at(group, root, i),
				       suo_range_part(&range, chunks, c));
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	chunks = suo_group_chunks(b, chunks, range.len, suo_tree_depth(group->n));
	for (uint32_t c = 0; c < chunks; c++) {
		struct suo_range chunk = suo_range_part(&range, chunks, c);

		for (uint32_t i = group->n - 1; i; i--) {
			uint32_t from = rank_at(group, root, i);
			uint32_t to = rank_at(group, root, parent(i));

			suo_build_send(b, from, to, suo_data(chunk));
			suo_build_reduce(b, to, from, chunk);
		}
	}
}

const struct suo_group_algo suo_group_tree = {
	.name = "tree",
	.broadcast = broadcast,
	.reduce = reduce,
};
