// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs: lifetime, dispatch of packets, and the error state. */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "cc.h"
#include "compat.h"
#include "resp.h"
#include "shm.h"
#include "trace.h"

/* Numbers are unique in the whole module, so one lookup finds the queue pair
 * of a packet whatever device it came to; they are not reused soon.
 */
static DEFINE_XARRAY_FLAGS(suo_qps, XA_FLAGS_ALLOC1);
static u32 suo_qpn_next;

static struct suo_qp *qp_of_ref(struct suo_qp_ref *ref)
{
	return ref && refcount_inc_not_zero(&ref->count) ? ref->qp : NULL;
}

/* Return: the queue pair with a reference, or NULL. */
struct suo_qp *suo_qp_lookup(u32 qpn)
{
	struct suo_qp *qp;

	rcu_read_lock();
	qp = qp_of_ref(xa_load(&suo_qps, qpn));
	rcu_read_unlock();
	return qp;
}

struct suo_qp *suo_qp_lookup_gsi(struct suo_dev *dev)
{
	struct suo_qp *qp;

	rcu_read_lock();
	qp = qp_of_ref(rcu_dereference(dev->gsi_qp));
	rcu_read_unlock();
	return qp;
}

static int qp_check_init(const struct ib_qp_init_attr *init, bool user)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (init->create_flags & ~IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK ||
	    (init->create_flags && init->qp_type != IB_QPT_UD))
		return -EOPNOTSUPP;
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		break;
	case IB_QPT_GSI:
		if (user)
			return -EOPNOTSUPP;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > SUO_MAX_QP_WR ||
	    cap->max_recv_wr > SUO_MAX_QP_WR ||
	    cap->max_send_sge > SUO_MAX_SGE ||
	    cap->max_recv_sge > SUO_MAX_SGE ||
	    cap->max_inline_data > SUO_MAX_INLINE)
		return -EINVAL;
	return 0;
}

static int qp_init_queues(struct suo_qp *qp, struct ib_qp_init_attr *init,
			  struct ib_ucontext *ibuc,
			  struct suo_create_qp_resp *resp)
{
	int err;

	err = suo_sq_init(qp, &init->cap, ibuc, &resp->sq);
	if (err)
		return err;
	if (init->srq) {
		qp->rqp = &to_ssrq(init->srq)->rq;
		return 0;
	}
	err = suo_rq_init(&qp->rq, init->cap.max_recv_wr,
			  init->cap.max_recv_sge, ibuc, &resp->rq);
	if (err) {
		suo_sq_free(&qp->sq);
		return err;
	}
	qp->rqp = &qp->rq;
	init->cap.max_recv_wr = qp->rq.ring.entries;
	init->cap.max_recv_sge = qp->rq.max_sge;
	return 0;
}

static void qp_free_queues(struct suo_qp *qp)
{
	if (qp->rqp == &qp->rq)
		suo_ring_free(&qp->rq.ring);
	suo_sq_free(&qp->sq);
}

static int qp_publish(struct suo_qp *qp)
{
	struct suo_dev *dev = qp->dev;

	if (qp->ibqp.qp_type == IB_QPT_GSI) {
		if (rcu_access_pointer(dev->gsi_qp))
			return -EBUSY;
		qp->ibqp.qp_num = 1;
		rcu_assign_pointer(dev->gsi_qp, qp->ref);
		return 0;
	}
	return xa_alloc_cyclic(&suo_qps, &qp->ibqp.qp_num, qp->ref,
			       XA_LIMIT(16, SUO_QPN_MASK - 1), &suo_qpn_next,
			       GFP_KERNEL);
}

static void qp_unpublish(struct suo_qp *qp)
{
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		RCU_INIT_POINTER(qp->dev->gsi_qp, NULL);
	else
		xa_erase(&suo_qps, qp->ibqp.qp_num);
}

