// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/coll/past.h"

static bool is_send(const struct suo_plan_graph *graph, uint32_t n)
{
	uint32_t rank, index;

	return suo_plan_graph_step(graph, n, &rank, &index)->op == SUO_PLAN_SEND;
}

/* Calls for each step that waits for step n. */
#define for_each_then(graph, n, i, to)						\
	for ((i) = (graph)->first[n];						\
	     (i) < (graph)->first[(n) + 1] && ((to) = (graph)->then[i], true); (i)++)

int suo_past_init(struct suo_past *past, const struct suo_plan_graph *graph)
{
	uint32_t total = graph->match.total, head = 0, tail = 0, i, to;

	memset(past, 0, sizeof(*past));
	past->graph = graph;
	past->order = calloc(total + 1, sizeof(*past->order));
	if (!past->order)
		return -ENOMEM;
	for (uint32_t n = 0; n < total; n++)
		if (!graph->waits[n])
			past->order[tail++] = n;
	for (; head < tail; head++) {
		uint32_t n = past->order[head];

		if (is_send(graph, n) && !--graph->waits[graph->match.mate[n]])
			past->order[tail++] = graph->match.mate[n];
		for_each_then(graph, n, i, to)
			if (!--graph->waits[to])
				past->order[tail++] = to;
	}
	return tail == total ? 0 : -EINVAL;
}

static void inherit(struct suo_past *past, const uint32_t *column, uint32_t from, uint32_t to)
{
	uint64_t *dst = past->set + to * past->words;
	const uint64_t *src = past->set + from * past->words;

	for (uint64_t w = 0; w < past->words; w++)
		dst[w] |= src[w];
	if (column[from] != SUO_PAST_NONE)
		dst[column[from] / 64] |= 1ull << (column[from] % 64);
}

int suo_past_ask(struct suo_past *past, const uint32_t *column, uint32_t ncolumns)
{
	const struct suo_plan_graph *graph = past->graph;
	uint32_t total = graph->match.total, i, to;

	free(past->set);
	past->set = NULL;
	past->words = ((uint64_t)ncolumns + 63) / 64;
	if (past->words * total * sizeof(uint64_t) > SUO_PAST_MAX_BYTES)
		return -E2BIG;
	past->set = calloc(past->words * total + 1, sizeof(*past->set));
	if (!past->set)
		return -ENOMEM;
	for (uint32_t k = 0; k < total; k++) {
		uint32_t n = past->order[k];

		if (is_send(graph, n))
			inherit(past, column, n, graph->match.mate[n]);
		for_each_then(graph, n, i, to)
			inherit(past, column, n, to);
	}
	return 0;
}

bool suo_past_any(const struct suo_past *past, uint32_t n, uint32_t first, uint32_t count)
{
	for (uint32_t c = first; c < first + count; c++)
		if (suo_past_has(past, n, c))
			return true;
	return false;
}

void suo_past_free(struct suo_past *past)
{
	free(past->order);
	free(past->set);
}
