// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion control of connections.
 *
 * A flow holds its next packet back, not itself: what it may not send yet is not
 * even made, and acknowledgments, which carry no data, are not held back. That is
 * decided when its turn at the NIC's port comes (suo_flow_next()); the port keeps it
 * aside until then. How far apart packets are follows from when the line takes them
 * (suo_flow_left()).
 */
#include <linux/slab.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

#include "cc.h"
#include "clock.h"
#include "qp.h"
#include "resp.h"
#include "trace.h"

void suo_cc_default_params(struct suo_cc_params *p)
{
	*p = (struct suo_cc_params){
		.ops		= &suo_cc_none,
		.base_rtt_ps	= SUO_NSCC_REF_RTT_PS,
		.cnp_dscp	= 48,
		.cnp_prio	= 6,
	};
	suo_cc_default(&p->law);
}

/**
 * suo_cc_profile() - make a profile
 * @p: parameters, of an algorithm that does something
 * @rate_mbps: of the NIC
 *
 * Called with suo_devs_lock held. Return: the profile, or NULL if there is no memory.
 */
struct suo_cc_profile *suo_cc_profile(const struct suo_cc_params *p, u64 rate_mbps)
{
	struct suo_cc_profile *profile = kzalloc(sizeof(*profile), GFP_KERNEL);
	static u64 id;

	if (!profile)
		return NULL;
	profile->id = ++id;
	profile->line_kbps = rate_mbps * 1000;
	profile->p = *p;
	return profile;
}

static bool is_connected(const struct suo_qp *qp)
{
	return qp->av && !suo_qp_is_ud(qp) && !suo_qp_is_su(qp) &&
	       (qp->state == IB_QPS_RTR || qp->state == IB_QPS_RTS ||
		qp->state == IB_QPS_SQD);
}

/* The queue pair's flow by the profile that there is now, at this time or the latest
 * that was seen: the time of a packet is computed, that of a notification read.
 * Return: NULL if there is no profile, or no memory.
 */
static struct suo_flow *flow_get(struct suo_qp *qp,
				 const struct suo_cc_profile *profile, u64 now_ps)
{
	struct suo_flow *flow = qp->flow;

	lockdep_assert_held(&qp->lock);
	if (!profile)
		return NULL;
	if (!flow) {
		flow = kzalloc(sizeof(*flow), GFP_ATOMIC);
		if (!flow)
			return NULL;
		qp->flow = flow;
	}
	flow->now_ps = max(flow->now_ps, now_ps);
	if (flow->id != profile->id) {
		flow->id = profile->id;
		flow->probe_ps = 0;
		flow->rtt_ps = profile->p.base_rtt_ps;
		suo_cc_init(&flow->cc, profile->p.ops, &profile->p.law,
			    profile->line_kbps, profile->p.base_rtt_ps,
			    flow->now_ps);
		trace_suo_cc(qp, SUO_CC_NEW, 0);
	}
	/* The one before it may be gone. */
	flow->cc.law = &profile->p.law;
	return flow;
}

/**
 * suo_flow_reset() - a queue pair gets a peer
 * @qp: the queue pair, locked
 */
void suo_flow_reset(struct suo_qp *qp)
{
	qp->slot[SUO_PORT_NIC].next_ps = 0;
	if (qp->flow)
		memset(qp->flow, 0, sizeof(*qp->flow));
}

/* Give a finished datagram these bits of the DS field. The ICRC does not cover it,
 * and the IP checksum is not computed yet.
 */
static void set_dsfield(struct sk_buff *skb, u8 mask, u8 value)
{
	if (skb->protocol == htons(ETH_P_IP))
		ip_hdr(skb)->tos = (ip_hdr(skb)->tos & mask) | value;
	else
		ipv6_change_dsfield(ipv6_hdr(skb), mask, value);
}

static u32 cnp_class(const struct suo_qp *qp, const struct suo_cc_params *p)
{
	if (!qp->av->tagged)
		return p->cnp_dscp >> 3;
	return p->cnp_prio_mode ? qp->av->class : p->cnp_prio;
}

static struct suo_pkt *cnp_make(struct suo_qp *qp, const struct suo_cc_params *p)
{
	struct suo_icrc_row rows[SUO_ICRC_ROWS] = {};
	struct suo_pkt *pkt = suo_pkt_alloc(qp);
	int err;

