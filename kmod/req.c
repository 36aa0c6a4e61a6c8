// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requester of a reliable connection: send requests become packets, and
 * responses complete them. Sequence numbers are given to a request when its
 * first packet is made and stay with it through every retry; going back is
 * setting (sq.next, sq.next_pkt) to where a sequence number belongs.
 */
#include "clock.h"
#include "copy.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"

/* Sequence numbers in flight: far less than half of the 2^23 that can be told
 * apart, and room for one read of the largest message at the smallest MTU.
 */
#define REQ_MAX_PSNS	4194304

static bool is_read(const struct suo_swqe *wqe)
{
	return wqe->w.opcode == IB_UVERBS_WR_RDMA_READ;
}

static bool is_atomic(const struct suo_swqe *wqe)
{
	return wqe->w.opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->w.opcode == IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD;
}

/* Does the peer answer with data? Such requests are limited in number. */
static bool has_response(const struct suo_swqe *wqe)
{
	return is_read(wqe) || is_atomic(wqe);
}

/* Done here, at its turn: nothing is sent. */
static bool is_local(const struct suo_swqe *wqe)
{
	return wqe->w.opcode == IB_UVERBS_WR_LOCAL_INV ||
	       wqe->w.opcode == IB_UVERBS_WR_BIND_MW ||
	       wqe->w.opcode == SUO_WR_REG_MR;
}

static u64 req_timeout_ps(const struct suo_qp *qp)
{
	/* IBA 9.7.6.1.3: 4.096 us * 2^timeout; 0 waits for ever. */
	return qp->attr.timeout ? 4096000ull << (qp->attr.timeout & 31) : 0;
}

static void req_arm(struct suo_qp *qp)
{
	u64 timeout = req_timeout_ps(qp);

	qp->req.deadline_ps = suo_now_ps() + timeout;
	if (timeout && !hrtimer_is_queued(&qp->timer))
		hrtimer_start(&qp->timer, suo_ps_to_ktime(qp->req.deadline_ps),
			      HRTIMER_MODE_ABS_SOFT);
}

/* The oldest request failed: complete it, stop the queue pair. */
static void req_fail(struct suo_qp *qp, enum ib_wc_status status)
{
	if (qp->sq.cons != qp->sq.prod) {
		struct suo_swqe *wqe = suo_sq_copy(&qp->sq, qp->sq.cons);

		wqe->status = status;
		suo_sq_complete(qp, wqe);
	}
	suo_qp_fatal(qp);
}

static void req_uncount(struct suo_qp *qp, struct suo_swqe *wqe)
{
	if (wqe->counted) {
		wqe->counted = false;
		qp->req.reads--;
	}
}

/* Send again from psn, which belongs to a request that is not complete, or
 * follows the last one that was started.
 */
static void req_rewind(struct suo_qp *qp, u32 psn)
{
	struct suo_sq *sq = &qp->sq;
	u32 i, to = sq->prod;
	u32 pkt = 0;

	for (i = sq->cons; i != sq->prod; i++) {
		struct suo_swqe *wqe = suo_sq_copy(sq, i);
		s32 d;

		if (!wqe->started) {
			to = min(to - sq->cons, i - sq->cons) + sq->cons;
			break;
		}
		d = suo_psn_diff(psn, wqe->first_psn);
		if (d < (s32)wqe->npkts) {
			if (to == sq->prod) {
				to = i;
				pkt = max(d, 0);
				if (has_response(wqe))
					pkt = max(pkt, wqe->rd_done);
			}
			req_uncount(qp, wqe);
			wqe->gap = false;
		}
	}
	sq->next = to;
	sq->next_pkt = pkt;
	qp->req.psn = psn;
	qp->req.unasked = 0;
}

/* One retry less; false if that was the last. */
static bool req_retry(struct suo_qp *qp, u32 psn)
{
	if (!qp->req.retry) {
		req_fail(qp, IB_WC_RETRY_EXC_ERR);
		return false;
	}
	qp->req.retry--;
	req_rewind(qp, psn);
	req_arm(qp);
	return true;
}

/* A response is missing. It is asked for once: what was on its way behind it
 * still arrives, and each would ask again. Should the question get lost, the
 * timeout finds out.
 */
