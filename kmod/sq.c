// SPDX-License-Identifier: GPL-2.0-only
/* Send queues: posting, copying from the ring, completing. */
#include <linux/slab.h>

#include "compat.h"
#include "qp.h"

static u32 sq_slot_size(const struct ib_qp_cap *cap)
{
	u32 data = max_t(u32, cap->max_send_sge * sizeof(struct suo_sge),
			 cap->max_inline_data);

	data = max_t(u32, data, sizeof(struct suo_bind));
	return round_up(sizeof(struct suo_sq_wqe) + data, 64);
}

int suo_sq_init(struct suo_qp *qp, struct ib_qp_cap *cap,
		struct ib_ucontext *ibuc, struct suo_ring_info *info)
{
	struct suo_sq *sq = &qp->sq;
	u32 slot;
	int err;

	spin_lock_init(&sq->lock);
	hrtimer_setup(&sq->timer, suo_doorbell_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	sq->max_sge = max(cap->max_send_sge, 1u);
	cap->max_send_sge = sq->max_sge;
	slot = sq_slot_size(cap);
	/* As much as fits, since there are programs that ask for nothing and
	 * take it for granted all the same.
	 */
	sq->max_inline = min_t(u32, slot - sizeof(struct suo_sq_wqe),
			       SUO_MAX_INLINE);
	cap->max_inline_data = sq->max_inline;
	err = suo_ring_init(&sq->ring, cap->max_send_wr, slot, ibuc, info);
	if (err)
		return err;
	sq->stride = round_up(offsetof(struct suo_swqe, w) + sq->ring.stride, 8);
	sq->copy = kvcalloc(sq->ring.entries, sq->stride,
			    GFP_KERNEL | __GFP_NOWARN);
	if (!sq->copy) {
		suo_ring_free(&sq->ring);
		return -ENOMEM;
	}
	cap->max_send_wr = sq->ring.entries;
	return 0;
}

void suo_sq_free(struct suo_sq *sq)
{
	suo_ring_free(&sq->ring);
	kvfree(sq->copy);
	sq->copy = NULL;
}

/* Copy one request out of its slot, then check the copy. */
static void sq_copy(struct suo_sq *sq, struct suo_swqe *wqe,
		    const struct suo_sq_wqe *slot)
{
	struct suo_sq_wqe w = *slot;
	u64 length = 0;
	u32 i;

	memset(wqe, 0, offsetof(struct suo_swqe, w));
	if (w.opcode == IB_UVERBS_WR_BIND_MW || (w.flags & SUO_SEND_INLINE)) {
		w.num_sge = 0;
	} else if (w.num_sge > sq->max_sge) {
		w.num_sge = 0;
		wqe->status = IB_WC_LOC_QP_OP_ERR;
	}
	/* A packet of what was here before, if that was flushed, may still be
	 * under way: it never sees a list that does not end.
	 */
	wqe->w = w;
	if (wqe->w.opcode == IB_UVERBS_WR_BIND_MW) {
		wqe->w.flags &= ~SUO_SEND_INLINE;
		*suo_swqe_bind(wqe) = *(const struct suo_bind *)slot->sge;
	} else if (wqe->w.flags & SUO_SEND_INLINE) {
		if (wqe->w.inline_len > sq->max_inline) {
			wqe->w.flags &= ~SUO_SEND_INLINE;
			wqe->status = IB_WC_LOC_QP_OP_ERR;
			return;
		}
		memcpy(suo_swqe_inline(wqe), slot->sge, wqe->w.inline_len);
		length = wqe->w.inline_len;
	} else {
		memcpy(suo_swqe_sges(wqe), slot->sge,
		       wqe->w.num_sge * sizeof(struct suo_sge));
		for (i = 0; i < wqe->w.num_sge; i++)
			length += suo_swqe_sges(wqe)[i].length;
	}
	if (length > SUO_MAX_MSG_SZ) {
		wqe->status = IB_WC_LOC_LEN_ERR;
		return;
	}
	wqe->length = length;
}

/* Copy what has been posted since the last time. */
void suo_sq_fetch(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;
	u32 end;

	lockdep_assert_held(&qp->lock);
	/* Pairs with the release of whoever filled the slots. */
	end = smp_load_acquire(&sq->ring.hdr->prod);
	/* A process that overruns its ring, or takes back what it has posted,
	 * has spoilt it for itself.
	 */
	if (end - sq->cons > sq->ring.entries ||
	    end - sq->cons < sq->prod - sq->cons)
		return;
	while (sq->prod != end) {
		sq_copy(sq, suo_sq_copy(sq, sq->prod),
			suo_ring_slot(&sq->ring, sq->prod));
		sq->prod++;
	}
}

static u32 wc_opcode(u8 opcode)
{
	switch (opcode) {
	case IB_UVERBS_WR_RDMA_WRITE:
	case IB_UVERBS_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_UVERBS_WR_RDMA_READ:
		return IB_WC_RDMA_READ;
	case IB_UVERBS_WR_ATOMIC_CMP_AND_SWP:
		return IB_WC_COMP_SWAP;
	case IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD:
		return IB_WC_FETCH_ADD;
	case IB_UVERBS_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case IB_UVERBS_WR_BIND_MW:
		return IB_WC_BIND_MW;
	case SUO_WR_REG_MR:
		return IB_WC_REG_MR;
	default:
		return IB_WC_SEND;
	}
}

/**
 * suo_sq_complete() - complete the oldest send request with wqe->status
 * @qp: the queue pair, locked
 * @wqe: its oldest request
 */
void suo_sq_complete(struct suo_qp *qp, struct suo_swqe *wqe)
{
	struct suo_sq *sq = &qp->sq;
	struct suo_cqe cqe = {
		.wr_id = wqe->w.wr_id,
		.status = wqe->status,
		.opcode = wc_opcode(wqe->w.opcode),
		.byte_len = wqe->length,
		.qpn = qp->ibqp.qp_num,
		.port_num = 1,
		.vlan_id = 0xffff,
	};
	bool visible = qp->sig_all || wqe->status != IB_WC_SUCCESS ||
		       (wqe->w.flags & SUO_SEND_SIGNALED);

	lockdep_assert_held(&qp->lock);
	if (wqe->status == IB_WC_WR_FLUSH_ERR)
		suo_qp_stat_inc(qp, req_cqe_flush_error);
	else if (wqe->status != IB_WC_SUCCESS)
		suo_qp_stat_inc(qp, req_cqe_error);
	sq->cons++;
	/* The slot is free before its completion can be seen: whoever saw it
	 * may post again at once.
	 */
	smp_store_release(&sq->ring.hdr->cons, sq->cons);
	if (visible)
		suo_cq_add(to_scq(qp->ibqp.send_cq), &cqe, &qp->ibqp, false);
}

/* A kernel consumer's request in the ring's form; 0 or -errno. */
static int sq_put(struct suo_qp *qp, struct suo_sq_wqe *slot,
		  const struct ib_send_wr *wr)
{
	struct suo_sq *sq = &qp->sq;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge)
		return -EINVAL;
	memset(slot, 0, sizeof(*slot));
	switch (wr->opcode) {
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		if (qp->ibqp.qp_type != IB_QPT_RC)
			return -EINVAL;
		break;
	case IB_WR_REG_MR:
		if (qp->ibqp.qp_type != IB_QPT_RC)
			return -EINVAL;
		slot->remote_addr = (uintptr_t)reg_wr(wr)->mr;
		slot->rkey = reg_wr(wr)->key;
		slot->swap = reg_wr(wr)->access;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		if (qp->ibqp.qp_type != IB_QPT_RC)
			return -EINVAL;
		slot->remote_addr = atomic_wr(wr)->remote_addr;
		slot->rkey = atomic_wr(wr)->rkey;
		slot->compare_add = atomic_wr(wr)->compare_add;
		slot->swap = atomic_wr(wr)->swap;
		break;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		if (suo_qp_is_ud(qp)) {
			slot->ah_id = to_sah(ud_wr(wr)->ah)->id;
			slot->remote_qpn = ud_wr(wr)->remote_qpn;
			slot->remote_qkey = ud_wr(wr)->remote_qkey;
		}
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		if (suo_qp_is_ud(qp))
			return -EINVAL;
		slot->remote_addr = rdma_wr(wr)->remote_addr;
		slot->rkey = rdma_wr(wr)->rkey;
		break;
	default:
		return -EOPNOTSUPP;
	}
	slot->wr_id = wr->wr_id;
	slot->opcode = (u8)wr->opcode;
	slot->flags = wr->send_flags & (SUO_SEND_FENCE | SUO_SEND_SIGNALED |
					SUO_SEND_SOLICITED | SUO_SEND_INLINE);
	slot->imm_data = (__force u32)wr->ex.imm_data;
	if (slot->flags & SUO_SEND_INLINE) {
		u8 *to = (u8 *)slot->sge;

		for (i = 0; i < wr->num_sge; i++) {
			const struct ib_sge *sge = &wr->sg_list[i];

			if (sge->length > sq->max_inline - slot->inline_len)
				return -EINVAL;
			memcpy(to + slot->inline_len,
			       (void *)(uintptr_t)sge->addr, sge->length);
			slot->inline_len += sge->length;
		}
		return 0;
	}
	slot->num_sge = wr->num_sge;
	for (i = 0; i < wr->num_sge; i++) {
		slot->sge[i].addr = wr->sg_list[i].addr;
		slot->sge[i].length = wr->sg_list[i].length;
		slot->sge[i].lkey = wr->sg_list[i].lkey;
	}
	return 0;
}

