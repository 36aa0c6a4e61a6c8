// SPDX-License-Identifier: GPL-2.0-only
/* The requester of a connection, sending: requests become packets. */
#include "cc.h"
#include "copy.h"
#include "mr.h"
#include "mw.h"
#include "req.h"
#include "resp.h"

/* Sequence numbers in flight: far less than half of the 2^23 that can be told
 * apart, and room for one read of the largest message at the smallest MTU.
 */
#define REQ_MAX_PSNS	4194304

static u8 req_opcode(const struct suo_swqe *wqe, bool first, bool last)
{
	bool imm = wqe->w.opcode == IB_UVERBS_WR_SEND_WITH_IMM ||
		   wqe->w.opcode == IB_UVERBS_WR_RDMA_WRITE_WITH_IMM;

	if (suo_swqe_is_read(wqe))
		return SUO_OP_READ_REQ;
	if (suo_swqe_is_atomic(wqe))
		return wqe->w.opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP ?
			SUO_OP_CMP_SWAP : SUO_OP_FETCH_ADD;
	if (wqe->w.opcode == IB_UVERBS_WR_SEND_WITH_INV) {
		if (last)
			return first ? SUO_OP_SEND_ONLY_INV :
				       SUO_OP_SEND_LAST_INV;
		return first ? SUO_OP_SEND_FIRST : SUO_OP_SEND_MIDDLE;
	}
	if (wqe->w.opcode == IB_UVERBS_WR_SEND ||
	    wqe->w.opcode == IB_UVERBS_WR_SEND_WITH_IMM) {
		if (first)
			return !last ? SUO_OP_SEND_FIRST :
			       imm ? SUO_OP_SEND_ONLY_IMM : SUO_OP_SEND_ONLY;
		return !last ? SUO_OP_SEND_MIDDLE :
		       imm ? SUO_OP_SEND_LAST_IMM : SUO_OP_SEND_LAST;
	}
	if (first)
		return !last ? SUO_OP_WRITE_FIRST :
		       imm ? SUO_OP_WRITE_ONLY_IMM : SUO_OP_WRITE_ONLY;
	return !last ? SUO_OP_WRITE_MIDDLE :
	       imm ? SUO_OP_WRITE_LAST_IMM : SUO_OP_WRITE_LAST;
}

/* Check a request and give it its sequence numbers. */
static void req_start(struct suo_qp *qp, struct suo_swqe *wqe)
{
	bool uc = qp->ibqp.qp_type == IB_QPT_UC;
	int access = 0;

	switch (wqe->w.opcode) {
	case IB_UVERBS_WR_ATOMIC_CMP_AND_SWP:
	case IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD:
		if (wqe->length < sizeof(u64))
			wqe->status = IB_WC_LOC_LEN_ERR;
		wqe->length = sizeof(u64);
		fallthrough;
	case IB_UVERBS_WR_RDMA_READ:
		access = IB_ACCESS_LOCAL_WRITE;
		if (uc || !qp->attr.max_rd_atomic ||
		    (wqe->w.flags & SUO_SEND_INLINE))
			wqe->status = IB_WC_LOC_QP_OP_ERR;
		break;
	case IB_UVERBS_WR_SEND_WITH_INV:
		if (uc)
			wqe->status = IB_WC_LOC_QP_OP_ERR;
		break;
	case IB_UVERBS_WR_RDMA_WRITE:
	case IB_UVERBS_WR_RDMA_WRITE_WITH_IMM:
	case IB_UVERBS_WR_SEND:
	case IB_UVERBS_WR_SEND_WITH_IMM:
		break;
	default:
		wqe->status = IB_WC_LOC_QP_OP_ERR;
	}
	if (wqe->status == IB_WC_SUCCESS &&
	    suo_sges_check(qp->dev, to_spd(qp->ibqp.pd), suo_swqe_sges(wqe),
			   wqe->w.num_sge, access))
		wqe->status = IB_WC_LOC_PROT_ERR;
	wqe->npkts = max(DIV_ROUND_UP(wqe->length, qp->mtu), 1u);
	wqe->first_psn = qp->req.psn;
}