int suo_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibqp->device);
	struct suo_create_qp_resp resp = {};
	struct ib_ucontext *ibuc = NULL;
	struct suo_qp *qp = to_sqp(ibqp);
	int err, i;

	err = qp_check_init(init, udata);
	if (err)
		return err;
	if (udata)
		ibuc = &rdma_udata_to_drv_context(udata, struct suo_ucontext,
						  ibuc)->ibuc;
	if (!suo_count(&dev->num_qp, SUO_MAX_QP, ibqp->uobject))
		return -ENOMEM;

	qp->dev = dev;
	qp->port = &dev->nic;
	qp->block_self = init->create_flags &
			 IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	spin_lock_init(&qp->lock);
	for (i = 0; i < SUO_PORTS; i++) {
		INIT_LIST_HEAD(&qp->slot[i].node);
		RB_CLEAR_NODE(&qp->slot[i].wait);
		qp->slot[i].qp = qp;
	}
	INIT_LIST_HEAD(&qp->shm_node);
	init_completion(&qp->gone);
	hrtimer_setup(&qp->timer, suo_req_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	hrtimer_setup(&qp->ack.timer, suo_ack_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	suo_reorder_init(qp);

	err = -ENOMEM;
	qp->ref = kzalloc(sizeof(*qp->ref), GFP_KERNEL);
	if (!qp->ref)
		goto err_ref;
	qp->ref->qp = qp;
	refcount_set(&qp->ref->count, 1);
	err = qp_init_queues(qp, init, ibuc, &resp);
	if (err)
		goto err_queues;
	qp->attr.cap = init->cap;
	if (udata) {
		err = ib_copy_to_udata(udata, &resp,
				       min(sizeof(resp), udata->outlen));
		if (err)
			goto err_copy;
	}
	err = qp_publish(qp);
	if (err < 0)
		goto err_copy;
	return 0;

err_copy:
	qp_free_queues(qp);
err_queues:
	kfree(qp->ref);
err_ref:
	suo_uncount(&dev->num_qp, ibqp->uobject);
	return err;
}

static void qp_purge(struct suo_qp *qp)
{
	suo_shm_forget(qp);
	suo_port_purge(&qp->dev->nic, qp);
	suo_port_purge(&qp->dev->su, qp);
}

/* The only place where a state changes; the queue pair is locked. */
void suo_qp_set_state(struct suo_qp *qp, enum ib_qp_state state, enum suo_why why)
{
	if (state != qp->state)
		trace_suo_qp_state(qp->dev, &qp->ibqp, qp->state, state, why);
	WRITE_ONCE(qp->state, state);
	qp->attr.qp_state = state;
	if (state == IB_QPS_ERR || state == IB_QPS_RESET)
		suo_reorder_purge(qp);
}

/**
 * suo_qp_stop() - bring a queue pair to rest in the reset state
 * @qp: the queue pair, not locked
 * @why: who wants it
 */
void suo_qp_stop(struct suo_qp *qp, enum suo_why why)
{
	suo_ack_hurry(qp);
	suo_qp_lock(qp);
	suo_qp_set_state(qp, IB_QPS_RESET, why);
	suo_doorbell_wanted(qp);
	suo_qp_unlock(qp);
	hrtimer_cancel(&qp->timer);
	hrtimer_cancel(&qp->sq.timer);
	hrtimer_cancel(&qp->ack.timer);
	hrtimer_cancel(&qp->reorder.timer);
	qp_purge(qp);
}

int suo_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct suo_qp *qp = to_sqp(ibqp);

	qp_unpublish(qp);
	suo_qp_stop(qp, SUO_WHY_DESTROY);
	suo_qp_put(qp);
	/* Whoever still runs may have listed it once more. */
	while (!wait_for_completion_timeout(&qp->gone, 1))
		qp_purge(qp);

	suo_av_put(qp->av);
	suo_member_put(qp->peer);
	kvfree(qp->resp.queue);
	kfree(qp->flow);
	qp_free_queues(qp);
	kfree_rcu(qp->ref, rcu);
	suo_uncount(&qp->dev->num_qp, ibqp->uobject);
	return 0;
}

static void qp_flush_cqe(struct suo_qp *qp, u64 wr_id)
{
	struct suo_cqe cqe = {
		.wr_id = wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qpn = qp->ibqp.qp_num,
		.port_num = 1,
		.vlan_id = 0xffff,
	};

	suo_qp_stat_inc(qp, resp_cqe_flush_error);
	suo_cq_add(to_scq(qp->ibqp.recv_cq), &cqe, &qp->ibqp, false);
}

