/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulator: hosts with NICs, switches, links and scale-up domains, in which
 * things happen one after the other. Deterministic: the same configuration and the
 * same messages give the same times, to the picosecond.
 */
#ifndef SUO_SIM_H
#define SUO_SIM_H

#include <signal.h>
#include <stdio.h>

#include "model/sim/arena.h"
#include "model/sim/heap.h"
#include "model/sim/topo.h"

struct suo_sim;
struct suo_flow;

/* What a domain does with a message. */
enum suo_up_op {
	SUO_UP_SEND,
	SUO_UP_MCAST,	/* it goes to all members, the sender's own port included */
	SUO_UP_REDUCED,	/* all members send a part, and the switch makes one of them */
};

/**
 * struct suo_msg - one message
 * @next: behind it in its queue
 * @flow: that carries it; NULL inside a domain
 * @src: sending host
 * @dst: receiving host
 * @bytes: its length
 * @first: number of its first train in the flow
 * @trains: how many it has
 * @got: of them have arrived; a domain's: bytes that were sent
 * @op: enum suo_up_op, inside a domain
 * @acked: of them are acknowledged
 * @tag: up to the user
 * @start_ps: it was posted
 * @data_ps: all of it has arrived
 * @done_ps: its sender knows
 */
struct suo_msg {
	struct suo_msg	*next;
	struct suo_flow	*flow;
	u32		src;
	u32		dst;
	u64		bytes;
	u64		first;
	u64		trains;
	u64		got;
	u32		op;
	u64		acked;
	u64		tag;
	u64		start_ps;
	u64		data_ps;
	u64		done_ps;
};

enum suo_packet_type {
	SUO_PACKET_DATA,
	SUO_PACKET_ACK,
	SUO_PACKET_NACK,
	SUO_PACKET_CNP,
	SUO_PACKET_PULL,	/* a credit */
	SUO_PACKET_RTS,		/* a sender without credit asks for it */
	SUO_PACKET_TYPES,
};

/**
 * struct suo_packet - what travels
 * @frame: what switches know of it; comes first
 * @flow: whose it is
 * @msg: data: which message
 * @number: data, NACK: of the train; ACK: of the next one expected (RoCE)
 * @sent_ps: when the data was sent that this is, or acknowledges
 * @posted: data, RTS: trains that the sender has had to send so far
 * @payload_bytes: data
 * @type: enum suo_packet_type
 * @marked: acknowledges what was marked CE
 * @last: data: last train of its message
 *
 * What switches and receivers ask for first is in one cache line.
 */
struct suo_packet {
	struct suo_frame	frame;
	struct suo_flow		*flow;
	struct suo_msg		*msg;
	u64			number;
	u64			sent_ps;
	u64			posted;
	u32			payload_bytes;
	u8			type;
	bool			marked;
	bool			last;
} __attribute__((aligned(SUO_CACHE_LINE)));

/**
 * struct suo_flow_count - what a flow has counted; packets
 * @sent: data packets sent
 * @again: of them were sent before
 * @cnps: congestion notifications that came
 * @nacks: that came
 * @timeouts: of its sender
 */
struct suo_flow_count {
	u64	sent;
	u64	again;
	u64	cnps;
	u64	nacks;
	u64	timeouts;
};

/**
 * struct suo_flow - a queue pair and its peer
 * @id: its number, and what its path hangs on
 * @src: sending host
 * @dst: receiving host
 * @hash: what ECMP hashes; that of acknowledgments is its complement
 * @ready_next: behind it among the host's flows that have something to send
 * @msg_head: oldest message that is not acknowledged
 * @msg_tail: newest message
 * @msg_now: RoCE: message of @next
 * @end: trains posted
 * @next: train to be sent next
 * @una: RoCE: oldest train not acknowledged
 * @most: trains sent so far: what comes before is sent again
 * @cc: congestion control
 * @next_ps: not before this, by its rate
 * @progress_ps: when it last heard of success
 * @on_way_bytes: sent and not acknowledged
 * @retries: timeouts since then
 * @ready: it is in the host's list
 * @paced: it will be
 * @timed: a timeout is pending
 * @expected: receiver, RoCE: next train
 * @np: receiver: congestion notifications
 * @unacked: receiver: trains since the last acknowledgment
 * @nacked: receiver: it has complained of @expected
 * @pull: the other transport's
 */
struct suo_flow {
	u32			id;
	u32			src;
	u32			dst;
	u64			hash;
	struct suo_flow		*ready_next;
	struct suo_msg		*msg_head;
	struct suo_msg		*msg_tail;
	struct suo_msg		*msg_now;
	u64			end;
	u64			next;
	u64			una;
	u64			most;
	struct suo_cc		cc;
	u64			next_ps;
	u64			progress_ps;
	u64			on_way_bytes;
	u32			retries;
	bool			ready;
	bool			paced;
	bool			timed;
	u64			expected;
	struct suo_dcqcn_np	np;
	u32			unacked;
	bool			nacked;
	struct suo_pull		*pull;
	struct suo_flow_count	count;
};

/* A list of packets. */
struct suo_packets {
	struct suo_packet	*head;
	struct suo_packet	*tail;
};

/**
 * struct suo_host - a NIC
 * @id: its number
 * @busy: it is sending
 * @heard: pauses
 * @control: acknowledgments and the like, by priority: they go first
 * @control_mask: bit q: there is something in @control[q]
 * @ready: flows that have something to send take turns; the first
 * @ready_tail: the last
 * @pulls: flows that are to be given credit take turns; the first
 * @pulls_tail: the last
 * @pull_busy: the next credit has its time
 * @pause_rx: pauses heard
 * @waits_ps: since when it could send but for a pause; 0: it does not wait
 * @paused_ps: for so long it has waited
 */
