/* SPDX-License-Identifier: GPL-2.0-only */
/* Receive queues: of a queue pair, or shared (SRQ). */
#ifndef SUO_RQ_H
#define SUO_RQ_H

#include "ring.h"
#include "suo.h"

/**
 * struct suo_rwqe - a receive request, copied from its ring and checked
 * @wr_id: from the request
 * @num_sge: entries of @sge
 * @length: bytes in all
 * @sge: where to put the data
 */
struct suo_rwqe {
	u64		wr_id;
	u32		num_sge;
	u64		length;
	struct suo_sge	sge[SUO_MAX_SGE];
};

/**
 * struct suo_rq - receive queue
 * @lock: protects the consumer side and, for kernel rings, both
 * @ring: requests
 * @cons: the consumer index; the ring's is for the process to read
 * @max_sge: largest num_sge
 * @limit: SRQ: raise the limit event below this many requests; 0: disarmed
 * @srq: SRQ: the core's part, NULL otherwise
 */
struct suo_rq {
	spinlock_t		lock;
	struct suo_ring		ring;
	u32			cons;
	u32			max_sge;
	u32			limit;
	struct ib_srq		*srq;
};

struct suo_srq {
	struct ib_srq		ibsrq;
	struct suo_rq		rq;
};

static inline struct suo_srq *to_ssrq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct suo_srq, ibsrq);
}

int suo_rq_init(struct suo_rq *rq, u32 max_wr, u32 max_sge,
		struct ib_ucontext *ibuc, struct suo_ring_info *info);
int suo_rq_get(struct suo_rq *rq, struct suo_rwqe *wqe);
int suo_rq_post(struct suo_rq *rq, const struct ib_recv_wr *wr,
		const struct ib_recv_wr **bad_wr);

int suo_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata);
int suo_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata);
int suo_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int suo_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int suo_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

#endif /* SUO_RQ_H */
