// SPDX-License-Identifier: GPL-2.0-only
#include <rdma/uverbs_ioctl.h>

#include "rq.h"
#include "suo.h"

int suo_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibsrq->device);
	struct suo_srq *srq = to_ssrq(ibsrq);
	struct suo_create_srq_resp resp = {};
	struct ib_ucontext *ibuc = NULL;
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > SUO_MAX_SRQ_WR ||
	    init->attr.max_sge > SUO_MAX_SGE ||
	    init->attr.srq_limit > init->attr.max_wr)
		return -EINVAL;
	if (udata)
		ibuc = &rdma_udata_to_drv_context(udata, struct suo_ucontext,
						  ibuc)->ibuc;
	if (!atomic_add_unless(&dev->num_srq, 1, SUO_MAX_SRQ))
		return -ENOMEM;
	err = suo_rq_init(&srq->rq, init->attr.max_wr, init->attr.max_sge, ibuc,
			  &resp.rq);
	if (err)
		goto err_ring;
	srq->rq.srq = ibsrq;
	srq->rq.limit = init->attr.srq_limit;
	init->attr.max_wr = srq->rq.ring.entries;
	init->attr.max_sge = srq->rq.max_sge;
	if (udata) {
		err = ib_copy_to_udata(udata, &resp,
				       min(sizeof(resp), udata->outlen));
		if (err)
			goto err_copy;
	}
	return 0;

err_copy:
	suo_ring_free(&srq->rq.ring);
err_ring:
	atomic_dec(&dev->num_srq);
	return err;
}

int suo_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct suo_rq *rq = &to_ssrq(ibsrq)->rq;
	unsigned long flags;

	if (mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_LIMIT) {
		if (attr->srq_limit > rq->ring.entries)
			return -EINVAL;
		spin_lock_irqsave(&rq->lock, flags);
		rq->limit = attr->srq_limit;
		spin_unlock_irqrestore(&rq->lock, flags);
	}
	return 0;
}

int suo_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct suo_rq *rq = &to_ssrq(ibsrq)->rq;

	attr->max_wr = rq->ring.entries;
	attr->max_sge = rq->max_sge;
	attr->srq_limit = READ_ONCE(rq->limit);
	return 0;
}

int suo_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	suo_ring_free(&to_ssrq(ibsrq)->rq.ring);
	atomic_dec(&to_sdev(ibsrq->device)->num_srq);
	return 0;
}

int suo_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	return suo_rq_post(&to_ssrq(ibsrq)->rq, wr, bad_wr);
}
