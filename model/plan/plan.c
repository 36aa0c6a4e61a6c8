// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Making, growing and freeing plans. */
#include <errno.h>
#include <stdlib.h>

#include "model/plan/plan_build.h"

#define FIRST_CAP	16u

struct suo_plan *suo_plan_alloc(enum suo_coll coll, const char *name,
				const struct suo_plan_shape *shape)
{
	struct suo_plan *plan;

	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return NULL;

	plan->rank = calloc(shape->nranks, sizeof(*plan->rank));
	if (!plan->rank) {
		free(plan);
		return NULL;
	}

	snprintf(plan->name, sizeof(plan->name), "%s", name);
	plan->coll = coll;
	plan->nranks = shape->nranks;
	plan->domain_size = shape->domain_size;
	plan->root = shape->root;
	plan->count = shape->count;
	return plan;
}

void suo_plan_free(struct suo_plan *plan)
{
	if (!plan)
		return;

	for (uint32_t r = 0; r < plan->nranks; r++)
		free(plan->rank[r].step);
	free(plan->rank);
	free(plan);
}

int suo_plan_add(struct suo_plan *plan, uint32_t rank,
		 const struct suo_plan_step *step, uint32_t *index)
{
	struct suo_plan_rank *to = &plan->rank[rank];
	struct suo_plan_step *slot;

	if (step->op == SUO_PLAN_RECV_REDUCE && to->scratch_len + step->len < step->len)
		return -EINVAL;
	if (to->nsteps == to->cap) {
		uint32_t cap = to->cap ? 2 * to->cap : FIRST_CAP;
		struct suo_plan_step *grown;

		grown = reallocarray(to->step, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		to->step = grown;
		to->cap = cap;
	}

	if (index)
		*index = to->nsteps;
	slot = &to->step[to->nsteps++];
	*slot = *step;
	plan->uses |= 1u << step->op;
	if (step->op == SUO_PLAN_RECV_REDUCE) {
		slot->scratch_off = to->scratch_len;
		to->scratch_len += step->len;
	}
	return 0;
}

uint64_t suo_plan_chunk(uint64_t len, uint32_t parts, uint32_t i, uint64_t *off)
{
	uint64_t even = len / parts;
	uint64_t longer = len % parts;

	*off = i * even + (i < longer ? i : longer);
	return even + (i < longer);
}
