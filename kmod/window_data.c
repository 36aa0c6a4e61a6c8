// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is done by a window's key: a write lands at every member, a read brings what
 * the members' numbers come to. All of it runs under RCU, which a member's memory
 * outlasts: see suo_windows_part().
 */
#include <linux/kernel.h>

#include "../model/core/link_many.h"
#include "../model/core/reduce.h"
#include "domain.h"
#include "mr.h"
#include "qp.h"
#include "suo.h"
#include "telemetry.h"
#include "window.h"

/* Elements that are reduced at a time; accumulators are on the stack. */
#define BLOCK	32

static struct suo_window_slot *slot_of(const struct suo_window *w, u32 i)
{
	struct suo_window_slot *slot = rcu_dereference(w->slot[i]);

	return slot && !READ_ONCE(slot->member->left) ? slot : NULL;
}

/* Has every member its memory in it? */
static bool is_complete(const struct suo_window *w)
{
	u32 i;

	if (READ_ONCE(w->bound) != w->members)
		return false;
	for (i = 0; i < w->members; i++)
		if (!slot_of(w, i))
			return false;
	return true;
}

static bool has_pd(const struct suo_window *w, const struct suo_pd *pd)
{
	struct suo_window_slot *slot;
	u32 i;

	for (i = 0; i < w->members; i++) {
		slot = slot_of(w, i);
		if (slot && slot->pd == pd)
			return true;
	}
	return false;
}

/* Is the peer of a queue pair a member, with memory in the window of the protection
 * domain that its end of the connection has?
 */
static bool peer_is_bound(const struct suo_window *w, const struct suo_qp *qp)
{
	struct suo_qp *peer = suo_qp_lookup(qp->attr.dest_qp_num);
	bool bound;

	if (!peer)
		return false;
	bound = suo_qp_is_su(peer) &&
		READ_ONCE(peer->attr.dest_qp_num) == qp->ibqp.qp_num &&
		has_pd(w, to_spd(peer->ibqp.pd));
	suo_qp_put(peer);
	return bound;
}

/**
 * suo_window_check() - may a peer do this to a window?
 * @qp: the queue pair that is asked, locked
 * @key: the window's
 * @va: first byte
 * @len: bytes
 *
 * Return: 0; -EINVAL for what is not whole elements; -EACCES if there is no such
 * window in the domain, it is not complete, the peer has no part in it, or the range
 * is beyond its end.
 */
int suo_window_check(struct suo_qp *qp, u32 key, u64 va, u64 len)
{
	struct suo_window *w;
	int err = -EACCES;

	/* Windows end with this machine's part of a domain. */
	if (!suo_qp_is_su(qp) || qp->peer->far)
		return -EACCES;
	rcu_read_lock();
	w = suo_window_find(key);
	if (!w || w->domain != qp->peer->domain || !is_complete(w) ||
	    !peer_is_bound(w, qp))
		goto out;
	if (len > w->length || va > w->length - len)
		goto out;
	err = (va | len) & (w->size - 1) ? -EINVAL : 0;
out:
	rcu_read_unlock();
	return err;
}

/**
 * suo_window_write() - a segment of a write has arrived at all members
 * @key: the window's
 * @va: first byte
 * @pay: the data
 *
 * Return: 0; -EPERM if the window is not complete any more; or the error of
 * suo_mr_write().
 */
int suo_window_write(u32 key, u64 va, const struct suo_payload *pay)
{
	struct suo_window_slot *slot;
	struct suo_window *w;
	int err = -EPERM;
	u32 i;

	rcu_read_lock();
	w = suo_window_find(key);
	if (!w || !is_complete(w) || va > w->length ||
	    pay->len > w->length - va)
		goto out;
	for (i = 0; i < w->members; i++) {
		slot = slot_of(w, i);
		err = slot ? suo_mr_write(slot->mr, slot->va + va, pay, 0,
					  pay->len) : -EPERM;
		if (err)
			break;
		suo_stat_add(to_sdev(slot->mr->ibmr.device), su_rx_segments,
			     suo_payload_pkts(pay));
		suo_stat_add(to_sdev(slot->mr->ibmr.device), su_rx_bytes,
			     pay->len);
	}
out:
	rcu_read_unlock();
	return err;
}

/* The elements from @first on, as they stand in memory. */
static int reduce_block(const struct suo_window *w, u64 first, void *out, u32 n)
{
	struct suo_window_slot *slot;
	u8 in[BLOCK * 8];
	u64 acc[BLOCK];
	u32 i;

	for (i = 0; i < w->members; i++) {
		slot = slot_of(w, i);
		if (!slot)
			return -EACCES;
		suo_mr_read(slot->mr, slot->va + first * w->size, in,
			    n * w->size);
		if (!i)
			suo_reduce_first(w->type, acc, in, n);
		else
			suo_reduce_next(w->type, w->op, acc, in, n);
	}
	suo_reduce_last(w->type, out, acc, n);
	return 0;
}

