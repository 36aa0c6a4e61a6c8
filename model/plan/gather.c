// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Gather: all send to the root; or a binomial tree, whose inner nodes keep what
 * they pass on in scratch memory; or by way of one member of each domain.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/plan/plan_build.h"
#include "model/plan/rooted.h"

/*
 * The root says that it has begun: then blocks can go straight to where they
 * belong.
 */
static void invite(struct suo_build *b, uint32_t rank)
{
	struct suo_range block = suo_build_block(b, rank);

	suo_build_tell(b, b->plan->root, rank, NULL);
	suo_build_hear(b, rank, b->plan->root, &block);
}

static void linear(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t root = b->plan->root;

	for (uint32_t i = 1; i < b->plan->nranks; i++)
		invite(b, suo_rooted_rank(b, i));
	for (uint32_t i = 1; i < b->plan->nranks; i++) {
		uint32_t rank = suo_rooted_rank(b, i);

		suo_build_move(b, rank, root, suo_build_block(b, rank));
	}
	suo_build_release(b, root, &b->all);
}

const struct suo_plan_algo suo_plan_algo_gather_linear = {
	.name = "linear",
	.coll = SUO_COLL_GATHER,
	.generate = linear,
};

/* Place @from sends the blocks of its subtree to place @to. */
static void climb(struct suo_build *b, const struct suo_place *scratch,
		  uint32_t from, uint32_t to)
{
	uint32_t size = suo_rooted_size(b, from), first = from, count;
	uint32_t sender = suo_rooted_rank(b, from), taker = suo_rooted_rank(b, to);

	for (; first < from + size; first += count) {
		struct suo_place source, target;

		count = from + size - first;
		if (!to)
			count = suo_rooted_head(b, first, count);
		source = size == 1 ? suo_rooted_data(b, from, 1) :
			 suo_rooted_piece(b, &scratch[from], from, first, count);
		target = !to ? suo_rooted_data(b, first, count) :
			 suo_rooted_piece(b, &scratch[to], to, first, count);
		suo_build_message(b, sender, source, taker, target);
	}
}

static void binomial(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t n = b->plan->nranks;
	struct suo_place *scratch = calloc(n, sizeof(*scratch));

	if (!scratch) {
		b->err = -ENOMEM;
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		if (suo_rooted_size(b, i) == 1)
			continue;
		scratch[i] = suo_rooted_scratch(b, i);
		suo_build_copy(b, suo_rooted_rank(b, i),
			       suo_rooted_piece(b, &scratch[i], i, i, 1),
			       suo_rooted_data(b, i, 1));
	}
	for (uint32_t d = 1; d < n; d *= 2)
		for (uint32_t i = 0; i + d < n; i += 2 * d)
			climb(b, scratch, i + d, i);
	suo_build_release(b, b->plan->root, &b->all);
	free(scratch);
}

const struct suo_plan_algo suo_plan_algo_gather_binomial = {
	.name = "binomial",
	.coll = SUO_COLL_GATHER,
	.generate = binomial,
};

/* The blocks of a domain, in scratch memory of the member that acts for it. */
static void collect(struct suo_build *b, uint32_t domain)
{
	uint32_t g = b->plan->domain_size, root = b->plan->root;
	uint32_t actor = domain * g + root % g;
	struct suo_range blocks = suo_range_span(&b->all, b->plan->nranks, domain * g, g);
	struct suo_place scratch = suo_build_scratch(b, actor, blocks.len);

	for (uint32_t i = 0; i < g; i++) {
		uint32_t rank = domain * g + i;
		struct suo_place block = suo_data(suo_build_block(b, rank));
		struct suo_place piece = suo_rooted_block(b, &scratch, rank);

		if (rank == actor)
			suo_build_copy(b, actor, piece, block);
		else
			suo_build_message(b, rank, block, actor, piece);
	}
	suo_build_message(b, actor, scratch, root, suo_data(blocks));
}

static void hierarchical(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t g = b->plan->domain_size, k = b->plan->nranks / g;
	uint32_t root = b->plan->root;

	for (uint32_t i = 1; i < g; i++)
		invite(b, suo_build_neighbour(b, root, i));
	for (uint32_t i = 1; i < k; i++)
		collect(b, (root / g + i) % k);
	for (uint32_t i = 1; i < g; i++) {
		uint32_t rank = suo_build_neighbour(b, root, i);

		suo_build_move(b, rank, root, suo_build_block(b, rank));
	}
	suo_build_release(b, root, &b->all);
}

const struct suo_plan_algo suo_plan_algo_gather_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_GATHER,
	.generate = hierarchical,
};
