/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_CQ_H
#define SUO_CQ_H

#include "compat.h"
#include "ring.h"

/**
 * struct suo_cq - completion queue
 * @ibcq: the core's part
 * @lock: protects the ring's producer side and, for kernel rings, both
 * @ring: completions
 * @prod: the producer index; the ring's is for the process to read
 * @overflowed: an entry found no room; the queue takes no more
 */
struct suo_cq {
	struct ib_cq		ibcq;
	spinlock_t		lock;
	struct suo_ring		ring;
	u32			prod;
	bool			overflowed;
};

static inline struct suo_cq *to_scq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct suo_cq, ibcq);
}

int suo_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata);
int suo_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int suo_resize_cq(struct ib_cq *ibcq, suo_resize_cqe_t cqe,
		  struct ib_udata *udata);
int suo_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int suo_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void suo_cq_add(struct suo_cq *cq, const struct suo_cqe *cqe,
		struct ib_qp *ibqp, bool solicited);

#endif /* SUO_CQ_H */
