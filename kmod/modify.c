// SPDX-License-Identifier: GPL-2.0-only
/* Queue pair states and attributes. */
#include <linux/mm.h>

#include "cc.h"
#include "qp.h"

/* How a queue pair reaches its peer, settled when it learns who that is. */
static int qp_set_peer(struct suo_qp *qp, const struct ib_qp_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&attr->ah_attr);
	struct suo_member *peer;
	struct suo_av *av;
	int err;

	av = suo_av_create(qp->ibqp.pd, &attr->ah_attr);
	if (IS_ERR(av))
		return PTR_ERR(av);
	/* A send of an unreliable connection is done when it has left, so its
	 * data cannot stay in place until it arrives.
	 */
	peer = qp->ibqp.qp_type == IB_QPT_RC ?
		suo_domain_peer(qp->dev, &grh->dgid) : NULL;
	err = PTR_ERR_OR_ZERO(peer);
	if (err)
		goto err_av;
	err = -EINVAL;
	if (!peer && attr->path_mtu > av->mtu)
		goto err_av;
	suo_qp_lock(qp);
	qp->port = peer ? &qp->dev->su : &qp->dev->nic;
	qp->mtu = peer ? SUO_SEGMENT : ib_mtu_enum_to_int(attr->path_mtu);
	swap(qp->av, av);
	swap(qp->peer, peer);
	qp->sport = rdma_get_udp_sport(grh->flow_label, qp->ibqp.qp_num,
				       attr->dest_qp_num);
	memset(qp->icrc, 0, sizeof(qp->icrc));
	suo_flow_reset(qp);
	suo_qp_unlock(qp);
	/* Of an earlier connection, whose last packet may be about to leave */
	suo_av_put(av);
	if (peer) {
		synchronize_rcu();
		suo_member_put(peer);
	}
	return 0;

err_av:
	suo_av_put(av);
	return err;
}

static void qp_reset(struct suo_qp *qp)
{
	struct suo_answer *answers;
	struct suo_sq *sq = &qp->sq;

	suo_qp_stop(qp, SUO_WHY_MODIFY);
	suo_qp_lock(qp);
	memset(&qp->req, 0, sizeof(qp->req));
	answers = qp->resp.queue;
	memset(&qp->resp, 0, sizeof(qp->resp));
	qp->ack.waits = false;
	qp->ack.missed = false;
	qp->ack.turns = 0;
	qp->last_wqe_event = false;
	qp->comm_est = false;
	/* What was posted and not completed is forgotten, as the spec has it. */
	sq->cons = READ_ONCE(sq->ring.hdr->prod);
	sq->prod = sq->cons;
	sq->next = sq->cons;
	sq->next_pkt = 0;
	WRITE_ONCE(sq->ring.hdr->cons, sq->cons);
	if (qp->rqp == &qp->rq) {
		unsigned long flags;

		spin_lock_irqsave(&qp->rq.lock, flags);
		WRITE_ONCE(qp->rq.ring.hdr->arm, SUO_ARM_NONE);
		qp->rq.cons = READ_ONCE(qp->rq.ring.hdr->prod);
		WRITE_ONCE(qp->rq.ring.hdr->cons, qp->rq.cons);
		spin_unlock_irqrestore(&qp->rq.lock, flags);
	}
	suo_qp_unlock(qp);
	kvfree(answers);
}

static int qp_check_attr(const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) &&
	    attr->max_rd_atomic > SUO_MAX_RD_ATOM)
		return -EINVAL;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) &&
	    attr->max_dest_rd_atomic > SUO_MAX_RD_ATOM)
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT) && attr->timeout > 31)
		return -EINVAL;
	if ((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > 7)
		return -EINVAL;
	if ((mask & IB_QP_RNR_RETRY) && attr->rnr_retry > 7)
		return -EINVAL;
	if ((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31)
		return -EINVAL;
	if ((mask & IB_QP_PATH_MTU) &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096))
		return -EINVAL;
	if ((mask & IB_QP_PORT) && attr->port_num != 1)
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index)
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH)
		return -EOPNOTSUPP;
	return 0;
}

static void qp_set_attr(struct suo_qp *qp, const struct ib_qp_attr *attr,
			int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_AV)
		to->ah_attr = attr->ah_attr;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num & SUO_QPN_MASK;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT) {
		to->retry_cnt = attr->retry_cnt;
		qp->req.retry = attr->retry_cnt;
	}
	if (mask & IB_QP_RNR_RETRY) {
		to->rnr_retry = attr->rnr_retry;
		qp->req.rnr_retry = attr->rnr_retry;
	}
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_RQ_PSN) {
		to->rq_psn = attr->rq_psn & SUO_PSN_MASK;
		qp->resp.psn = to->rq_psn;
	}
	if (mask & IB_QP_SQ_PSN) {
		to->sq_psn = attr->sq_psn & SUO_PSN_MASK;
		qp->req.psn = to->sq_psn;
		qp->req.una = to->sq_psn;
		qp->req.max_psn = to->sq_psn;
	}
}

int suo_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct suo_qp *qp = to_sqp(ibqp);
	enum ib_qp_state cur, next;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state :
				       READ_ONCE(qp->state);
	next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (cur != READ_ONCE(qp->state) ||
	    !ib_modify_qp_is_ok(cur, next, ibqp->qp_type, mask))
		return -EINVAL;
	err = qp_check_attr(attr, mask);
	if (err)
		return err;
	if ((mask & IB_QP_AV) && !suo_qp_is_ud(qp)) {
		/* A path is not changed under way. */
		if (cur != IB_QPS_INIT)
			return -EOPNOTSUPP;
		err = qp_set_peer(qp, attr);
		if (err)
			return err;
	}
	if (next == IB_QPS_RTR && cur == IB_QPS_INIT &&
	    qp->ibqp.qp_type == IB_QPT_RC) {
		err = suo_resp_resize(qp, attr->max_dest_rd_atomic);
		if (err)
			return err;
	}
	if (suo_qp_is_ud(qp))
		qp->mtu = ib_mtu_enum_to_int(suo_netdev_mtu(qp->dev->ndev));
	if ((mask & IB_QP_STATE) && next == IB_QPS_RESET) {
		qp_reset(qp);
		return 0;
	}
	suo_qp_lock(qp);
	/* An error may have come in meanwhile, and stays. */
	if (qp->state == cur) {
		qp_set_attr(qp, attr, mask);
		if (next == IB_QPS_ERR) {
			suo_qp_fatal(qp, SUO_WHY_MODIFY);
		} else {
			suo_qp_set_state(qp, next, SUO_WHY_MODIFY);
			if (next == IB_QPS_SQD)
				suo_req_drained(qp);
		}
	} else {
		err = -EINVAL;
	}
	suo_qp_unlock(qp);
	/* Requests may have been posted before the queue pair could send. */
	if (next == IB_QPS_RTS && cur != next)
		suo_port_kick(qp->port, qp);
	return err;
}

int suo_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct suo_qp *qp = to_sqp(ibqp);

	suo_qp_lock(qp);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->sq_draining = qp->state == IB_QPS_SQD &&
			    qp->req.una != qp->req.max_psn;
	attr->sq_psn = qp->req.psn;
	attr->rq_psn = qp->resp.psn;
	suo_qp_unlock(qp);
	attr->ah_attr.grh.sgid_attr = NULL;
	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->qp_type = ibqp->qp_type;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	return 0;
}