/**
 * suo_qp_flush() - complete all that is posted, in order, with a flush error
 * @qp: the queue pair, locked and in error
 */
void suo_qp_flush(struct suo_qp *qp)
{
	struct suo_sq *sq = &qp->sq;
	struct suo_rwqe *wqe = &qp->resp.wqe;
	u32 left;

	lockdep_assert_held(&qp->lock);
	/* What is posted after this rings a doorbell, and is flushed then. */
	suo_doorbell_wanted(qp);
	suo_sq_fetch(qp);
	while (sq->cons != sq->prod) {
		struct suo_swqe *swqe = suo_sq_copy(sq, sq->cons);

		swqe->status = IB_WC_WR_FLUSH_ERR;
		suo_sq_complete(qp, swqe);
	}
	sq->next = sq->cons;
	sq->next_pkt = 0;

	if (qp->resp.have_wqe) {
		qp->resp.have_wqe = false;
		qp_flush_cqe(qp, wqe->wr_id);
	}
	if (qp->rqp != &qp->rq)
		return;
	/* As for receives, they ring no doorbell unless it is asked to: see suo-abi.h. */
	WRITE_ONCE(qp->rq.ring.hdr->arm, SUO_ARM_NEXT);
	/* Pairs with the barrier between posting and looking at @arm. */
	smp_mb();
	for (left = qp->rq.ring.entries; left; left--) {
		if (suo_rq_get(&qp->rq, wqe) == -ENOENT)
			break;
		qp_flush_cqe(qp, wqe->wr_id);
	}
}

/**
 * suo_qp_event() - tell the owner of a queue pair
 * @qp: the queue pair
 * @type: what has happened
 */
void suo_qp_event(struct suo_qp *qp, enum ib_event_type type)
{
	struct ib_event ev = {
		.device = qp->ibqp.device,
		.element.qp = &qp->ibqp,
		.event = type,
	};

	trace_suo_event(qp->ibqp.device, type, qp->ibqp.qp_num);
	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&ev, qp->ibqp.qp_context);
}

/**
 * suo_qp_fatal() - enter the error state
 * @qp: the queue pair, locked
 * @why: who brings it there
 */
void suo_qp_fatal(struct suo_qp *qp, enum suo_why why)
{
	lockdep_assert_held(&qp->lock);
	if (qp->state == IB_QPS_ERR)
		return;
	suo_qp_set_state(qp, IB_QPS_ERR, why);
	suo_qp_flush(qp);
	if (qp->ibqp.srq && !qp->last_wqe_event) {
		qp->last_wqe_event = true;
		suo_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	}
}

/**
 * suo_qp_cq_lost() - a completion found no room in its queue
 * @qp: the queue pair, locked
 *
 * It cannot be reported, so the queue pair cannot go on: to its owner it would
 * seem to hang.
 */
void suo_qp_cq_lost(struct suo_qp *qp)
{
	bool fails = qp->state != IB_QPS_RESET && qp->state != IB_QPS_ERR;

	if (fails)
		suo_qp_fatal(qp, SUO_WHY_CQ);
	/* What was flushed is lost in the same way. */
	qp->cq_lost = false;
	if (fails)
		suo_qp_event(qp, IB_EVENT_QP_FATAL);
}

/**
 * suo_qp_make_pkt() - make the next packet that a queue pair has to send
 * @qp: the queue pair, locked
 *
 * Answers go first, but a long read does not keep requests waiting, and an
 * acknowledgment rides with requests.
 *
 * Return: a packet, or NULL.
 */
struct suo_pkt *suo_qp_make_pkt(struct suo_qp *qp)
{
	struct suo_pkt *pkt = NULL;

	if (suo_qp_is_ud(qp))
		return suo_ud_next(qp);
	if (qp->req_turn || suo_resp_may_ride(qp))
		pkt = suo_req_next(qp);
	if (!pkt)
		pkt = suo_resp_next(qp);
	if (!pkt && !qp->req_turn)
		pkt = suo_req_next(qp);
	qp->req_turn = pkt &&
		(suo_op_flags(pkt->hdr.opcode) & SUO_F_READ_RESP);
	return pkt;
}

