/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work requests and completions: from the verbs' form to the ring's and back.
 * Pure functions; memory only is touched.
 */
#ifndef SUO_VERBS_WQE_H
#define SUO_VERBS_WQE_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/suo-abi.h>

/* The two enumerations, and the flags, are one by design of the kernel's. */
static_assert((int)IBV_WR_RDMA_WRITE == (int)IB_UVERBS_WR_RDMA_WRITE, "opcode");
static_assert((int)IBV_WR_SEND_WITH_IMM == (int)IB_UVERBS_WR_SEND_WITH_IMM,
	      "opcode");
static_assert((int)IBV_WR_ATOMIC_FETCH_AND_ADD ==
	      (int)IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, "opcode");
static_assert((int)IBV_WR_SEND_WITH_INV == (int)IB_UVERBS_WR_SEND_WITH_INV,
	      "opcode");
static_assert((int)IBV_WR_BIND_MW == (int)IB_UVERBS_WR_BIND_MW, "opcode");
static_assert((int)IBV_SEND_FENCE == (int)SUO_SEND_FENCE, "flag");
static_assert((int)IBV_SEND_SIGNALED == (int)SUO_SEND_SIGNALED, "flag");
static_assert((int)IBV_SEND_SOLICITED == (int)SUO_SEND_SOLICITED, "flag");
static_assert((int)IBV_SEND_INLINE == (int)SUO_SEND_INLINE, "flag");
static_assert((int)IBV_WC_GRH == (int)SUO_WC_GRH, "flag");
static_assert((int)IBV_WC_WITH_IMM == (int)SUO_WC_WITH_IMM, "flag");
static_assert((int)IBV_WC_WITH_INV == (int)SUO_WC_WITH_INV, "flag");
static_assert(sizeof(struct suo_sge) == sizeof(struct ibv_sge), "sge");
static_assert(offsetof(struct suo_sge, length) ==
	      offsetof(struct ibv_sge, length), "sge");
static_assert(offsetof(struct suo_sge, lkey) == offsetof(struct ibv_sge, lkey),
	      "sge");

#define SUO_SEND_FLAGS	(IBV_SEND_FENCE | IBV_SEND_SIGNALED | \
			 IBV_SEND_SOLICITED | IBV_SEND_INLINE)

/**
 * struct suo_ah - address handle
 * @ibv: first, as libibverbs sees it
 * @ah_id: the kernel's name for it in a work request
 */
struct suo_ah {
	struct ibv_ah ibv;
	uint32_t ah_id;
};

/**
 * struct suo_sq_limits - what a send queue takes
 * @max_sge: entries in a gather list
 * @max_inline: bytes of inline data
 * @opcodes: bit set by enum ibv_wr_opcode
 * @flags: set in every request (SUO_SEND_SIGNALED if all are signalled)
 * @ud: requests carry an address handle
 */
struct suo_sq_limits {
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t opcodes;
	uint16_t flags;
	bool ud;
};

/* Operations whose data leaves this side, so that it can be inline. */
#define SUO_INLINE_OPCODES						\
	(1u << IBV_WR_SEND | 1u << IBV_WR_SEND_WITH_IMM |		\
	 1u << IBV_WR_SEND_WITH_INV | 1u << IBV_WR_RDMA_WRITE |		\
	 1u << IBV_WR_RDMA_WRITE_WITH_IMM)

/**
 * suo_opcodes() - operations that a kind of queue pair may be given
 * @type: kind
 *
 * From the InfiniBand specification's table of operations by transport, less
 * those that need fields that a work request has not got here (TSO, flush).
 *
 * Return: bit set by enum ibv_wr_opcode.
 */
static inline uint32_t suo_opcodes(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_UD:
		return 1u << IBV_WR_SEND | 1u << IBV_WR_SEND_WITH_IMM;
	case IBV_QPT_UC:
		return SUO_INLINE_OPCODES | 1u << IBV_WR_LOCAL_INV |
		       1u << IBV_WR_BIND_MW;
	case IBV_QPT_RC:
		return SUO_INLINE_OPCODES | 1u << IBV_WR_LOCAL_INV |
		       1u << IBV_WR_BIND_MW | 1u << IBV_WR_RDMA_READ |
		       1u << IBV_WR_ATOMIC_CMP_AND_SWP |
		       1u << IBV_WR_ATOMIC_FETCH_AND_ADD;
	default:
		return 0;
	}
}

static inline bool suo_opcode_ok(const struct suo_sq_limits *limits,
				 unsigned int opcode)
{
	return opcode < 32 && (limits->opcodes & (1u << opcode));
}

/* Room for inline data and scatter/gather list is the same memory. */
static inline void *suo_wqe_inline(struct suo_sq_wqe *wqe)
{
	return wqe->sge;
}

/**
 * suo_wqe_fill_bind() - write what BIND_MW binds into its slot
 * @wqe: slot
 * @mw: window, with the key that it has
 * @rkey: key that it gets
 * @info: what it is bound to
 *
 * Return: 0, or EINVAL: bytes of no region.
 */
