// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The extended interface of completion queues: the application looks at one
 * entry at a time, in place.
 */
#include <errno.h>
#include <stdlib.h>

#include "suo.h"

struct suo_create_cq_ex_answer {
	struct ib_uverbs_ex_create_cq_resp core;
	struct suo_create_cq_resp driver;
};
static_assert(offsetof(struct suo_create_cq_ex_answer, driver) ==
	      sizeof(struct ib_uverbs_ex_create_cq_resp), "response");

/* No clock, VLAN or flow tag comes with a completion. */
#define SUO_WC_EX_FLAGS	(IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | \
			 IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_SRC_QP | \
			 IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL | \
			 IBV_WC_EX_WITH_DLID_PATH_BITS)

#define SUO_CQ_EX_MASK	(IBV_CQ_INIT_ATTR_MASK_FLAGS)
#define SUO_CQ_EX_ATTR	(IBV_CREATE_CQ_ATTR_SINGLE_THREADED)

static inline struct suo_cq *ex_to_suo_cq(struct ibv_cq_ex *cq)
{
	return (struct suo_cq *)cq;
}

static bool cq_look(struct suo_cq *cq)
{
	cq->cqe = suo_ring_next_used(&cq->ring);
	if (!cq->cqe)
		return false;

	cq->vcq.cq_ex.wr_id = cq->cqe->wr_id;
	cq->vcq.cq_ex.status = cq->cqe->status;
	return true;
}

static int cq_start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct suo_cq *cq = ex_to_suo_cq(ibcq);
	bool any;

	if (attr->comp_mask)
		return EINVAL;

	suo_lock(&cq->lock);
	any = cq_look(cq);
	/* Only a successful start is followed by an end, which unlocks. */
	if (!any)
		suo_unlock(&cq->lock);

	suo_cq_found(cq, any);
	return any ? 0 : ENOENT;
}

/* The entry that was looked at is done with, also if there is no other. */
static int cq_next_poll(struct ibv_cq_ex *ibcq)
{
	struct suo_cq *cq = ex_to_suo_cq(ibcq);

	cq->ring.pos++;
	return cq_look(cq) ? 0 : ENOENT;
}

static void cq_end_poll(struct ibv_cq_ex *ibcq)
{
	struct suo_cq *cq = ex_to_suo_cq(ibcq);

	if (cq->cqe)
		cq->ring.pos++;
	cq->cqe = NULL;
	suo_ring_release(&cq->ring);
	suo_unlock(&cq->lock);
}

static enum ibv_wc_opcode cq_read_opcode(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->opcode;
}

static uint32_t cq_read_vendor_err(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->vendor_err;
}

static uint32_t cq_read_byte_len(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->byte_len;
}

static __be32 cq_read_imm_data(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->imm_data;
}

static uint32_t cq_read_qp_num(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->qpn;
}

static uint32_t cq_read_src_qp(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->src_qp;
}

static unsigned int cq_read_wc_flags(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->wc_flags;
}

/* There are no local identifiers on Ethernet. */
static uint32_t cq_read_slid(struct ibv_cq_ex *cq)
{
	return 0;
}

static uint8_t cq_read_sl(struct ibv_cq_ex *cq)
{
	return ex_to_suo_cq(cq)->cqe->sl;
}

static uint8_t cq_read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	return 0;
}

struct ibv_cq_ex *suo_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr)
{
	struct suo_create_cq_ex_answer resp = {};
	struct ibv_cq_ex *ex;
	struct suo_cq *cq;
	int ret;

	if ((attr->wc_flags & ~(uint64_t)SUO_WC_EX_FLAGS) ||
	    (attr->comp_mask & ~SUO_CQ_EX_MASK) ||
	    ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	     (attr->flags & ~SUO_CQ_EX_ATTR))) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;

	ret = ibv_cmd_create_cq_ex(context, attr, &cq->vcq, NULL, 0,
				   &resp.core, sizeof(resp), 0);
	if (ret)
		goto err_cmd;

	ret = suo_cq_setup(cq, context, &resp.driver.cq);
	if (ret)
		goto err_setup;

	ex = &cq->vcq.cq_ex;
	ex->start_poll = cq_start_poll;
	ex->next_poll = cq_next_poll;
	ex->end_poll = cq_end_poll;
	ex->read_opcode = cq_read_opcode;
	ex->read_vendor_err = cq_read_vendor_err;
	ex->read_wc_flags = cq_read_wc_flags;
	ex->read_byte_len = cq_read_byte_len;
	ex->read_imm_data = cq_read_imm_data;
	ex->read_qp_num = cq_read_qp_num;
	ex->read_src_qp = cq_read_src_qp;
	ex->read_slid = cq_read_slid;
	ex->read_sl = cq_read_sl;
	ex->read_dlid_path_bits = cq_read_dlid_path_bits;
	return ex;

err_setup:
err_cmd:
	free(cq);
	errno = ret;
	return NULL;
}
