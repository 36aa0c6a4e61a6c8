// SPDX-License-Identifier: GPL-2.0-only
/* What `rdma resource show -dd` says beyond what the core knows. */
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "cq.h"
#include "mr.h"
#include "qp.h"
#include "restrack.h"

static int end_table(struct sk_buff *msg, struct nlattr *table, bool full)
{
	if (full) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

static int put_connection(struct sk_buff *msg, const struct suo_qp *qp)
{
	const struct suo_resp *resp = &qp->resp;
	const struct suo_req *req = &qp->req;

	return rdma_nl_put_driver_string(msg, "path", suo_qp_is_su(qp) ?
					 "su" : "wire") ||
	       rdma_nl_put_driver_u32(msg, "unacked",
				      suo_psn_diff(req->max_psn, req->una)) ||
	       rdma_nl_put_driver_u32(msg, "resent",
				      suo_psn_diff(req->max_psn, req->psn)) ||
	       rdma_nl_put_driver_u32(msg, "retries_left", req->retry) ||
	       rdma_nl_put_driver_u32(msg, "rnr_retries_left",
				      req->rnr_retry) ||
	       rdma_nl_put_driver_u32(msg, "rnr_wait", req->waiting) ||
	       rdma_nl_put_driver_u32(msg, "reads", req->reads) ||
	       rdma_nl_put_driver_u32(msg, "owed", resp->tail - resp->head) ||
	       rdma_nl_put_driver_u32(msg, "msn", resp->msn);
}

/* Queues are in memory that a process may write to: any number is as good. */
static int put_queues(struct sk_buff *msg, const struct suo_qp *qp)
{
	const struct suo_sq *sq = &qp->sq;
	const struct suo_rq *rq = &qp->rq;

	/* A shared receive queue is not this queue pair's. */
	return rdma_nl_put_driver_u32(msg, "mtu", qp->mtu) ||
	       rdma_nl_put_driver_u32(msg, "sq_posted",
				      READ_ONCE(sq->ring.hdr->prod) - sq->cons) ||
	       (qp->rqp == rq &&
		rdma_nl_put_driver_u32(msg, "rq_posted",
				       READ_ONCE(rq->ring.hdr->prod) -
				       READ_ONCE(rq->cons)));
}

int suo_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct suo_qp *qp = to_sqp(ibqp);
	int err;

	if (!table)
		return -EMSGSIZE;
	suo_qp_lock(qp);
	err = put_queues(msg, qp);
	if (!err && !suo_qp_is_ud(qp) && qp->av)
		err = put_connection(msg, qp);
	suo_qp_unlock(qp);
	return end_table(msg, table, err);
}

int suo_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct suo_cq *cq = to_scq(ibcq);
	u32 waiting, arm;
	bool overflowed, full;

	if (!table)
		return -EMSGSIZE;
	spin_lock_irq(&cq->lock);
	waiting = cq->prod - READ_ONCE(cq->ring.hdr->cons);
	arm = READ_ONCE(cq->ring.hdr->arm);
	overflowed = cq->overflowed;
	spin_unlock_irq(&cq->lock);
	full = rdma_nl_put_driver_u32(msg, "waiting", waiting) ||
	       rdma_nl_put_driver_u32(msg, "armed", arm != SUO_ARM_NONE) ||
	       rdma_nl_put_driver_u32(msg, "overflowed", overflowed);
	return end_table(msg, table, full);
}

int suo_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct suo_mr *mr = container_of(ibmr, struct suo_mr, ibmr);
	bool full;

	if (!table)
		return -EMSGSIZE;
	full = rdma_nl_put_driver_u64_hex(msg, "iova", READ_ONCE(ibmr->iova)) ||
	       rdma_nl_put_driver_u32_hex(msg, "access", READ_ONCE(mr->access)) ||
	       rdma_nl_put_driver_u32(msg, "valid", READ_ONCE(mr->valid)) ||
	       rdma_nl_put_driver_u32(msg, "windows", READ_ONCE(mr->windows));
	return end_table(msg, table, full);
}
