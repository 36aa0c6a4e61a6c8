// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hierarchical ReduceScatter and AllGather.
 *
 * Block d g + i belongs to member i of domain d. In a ReduceScatter each domain
 * first reduces the blocks of one domain after the other, so that its member i
 * has the sums for the i-th members of all domains; then these reduce them among
 * themselves. The blocks that the outer ring sends first come first. An AllGather
 * is the same backwards.
 */
#include <stdlib.h>

#include "model/plan/plan_build.h"

/* Blocks of the members of a domain. */
static struct suo_parts blocks_of(const struct suo_build *b, uint32_t domain)
{
	return (struct suo_parts){
		b->all, b->plan->nranks, domain * b->plan->domain_size, 1,
	};
}

/* Blocks of the members of equal index of all domains. */
static struct suo_parts blocks_across(const struct suo_build *b, uint32_t member)
{
	return (struct suo_parts){
		b->all, b->plan->nranks, member, b->plan->domain_size,
	};
}

static void reduce_scatter(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t g = b->plan->domain_size, k = b->plan->nranks / g;
	uint32_t *gate = suo_build_new_gate(b);

	for (uint32_t s = 1; s <= k && !b->err; s++) {
		suo_build_gate(b, gate);
		for (uint32_t d = 0; d < k; d++) {
			struct suo_group domain = suo_group_domain(b, d);
			struct suo_parts parts = blocks_of(b, (d + k - s) % k);

			opts->inner->reduce_scatter(b, &domain, &parts);
			if (opts->inner->reduce_scatter_end)
				opts->inner->reduce_scatter_end(b, &domain, &parts);
		}
		suo_build_gate_end(b);
	}
	for (uint32_t i = 0; i < g; i++) {
		struct suo_group across = suo_group_across(b, i);
		struct suo_parts parts = blocks_across(b, i);

		opts->outer->reduce_scatter(b, &across, &parts);
	}
	free(gate);
}

const struct suo_plan_algo suo_plan_algo_reduce_scatter_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_REDUCE_SCATTER,
	.inner = &suo_group_ring,
	.outer = &suo_group_ring,
	.generate = reduce_scatter,
};

static void all_gather(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t g = b->plan->domain_size, k = b->plan->nranks / g;
	uint32_t *gate = suo_build_new_gate(b);

	for (uint32_t i = 0; i < g; i++) {
		struct suo_group across = suo_group_across(b, i);
		struct suo_parts parts = blocks_across(b, i);

		opts->outer->all_gather(b, &across, &parts);
	}
	for (uint32_t s = 0; s < k && !b->err; s++) {
		suo_build_gate(b, gate);
		for (uint32_t d = 0; d < k; d++) {
			struct suo_group domain = suo_group_domain(b, d);
			struct suo_parts parts = blocks_of(b, (d + k - s) % k);

			opts->inner->all_gather(b, &domain, &parts);
		}
		suo_build_gate_end(b);
	}
	free(gate);
}

const struct suo_plan_algo suo_plan_algo_all_gather_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_ALL_GATHER,
	.inner = &suo_group_ring,
	.outer = &suo_group_ring,
	.generate = all_gather,
};
