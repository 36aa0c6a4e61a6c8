// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A collective's plan, replayed: what model/analytic/coster.c does on idle paths, here
 * through the network. Rank r is host r. Reducing takes no time, nor does software.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/plan/graph.h"
#include "model/sim/workload.h"

/* The queue pairs from one rank to another; few, so they are searched. */
struct pair {
	struct pair	*other;
	u32		peer;
	u32		turn;
	struct suo_flow	*flow[];
};

struct replay {
	struct suo_plan_graph		graph;
	struct suo_sim			*sim;
	const struct suo_workload	*work;
	struct suo_outcome		*out;
	struct pair			**pairs;	/* by rank */
	u32				done;		/* steps */
};

static struct suo_flow *flow_to(struct replay *replay, u32 rank, u32 peer)
{
	u32 n = replay->work->flows_per_pair;
	struct pair *pair;

	for (pair = replay->pairs[rank]; pair; pair = pair->other)
		if (pair->peer == peer)
			break;
	if (!pair) {
		pair = calloc(1, sizeof(*pair) + n * sizeof(pair->flow[0]));
		if (!pair) {
			replay->sim->failed = true;
			return NULL;
		}
		pair->peer = peer;
		pair->other = replay->pairs[rank];
		replay->pairs[rank] = pair;
	}
	pair->turn = (pair->turn + 1) % n;
	if (!pair->flow[pair->turn])
		pair->flow[pair->turn] = suo_sim_flow(replay->sim, rank, peer);
	return pair->flow[pair->turn];
}

static const struct suo_plan_step *step_of(const struct replay *replay, u32 n,
					   u32 *rank)
{
	u32 index;

	return suo_plan_graph_step(&replay->graph, n, rank, &index);
}

static void send_step(struct replay *replay, u32 n, const struct suo_plan_step *step,
		      u32 rank)
{
	u64 bytes = step->len * replay->work->elem_bytes;
	u32 domain = replay->sim->config->domain_size;
	struct suo_flow *flow;

	if (domain > 1 && rank / domain == step->peer / domain) {
		suo_sim_post_up(replay->sim, SUO_UP_SEND, rank, step->peer, bytes, n);
		return;
	}
	flow = flow_to(replay, rank, step->peer);
	if (flow)
		suo_sim_post(replay->sim, flow, bytes, n);
}

static void has_data(struct replay *replay)
{
	replay->out->last_data_ps = replay->sim->now_ps;
}

static void start(struct replay *replay, u32 n);

static void finish(struct replay *replay, u32 n)
{
	const struct suo_plan_graph *graph = &replay->graph;

	replay->done++;
	replay->out->last_done_ps = replay->sim->now_ps;
	for (u32 i = graph->first[n]; i < graph->first[n + 1]; i++)
		if (!--replay->graph.waits[graph->then[i]])
			start(replay, graph->then[i]);
}

/* A step waits for nothing any more; a receive is then done, and so is a copy. */
static void start(struct replay *replay, u32 n)
{
	const struct suo_plan_step *step;
	u32 rank;

	step = step_of(replay, n, &rank);
	switch (step->op) {
	case SUO_PLAN_SEND:
		send_step(replay, n, step, rank);
		return;
	case SUO_PLAN_MCAST_WRITE:
	case SUO_PLAN_REDUCED_READ:
		suo_sim_post_up(replay->sim, step->op == SUO_PLAN_MCAST_WRITE ?
				SUO_UP_MCAST : SUO_UP_REDUCED, rank, step->peer,
				step->len * replay->work->elem_bytes, n);
		return;
	default:
		if (step->op != SUO_PLAN_COPY || step->len)
			has_data(replay);
		finish(replay, n);
		return;
	}
}

static void arrived(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	struct replay *replay = arg;
	u32 rank, mate = replay->graph.match.mate[msg->tag];

	if (step_of(replay, msg->tag, &rank)->op != SUO_PLAN_SEND)
		has_data(replay);
	else if (!--replay->graph.waits[mate])
		start(replay, mate);
}

static void done(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	struct replay *replay = arg;
	u64 data_ps = replay->out->last_data_ps;

	suo_outcome_add(replay->out, msg);
	/* That was the message's arrival; a receive may have waited for more. */
	replay->out->last_data_ps = suo_max(data_ps, msg->data_ps);
	finish(replay, msg->tag);
}

/* Steps that wait for nothing from the start; others become such meanwhile. */
static int begin(struct replay *replay)
{
	u32 total = replay->graph.match.total, nfirst = 0;
	u32 *first = calloc(total + 1ull, sizeof(*first));

	if (!first)
		return -ENOMEM;
	for (u32 n = 0; n < total; n++)
		if (!replay->graph.waits[n])
			first[nfirst++] = n;
	for (u32 i = 0; i < nfirst; i++)
		start(replay, first[i]);
	free(first);
	return 0;
}

int suo_replay_run(struct suo_sim *sim, const struct suo_workload *work,
		   struct suo_outcome *out)
{
	static const struct suo_plan_why silent;
	struct replay replay = { .sim = sim, .work = work, .out = out };
	int ret;

	/* Windows are those of the domain. */
	if (work->plan->uses >> SUO_PLAN_MCAST_WRITE &&
	    work->plan->domain_size != sim->config->domain_size)
		return -EINVAL;
	ret = suo_plan_graph_init(&replay.graph, work->plan, &silent);
	if (ret)
		return ret;
	replay.pairs = calloc(work->plan->nranks, sizeof(*replay.pairs));
	if (!replay.pairs) {
		ret = -ENOMEM;
		goto err_pairs;
	}

	sim->user = (struct suo_sim_user){ arrived, done, &replay };
	ret = begin(&replay);
	if (!ret)
		ret = suo_sim_run(sim);
	if (!ret && replay.done != replay.graph.match.total)
		ret = -EINVAL;

	for (u32 r = 0; r < work->plan->nranks; r++) {
		struct pair *pair, *other;

		for (pair = replay.pairs[r]; pair; pair = other) {
			other = pair->other;
			free(pair);
		}
	}
	free(replay.pairs);
err_pairs:
	suo_plan_graph_free(&replay.graph);
	return ret;
}
