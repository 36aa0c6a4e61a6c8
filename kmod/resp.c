// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder of a reliable connection: requests are executed in order, and
 * what they are owed is queued for suo_resp_next() to send.
 */
#include <linux/log2.h>
#include <linux/mm.h>

#include "copy.h"
#include "mr.h"
#include "resp.h"
#include "trace.h"
#include "window.h"

static struct suo_answer *answer_add(struct suo_qp *qp, u8 kind, u8 syndrome,
				     u32 psn)
{
	struct suo_resp *resp = &qp->resp;
	struct suo_answer *a;

	if (qp->ibqp.qp_type == IB_QPT_UC)
		return NULL;
	if (kind == SUO_ANSWER_ACK && suo_resp_answers(resp)) {
		a = suo_resp_answer_at(resp, resp->tail - 1);
		if (a->kind == SUO_ANSWER_ACK) {
			a->psn = psn;
			a->msn = resp->msn;
			return a;
		}
	}
	/* Reads are bounded, acknowledgments merge: only a peer that repeats
	 * itself can fill the queue, and it will repeat this too.
	 */
	if (suo_resp_answers(resp) == resp->size)
		return NULL;
	a = suo_resp_answer_at(resp, resp->tail++);
	memset(a, 0, sizeof(*a));
	a->kind = kind;
	a->syndrome = syndrome;
	a->psn = psn;
	a->msn = resp->msn;
	if (kind == SUO_ANSWER_NAK)
		trace_suo_nak(qp->dev, qp->ibqp.qp_num, syndrome, psn);
	return a;
}

/* Acknowledge what has come in, up to the packet before the expected one. */
static void resp_ack(struct suo_qp *qp)
{
	answer_add(qp, SUO_ANSWER_ACK, SUO_SYN_ACK,
		   suo_psn_add(qp->resp.psn, SUO_PSN_MASK));
}

static void resp_ack_new(struct suo_qp *qp)
{
	suo_ack_heard(qp);
	resp_ack(qp);
}

static void resp_cqe(struct suo_qp *qp, enum ib_wc_status status,
		     const struct suo_hdr *hdr, u32 flags)
{
	struct suo_resp *resp = &qp->resp;
	struct suo_cqe cqe = {
		.wr_id = resp->wqe.wr_id,
		.status = status,
		.opcode = flags & SUO_F_WRITE ? IB_WC_RECV_RDMA_WITH_IMM :
						IB_WC_RECV,
		.byte_len = resp->done,
		.qpn = qp->ibqp.qp_num,
		.src_qp = qp->attr.dest_qp_num,
		.port_num = 1,
		.vlan_id = 0xffff,
	};

	if (flags & SUO_F_IMM) {
		cqe.imm_data = (__force u32)hdr->imm;
		cqe.wc_flags = SUO_WC_WITH_IMM;
	} else if (flags & SUO_F_INV) {
		cqe.imm_data = hdr->rkey;
		cqe.wc_flags = SUO_WC_WITH_INV;
	}
	if (status != IB_WC_SUCCESS)
		suo_qp_stat_inc(qp, resp_cqe_error);
	resp->have_wqe = false;
	suo_cq_add(to_scq(qp->ibqp.recv_cq), &cqe, &qp->ibqp, hdr->se);
}

/* A request that cannot be executed: tell the peer, complete what was begun,
 * stop. Without a receive request to complete, an event has to say so.
 */
static void resp_fail(struct suo_qp *qp, const struct suo_hdr *hdr, u8 syndrome,
		      enum ib_wc_status status)
{
	if (syndrome == SUO_SYN_NAK_REM_ACC)
		suo_qp_stat_inc(qp, resp_remote_access_errors);
	if (status == IB_WC_LOC_LEN_ERR)
		suo_qp_stat_inc(qp, resp_local_length_error);
	/* IBA 9.9.3: an unreliable connection drops the message and goes on. */
	if (qp->ibqp.qp_type == IB_QPT_UC)
		return;
	answer_add(qp, SUO_ANSWER_NAK, syndrome, hdr->psn);
	if (qp->resp.have_wqe)
		resp_cqe(qp, status, hdr, 0);
	else
		suo_qp_event(qp, syndrome == SUO_SYN_NAK_REM_ACC ?
			     IB_EVENT_QP_ACCESS_ERR : IB_EVENT_QP_REQ_ERR);
	suo_qp_fatal(qp, SUO_WHY_RESPONDER);
}

