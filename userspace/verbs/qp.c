// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queue pairs.
 */
#include <errno.h>
#include <stdlib.h>

#include "suo.h"

struct suo_create_qp_answer {
	struct ib_uverbs_create_qp_resp core;
	struct suo_create_qp_resp driver;
};
static_assert(offsetof(struct suo_create_qp_answer, driver) ==
	      sizeof(struct ib_uverbs_create_qp_resp), "response");

struct suo_create_qp_ex_answer {
	struct ib_uverbs_ex_create_qp_resp core;
	struct suo_create_qp_resp driver;
};
static_assert(offsetof(struct suo_create_qp_ex_answer, driver) ==
	      sizeof(struct ib_uverbs_ex_create_qp_resp), "response");

/* What we know of the fields of struct ibv_qp_init_attr_ex. */
#define SUO_QP_INIT_MASK	(IBV_QP_INIT_ATTR_PD | \
				 IBV_QP_INIT_ATTR_CREATE_FLAGS | \
				 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

/*
 * Map the rings of a queue pair that the kernel has made, with the capacities
 * that it has granted. A queue of no entries has no ring.
 */
static int suo_qp_setup(struct suo_qp *qp, int cmd_fd,
			const struct ibv_qp_cap *cap, enum ibv_qp_type type,
			bool sig_all, const struct suo_create_qp_resp *resp)
{
	int ret;

	qp->sq.send_cq = to_suo_cq(qp->vqp.qp.send_cq);
	qp->sq.recv_cq = to_suo_cq(qp->vqp.qp.recv_cq);

	qp->sq.limits = (struct suo_sq_limits){
		.max_sge	= cap->max_send_sge,
		.max_inline	= cap->max_inline_data,
		.opcodes	= suo_opcodes(type),
		.flags		= sig_all ? SUO_SEND_SIGNALED : 0,
		.ud		= type == IBV_QPT_UD,
	};
	if (resp->sq.mmap_size) {
		ret = suo_ring_map(&qp->sq.ring, cmd_fd, &resp->sq,
				   suo_sq_slot_size(cap->max_send_sge,
						    cap->max_inline_data));
		if (ret)
			return ret;
	}

	qp->rq.max_sge = cap->max_recv_sge;
	if (resp->rq.mmap_size) {
		ret = suo_ring_map(&qp->rq.ring, cmd_fd, &resp->rq,
				   suo_rq_slot_size(cap->max_recv_sge));
		if (ret)
			goto err_map_rq;
	}

	pthread_spin_init(&qp->sq.lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&qp->rq.lock, PTHREAD_PROCESS_PRIVATE);
	return 0;

err_map_rq:
	suo_ring_unmap(&qp->sq.ring);
	return ret;
}

struct ibv_qp *suo_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct suo_create_qp_answer resp = {};
	struct suo_qp *qp;
	int ret;

	if (!suo_opcodes(attr->qp_type)) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	ret = ibv_cmd_create_qp(pd, &qp->vqp.qp, attr, NULL, 0, &resp.core,
				sizeof(resp));
	if (ret)
		goto err_cmd;

	ret = suo_qp_setup(qp, pd->context->cmd_fd, &attr->cap, attr->qp_type,
			   attr->sq_sig_all, &resp.driver);
	if (ret)
		goto err_setup;
	return &qp->vqp.qp;

err_setup:
	ibv_cmd_destroy_qp(&qp->vqp.qp);
err_cmd:
	free(qp);
	errno = ret;
	return NULL;
}

struct ibv_qp *suo_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr)
{
	struct suo_create_qp_ex_answer resp = {};
	struct suo_qp *qp;
	int ret;

	if ((attr->comp_mask & ~SUO_QP_INIT_MASK) ||
	    !(attr->comp_mask & IBV_QP_INIT_ATTR_PD) ||
	    ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
	     (attr->create_flags & ~IBV_QP_CREATE_BLOCK_SELF_MCAST_LB)) ||
	    !suo_opcodes(attr->qp_type)) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	ret = ibv_cmd_create_qp_ex2(context, &qp->vqp, attr, NULL, 0,
				    &resp.core, sizeof(resp));
	if (ret)
		goto err_cmd;

	ret = suo_qp_setup(qp, context->cmd_fd, &attr->cap, attr->qp_type,
			   attr->sq_sig_all, &resp.driver);
	if (ret)
		goto err_setup;

	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		ret = suo_qp_ex_setup(qp, attr->send_ops_flags);
		if (ret)
			goto err_send_ops;
	}
	return &qp->vqp.qp;

err_send_ops:
	suo_ring_unmap(&qp->sq.ring);
	suo_ring_unmap(&qp->rq.ring);
err_setup:
	ibv_cmd_destroy_qp(&qp->vqp.qp);
err_cmd:
	free(qp);
	errno = ret;
	return NULL;
}

int suo_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(qp, attr, attr_mask, init_attr, &cmd,
				sizeof(cmd));
}

static void suo_qp_clean(struct ibv_qp *qp)
{
	suo_cq_clean(qp->send_cq, qp->qp_num);
	if (qp->recv_cq != qp->send_cq)
		suo_cq_clean(qp->recv_cq, qp->qp_num);
}

int suo_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct suo_qp *qp = to_suo_qp(ibqp);
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd, sizeof(cmd));
	if (ret)
		return ret;

	/* A reset drops what was queued, with and without a completion. */
	if ((attr_mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET) {
		suo_lock(&qp->sq.lock);
		if (qp->sq.ring.hdr)
			suo_ring_resync(&qp->sq.ring);
		suo_unlock(&qp->sq.lock);

		suo_lock(&qp->rq.lock);
		if (qp->rq.ring.hdr)
			suo_ring_resync(&qp->rq.ring);
		suo_unlock(&qp->rq.lock);

		suo_qp_clean(ibqp);
	}
	return 0;
}

int suo_destroy_qp(struct ibv_qp *ibqp)
{
	struct suo_qp *qp = to_suo_qp(ibqp);
	int ret;

	ret = ibv_cmd_destroy_qp(ibqp);
	if (ret)
		return ret;

	suo_ring_unmap(&qp->sq.ring);
	suo_ring_unmap(&qp->rq.ring);
	pthread_spin_destroy(&qp->sq.lock);
	pthread_spin_destroy(&qp->rq.lock);
	free(qp);
	return 0;
}
