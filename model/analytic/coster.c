// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Replaying a plan on the link law. Each rank has two senders, its scale-up
 * port and its NIC; a sender has a queue for each peer (a queue pair) and takes
 * one piece from each queue in turn.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/analytic/cost.h"
#include "model/analytic/coster.h"
#include "model/analytic/events.h"
#include "model/plan/graph.h"

#define NONE	UINT32_MAX

enum {
	SENDER_FREE,	/* what: sender */
	ASKED,		/* what: reduced read; its request is at the peer */
	ARRIVED,	/* what: step; its last byte is there */
	ACKED,		/* what: step */
};

/* Steps for one peer, chained by struct cost.behind[]. */
struct suo_coster_queue {
	struct suo_coster_queue	*other;		/* another queue of this sender */
	struct suo_coster_queue	*turn;		/* whose turn is next */
	u32			peer;
	u32			head;
	u32			tail;
	u64			sent;		/* bytes of head's */
};

struct cost {
	struct suo_plan_graph		graph;
	const struct suo_net		*net;
	struct suo_coster_sender	*sender;
	struct suo_events		events;
	u32				*behind;
	u32				done;		/* steps */
	struct suo_cost			*result;
};

static const struct suo_plan_step *step_of(const struct cost *cost, u32 n, u32 *rank)
{
	u32 index;

	return suo_plan_graph_step(&cost->graph, n, rank, &index);
}

static struct suo_coster_queue *queue_to(struct suo_coster_sender *sender, u32 peer)
{
	struct suo_coster_queue *q;

	for (q = sender->queues; q; q = q->other)
		if (q->peer == peer)
			return q;

	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->peer = peer;
	q->head = NONE;
	q->other = sender->queues;
	sender->queues = q;
	return q;
}

static void wait_turn(struct suo_coster_sender *sender, struct suo_coster_queue *q)
{
	q->turn = NULL;
	if (sender->first_turn)
		sender->last_turn->turn = q;
	else
		sender->first_turn = q;
	sender->last_turn = q;
}

/* If the sender is free, have it send the next piece. */
static int send_piece(struct cost *cost, u32 number, u64 now)
{
	struct suo_coster_sender *sender = &cost->sender[number];
	struct suo_coster_queue *q = sender->first_turn;
	const struct suo_plan_step *step;
	u64 arrival;
	u32 n, rank;
	int ret = 0;

	if (sender->busy || !q)
		return 0;
	sender->first_turn = q->turn;
	sender->busy = true;

	n = q->head;
	step = step_of(cost, n, &rank);
	arrival = suo_coster_piece(cost->net, cost->sender, number, rank, step, now,
				   &q->sent);
	if (q->sent == step->len * cost->net->elem_bytes) {
		ret = suo_events_add(&cost->events, arrival, ARRIVED, n);
		if (ret)
			return ret;
		q->head = cost->behind[n];
		q->sent = 0;
	}
	if (q->head != NONE)
		wait_turn(sender, q);
	return suo_events_add(&cost->events, sender->clock.tx_free_ps, SENDER_FREE,
			      number);
}

/* A step joins those that a sender has for a peer. */
static int enqueue(struct cost *cost, u32 number, u32 peer, u32 n, u64 now)
{
	struct suo_coster_sender *sender = &cost->sender[number];
	struct suo_coster_queue *q = queue_to(sender, peer);

	if (!q)
		return -ENOMEM;
	cost->behind[n] = NONE;
	if (q->head == NONE) {
		q->head = n;
		wait_turn(sender, q);
	} else {
		cost->behind[q->tail] = n;
	}
	q->tail = n;
	return send_piece(cost, number, now);
}

/* The request of a read: a header. It goes ahead of the port's data. */
static int ask(struct cost *cost, u32 n, u64 now)
{
	return suo_events_add(&cost->events, now + suo_net_ack_ps(cost->net, true),
			      ASKED, n);
}

static int start(struct cost *cost, u32 n, u64 now);

static int finish(struct cost *cost, u32 n, u64 now)
{
	const struct suo_plan_graph *graph = &cost->graph;
	int ret = 0;

	cost->done++;
	cost->result->done_ps = suo_max(cost->result->done_ps, now);
	for (u32 i = graph->first[n]; i < graph->first[n + 1] && !ret; i++)
		if (!--cost->graph.waits[graph->then[i]])
			ret = start(cost, graph->then[i], now);
	return ret;
}

/* Elements have come to where they belong. */
static void has_data(struct cost *cost, u64 now)
{
	cost->result->data_ps = suo_max(cost->result->data_ps, now);
}

