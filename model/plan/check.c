// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * suo_plan_check(): the steps one by one, then their pairs, then their order,
 * and at last a run on sets of contributors. As the order check has shown that
 * no race decides anything, one run stands for all possible ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/plan/check.h"
#include "model/plan/graph.h"

static bool in_range(uint64_t off, uint64_t len, uint64_t size)
{
	return len <= size && off <= size - len;
}

static int check_step(const struct suo_plan *plan, uint32_t r, uint32_t i,
		      const struct suo_plan_why *why)
{
	const struct suo_plan_rank *rank = &plan->rank[r];
	const struct suo_plan_step *step = &rank->step[i];
	const char *fault = NULL;

	if (step->op > SUO_PLAN_RECV_REDUCE || step->buf != SUO_PLAN_DATA)
		fault = "unknown operation";
	else if (step->peer >= plan->nranks)
		fault = "no such peer";
	else if (step->peer == r)
		fault = "its peer is the rank itself";
	else if (!in_range(step->off, step->len, plan->count))
		fault = "its elements lie outside the vector";
	else if (step->op == SUO_PLAN_RECV_REDUCE &&
		 !in_range(step->scratch_off, step->len, rank->scratch_len))
		fault = "its room lies outside scratch memory";
	for (int d = 0; d < SUO_PLAN_MAX_DEPS && !fault; d++)
		if (step->dep[d] != SUO_PLAN_NO_DEP &&
		    step->dep[d] >= rank->nsteps)
			fault = "it waits for a step that does not exist";

	if (fault)
		return suo_plan_refuse(why, "rank %" PRIu32 ", step %" PRIu32
				       ": %s", r, i, fault);
	return 0;
}

static int compare_room(const void *pa, const void *pb)
{
	const struct suo_plan_step *a = *(const struct suo_plan_step *const *)pa;
	const struct suo_plan_step *b = *(const struct suo_plan_step *const *)pb;

	return a->scratch_off < b->scratch_off ? -1 :
	       a->scratch_off > b->scratch_off;
}

/* A message may land at any time: no room may serve two of them. */
static int check_rooms(const struct suo_plan *plan, uint32_t r,
		       const struct suo_plan_why *why)
{
	const struct suo_plan_rank *rank = &plan->rank[r];
	const struct suo_plan_step **room;
	uint32_t i, n = 0;
	int ret = 0;

	room = calloc((size_t)rank->nsteps + 1, sizeof(*room));
	if (!room)
		return -ENOMEM;
	for (i = 0; i < rank->nsteps; i++)
		if (rank->step[i].op == SUO_PLAN_RECV_REDUCE &&
		    rank->step[i].len)
			room[n++] = &rank->step[i];
	qsort(room, n, sizeof(*room), compare_room);

	for (i = 1; i < n && !ret; i++)
		if (room[i]->scratch_off - room[i - 1]->scratch_off <
		    room[i - 1]->len)
			ret = suo_plan_refuse(why, "rank %" PRIu32 ": steps %td and %td share scratch memory",
					      r, room[i - 1] - rank->step,
					      room[i] - rank->step);
	free(room);
	return ret;
}

static int check_steps(const struct suo_plan *plan,
		       const struct suo_plan_why *why)
{
	int ret = 0;

	if (plan->coll != SUO_COLL_ALLREDUCE)
		return suo_plan_refuse(why, "only an AllReduce can be checked");
	if (!plan->nranks || plan->nranks > SUO_PLAN_MAX_RANKS)
		return suo_plan_refuse(why, "%" PRIu32 " ranks: 1 to %u are possible",
				       plan->nranks, SUO_PLAN_MAX_RANKS);

	for (uint32_t r = 0; r < plan->nranks && !ret; r++) {
		for (uint32_t i = 0; i < plan->rank[r].nsteps && !ret; i++)
			ret = check_step(plan, r, i, why);
		if (!ret)
			ret = check_rooms(plan, r, why);
	}
	return ret;
}

struct run {
	struct suo_plan_graph	graph;
	struct suo_plan_values	*values;
	struct suo_plan_msg	**msg;		/* by the number of the send */
	uint32_t		*queue;		/* steps that may start */
	uint32_t		queued;
};

static int run_init(struct run *run, const struct suo_plan *plan)
{
	size_t total = run->graph.match.total;

	run->values = suo_plan_values_new(plan);
	run->msg = calloc(total + 1, sizeof(*run->msg));
	run->queue = calloc(total + 1, sizeof(*run->queue));
	if (!run->values || !run->msg || !run->queue)
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
	free(run->queue);
	free(run->msg);
	suo_plan_values_free(run->values);
	suo_plan_graph_free(&run->graph);
}

static void count_down(struct run *run, uint32_t n)
{
	if (!--run->graph.waits[n])
		run->queue[run->queued++] = n;
}

static int run_step(struct run *run, uint32_t n)
{
	const struct suo_plan_graph *graph = &run->graph;
	uint32_t mate = graph->match.mate[n];
	uint32_t rank, index;
	const struct suo_plan_step *step;

	step = suo_plan_graph_step(graph, n, &rank, &index);
	if (step->op == SUO_PLAN_SEND) {
		run->msg[n] = suo_plan_values_send(run->values, rank, index);
		if (!run->msg[n])
			return -ENOMEM;
		count_down(run, mate);
	} else {
		if (suo_plan_values_recv(run->values, rank, index,
					 run->msg[mate]))
			return -ENOMEM;
		suo_plan_msg_free(run->msg[mate]);
		run->msg[mate] = NULL;
	}

	for (uint32_t i = graph->first[n]; i < graph->first[n + 1]; i++)
		count_down(run, graph->then[i]);
	return 0;
}

static int run_all(struct run *run, const struct suo_plan_why *why)
{
	uint32_t done, n, rank, index;

	for (done = 0; done < run->queued; done++)
		if (run_step(run, run->queue[done]))
			return -ENOMEM;
	if (done == run->graph.match.total)
		return suo_plan_values_final(run->values, why);

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

	ret = check_steps(plan, &why);
	if (ret)
		goto out;
	ret = suo_plan_graph_init(&run.graph, plan, &why);
	if (ret)
		goto out;
	ret = suo_plan_check_order(plan, &why);
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
