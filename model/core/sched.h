/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which queue of a port sends next: strict priority, and among the others deficit
 * round robin (Shreedhar and Varghese, "Efficient fair queuing using deficit round
 * robin", 1996), which is what ETS (IEEE 802.1Qaz) is made of.
 */
#ifndef SUO_CORE_SCHED_H
#define SUO_CORE_SCHED_H

#include "types.h"

#define SUO_SCHED_QUEUES	8
#define SUO_SCHED_UNIT_BYTES	256u	/* of a weight of 1 in a round */
#define SUO_SCHED_MAX_WEIGHT	10000u

/**
 * struct suo_sched_law - the queues of a port
 * @strict: bit q: queue q goes first, the highest of them before the others
 * @weight: of the others, 1 to SUO_SCHED_MAX_WEIGHT: the share of a queue is its
 *	weight by the sum of those that have something to send
 */
struct suo_sched_law {
	u32	strict;
	u32	weight[SUO_SCHED_QUEUES];
};

/**
 * struct suo_sched - the state of a port; all zero at first
 * @deficit_bytes: what a queue may still send in this round
 * @turn: whose turn it is
 * @served: it has been given its quantum in this turn
 */
struct suo_sched {
	u64	deficit_bytes[SUO_SCHED_QUEUES];
	u32	turn;
	bool	served;
};

/**
 * suo_sched_pick() - the next queue
 * @law: the port's queues
 * @sched: the port's state
 * @ready: bit q: queue q may send; not 0
 * @head_bytes: the first packet of each queue that is ready
 *
 * A queue that is not ready, whether it is empty or paused, loses its deficit when
 * it is passed over, so that it cannot save up for a burst.
 *
 * Return: the queue, whose packet is taken as sent.
 */
u32 suo_sched_pick(const struct suo_sched_law *law, struct suo_sched *sched,
		   u32 ready, const u32 *head_bytes);

#endif /* SUO_CORE_SCHED_H */
