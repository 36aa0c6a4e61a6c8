// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doing without doorbells. A process that posts in a row pays for a system call
 * a request, and each request goes by itself. So while it does, the kernel says
 * that it looks into the ring by itself, and does so until it has once found
 * nothing new. What is posted meanwhile is late by that time at most, and many
 * requests share a datagram. Not for a NIC that is paced, where each request
 * has its time.
 */
#include "qp.h"

/* How often to look. The time counts from when all is done that the last look
 * has led to, so a process has it for itself.
 */
#define QUIET_NS	50000

static void look_later(struct suo_sq *sq)
{
	hrtimer_start(&sq->timer, ns_to_ktime(QUIET_NS), HRTIMER_MODE_REL_SOFT);
}

/**
 * suo_doorbell() - a process has rung, and what it has posted is being sent
 * @qp: its queue pair
 */
void suo_doorbell(struct suo_qp *qp)
{
	struct suo_ring_hdr *hdr = qp->sq.ring.hdr;
	struct suo_sq *sq = &qp->sq;

	if (READ_ONCE(hdr->hint) != SUO_HINT_ROW)
		return;
	suo_qp_lock(qp);
	/* A request from the peer in between looks like one that answers, and
	 * is waited for.
	 */
	if (qp->resp.psn == sq->heard && suo_qp_may_wait(qp)) {
		sq->quiet = true;
		sq->looked = READ_ONCE(hdr->prod);
		WRITE_ONCE(hdr->arm, SUO_ARM_QUIET);
		look_later(sq);
	}
	sq->heard = qp->resp.psn;
	suo_qp_unlock(qp);
}

/**
 * suo_doorbell_wanted() - from here on, what is posted has to be told
 * @qp: the queue pair, locked
 *
 * Whoever calls this looks into the ring afterwards.
 */
void suo_doorbell_wanted(struct suo_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	if (!qp->sq.quiet)
		return;
	qp->sq.quiet = false;
	WRITE_ONCE(qp->sq.ring.hdr->arm, SUO_ARM_NONE);
	/* Pairs with the barrier between posting and looking at @arm. */
	smp_mb();
}

enum hrtimer_restart suo_doorbell_timer(struct hrtimer *timer)
{
	struct suo_qp *qp = container_of(timer, struct suo_qp, sq.timer);
	const struct suo_ring_hdr *hdr = qp->sq.ring.hdr;
	struct suo_sq *sq = &qp->sq;
	bool found;

	suo_qp_lock(qp);
	if (READ_ONCE(hdr->prod) == sq->looked || !suo_qp_may_wait(qp))
		suo_doorbell_wanted(qp);
	found = READ_ONCE(hdr->prod) != sq->looked;
	sq->looked = READ_ONCE(hdr->prod);
	suo_qp_unlock(qp);
	if (!found)
		return HRTIMER_NORESTART;
	suo_port_kick(qp->port, qp);
	suo_qp_lock(qp);
	if (sq->quiet)
		look_later(sq);
	suo_qp_unlock(qp);
	return HRTIMER_NORESTART;
}