static void req_gap(struct suo_qp *qp, struct suo_swqe *wqe)
{
	if (wqe->gap)
		return;
	suo_stat_inc(qp->dev, implied_nak_seq_err);
	if (req_retry(qp, suo_psn_add(wqe->first_psn, wqe->rd_done)))
		wqe->gap = true;
}

static void req_progress(struct suo_qp *qp, u32 una)
{
	struct suo_req *req = &qp->req;

	if (suo_psn_diff(una, req->una) <= 0)
		return;
	req->una = una;
	req->retry = qp->attr.retry_cnt;
	req->rnr_retry = qp->attr.rnr_retry;
	req->deadline_ps = suo_now_ps() + req_timeout_ps(qp);
	/* Acknowledged beyond where a retry had gone back to. */
	if (suo_psn_diff(una, req->psn) > 0)
		req_rewind(qp, una);
}

/* Complete everything up to and including psn. False if a read whose response
 * was lost stands in the way; the retry is then under way.
 */
static bool req_ack(struct suo_qp *qp, u32 psn)
{
	struct suo_sq *sq = &qp->sq;

	while (sq->cons != sq->prod) {
		struct suo_swqe *wqe = suo_sq_copy(sq, sq->cons);

		if (wqe->started && is_local(wqe)) {
			suo_sq_complete(qp, wqe);
			continue;
		}
		if (!wqe->started || suo_psn_diff(psn, wqe->first_psn) < 0)
			break;
		if (has_response(wqe)) {
			req_progress(qp, suo_psn_add(wqe->first_psn,
						     wqe->rd_done));
			req_gap(qp, wqe);
			return false;
		}
		if (suo_psn_diff(psn, wqe->first_psn) < (s32)wqe->npkts - 1)
			break;
		req_progress(qp, suo_psn_add(wqe->first_psn, wqe->npkts));
		suo_sq_complete(qp, wqe);
	}
	req_progress(qp, suo_psn_add(psn, 1));
	return true;
}

/* Local operations that everything before has waited for. */
static void req_complete_local(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;

	while (sq->cons != sq->prod) {
		struct suo_swqe *wqe = suo_sq_copy(sq, sq->cons);

		if (!wqe->started || !is_local(wqe))
			return;
		suo_sq_complete(qp, wqe);
	}
}