/* Have a receive request for this message; false: there is none, NAKed. */
static bool resp_get_wqe(struct suo_qp *qp, const struct suo_hdr *hdr,
			 const struct suo_payload *pay)
{
	struct suo_resp *resp = &qp->resp;
	int err;

	if (resp->have_wqe)
		return true;
	err = qp->rqp ? suo_rq_get(qp->rqp, &resp->wqe) : -ENOENT;
	if (err == -ENOENT) {
		suo_qp_drop(qp, SUO_DROP_NO_WQE, hdr, pay);
		if (qp->ibqp.qp_type == IB_QPT_RC)
			suo_qp_stat_inc(qp, send_rnr_err);
		answer_add(qp, SUO_ANSWER_NAK,
			   SUO_SYN_RNR_NAK | qp->attr.min_rnr_timer, hdr->psn);
		/* What is on the way behind this packet is out of order now,
		 * which the peer knows already.
		 */
		resp->nak_sent = true;
		return false;
	}
	resp->have_wqe = true;
	if (err) {
		resp_fail(qp, hdr, SUO_SYN_NAK_REM_OP, IB_WC_LOC_QP_OP_ERR);
		return false;
	}
	return true;
}

/* Is this packet, or row of packets, the right one after those before it? */
static bool resp_in_order(struct suo_qp *qp, u32 flags,
			  const struct suo_payload *pay)
{
	u32 full = suo_payload_pkts(pay) * qp->mtu;
	u32 kind = flags & (SUO_F_SEND | SUO_F_WRITE);

	if (flags & SUO_F_START) {
		if (qp->resp.in_msg)
			return false;
	} else if (qp->resp.in_msg != kind) {
		return false;
	}
	/* The last packet has at least a byte, unless it is the only one. */
	if (!(flags & SUO_F_END))
		return pay->len == full;
	if (pay->len > full)
		return false;
	return pay->len > full - qp->mtu ||
	       ((flags & SUO_F_START) && !pay->more);
}

static void resp_rx_send(struct suo_qp *qp, const struct suo_hdr *hdr,
			 const struct suo_payload *pay, u32 flags)
{
	struct suo_resp *resp = &qp->resp;
	int err;

	if (!resp_get_wqe(qp, hdr, pay))
		return;
	if (flags & SUO_F_START)
		resp->done = 0;
	err = suo_sges_write(qp->dev, to_spd(qp->ibqp.pd), resp->wqe.sge,
			     resp->wqe.num_sge, resp->done, pay, 0, pay->len);
	switch (err) {
	case 0:
		break;
	case -EMSGSIZE:
		resp_fail(qp, hdr, SUO_SYN_NAK_INV_REQ, IB_WC_LOC_LEN_ERR);
		return;
	case -EPERM:
		resp_fail(qp, hdr, SUO_SYN_NAK_REM_OP, IB_WC_LOC_PROT_ERR);
		return;
	default:
		/* The sender's own memory is gone: as if it never sent. */
		suo_qp_drop(qp, SUO_DROP_SOURCE, hdr, pay);
		return;
	}
	if ((flags & SUO_F_INV) &&
	    suo_mr_invalidate(qp->dev, to_spd(qp->ibqp.pd), qp->ibqp.qp_num,
			      hdr->rkey)) {
		resp_fail(qp, hdr, SUO_SYN_NAK_REM_ACC, IB_WC_LOC_ACCESS_ERR);
		return;
	}
	resp->done += pay->len;
	resp->psn = suo_psn_add(resp->psn, suo_payload_pkts(pay));
	resp->in_msg = flags & SUO_F_END ? 0 : SUO_F_SEND;
	if (flags & SUO_F_END) {
		resp->msn = (resp->msn + 1) & SUO_PSN_MASK;
		resp_cqe(qp, IB_WC_SUCCESS, hdr, flags);
	}
	if (hdr->ackreq)
		resp_ack_new(qp);
}

/* May the peer do this? 0, or -EACCES, or -EINVAL for what a window does not do. */
static int resp_access(struct suo_qp *qp, u64 va, u32 rkey, u32 len, int access)
{
	struct suo_mr *mr;

	if (!(qp->attr.qp_access_flags & access))
		return -EACCES;
	if (!len)
		return 0;
	if (suo_key_is_window(rkey))
		return suo_window_check(qp, rkey, va, len);
	mr = suo_mr_get_remote(qp->dev, to_spd(qp->ibqp.pd), qp->ibqp.qp_num,
			       rkey, va, len, access);
	if (!mr)
		return -EACCES;
	suo_mr_put(mr);
	return 0;
}

