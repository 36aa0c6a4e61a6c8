// SPDX-License-Identifier: GPL-2.0-only
#include "rq.h"
#include "suo.h"
#include "trace.h"

int suo_rq_init(struct suo_rq *rq, u32 max_wr, u32 max_sge,
		struct ib_ucontext *ibuc, struct suo_ring_info *info)
{
	spin_lock_init(&rq->lock);
	rq->max_sge = max(max_sge, 1u);
	return suo_ring_init(&rq->ring, max_wr, sizeof(struct suo_rq_wqe) +
			     rq->max_sge * sizeof(struct suo_sge), ibuc, info);
}

static bool rq_limit_reached(struct suo_rq *rq, u32 left)
{
	if (!rq->limit || left >= rq->limit)
		return false;
	rq->limit = 0;
	return true;
}

/**
 * suo_rq_get() - take the next receive request
 * @rq: the queue
 * @wqe: result
 *
 * The slot is copied first and checked afterwards, since a process may write
 * to it at any time.
 *
 * Return: 0; -ENOENT if there is none; -EINVAL for a request that is not
 * valid, with its wr_id in @wqe.
 */
int suo_rq_get(struct suo_rq *rq, struct suo_rwqe *wqe)
{
	struct suo_ring_hdr *hdr = rq->ring.hdr;
	const struct suo_rq_wqe *slot;
	unsigned long flags;
	bool limit = false;
	int err = 0;
	u32 left, i;

	spin_lock_irqsave(&rq->lock, flags);
	/* Pairs with the release of whoever filled the slot. */
	left = smp_load_acquire(&hdr->prod) - rq->cons;
	if (!left || left > rq->ring.entries) {
		spin_unlock_irqrestore(&rq->lock, flags);
		return -ENOENT;
	}
	slot = suo_ring_slot(&rq->ring, rq->cons);
	wqe->wr_id = READ_ONCE(slot->wr_id);
	wqe->num_sge = READ_ONCE(slot->num_sge);
	wqe->length = 0;
	if (wqe->num_sge <= rq->max_sge) {
		memcpy(wqe->sge, slot->sge, wqe->num_sge * sizeof(wqe->sge[0]));
		for (i = 0; i < wqe->num_sge; i++)
			wqe->length += wqe->sge[i].length;
	} else {
		wqe->num_sge = 0;
		err = -EINVAL;
	}
	rq->cons++;
	/* The slot has been read: it may be filled again. */
	smp_store_release(&hdr->cons, rq->cons);
	limit = rq_limit_reached(rq, left - 1);
	spin_unlock_irqrestore(&rq->lock, flags);

	if (limit && rq->srq->event_handler) {
		struct ib_event ev = {
			.device = rq->srq->device,
			.element.srq = rq->srq,
			.event = IB_EVENT_SRQ_LIMIT_REACHED,
		};

		trace_suo_event(ev.device, ev.event, rq->srq->res.id);
		rq->srq->event_handler(&ev, rq->srq->srq_context);
	}
	return err;
}

/**
 * suo_rq_post() - post receive requests of a kernel consumer
 * @rq: the queue
 * @wr: requests
 * @bad_wr: the first one that was not posted
 *
 * For a process's queue this is the doorbell, which brings no request: the
 * ring has them.
 *
 * Return: 0, -ENOMEM if the queue is full, -EINVAL.
 */
int suo_rq_post(struct suo_rq *rq, const struct ib_recv_wr *wr,
		const struct ib_recv_wr **bad_wr)
{
	struct suo_ring_hdr *hdr = rq->ring.hdr;
	unsigned long flags;
	int err = 0;

	if (rq->ring.entry) {
		*bad_wr = wr;
		return wr ? -EINVAL : 0;
	}
	spin_lock_irqsave(&rq->lock, flags);
	for (; wr; wr = wr->next) {
		struct suo_rq_wqe *slot;
		int i;

		if (wr->num_sge < 0 || wr->num_sge > rq->max_sge) {
			err = -EINVAL;
			break;
		}
		if (hdr->prod - rq->cons >= rq->ring.entries) {
			err = -ENOMEM;
			break;
		}
		slot = suo_ring_slot(&rq->ring, hdr->prod);
		slot->wr_id = wr->wr_id;
		slot->num_sge = wr->num_sge;
		for (i = 0; i < wr->num_sge; i++) {
			slot->sge[i].addr = wr->sg_list[i].addr;
			slot->sge[i].length = wr->sg_list[i].length;
			slot->sge[i].lkey = wr->sg_list[i].lkey;
		}
		/* Pairs with the acquire in suo_rq_get(). */
		smp_store_release(&hdr->prod, hdr->prod + 1);
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	*bad_wr = wr;
	return err;
}
