// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scale-up path. A packet is a segment that is never put together: its
 * headers travel as struct suo_hdr, and its payload is copied once, from the
 * sender's memory to the receiver's, at the modelled time of arrival.
 */
#include "qp.h"
#include "show.h"
#include "su.h"

/* Nothing to build: the payload stays where it is. */
int suo_su_finish(struct suo_qp *qp, struct suo_pkt *pkt)
{
	if (READ_ONCE(qp->peer->left))
		return -ENOLINK;
	pkt->peer = qp->peer;
	pkt->slices = 1;
	suo_trace_su_tx(qp, &pkt->hdr, &pkt->pay);
	suo_stat_inc(qp->dev, su_tx_segments);
	suo_stat_add(qp->dev, su_tx_bytes, pkt->pay.len);
	return 0;
}

static u64 su_reserve(struct suo_port *port, struct suo_pkt *pkt, u64 ready_ps)
{
	return suo_domain_reserve(pkt->peer, &port->clk, ready_ps, pkt);
}

static void su_deliver(struct suo_port *port, struct suo_pkt *pkt)
{
	struct suo_qp *to = suo_qp_lookup(pkt->hdr.qpn);

	if (!to) {
		suo_drop(NULL, SUO_DROP_NO_QP, &pkt->hdr, pkt->pay.len);
		goto out;
	}
	if (pkt->lost) {
		suo_drop(to->dev, SUO_DROP_BIT_ERROR, &pkt->hdr, pkt->pay.len);
		goto put;
	}
	/* Only from its own peer, and only over a domain: as on the wire. */
	if (suo_qp_is_su(to) && READ_ONCE(to->attr.dest_qp_num) ==
				pkt->src_qpn) {
		suo_stat_inc(to->dev, su_rx_segments);
		suo_stat_add(to->dev, su_rx_bytes, pkt->pay.len);
		suo_qp_lock(to);
		suo_trace_su_rx(to, &pkt->hdr, &pkt->pay);
		suo_qp_rx(to, &pkt->hdr, &pkt->pay, NULL);
		suo_qp_unlock(to);
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
