/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A switch: eight priorities, a shared buffer, PFC, ECN, ETS, several paths, trimming.
 * It owns no clock and no frames: the time is an argument, and what it wants done is
 * a call into its operations. So it runs in the simulator's time and on a real clock
 * (userspace/switch) alike, and allocates nothing for a frame.
 */
#ifndef SUO_SIM_SWITCH_H
#define SUO_SIM_SWITCH_H

#include "model/core/ecmp.h"
#include "model/core/pfc.h"
#include "model/core/sched.h"
#include "model/core/wred.h"
#include "model/sim/arena.h"

#define SUO_SWITCH_PRIOS	SUO_PFC_PRIOS
#define SUO_SWITCH_MAX_PORTS	1024u

/* Preamble and gap: of a link's time, but of no buffer. */
#define SUO_SWITCH_GAP_BYTES	20u
/* A pause frame on the link. */
#define SUO_SWITCH_PAUSE_BYTES	(64u + SUO_SWITCH_GAP_BYTES)

enum suo_frame_flags {
	SUO_FRAME_ECT		= 1 << 0,	/* can be marked */
	SUO_FRAME_CE		= 1 << 1,	/* is marked */
	SUO_FRAME_TRIMMABLE	= 1 << 2,	/* may be cut to its headers */
	SUO_FRAME_TRIMMED	= 1 << 3,	/* has been */
	SUO_FRAME_SPRAY		= 1 << 4,	/* any path, whatever the switch's way */
};

/**
 * struct suo_frame - what a switch knows of a frame
 * @next: the switch's, while it has the frame
 * @flow: what ECMP hashes
 * @tail_ps: when its last packet was there, if it stands for several
 * @dst: number of the destination, for the routes
 * @bytes: of the frame, FCS included, without preamble and gap
 * @last_bytes: of its last packet; @bytes if it is one packet
 * @packets: how many packets it stands for: a train is sent on when its first one is
 *	there, and its last one is sent on when that is there
 * @in_port: the switch's
 * @prio: 0 to 7
 * @flags: enum suo_frame_flags
 */
struct suo_frame {
	struct suo_frame	*next;
	u64			flow;
	u64			tail_ps;
	u32			dst;
	u32			bytes;
	u32			last_bytes;
	u16			packets;
	u16			in_port;
	u8			prio;
	u8			flags;
};

/**
 * struct suo_switch_class - what is done with one priority
 * @pfc: buffer profile of an ingress priority group; without headroom it is lossy
 * @wred: curve of marking; only if @ecn
 * @queue_bytes: longest egress queue of a lossy class: more is trimmed or dropped; 0:
 *	only the buffer counts
 * @ecn: mark what can be marked, drop with the same chance what cannot (lossy only)
 */
struct suo_switch_class {
	struct suo_pfc_law	pfc;
	struct suo_wred_law	wred;
	u64			queue_bytes;
	bool			ecn;
};

/**
 * struct suo_switch_law - how a switch works; many share one
 * @sched: of each port
 * @class: by priority
 * @path: enum suo_ecmp_mode
 * @trim_bytes: what is left of a frame that is trimmed
 * @trim_prio: its priority then
 * @mark_at_exit: mark by the queue that a frame leaves behind, not by the one that it
 *	finds
 */
struct suo_switch_law {
	struct suo_sched_law	sched;
	struct suo_switch_class	class[SUO_SWITCH_PRIOS];
	u32			path;
	u32			trim_bytes;
	u32			trim_prio;
	bool			mark_at_exit;
};

/* Why a frame is dropped. */
enum suo_switch_drop {
	SUO_DROP_BUFFER,	/* no room: SAI's ingress discards */
	SUO_DROP_QUEUE,		/* the egress queue is full */
	SUO_DROP_WRED,
	SUO_DROP_ROUTE,		/* no way to its destination */
	SUO_DROP_SHUT,		/* the queue is shut, or has been flushed */
	SUO_DROPS,
};

/* What a switch wants to be called for, at a time. */
enum suo_switch_timer {
	SUO_TIMER_FORWARD,	/* with the frame; arg: port by which it leaves */
	SUO_TIMER_SENT,		/* arg: port */
	SUO_TIMER_RESUME,	/* arg: port and priority: a pause may have run out */
	SUO_TIMER_REFRESH,	/* arg: port and priority: a pause is to be repeated */
};

struct suo_switch;

/**
 * struct suo_switch_ops - what a switch has done
 * @transmit: the frame leaves by a port from start_ps on; its first packet has left at
 *	head_ps, all of it at end_ps. It is the callee's from now on.
 * @pause: send a pause frame by a port
 * @drop: the frame is the callee's again
 * @timer: call suo_switch_timer() with these at at_ps
 * @queued: a frame has been put into its queue, marked or not; for traces; or NULL
 */
struct suo_switch_ops {
	void	(*transmit)(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			    u64 start_ps, u64 head_ps, u64 end_ps);
	void	(*pause)(struct suo_switch *sw, u32 port, u32 prio, u32 quanta,
			 u64 now_ps);
	void	(*drop)(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			u32 why, u64 now_ps);
	void	(*timer)(struct suo_switch *sw, u64 at_ps, u32 what, u32 arg,
			 struct suo_frame *frame);
	void	(*queued)(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			  u64 now_ps);
};

/*
 * What a frame touches of a port is a cache line for the port, one for the queue that
 * it is in and one for the group in whose room it is: a large network has many ports,
 * and waits for memory. So ports and routes have to lie as an arena's pieces do.
 */
#define SUO_SWITCH_LINE	__attribute__((aligned(SUO_CACHE_LINE)))