/**
 * suo_window_read() - reduce over all members
 * @key: the window's
 * @va: first byte; like @len, where the reader's memory happens to be cut, not
 *	where elements begin
 * @buf: for the result
 * @len: bytes
 *
 * Return: 0, or -EACCES if the window is not complete any more.
 */
int suo_window_read(u32 key, u64 va, void *buf, u32 len)
{
	u8 out[BLOCK * 8], *to = buf;
	struct suo_window *w;
	int err = -EACCES;

	rcu_read_lock();
	w = suo_window_find(key);
	if (!w || !is_complete(w) || len > w->length || va > w->length - len)
		goto out;
	err = 0;
	while (len && !err) {
		u32 skip = va & (w->size - 1);
		u32 bytes = min_t(u64, w->length - (va - skip), BLOCK * w->size);
		u32 n = min(len, bytes - skip);

		err = reduce_block(w, (va - skip) / w->size, out,
				   DIV_ROUND_UP(skip + n, w->size));
		if (err)
			break;
		memcpy(to, out + skip, n);
		to += n;
		va += n;
		len -= n;
	}
out:
	rcu_read_unlock();
	return err;
}

static struct suo_port *port_of(const struct suo_window_slot *slot)
{
	return &to_sdev(slot->mr->ibmr.device)->su;
}

/* A write: from its sender to all members at once. */
static void reserve_write(const struct suo_window *w, struct suo_domain *d,
			  struct suo_port *port, struct suo_pkt *pkt,
			  u64 ready_ps, struct suo_link_result *res)
{
	struct suo_window_slot *slot;
	u64 busiest_ps = 0;
	u32 i;

	for (i = 0; i < w->members; i++) {
		slot = slot_of(w, i);
		if (slot)
			busiest_ps = max(busiest_ps, slot->member->clk.rx_free_ps);
	}
	suo_link_to_many(&d->law, &port->clk, busiest_ps, ready_ps,
			 pkt->pay.len, res);
	for (i = 0; i < w->members; i++) {
		slot = slot_of(w, i);
		if (!slot)
			continue;
		suo_link_take_rx(&d->law, &slot->member->clk, res);
		suo_telemetry_rx(to_sdev(slot->mr->ibmr.device), res);
	}
	suo_telemetry_tx(port, &d->law, res);
}

/* A read: from all members at once, through the reduction, to the reader. Their ports
 * are others', but their locks do not matter here: whoever takes a link of the domain
 * holds the domain's.
 */
static void reserve_read(const struct suo_window *w, struct suo_domain *d,
			 struct suo_pkt *pkt, u64 ready_ps,
			 struct suo_link_result *res)
{
	struct suo_link_clock *reader = &pkt->peer->clk;
	struct suo_window_slot *slot;
	struct suo_link_result part;
	struct suo_port *port;
	u64 start_ps;
	u32 i;

	start_ps = suo_link_many_begin(&d->law, reader, ready_ps, res);
	for (i = 0; i < w->members; i++) {
		slot = slot_of(w, i);
		if (!slot)
			continue;
		port = port_of(slot);
		suo_link_many_add(&d->law, &port->clk, start_ps, pkt->pay.len,
				  &part, res);
		suo_telemetry_tx(port, &d->law, &part);
		suo_stat_inc(port->dev, su_tx_segments);
		suo_stat_add(port->dev, su_tx_bytes, pkt->pay.len);
	}
	suo_link_many_end(&d->law, reader, res);
	for (i = 0; i < w->members; i++) {
		slot = slot_of(w, i);
		if (slot)
			suo_link_hold_tx(&d->law, &port_of(slot)->clk, res);
	}
}

/**
 * suo_window_reserve() - take the links for a segment by a window's key
 * @port: the port that sends it, locked
 * @pkt: the segment
 * @ready_ps: earliest start
 *
 * See windows.rst, and link_many.h.
 *
 * Return: modelled time of arrival, of the last copy.
 */
u64 suo_window_reserve(struct suo_port *port, struct suo_pkt *pkt, u64 ready_ps)
{
	bool read = pkt->pay.kind == SUO_PAYLOAD_WINDOW;
	struct suo_domain *d = pkt->peer->domain;
	struct suo_window *w;
	unsigned long flags;

	rcu_read_lock();
	w = suo_window_find(read ? pkt->pay.rkey : pkt->hdr.rkey);
	if (!w || w->domain != d || (!read && !has_pd(w, pkt->pay.pd))) {
		/* It will be refused, where it arrives. */
		rcu_read_unlock();
		return suo_domain_reserve(pkt->peer, port, ready_ps, pkt);
	}
	spin_lock_irqsave(&d->lock, flags);
	if (read)
		reserve_read(w, d, pkt, ready_ps, &pkt->link);
	else
		reserve_write(w, d, port, pkt, ready_ps, &pkt->link);
	spin_unlock_irqrestore(&d->lock, flags);
	rcu_read_unlock();
	return pkt->link.arrival_ps;
}
