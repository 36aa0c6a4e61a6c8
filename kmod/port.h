/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A port: the egress side of a link. It serves its queue pairs in turn, one
 * packet each, keeps the time at which the link is free again, and holds what
 * has left until it arrives. The NIC and the scale-up link are both ports.
 */
#ifndef SUO_PORT_H
#define SUO_PORT_H

#include <linux/hrtimer.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>

#include "../model/core/link.h"
#include "../model/core/wire.h"

struct sk_buff;
struct suo_dev;
struct suo_domain;
struct suo_port;
struct suo_qp;
struct suo_pkt;

/* There is a NIC with a rate: its senders may be held back. */
DECLARE_STATIC_KEY_FALSE(suo_paced);

/**
 * struct suo_port_ops - what tells the NIC from the scale-up link
 * @reserve: take the link for a packet of pkt->wire_bytes that is ready at
 *	ready_ps; returns its arrival. Called with port->lock held.
 * @deliver: the packet has arrived: hand it over and free it
 * @drop: free it undelivered
 */
struct suo_port_ops {
	u64	(*reserve)(struct suo_port *port, struct suo_pkt *pkt,
			   u64 ready_ps);
	void	(*deliver)(struct suo_port *port, struct suo_pkt *pkt);
	void	(*drop)(struct suo_pkt *pkt);
};

/* A queue pair has a place in the list of each port of its device, since it
 * may still be listed at one when it begins to use the other.
 */
enum suo_port_index {
	SUO_PORT_NIC,
	SUO_PORT_SU,
	SUO_PORTS,
};

/**
 * struct suo_port_slot - a queue pair's place in a port's list
 * @node: empty if not listed
 * @wait: in the port's tree of those that wait, or empty
 * @ready_ps: since when it has had something to send; or when it will, if it waits
 * @qp: the queue pair; a listed or waiting slot holds a reference
 * @at_ps: when its next packet could begin. This and the rest are for a port with a
 *	rate, and for whoever runs it
 * @hold_ps: it may not send, for one reason or another, before this; 0: it may
 * @next_ps: its flow may not begin another packet before this
 * @rate_kbps: the flow's rate, for the packet that it has just made; 0: any
 */
struct suo_port_slot {
	struct list_head	node;
	struct rb_node		wait;
	u64			ready_ps;
	struct suo_qp		*qp;
	u64			at_ps;
	u64			hold_ps;
	u64			next_ps;
	u64			rate_kbps;
};

/**
 * struct suo_port - see above
 * @dev: its device
 * @ops: see there
 * @index: which of the device's ports
 * @lock: protects what follows
 * @law: the link's parameters
 * @clk: when the link is free
 * @flit_rest: bytes sent that do not yet make a flit; under the domain's lock
 * @timed: the link takes time
 * @ready: queue pairs that may have something to send
 * @waiting: queue pairs that may not send before some time
 * @wakes: how often all of them were made to look again
 * @line: packets under way, in order of arrival, at each receiver at least
 * @running: some context is in suo_port_run()
 * @stopped: nothing may be queued any more
 * @timer: wakes the port when the link is free or a packet arrives
 * @pending: in the list of ports that this CPU has still to run
 */
struct suo_port {
	struct suo_dev			*dev;
	const struct suo_port_ops	*ops;
	enum suo_port_index		index;
	spinlock_t			lock;
	struct suo_link_law		law;
	struct suo_link_clock		clk;
	u32				flit_rest;
	bool				timed;
	struct list_head		ready;
	struct rb_root_cached		waiting;
	u32				wakes;
	struct list_head		line;
	bool				running;
	bool				stopped;
	struct hrtimer			timer;
	struct list_head		pending;
};

void suo_port_init(struct suo_port *port, struct suo_dev *dev,
		   enum suo_port_index index, const struct suo_port_ops *ops);
void suo_port_stop(struct suo_port *port);
void suo_port_hasten(struct suo_port *port, spinlock_t *clk_lock, u64 now_ps,
		     u64 latest_ps);
void suo_port_set_law(struct suo_port *port, const struct suo_link_law *law,
		      bool timed);
void suo_port_kick(struct suo_port *port, struct suo_qp *qp);
void suo_port_wake(struct suo_port *port);
void suo_ports_hold(void);
void suo_ports_release(void);
void suo_port_purge(struct suo_port *port, struct suo_qp *qp);
int suo_ports_module_init(void);

#endif /* SUO_PORT_H */
