// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Scale-up domains: ports on the link law, without packets. A port serves its peers in
 * turn, a piece each. A long message goes in larger pieces, 64 at least: on the law
 * that only makes the turns coarser.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/core/link.h"
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

static void send_piece(struct suo_sim *sim, struct suo_domain *port)
{
	struct queue *q = port->first_turn;
	struct suo_link_result sent;
	struct suo_msg *msg;
	u64 bytes;

	if (port->busy || !q)
		return;
	port->first_turn = q->turn;
	msg = q->head;
	bytes = piece_bytes(msg);
	suo_link_reserve(&sim->config->up, &port->clock, &sim->domain[msg->dst].clock,
			 sim->now_ps, bytes, &sent);
	port->busy = true;
	msg->got += bytes;
	if (msg->got == msg->bytes) {
		q->head = msg->next;
		suo_sim_at(sim, sent.arrival_ps, SUO_UP_ARRIVED, msg, 0);
	}
	if (q->head)
		wait_turn(port, q);
	suo_sim_at(sim, port->clock.tx_free_ps, SUO_UP_SENT, NULL,
		   port - sim->domain);
}

void suo_sim_post_up(struct suo_sim *sim, u32 src, u32 dst, u64 bytes, u64 tag)
{
	struct suo_domain *port = &sim->domain[src];
	struct queue *q = &port->queue[dst % sim->config->domain_size];
	struct suo_msg *msg = suo_msg_get(sim);

	if (!msg)
		return;
	msg->src = src;
	msg->dst = dst;
	msg->bytes = bytes;
	msg->tag = tag;
	msg->start_ps = sim->now_ps;
	sim->posted_bytes += bytes;
	sim->open++;
	if (q->head) {
		q->tail->next = msg;
	} else {
		q->head = msg;
		wait_turn(port, q);
	}
	q->tail = msg;
	send_piece(sim, port);
}

void suo_domain_sent(struct suo_sim *sim, u32 host)
{
	sim->domain[host].busy = false;
	send_piece(sim, &sim->domain[host]);
}

/* Its acknowledgement is timed but does not compete for the ports. */
void suo_domain_arrived(struct suo_sim *sim, struct suo_msg *msg)
{
	const struct suo_link_law *up = &sim->config->up;
	u64 ack_ps = suo_link_latency_ps(up) +
		     suo_link_ser_ps(up, suo_link_wire_bytes(up, 0));

	suo_sim_at(sim, sim->now_ps + ack_ps, SUO_UP_DONE, msg, 0);
	suo_msg_arrived(sim, msg);
}
