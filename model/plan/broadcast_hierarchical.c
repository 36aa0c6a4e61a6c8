// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hierarchical Broadcast: to one member of each domain, and from there inside the
 * domains. A Reduce is the same backwards. Those who act for a domain are in the
 * root's place of it.
 */
#include "model/plan/plan_build.h"

static void broadcast(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t g = b->plan->domain_size, k = b->plan->nranks / g;
	uint32_t root = b->plan->root;
	struct suo_group across = suo_group_across(b, root % g);

	suo_build_meet(b, root);
	opts->outer->broadcast(b, &across, root / g, b->all, opts->chunks);
	for (uint32_t d = 0; d < k; d++) {
		struct suo_group domain = suo_group_domain(b, d);

		opts->inner->broadcast(b, &domain, root % g, b->all, opts->chunks);
	}
}

const struct suo_plan_algo suo_plan_algo_broadcast_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_BROADCAST,
	.inner = &suo_group_binomial,
	.outer = &suo_group_binomial,
	.chunked = true,
	.generate = broadcast,
};

static void reduce(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t g = b->plan->domain_size, k = b->plan->nranks / g;
	uint32_t root = b->plan->root;
	struct suo_group across = suo_group_across(b, root % g);

	for (uint32_t d = 0; d < k; d++) {
		struct suo_group domain = suo_group_domain(b, d);

		opts->inner->reduce(b, &domain, root % g, b->all, opts->chunks);
	}
	opts->outer->reduce(b, &across, root / g, b->all, opts->chunks);
	suo_build_release(b, root, &b->all);
}

const struct suo_plan_algo suo_plan_algo_reduce_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_REDUCE,
	.inner = &suo_group_binomial,
	.outer = &suo_group_binomial,
	.chunked = true,
	.generate = reduce,
};