static void resp_refuse(struct suo_qp *qp, const struct suo_hdr *hdr, int err)
{
	if (err == -EINVAL)
		resp_fail(qp, hdr, SUO_SYN_NAK_INV_REQ, IB_WC_LOC_QP_OP_ERR);
	else
		resp_fail(qp, hdr, SUO_SYN_NAK_REM_ACC, IB_WC_LOC_ACCESS_ERR);
}

/* The payload of a write, to where it is for; -EPERM if a key does not fit any more, or
 * the error of its source.
 */
static int resp_write(struct suo_qp *qp, const struct suo_payload *pay)
{
	u64 va = qp->resp.va + qp->resp.done;
	u32 rkey = qp->resp.rkey;
	struct suo_mr *mr;
	int err;

	if (suo_key_is_window(rkey))
		return suo_window_write(rkey, va, pay);
	mr = suo_mr_get_remote(qp->dev, to_spd(qp->ibqp.pd), qp->ibqp.qp_num,
			       rkey, va, pay->len, IB_ACCESS_REMOTE_WRITE);
	if (!mr)
		return -EPERM;
	err = suo_mr_write(mr, va, pay, 0, pay->len);
	suo_mr_put(mr);
	return err;
}

static void resp_rx_write(struct suo_qp *qp, const struct suo_hdr *hdr,
			  const struct suo_payload *pay, u32 flags)
{
	struct suo_resp *resp = &qp->resp;
	int err;

	if (flags & SUO_F_START) {
		err = resp_access(qp, hdr->va, hdr->rkey, hdr->dlen,
				  IB_ACCESS_REMOTE_WRITE);
		if (err) {
			resp_refuse(qp, hdr, err);
			return;
		}
		resp->va = hdr->va;
		resp->rkey = hdr->rkey;
		resp->dlen = hdr->dlen;
		resp->done = 0;
	}
	if (pay->len > resp->dlen - resp->done ||
	    ((flags & SUO_F_END) && pay->len != resp->dlen - resp->done)) {
		resp_fail(qp, hdr, SUO_SYN_NAK_INV_REQ, IB_WC_LOC_LEN_ERR);
		return;
	}
	if ((flags & SUO_F_IMM) && !resp_get_wqe(qp, hdr, pay))
		return;
	if (pay->len) {
		err = resp_write(qp, pay);
		if (err == -EPERM) {
			resp_refuse(qp, hdr, -EACCES);
			return;
		}
		if (err) {
			suo_qp_drop(qp, SUO_DROP_SOURCE, hdr, pay);
			return;
		}
	}
	resp->done += pay->len;
	resp->psn = suo_psn_add(resp->psn, suo_payload_pkts(pay));
	resp->in_msg = flags & SUO_F_END ? 0 : SUO_F_WRITE;
	if (flags & SUO_F_END) {
		suo_qp_stat_inc(qp, rx_write_requests);
		if (suo_key_is_window(resp->rkey) && resp->dlen)
			suo_qp_stat_inc(qp, su_mcast_writes);
		resp->msn = (resp->msn + 1) & SUO_PSN_MASK;
		if (flags & SUO_F_IMM)
			resp_cqe(qp, IB_WC_SUCCESS, hdr, flags);
	}
	if (hdr->ackreq)
		resp_ack_new(qp);
}

/* Count an answer to a read or an atomic operation, which has just been added. */
static void resp_count(struct suo_resp *resp, struct suo_answer *a, bool again)
{
	a->again = again;
	if (again)
		resp->again++;
	else
		resp->reads++;
}

/* Owe the answer to a read; NULL if it is refused, or there is no room: the
 * peer, which repeats itself, will ask again.
 */
static struct suo_answer *resp_owe_read(struct suo_qp *qp, const struct suo_hdr *hdr,
					bool again)
{
	struct suo_answer *a;
	int err;

	err = resp_access(qp, hdr->va, hdr->rkey, hdr->dlen,
			  IB_ACCESS_REMOTE_READ);
	if (err) {
		resp_refuse(qp, hdr, err);
		return NULL;
	}
	a = answer_add(qp, SUO_ANSWER_READ, SUO_SYN_ACK, hdr->psn);
	if (!a)
		return NULL;
	a->va = hdr->va;
	a->rkey = hdr->rkey;
	a->len = hdr->dlen;
	resp_count(&qp->resp, a, again);
	return a;
}