/* Execute a local operation. */
static void req_local(struct suo_qp *qp, struct suo_swqe *wqe)
{
	struct suo_pd *pd = to_spd(qp->ibqp.pd);
	int err = -EINVAL;

	wqe->first_psn = qp->req.psn;
	if (wqe->w.opcode == IB_UVERBS_WR_LOCAL_INV) {
		err = suo_mr_invalidate(qp->dev, pd, qp->ibqp.qp_num,
					wqe->w.imm_data);
	} else if (wqe->w.opcode == IB_UVERBS_WR_BIND_MW) {
		/* Windows are for processes. */
		if (qp->sq.ring.entry)
			err = suo_mw_bind(qp->dev, pd, qp->ibqp.qp_num,
					  suo_swqe_bind(wqe));
	} else if (!qp->sq.ring.entry) {
		struct ib_mr *ibmr = (void *)(uintptr_t)wqe->w.remote_addr;

		err = suo_mr_fast_register(container_of(ibmr, struct suo_mr,
							ibmr),
					   pd, wqe->w.rkey, wqe->w.swap);
	}
	if (err)
		wqe->status = IB_WC_MW_BIND_ERR;
	else
		wqe->started = true;
}

/* How many packets of the wire may be under way. */
static u32 req_window(const struct suo_qp *qp)
{
	return static_branch_unlikely(&suo_paced) ? suo_flow_window(qp) : SUO_WINDOW;
}

/* After so many an acknowledgment is asked for: before a window is full, or else its
 * sender would not know when to go on.
 */
static u32 req_ack_interval(const struct suo_qp *qp)
{
	u32 window;

	if (!static_branch_unlikely(&suo_paced) || suo_qp_is_su(qp))
		return SUO_ACK_INTERVAL;
	window = suo_flow_window(qp);
	if ((u32)suo_psn_diff(qp->req.psn, qp->req.una) >= window)
		return 1;
	return min(DIV_ROUND_UP(window, 4), SUO_ACK_INTERVAL);
}

/* May this request send its next packet now? */
static bool req_may_send(struct suo_qp *qp, struct suo_swqe *wqe)
{
	struct suo_req *req = &qp->req;
	u32 inflight = suo_psn_diff(req->psn, req->una);

	if (!wqe->started && (wqe->w.flags & SUO_SEND_FENCE) && req->reads)
		return false;
	if (suo_swqe_has_response(wqe))
		return req->reads < qp->attr.max_rd_atomic &&
		       (!inflight || inflight + wqe->npkts < REQ_MAX_PSNS);
	if (inflight < (suo_qp_is_su(qp) ? REQ_MAX_PSNS : req_window(qp)))
		return true;
	/* A window that has become smaller may be full of packets that did not ask for
	 * an acknowledgment. Then one more leaves, which does.
	 */
	return req->unasked && inflight < SUO_WINDOW;
}

/* Headers and payload of the packet that is next, or of the next ones: those of a
 * run differ in number only, and in what the first and the last are besides.
 */
static void req_build(struct suo_qp *qp, struct suo_swqe *wqe,
		      struct suo_pkt *pkt)
{
	u32 run = suo_swqe_has_response(wqe) ? 1 :
		  suo_qp_run(qp, wqe->npkts - qp->sq.next_pkt);
	u32 off = qp->sq.next_pkt * qp->mtu;
	u32 n = suo_swqe_has_response(wqe) ? 0 : min(wqe->length - off,
						     run * qp->mtu);
	bool first = !qp->sq.next_pkt;
	bool last = suo_swqe_has_response(wqe) ||
		    qp->sq.next_pkt + run == wqe->npkts;
	bool uc = qp->ibqp.qp_type == IB_QPT_UC;
	struct suo_hdr *hdr = &pkt->hdr;