/**
 * struct suo_queue - one priority of a port's egress
 * @head: the next frame
 * @tail: the last one
 * @bytes: in the queue, without the frame that is being sent
 * @bytes_max: watermark
 * @tx_packets: sent
 * @tx_bytes: sent
 * @waits_ps: 1 more than since when it could send but for a pause; 0: it does not wait
 */
struct suo_queue {
	struct suo_frame	*head;
	struct suo_frame	*tail;
	u64			bytes;
	u64			bytes_max;
	u64			tx_packets;
	u64			tx_bytes;
	u64			waits_ps;
} SUO_SWITCH_LINE;

/**
 * struct suo_group - one priority of a port's ingress
 * @pg: its part of the buffer
 * @refresh_ps: when a pause is to be repeated
 */
struct suo_group {
	struct suo_pfc_pg	pg;
	u64			refresh_ps;
} SUO_SWITCH_LINE;

/**
 * struct suo_port_count - what a port has counted
 * @marked: packets marked CE, by priority
 * @pause_tx: pause frames sent, by priority, those that end a pause included
 * @pause_rx: pause frames heard, by priority
 * @paused_ps: for so long it could not send, though it had something, by priority
 * @dropped: packets, by enum suo_switch_drop; where they came in or should go out
 * @trimmed: packets
 */
struct suo_port_count {
	u64	marked[SUO_SWITCH_PRIOS];
	u64	pause_tx[SUO_SWITCH_PRIOS];
	u64	pause_rx[SUO_SWITCH_PRIOS];
	u64	paused_ps[SUO_SWITCH_PRIOS];
	u64	dropped[SUO_DROPS];
	u64	trimmed;
};

/**
 * struct suo_switch_port - a port; set up by suo_switch_port_init()
 * @rate_mbps: of its link
 * @free_ps: it is not busy from then on
 * @queued_bytes: in all queues, for adaptive paths
 * @backlog: bit q: queue q has frames
 * @sending_bytes: of the frame that is being sent; 0: there is none
 * @slow: bit q: queue q has been asked to pause; it may be over
 * @sending_in: the port by which that frame came in
 * @sending_prio: its priority
 * @deaf: bit q: pauses of priority q are not obeyed
 * @shut: bit q: queue q takes nothing: it is dropped
 * @queue: egress
 * @group: ingress
 * @heard: pauses
 * @sched: state of the scheduler
 * @wred: of marking
 * @count: what it has counted
 */
struct suo_switch_port {
	u64			rate_mbps;
	u64			free_ps;
	u64			queued_bytes;
	u32			backlog;
	u32			sending_bytes;
	u32			slow;
	u16			sending_in;
	u8			sending_prio;
	u8			deaf;
	u8			shut;
	struct suo_queue	queue[SUO_SWITCH_PRIOS];
	struct suo_group	group[SUO_SWITCH_PRIOS];
	struct suo_pfc_tx	heard;
	struct suo_sched	sched;
	struct suo_wred		wred[SUO_SWITCH_PRIOS];
	struct suo_port_count	count;
};

/**
 * struct suo_route - equal ways to a destination
 * @ports: how many
 * @port: which
 * @spray: state of spraying over them
 */
struct suo_route {
	u32			ports;
	const u16		*port;
	struct suo_spray	spray;
} SUO_SWITCH_LINE;

/**
 * struct suo_switch - a switch
 * @law: how it works
 * @ops: what it has done
 * @owner: up to the owner
 * @id: up to the owner
 * @latency_ps: from a frame's arrival until it is in its queue
 * @nports: ports
 * @port: the ports
 * @pool: the buffer that they share
 * @route: its routes
 * @route_of: by destination: a port, if below @direct, or else so much more than the
 *	index of @route; U16_MAX: none
 * @direct: ports that are the only way to something
 * @dsts: destinations
 * @seed: of its hash
 * @random: state of the generator for adaptive paths
 */
struct suo_switch {
	const struct suo_switch_law	*law;
	const struct suo_switch_ops	*ops;
	void				*owner;
	u32				id;
	u64				latency_ps;
	u32				nports;
	struct suo_switch_port		*port;
	struct suo_pfc_pool		pool;
	struct suo_route		*route;
	const u16			*route_of;
	u32				direct;
	u32				dsts;
	u64				seed;
	u64				random;
};

/* A port of a switch that is set up but for its ports. */
void suo_switch_port_init(struct suo_switch *sw, u32 port, u64 rate_mbps);

/* A frame has come in by a port; frame->in_port is set here. */
void suo_switch_receive(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			u64 now_ps);

/* A pause frame has come in, for one priority; 0 quanta: go on. */
void suo_switch_hear(struct suo_switch *sw, u32 port, u32 prio, u32 quanta,
		     u64 now_ps);

/* Drop all that waits in one queue, as SUO_DROP_SHUT. */
void suo_switch_flush(struct suo_switch *sw, u32 port, u32 prio, u64 now_ps);

/* The time has come that ops->timer() was told. */
void suo_switch_timer(struct suo_switch *sw, u32 what, u32 arg,
		      struct suo_frame *frame, u64 now_ps);

/* Send what can be sent: after what stood against it has changed. */
void suo_switch_send(struct suo_switch *sw, u32 port, u64 now_ps);

/* For switch.c and switch_port.c: put a frame into its queue, and send if that can
 * be; count for how long a queue has waited for a pause's end, which is over; give
 * back the room that a frame had.
 */
void suo_switch_enqueue(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			u64 now_ps);
void suo_switch_wait_over(struct suo_switch_port *p, u32 prio, u64 now_ps);
void suo_switch_release(struct suo_switch *sw, u32 port, u32 prio, u32 bytes,
			u64 now_ps);

#endif /* SUO_SIM_SWITCH_H */