static u8 req_opcode(const struct suo_swqe *wqe, bool first, bool last)
{
	bool imm = wqe->w.opcode == IB_UVERBS_WR_SEND_WITH_IMM ||
		   wqe->w.opcode == IB_UVERBS_WR_RDMA_WRITE_WITH_IMM;

	if (is_read(wqe))
		return SUO_OP_READ_REQ;
	if (is_atomic(wqe))
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

/* May this request send its next packet now? */
static bool req_may_send(struct suo_qp *qp, struct suo_swqe *wqe)
{
	struct suo_req *req = &qp->req;
	u32 inflight = suo_psn_diff(req->psn, req->una);

	if (!wqe->started && (wqe->w.flags & SUO_SEND_FENCE) && req->reads)
		return false;
	if (has_response(wqe))
		return req->reads < qp->attr.max_rd_atomic &&
		       (!inflight || inflight + wqe->npkts < REQ_MAX_PSNS);
	return inflight < (suo_qp_is_su(qp) ? REQ_MAX_PSNS : SUO_WINDOW);
}

/* Headers and payload of the packet that is next. */
static void req_build(struct suo_qp *qp, struct suo_swqe *wqe,
		      struct suo_pkt *pkt)
{
	u32 off = qp->sq.next_pkt * qp->mtu;
	u32 n = has_response(wqe) ? 0 : min(wqe->length - off, qp->mtu);
	bool first = !qp->sq.next_pkt;
	bool last = has_response(wqe) || qp->sq.next_pkt == wqe->npkts - 1;
	bool uc = qp->ibqp.qp_type == IB_QPT_UC;
	struct suo_hdr *hdr = &pkt->hdr;

	memset(hdr, 0, sizeof(*hdr));
	memset(&pkt->pay, 0, sizeof(pkt->pay));
	hdr->opcode = (uc ? SUO_TR_UC : SUO_TR_RC) | req_opcode(wqe, first, last);
	hdr->pkey = SUO_DEFAULT_PKEY;
	hdr->qpn = qp->attr.dest_qp_num;
	hdr->psn = suo_psn_add(wqe->first_psn, qp->sq.next_pkt);
	hdr->pad = -n & 3;
	hdr->se = last && (wqe->w.flags & SUO_SEND_SOLICITED);
	hdr->va = wqe->w.remote_addr;
	hdr->rkey = wqe->w.rkey;
	hdr->dlen = wqe->length;
	hdr->imm = (__force __be32)wqe->w.imm_data;
	if (is_read(wqe)) {
		hdr->va += off;
		hdr->dlen -= off;
		return;
	}
	if (is_atomic(wqe)) {
		bool swap = hdr->opcode == (SUO_TR_RC | SUO_OP_CMP_SWAP);

		hdr->swap_add = swap ? wqe->w.swap : wqe->w.compare_add;
		hdr->compare = swap ? wqe->w.compare_add : 0;
		return;
	}
	/* The key stands where immediate data would, in our own order. */
	if (wqe->w.opcode == IB_UVERBS_WR_SEND_WITH_INV)
		hdr->rkey = wqe->w.imm_data;
	hdr->ackreq = !uc && (last || qp->req.unasked + 1 >= SUO_ACK_INTERVAL);
	if (n) {
		pkt->pay.kind = SUO_PAYLOAD_WQE;
		pkt->pay.off = off;
		pkt->pay.len = n;
		pkt->pay.dev = qp->dev;
		pkt->pay.pd = to_spd(qp->ibqp.pd);
		pkt->pay.wqe = wqe;
	}
}

/* The packet that was next has been made, or is lost. */
static void req_made(struct suo_qp *qp, struct suo_swqe *wqe, bool asked)
{
	bool uc = qp->ibqp.qp_type == IB_QPT_UC;
	struct suo_sq *sq = &qp->sq;

	wqe->started = true;
	if (has_response(wqe)) {
		wqe->counted = true;
		qp->req.reads++;
		sq->next_pkt = wqe->npkts;
	} else {
		sq->next_pkt++;
		qp->req.unasked = asked ? 0 : qp->req.unasked + 1;
	}
	qp->req.psn = suo_psn_add(wqe->first_psn, sq->next_pkt);
	if (suo_psn_diff(qp->req.psn, qp->req.max_psn) > 0)
		qp->req.max_psn = qp->req.psn;
	if (uc)
		qp->req.una = qp->req.psn;
	if (sq->next_pkt == wqe->npkts) {
		sq->next++;
		sq->next_pkt = 0;
		/* Nobody will answer: what has been sent is done. */
		if (uc)
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
	qp->req.psn = suo_psn_add(qp->req.psn, n);
	if (suo_psn_diff(qp->req.psn, qp->req.max_psn) > 0)
		qp->req.max_psn = qp->req.psn;
	if (qp->ibqp.qp_type == IB_QPT_UC)
		qp->req.una = qp->req.psn;
}

/* The request whose packet is next, checked and with its sequence numbers; NULL
 * if there is none that may be sent. Local operations are done on the way.
 */
static struct suo_swqe *req_pick(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;
	struct suo_swqe *wqe;

	for (;;) {
		if (sq->next == sq->prod)
			suo_sq_fetch(qp);
		if (sq->next == sq->prod)
			return NULL;
		wqe = suo_sq_copy(sq, sq->next);
		/* Draining: what was begun is finished, nothing else is begun. */
		if (qp->state == IB_QPS_SQD && !wqe->started)
			return NULL;
		if (!req_may_send(qp, wqe))
			return NULL;
		if (!is_local(wqe)) {
			if (!wqe->started)
				req_start(qp, wqe);
			return wqe;
		}
		if (!wqe->started)
			req_local(qp, wqe);
		if (wqe->status != IB_WC_SUCCESS)
			return wqe;
		sq->next++;
		req_complete_local(qp);
	}
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
		more = sq->next_pkt + 1 < wqe->npkts ||
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
			req_fail(qp, wqe->status);
		return false;
	}
	if (err)
		suo_stat_inc(qp->dev, send_err);
	req_made(qp, wqe, pkt->hdr.ackreq);
	if (!err && suo_pkt_repeats(pkt))
		req_run(qp, wqe, pkt);
	return !err && !suo_pkt_full(pkt);
}

/* There is no memory for a packet: the timeout brings it back. */
static void req_lose(struct suo_qp *qp)
{
	struct suo_swqe *wqe = req_pick(qp);

	if (wqe && wqe->status == IB_WC_SUCCESS)
		req_made(qp, wqe, true);
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
	    qp->req.waiting)
		return NULL;
	if (qp->sq.next == qp->sq.prod)
		suo_sq_fetch(qp);
	if (qp->sq.next == qp->sq.prod)
		return NULL;
	pkt = suo_pkt_alloc(qp);
	if (pkt) {
		while (req_add(qp, pkt))
			;
	} else {
		req_lose(qp);
	}
	if (qp->req.psn != psn && qp->ibqp.qp_type != IB_QPT_UC)
		req_arm(qp);
	if (pkt && !pkt->slices) {
		suo_pkt_free(pkt);
		return NULL;
	}
	if (pkt)
		suo_qp_end(qp, pkt);
	return pkt;
}

