// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Barrier. Dissemination: in step s a rank tells the one at distance 2^s what it
 * has heard of, so that after ceil(log2 n) steps all have heard of all (Hensgen,
 * Finkel and Manber 1988). In a hierarchy one member of each domain does so for
 * those who have told it, and tells them when it is over.
 */
#include <stdlib.h>

#include "model/plan/plan_build.h"

/* @heard: for each rank, the last message that it has received */
static void tell(struct suo_build *b, uint32_t from, uint32_t to, uint32_t *heard)
{
	suo_build_after(b, from, heard[from]);
	suo_build_tell(b, from, to, NULL);
}

static void hear(struct suo_build *b, uint32_t rank, uint32_t from, uint32_t *heard)
{
	suo_build_after(b, rank, heard[rank]);
	heard[rank] = suo_build_hear(b, rank, from, NULL);
}

static void disseminate(struct suo_build *b, const struct suo_group *group,
			uint32_t *heard)
{
	uint32_t n = group->n;

	for (uint32_t d = 1; d < n; d *= 2) {
		for (uint32_t i = 0; i < n; i++)
			tell(b, suo_group_rank(group, i),
			     suo_group_rank(group, (i + d) % n), heard);
		for (uint32_t i = 0; i < n; i++)
			hear(b, suo_group_rank(group, i),
			     suo_group_rank(group, (i + n - d) % n), heard);
	}
}

static void dissemination(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t *heard = suo_build_new_gate(b);
	struct suo_group all = suo_group_all(b);

	if (!b->err)
		disseminate(b, &all, heard);
	free(heard);
}

const struct suo_plan_algo suo_plan_algo_barrier_dissemination = {
	.name = "dissemination",
	.coll = SUO_COLL_BARRIER,
	.generate = dissemination,
};

static void hierarchical(struct suo_build *b, const struct suo_plan_opts *opts)
{
	uint32_t *heard = suo_build_new_gate(b);
	struct suo_group leaders = suo_group_across(b, 0);
	uint32_t g = b->plan->domain_size;

	for (uint32_t r = 0; r < b->plan->nranks && !b->err; r++) {
		if (r % g == 0)
			continue;
		tell(b, r, r / g * g, heard);
		hear(b, r / g * g, r, heard);
	}
	if (!b->err)
		disseminate(b, &leaders, heard);
	for (uint32_t r = 0; r < b->plan->nranks && !b->err; r++) {
		if (r % g == 0)
			continue;
		tell(b, r / g * g, r, heard);
		hear(b, r, r / g * g, heard);
	}
	free(heard);
}

const struct suo_plan_algo suo_plan_algo_barrier_hierarchical = {
	.name = "hierarchical",
	.coll = SUO_COLL_BARRIER,
	.generate = hierarchical,
};
