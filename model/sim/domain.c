// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Scale-up domains: ports on the link law, without packets. A port serves its peers in
 * turn, a piece each. A long message goes in larger pieces, 64 at least: on the law
 * that only makes the turns coarser.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/core/link_many.h"
#include "model/sim/sim_int.h"

#define PIECES	64u

/* Messages to one member. */
struct queue {
	struct suo_msg	*head;
	struct suo_msg	*tail;
	struct queue	*turn;
};

/* One accelerator's port. */
struct suo_domain {
	struct suo_link_clock	clock;
	struct queue		*queue;		/* by member */
	struct queue		*first_turn;
	struct queue		*last_turn;
	bool			busy;
};

int suo_domain_init(struct suo_sim *sim)
{
	u32 hosts = sim->config->hosts;

	sim->domain = calloc(hosts, sizeof(*sim->domain));
	if (!sim->domain)
		return -ENOMEM;
	for (u32 h = 0; h < hosts; h++) {
		sim->domain[h].clock.id = h;
		sim->domain[h].queue = calloc(sim->config->domain_size,
					      sizeof(*sim->domain[h].queue));
		if (!sim->domain[h].queue)
			return -ENOMEM;
	}
	return 0;
}

void suo_domain_free(struct suo_sim *sim)
{
	for (u32 h = 0; sim->domain && h < sim->config->hosts; h++)
		free(sim->domain[h].queue);
	free(sim->domain);
	sim->domain = NULL;
}

static void wait_turn(struct suo_domain *port, struct queue *q)
{
	q->turn = NULL;
	if (port->first_turn)
		port->last_turn->turn = q;
	else
		port->first_turn = q;
	port->last_turn = q;
}

static u64 piece_bytes(const struct suo_msg *msg)
{
	u64 left = msg->bytes - msg->got;
	u64 most = msg->bytes / PIECES / SUO_UP_SEGMENT_BYTES * SUO_UP_SEGMENT_BYTES;

	most = suo_max(most, SUO_UP_SEGMENT_BYTES);
	return left < most ? left : most;
}

/* The sender's link once, and the receiving direction of all. */
static u64 to_many(struct suo_sim *sim, const struct suo_msg *msg, u64 bytes)
{
	u32 size = sim->config->domain_size, first = msg->src / size * size;
	const struct suo_link_law *up = &sim->config->up;
	struct suo_link_result sent;
	u64 busy_ps = 0;

	for (u32 m = first; m < first + size; m++)
		busy_ps = suo_max(busy_ps, sim->domain[m].clock.rx_free_ps);
	suo_link_to_many(up, &sim->domain[msg->src].clock, busy_ps, sim->now_ps, bytes,
			 &sent);
	for (u32 m = first; m < first + size; m++)
		suo_link_take_rx(up, &sim->domain[m].clock, &sent);
	return sent.arrival_ps;
}

/* The sending direction of all, and the reader's link once. */
static u64 from_many(struct suo_sim *sim, const struct suo_msg *msg, u64 bytes)
{
	u32 size = sim->config->domain_size, first = msg->src / size * size;
	const struct suo_link_law *up = &sim->config->up;
	struct suo_link_clock *reader = &sim->domain[msg->dst].clock;
	struct suo_link_result part, sum;
	u64 start_ps = suo_link_many_begin(up, reader, sim->now_ps, &sum);

	for (u32 m = first; m < first + size; m++)
		suo_link_many_add(up, &sim->domain[m].clock, start_ps, bytes, &part,
				  &sum);
	suo_link_many_end(up, reader, &sum);
	for (u32 m = first; m < first + size; m++)
		suo_link_hold_tx(up, &sim->domain[m].clock, &sum);
	return sum.arrival_ps;
}

/* Return: when the piece arrives. */
static u64 take_links(struct suo_sim *sim, struct suo_domain *port,
		      const struct suo_msg *msg, u64 bytes)
{
	struct suo_link_result sent;

	switch (msg->op) {
	case SUO_UP_MCAST:
		return to_many(sim, msg, bytes);
	case SUO_UP_REDUCED:
		return from_many(sim, msg, bytes);
	default:
		suo_link_reserve(&sim->config->up, &port->clock,
				 &sim->domain[msg->dst].clock, sim->now_ps, bytes,
				 &sent);
		return sent.arrival_ps;
	}
}

static void send_piece(struct suo_sim *sim, struct suo_domain *port)
{
	struct queue *q = port->first_turn;
	struct suo_msg *msg;
	u64 bytes, arrival_ps;

	if (port->busy || !q)
		return;
	port->first_turn = q->turn;
	msg = q->head;
	bytes = piece_bytes(msg);
	arrival_ps = take_links(sim, port, msg, bytes);
	port->busy = true;
	msg->got += bytes;
	if (msg->got == msg->bytes) {
		q->head = msg->next;
		suo_sim_at(sim, arrival_ps, SUO_UP_ARRIVED, msg, 0);
	}
	if (q->head)
		wait_turn(port, q);
	suo_sim_at(sim, port->clock.tx_free_ps, SUO_UP_SENT, NULL,
		   port - sim->domain);
}

/* A port has something to send: @msg->src's. */
void suo_domain_post(struct suo_sim *sim, struct suo_msg *msg)
{
	struct suo_domain *port = &sim->domain[msg->src];
	struct queue *q = &port->queue[msg->dst % sim->config->domain_size];

	if (q->head) {
		q->tail->next = msg;
	} else {
		q->head = msg;
		wait_turn(port, q);
	}
	q->tail = msg;
	send_piece(sim, port);
}

/* Of a header from port to port: an acknowledgment, the request of a read. They are
 * timed but do not compete for the ports.
 */
static u64 header_ps(const struct suo_sim *sim)
{
	const struct suo_link_law *up = &sim->config->up;

	return suo_link_latency_ps(up) +
	       suo_link_ser_ps(up, suo_link_wire_bytes(up, 0));
}

void suo_sim_post_up(struct suo_sim *sim, u32 op, u32 src, u32 dst, u64 bytes, u64 tag)
{
	struct suo_msg *msg = suo_msg_get(sim);

	if (!msg)
		return;
	msg->op = op;
	msg->src = src;
	msg->dst = dst;
	msg->bytes = bytes;
	msg->tag = tag;
	msg->start_ps = sim->now_ps;
	sim->posted_bytes += bytes;
	sim->open++;
	if (op != SUO_UP_REDUCED) {
		suo_domain_post(sim, msg);
		return;
	}
	/* The peer serves the read among what it sends to the reader. */
	msg->src = dst;
	msg->dst = src;
	suo_sim_at(sim, sim->now_ps + header_ps(sim), SUO_UP_ASKED, msg, 0);
}

void suo_domain_sent(struct suo_sim *sim, u32 host)
{
	sim->domain[host].busy = false;
	send_piece(sim, &sim->domain[host]);
}

void suo_domain_arrived(struct suo_sim *sim, struct suo_msg *msg)
{
	u64 ack_ps = msg->op == SUO_UP_REDUCED ? 0 : header_ps(sim);

	suo_msg_arrived(sim, msg);
	suo_sim_at(sim, sim->now_ps + ack_ps, SUO_UP_DONE, msg, 0);
}
