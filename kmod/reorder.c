// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that have overtaken others. A reliable connection goes back to the first
 * packet that is missing, so where a network sends each packet its own way, nearly all
 * is sent twice. A device that is told to (nics/DEV/reorder_pkts) keeps what came too
 * early until what belongs before it has come, or has not come for so long that it is
 * lost: then it is as if nothing had been kept.
 *
 * Requests are in the order of the responder's sequence numbers. Of responses only
 * those wait that would tell the requester that a read's data are missing: an
 * acknowledgment says that all before it has come.
 */
#include <linux/slab.h>
#include <net/dst.h>
#include <net/netfilter/nf_conntrack.h>

#include "clock.h"
#include "qp.h"
#include "reorder.h"

/* No sequence number: the timer has not looked since a side began to wait. */
#define NOT_YET		(~0u)

DEFINE_STATIC_KEY_FALSE(suo_reorders);

/**
 * struct suo_held - a packet that waits
 * @node: in the list of its side
 * @hdr: its headers
 * @pay: its payload, in @skb
 * @skb: referenced
 */
struct suo_held {
	struct list_head	node;
	struct suo_hdr		hdr;
	struct suo_payload	pay;
	struct sk_buff		*skb;
};

/* Which packet does a side wait for? False: it takes any. */
static bool reorder_awaits(const struct suo_qp *qp, enum suo_reorder_side side, u32 *psn)
{
	if (side == SUO_REORDER_RESPONSES)
		return suo_req_awaits(qp, psn);
	*psn = qp->resp.psn;
	return true;
}

static bool reorder_receives(const struct suo_qp *qp, enum suo_reorder_side side)
{
	return qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD ||
	       (qp->state == IB_QPS_RTR && side == SUO_REORDER_REQUESTS);
}

static void reorder_take(struct suo_qp *qp, enum suo_reorder_side side,
			 const struct suo_held *held)
{
	if (side == SUO_REORDER_REQUESTS)
		suo_resp_rx(qp, &held->hdr, &held->pay);
	else
		suo_req_rx(qp, &held->hdr, &held->pay);
}

static void reorder_del(struct suo_qp *qp, enum suo_reorder_side side,
			struct suo_held *held)
{
	list_del(&held->node);
	qp->reorder.kept[side]--;
}

static void reorder_free(struct suo_held *held)
{
	consume_skb(held->skb);
	kfree(held);
}

static void reorder_start(struct suo_qp *qp)
{
	u64 ps = suo_now_ps() + READ_ONCE(qp->dev->reorder_ps);

	hrtimer_start(&qp->reorder.timer, suo_ps_to_ktime(ps), HRTIMER_MODE_ABS_SOFT);
}

/* Where a packet belongs: behind the one that is returned; or NULL, if it is there. */
static struct list_head *reorder_place(struct suo_qp *qp, enum suo_reorder_side side,
				       u32 psn)
{
	struct list_head *head = &qp->reorder.held[side];
	struct suo_held *held;

	list_for_each_entry_reverse(held, head, node) {
		s32 d = suo_psn_diff(psn, held->hdr.psn);

		if (!d)
			return NULL;
		if (d > 0)
			return &held->node;
	}
	return head;
}

/**
 * suo_reorder_hold() - keep a packet that has overtaken others
 * @qp: the queue pair, locked
 * @side: whose packet it is
 * @hdr: headers
 * @pay: payload
 * @from: how it came, by the netdev
 *
 * Return: it waits, or another one like it does. Otherwise it is to be taken: it has
 * its turn, or cannot wait.
 */
