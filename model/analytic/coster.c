// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Replaying a plan on the link law. Each rank has two senders, its scale-up
 * port and its NIC; a sender has a queue for each peer (a queue pair) and takes
 * one piece from each queue in turn.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/analytic/cost.h"
#include "model/analytic/events.h"
#include "model/plan/graph.h"

#define NONE	UINT32_MAX

enum {
	SENDER_FREE,	/* what: sender */
	ARRIVED,	/* what: send step; its last byte is there */
	ACKED,		/* what: send step */
};

/* Messages to one peer, chained by struct cost.behind[]. */
struct queue {
	struct queue	*other;		/* another queue of this sender */
	struct queue	*turn;		/* whose turn is next */
	u32		peer;
	u32		head;
	u32		tail;
	u64		sent;		/* bytes of head's message */
};

/* Number 2 r is the scale-up port of rank r, 2 r + 1 its NIC. */
struct sender {
	struct suo_link_clock	clock;
	struct queue		*queues;
	struct queue		*first_turn;
	struct queue		*last_turn;
	bool			busy;
};

struct cost {
	struct suo_plan_graph	graph;
	const struct suo_net	*net;
	struct sender		*sender;
	struct suo_events	events;
	u32			*behind;
	u32			done;		/* steps */
	struct suo_cost		*result;
};

static u32 port_of(u32 rank)
{
	return 2 * rank;
}

static u32 nic_of(u32 rank)
{
	return 2 * rank + 1;
}

static struct queue *queue_to(struct sender *sender, u32 peer)
{
	struct queue *q;

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

static void wait_turn(struct sender *sender, struct queue *q)
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
	struct sender *sender = &cost->sender[number];
	struct queue *q = sender->first_turn;
	bool up = number % 2 == 0;
	struct suo_link_result sent;
	u32 rank, index, message;
	u64 bytes, piece, wire;
	int ret = 0;

	if (sender->busy || !q)
		return 0;
	sender->first_turn = q->turn;

	message = q->head;
	bytes = suo_plan_graph_step(&cost->graph, message, &rank, &index)->len *
		cost->net->elem_bytes;
	piece = suo_net_piece(cost->net, up, bytes, q->sent, &wire);
	q->sent += piece;
	if (up)
		suo_link_reserve(&cost->net->up, &sender->clock,
				 &cost->sender[port_of(q->peer)].clock, now,
				 piece, &sent);
	else
		sent.arrival_ps = suo_link_pace(&cost->net->out,
						&sender->clock, now, wire);
	sender->busy = true;

	if (q->sent == bytes) {
		ret = suo_events_add(&cost->events, sent.arrival_ps, ARRIVED,
				     message);
		if (ret)
			return ret;
		q->head = cost->behind[message];
		q->sent = 0;
	}
	if (q->head != NONE)
		wait_turn(sender, q);
	return suo_events_add(&cost->events, sender->clock.tx_free_ps,
			      SENDER_FREE, number);
}

static int post(struct cost *cost, u32 message, u64 now)
{
	u32 rank, index, number;
	const struct suo_plan_step *step;
	struct sender *sender;
	struct queue *q;

	step = suo_plan_graph_step(&cost->graph, message, &rank, &index);
	number = suo_net_is_up(cost->net, rank, step->peer) ? port_of(rank) :
							      nic_of(rank);
	sender = &cost->sender[number];
	q = queue_to(sender, step->peer);
	if (!q)
		return -ENOMEM;

	cost->behind[message] = NONE;
	if (q->head == NONE) {
		q->head = message;
		wait_turn(sender, q);
	} else {
		cost->behind[q->tail] = message;
	}
	q->tail = message;
	return send_piece(cost, number, now);
}

static int finish(struct cost *cost, u32 n, u64 now);

/* One thing less to wait for; a receive that waits for no more is done. */
static int count_down(struct cost *cost, u32 n, u64 now)
{
	u32 rank, index;

	if (--cost->graph.waits[n])
		return 0;
	if (suo_plan_graph_step(&cost->graph, n, &rank, &index)->op ==
	    SUO_PLAN_SEND)
		return post(cost, n, now);
	cost->result->data_ps = now;
	return finish(cost, n, now);
}

static int finish(struct cost *cost, u32 n, u64 now)
{
	const struct suo_plan_graph *graph = &cost->graph;
	int ret = 0;

	cost->done++;
	cost->result->done_ps = now;
	for (u32 i = graph->first[n]; i < graph->first[n + 1] && !ret; i++)
		ret = count_down(cost, graph->then[i], now);
	return ret;
}

static int happen(struct cost *cost, const struct suo_event *event)
{
	u32 rank, index;
	const struct suo_plan_step *step;
	int ret;

	switch (event->kind) {
	case SENDER_FREE:
		cost->sender[event->what].busy = false;
		return send_piece(cost, event->what, event->at_ps);
	case ARRIVED:
		step = suo_plan_graph_step(&cost->graph, event->what, &rank,
					   &index);
		ret = suo_events_add(&cost->events, event->at_ps +
				     suo_net_ack_ps(cost->net,
						    suo_net_is_up(cost->net, rank,
								  step->peer)),
				     ACKED, event->what);
		if (ret)
			return ret;
		return count_down(cost, cost->graph.match.mate[event->what],
				  event->at_ps);
	default:
		return finish(cost, event->what, event->at_ps);
	}
}

static int replay(struct cost *cost)
{
	struct suo_event event;
	u32 total = cost->graph.match.total;
	u32 rank, index;
	int ret = 0;

	/* Receives always wait for their data, so these are sends. */
	for (u32 n = 0; n < total && !ret; n++)
		if (!cost->graph.waits[n] &&
		    suo_plan_graph_step(&cost->graph, n, &rank, &index)->op ==
		    SUO_PLAN_SEND)
			ret = post(cost, n, 0);
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
		struct queue *q, *other;

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
	if (plan->uses >> (SUO_PLAN_RECV_REDUCE + 1))
		return -EOPNOTSUPP;
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
