// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/graph.h"

const struct suo_plan_step *suo_plan_graph_step(const struct suo_plan_graph *graph,
						uint32_t n, uint32_t *rank,
						uint32_t *index)
{
	*rank = graph->match.owner[n];
	*index = n - graph->match.base[*rank];
	return &graph->plan->rank[*rank].step[*index];
}

/* Store the numbers of the steps that step n depends on. Return: how many. */
static uint32_t deps_of(const struct suo_plan_graph *graph, uint32_t n,
			uint32_t dep[SUO_PLAN_MAX_DEPS])
{
	uint32_t rank, index, found = 0;
	const struct suo_plan_step *step;

	step = suo_plan_graph_step(graph, n, &rank, &index);
	for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++)
		if (step->dep[d] != SUO_PLAN_NO_DEP)
			dep[found++] = graph->match.base[rank] + step->dep[d];
	return found;
}

static bool is_receive(const struct suo_plan_graph *graph, uint32_t n)
{
	uint32_t rank, index;

	return suo_plan_is_receive(suo_plan_graph_step(graph, n, &rank, &index));
}

/*
 * Counting sort by dependency: first[n + 1] is where step n's entries begin,
 * and moves to where they end, which is what it has to say, as they are filled
 * in.
 */
static void sort_dependents(struct suo_plan_graph *graph)
{
	uint32_t total = graph->match.total;
	uint32_t dep[SUO_PLAN_MAX_DEPS];
	uint32_t n, i, found;

	for (n = 0; n < total; n++) {
		found = deps_of(graph, n, dep);
		graph->waits[n] = found + is_receive(graph, n);
		for (i = 0; i < found; i++)
			graph->first[dep[i] + 2]++;
	}
	for (n = 2; n < total + 2; n++)
		graph->first[n] += graph->first[n - 1];
	for (n = 0; n < total; n++) {
		found = deps_of(graph, n, dep);
		for (i = 0; i < found; i++)
			graph->then[graph->first[dep[i] + 1]++] = n;
	}
}

int suo_plan_graph_init(struct suo_plan_graph *graph,
			const struct suo_plan *plan,
			const struct suo_plan_why *why)
{
	size_t total;
	int ret;

	memset(graph, 0, sizeof(*graph));
	graph->plan = plan;
	ret = suo_plan_match(plan, &graph->match, why);
	if (ret)
		return ret;

	total = graph->match.total;
	graph->waits = calloc(total + 1, sizeof(*graph->waits));
	graph->first = calloc(total + 2, sizeof(*graph->first));
	graph->then = calloc(total + 1,
			     SUO_PLAN_MAX_DEPS * sizeof(*graph->then));
	if (!graph->waits || !graph->first || !graph->then) {
		suo_plan_graph_free(graph);
		return -ENOMEM;
	}
	sort_dependents(graph);
	return 0;
}

void suo_plan_graph_free(struct suo_plan_graph *graph)
{
	free(graph->then);
	free(graph->first);
	free(graph->waits);
	suo_plan_match_free(&graph->match);
	memset(graph, 0, sizeof(*graph));
}