/* Local ACK timeout, or the end of a receiver-not-ready delay. */
enum hrtimer_restart suo_req_timer(struct hrtimer *timer)
{
	struct suo_qp *qp = container_of(timer, struct suo_qp, timer);
	bool kick = false;

	suo_qp_lock(qp);
	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD)
		goto out;
	if (qp->req.waiting) {
		qp->req.waiting = false;
		kick = true;
	} else if (qp->req.una != qp->req.max_psn && req_timeout_ps(qp)) {
		if (suo_now_ps() < qp->req.deadline_ps) {
			hrtimer_start(&qp->timer,
				      suo_ps_to_ktime(qp->req.deadline_ps),
				      HRTIMER_MODE_ABS_SOFT);
			goto out;
		}
		suo_stat_inc(qp->dev, local_ack_timeout_err);
		kick = req_retry(qp, qp->req.una);
	}
out:
	suo_qp_unlock(qp);
	if (kick)
		suo_port_kick(qp->port, qp);
	return HRTIMER_NORESTART;
}

/* IBA 9.7.5.2.8, table 45: the delay of an RNR NAK, in units of 10 us. */
static const u32 rnr_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384,
	512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576,
	32768, 49152,
};

static void req_rnr(struct suo_qp *qp, u32 psn, u8 timer)
{
	u64 delay_ps = rnr_10us[timer & SUO_SYN_VALUE] * 10000000ull;

	if (!qp->req.rnr_retry) {
		suo_stat_inc(qp->dev, rnr_nak_retry_err);
		req_fail(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->req.rnr_retry != 7)
		qp->req.rnr_retry--;
	req_rewind(qp, psn);
	qp->req.waiting = true;
	hrtimer_start(&qp->timer, suo_ps_to_ktime(suo_now_ps() + delay_ps),
		      HRTIMER_MODE_ABS_SOFT);
}

static void req_rx_ack(struct suo_qp *qp, const struct suo_hdr *hdr)
{
	u32 before = suo_psn_add(hdr->psn, SUO_PSN_MASK);
	u8 kind = hdr->syndrome & SUO_SYN_KIND;

	if (kind == 0) {
		req_ack(qp, hdr->psn);
		return;
	}
	if (hdr->psn != qp->req.una && !req_ack(qp, before))
		return;
	if (kind == SUO_SYN_RNR_NAK) {
		req_rnr(qp, hdr->psn, hdr->syndrome);
		return;
	}
	switch (hdr->syndrome) {
	case SUO_SYN_NAK_PSN_SEQ:
		suo_stat_inc(qp->dev, packet_seq_err);
		req_retry(qp, hdr->psn);
		break;
	case SUO_SYN_NAK_INV_REQ:
		suo_stat_inc(qp->dev, req_remote_invalid_request);
		req_fail(qp, IB_WC_REM_INV_REQ_ERR);
		break;
	case SUO_SYN_NAK_REM_ACC:
		suo_stat_inc(qp->dev, req_remote_access_errors);
		req_fail(qp, IB_WC_REM_ACCESS_ERR);
		break;
	case SUO_SYN_NAK_REM_OP:
		req_fail(qp, IB_WC_REM_OP_ERR);
		break;
	default:
		suo_stat_inc(qp->dev, rx_drops);
	}
}

/* An answer with data: a read response or what an atomic operation found. */
static void req_rx_data(struct suo_qp *qp, const struct suo_hdr *hdr,
			const struct suo_payload *pay)
{
	const struct suo_payload atomic = {
		.kind = SUO_PAYLOAD_BUF,
		.len = sizeof(hdr->orig),
		.buf = (const u8 *)&hdr->orig,
	};
	u32 before = suo_psn_add(hdr->psn, SUO_PSN_MASK);
	u32 flags = suo_op_flags(hdr->opcode);
	struct suo_swqe *wqe;
	u32 off, want, n;
	bool last;
	int err;

	wqe = suo_sq_copy(&qp->sq, qp->sq.cons);
	if (!has_response(wqe) || suo_psn_diff(hdr->psn, wqe->first_psn) >=
				  (s32)wqe->npkts) {
		if (!req_ack(qp, before))
			return;
		if (qp->sq.cons == qp->sq.prod)
			goto drop;
		wqe = suo_sq_copy(&qp->sq, qp->sq.cons);
		if (!has_response(wqe) || !wqe->started)
			goto drop;
	}
	if (is_atomic(wqe) != !!(flags & SUO_F_ATOMIC_ACK))
		goto bad;
	if (is_atomic(wqe))
		pay = &atomic;
	want = suo_psn_add(wqe->first_psn, wqe->rd_done);
	if (suo_psn_diff(hdr->psn, want) < 0)
		goto drop;
	if (hdr->psn != want) {
		req_gap(qp, wqe);
		return;
	}
	wqe->gap = false;
	off = wqe->rd_done * qp->mtu;
	n = suo_payload_pkts(pay);
	last = wqe->rd_done + n == wqe->npkts;
	if (n > wqe->npkts - wqe->rd_done ||
	    pay->len != min(wqe->length - off, n * qp->mtu) ||
	    !!(flags & SUO_F_END) != last ||
	    ((flags & SUO_F_AETH) && (hdr->syndrome & SUO_SYN_KIND)))
		goto bad;
	err = suo_sges_write(qp->dev, to_spd(qp->ibqp.pd), suo_swqe_sges(wqe),
			     wqe->w.num_sge, off, pay, 0, pay->len);
	if (err) {
		req_fail(qp, err == -EACCES ? IB_WC_REM_ACCESS_ERR :
					      IB_WC_LOC_PROT_ERR);
		return;
	}
	wqe->rd_done += n;
	/* Progress before completion: it may have to look at wqe. */
	if (last)
		req_uncount(qp, wqe);
	req_progress(qp, suo_psn_add(hdr->psn, n));
	if (last) {
		suo_sq_complete(qp, wqe);
		req_complete_local(qp);
	}
	return;

bad:
	req_fail(qp, IB_WC_BAD_RESP_ERR);
	return;
drop:
	suo_stat_inc(qp->dev, duplicate_request);
}

/**
 * suo_req_drained() - tell a draining queue pair's owner, once, that it is done
 * @qp: the queue pair, locked, in SQD
 */
void suo_req_drained(struct suo_qp *qp)
{
	if (qp->req.una != qp->req.max_psn || !qp->attr.en_sqd_async_notify)
		return;
	qp->attr.en_sqd_async_notify = 0;
	suo_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/**
 * suo_req_rx() - take an acknowledgment or a read response
 * @qp: the queue pair, locked
 * @hdr: headers
 * @pay: payload
 */
void suo_req_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
		const struct suo_payload *pay)
{
	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD)
		return;
	/* Only what is in flight can be answered. A NAK may name the packet
	 * right after the last acknowledged one, which is una itself.
	 */
	if (suo_psn_diff(hdr->psn, qp->req.una) < 0 ||
	    suo_psn_diff(hdr->psn, qp->req.max_psn) >= 0)
		return;
	if (suo_op_flags(hdr->opcode) & SUO_F_ACK)
		req_rx_ack(qp, hdr);
	else
		req_rx_data(qp, hdr, pay);
	if (qp->state == IB_QPS_SQD)
		suo_req_drained(qp);
}
