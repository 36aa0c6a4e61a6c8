/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of the plan coster. */
#ifndef SUO_ANALYTIC_COSTER_H
#define SUO_ANALYTIC_COSTER_H

#include "model/analytic/net.h"
#include "model/plan/plan.h"

/* Number 2 r is the scale-up port of rank r, 2 r + 1 its NIC. */
static inline u32 suo_coster_port(u32 rank)
{
	return 2 * rank;
}

static inline u32 suo_coster_nic(u32 rank)
{
	return 2 * rank + 1;
}

struct suo_coster_queue;

/**
 * struct suo_coster_sender - a port or a NIC
 * @clock: when its directions are free
 * @queues: one for each peer
 * @first_turn: the queue whose turn it is
 * @last_turn: and the last one that waits for its turn
 * @busy: a piece is being sent
 */
struct suo_coster_sender {
	struct suo_link_clock	clock;
	struct suo_coster_queue	*queues;
	struct suo_coster_queue	*first_turn;
	struct suo_coster_queue	*last_turn;
	bool			busy;
};

/**
 * suo_coster_piece() - send one piece of a step
 * @net: the network
 * @sender: all ports and NICs
 * @number: which of them sends
 * @rank: whose step it is
 * @step: a SEND, an MCAST_WRITE, or a REDUCED_READ whose request has arrived
 * @now: the time
 * @sent: bytes of the step that were sent before; moved on
 *
 * Return: when the piece arrives.
 */
u64 suo_coster_piece(const struct suo_net *net, struct suo_coster_sender *sender,
		     u32 number, u32 rank, const struct suo_plan_step *step,
		     u64 now, u64 *sent);

#endif /* SUO_ANALYTIC_COSTER_H */
