// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All-to-All. Pairwise: in the s-th place of its list a rank sends to the one s
 * further on, and takes from the one s before, so that no port is everybody's
 * target at once.
 *
 * Hierarchical: what member i of a domain has for the j-th members of all
 * domains, it gives to its own domain's member j, which sends all that its domain
 * has for one rank in one message: k - 1 messages across domains, each of g
 * blocks, and not N - g of one block.
 */
#include "model/plan/plan_build.h"

static void copy_own(struct suo_build *b, uint32_t rank)
{
	struct suo_range block = suo_build_block(b, rank);

	suo_build_copy(b, rank, suo_data(block), suo_input(block));
}

/* A rank's block for another one, straight. */
static void give(struct suo_build *b, uint32_t from, uint32_t to)
{
	suo_build_message(b, from, suo_input(suo_build_block(b, to)),
			  to, suo_data(suo_build_block(b, from)));
}

static void pairwise(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t n = b->plan->nranks;

	for (uint32_t s = 1; s < n; s++)
		for (uint32_t r = 0; r < n; r++)
			give(b, r, (r + s) % n);
	for (uint32_t r = 0; r < n; r++)
		copy_own(b, r);
}

const struct suo_plan_algo suo_plan_algo_alltoall_pairwise = {
	.name = "pairwise",
	.coll = SUO_COLL_ALLTOALL,
	.generate = pairwise,
};

/* All that a domain has for one rank of another one, by way of its own domain. */
static void forward(struct suo_build *b, uint32_t domain, uint32_t to)
{
	uint32_t g = b->plan->domain_size, by = domain * g + to % g;
	uint64_t block = b->plan->count / b->plan->nranks;
	struct suo_range input = suo_build_block(b, to);
	struct suo_range blocks = suo_range_span(&b->all, b->plan->nranks, domain * g, g);
	struct suo_place scratch;

	if (g == 1) {
		give(b, by, to);
		return;
	}
	scratch = suo_build_scratch(b, by, g * block);
	for (uint32_t s = 0; s < g; s++) {
		uint32_t i = (to + g - s) % g, from = domain * g + i;
		struct suo_place piece = { SUO_PLAN_SCRATCH,
					   suo_range_part(&scratch.range, g, i) };

		if (from == by)
			suo_build_copy(b, by, piece, suo_input(input));
		else
			suo_build_message(b, from, suo_input(input), by, piece);
	}
	suo_build_message(b, by, scratch, to, suo_data(blocks));
}

static void hierarchical(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t g = b->plan->domain_size, n = b->plan->nranks, k = n / g;

	for (uint32_t s = 1; s < k; s++)
		for (uint32_t d = 0; d < k; d++)
			for (uint32_t i = 0; i < g; i++)
				forward(b, d, (d + s) % k * g + i);
	for (uint32_t s = 1; s < g; s++)
		for (uint32_t r = 0; r < n; r++)
			give(b, r, suo_build_neighbour(b, r, s));
	for (uint32_t r = 0; r < n; r++)
		copy_own(b, r);
}

const struct suo_plan_algo suo_plan_algo_alltoall_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_ALLTOALL,
	.generate = hierarchical,
};
