// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Posting work requests. A receive is a store into the ring; a send is that
 * and, most of the time, a doorbell: a system call that lets the kernel work in
 * our context.
 */
#include <errno.h>
#include <unistd.h>

#include "suo.h"

/**
 * suo_ring_doorbell() - make the kernel look at a queue pair's rings
 * @qp: the queue pair
 *
 * It is the kernel's post_send command with no request in it.
 *
 * Return: 0 or an errno, EIO when the device is gone.
 */
int suo_ring_doorbell(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct ibv_post_send cmd = {
		.hdr = {
			.command	= IB_USER_VERBS_CMD_POST_SEND,
			.in_words	= sizeof(cmd) / 4,
			.out_words	= sizeof(resp) / 4,
		},
		.core = {
			.response	= (uintptr_t)&resp,
			.qp_handle	= qp->handle,
			.wqe_size	= sizeof(struct ib_uverbs_send_wr),
		},
	};
	ssize_t n;

	/* The requests are in the ring, and cannot be taken back from there: a
	 * caller that was told of the lack of some bytes in the kernel would post
	 * them once more.
	 */
	do
		n = write(qp->context->cmd_fd, &cmd, sizeof(cmd));
	while (n < 0 && errno == ENOMEM);
	if (n == (ssize_t)sizeof(cmd))
		return 0;
	return n < 0 ? errno : EIO;
}

/* Requests that may wait for the kernel to find them by itself, and the largest
 * of them: enough to share a datagram, and worth sharing one.
 */
#define MAX_UNRUNG	16
#define MAX_UNRUNG_SIZE	4096

static bool small_wqes(const struct suo_sq *sq, uint32_t from)
{
	uint32_t i, sum;

	for (; from != sq->ring.pos; from++) {
		const struct suo_sq_wqe *wqe = suo_ring_slot(&sq->ring, from);

		/* All that leaves here is the question. */
		if (wqe->opcode == IBV_WR_RDMA_READ)
			continue;
		for (i = 0, sum = 0; i < wqe->num_sge; i++) {
			if (wqe->sge[i].length > MAX_UNRUNG_SIZE - sum)
				return false;
			sum += wqe->sge[i].length;
		}
	}
	return true;
}

static uint32_t polls_of(const struct suo_cq *cq)
{
	return cq ? cq->polls : 0;
}

/**
 * suo_sq_published() - requests have been published: must the doorbell ring?
 * @sq: the queue, locked
 * @from: ring position of the first of them
 *
 * A process that posts one small request after another and looks for no
 * completion meanwhile gains nothing from having each sent at once, and pays for a system
 * call each. Whoever waits for what a request brings about polls or asks for
 * an event in between, and is not made to wait.
 *
 * Return: true unless the kernel will soon look by itself.
 */
bool suo_sq_published(struct suo_sq *sq, uint32_t from)
{
	uint32_t sends = polls_of(sq->send_cq), recvs = polls_of(sq->recv_cq);
	bool row = sends == sq->send_polls && recvs == sq->recv_polls;

	sq->send_polls = sends;
	sq->recv_polls = recvs;
	sq->unrung += sq->ring.pos - from;
	row = row && small_wqes(sq, from);
	if (row && sq->unrung < MAX_UNRUNG) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&sq->ring.hdr->arm, __ATOMIC_RELAXED) ==
		    SUO_ARM_QUIET)
			return false;
	}
	sq->unrung = 0;
	__atomic_store_n(&sq->ring.hdr->hint,
			 row ? SUO_HINT_ROW : SUO_HINT_NONE, __ATOMIC_RELAXED);
	return true;
}

/* A queue pair that is not yet connected takes no sends; a failed one does. */
bool suo_can_send(const struct ibv_qp *qp)
{
	return qp->state != IBV_QPS_RESET && qp->state != IBV_QPS_INIT &&
	       qp->state != IBV_QPS_RTR;
}

int suo_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr)
{
	struct suo_sq *sq = &to_suo_qp(ibqp)->sq;
	struct ibv_send_wr *first = wr;
	struct suo_sq_wqe *wqe;
	bool ring = false;
	uint32_t from;
	int ret = 0, err;

	if (!sq->ring.hdr || !suo_can_send(ibqp)) {
		*bad_wr = wr;
		return EINVAL;
	}

	suo_lock(&sq->lock);
	from = sq->ring.pos;
	for (; wr; wr = wr->next) {
		wqe = suo_ring_next_free(&sq->ring);
		ret = wqe ? suo_wqe_fill_send(wqe, wr, &sq->limits) : ENOMEM;
		if (ret) {
			*bad_wr = wr;
			break;
		}
		sq->ring.pos++;
	}
	if (wr != first) {
		suo_ring_publish(&sq->ring);
		ring = suo_sq_published(sq, from);
	}
	suo_unlock(&sq->lock);

	if (!ring)
		return ret;

	err = suo_ring_doorbell(ibqp);
	if (err) {
		*bad_wr = first;
		return err;
	}
	return ret;
}

/**
 * suo_rq_post() - put receive requests into a ring
 * @rq: the queue
 * @wr: list of requests
 * @bad_wr: the one that failed, after an error
 *
 * Return: 0, ENOMEM if the queue is full, EINVAL for too many pieces.
 */
int suo_rq_post(struct suo_rq *rq, struct ibv_recv_wr *wr,
		struct ibv_recv_wr **bad_wr)
{
	struct suo_rq_wqe *wqe;
	int ret = 0;

	suo_lock(&rq->lock);
	for (; wr; wr = wr->next) {
		wqe = suo_ring_next_free(&rq->ring);
		ret = wqe ? suo_wqe_fill_recv(wqe, wr, rq->max_sge) : ENOMEM;
		if (ret) {
			*bad_wr = wr;
			break;
		}
		rq->ring.pos++;
	}
	suo_ring_publish(&rq->ring);
	suo_unlock(&rq->lock);
	return ret;
}

int suo_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	struct suo_rq *rq = &to_suo_qp(ibqp)->rq;
	int ret, err;

	if (!rq->ring.hdr || ibqp->state == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}

	ret = suo_rq_post(rq, wr, bad_wr);

	if (suo_ring_wants_doorbell(&rq->ring)) {
		err = suo_ring_doorbell(ibqp);
		if (err) {
			*bad_wr = wr;
			return err;
		}
	}
	return ret;
}
