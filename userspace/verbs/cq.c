// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion queues: the kernel produces into a ring, we consume.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suo.h"

struct suo_create_cq_answer {
	struct ib_uverbs_create_cq_resp core;
	struct suo_create_cq_resp driver;
};
static_assert(offsetof(struct suo_create_cq_answer, driver) ==
	      sizeof(struct ib_uverbs_create_cq_resp), "response");

struct suo_resize_cq_answer {
	struct ib_uverbs_resize_cq_resp core;
	struct suo_resize_cq_resp driver;
};
static_assert(offsetof(struct suo_resize_cq_answer, driver) ==
	      sizeof(struct ib_uverbs_resize_cq_resp), "response");

/**
 * suo_cq_setup() - what follows the kernel's making of a queue
 * @cq: the queue
 * @context: its context
 * @info: the ring
 *
 * Return: 0 or an errno, and the kernel's queue is gone again.
 */
int suo_cq_setup(struct suo_cq *cq, struct ibv_context *context,
		 const struct suo_ring_info *info)
{
	int ret;

	ret = suo_ring_map(&cq->ring, context->cmd_fd, info,
			   sizeof(struct suo_cqe));
	if (ret)
		goto err_map;

	pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&cq->arm_lock, PTHREAD_PROCESS_PRIVATE);
	cq->context = to_suo_context(context);
	return 0;

err_map:
	/* libibverbs sets these up only after we have returned. */
	pthread_mutex_init(&cq->vcq.cq.mutex, NULL);
	pthread_cond_init(&cq->vcq.cq.cond, NULL);
	ibv_cmd_destroy_cq(&cq->vcq.cq);
	return ret;
}

struct ibv_cq *suo_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct suo_create_cq_answer resp = {};
	struct suo_cq *cq;
	int ret;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;

	ret = ibv_cmd_create_cq(context, cqe, channel, comp_vector,
				&cq->vcq.cq, NULL, 0, &resp.core,
				sizeof(resp));
	if (ret)
		goto err_cmd;

	ret = suo_cq_setup(cq, context, &resp.driver.cq);
	if (ret)
		goto err_setup;
	return &cq->vcq.cq;

err_setup:
err_cmd:
	free(cq);
	errno = ret;
	return NULL;
}

/**
 * suo_cq_found() - note the outcome of a poll, and yield when it is due
 * @cq: the queue, not locked
 * @any: something was found
 */
void suo_cq_found(struct suo_cq *cq, bool any)
{
	unsigned int yield_after = cq->context->yield_after;

	cq->polls++;
	if (!yield_after)
		return;

	/* Racing pollers may lose a count; that costs one poll more. */
	if (any) {
		cq->empty = 0;
	} else if (++cq->empty >= yield_after) {
		cq->empty = 0;
		sched_yield();
	}
}

int suo_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct suo_cq *cq = to_suo_cq(ibcq);
	const struct suo_cqe *cqe;
	int n;

	suo_lock(&cq->lock);
	for (n = 0; n < num_entries; n++) {
		cqe = suo_ring_next_used(&cq->ring);
		if (!cqe)
			break;
		suo_cqe_to_wc(cqe, wc + n);
		cq->ring.pos++;
	}
	if (n > 0)
		suo_ring_release(&cq->ring);
	suo_unlock(&cq->lock);

	suo_cq_found(cq, n > 0);
	return n;
}

int suo_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct suo_cq *cq = to_suo_cq(ibcq);

	cq->polls++;
	suo_lock(&cq->arm_lock);
	suo_ring_arm(&cq->ring, solicited_only);
	suo_unlock(&cq->arm_lock);
	return 0;
}

/* Bytes to map for a ring of so many entries, or more than that. */
static size_t cq_bytes(int cqe)
{
	return (2 * (size_t)cqe + 1) * sizeof(struct suo_cqe) +
	       sizeof(struct suo_ring_hdr) + sysconf(_SC_PAGESIZE);
}

/*
 * The kernel moves to another ring, and takes along what is in the old one, which
 * is of no use from then on: the new one has to be mapped. What a process
 * has only so much of, address space and mappings, is made sure of before; what
 * can still fail is the kernel, by some bytes, and not for long.
 */
int suo_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct suo_resize_cq_answer resp = {};
	struct suo_cq *cq = to_suo_cq(ibcq);
	struct ibv_resize_cq cmd = {};
	size_t room = cq_bytes(cqe);
	struct suo_ring ring;
	void *reserved;
	int ret;

	if (cqe < 1)
		return EINVAL;
	reserved = mmap(NULL, room, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (reserved == MAP_FAILED)
		return errno;

	suo_lock(&cq->lock);
	suo_lock(&cq->arm_lock);
	ret = ibv_cmd_resize_cq(ibcq, cqe, &cmd, sizeof(cmd), &resp.core,
				sizeof(resp));
	munmap(reserved, room);
	if (ret)
		goto out;

	do
		ret = suo_ring_map(&ring, ibcq->context->cmd_fd,
				   &resp.driver.cq, sizeof(struct suo_cqe));
	while (ret == ENOMEM || ret == EAGAIN);
	if (ret)
		goto out;

	ring.pos = cq->ring.pos;
	ring.seen = cq->ring.pos;
	suo_ring_unmap(&cq->ring);
	cq->ring = ring;
out:
	suo_unlock(&cq->arm_lock);
	suo_unlock(&cq->lock);
	return ret;
}

/**
 * suo_cq_clean() - drop the completions of a queue pair that was reset
 * @ibcq: the queue
 * @qpn: number of the queue pair, for which the kernel adds none any more
 *
 * They would be taken for those of its next life. The others move up in the
 * ring, whose slots are ours until they are released.
 */
void suo_cq_clean(struct ibv_cq *ibcq, uint32_t qpn)
{
	struct suo_cq *cq = to_suo_cq(ibcq);
	struct suo_ring *ring = &cq->ring;
	uint32_t from, to;

	suo_lock(&cq->lock);
	ring->seen = __atomic_load_n(&ring->hdr->prod, __ATOMIC_ACQUIRE);
	/* Only a process that has spoilt its own ring sees more than it holds. */
	if (ring->seen - ring->pos > ring->mask + 1)
		ring->seen = ring->pos;
	to = ring->seen;
	for (from = ring->seen; from != ring->pos;) {
		const struct suo_cqe *cqe = suo_ring_slot(ring, --from);

		if (cqe->qpn == qpn)
			continue;
		if (--to != from)
			memcpy(suo_ring_slot(ring, to), cqe, sizeof(*cqe));
	}
	ring->pos = to;
	suo_ring_release(ring);
	suo_unlock(&cq->lock);
}

int suo_destroy_cq(struct ibv_cq *ibcq)
{
	struct suo_cq *cq = to_suo_cq(ibcq);
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;

	suo_ring_unmap(&cq->ring);
	pthread_spin_destroy(&cq->lock);
	pthread_spin_destroy(&cq->arm_lock);
	free(cq);
	return 0;
}