/**
 * suo_qp_next_pkt() - the next packet that a queue pair has to send
 * @qp: the queue pair
 * @port: the port that asks; it may have been left since
 *
 * Return: a packet that can leave, or NULL.
 */
struct suo_pkt *suo_qp_next_pkt(struct suo_qp *qp, struct suo_port *port)
{
	struct suo_pkt *pkt = NULL;
	int promise = 0;

	suo_qp_lock(qp);
	if (qp->port != port || qp->state == IB_QPS_RESET)
		goto out;
	if (suo_qp_is_far(qp)) {
		promise = suo_shm_promise(qp);
		if (promise < 0)
			goto out;
	}
	if (static_branch_unlikely(&suo_paced) && port->index == SUO_PORT_NIC)
		pkt = suo_flow_next(qp);
	else
		pkt = suo_qp_make_pkt(qp);
	if (qp->state == IB_QPS_ERR)
		suo_qp_flush(qp);
	if (pkt)
		pkt->more = suo_qp_has_more(qp);
	suo_shm_promised(qp, promise, pkt);
out:
	suo_qp_unlock(qp);
	return pkt;
}

/**
 * suo_qp_takes_row() - can packets that follow this one be taken along with it?
 * @qp: the queue pair, locked
 * @hdr: a packet's headers
 *
 * Return: it is from the middle of a message, and the one that is expected.
 */
bool suo_qp_takes_row(const struct suo_qp *qp, const struct suo_hdr *hdr)
{
	u32 flags = suo_op_flags(hdr->opcode);

	if (flags & (SUO_F_START | SUO_F_END))
		return false;
	if (flags & SUO_F_REQUEST)
		return hdr->psn == qp->resp.psn;
	return hdr->psn == qp->req.una;
}

/* What came too early waits, then goes with what it has waited for. */
static void qp_rx_connected(struct suo_qp *qp, const struct suo_hdr *hdr,
			    const struct suo_payload *pay, bool request,
			    const struct suo_from *from)
{
	bool orders = static_branch_unlikely(&suo_reorders) && from &&
		      qp->ibqp.qp_type == IB_QPT_RC;

	if (orders && suo_reorder_hold(qp, request ? SUO_REORDER_REQUESTS :
						     SUO_REORDER_RESPONSES,
				       hdr, pay, from))
		return;
	if (request)
		suo_resp_rx(qp, hdr, pay);
	else
		suo_req_rx(qp, hdr, pay);
	if (orders)
		suo_reorder_next(qp);
}

/**
 * suo_qp_rx() - a packet has arrived
 * @qp: the queue pair that it names, locked
 * @hdr: headers
 * @pay: payload
 * @from: how it came, NULL on the scale-up path
 *
 * There may be something to send afterwards: kick the port when it is unlocked.
 */
void suo_qp_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
	       const struct suo_payload *pay, const struct suo_from *from)
{
	u32 flags = suo_op_flags(hdr->opcode);

	lockdep_assert_held(&qp->lock);
	if (suo_qp_is_ud(qp)) {
		if (!(flags & SUO_F_DETH) || !from)
			suo_qp_drop(qp, SUO_DROP_SERVICE, hdr, pay);
		else
			suo_ud_rx(qp, hdr, pay, from);
		return;
	}
	if ((hdr->opcode & SUO_TR_MASK) !=
	    (qp->ibqp.qp_type == IB_QPT_UC ? SUO_TR_UC : SUO_TR_RC) &&
	    !(flags & SUO_F_CNP))
		suo_qp_drop(qp, SUO_DROP_SERVICE, hdr, pay);
	else if (!qp->av || suo_qp_is_su(qp) != !from ||
		 (from && !suo_net_from_peer(qp->av, from)))
		suo_qp_drop(qp, SUO_DROP_PEER, hdr, pay);
	else if (unlikely(flags & SUO_F_CNP))
		suo_flow_cnp(qp);
	else
		qp_rx_connected(qp, hdr, pay, flags & SUO_F_REQUEST, from);
}

void suo_qp_exit(void)
{
	WARN_ON(!xa_empty(&suo_qps));
	xa_destroy(&suo_qps);
}
