/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the requester share: req_tx.c sends, req.c listens. */
#ifndef SUO_REQ_H
#define SUO_REQ_H

#include "qp.h"

static inline bool suo_swqe_is_read(const struct suo_swqe *wqe)
{
	return wqe->w.opcode == IB_UVERBS_WR_RDMA_READ;
}

static inline bool suo_swqe_is_atomic(const struct suo_swqe *wqe)
{
	return wqe->w.opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->w.opcode == IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD;
}

/* Does the peer answer with data? Such requests are limited in number. */
static inline bool suo_swqe_has_response(const struct suo_swqe *wqe)
{
	return suo_swqe_is_read(wqe) || suo_swqe_is_atomic(wqe);
}

/* Done here, at its turn: nothing is sent. */
static inline bool suo_swqe_is_local(const struct suo_swqe *wqe)
{
	return wqe->w.opcode == IB_UVERBS_WR_LOCAL_INV ||
	       wqe->w.opcode == IB_UVERBS_WR_BIND_MW ||
	       wqe->w.opcode == SUO_WR_REG_MR;
}

void suo_req_arm(struct suo_qp *qp);
void suo_req_fail(struct suo_qp *qp, enum ib_wc_status status);
void suo_req_complete_local(struct suo_qp *qp);

#endif /* SUO_REQ_H */