	memset(hdr, 0, sizeof(*hdr));
	memset(&pkt->pay, 0, sizeof(pkt->pay));
	hdr->opcode = (uc ? SUO_TR_UC : SUO_TR_RC) | req_opcode(wqe, first, last);
	hdr->pkey = SUO_DEFAULT_PKEY;
	hdr->qpn = qp->attr.dest_qp_num;
	hdr->psn = suo_psn_add(wqe->first_psn, qp->sq.next_pkt);
	hdr->se = last && (wqe->w.flags & SUO_SEND_SOLICITED);
	hdr->va = wqe->w.remote_addr;
	hdr->rkey = wqe->w.rkey;
	hdr->dlen = wqe->length;
	hdr->imm = (__force __be32)wqe->w.imm_data;
	if (suo_swqe_is_read(wqe)) {
		hdr->va += off;
		hdr->dlen -= off;
		return;
	}
	if (suo_swqe_is_atomic(wqe)) {
		bool swap = hdr->opcode == (SUO_TR_RC | SUO_OP_CMP_SWAP);

		hdr->swap_add = swap ? wqe->w.swap : wqe->w.compare_add;
		hdr->compare = swap ? wqe->w.compare_add : 0;
		return;
	}
	/* The key stands where immediate data would, in our own order. */
	if (wqe->w.opcode == IB_UVERBS_WR_SEND_WITH_INV)
		hdr->rkey = wqe->w.imm_data;
	hdr->ackreq = !uc && (last ||
			      qp->req.unasked + run >= req_ack_interval(qp));
	suo_pkt_set_request(pkt, qp, wqe, off, n);
}

/* Packets have been made up to psn. */
static void req_advance(struct suo_qp *qp, u32 psn)
{
	struct suo_req *req = &qp->req;

	req->psn = psn;
	if (suo_psn_diff(psn, req->max_psn) > 0)
		req->max_psn = psn;
	/* Nobody will answer. */
	if (qp->ibqp.qp_type == IB_QPT_UC)
		req->una = psn;
}

/* The n packets that were next have been made, or are lost. */
static void req_made(struct suo_qp *qp, struct suo_swqe *wqe, u32 n, bool asked)
{
	struct suo_sq *sq = &qp->sq;

	wqe->started = true;
	if (suo_swqe_has_response(wqe)) {
		wqe->counted = true;
		qp->req.reads++;
		sq->next_pkt = wqe->npkts;
	} else {
		sq->next_pkt += n;
		qp->req.unasked = asked ? 0 : qp->req.unasked + n;
	}
	req_advance(qp, suo_psn_add(wqe->first_psn, sq->next_pkt));
	if (sq->next_pkt == wqe->npkts) {
		sq->next++;
		sq->next_pkt = 0;
		/* Nobody will answer: what has been sent is done. */
		if (qp->ibqp.qp_type == IB_QPT_UC)
			suo_sq_complete(qp, wqe);
	}
}

/* Packets from the middle of a message follow one that was made. None of them
 * asks for an acknowledgment.
 */
static void req_run(struct suo_qp *qp, struct suo_swqe *wqe,
		    struct suo_pkt *pkt)
{
	u32 inflight = suo_psn_diff(qp->req.psn, qp->req.una);
	struct suo_sq *sq = &qp->sq;
	u32 n;

	if (inflight >= SUO_WINDOW || pkt->hdr.ackreq ||
	    sq->next_pkt + 1 >= wqe->npkts)
		return;
	n = min3(wqe->npkts - 1 - sq->next_pkt, SUO_WINDOW - inflight,
		 SUO_ACK_INTERVAL - 1 - qp->req.unasked);
	n = suo_net_add_run(pkt, n);
	sq->next_pkt += n;
	qp->req.unasked += n;
	req_advance(qp, suo_psn_add(qp->req.psn, n));
}

