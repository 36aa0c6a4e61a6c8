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

static void post(struct replay *replay, u32 n)
{
	u32 domain = replay->sim->config->domain_size;
	const struct suo_plan_step *step;
	struct suo_flow *flow;
	u32 rank, index;
	u64 bytes;

	step = suo_plan_graph_step(&replay->graph, n, &rank, &index);
	bytes = step->len * replay->work->elem_bytes;
	if (domain > 1 && rank / domain == step->peer / domain) {
		suo_sim_post_up(replay->sim, rank, step->peer, bytes, n);
		return;
	}
	flow = flow_to(replay, rank, step->peer);
	if (flow)
		suo_sim_post(replay->sim, flow, bytes, n);
}

static void finish(struct replay *replay, u32 n);

/* One thing less to wait for; a receive that waits for no more is done. */
static void count_down(struct replay *replay, u32 n)
{
	u32 rank, index;

	if (--replay->graph.waits[n])
		return;
	if (suo_plan_graph_step(&replay->graph, n, &rank, &index)->op ==
	    SUO_PLAN_SEND) {
		post(replay, n);
		return;
	}
	replay->out->last_data_ps = replay->sim->now_ps;
	finish(replay, n);
}

static void finish(struct replay *replay, u32 n)
{
	const struct suo_plan_graph *graph = &replay->graph;

	replay->done++;
	replay->out->last_done_ps = replay->sim->now_ps;
	for (u32 i = graph->first[n]; i < graph->first[n + 1]; i++)
		count_down(replay, graph->then[i]);
}

static void arrived(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	struct replay *replay = arg;

	count_down(replay, replay->graph.match.mate[msg->tag]);
}

static void done(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	struct replay *replay = arg;

	suo_outcome_add(replay->out, msg);
	finish(replay, msg->tag);
}

static void start(struct replay *replay)
{
	u32 total = replay->graph.match.total;
	u32 rank, index;

	/* Receives always wait for their data, so these are sends. */
	for (u32 n = 0; n < total; n++)
		if (!replay->graph.waits[n] &&
		    suo_plan_graph_step(&replay->graph, n, &rank, &index)->op ==
		    SUO_PLAN_SEND)
			post(replay, n);
}

int suo_replay_run(struct suo_sim *sim, const struct suo_workload *work,
		   struct suo_outcome *out)
{
	static const struct suo_plan_why silent;
	struct replay replay = { .sim = sim, .work = work, .out = out };
	int ret;

	if (work->plan->uses & (1u << SUO_PLAN_MCAST_WRITE |
				1u << SUO_PLAN_REDUCED_READ))
		return -EOPNOTSUPP;
	ret = suo_plan_graph_init(&replay.graph, work->plan, &silent);
	if (ret)
		return ret;
	replay.pairs = calloc(work->plan->nranks, sizeof(*replay.pairs));
	if (!replay.pairs) {
		ret = -ENOMEM;
		goto err_pairs;
	}

	sim->user = (struct suo_sim_user){ arrived, done, &replay };
	start(&replay);
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
