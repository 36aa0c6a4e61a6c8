// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The algorithms by name. */
#include <errno.h>
#include <string.h>

#include "model/plan/plan_build.h"

#define ENTRY(name)	&suo_plan_algo_##name,

static const struct suo_plan_algo *const algos[] = {
	SUO_PLAN_ALGOS(ENTRY)
};

#define NUM_ALGOS	(sizeof(algos) / sizeof(algos[0]))

const char *suo_plan_algorithm(unsigned int i)
{
	return i < NUM_ALGOS ? algos[i]->name : NULL;
}

static const struct suo_plan_algo *find(const char *name)
{
	for (unsigned int i = 0; i < NUM_ALGOS; i++)
		if (!strcmp(algos[i]->name, name))
			return algos[i];
	return NULL;
}

int suo_plan_allreduce(const char *algorithm, const struct suo_plan_shape *shape,
		       struct suo_plan **out)
{
	const struct suo_plan_algo *algo = find(algorithm);
	struct suo_plan *plan;
	int ret;

	if (!algo || !shape->nranks || shape->nranks > SUO_PLAN_MAX_RANKS ||
	    !shape->domain_size || shape->nranks % shape->domain_size)
		return -EINVAL;

	plan = suo_plan_alloc(algo->name, shape);
	if (!plan)
		return -ENOMEM;

	ret = algo->generate(plan, shape);
	if (ret) {
		suo_plan_free(plan);
		return ret;
	}

	*out = plan;
	return 0;
}
