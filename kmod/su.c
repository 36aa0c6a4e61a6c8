// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scale-up path. A packet is a segment that is never put together: its
 * headers travel as struct suo_hdr, and its payload is copied once, from the
 * sender's memory to the receiver's, at the modelled time of arrival.
 */
#include "resp.h"
#include "shm.h"
#include "show.h"
#include "slice.h"
#include "su.h"
#include "telemetry.h"
#include "window.h"

/* Does anything of this law depend on how a message is cut? */
static bool cut_matters(const struct suo_link_law *law)
{
	return READ_ONCE(law->rate_mbps) || READ_ONCE(law->credit_bytes) ||
	       READ_ONCE(law->errors_per_pbit);
}

/**
 * suo_su_run() - how many segments of a message are to go as one
 * @qp: the queue pair that sends them, locked
 * @max: how many there are
 *
 * Where a link has a rate, or waits for credits, segments are what flows share it
 * by, and each has its own time; and bit errors hit them one by one. Else all
 * segments of a message are ready, leave and arrive at the same time whatever
 * else there is, so that one copy can do for many: up to SUO_RUN, since the
 * receiver is locked meanwhile.
 *
 * Return: 1 to @max.
 */
u32 suo_su_run(const struct suo_qp *qp, u32 max)
{
	/* A ring takes them one by one. */
	if (qp->peer->far || cut_matters(&qp->peer->domain->law))
		return 1;
	/* Who looks at packets is to see each. */
	if (trace_suo_tx_enabled() || trace_suo_rx_enabled())
		return 1;
	return min_t(u32, max, SUO_RUN);
}

/* Nothing to build: the payload stays where it is. */
int suo_su_finish(struct suo_qp *qp, struct suo_pkt *pkt)
{
	int err;

	if (READ_ONCE(qp->peer->left))
		return -ENOLINK;
	if (qp->peer->far) {
		err = suo_shm_finish(qp, pkt);
		if (err)
			return err;
	}
	pkt->peer = qp->peer;
	/* A window's segment is work for as many members: a visit's worth. */
	pkt->slices = suo_pkt_is_window(pkt) ? SUO_MAX_SLICES :
					       suo_payload_pkts(&pkt->pay);
	suo_trace_su_tx(qp, &pkt->hdr, &pkt->pay);
	/* The answer of a window leaves from its members. */
	if (pkt->pay.kind != SUO_PAYLOAD_WINDOW) {
		suo_stat_add(qp->dev, su_tx_segments,
			     suo_payload_pkts(&pkt->pay));
		suo_stat_add(qp->dev, su_tx_bytes, pkt->pay.len);
	}
	return 0;
}

static u64 su_reserve(struct suo_port *port, struct suo_pkt *pkt, u64 ready_ps)
{
	if (pkt->shm)
		return suo_domain_reserve_tx(pkt->peer, port, ready_ps, pkt);
	if (unlikely(suo_pkt_is_window(pkt)))
		return suo_window_reserve(port, pkt, ready_ps);
	return suo_domain_reserve(pkt->peer, port, ready_ps, pkt);
}

/* Does it come from the port that the receiver's peer has, and is that still in the
 * domain? Another domain, or VM, may have a queue pair of the same number.
 */
static bool is_from_peer(const struct suo_qp *qp, const struct suo_port *port)
{
	const struct suo_member *peer = READ_ONCE(qp->peer);

	return suo_qp_is_su(qp) && peer && !peer->far &&
	       READ_ONCE(peer->dev) == port->dev;
}

static void su_deliver(struct suo_port *port, struct suo_pkt *pkt)
{
	bool to_members, more;
	struct suo_qp *to;

	if (pkt->shm) {
		suo_shm_deliver(port, pkt);
		return;
	}
	to = suo_qp_lookup(pkt->hdr.qpn);
	if (!to) {
		suo_drop(NULL, SUO_DROP_NO_QP, &pkt->hdr, pkt->pay.len);
		goto out;
	}
	/* What is for a window arrives at its members, and is counted there. */
	to_members = suo_pkt_is_window(pkt) &&
		     pkt->pay.kind != SUO_PAYLOAD_WINDOW;
	if (!to_members)
		suo_telemetry_rx(to->dev, &pkt->link);
	if (pkt->link.lost) {
		suo_drop(to->dev, SUO_DROP_BIT_ERROR, &pkt->hdr, pkt->pay.len);
		goto put;
	}
	/* Only from its own peer, and only over a domain: as on the wire. */
	if (is_from_peer(to, port) && READ_ONCE(to->attr.dest_qp_num) ==
				pkt->src_qpn) {
		if (!to_members) {
			suo_stat_add(to->dev, su_rx_segments,
				     suo_payload_pkts(&pkt->pay));
			suo_stat_add(to->dev, su_rx_bytes, pkt->pay.len);
		}
		suo_qp_lock(to);
		suo_trace_su_rx(to, &pkt->hdr, &pkt->pay);
		suo_qp_rx(to, &pkt->hdr, &pkt->pay, NULL);
		more = suo_qp_has_more(to);
		suo_qp_unlock(to);
		if (more)
			suo_port_kick(to->port, to);
	} else {
		suo_qp_drop(to, SUO_DROP_PEER, &pkt->hdr, &pkt->pay);
	}
put:
	suo_qp_put(to);
out:
	suo_pkt_free(pkt);
}

const struct suo_port_ops suo_su_port_ops = {
	.reserve	= su_reserve,
	.deliver	= su_deliver,
	.drop		= suo_pkt_free,
};
