// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Posting work requests. A receive is a store into the ring; a send is that
 * and a doorbell, a system call that lets the kernel work in our context.
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

	n = write(qp->context->cmd_fd, &cmd, sizeof(cmd));
	if (n == (ssize_t)sizeof(cmd))
		return 0;
	return n < 0 ? errno : EIO;
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
	int ret = 0, err;

	if (!sq->ring.hdr || !suo_can_send(ibqp)) {
		*bad_wr = wr;
		return EINVAL;
	}

	suo_lock(&sq->lock);
	for (; wr; wr = wr->next) {
		wqe = suo_ring_next_free(&sq->ring);
		ret = wqe ? suo_wqe_fill_send(wqe, wr, &sq->limits) : ENOMEM;
		if (ret) {
			*bad_wr = wr;
			break;
		}
		sq->ring.pos++;
	}
	if (wr != first)
		suo_ring_publish(&sq->ring);
	suo_unlock(&sq->lock);

	if (wr == first)
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
