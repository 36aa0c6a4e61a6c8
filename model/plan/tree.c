// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A binary tree through which the data passes in chunks: about log2 n links
 * one after the other, where the chain has n - 1, but two children a port.
 */
#include "model/plan/group.h"
#include "model/plan/tree.h"

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
			suo_build_move(b, suo_group_from(group, root, parent(i)),
				       suo_group_from(group, root, i),
				       suo_range_part(&range, chunks, c));
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	chunks = suo_group_chunks(b, chunks, range.len, suo_tree_depth(group->n));
	for (uint32_t c = 0; c < chunks; c++)
		for (uint32_t i = group->n - 1; i; i--)
			suo_build_fold(b, suo_group_from(group, root, i),
				       suo_group_from(group, root, parent(i)),
				       suo_range_part(&range, chunks, c));
}

const struct suo_group_algo suo_group_tree = {
	.name = "tree",
	.chunked = true,
	.broadcast = broadcast,
	.reduce = reduce,
};
