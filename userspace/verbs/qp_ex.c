// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The extended interface of send queues (ibv_wr_*): the application builds
 * requests in place, between wr_start() and wr_complete(). The first error is
 * kept; wr_complete() then reports it and nothing is sent.
 */
#include <errno.h>

#include "suo.h"

static inline struct suo_sq *ex_to_sq(struct ibv_qp_ex *qp)
{
	return &((struct suo_qp *)qp)->sq;
}

static void wr_start(struct ibv_qp_ex *ibqp)
{
	struct suo_sq *sq = ex_to_sq(ibqp);

	suo_lock(&sq->lock);
	sq->start = sq->ring.pos;
	sq->wqe = NULL;
	sq->err = suo_can_send(&ibqp->qp_base) ? 0 : EINVAL;
}

/* The next request; NULL after an error. */
static struct suo_sq_wqe *wr_begin(struct ibv_qp_ex *ibqp,
				   enum ibv_wr_opcode opcode)
{
	struct suo_sq *sq = ex_to_sq(ibqp);
	struct suo_sq_wqe *wqe;

	sq->wqe = NULL;
	if (sq->err)
		return NULL;
	if (!suo_opcode_ok(&sq->limits, opcode) ||
	    (ibqp->wr_flags & ~SUO_SEND_FLAGS)) {
		sq->err = EINVAL;
		return NULL;
	}

	wqe = suo_ring_next_free(&sq->ring);
	if (!wqe) {
		sq->err = ENOMEM;
		return NULL;
	}

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = ibqp->wr_id;
	wqe->opcode = opcode;
	/* Inline or not is said by which setter the application calls. */
	wqe->flags = (ibqp->wr_flags & ~IBV_SEND_INLINE) | sq->limits.flags;
	sq->ring.pos++;
	sq->wqe = wqe;
	return wqe;
}

static void wr_rdma(struct ibv_qp_ex *qp, enum ibv_wr_opcode opcode,
		    uint32_t rkey, uint64_t remote_addr, __be32 imm_data)
{
	struct suo_sq_wqe *wqe = wr_begin(qp, opcode);

	if (!wqe)
		return;
	wqe->rkey = rkey;
	wqe->remote_addr = remote_addr;
	wqe->imm_data = imm_data;
}

static void wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey,
			  uint64_t remote_addr)
{
	wr_rdma(qp, IBV_WR_RDMA_WRITE, rkey, remote_addr, 0);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey,
			      uint64_t remote_addr, __be32 imm_data)
{
	wr_rdma(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr, imm_data);
}

static void wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey,
			 uint64_t remote_addr)
{
	wr_rdma(qp, IBV_WR_RDMA_READ, rkey, remote_addr, 0);
}

static void wr_atomic(struct ibv_qp_ex *qp, enum ibv_wr_opcode opcode,
		      uint32_t rkey, uint64_t remote_addr, uint64_t compare_add,
		      uint64_t swap)
{
	struct suo_sq_wqe *wqe = wr_begin(qp, opcode);

	if (!wqe)
		return;
	wqe->rkey = rkey;
	wqe->remote_addr = remote_addr;
	wqe->compare_add = compare_add;
	wqe->swap = swap;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey,
			      uint64_t remote_addr, uint64_t compare,
			      uint64_t swap)
{
	wr_atomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr, compare,
		  swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey,
				uint64_t remote_addr, uint64_t add)
{
	wr_atomic(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr, add, 0);
}

static void wr_send(struct ibv_qp_ex *qp)
{
	wr_begin(qp, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data)
{
	struct suo_sq_wqe *wqe = wr_begin(qp, IBV_WR_SEND_WITH_IMM);

	if (wqe)
		wqe->imm_data = imm_data;
}

static void wr_send_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	struct suo_sq_wqe *wqe = wr_begin(qp, IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->imm_data = invalidate_rkey;
}

static void wr_local_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	struct suo_sq_wqe *wqe = wr_begin(qp, IBV_WR_LOCAL_INV);

	if (wqe)
		wqe->imm_data = invalidate_rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct suo_sq_wqe *wqe = wr_begin(qp, IBV_WR_BIND_MW);

	if (wqe && suo_wqe_fill_bind(wqe, mw, rkey, info))
		ex_to_sq(qp)->err = EINVAL;
	/* There are no data to be set. */
	ex_to_sq(qp)->wqe = NULL;
}

