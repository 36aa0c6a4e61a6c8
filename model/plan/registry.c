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

static const char *const coll_name[SUO_NUM_COLLS] = {
	[SUO_COLL_ALLREDUCE]		= "allreduce",
	[SUO_COLL_REDUCE_SCATTER]	= "reduce_scatter",
	[SUO_COLL_ALL_GATHER]		= "all_gather",
	[SUO_COLL_BROADCAST]		= "broadcast",
	[SUO_COLL_REDUCE]		= "reduce",
	[SUO_COLL_GATHER]		= "gather",
	[SUO_COLL_SCATTER]		= "scatter",
	[SUO_COLL_BARRIER]		= "barrier",
	[SUO_COLL_ALLTOALL]		= "alltoall",
};

const char *suo_coll_name(enum suo_coll coll)
{
	return coll_name[coll];
}

int suo_coll_parse(const char *name)
{
	for (int i = 0; i < SUO_NUM_COLLS; i++)
		if (!strcmp(name, coll_name[i]))
			return i;
	return -EINVAL;
}

const char *suo_plan_coll_algorithm(enum suo_coll coll, unsigned int i)
{
	for (unsigned int a = 0; a < NUM_ALGOS; a++)
		if (algos[a]->coll == coll && !i--)
			return algos[a]->name;
	return NULL;
}

static const struct suo_plan_algo *find(enum suo_coll coll, const char *name)
{
	for (unsigned int i = 0; i < NUM_ALGOS; i++)
		if (algos[i]->coll == coll && !strcmp(algos[i]->name, name))
			return algos[i];
	return NULL;
}

bool suo_plan_known(enum suo_coll coll, const char *algorithm)
{
	return find(coll, algorithm);
}

static bool shape_is_good(enum suo_coll coll, const struct suo_plan_shape *shape)
{
	if (!shape->nranks || shape->nranks > SUO_PLAN_MAX_RANKS ||
	    !shape->domain_size || shape->nranks % shape->domain_size)
		return false;
	if (shape->root >= (suo_coll_has_root(coll) ? shape->nranks : 1))
		return false;
	switch (coll) {
	case SUO_COLL_BARRIER:
		return !shape->count;
	case SUO_COLL_ALLTOALL:
		return shape->count % shape->nranks == 0;
	default:
		return true;
	}
}

int suo_plan_make(enum suo_coll coll, const char *algorithm,
		  const struct suo_plan_shape *shape, struct suo_plan **out)
{
	const struct suo_plan_algo *algo = find(coll, algorithm);
	struct suo_plan *plan;
	int ret;

	if (!algo || !shape_is_good(coll, shape))
		return -EINVAL;

	plan = suo_plan_alloc(coll, algorithm, shape);
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
