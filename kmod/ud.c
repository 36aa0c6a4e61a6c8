// SPDX-License-Identifier: GPL-2.0-only
/* Datagrams: UD queue pairs and queue pair 1. They always take the wire. */
#include <linux/ip.h>
#include <rdma/ib_mad.h>

#include "copy.h"
#include "mcast.h"
#include "qp.h"

#define GRH_LEN		40
#define GSI_QKEY	0x80010000

static struct suo_pkt *ud_build(struct suo_qp *qp, struct suo_swqe *wqe)
{
	struct suo_pkt *pkt;
	struct suo_icrc_row rows[SUO_ICRC_ROWS] = {};
	struct suo_av *av;
	int err;

	if (wqe->w.opcode != IB_UVERBS_WR_SEND &&
	    wqe->w.opcode != IB_UVERBS_WR_SEND_WITH_IMM) {
		wqe->status = IB_WC_LOC_QP_OP_ERR;
		return NULL;
	}
	if (wqe->length > qp->mtu) {
		wqe->status = IB_WC_LOC_LEN_ERR;
		return NULL;
	}
	av = suo_av_lookup(qp->ibqp.pd, wqe->w.ah_id);
	if (!av) {
		wqe->status = IB_WC_LOC_QP_OP_ERR;
		return NULL;
	}
	pkt = suo_pkt_alloc(qp);
	if (!pkt)
		goto out;
	pkt->hdr.opcode = SUO_TR_UD |
		(wqe->w.opcode == IB_UVERBS_WR_SEND ? SUO_OP_SEND_ONLY :
						      SUO_OP_SEND_ONLY_IMM);
	pkt->hdr.se = wqe->w.flags & SUO_SEND_SOLICITED;
	pkt->hdr.pkey = SUO_DEFAULT_PKEY;
	pkt->hdr.qpn = wqe->w.remote_qpn & SUO_QPN_MASK;
	pkt->hdr.psn = qp->req.psn;
	pkt->hdr.imm = (__force __be32)wqe->w.imm_data;
	/* IBA 10.2.5: a Q_Key with the high bit stands for the sender's own. */
	pkt->hdr.qkey = wqe->w.remote_qkey & 0x80000000 ? qp->attr.qkey :
							  wqe->w.remote_qkey;
	pkt->hdr.src_qpn = qp->ibqp.qp_type == IB_QPT_GSI ? 1 : qp->ibqp.qp_num;
	suo_pkt_set_request(pkt, qp, wqe, 0, wqe->length);
	qp->req.psn = suo_psn_add(qp->req.psn, 1);
	err = suo_net_add(qp->dev, pkt, av, false);
	if (!err) {
		suo_net_end(pkt, av, rdma_get_udp_sport(av->flow_label,
							pkt->hdr.src_qpn,
							pkt->hdr.qpn),
			    rows);
		if (pkt->hdr.qpn == SUO_MCAST_QPN)
			atomic64_inc(&qp->dev->stats.multicast_sent);
		goto out;
	}
	/* No route or no memory is loss, which datagrams are allowed. */
	if (err == -EACCES || err == -EFAULT)
		wqe->status = IB_WC_LOC_PROT_ERR;
	else
		suo_send_err(qp->dev, qp->ibqp.qp_num, err);
	suo_pkt_free(pkt);
	pkt = NULL;
out:
	suo_av_put(av);
	return pkt;
}

/**
 * suo_ud_next_class() - by which priority is the next datagram paused?
 * @qp: the queue pair, locked
 *
 * Return: 0 to 7, or -1 if there is none, or none that can be sent.
 */
int suo_ud_next_class(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;
	struct suo_av *av;
	int class = -1;

	if (qp->state != IB_QPS_RTS)
		return -1;
	if (sq->cons == sq->prod)
		suo_sq_fetch(qp);
	if (sq->cons == sq->prod)
		return -1;
	av = suo_av_lookup(qp->ibqp.pd, suo_sq_copy(sq, sq->cons)->w.ah_id);
	if (av)
		class = av->class;
	suo_av_put(av);
	return class;
}

/**
 * suo_ud_next() - make the next datagram
 * @qp: the queue pair, locked
 *
 * A send request completes when its datagram is made; one that is wrong
 * completes with its error, and the queue goes on.
 *
 * Return: the packet, or NULL if there is nothing to send.
 */
struct suo_pkt *suo_ud_next(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;

	if (qp->state != IB_QPS_RTS)
		return NULL;
	if (sq->cons == sq->prod)
		suo_sq_fetch(qp);
	while (sq->cons != sq->prod) {
		struct suo_swqe *wqe = suo_sq_copy(sq, sq->cons);
		struct suo_pkt *pkt = NULL;

		if (wqe->status == IB_WC_SUCCESS)
			pkt = ud_build(qp, wqe);
		suo_sq_complete(qp, wqe);
		sq->next = sq->cons;
		if (pkt)
			return pkt;
	}
	return NULL;
}

