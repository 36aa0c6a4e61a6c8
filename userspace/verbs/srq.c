// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues.
 */
#include <errno.h>
#include <stdlib.h>

#include "suo.h"

struct suo_create_srq_answer {
	struct ib_uverbs_create_srq_resp core;
	struct suo_create_srq_resp driver;
};
static_assert(offsetof(struct suo_create_srq_answer, driver) ==
	      sizeof(struct ib_uverbs_create_srq_resp), "response");

struct ibv_srq *suo_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr)
{
	struct suo_create_srq_answer resp = {};
	struct suo_srq *srq;
	int ret;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;

	ret = ibv_cmd_create_srq(pd, &srq->ibv, attr, NULL, 0, &resp.core,
				 sizeof(resp));
	if (ret)
		goto err_cmd;

	ret = suo_ring_map(&srq->rq.ring, pd->context->cmd_fd, &resp.driver.rq,
			   suo_rq_slot_size(attr->attr.max_sge));
	if (ret)
		goto err_map;

	srq->rq.max_sge = attr->attr.max_sge;
	pthread_spin_init(&srq->rq.lock, PTHREAD_PROCESS_PRIVATE);
	return &srq->ibv;

err_map:
	ibv_cmd_destroy_srq(&srq->ibv);
err_cmd:
	free(srq);
	errno = ret;
	return NULL;
}

int suo_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		   int attr_mask)
{
	struct ibv_modify_srq cmd = {};

	/* The ring keeps its size. */
	if (attr_mask & IBV_SRQ_MAX_WR)
		return EOPNOTSUPP;

	return ibv_cmd_modify_srq(srq, attr, attr_mask, &cmd, sizeof(cmd));
}

int suo_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int suo_destroy_srq(struct ibv_srq *ibsrq)
{
	struct suo_srq *srq = to_suo_srq(ibsrq);
	int ret;

	ret = ibv_cmd_destroy_srq(ibsrq);
	if (ret)
		return ret;

	suo_ring_unmap(&srq->rq.ring);
	pthread_spin_destroy(&srq->rq.lock);
	free(srq);
	return 0;
}

int suo_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr)
{
	return suo_rq_post(&to_suo_srq(srq)->rq, wr, bad_wr);
}
