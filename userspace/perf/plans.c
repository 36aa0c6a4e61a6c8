// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/analytic/choose.h"
#include "model/plan/plan_build.h"
#include "userspace/coll/window.h"
#include "userspace/perf/plans.h"

#define SHIFT	"shift"		/* what sendrecv does */

static const int plan_coll[NUM_COLLECTIVES] = {
	[COLL_ALLREDUCE]	= SUO_COLL_ALLREDUCE,
	[COLL_REDUCE_SCATTER]	= SUO_COLL_REDUCE_SCATTER,
	[COLL_ALL_GATHER]	= SUO_COLL_ALL_GATHER,
	[COLL_ALLTOALL]		= SUO_COLL_ALLTOALL,
	[COLL_BROADCAST]	= SUO_COLL_BROADCAST,
	[COLL_REDUCE]		= SUO_COLL_REDUCE,
	[COLL_GATHER]		= SUO_COLL_GATHER,
	[COLL_SCATTER]		= SUO_COLL_SCATTER,
	[COLL_SENDRECV]		= -1,
};

static bool known(enum collective coll, const char *algorithm)
{
	if (coll == COLL_SENDRECV)
		return !strcmp(algorithm, SHIFT);
	return suo_plan_known(plan_coll[coll], algorithm);
}

bool plans_known(const enum collective *coll, unsigned int ncolls, const char *algorithm)
{
	if (!strcmp(algorithm, PLANS_ALL))
		return true;
	for (unsigned int i = 0; i < ncolls; i++)
		if (known(coll[i], algorithm))
			return true;
	return false;
}

bool plans_optional(const struct opts *opts)
{
	return opts->nalgorithms && !strcmp(opts->algorithm[0], PLANS_ALL);
}

static const char *any_algorithm(enum collective coll, unsigned int i)
{
	if (coll == COLL_SENDRECV)
		return i ? NULL : SHIFT;
	return suo_choose_candidate(plan_coll[coll], i);
}

const char *plans_algorithm(const struct opts *opts, enum collective coll, unsigned int i)
{
	bool some = false;

	if (plans_optional(opts))
		return any_algorithm(coll, i);
	for (unsigned int a = 0; a < opts->nalgorithms; a++) {
		if (!known(coll, opts->algorithm[a]))
			continue;
		some = true;
		if (!i--)
			return opts->algorithm[a];
	}
	/* None is named, or none of this collective. */
	if (some || i)
		return NULL;
	return known(coll, "hierarchical") ? "hierarchical" :
	       coll == COLL_SENDRECV ? SHIFT : suo_plan_coll_algorithm(plan_coll[coll], 0);
}

/* Each rank sends its vector to the next one, and takes the one before's. */
static int make_shift(const struct suo_plan_shape *shape, struct suo_plan **out)
{
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLTOALL, SHIFT, shape);
	uint32_t n = shape->nranks;
	int err = plan ? 0 : -ENOMEM;

	for (uint32_t r = 0; r < n && n > 1 && !err; r++) {
		struct suo_plan_step step = {
			.op	= SUO_PLAN_SEND,
			.buf	= SUO_PLAN_INPUT,
			.peer	= (r + 1) % n,
			.len	= shape->count,
			.dep	= { SUO_PLAN_NO_DEP, SUO_PLAN_NO_DEP },
		};

		err = suo_plan_add(plan, r, &step, NULL);
		if (err)
			break;
		step.op = SUO_PLAN_RECV;
		step.buf = SUO_PLAN_DATA;
		step.peer = (r + n - 1) % n;
		err = suo_plan_add(plan, r, &step, NULL);
	}
	if (err)
		suo_plan_free(plan);
	else
		*out = plan;
	return err;
}

int plans_layout(const struct opts *opts, const struct collective_case *c,
		 const char *algorithm, struct suo_layout **layout, char *why, size_t size)
{
	const struct suo_plan_shape shape = {
		.nranks		= c->nranks,
		.domain_size	= opts->domain_size,
		.count		= collective_total(c->coll, c->count, c->nranks),
		.root		= collective_has_root(c->coll) ? c->root : 0,
		.chunk_len	= opts->chunk / suo_dtype_size(c->type),
	};
	bool shift = c->coll == COLL_SENDRECV;
	struct suo_plan *plan;
	char text[160] = "no memory";
	int err;

	if (shift)
		err = make_shift(&shape, &plan);
	else
		err = suo_plan_make(plan_coll[c->coll], algorithm, &shape, &plan);
	if (err) {
		snprintf(why, size, "%s, algorithm %s cannot do %u ranks in domains of %u: %s",
			 collective_name(c->coll), algorithm, shape.nranks, shape.domain_size,
			 strerror(-err));
		return err;
	}
	/* The ranks meet between runs: bench.c. */
	err = suo_layout_create(plan, c->rank, shift ? SUO_LAYOUT_APART : 0, layout, text,
				sizeof(text));
	suo_plan_free(plan);
	if (err)
		snprintf(why, size, "%s, algorithm %s: %s", collective_name(c->coll), algorithm,
			 text);
	return err;
}

bool plans_possible(const struct suo_layout *layout, const struct collective_case *c)
{
	return !suo_layout_in_network(layout) || suo_window_can(c->type, c->op);
}
