// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Steps in the network touch the vectors of ranks that have no step of their
 * own for it. For each, the steps that come before it and those that come after
 * it are marked, over all ranks; what is in neither set may happen at the same
 * time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/check.h"

enum { BEFORE = 1, AFTER = 2 };

struct domain {
	const struct suo_plan_graph	*graph;
	const struct suo_plan_why	*why;
	uint8_t				*mark;
	uint32_t			*stack;
	uint32_t			depth;
};

static void visit(struct domain *d, uint32_t n, uint8_t which)
{
	if (d->mark[n] & which)
		return;
	d->mark[n] |= which;
	d->stack[d->depth++] = n;
}

static void mark_before(struct domain *d, uint32_t n)
{
	const struct suo_plan_match *match = &d->graph->match;

	visit(d, n, BEFORE);
	while (d->depth) {
		uint32_t top = d->stack[--d->depth], rank, index;
		const struct suo_plan_step *step =
			suo_plan_graph_step(d->graph, top, &rank, &index);

		if (suo_plan_is_receive(step))
			visit(d, match->mate[top], BEFORE);
		for (int i = 0; i < SUO_PLAN_MAX_DEPS; i++)
			if (step->dep[i] != SUO_PLAN_NO_DEP)
				visit(d, match->base[rank] + step->dep[i], BEFORE);
	}
}

static void mark_after(struct domain *d, uint32_t n)
{
	const struct suo_plan_graph *graph = d->graph;

	visit(d, n, AFTER);
	while (d->depth) {
		uint32_t top = d->stack[--d->depth], rank, index;

		if (suo_plan_graph_step(graph, top, &rank, &index)->op ==
		    SUO_PLAN_SEND)
			visit(d, graph->match.mate[top], AFTER);
		for (uint32_t i = graph->first[top]; i < graph->first[top + 1]; i++)
			visit(d, graph->then[i], AFTER);
	}
}

/* The range of DATA that a step in the network touches at each member. */
static struct suo_plan_access remote_access(const struct suo_plan_step *step)
{
	bool writes = step->op == SUO_PLAN_MCAST_WRITE;

	return (struct suo_plan_access){
		.buf = SUO_PLAN_DATA,
		.writes = writes,
		.off = writes ? step->off : step->src_off,
		.len = step->len,
	};
}

static bool conflict(const struct suo_plan_access *a, const struct suo_plan_access *b)
{
	return b->buf == SUO_PLAN_DATA && (a->writes || b->writes) &&
	       a->off < b->off + b->len && b->off < a->off + a->len;
}

/* All steps of a member against step number n. */
static int check_member(struct domain *d, uint32_t n, uint32_t member)
{
	const struct suo_plan_match *match = &d->graph->match;
	const struct suo_plan_step *step;
	struct suo_plan_access own, access[SUO_PLAN_MAX_ACCESSES];
	uint32_t rank, index;
	uint8_t seen = 0;

	step = suo_plan_graph_step(d->graph, n, &rank, &index);
	own = remote_access(step);
	for (uint32_t x = match->base[member]; x < match->base[member + 1]; x++) {
		uint32_t i = x - match->base[member];
		const struct suo_plan_step *other =
			&d->graph->plan->rank[member].step[i];
		unsigned int found = suo_plan_accesses(other, access);

		seen |= d->mark[x];
		if (d->mark[x])
			continue;
		for (unsigned int a = 0; a < found; a++)
			if (conflict(&own, &access[a]))
				return suo_plan_refuse(d->why, "rank %" PRIu32
					", step %" PRIu32 " and rank %" PRIu32
					", step %" PRIu32
					" touch the same elements, one writes them, and neither comes after the other",
					rank, index, member, i);
	}
	if (!(seen & BEFORE))
		return suo_plan_refuse(d->why, "rank %" PRIu32 ", step %" PRIu32
				       " may come before rank %" PRIu32 " has begun",
				       rank, index, member);
	if (!(seen & AFTER))
		return suo_plan_refuse(d->why, "rank %" PRIu32 ", step %" PRIu32
				       " may come after rank %" PRIu32 " has ended",
				       rank, index, member);
	return 0;
}

static int check_step(struct domain *d, uint32_t n, uint32_t rank)
{
	uint32_t g = d->graph->plan->domain_size;
	uint32_t first = rank / g * g;
	int ret = 0;

	memset(d->mark, 0, d->graph->match.total);
	mark_before(d, n);
	mark_after(d, n);
	for (uint32_t m = first; m < first + g && !ret; m++)
		ret = check_member(d, n, m);
	return ret;
}

int suo_plan_check_domain(const struct suo_plan_graph *graph,
			  const struct suo_plan_why *why)
{
	struct domain d = { .graph = graph, .why = why };
	uint32_t total = graph->match.total;
	int ret = 0;

	if (!(graph->plan->uses >> SUO_PLAN_MCAST_WRITE))
		return 0;

	d.mark = calloc(total, sizeof(*d.mark));
	d.stack = calloc(total, sizeof(*d.stack));
	if (!d.mark || !d.stack)
		ret = -ENOMEM;
	for (uint32_t n = 0; n < total && !ret; n++) {
		uint32_t rank, index;

		if (suo_plan_in_network(suo_plan_graph_step(graph, n, &rank, &index)))
			ret = check_step(&d, n, rank);
	}
	free(d.stack);
	free(d.mark);
	return ret;
}