	if (!pkt)
		return NULL;
	pkt->hdr.opcode = SUO_OP_CNP;
	pkt->hdr.becn = true;
	pkt->hdr.pkey = SUO_DEFAULT_PKEY;
	pkt->hdr.qpn = qp->attr.dest_qp_num;
	err = suo_net_add(qp->dev, pkt, qp->av, false);
	if (err) {
		suo_send_err(qp->dev, qp->ibqp.qp_num, err);
		suo_pkt_free(pkt);
		return NULL;
	}
	suo_net_end(pkt, qp->av, qp->sport, rows);
	set_dsfield(pkt->skb, 0, p->cnp_dscp << 2);
	if (!p->cnp_prio_mode)
		pkt->skb->priority = p->cnp_prio;
	suo_stat_inc(qp->dev, np_cnp_sent);
	return pkt;
}

/* What a flow that is held back sends nevertheless: what it owes, but for data. */
static struct suo_pkt *answer_only(struct suo_qp *qp)
{
	struct suo_resp *resp = &qp->resp;

	if (!suo_resp_answers(resp) ||
	    suo_resp_answer_at(resp, resp->head)->kind == SUO_ANSWER_READ)
		return NULL;
	return suo_resp_next(qp);
}

/* A packet of a controlled flow has been made. */
static void sent(struct suo_qp *qp, struct suo_flow *flow, struct suo_pkt *pkt)
{
	bool data = suo_op_flags(pkt->hdr.opcode) & SUO_F_PAYLOAD;

	/* What is lost without being missed, and told to nobody, is not capable. */
	set_dsfield(pkt->skb, (u8)~INET_ECN_MASK,
		    data ? INET_ECN_ECT_0 : INET_ECN_NOT_ECT);
	if (!data)
		return;
	if (flow->cc.ops->sent)
		flow->cc.ops->sent(&flow->cc, pkt->wire_bytes, flow->now_ps);
	qp->slot[SUO_PORT_NIC].rate_kbps = flow->cc.rate_kbps;
	if (flow->cc.ops->ack && !flow->probe_ps && pkt->hdr.ackreq) {
		flow->probe_psn = suo_psn_add(pkt->hdr.psn, 1);
		flow->probe_ps = flow->now_ps;
	}
	trace_suo_cc(qp, SUO_CC_SENT, pkt->wire_bytes);
}

/* Until when is its next packet held back? 0: it is not. */
static u64 paused_until(struct suo_qp *qp, u64 at_ps)
{
	int class = -1;

	if (suo_qp_is_ud(qp))
		class = suo_ud_next_class(qp);
	else if (qp->av)
		class = qp->av->class;
	return class < 0 ? 0 : suo_pause_until(qp->dev, class, at_ps);
}

static struct suo_pkt *flow_next(struct suo_qp *qp,
				 const struct suo_cc_profile *profile)
{
	struct suo_port_slot *slot = &qp->slot[SUO_PORT_NIC];
	u64 at_ps = slot->at_ps, until_ps, cnp_ps = 0;
	struct suo_flow *flow = NULL;
	struct suo_pkt *pkt;

	if (is_connected(qp))
		flow = flow_get(qp, profile, at_ps);
	if (flow && flow->owes_cnp) {
		cnp_ps = suo_pause_until(qp->dev, cnp_class(qp, &profile->p), at_ps);
		if (!cnp_ps) {
			flow->owes_cnp = false;
			pkt = cnp_make(qp, &profile->p);
			if (pkt)
				return pkt;
		}
	}
	until_ps = paused_until(qp, at_ps);
	if (until_ps) {
		pkt = NULL;
	} else if (flow && slot->next_ps > at_ps) {
		until_ps = slot->next_ps;
		pkt = answer_only(qp);
	} else {
		pkt = suo_qp_make_pkt(qp);
	}
	if (pkt) {
		if (flow)
			sent(qp, flow, pkt);
		return pkt;
	}
	if (until_ps && !suo_qp_has_more(qp))
		until_ps = 0;
	slot->hold_ps = min_not_zero(until_ps, cnp_ps);
	return NULL;
}

/**
 * suo_flow_next() - make the next packet of a queue pair on a NIC that may be paced
 * @qp: the queue pair, locked; its turn at the NIC's port has come
 *
 * Return: the packet; or NULL, and slot->hold_ps says whether, and until when, it
 * could not be sent.
 */
struct suo_pkt *suo_flow_next(struct suo_qp *qp)
{
	struct suo_port_slot *slot = &qp->slot[SUO_PORT_NIC];
	struct suo_pkt *pkt;

	slot->rate_kbps = 0;
	slot->hold_ps = 0;
	rcu_read_lock();
	pkt = flow_next(qp, rcu_dereference(qp->dev->cc));
	rcu_read_unlock();
	return pkt;
}

/**
 * suo_flow_left() - the line has been taken for a packet
 * @pkt: the packet
 * @start_ps: when it begins
 *
 * The flow's next one begins when this one has ended at the flow's rate. Called by
 * the NIC's port.
 */