static void wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah,
			   uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct suo_sq_wqe *wqe = ex_to_sq(qp)->wqe;

	if (!wqe)
		return;
	wqe->ah_id = ((struct suo_ah *)ah)->ah_id;
	wqe->remote_qpn = remote_qpn;
	wqe->remote_qkey = remote_qkey;
}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge,
			    const struct ibv_sge *sg_list)
{
	struct suo_sq *sq = ex_to_sq(qp);

	if (!sq->wqe)
		return;
	if (num_sge > sq->limits.max_sge) {
		sq->err = EINVAL;
		return;
	}
	sq->wqe->num_sge = num_sge;
	if (num_sge)
		memcpy(sq->wqe->sge, sg_list, num_sge * sizeof(*sq->wqe->sge));
}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(qp, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf,
				    const struct ibv_data_buf *buf_list)
{
	struct suo_sq *sq = ex_to_sq(qp);
	size_t i, bytes = 0;
	char *to;

	if (!sq->wqe)
		return;
	if (!(SUO_INLINE_OPCODES & (1u << sq->wqe->opcode))) {
		sq->err = EINVAL;
		return;
	}

	to = suo_wqe_inline(sq->wqe);
	for (i = 0; i < num_buf; i++) {
		if (buf_list[i].length > sq->limits.max_inline - bytes) {
			sq->err = EINVAL;
			return;
		}
		memcpy(to + bytes, buf_list[i].addr, buf_list[i].length);
		bytes += buf_list[i].length;
	}
	sq->wqe->flags |= SUO_SEND_INLINE;
	sq->wqe->inline_len = bytes;
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qp, 1, &buf);
}

static int wr_complete(struct ibv_qp_ex *ibqp)
{
	struct suo_sq *sq = ex_to_sq(ibqp);
	int err = sq->err;
	bool ring = false;

	sq->wqe = NULL;
	if (err) {
		sq->ring.pos = sq->start;
	} else {
		suo_ring_publish(&sq->ring);
		ring = suo_sq_published(sq, sq->start);
	}
	suo_unlock(&sq->lock);

	return ring ? suo_ring_doorbell(&ibqp->qp_base) : err;
}

static void wr_abort(struct ibv_qp_ex *ibqp)
{
	struct suo_sq *sq = ex_to_sq(ibqp);

	sq->wqe = NULL;
	sq->ring.pos = sq->start;
	suo_unlock(&sq->lock);
}

/**
 * suo_qp_ex_setup() - give a queue pair the extended interface
 * @qp: the queue pair, with its rings
 * @send_ops_flags: operations wanted, IBV_QP_EX_WITH_*
 *
 * Return: 0, or EOPNOTSUPP: an operation that this kind of queue pair has not
 * got, or no send queue.
 */
int suo_qp_ex_setup(struct suo_qp *qp, uint64_t send_ops_flags)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;

	/* A flag's place is the opcode's number, for all that we have. */
	static_assert(IBV_QP_EX_WITH_RDMA_WRITE == 1 << IBV_WR_RDMA_WRITE &&
		      IBV_QP_EX_WITH_RDMA_READ == 1 << IBV_WR_RDMA_READ &&
		      IBV_QP_EX_WITH_LOCAL_INV == 1 << IBV_WR_LOCAL_INV &&
		      IBV_QP_EX_WITH_BIND_MW == 1 << IBV_WR_BIND_MW &&
		      IBV_QP_EX_WITH_SEND_WITH_INV == 1 << IBV_WR_SEND_WITH_INV,
		      "flags by opcode");
	if (!qp->sq.ring.hdr ||
	    (send_ops_flags & ~(uint64_t)qp->sq.limits.opcodes))
		return EOPNOTSUPP;

	ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
	ex->wr_bind_mw = wr_bind_mw;
	ex->wr_local_inv = wr_local_inv;
	ex->wr_rdma_read = wr_rdma_read;
	ex->wr_rdma_write = wr_rdma_write;
	ex->wr_rdma_write_imm = wr_rdma_write_imm;
	ex->wr_send = wr_send;
	ex->wr_send_imm = wr_send_imm;
	ex->wr_send_inv = wr_send_inv;

	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;

	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;

	qp->vqp.comp_mask |= VERBS_QP_EX;
	return 0;
}
