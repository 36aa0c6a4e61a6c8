/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The provider's objects. Each begins with the one that libibverbs sees, so
 * that one pointer is both.
 */
#ifndef SUO_VERBS_SUO_H
#define SUO_VERBS_SUO_H

#include <pthread.h>
#include <sched.h>

#include "driver34.h"
#include "ring.h"
#include "wqe.h"

/**
 * struct suo_context - an open device
 * @vctx: libibverbs' part; the application's pointer is &vctx.context
 * @yield_after: polls in a row that find nothing before one gives up the
 *	processor; 0: never
 */
struct suo_context {
	struct verbs_context vctx;
	unsigned int yield_after;
};

/**
 * struct suo_cq - completion queue
 * @vcq: libibverbs' part
 * @lock: guards the rest
 * @arm_lock: taken to arm and, inside @lock, to replace @ring. Arming does not
 *	take @lock: an application may arm between start_poll and end_poll.
 * @ring: we consume
 * @cqe: the entry that the extended interface is looking at
 * @context: the context, for yield_after
 * @empty: polls in a row that found nothing
 * @polls: times that anybody looked, or asked for an event
 */
struct suo_cq {
	struct verbs_cq vcq;
	pthread_spinlock_t lock;
	pthread_spinlock_t arm_lock;
	struct suo_ring ring;
	const struct suo_cqe *cqe;
	struct suo_context *context;
	unsigned int empty;
	uint32_t polls;
};

/**
 * struct suo_rq - receive queue, of a queue pair or shared
 * @lock: guards @ring
 * @ring: we produce
 * @max_sge: entries of a scatter list
 */
struct suo_rq {
	pthread_spinlock_t lock;
	struct suo_ring ring;
	uint32_t max_sge;
};

/**
 * struct suo_sq - send queue
 * @lock: guards the rest
 * @ring: we produce
 * @limits: what the queue takes
 * @start: the extended interface: ring position at wr_start()
 * @wqe: the extended interface: request being built
 * @err: the extended interface: first error since wr_start()
 * @send_cq: the queue's completion queue
 * @recv_cq: the receive queue's
 * @send_polls: @send_cq->polls when the doorbell was rung last
 * @recv_polls: likewise
 * @unrung: requests since then
 */
struct suo_sq {
	pthread_spinlock_t lock;
	struct suo_ring ring;
	struct suo_sq_limits limits;
	uint32_t start;
	struct suo_sq_wqe *wqe;
	int err;
	const struct suo_cq *send_cq;
	const struct suo_cq *recv_cq;
	uint32_t send_polls;
	uint32_t recv_polls;
	uint32_t unrung;
};

struct suo_qp {
	struct verbs_qp vqp;
	struct suo_sq sq;
	struct suo_rq rq;
};

struct suo_srq {
	struct ibv_srq ibv;
	struct suo_rq rq;
};

static inline struct suo_context *to_suo_context(struct ibv_context *context)
{
	return (struct suo_context *)verbs_get_ctx(context);
}

static inline struct suo_cq *to_suo_cq(struct ibv_cq *cq)
{
	return (struct suo_cq *)cq;
}

static inline struct suo_qp *to_suo_qp(struct ibv_qp *qp)
{
	return (struct suo_qp *)qp;
}

static inline struct suo_srq *to_suo_srq(struct ibv_srq *srq)
{
	return (struct suo_srq *)srq;
}

static_assert(offsetof(struct suo_context, vctx) == 0, "first member");
static_assert(offsetof(struct suo_cq, vcq) == 0, "first member");
static_assert(offsetof(struct suo_qp, vqp) == 0, "first member");
static_assert(offsetof(struct suo_srq, ibv) == 0, "first member");
static_assert(offsetof(struct suo_ah, ibv) == 0, "first member");

/*
 * On one processor a spinning waiter only keeps the holder from running, so
 * yield between tries.
 */
static inline void suo_lock(pthread_spinlock_t *lock)
{
	while (pthread_spin_trylock(lock))
		sched_yield();
}

static inline void suo_unlock(pthread_spinlock_t *lock)
{
	pthread_spin_unlock(lock);
}

/* device.c */
int suo_ring_map(struct suo_ring *ring, int cmd_fd,
		 const struct suo_ring_info *info, size_t slot_size);
void suo_ring_unmap(struct suo_ring *ring);

/* mr.c */
struct ibv_pd *suo_alloc_pd(struct ibv_context *context);
int suo_dealloc_pd(struct ibv_pd *pd);
struct ibv_mr *suo_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t hca_va, int access);
int suo_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		 void *addr, size_t length, int access);
int suo_dereg_mr(struct verbs_mr *vmr);
struct ibv_mw *suo_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int suo_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		struct ibv_mw_bind *bind);
int suo_dealloc_mw(struct ibv_mw *mw);

/* ah.c */
struct ibv_ah *suo_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int suo_destroy_ah(struct ibv_ah *ah);

/* cq.c */
struct ibv_cq *suo_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel,
			     int comp_vector);
int suo_cq_setup(struct suo_cq *cq, struct ibv_context *context,
		 const struct suo_ring_info *info);
int suo_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int suo_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int suo_resize_cq(struct ibv_cq *cq, int cqe);
int suo_destroy_cq(struct ibv_cq *cq);
void suo_cq_found(struct suo_cq *cq, bool any);
void suo_cq_clean(struct ibv_cq *cq, uint32_t qpn);

/* cq_ex.c */
struct ibv_cq_ex *suo_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr);

/* srq.c */
struct ibv_srq *suo_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr);
int suo_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		   int attr_mask);
int suo_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int suo_destroy_srq(struct ibv_srq *srq);
int suo_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr);

/* qp.c */
struct ibv_qp *suo_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *suo_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr);
int suo_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr);
int suo_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int suo_destroy_qp(struct ibv_qp *qp);

/* post.c */
int suo_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr);
int suo_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);
int suo_rq_post(struct suo_rq *rq, struct ibv_recv_wr *wr,
		struct ibv_recv_wr **bad_wr);
int suo_ring_doorbell(struct ibv_qp *qp);
bool suo_sq_published(struct suo_sq *sq, uint32_t from);
bool suo_can_send(const struct ibv_qp *qp);

/* qp_ex.c */
int suo_qp_ex_setup(struct suo_qp *qp, uint64_t send_ops_flags);

#endif /* SUO_VERBS_SUO_H */
