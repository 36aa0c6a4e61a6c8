// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requester of a reliable connection: what was sent is completed by responses,
 * or sent again (req_tx.c). Sequence numbers are given to a request when its
 * first packet is made and stay with it through every retry; going back is
 * setting (sq.next, sq.next_pkt) to where a sequence number belongs.
 */
#include "cc.h"
#include "clock.h"
#include "copy.h"
#include "req.h"
#include "trace.h"

static u64 req_timeout_ps(const struct suo_qp *qp)
{
	/* IBA 9.7.6.1.3: 4.096 us * 2^timeout; 0 waits for ever. */
	return qp->attr.timeout ? 4096000ull << (qp->attr.timeout & 31) : 0;
}

void suo_req_arm(struct suo_qp *qp)
{
	u64 timeout = req_timeout_ps(qp);

	qp->req.deadline_ps = suo_now_ps() + timeout;
	if (timeout && !hrtimer_is_queued(&qp->timer))
		hrtimer_start(&qp->timer, suo_ps_to_ktime(qp->req.deadline_ps),
			      HRTIMER_MODE_ABS_SOFT);
}

/* The oldest request failed: complete it, stop the queue pair. */
void suo_req_fail(struct suo_qp *qp, enum ib_wc_status status)
{
	if (qp->sq.cons != qp->sq.prod) {
		struct suo_swqe *wqe = suo_sq_copy(&qp->sq, qp->sq.cons);

		wqe->status = status;
		suo_sq_complete(qp, wqe);
	}
	suo_qp_fatal(qp, SUO_WHY_REQUESTER);
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
				if (suo_swqe_has_response(wqe))
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

/* By the names of enum suo_retry; each counts what did not exceed the retries. */
static const u8 retry_stats[] = {
#define SUO_RETRY_STAT(name, stat)	\
	[SUO_RETRY_##name] = SUO_ST_##stat,
	SUO_RETRIES(SUO_RETRY_STAT)
#undef SUO_RETRY_STAT
};

static void req_count_retry(struct suo_qp *qp, enum suo_retry why, u32 psn,
			    u32 left, u64 delay_ps)
{
	trace_suo_retry(qp->dev, qp->ibqp.qp_num, why, psn, left, delay_ps);
	atomic64_inc(&suo_qp_stats(qp)->val[retry_stats[why]]);
}

/* One retry less; false if that was the last. */
static bool req_retry(struct suo_qp *qp, enum suo_retry why, u32 psn)
{
	if (!qp->req.retry) {
		suo_qp_stat_inc(qp, retry_exceeded_err);
		suo_req_fail(qp, IB_WC_RETRY_EXC_ERR);
		return false;
	}
	qp->req.retry--;
	if (static_branch_unlikely(&suo_paced) && qp->flow)
		suo_flow_lost(qp);
	req_count_retry(qp, why, psn, qp->req.retry, 0);
	req_rewind(qp, psn);
	suo_req_arm(qp);
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
	if (req_retry(qp, SUO_RETRY_GAP, suo_psn_add(wqe->first_psn, wqe->rd_done)))
		wqe->gap = true;
}

static void req_progress(struct suo_qp *qp, u32 una)
{
	struct suo_req *req = &qp->req;

	if (suo_psn_diff(una, req->una) <= 0)
		return;
	if (static_branch_unlikely(&suo_paced) && qp->flow)
		suo_flow_acked(qp, una);
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

		if (wqe->started && suo_swqe_is_local(wqe)) {
			suo_sq_complete(qp, wqe);
			continue;
		}
		if (!wqe->started || suo_psn_diff(psn, wqe->first_psn) < 0)
			break;
		if (suo_swqe_has_response(wqe)) {
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
void suo_req_complete_local(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;

	while (sq->cons != sq->prod) {
		struct suo_swqe *wqe = suo_sq_copy(sq, sq->cons);

		if (!wqe->started || !suo_swqe_is_local(wqe))
			return;
		suo_sq_complete(qp, wqe);
	}
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
		kick = req_retry(qp, SUO_RETRY_TIMEOUT, qp->req.una);
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
		suo_qp_stat_inc(qp, retry_rnr_exceeded_err);
		suo_req_fail(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->req.rnr_retry != 7)
		qp->req.rnr_retry--;
	req_count_retry(qp, SUO_RETRY_RNR, psn, qp->req.rnr_retry, delay_ps);
	req_rewind(qp, psn);
	qp->req.waiting = true;
	hrtimer_start(&qp->timer, suo_ps_to_ktime(suo_now_ps() + delay_ps),
		      HRTIMER_MODE_ABS_SOFT);
}

static void req_rx_ack(struct suo_qp *qp, const struct suo_hdr *hdr,
		       const struct suo_payload *pay)
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
		req_retry(qp, SUO_RETRY_NAK, hdr->psn);
		break;
	case SUO_SYN_NAK_INV_REQ:
		suo_qp_stat_inc(qp, req_remote_invalid_request);
		suo_req_fail(qp, IB_WC_REM_INV_REQ_ERR);
		break;
	case SUO_SYN_NAK_REM_ACC:
		suo_qp_stat_inc(qp, req_remote_access_errors);
		suo_req_fail(qp, IB_WC_REM_ACCESS_ERR);
		break;
	case SUO_SYN_NAK_REM_OP:
		suo_req_fail(qp, IB_WC_REM_OP_ERR);
		break;
	default:
		suo_qp_drop(qp, SUO_DROP_SYNDROME, hdr, pay);
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
	const struct suo_payload *arrived = pay;
	u32 flags = suo_op_flags(hdr->opcode);
	struct suo_swqe *wqe;
	u32 off, want, n;
	bool last;
	int err;

	wqe = suo_sq_copy(&qp->sq, qp->sq.cons);
	if (!suo_swqe_has_response(wqe) || suo_psn_diff(hdr->psn, wqe->first_psn) >=
				  (s32)wqe->npkts) {
		if (!req_ack(qp, before))
			return;
		if (qp->sq.cons == qp->sq.prod)
			goto drop;
		wqe = suo_sq_copy(&qp->sq, qp->sq.cons);
		if (!suo_swqe_has_response(wqe) || !wqe->started)
			goto drop;
	}
	if (suo_swqe_is_atomic(wqe) != !!(flags & SUO_F_ATOMIC_ACK))
		goto bad;
	if (suo_swqe_is_atomic(wqe))
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
		suo_req_fail(qp, err == -EACCES ? IB_WC_REM_ACCESS_ERR :
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
		suo_req_complete_local(qp);
	}
	return;

bad:
	suo_req_fail(qp, IB_WC_BAD_RESP_ERR);
	return;
drop:
	suo_qp_drop(qp, SUO_DROP_STALE, hdr, arrived);
}

/**
 * suo_req_awaits() - which response with data comes next?
 * @qp: the queue pair, locked
 * @psn: its sequence number
 *
 * Return: there is one that is awaited.
 */
bool suo_req_awaits(const struct suo_qp *qp, u32 *psn)
{
	const struct suo_sq *sq = &qp->sq;
	u32 i;

	for (i = sq->cons; i != sq->prod; i++) {
		const struct suo_swqe *wqe = suo_sq_copy(sq, i);

		if (!wqe->started)
			return false;
		if (suo_swqe_has_response(wqe)) {
			*psn = suo_psn_add(wqe->first_psn, wqe->rd_done);
			return true;
		}
	}
	return false;
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
	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD) {
		suo_qp_drop(qp, SUO_DROP_STATE, hdr, pay);
		return;
	}
	/* Only what is in flight can be answered. A NAK may name the packet
	 * right after the last acknowledged one, which is una itself.
	 */
	if (suo_psn_diff(hdr->psn, qp->req.una) < 0 ||
	    suo_psn_diff(hdr->psn, qp->req.max_psn) >= 0) {
		suo_qp_drop(qp, SUO_DROP_STALE, hdr, pay);
		return;
	}
	if (suo_op_flags(hdr->opcode) & SUO_F_ACK)
		req_rx_ack(qp, hdr, pay);
	else
		req_rx_data(qp, hdr, pay);
	if (qp->state == IB_QPS_SQD)
		suo_req_drained(qp);
}