/**
 * suo_post_send() - post send requests
 * @ibqp: the queue pair
 * @wr: a kernel consumer's requests; none for a process, whose doorbell this
 *	is: the ring has them
 * @bad_wr: the first one that was not posted
 *
 * Return: 0; -EINVAL for a bad request or state; -ENOMEM if the queue is full;
 * -EOPNOTSUPP for an opcode that suo does not have.
 */
int suo_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct suo_qp *qp = to_sqp(ibqp);
	struct suo_sq *sq = &qp->sq;
	struct suo_ring_hdr *hdr = sq->ring.hdr;
	enum ib_qp_state state = READ_ONCE(qp->state);
	unsigned long flags;
	int err = 0;

	*bad_wr = wr;
	if (state < IB_QPS_RTS || (sq->ring.entry && wr))
		return -EINVAL;
	if (!sq->ring.entry) {
		spin_lock_irqsave(&sq->lock, flags);
		for (; wr && !err; wr = wr->next) {
			if (hdr->prod - READ_ONCE(hdr->cons) >=
			    sq->ring.entries) {
				err = -ENOMEM;
				break;
			}
			err = sq_put(qp, suo_ring_slot(&sq->ring, hdr->prod),
				     wr);
			if (err)
				break;
			/* Pairs with the acquire in suo_sq_fetch(). */
			smp_store_release(&hdr->prod, hdr->prod + 1);
		}
		spin_unlock_irqrestore(&sq->lock, flags);
		*bad_wr = wr;
	}
	suo_port_kick(qp->port, qp);
	if (sq->ring.entry)
		suo_doorbell(qp);
	return err;
}

int suo_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct suo_qp *qp = to_sqp(ibqp);
	int err;

	if (qp->rqp != &qp->rq || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad_wr = wr;
		return -EINVAL;
	}
	err = suo_rq_post(&qp->rq, wr, bad_wr);
	/* Posted to a queue pair in error: its run flushes. */
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		suo_port_kick(qp->port, qp);
	return err;
}
