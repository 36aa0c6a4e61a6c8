// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * suo_plan_check(): the steps one by one, then their pairs, then their order,
 * and at last a run on sets of contributors. As the order checks have shown that
 * no race decides anything, one run stands for all possible ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "model/plan/bits.h"
#include "model/plan/check.h"

struct run {
	struct suo_plan_graph	graph;
	struct suo_plan_values	*values;
	struct suo_plan_msg	**msg;		/* by the number of the send */
	uint32_t		*queue;		/* steps that may start */
	uint32_t		queued;
	size_t			words;
	uint64_t		*begun;		/* by step: ranks with a step before */
	uint64_t		*ended;		/* by rank: all of its steps' begun */
};

static int run_init(struct run *run, const struct suo_plan *plan)
{
	size_t total = run->graph.match.total;

	run->words = suo_bits_words(plan->nranks);
	run->values = suo_plan_values_new(plan);
	run->msg = calloc(total + 1, sizeof(*run->msg));
	run->queue = calloc(total + 1, sizeof(*run->queue));
	run->begun = calloc(total + 1, run->words * sizeof(*run->begun));
	run->ended = calloc(plan->nranks, run->words * sizeof(*run->ended));
	if (!run->values || !run->msg || !run->queue || !run->begun || !run->ended)
		return -ENOMEM;

	for (uint32_t n = 0; n < total; n++)
		if (!run->graph.waits[n])
			run->queue[run->queued++] = n;
	return 0;
}

static void run_exit(struct run *run)
{
	for (uint32_t n = 0; run->msg && n < run->graph.match.total; n++)
		suo_plan_msg_free(run->msg[n]);
	free(run->ended);
	free(run->begun);
	free(run->queue);
	free(run->msg);
	suo_plan_values_free(run->values);
	suo_plan_graph_free(&run->graph);
}

/* Step @n comes before step @then. */
static void count_down(struct run *run, uint32_t n, uint32_t then)
{
	suo_bits_merge(run->begun + then * run->words, run->begun + n * run->words,
		       run->words);
	if (!--run->graph.waits[then])
		run->queue[run->queued++] = then;
}

static int carry_out(struct run *run, const struct suo_plan_step *step, uint32_t n,
		     uint32_t rank, uint32_t index)
{
	uint32_t mate = run->graph.match.mate[n];
	int ret;

	switch (step->op) {
	case SUO_PLAN_SEND:
		run->msg[n] = suo_plan_values_send(run->values, rank, index);
		if (!run->msg[n])
			return -ENOMEM;
		count_down(run, n, mate);
		return 0;
	case SUO_PLAN_RECV:
	case SUO_PLAN_RECV_REDUCE:
		ret = suo_plan_values_recv(run->values, rank, index,
					   run->msg[mate]);
		suo_plan_msg_free(run->msg[mate]);
		run->msg[mate] = NULL;
		return ret;
	default:
		return suo_plan_values_local(run->values, rank, index);
	}
}

static int run_step(struct run *run, uint32_t n)
{
	const struct suo_plan_graph *graph = &run->graph;
	const struct suo_plan_step *step;
	uint32_t rank, index;
	int ret;

	step = suo_plan_graph_step(graph, n, &rank, &index);
	suo_bits_put(run->begun + n * run->words, rank);
	suo_bits_merge(run->ended + rank * run->words, run->begun + n * run->words,
		       run->words);
	ret = carry_out(run, step, n, rank, index);

	for (uint32_t i = graph->first[n]; i < graph->first[n + 1] && !ret; i++)
		count_down(run, n, graph->then[i]);
	return ret;
}

/* Has each rank, when it ends, heard of a step of every other one? */
static int check_synchronises(const struct run *run, const struct suo_plan_why *why)
{
	uint32_t nranks = run->graph.plan->nranks;

	for (uint32_t r = 0; r < nranks; r++) {
		const uint64_t *begun = run->ended + r * run->words;

		for (uint32_t s = 0; s < nranks; s++)
			if (s != r && !suo_bits_has(begun, s))
				return suo_plan_refuse(why, "rank %" PRIu32
					" may end before rank %" PRIu32 " begins",
					r, s);
	}
	return 0;
}

static int run_all(struct run *run, const struct suo_plan_why *why)
{
	uint32_t done, n, rank, index;
	int ret;

	for (done = 0; done < run->queued; done++)
		if (run_step(run, run->queue[done]))
			return -ENOMEM;
	if (done == run->graph.match.total) {
		ret = suo_plan_values_final(run->values, why);
		return ret ? ret : check_synchronises(run, why);
	}

	for (n = 0; !run->graph.waits[n]; n++)
		;
	suo_plan_graph_step(&run->graph, n, &rank, &index);
	return suo_plan_refuse(why, "rank %" PRIu32 ", step %" PRIu32
			       " waits for ever", rank, index);
}

int suo_plan_check(const struct suo_plan *plan, char *why_text, size_t why_size)
{
	struct suo_plan_why why = { why_text, why_size };
	struct run run = { 0 };
	int ret;

	ret = suo_plan_check_steps(plan, &why);
	if (ret)
		goto out;
	ret = suo_plan_graph_init(&run.graph, plan, &why);
	if (ret)
		goto out;
	ret = suo_plan_check_order(plan, &why);
	if (!ret)
		ret = suo_plan_check_domain(&run.graph, &why);
	if (!ret)
		ret = run_init(&run, plan);
	if (!ret)
		ret = run_all(&run, &why);
	run_exit(&run);
out:
	if (ret == -ENOMEM)
		suo_plan_refuse(&why, "no memory to check so large a plan");
	return ret;
}