/* What a receiver finds in front of the data: the GRH, or for IPv4 the IP
 * header in its last 20 bytes (annex A17.4.5.2).
 */
static void make_grh(u8 *grh, const u8 *iph)
{
	memset(grh, 0, GRH_LEN);
	if (iph[0] >> 4 == 4)
		memcpy(grh + GRH_LEN - sizeof(struct iphdr), iph,
		       sizeof(struct iphdr));
	else
		memcpy(grh, iph, GRH_LEN);
}

/* Why a datagram cannot be taken; SUO_DROP_MAX if it can. */
static enum suo_drop ud_drop(const struct suo_qp *qp, const struct suo_hdr *hdr,
			     const struct suo_payload *pay, u32 qkey)
{
	if ((qp->state != IB_QPS_RTR && qp->state != IB_QPS_RTS) || !qp->rqp)
		return SUO_DROP_STATE;
	if (hdr->qkey != qkey)
		return SUO_DROP_QKEY;
	/* IBA 13.4.2: that is their size. ib_mad looks at all of it, and takes a
	 * receive that fails for the end of the queue pair: it posts no other.
	 */
	if (qp->ibqp.qp_type == IB_QPT_GSI && pay->len != IB_MGMT_MAD_SIZE)
		return SUO_DROP_LENGTH;
	return pay->len > qp->mtu ? SUO_DROP_TOO_LONG : SUO_DROP_MAX;
}

/**
 * suo_ud_rx() - take a datagram
 * @qp: the queue pair, locked
 * @hdr: headers
 * @pay: payload
 * @from: how it came
 */
void suo_ud_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
	       const struct suo_payload *pay, const struct suo_from *from)
{
	u32 qkey = qp->ibqp.qp_type == IB_QPT_GSI ? GSI_QKEY : qp->attr.qkey;
	struct suo_rwqe *wqe = &qp->resp.wqe;
	struct suo_payload grh_pay = {
		.kind = SUO_PAYLOAD_BUF, .len = GRH_LEN,
	};
	struct suo_cqe cqe = {
		.qpn = qp->ibqp.qp_num,
		.opcode = IB_WC_RECV,
		.src_qp = hdr->src_qpn,
		.byte_len = pay->len + GRH_LEN,
		.wc_flags = SUO_WC_GRH,
		.sl = from->iph[0] >> 4 == 4 ? SUO_WC_SL_IPV4 : SUO_WC_SL_IPV6,
		.port_num = 1,
		.vlan_id = from->vlan_id,
	};
	enum suo_drop why = ud_drop(qp, hdr, pay, qkey);
	u8 grh[GRH_LEN];
	int err = 0;

	if (why == SUO_DROP_MAX) {
		err = suo_rq_get(qp->rqp, wqe);
		if (err == -ENOENT)
			why = SUO_DROP_NO_WQE;
	}
	if (why != SUO_DROP_MAX) {
		suo_qp_drop(qp, why, hdr, pay);
		return;
	}
	cqe.wr_id = wqe->wr_id;
	if (err) {
		cqe.status = IB_WC_LOC_QP_OP_ERR;
	} else if (wqe->length < cqe.byte_len) {
		suo_qp_stat_inc(qp, resp_local_length_error);
		cqe.status = IB_WC_LOC_LEN_ERR;
	} else {
		make_grh(grh, from->iph);
		grh_pay.buf = grh;
		err = suo_sges_write(qp->dev, to_spd(qp->ibqp.pd), wqe->sge,
				     wqe->num_sge, 0, &grh_pay, 0, GRH_LEN);
		if (!err)
			err = suo_sges_write(qp->dev, to_spd(qp->ibqp.pd),
					     wqe->sge, wqe->num_sge, GRH_LEN,
					     pay, 0, pay->len);
		if (err)
			cqe.status = IB_WC_LOC_PROT_ERR;
	}
	if (hdr->opcode == (SUO_TR_UD | SUO_OP_SEND_ONLY_IMM)) {
		cqe.imm_data = (__force u32)hdr->imm;
		cqe.wc_flags |= SUO_WC_WITH_IMM;
	}
	if (cqe.status != IB_WC_SUCCESS)
		suo_qp_stat_inc(qp, resp_cqe_error);
	suo_cq_add(to_scq(qp->ibqp.recv_cq), &cqe, &qp->ibqp, hdr->se);
}
