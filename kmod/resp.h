/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the responder share: resp.c executes, resp_tx.c answers. */
#ifndef SUO_RESP_H
#define SUO_RESP_H

#include "qp.h"

/* An acknowledgment, from the BTH on */
#define SUO_ACK_LEN	(SUO_BTH_LEN + SUO_AETH_LEN + SUO_ICRC_LEN)

static inline u32 suo_resp_answers(const struct suo_resp *resp)
{
	return resp->tail - resp->head;
}

static inline struct suo_answer *suo_resp_answer_at(const struct suo_resp *resp,
						    u32 i)
{
	return &resp->queue[i & (resp->size - 1)];
}

/* Is there, or may there be, anything that the queue pair has to send? */
static inline bool suo_qp_has_more(const struct suo_qp *qp)
{
	return suo_resp_answers(&qp->resp) || suo_sq_any(&qp->sq);
}

/* Does it owe an acknowledgment, and nothing else? */
static inline bool suo_resp_owes_ack(const struct suo_resp *resp)
{
	return suo_resp_answers(resp) == 1 &&
	       suo_resp_answer_at(resp, resp->head)->kind == SUO_ANSWER_ACK;
}

/* Can it go along with a request? On the scale-up path packets go alone. Where it has
 * missed one it goes next: behind all that there is to send it would come too late for a
 * peer whose window is full.
 */
static inline bool suo_resp_may_ride(const struct suo_qp *qp)
{
	return !suo_qp_is_su(qp) && !qp->ack.missed &&
	       suo_resp_owes_ack(&qp->resp);
}

static inline u32 suo_resp_npkts(const struct suo_qp *qp, u32 len)
{
	return max(DIV_ROUND_UP(len, qp->mtu), 1u);
}

#endif /* SUO_RESP_H */