/* A step waits for nothing any more; a receive is then done, and so is a copy. */
static int start(struct cost *cost, u32 n, u64 now)
{
	const struct suo_plan_step *step;
	u32 rank;

	step = step_of(cost, n, &rank);
	switch (step->op) {
	case SUO_PLAN_SEND:
		return enqueue(cost, suo_net_is_up(cost->net, rank, step->peer) ?
			       suo_coster_port(rank) : suo_coster_nic(rank),
			       step->peer, n, now);
	case SUO_PLAN_MCAST_WRITE:
		return enqueue(cost, suo_coster_port(rank), step->peer, n, now);
	case SUO_PLAN_REDUCED_READ:
		return ask(cost, n, now);
	case SUO_PLAN_COPY:
		if (step->len)
			has_data(cost, now);
		return finish(cost, n, now);
	default:
		has_data(cost, now);
		return finish(cost, n, now);
	}
}

static int arrived(struct cost *cost, u32 n, u64 now)
{
	const struct suo_plan_step *step;
	u32 rank, mate = cost->graph.match.mate[n];
	bool up;
	int ret;

	step = step_of(cost, n, &rank);
	if (step->op != SUO_PLAN_SEND)
		has_data(cost, now);
	if (step->op == SUO_PLAN_REDUCED_READ)
		return finish(cost, n, now);

	up = suo_net_is_up(cost->net, rank, step->peer);
	ret = suo_events_add(&cost->events, now + suo_net_ack_ps(cost->net, up),
			     ACKED, n);
	if (ret || step->op != SUO_PLAN_SEND || --cost->graph.waits[mate])
		return ret;
	return start(cost, mate, now);
}

static int happen(struct cost *cost, const struct suo_event *event)
{
	const struct suo_plan_step *step;
	u32 rank;

	switch (event->kind) {
	case SENDER_FREE:
		cost->sender[event->what].busy = false;
		return send_piece(cost, event->what, event->at_ps);
	case ASKED:
		step = step_of(cost, event->what, &rank);
		return enqueue(cost, suo_coster_port(step->peer), rank, event->what,
			       event->at_ps);
	case ARRIVED:
		return arrived(cost, event->what, event->at_ps);
	default:
		return finish(cost, event->what, event->at_ps);
	}
}

/* Steps that wait for nothing from the start. */
static int replay(struct cost *cost)
{
	u32 total = cost->graph.match.total, nfirst = 0;
	struct suo_event event;
	u32 *first;
	int ret = 0;

	/* Others become such while these are started. */
	first = calloc(total + 1ull, sizeof(*first));
	if (!first)
		return -ENOMEM;
	for (u32 n = 0; n < total; n++)
		if (!cost->graph.waits[n])
			first[nfirst++] = n;
	for (u32 i = 0; i < nfirst && !ret; i++)
		ret = start(cost, first[i], 0);
	free(first);
	while (!ret && suo_events_next(&cost->events, &event))
		ret = happen(cost, &event);
	if (!ret && cost->done != total)
		ret = -EINVAL;
	return ret;
}

static void free_senders(struct cost *cost)
{
	u32 n = 2 * cost->graph.plan->nranks;

	for (u32 i = 0; cost->sender && i < n; i++) {
		struct suo_coster_queue *q, *other;

		for (q = cost->sender[i].queues; q; q = other) {
			other = q->other;
			free(q);
		}
	}
	free(cost->sender);
}

int suo_cost_plan(const struct suo_plan *plan, const struct suo_net *net,
		  struct suo_cost *result)
{
	static const struct suo_plan_why silent;
	struct cost cost = { .net = net, .result = result };
	int ret;

	*result = (struct suo_cost){ 0 };
	/* Windows are those of the domain, and so is the net's idea of it. */
	if (plan->uses >> SUO_PLAN_MCAST_WRITE &&
	    plan->domain_size != net->domain_size)
		return -EINVAL;
	ret = suo_plan_graph_init(&cost.graph, plan, &silent);
	if (ret)
		return ret;

	cost.sender = calloc(2ull * plan->nranks, sizeof(*cost.sender));
	cost.behind = calloc((size_t)cost.graph.match.total + 1,
			     sizeof(*cost.behind));
	ret = cost.sender && cost.behind ? replay(&cost) : -ENOMEM;

	suo_events_free(&cost.events);
	free(cost.behind);
	free_senders(&cost);
	suo_plan_graph_free(&cost.graph);
	return ret;
}
