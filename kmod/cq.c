// SPDX-License-Identifier: GPL-2.0-only
#include <rdma/uverbs_ioctl.h>

#include "cq.h"
#include "qp.h"
#include "suo.h"
#include "trace.h"

static_assert(sizeof(struct suo_cqe) == 64);
static_assert(sizeof(struct suo_sq_wqe) == 64);

int suo_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibcq->device);
	struct suo_create_cq_resp resp = {};
	struct ib_ucontext *ibuc = NULL;
	struct suo_cq *cq = to_scq(ibcq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > SUO_MAX_CQE)
		return -EINVAL;
	if (udata) {
		ibuc = &rdma_udata_to_drv_context(udata, struct suo_ucontext,
						  ibuc)->ibuc;
		if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
			return -EOPNOTSUPP;
	}
	if (!suo_count(&dev->num_cq, SUO_MAX_CQ, ibcq->uobject))
		return -ENOMEM;
	spin_lock_init(&cq->lock);
	err = suo_ring_init(&cq->ring, attr->cqe, sizeof(struct suo_cqe), ibuc,
			    &resp.cq);
	if (err)
		goto err_ring;
	ibcq->cqe = cq->ring.entries;
	if (udata) {
		err = ib_copy_to_udata(udata, &resp,
				       min(sizeof(resp), udata->outlen));
		if (err)
			goto err_copy;
	}
	return 0;

err_copy:
	suo_ring_free(&cq->ring);
err_ring:
	suo_uncount(&dev->num_cq, ibcq->uobject);
	return err;
}

int suo_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct suo_cq *cq = to_scq(ibcq);

	/* No queue pair is left, but one may be about to unlock. */
	spin_lock_irq(&cq->lock);
	spin_unlock_irq(&cq->lock);
	suo_ring_free(&cq->ring);
	suo_uncount(&to_sdev(ibcq->device)->num_cq, ibcq->uobject);
	return 0;
}

/* Move what has not been consumed, and what was armed, to another ring. */
static int cq_move(struct suo_cq *cq, struct suo_ring *to)
{
	struct suo_ring_hdr *hdr = cq->ring.hdr;
	u32 cons = READ_ONCE(hdr->cons);
	u32 i;

	lockdep_assert_held(&cq->lock);
	/* Also when a process has put nonsense into cons. */
	if (cq->overflowed || cq->prod - cons > to->entries ||
	    cq->prod - cons > cq->ring.entries)
		return -EINVAL;
	for (i = cons; i != cq->prod; i++)
		memcpy(suo_ring_slot(to, i), suo_ring_slot(&cq->ring, i),
		       sizeof(struct suo_cqe));
	to->hdr->cons = cons;
	to->hdr->prod = cq->prod;
	to->hdr->arm = READ_ONCE(hdr->arm);
	swap(cq->ring, *to);
	cq->ibcq.cqe = cq->ring.entries;
	return 0;
}

/**
 * suo_resize_cq() - give a queue another ring
 * @ibcq: the queue
 * @cqe: least number of entries
 * @udata: a process's, which has to stop polling and arming meanwhile
 *
 * Return: 0; -EINVAL if more completions wait than would fit, or if the queue
 * has overflowed; -ENOMEM; -EFAULT.
 */
int suo_resize_cq(struct ib_cq *ibcq, suo_resize_cqe_t cqe,
		  struct ib_udata *udata)
{
	struct suo_resize_cq_resp resp = {};
	struct ib_ucontext *ibuc = NULL;
	struct suo_cq *cq = to_scq(ibcq);
	struct suo_ring ring = {};
	unsigned long flags;
	int err;

	if (cqe < 1 || cqe > SUO_MAX_CQE)
		return -EINVAL;
	if (udata) {
		/* A process that cannot learn of the ring had better keep the
		 * one that it has.
		 */
		if (udata->outlen < sizeof(resp))
			return -EINVAL;
		ibuc = &rdma_udata_to_drv_context(udata, struct suo_ucontext,
						  ibuc)->ibuc;
	}
	err = suo_ring_init(&ring, cqe, sizeof(struct suo_cqe), ibuc, &resp.cq);
	if (err)
		return err;
	if (udata) {
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err)
			goto out;
	}
	spin_lock_irqsave(&cq->lock, flags);
	err = cq_move(cq, &ring);
	spin_unlock_irqrestore(&cq->lock, flags);
out:
	/* The old one, or the new one that was not used. */
	suo_ring_free(&ring);
	return err;
}

static void cq_overflow(struct suo_cq *cq)
{
	struct ib_event ev = {
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	trace_suo_event(cq->ibcq.device, ev.event, cq->ibcq.res.id);
	ibdev_err_ratelimited(cq->ibcq.device, "completion queue overflow\n");
	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&ev, cq->ibcq.cq_context);
}

