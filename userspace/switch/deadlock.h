/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deadlocks of priority flow control: queues that are paused, each by a buffer whose
 * packets wait in the next one, round in a circle. Theory: Dally and Seitz, "Deadlock-free
 * message routing in multiprocessor interconnection networks", 1987: a cycle of the
 * graph of who waits for whom.
 */
#ifndef SUO_SWITCH_DEADLOCK_H
#define SUO_SWITCH_DEADLOCK_H

#include "model/sim/topo.h"

/**
 * struct swd_waits - who waits for whom
 * @nodes: how many there are
 * @edges: how many there are
 * @cap: room for edges
 * @first: by node: its edges are from @first[node] on, before those of the next one;
 *	nodes + 1 entries
 * @edge: node that is waited for
 * @order: of the search for cycles: when a node was met first; 0: not yet
 * @low: the earliest node that is reached from it
 * @stack: nodes whose part is not known yet; later, those to be looked at
 * @call: the way from where the search began to where it is
 * @at: the edge to be followed next; later, the node that was come from
 * @part: number of the set of nodes that reach each other; 0: not known yet
 */
struct swd_waits {
	u32	nodes;
	u32	edges;
	u32	cap;
	u32	*first;
	u32	*edge;
	u32	*order;
	u32	*low;
	u32	*stack;
	u32	*call;
	u32	*at;
	u32	*part;
};

/* Return: 0 or -ENOMEM; free with swd_waits_free() also then. */
int swd_waits_init(struct swd_waits *waits, u32 nodes);
void swd_waits_free(struct swd_waits *waits);

/*
 * Edges are added node by node: begin a node, in the order of their numbers and none left
 * out, then say whom it waits for. Return: 0 or -ENOMEM.
 */
void swd_waits_node(struct swd_waits *waits, u32 node);
int swd_waits_add(struct swd_waits *waits, u32 on);

/**
 * swd_waits_cycles() - find the cycles
 * @waits: all nodes have been begun
 * @cycle: room for as many as there are nodes
 * @found: told of one cycle of each set of nodes that wait for each other, a shortest one
 *	through the lowest of them, which comes first
 * @arg: for it
 */
void swd_waits_cycles(struct swd_waits *waits, u32 *cycle,
		      void (*found)(void *arg, const u32 *cycle, u32 n), void *arg);

/* A queue of a cycle. */
struct swd_stuck {
	u32	node;
	u32	port;
};

/**
 * struct swd_deadlock - the watch over a network
 * @topo: the network
 * @base: by switch, number of its first port among all
 * @ports: of all switches
 * @waits: of one priority
 * @sent: by port and priority, packets sent at the last look
 * @known: by port and priority: it is in a cycle that has been told
 * @cycle: room
 * @stuck: room
 */
struct swd_deadlock {
	const struct suo_topo	*topo;
	u32			*base;
	u32			ports;
	struct swd_waits	waits;
	u64			*sent;
	u8			*known;
	u32			*cycle;
	struct swd_stuck	*stuck;
};

/* Who is told of a cycle: the queues of one priority, each waits for the next. */
struct swd_deadlock_user {
	void	(*found)(void *arg, u32 prio, const struct swd_stuck *stuck, u32 n);
	void	*arg;
};

/* Return: 0 or -ENOMEM; free with swd_deadlock_free() also then. */
int swd_deadlock_init(struct swd_deadlock *deadlock, const struct suo_topo *topo);
void swd_deadlock_free(struct swd_deadlock *deadlock);

/**
 * swd_deadlock_look() - look for cycles of queues that stand still
 * @deadlock: the watch
 * @now_ps: the time
 * @user: told of cycles that were not there at the last look
 *
 * A queue takes part if it holds packets, is paused and has sent nothing since the last
 * look: so looks should be further apart than a pause takes to end, a few hundred
 * microseconds at 100 Gb/s.
 *
 * Return: cycles that are there, told or not; -ENOMEM.
 */
int swd_deadlock_look(struct swd_deadlock *deadlock, u64 now_ps,
		      const struct swd_deadlock_user *user);

#endif /* SUO_SWITCH_DEADLOCK_H */
