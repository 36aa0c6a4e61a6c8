// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Scatter: the root sends to all; or a binomial tree, whose inner nodes keep what
 * they pass on in scratch memory; or by way of one member of each domain. The
 * root begins when all have: so that none of it comes too early, and the blocks
 * can go straight to where they belong.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/plan/plan_build.h"
#include "model/plan/rooted.h"

static void linear(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t root = b->plan->root;

	suo_build_meet(b, root);
	for (uint32_t i = 1; i < b->plan->nranks; i++) {
		uint32_t rank = suo_rooted_rank(b, i);

		suo_build_move(b, root, rank, suo_build_block(b, rank));
	}
}

const struct suo_plan_algo suo_plan_algo_scatter_linear = {
	.name = "linear",
	.coll = SUO_COLL_SCATTER,
	.generate = linear,
};

/* Place @from sends the blocks of the subtree of place @to. */
static void descend(struct suo_build *b, const struct suo_place *scratch,
		    uint32_t from, uint32_t to)
{
	uint32_t size = suo_rooted_size(b, to), first = to, count;
	uint32_t sender = suo_rooted_rank(b, from), taker = suo_rooted_rank(b, to);

	for (; first < to + size; first += count) {
		struct suo_place source, target;

		count = to + size - first;
		if (!from)
			count = suo_rooted_head(b, first, count);
		source = !from ? suo_rooted_data(b, first, count) :
			 suo_rooted_piece(b, &scratch[from], from, first, count);
		target = size == 1 ? suo_rooted_data(b, to, 1) :
			 suo_rooted_piece(b, &scratch[to], to, first, count);
		suo_build_message(b, sender, source, taker, target);
	}
	if (size > 1)
		suo_build_copy(b, taker, suo_rooted_data(b, to, 1),
			       suo_rooted_piece(b, &scratch[to], to, to, 1));
}

static void binomial(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t n = b->plan->nranks;
	struct suo_place *scratch = calloc(n, sizeof(*scratch));

	if (!scratch) {
		b->err = -ENOMEM;
		return;
	}
	for (uint32_t i = 1; i < n; i++)
		if (suo_rooted_size(b, i) > 1)
			scratch[i] = suo_rooted_scratch(b, i);
	suo_build_meet(b, b->plan->root);
	for (uint32_t d = suo_group_half(n); d; d /= 2)
		for (uint32_t i = 0; i + d < n; i += 2 * d)
			descend(b, scratch, i, i + d);
	free(scratch);
}

const struct suo_plan_algo suo_plan_algo_scatter_binomial = {
	.name = "binomial",
	.coll = SUO_COLL_SCATTER,
	.generate = binomial,
};

/* The blocks of a domain, by way of the member that acts for it. */
static void distribute(struct suo_build *b, uint32_t domain)
{
	uint32_t g = b->plan->domain_size, root = b->plan->root;
	uint32_t actor = domain * g + root % g;
	struct suo_range blocks = suo_range_span(&b->all, b->plan->nranks, domain * g, g);
	struct suo_place scratch = suo_build_scratch(b, actor, blocks.len);

	suo_build_message(b, root, suo_data(blocks), actor, scratch);
	for (uint32_t i = 0; i < g; i++) {
		uint32_t rank = domain * g + i;
		struct suo_place block = suo_data(suo_build_block(b, rank));
		struct suo_place piece = suo_rooted_block(b, &scratch, rank);

		if (rank == actor)
			suo_build_copy(b, actor, block, piece);
		else
			suo_build_message(b, actor, piece, rank, block);
	}
}

static void hierarchical(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t g = b->plan->domain_size, k = b->plan->nranks / g;
	uint32_t root = b->plan->root;

	suo_build_meet(b, root);
	for (uint32_t i = 1; i < k; i++)
		distribute(b, (root / g + i) % k);
	for (uint32_t i = 1; i < g; i++) {
		uint32_t rank = suo_build_neighbour(b, root, i);

		suo_build_move(b, root, rank, suo_build_block(b, rank));
	}
}

const struct suo_plan_algo suo_plan_algo_scatter_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_SCATTER,
	.generate = hierarchical,
};