void suo_flow_left(struct suo_pkt *pkt, u64 start_ps)
{
	struct suo_port_slot *slot = &pkt->qp->slot[SUO_PORT_NIC];

	if (slot->rate_kbps)
		slot->next_ps = suo_add_sat(start_ps,
					    suo_mul_div(pkt->wire_bytes, 8000000000ull,
							slot->rate_kbps));
}

/**
 * suo_flow_marked() - a packet has come that met congestion
 * @qp: for this queue pair, locked
 * @hdr: its headers
 * @from: how it came
 *
 * A notification leaves when the port is kicked, which whoever receives does.
 */
void suo_flow_marked(struct suo_qp *qp, const struct suo_hdr *hdr,
		     const struct suo_from *from)
{
	const struct suo_cc_profile *profile;
	u64 now_ps = suo_now_ps();
	struct suo_flow *flow;

	if (!is_connected(qp) || (suo_op_flags(hdr->opcode) & SUO_F_CNP) ||
	    !suo_net_from_peer(qp->av, from))
		return;
	rcu_read_lock();
	profile = rcu_dereference(qp->dev->cc);
	flow = flow_get(qp, profile, now_ps);
	if (flow && suo_dcqcn_np_marked(&profile->p.law.dcqcn, &flow->np, now_ps))
		flow->owes_cnp = true;
	rcu_read_unlock();
}

/**
 * suo_flow_cnp() - the peer says that this queue pair's packets meet congestion
 * @qp: the queue pair, locked
 */
void suo_flow_cnp(struct suo_qp *qp)
{
	struct suo_flow *flow = NULL;

	rcu_read_lock();
	if (is_connected(qp))
		flow = flow_get(qp, rcu_dereference(qp->dev->cc), suo_now_ps());
	if (flow) {
		if (flow->cc.ops->cnp)
			flow->cc.ops->cnp(&flow->cc, flow->now_ps);
		flow->marked = true;
		suo_stat_inc(qp->dev, rp_cnp_handled);
		trace_suo_cc(qp, SUO_CC_CNP, 0);
	} else {
		suo_stat_inc(qp->dev, rp_cnp_ignored);
	}
	rcu_read_unlock();
}

/**
 * suo_flow_acked() - the oldest packet that is not acknowledged is another one now
 * @qp: the queue pair, locked; it has a flow
 * @una: that packet; qp->req.una is the last one
 *
 * No acknowledgment of RoCE says whether a packet was marked: that a notification
 * has come since the last one stands for it.
 */
void suo_flow_acked(struct suo_qp *qp, u32 una)
{
	u64 bytes = (u64)suo_psn_diff(una, qp->req.una) * qp->mtu;
	struct suo_flow *flow;

	rcu_read_lock();
	flow = flow_get(qp, rcu_dereference(qp->dev->cc), suo_now_ps());
	if (flow && flow->cc.ops->ack) {
		if (flow->probe_ps && suo_psn_diff(una, flow->probe_psn) >= 0) {
			flow->rtt_ps = flow->now_ps - flow->probe_ps;
			flow->probe_ps = 0;
		}
		flow->cc.ops->ack(&flow->cc, bytes, flow->rtt_ps, flow->marked,
				  flow->now_ps);
		flow->marked = false;
		trace_suo_cc(qp, SUO_CC_ACK, bytes);
	}
	rcu_read_unlock();
}

/**
 * suo_flow_lost() - a packet is sent again
 * @qp: the queue pair, locked; it has a flow
 */
void suo_flow_lost(struct suo_qp *qp)
{
	struct suo_flow *flow;

	rcu_read_lock();
	flow = flow_get(qp, rcu_dereference(qp->dev->cc), suo_now_ps());
	if (flow) {
		/* Which of the two is acknowledged, nobody can tell. */
		flow->probe_ps = 0;
		if (flow->cc.ops->lost)
			flow->cc.ops->lost(&flow->cc, qp->mtu, flow->now_ps);
		trace_suo_cc(qp, SUO_CC_LOST, qp->mtu);
	}
	rcu_read_unlock();
}

/**
 * suo_flow_window() - how many packets may a requester have on the way?
 * @qp: the queue pair, locked
 *
 * Return: 1 to SUO_WINDOW.
 */
u32 suo_flow_window(const struct suo_qp *qp)
{
	u64 bytes = qp->flow && rcu_access_pointer(qp->dev->cc) && qp->flow->id ?
		qp->flow->cc.window_bytes : U64_MAX;

	return clamp_t(u64, suo_div(bytes, qp->mtu), 1, SUO_WINDOW);
}
