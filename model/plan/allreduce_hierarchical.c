// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hierarchical AllReduce: a ReduceScatter inside each scale-up domain leaves
 * member i of every domain with shard i of the vector; the members of equal index
 * reduce it across the domains by an AllReduce; an AllGather inside each domain
 * spreads the result. Only 1/g of the vector of a rank crosses the scale-out
 * network, g being the size of a domain.
 *
 * Pipelined, the vector is cut into chunks: while one crosses the network, the
 * next one is reduced inside, and the one before is gathered. A phase works on
 * one chunk at a time, for all of them at once would be ready together, and late.
 */
#include <stdlib.h>

#include "model/plan/plan_build.h"

enum phase { SCATTER, ACROSS, GATHER, NUM_PHASES };

static void run_phase(struct suo_build *b, const struct suo_plan_opts *opts,
		      enum phase phase, struct suo_range range)
{
	uint32_t g = b->plan->domain_size, k = b->plan->nranks / g;

	for (uint32_t i = 0; phase == ACROSS && i < g; i++) {
		struct suo_group across = suo_group_across(b, i);

		suo_group_allreduce(b, opts->outer, &across,
				    suo_range_part(&range, g, i), 0);
	}
	for (uint32_t d = 0; phase != ACROSS && d < k; d++) {
		struct suo_group domain = suo_group_domain(b, d);
		struct suo_parts parts = suo_parts_of(&domain, range);

		if (phase == SCATTER)
			opts->inner->reduce_scatter(b, &domain, &parts);
		else
			opts->inner->all_gather(b, &domain, &parts);
	}
}

static void hierarchical(struct suo_build *b, const struct suo_plan_opts *opts)
{
	for (int p = 0; p < NUM_PHASES; p++)
		run_phase(b, opts, p, b->all);
}

const struct suo_plan_algo suo_plan_algo_allreduce_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_ALLREDUCE,
	.inner = &suo_group_ring,
	.outer = &suo_group_ring,
	.generate = hierarchical,
};

/* theory.md 7: C about sqrt(S beta / alpha), S being what a message has. */
static void pipelined(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t chunks = suo_group_chunks(b, opts->chunks,
					   b->plan->count / b->plan->nranks, 2);
	uint32_t *gate[NUM_PHASES];

	for (int p = 0; p < NUM_PHASES; p++)
		gate[p] = suo_build_new_gate(b);
	for (uint32_t c = 0; c < chunks && !b->err; c++) {
		for (int p = 0; p < NUM_PHASES; p++) {
			suo_build_gate(b, gate[p]);
			run_phase(b, opts, p, suo_range_part(&b->all, chunks, c));
			suo_build_gate_end(b);
		}
	}
	for (int p = 0; p < NUM_PHASES; p++)
		free(gate[p]);
}

const struct suo_plan_algo suo_plan_algo_allreduce_pipelined = {
	.name = "pipelined",
	.coll = SUO_COLL_ALLREDUCE,
	.inner = &suo_group_ring,
	.outer = &suo_group_ring,
	.chunked = true,
	.generate = pipelined,
};