/* Is there a request to send from? */
static bool req_any(struct suo_qp *qp)
{
	if (qp->sq.next == qp->sq.prod)
		suo_sq_fetch(qp);
	return qp->sq.next != qp->sq.prod;
}

/* The request whose packet is next, checked and with its sequence numbers; NULL
 * if there is none that may be sent. Local operations are done on the way.
 */
static struct suo_swqe *req_pick(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;
	struct suo_swqe *wqe;

	while (req_any(qp)) {
		wqe = suo_sq_copy(sq, sq->next);
		/* Draining: what was begun is finished, nothing else is begun. */
		if (qp->state == IB_QPS_SQD && !wqe->started)
			return NULL;
		if (!req_may_send(qp, wqe))
			return NULL;
		if (!suo_swqe_is_local(wqe)) {
			if (!wqe->started)
				req_start(qp, wqe);
			return wqe;
		}
		if (!wqe->started)
			req_local(qp, wqe);
		if (wqe->status != IB_WC_SUCCESS)
			return wqe;
		sq->next++;
		suo_req_complete_local(qp);
	}
	return NULL;
}

/* Put the next packet of the send queue into pkt, as long as that has room; a
 * packet that cannot be made counts as lost on the way. Return: there may be
 * more.
 */
static bool req_add(struct suo_qp *qp, struct suo_pkt *pkt)
{
	struct suo_sq *sq = &qp->sq;
	struct suo_swqe *wqe = req_pick(qp);
	bool more;
	int err;

	if (!wqe)
		return false;
	if (wqe->status == IB_WC_SUCCESS) {
		req_build(qp, wqe, pkt);
		more = sq->next_pkt + suo_payload_pkts(&pkt->pay) < wqe->npkts ||
		       sq->next + 1 != sq->prod;
		err = suo_qp_add(qp, pkt, more);
		if (err == -E2BIG)
			return false;
		if (err == -EACCES || err == -EFAULT)
			wqe->status = IB_WC_LOC_PROT_ERR;
	}
	if (wqe->status != IB_WC_SUCCESS) {
		/* Requests complete in order: this one's turn comes with its
		 * predecessors' last response.
		 */
		if (sq->cons == sq->next)
			suo_req_fail(qp, wqe->status);
		return false;
	}
	if (err)
		suo_send_err(qp->dev, qp->ibqp.qp_num, err);
	req_made(qp, wqe, suo_payload_pkts(&pkt->pay), pkt->hdr.ackreq);
	if (!err && suo_pkt_repeats(pkt))
		req_run(qp, wqe, pkt);
	return !err && !suo_pkt_full(pkt);
}

/* There is no memory for a packet: the timeout brings it back. */
static void req_lose(struct suo_qp *qp)
{
	struct suo_swqe *wqe = req_pick(qp);

	if (wqe && wqe->status == IB_WC_SUCCESS)
		req_made(qp, wqe, 1, true);
}

/**
 * suo_req_next() - make the next packets of a requester
 * @qp: the queue pair, locked
 *
 * Return: the packets, as one; or NULL if there is nothing that may be sent.
 */
struct suo_pkt *suo_req_next(struct suo_qp *qp)
{
	u32 psn = qp->req.psn;
	struct suo_pkt *pkt;

	if ((qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD) ||
	    qp->req.waiting || !req_any(qp))
		return NULL;
	pkt = suo_pkt_alloc(qp);
	if (pkt) {
		if (suo_resp_may_ride(qp))
			pkt->room = SUO_ACK_LEN;
		while (req_add(qp, pkt))
			;
		if (pkt->slices && pkt->room)
			suo_resp_ride(qp, pkt);
	} else {
		req_lose(qp);
	}
	if (qp->req.psn != psn && qp->ibqp.qp_type != IB_QPT_UC)
		suo_req_arm(qp);
	if (pkt && !pkt->slices) {
		suo_pkt_free(pkt);
		return NULL;
	}
	if (pkt)
		suo_qp_end(qp, pkt);
	return pkt;
}
