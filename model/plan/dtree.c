// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Double binary tree: two trees, each for half of the vector. A member that
 * passes data on in one of them is a leaf of the other, so that every port
 * carries about the same. Each half goes up its tree, where it is summed up, and
 * down again, in chunks. Sanders, Speck and Traeff, "Two-tree algorithms for full
 * bandwidth broadcast, reduction and scan", 2009.
 */
#include "model/plan/group.h"
#include "model/plan/tree.h"

/*
 * In-order numbering: the root of a tree over count places is at the largest
 * power of two that is no more. So places with an even number (from 0 on) are
 * leaves. The second tree is the mirror image if the number of places is even,
 * and else the first one moved on by a place: both make inner nodes of leaves.
 */
static uint32_t member_at(const struct suo_group *group, uint32_t tree, uint32_t place)
{
	if (!tree)
		return place;
	if (group->n % 2 == 0)
		return group->n - 1 - place;
	return (place + group->n - 1) % group->n;
}

static uint32_t root_of(uint32_t count)
{
	uint32_t top = 1;

	while (2 * top <= count)
		top *= 2;
	return top - 1;
}

struct walk {
	struct suo_build	*b;
	struct suo_group	group;
	uint32_t		tree;
	struct suo_range	range;
	bool			down;
};

static uint32_t rank_at(const struct walk *w, uint32_t place)
{
	return suo_group_rank(&w->group, member_at(&w->group, w->tree, place));
}

/* Along the edge between a node and its child. */
static void pass(const struct walk *w, uint32_t parent, uint32_t child)
{
	uint32_t upper = rank_at(w, parent), lower = rank_at(w, child);

	if (w->down)
		suo_build_move(w->b, upper, lower, w->range);
	else
		suo_build_fold(w->b, lower, upper, w->range);
}

/* The tree over count places from first on; its depth is that of the recursion. */
static void walk(const struct walk *w, uint32_t first, uint32_t count)
{
	uint32_t top = root_of(count), root = first + top;
	uint32_t right = count - top - 1;

	if (w->down && top)
		pass(w, root, first + root_of(top));
	if (w->down && right)
		pass(w, root, root + 1 + root_of(right));
	if (top)
		walk(w, first, top);
	if (right)
		walk(w, root + 1, right);
	if (!w->down && top)
		pass(w, root, first + root_of(top));
	if (!w->down && right)
		pass(w, root, root + 1 + root_of(right));
}

uint32_t suo_tree_depth(uint32_t count)
{
	uint32_t depth = 0;

	while (count >> depth > 1)
		depth++;
	return depth;
}

static void allreduce(struct suo_build *b, const struct suo_group *group,
		      struct suo_range range, uint32_t chunks)
{
	if (group->n < 2)
		return;
	chunks = suo_group_chunks(b, chunks, range.len / 2,
				  2 * suo_tree_depth(group->n));
	for (uint32_t c = 0; c < chunks; c++) {
		for (uint32_t down = 0; down < 2; down++) {
			for (uint32_t tree = 0; tree < 2; tree++) {
				struct suo_range half = suo_range_part(&range, 2, tree);
				struct walk w = { b, *group, tree,
						  suo_range_part(&half, chunks, c),
						  down };

				walk(&w, 0, group->n);
			}
		}
	}
}

const struct suo_group_algo suo_group_dtree = {
	.name = "dtree",
	.chunked = true,
	.allreduce = allreduce,
};