/* A read repeated by a peer that missed some of the answer. */
static void resp_rx_dup_read(struct suo_qp *qp, const struct suo_hdr *hdr)
{
	struct suo_resp *resp = &qp->resp;
	struct suo_answer *a;
	u32 npkts;
	u32 i;

	/* It was not executed, so it cannot be a repetition. */
	if (hdr->dlen > SUO_MAX_MSG_SZ)
		return;
	npkts = suo_resp_npkts(qp, hdr->dlen);
	for (i = resp->head; i != resp->tail; i++) {
		s32 skip;

		a = suo_resp_answer_at(resp, i);
		if (a->kind != SUO_ANSWER_READ)
			continue;
		skip = suo_psn_diff(hdr->psn, a->psn);
		/* Still in the queue: go back in it rather than answer twice. */
		if (skip >= 0 && skip < suo_resp_npkts(qp, a->len)) {
			a->sent = min_t(u32, a->sent, skip);
			return;
		}
	}
	if (resp->again >= resp->max_reads ||
	    suo_psn_diff(suo_psn_add(hdr->psn, npkts), resp->psn) > 0)
		return;
	resp_owe_read(qp, hdr, true);
}

static void resp_rx_read(struct suo_qp *qp, const struct suo_hdr *hdr)
{
	struct suo_resp *resp = &qp->resp;
	struct suo_answer *a;

	if (hdr->dlen > SUO_MAX_MSG_SZ || resp->reads >= resp->max_reads) {
		resp_fail(qp, hdr, SUO_SYN_NAK_INV_REQ, IB_WC_LOC_QP_OP_ERR);
		return;
	}
	a = resp_owe_read(qp, hdr, false);
	if (!a)
		return;
	/* The message counts as done in its own answer. */
	resp->msn = (resp->msn + 1) & SUO_PSN_MASK;
	a->msn = resp->msn;
	resp->psn = suo_psn_add(resp->psn, suo_resp_npkts(qp, hdr->dlen));
	suo_qp_stat_inc(qp, rx_read_requests);
	if (suo_key_is_window(hdr->rkey) && hdr->dlen)
		suo_qp_stat_inc(qp, su_reduced_reads);
}

static void resp_rx_atomic(struct suo_qp *qp, const struct suo_hdr *hdr)
{
	bool swap = hdr->opcode == (SUO_TR_RC | SUO_OP_CMP_SWAP);
	struct suo_resp *resp = &qp->resp;
	struct suo_answer *a;
	struct suo_mr *mr;
	u64 orig;
	int err;

	if (resp->reads >= resp->max_reads) {
		resp_fail(qp, hdr, SUO_SYN_NAK_INV_REQ, IB_WC_LOC_QP_OP_ERR);
		return;
	}
	/* Not executed unless it can be answered: it must not be repeated. */
	if (suo_resp_answers(resp) == resp->size)
		return;
	mr = NULL;
	if (qp->attr.qp_access_flags & IB_ACCESS_REMOTE_ATOMIC)
		mr = suo_mr_get_remote(qp->dev, to_spd(qp->ibqp.pd),
				       qp->ibqp.qp_num, hdr->rkey, hdr->va,
				       sizeof(u64), IB_ACCESS_REMOTE_ATOMIC);
	if (!mr) {
		resp_fail(qp, hdr, SUO_SYN_NAK_REM_ACC, IB_WC_LOC_ACCESS_ERR);
		return;
	}
	err = suo_mr_atomic(mr, hdr->va, swap, hdr->swap_add, hdr->compare,
			    &orig);
	suo_mr_put(mr);
	if (err) {
		resp_fail(qp, hdr, SUO_SYN_NAK_INV_REQ, IB_WC_LOC_QP_OP_ERR);
		return;
	}
	resp->msn = (resp->msn + 1) & SUO_PSN_MASK;
	resp->psn = suo_psn_add(resp->psn, 1);
	suo_qp_stat_inc(qp, rx_atomic_requests);
	a = answer_add(qp, SUO_ANSWER_ATOMIC, SUO_SYN_ACK, hdr->psn);
	if (!a)
		return;
	a->orig = orig;
	resp_count(resp, a, false);
	resp->queue[resp->size + resp->next_atomic] = *a;
	resp->next_atomic = (resp->next_atomic + 1) % resp->max_reads;
}

/* An atomic operation is executed once: its repetition gets the same answer. */
static void resp_rx_dup_atomic(struct suo_qp *qp, const struct suo_hdr *hdr)
{
	struct suo_resp *resp = &qp->resp;
	struct suo_answer *a;
	u32 i;

	for (i = 0; i < resp->max_reads; i++) {
		const struct suo_answer *kept = &resp->queue[resp->size + i];

		if (kept->kind != SUO_ANSWER_ATOMIC || kept->psn != hdr->psn ||
		    resp->again >= resp->max_reads)
			continue;
		a = answer_add(qp, SUO_ANSWER_ATOMIC, SUO_SYN_ACK, hdr->psn);
		if (!a)
			return;
		a->msn = kept->msn;
		a->orig = kept->orig;
		resp_count(resp, a, true);
		return;
	}
}