static inline int suo_wqe_fill_bind(struct suo_sq_wqe *wqe,
				    const struct ibv_mw *mw, uint32_t rkey,
				    const struct ibv_mw_bind_info *info)
{
	struct suo_bind *bind = (struct suo_bind *)wqe->sge;

	if (!mw || (info->length && !info->mr))
		return EINVAL;

	*bind = (struct suo_bind){
		.addr		= info->addr,
		.length		= info->length,
		.lkey		= info->length ? info->mr->lkey : 0,
		.mw_rkey	= mw->rkey,
		.rkey		= rkey,
		.access		= info->mw_access_flags,
	};
	return 0;
}

/**
 * suo_wqe_fill_send() - write a send request into its slot
 * @wqe: slot; its contents are undefined after an error
 * @wr: the application's request; @wr->next is not followed
 * @limits: of the queue
 *
 * Return: 0, or EINVAL: an operation or a flag that the queue does not know,
 * too many pieces, too much inline data, or inline data to be read.
 */
static inline int suo_wqe_fill_send(struct suo_sq_wqe *wqe,
				    const struct ibv_send_wr *wr,
				    const struct suo_sq_limits *limits)
{
	uint64_t bytes = 0;
	char *to;
	int i;

	if (!suo_opcode_ok(limits, wr->opcode))
		return EINVAL;
	if (wr->send_flags & ~SUO_SEND_FLAGS)
		return EINVAL;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > limits->max_sge)
		return EINVAL;

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->send_flags | limits->flags;

	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		wqe->imm_data = wr->imm_data;
		/* fall through */
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
		wqe->remote_addr = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wqe->remote_addr = wr->wr.atomic.remote_addr;
		wqe->rkey = wr->wr.atomic.rkey;
		wqe->compare_add = wr->wr.atomic.compare_add;
		wqe->swap = wr->wr.atomic.swap;
		break;
	case IBV_WR_SEND_WITH_IMM:
		wqe->imm_data = wr->imm_data;
		break;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		wqe->imm_data = wr->invalidate_rkey;
		break;
	case IBV_WR_BIND_MW:
		if (wr->num_sge || (wr->send_flags & IBV_SEND_INLINE))
			return EINVAL;
		return suo_wqe_fill_bind(wqe, wr->bind_mw.mw, wr->bind_mw.rkey,
					 &wr->bind_mw.bind_info);
	default:
		break;
	}

	if (limits->ud) {
		if (!wr->wr.ud.ah)
			return EINVAL;
		wqe->ah_id = ((struct suo_ah *)wr->wr.ud.ah)->ah_id;
		wqe->remote_qpn = wr->wr.ud.remote_qpn;
		wqe->remote_qkey = wr->wr.ud.remote_qkey;
	}

	if (!(wr->send_flags & IBV_SEND_INLINE)) {
		wqe->num_sge = wr->num_sge;
		if (wr->num_sge)
			memcpy(wqe->sge, wr->sg_list,
			       wr->num_sge * sizeof(*wqe->sge));
		return 0;
	}

	if (!(SUO_INLINE_OPCODES & (1u << wr->opcode)))
		return EINVAL;
	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	if (bytes > limits->max_inline)
		return EINVAL;

	wqe->inline_len = bytes;
	to = suo_wqe_inline(wqe);
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
	return 0;
}

/**
 * suo_wqe_fill_recv() - write a receive request into its slot
 * @wqe: slot
 * @wr: the application's request; @wr->next is not followed
 * @max_sge: entries that the slot has room for
 *
 * Return: 0, or EINVAL: too many pieces.
 */
static inline int suo_wqe_fill_recv(struct suo_rq_wqe *wqe,
				    const struct ibv_recv_wr *wr,
				    uint32_t max_sge)
{
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > max_sge)
		return EINVAL;

	wqe->wr_id = wr->wr_id;
	wqe->num_sge = wr->num_sge;
	wqe->reserved = 0;
	if (wr->num_sge)
		memcpy(wqe->sge, wr->sg_list,
		       wr->num_sge * sizeof(*wqe->sge));
	return 0;
}

/* Bytes of a send slot, and of a receive slot. */
static inline size_t suo_sq_slot_size(uint32_t max_sge, uint32_t max_inline)
{
	size_t bytes = (size_t)max_sge * sizeof(struct suo_sge);

	if (bytes < max_inline)
		bytes = max_inline;
	if (bytes < sizeof(struct suo_bind))
		bytes = sizeof(struct suo_bind);
	return sizeof(struct suo_sq_wqe) + bytes;
}

static inline size_t suo_rq_slot_size(uint32_t max_sge)
{
	return sizeof(struct suo_rq_wqe) + max_sge * sizeof(struct suo_sge);
}

/**
 * suo_cqe_to_wc() - a completion in the application's form
 * @cqe: from the ring
 * @wc: to be filled
 */
static inline void suo_cqe_to_wc(const struct suo_cqe *cqe, struct ibv_wc *wc)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = cqe->imm_data; /* or, same bits, invalidated_rkey */
	wc->qp_num = cqe->qpn;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->wc_flags;
	wc->pkey_index = cqe->pkey_index;
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
}

#endif /* SUO_VERBS_WQE_H */
