/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the responder share: resp.c executes, resp_tx.c answers. */
#ifndef SUO_RESP_H
#define SUO_RESP_H

#include "qp.h"

static inline u32 suo_resp_answers(const struct suo_resp *resp)
{
	return resp->tail - resp->head;
}

static inline struct suo_answer *suo_resp_answer_at(struct suo_resp *resp, u32 i)
{
	return &resp->queue[i & (resp->size - 1)];
}

static inline u32 suo_resp_npkts(const struct suo_qp *qp, u32 len)
{
	return max(DIV_ROUND_UP(len, qp->mtu), 1u);
}

#endif /* SUO_RESP_H */