/**
 * suo_resp_resize() - make room for the answers to so many reads
 * @qp: the queue pair, not locked; it does not receive yet
 * @max_reads: reads that the peer may have under way
 *
 * Return: 0 or -ENOMEM.
 */
int suo_resp_resize(struct suo_qp *qp, u32 max_reads)
{
	u32 size = roundup_pow_of_two(4 * max_reads + 3);
	struct suo_answer *queue;

	queue = kvcalloc(size + max_reads, sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return -ENOMEM;
	suo_qp_lock(qp);
	swap(qp->resp.queue, queue);
	qp->resp.size = size;
	qp->resp.max_reads = max_reads;
	qp->resp.next_atomic = 0;
	qp->resp.head = 0;
	qp->resp.tail = 0;
	qp->resp.reads = 0;
	qp->resp.again = 0;
	suo_qp_unlock(qp);
	kvfree(queue);
	return 0;
}

/* Unreliable: a gap costs the message that it is in; the next one's first
 * packet is taken whatever its number.
 */
static void resp_rx_uc(struct suo_qp *qp, const struct suo_hdr *hdr,
		       const struct suo_payload *pay, u32 flags)
{
	struct suo_resp *resp = &qp->resp;

	/* Not lost yet: it may begin a message. */
	if (hdr->psn != resp->psn)
		suo_qp_stat_inc(qp, out_of_sequence);
	if (hdr->psn != resp->psn || (flags & SUO_F_START))
		resp->in_msg = 0;
	resp->psn = hdr->psn;
	if (resp_in_order(qp, flags, pay)) {
		if (flags & SUO_F_SEND)
			resp_rx_send(qp, hdr, pay, flags);
		else
			resp_rx_write(qp, hdr, pay, flags);
	}
	if (resp->psn == hdr->psn) {
		resp->in_msg = 0;
		resp->psn = suo_psn_add(resp->psn, suo_payload_pkts(pay));
	}
}

/**
 * suo_resp_rx() - execute a request packet
 * @qp: the queue pair, locked
 * @hdr: headers
 * @pay: payload
 */
void suo_resp_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
		 const struct suo_payload *pay)
{
	struct suo_resp *resp = &qp->resp;
	u32 flags = suo_op_flags(hdr->opcode);
	s32 d = suo_psn_diff(hdr->psn, resp->psn);

	if (qp->state != IB_QPS_RTR && qp->state != IB_QPS_RTS &&
	    qp->state != IB_QPS_SQD) {
		suo_qp_drop(qp, SUO_DROP_STATE, hdr, pay);
		return;
	}
	/* The peer got our last word; its own may have been lost. */
	if (qp->state == IB_QPS_RTR && !qp->comm_est) {
		qp->comm_est = true;
		suo_qp_event(qp, IB_EVENT_COMM_EST);
	}
	if (qp->ibqp.qp_type == IB_QPT_UC) {
		resp_rx_uc(qp, hdr, pay, flags);
		return;
	}
	if (d > 0) {
		suo_qp_drop(qp, SUO_DROP_SEQUENCE, hdr, pay);
		if (!resp->nak_sent) {
			resp->nak_sent = true;
			answer_add(qp, SUO_ANSWER_NAK, SUO_SYN_NAK_PSN_SEQ,
				   resp->psn);
		}
		return;
	}
	if (d < 0) {
		suo_qp_drop(qp, SUO_DROP_DUPLICATE, hdr, pay);
		if (flags & SUO_F_READ_REQ)
			resp_rx_dup_read(qp, hdr);
		else if (flags & SUO_F_ATOMIC)
			resp_rx_dup_atomic(qp, hdr);
		else
			resp_ack(qp);
		return;
	}
	resp->nak_sent = false;
	if (!resp_in_order(qp, flags, pay))
		resp_fail(qp, hdr, SUO_SYN_NAK_INV_REQ, IB_WC_LOC_QP_OP_ERR);
	else if (flags & SUO_F_SEND)
		resp_rx_send(qp, hdr, pay, flags);
	else if (flags & SUO_F_WRITE)
		resp_rx_write(qp, hdr, pay, flags);
	else if (flags & SUO_F_READ_REQ)
		resp_rx_read(qp, hdr);
	else
		resp_rx_atomic(qp, hdr);
}
