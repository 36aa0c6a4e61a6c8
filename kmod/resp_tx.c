// SPDX-License-Identifier: GPL-2.0-only
/* The responder of a reliable connection, answering. */
#include "resp.h"
#include "trace.h"
#include "window.h"

static void resp_build_read(struct suo_qp *qp, const struct suo_answer *a,
			    struct suo_pkt *pkt)
{
	u32 npkts = suo_resp_npkts(qp, a->len);
	bool window = suo_key_is_window(a->rkey);
	u32 run = window ? 1 : suo_qp_run(qp, npkts - a->sent);
	bool first = !a->sent, last = a->sent + run == npkts;
	u32 off = a->sent * qp->mtu;
	u32 n = min(a->len - off, run * qp->mtu);

	pkt->hdr.opcode = SUO_TR_RC |
		(first ? last ? SUO_OP_READ_RESP_ONLY : SUO_OP_READ_RESP_FIRST :
			 last ? SUO_OP_READ_RESP_LAST : SUO_OP_READ_RESP_MIDDLE);
	pkt->hdr.psn = suo_psn_add(a->psn, a->sent);
	suo_pkt_set_payload(pkt, qp, window ?
			    SUO_PAYLOAD_WINDOW : SUO_PAYLOAD_MR, off, n);
	pkt->pay.va = a->va;
	pkt->pay.rkey = a->rkey;
	pkt->pay.qpn = qp->ibqp.qp_num;
}

static void resp_build(struct suo_qp *qp, const struct suo_answer *a,
		       struct suo_pkt *pkt)
{
	memset(&pkt->hdr, 0, sizeof(pkt->hdr));
	memset(&pkt->pay, 0, sizeof(pkt->pay));
	pkt->hdr.pkey = SUO_DEFAULT_PKEY;
	pkt->hdr.qpn = qp->attr.dest_qp_num;
	pkt->hdr.syndrome = a->syndrome;
	pkt->hdr.msn = a->msn;
	if (a->kind == SUO_ANSWER_READ) {
		resp_build_read(qp, a, pkt);
		return;
	}
	pkt->hdr.opcode = SUO_TR_RC | (a->kind == SUO_ANSWER_ATOMIC ?
				       SUO_OP_ATOMIC_ACK : SUO_OP_ACK);
	pkt->hdr.psn = a->psn;
	pkt->hdr.orig = a->orig;
}

/* An answer to a read or an atomic operation is owed no more. */
static void resp_uncount(struct suo_resp *resp, const struct suo_answer *a)
{
	if (a->again)
		resp->again--;
	else
		resp->reads--;
}

/* n packets of the oldest answer have been made, or are lost. */
static void resp_made(struct suo_qp *qp, struct suo_answer *a, u32 n)
{
	struct suo_resp *resp = &qp->resp;

	if (a->kind != SUO_ANSWER_READ) {
		if (a->kind == SUO_ANSWER_ATOMIC)
			resp_uncount(resp, a);
		resp->head++;
		return;
	}
	a->sent += n;
	if (a->sent * (u64)qp->mtu >= a->len) {
		resp->head++;
		resp_uncount(resp, a);
	}
}

/* Put the next packet of what is owed into pkt, as long as that has room.
 * Return: there may be more.
 */
static bool resp_add(struct suo_qp *qp, struct suo_pkt *pkt, int *err)
{
	struct suo_resp *resp = &qp->resp;
	struct suo_answer *a = suo_resp_answer_at(resp, resp->head);

	/* In error only the NAK that tells why still goes out. */
	while (qp->state == IB_QPS_ERR && suo_resp_answers(resp) &&
	       (a->kind == SUO_ANSWER_READ || a->kind == SUO_ANSWER_ATOMIC)) {
		resp_uncount(resp, a);
		a = suo_resp_answer_at(resp, ++resp->head);
	}
	if (!suo_resp_answers(resp))
		return false;
	resp_build(qp, a, pkt);
	*err = suo_qp_add(qp, pkt, a->kind == SUO_ANSWER_READ);
	if (*err == -E2BIG)
		return false;
	if (*err == -EACCES) {
		/* The region went away under the read. */
		a->kind = SUO_ANSWER_NAK;
		a->syndrome = SUO_SYN_NAK_REM_ACC;
		a->psn = pkt->hdr.psn;
		resp_uncount(resp, a);
		trace_suo_nak(qp->dev, qp->ibqp.qp_num, a->syndrome, a->psn);
		suo_qp_event(qp, IB_EVENT_QP_ACCESS_ERR);
		suo_qp_fatal(qp, SUO_WHY_RESPONDER);
		return false;
	}
	resp_made(qp, a, suo_payload_pkts(&pkt->pay));
	if (!*err && suo_pkt_repeats(pkt) &&
	    a->sent + 1 < suo_resp_npkts(qp, a->len))
		a->sent += suo_net_add_run(pkt, suo_resp_npkts(qp, a->len) - 1 -
						a->sent);
	return !*err && !suo_pkt_full(pkt) && suo_resp_answers(resp);
}

/**
 * suo_resp_ride() - let an acknowledgment go along with requests
 * @qp: the queue pair, locked, whose responder owes one
 * @pkt: requests, with room for it
 */
void suo_resp_ride(struct suo_qp *qp, struct suo_pkt *pkt)
{
	struct suo_answer *a = suo_resp_answer_at(&qp->resp, qp->resp.head);

	resp_build(qp, a, pkt);
	qp->ack.missed = suo_qp_add(qp, pkt, false);
	if (qp->ack.missed)
		return;
	resp_made(qp, a, 1);
	qp->ack.waits = false;
}

/**
 * suo_resp_next() - make the next packets that a responder owes
 * @qp: the queue pair, locked
 *
 * Return: the packets, as one; or NULL if nothing is owed.
 */
struct suo_pkt *suo_resp_next(struct suo_qp *qp)
{
	struct suo_pkt *pkt;
	int err;

	qp->ack.waits = false;
	qp->ack.missed = false;
	while (suo_resp_answers(&qp->resp)) {
		pkt = suo_pkt_alloc(qp);
		if (!pkt)
			return NULL;
		err = -E2BIG;
		while (resp_add(qp, pkt, &err))
			;
		if (!err || pkt->slices) {
			suo_qp_end(qp, pkt);
			return pkt;
		}
		/* Lost before it left: the peer will ask again. */
		if (err != -E2BIG && err != -EACCES)
			suo_send_err(qp->dev, qp->ibqp.qp_num, err);
		suo_pkt_free(pkt);
	}
	return NULL;
}