bool suo_reorder_hold(struct suo_qp *qp, enum suo_reorder_side side,
		      const struct suo_hdr *hdr, const struct suo_payload *pay,
		      const struct suo_from *from)
{
	u32 most = READ_ONCE(qp->dev->reorder_pkts), want;
	struct suo_reorder *ro = &qp->reorder;
	struct list_head *place;
	struct suo_held *held;

	if (!most || !reorder_receives(qp, side) || !reorder_awaits(qp, side, &want))
		return false;
	if (suo_psn_diff(hdr->psn, want) <= 0 || ro->kept[side] >= most)
		return false;
	/* What is to nothing that was asked is found out without delay; and what a
	 * sender has lent has to go back to it.
	 */
	if (skb_zcopy(from->skb) ||
	    (side == SUO_REORDER_RESPONSES && suo_psn_diff(hdr->psn, qp->req.max_psn) >= 0))
		return false;
	place = reorder_place(qp, side, hdr->psn);
	if (!place) {
		suo_qp_drop(qp, side == SUO_REORDER_REQUESTS ?
			    SUO_DROP_DUPLICATE : SUO_DROP_STALE, hdr, pay);
		return true;
	}
	held = kmalloc(sizeof(*held), GFP_ATOMIC | __GFP_NOWARN);
	if (!held)
		return false;
	held->hdr = *hdr;
	held->pay = *pay;
	held->skb = skb_get(from->skb);
	/* What belongs to others does not wait along with it. */
	skb_orphan(held->skb);
	skb_dst_drop(held->skb);
	nf_reset_ct(held->skb);
	if (list_empty(&ro->held[side]))
		ro->looked[side] = hrtimer_is_queued(&ro->timer) ? NOT_YET : want;
	list_add(&held->node, place);
	ro->kept[side]++;
	suo_qp_stat_inc(qp, rx_reordered_pkts);
	if (!hrtimer_is_queued(&ro->timer))
		reorder_start(qp);
	return true;
}

/* The first that waits, if it waits no longer. */
static struct suo_held *reorder_pop(struct suo_qp *qp, enum suo_reorder_side side)
{
	struct suo_held *held;
	u32 want;

	held = list_first_entry_or_null(&qp->reorder.held[side], struct suo_held, node);
	if (!held || (reorder_awaits(qp, side, &want) &&
		      suo_psn_diff(held->hdr.psn, want) > 0))
		return NULL;
	reorder_del(qp, side, held);
	return held;
}

/**
 * suo_reorder_next() - take what has waited for the packet that has just been taken
 * @qp: the queue pair, locked
 */
void suo_reorder_next(struct suo_qp *qp)
{
	enum suo_reorder_side side;
	struct suo_held *held;

	for (side = 0; side < SUO_REORDER_SIDES; side++) {
		while ((held = reorder_pop(qp, side))) {
			reorder_take(qp, side, held);
			reorder_free(held);
		}
	}
}

static void reorder_purge(struct suo_qp *qp, enum suo_reorder_side side)
{
	struct suo_held *held, *next;

	list_for_each_entry_safe(held, next, &qp->reorder.held[side], node) {
		reorder_del(qp, side, held);
		reorder_free(held);
	}
}

/**
 * suo_reorder_purge() - forget what waits
 * @qp: the queue pair, locked, which does not receive any more
 */
void suo_reorder_purge(struct suo_qp *qp)
{
	reorder_purge(qp, SUO_REORDER_REQUESTS);
	reorder_purge(qp, SUO_REORDER_RESPONSES);
}

/* What a side waited for is lost. The first packet behind it tells the peer, as it would
 * have without having waited; the peer sends all the others again as well.
 */
static void reorder_give_up(struct suo_qp *qp, enum suo_reorder_side side)
{
	struct suo_held *held;

	held = list_first_entry(&qp->reorder.held[side], struct suo_held, node);
	reorder_del(qp, side, held);
	reorder_take(qp, side, held);
	reorder_free(held);
	reorder_purge(qp, side);
}

/* A gap that is there twice in a row stays. */
static enum hrtimer_restart reorder_timer(struct hrtimer *timer)
{
	struct suo_qp *qp = container_of(timer, struct suo_qp, reorder.timer);
	struct suo_reorder *ro = &qp->reorder;
	enum suo_reorder_side side;
	bool waits = false;
	u32 want;

	suo_qp_lock(qp);
	for (side = 0; side < SUO_REORDER_SIDES; side++) {
		if (list_empty(&ro->held[side]))
			continue;
		if (!reorder_awaits(qp, side, &want) || want == ro->looked[side]) {
			reorder_give_up(qp, side);
			continue;
		}
		ro->looked[side] = want;
		waits = true;
	}
	if (waits)
		reorder_start(qp);
	suo_qp_unlock(qp);
	suo_port_kick(qp->port, qp);
	return HRTIMER_NORESTART;
}

void suo_reorder_init(struct suo_qp *qp)
{
	enum suo_reorder_side side;

	for (side = 0; side < SUO_REORDER_SIDES; side++)
		INIT_LIST_HEAD(&qp->reorder.held[side]);
	hrtimer_setup(&qp->reorder.timer, reorder_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * suo_reorder_use() - one more NIC puts packets in order, or one less
 * @use: more
 */
void suo_reorder_use(bool use)
{
	if (use)
		static_branch_inc(&suo_reorders);
	else
		static_branch_dec(&suo_reorders);
}