/**
 * suo_cq_add() - add a completion
 * @cq: the queue
 * @cqe: the completion
 * @ibqp: its queue pair, which kernel consumers want by pointer
 * @solicited: raises the event also when only solicited ones do
 *
 * A queue that overflows takes no more for good. A queue pair whose completion
 * is lost so fails when it is unlocked: see suo_qp_unlock().
 */
void suo_cq_add(struct suo_cq *cq, const struct suo_cqe *cqe,
		struct ib_qp *ibqp, bool solicited)
{
	bool overflow = false, event = false;
	struct suo_ring_hdr *hdr;
	unsigned long flags;
	struct suo_cqe *slot;
	u32 arm;

	if (trace_suo_cqe_err_enabled() && cqe->status != IB_WC_SUCCESS)
		trace_suo_cqe_err(to_sdev(cq->ibcq.device), cq->ibcq.res.id, cqe);
	spin_lock_irqsave(&cq->lock, flags);
	hdr = cq->ring.hdr;
	/* A process that writes nonsense to cons overflows its own queue. */
	if (cq->prod - smp_load_acquire(&hdr->cons) >= cq->ring.entries) {
		overflow = !cq->overflowed;
		cq->overflowed = true;
	}
	if (cq->overflowed) {
		to_sqp(ibqp)->cq_lost = true;
	} else {
		slot = suo_ring_slot(&cq->ring, cq->prod);
		*slot = *cqe;
		if (!cq->ring.entry)
			memcpy(slot->reserved, &ibqp, sizeof(ibqp));
		cq->prod++;
		/* Pairs with the acquire before an entry is polled. */
		smp_store_release(&hdr->prod, cq->prod);
		/* Pairs with the barrier between arming and the last poll. */
		smp_mb();
		arm = READ_ONCE(hdr->arm);
		if (arm == SUO_ARM_NEXT ||
		    (arm == SUO_ARM_SOLICITED &&
		     (solicited || cqe->status != IB_WC_SUCCESS))) {
			WRITE_ONCE(hdr->arm, SUO_ARM_NONE);
			event = true;
		}
	}
	spin_unlock_irqrestore(&cq->lock, flags);

	if (event && cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	if (overflow)
		cq_overflow(cq);
}

/* The kernel numbers these differently from processes, and has more of them. */
static void wc_set_flags(struct ib_wc *wc, const struct suo_cqe *cqe)
{
	if (cqe->wc_flags & SUO_WC_GRH)
		wc->wc_flags |= IB_WC_GRH;
	if (cqe->wc_flags & SUO_WC_WITH_IMM)
		wc->wc_flags |= IB_WC_WITH_IMM;
	if (cqe->wc_flags & SUO_WC_WITH_INV)
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
	if ((cqe->wc_flags & SUO_WC_GRH) && cqe->vlan_id != 0xffff) {
		wc->wc_flags |= IB_WC_WITH_VLAN;
		wc->vlan_id = cqe->vlan_id;
	}
	if (cqe->sl) {
		wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = cqe->sl == SUO_WC_SL_IPV4 ?
			RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	}
}

int suo_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct suo_cq *cq = to_scq(ibcq);
	struct suo_ring_hdr *hdr;
	unsigned long flags;
	int i;

	/* A shared ring is polled by its process: what stands in it is not to
	 * be trusted here.
	 */
	if (cq->ring.entry)
		return -EOPNOTSUPP;
	spin_lock_irqsave(&cq->lock, flags);
	hdr = cq->ring.hdr;
	for (i = 0; i < num && hdr->cons != cq->prod; i++, wc++) {
		const struct suo_cqe *cqe = suo_ring_slot(&cq->ring, hdr->cons);

		memset(wc, 0, sizeof(*wc));
		wc->wr_id = cqe->wr_id;
		wc->status = cqe->status;
		wc->opcode = cqe->opcode;
		wc->byte_len = cqe->byte_len;
		wc->vendor_err = cqe->vendor_err;
		/* One word, also for the invalidated key. */
		wc->ex.imm_data = (__force __be32)cqe->imm_data;
		wc->src_qp = cqe->src_qp;
		wc_set_flags(wc, cqe);
		wc->port_num = cqe->port_num;
		memcpy(&wc->qp, cqe->reserved, sizeof(wc->qp));
		WRITE_ONCE(hdr->cons, hdr->cons + 1);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

int suo_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct suo_cq *cq = to_scq(ibcq);
	unsigned long irqflags;
	int missed = 0;

	spin_lock_irqsave(&cq->lock, irqflags);
	WRITE_ONCE(cq->ring.hdr->arm,
		   (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
		   SUO_ARM_SOLICITED : SUO_ARM_NEXT);
	if (flags & IB_CQ_REPORT_MISSED_EVENTS)
		missed = READ_ONCE(cq->ring.hdr->cons) != cq->prod;
	spin_unlock_irqrestore(&cq->lock, irqflags);
	return missed;
}