struct suo_host {
	u32			id;
	bool			busy;
	struct suo_pfc_tx	heard;
	struct suo_packets	control[SUO_SWITCH_PRIOS];
	u32			control_mask;
	struct suo_flow		*ready;
	struct suo_flow		*ready_tail;
	struct suo_flow		*pulls;
	struct suo_flow		*pulls_tail;
	bool			pull_busy;
	u64			pause_rx;
	u64			waits_ps;
	u64			paused_ps;
};

/* What a transport does. */
struct suo_transport_ops {
	int	(*init)(struct suo_sim *sim, struct suo_flow *flow);
	void	(*posted)(struct suo_sim *sim, struct suo_flow *flow);
	/* Return: the next packet, or NULL if there is none now. */
	struct suo_packet *(*next)(struct suo_sim *sim, struct suo_flow *flow);
	void	(*receive)(struct suo_sim *sim, struct suo_packet *packet);
	void	(*timeout)(struct suo_sim *sim, struct suo_flow *flow);
};

extern const struct suo_transport_ops suo_roce_ops;
extern const struct suo_transport_ops suo_pull_ops;

/**
 * struct suo_sim_user - who drives a simulation
 * @arrived: a message has arrived
 * @done: its sender knows; it is freed after this
 * @arg: for both
 */
struct suo_sim_user {
	void	(*arrived)(struct suo_sim *sim, struct suo_msg *msg, void *arg);
	void	(*done)(struct suo_sim *sim, struct suo_msg *msg, void *arg);
	void	*arg;
};

/* What is written while it runs; each may be NULL. */
struct suo_sim_trace {
	FILE	*messages;
	FILE	*packets;
};

/* What happened, over all; packets. */
struct suo_sim_count {
	u64	happenings;
	u64	sent;
	u64	again;
	u64	dropped[SUO_DROPS];
	u64	cnps;
	u64	pulls;
	u64	timeouts;
};

struct suo_domain;

/**
 * struct suo_sim - a simulation
 * @config: what is simulated
 * @topo: the network
 * @transport: what carries messages
 * @user: who drives it
 * @trace: what is written
 * @heap: what will happen
 * @now_ps: the time
 * @host: NICs
 * @domain: ports to scale-up domains, one for each host; NULL if there are none
 * @flow: array of @flows, @flows_cap allocated
 * @base_rtt_ps: of a packet over the longest way
 * @posted_bytes: by all messages
 * @arrived_bytes: of them
 * @open: messages not done
 * @stop: set by a signal handler to end early; NULL: never
 * @tick: called now and then, for progress; NULL: no
 * @count: what happened
 * @failed: memory has run out
 * @dead: the flow that has had too many timeouts, if one has
 */
struct suo_sim {
	const struct suo_sim_config	*config;
	struct suo_topo			topo;
	const struct suo_transport_ops	*transport;
	struct suo_sim_user		user;
	struct suo_sim_trace		trace;
	struct suo_heap			heap;
	u64				now_ps;
	struct suo_host			*host;
	struct suo_domain		*domain;
	struct suo_flow			**flow;
	u32				flows;
	u32				flows_cap;
	u64				base_rtt_ps;
	u64				posted_bytes;
	u64				arrived_bytes;
	u64				open;
	volatile sig_atomic_t		*stop;
	void				(*tick)(struct suo_sim *sim);
	struct suo_sim_count		count;
	bool				failed;
	const struct suo_flow		*dead;
	/* Pools: what was used is used again. */
	struct suo_packet		*free_packets;
	struct suo_msg			*free_msgs;
	struct suo_arena		arena;
};

/**
 * suo_sim_init() - make a simulation
 * @sim: filled in; free it with suo_sim_free(), also after a failure
 * @config: checked; it must outlive the simulation
 *
 * Return: 0 or -ENOMEM.
 */
int suo_sim_init(struct suo_sim *sim, const struct suo_sim_config *config);

void suo_sim_free(struct suo_sim *sim);

/* A new queue pair from one host to another. Return: NULL without memory. */
struct suo_flow *suo_sim_flow(struct suo_sim *sim, u32 src, u32 dst);

/* Post a message now, or later. Without memory the simulation fails. */
void suo_sim_post(struct suo_sim *sim, struct suo_flow *flow, u64 bytes, u64 tag);
void suo_sim_post_at(struct suo_sim *sim, struct suo_flow *flow, u64 bytes, u64 tag,
		     u64 at_ps);

/**
 * suo_sim_post_up() - post a message inside a domain
 * @sim: the simulation
 * @op: enum suo_up_op
 * @src: who sends, or who reads (SUO_UP_REDUCED)
 * @dst: who receives, or over whose connection the request goes
 * @bytes: of the message
 * @tag: up to the user
 *
 * A multicast is done when its sender knows; a reduced read when the sum is there.
 * Times are those of windows.rst.
 */
void suo_sim_post_up(struct suo_sim *sim, u32 op, u32 src, u32 dst, u64 bytes,
		     u64 tag);

/**
 * suo_sim_run() - let things happen until nothing more will
 * @sim: the simulation
 *
 * Return: 0; -EINTR when it was stopped; -ENOMEM; -ETIMEDOUT when a flow has failed,
 * which is sim->dead; -EDEADLK when messages are left though nothing happens any more.
 */
int suo_sim_run(struct suo_sim *sim);

#endif /* SUO_SIM_H */
