// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acknowledgments that wait for a ride. Where each message is answered by a
 * message, its acknowledgment can go out in the answer's datagram, and a round
 * trip costs two walks through the network stack, not four. So once a queue pair
 * has been seen to take turns with its peer, an acknowledgment that it owes waits
 * for what is posted next. Should nothing be, a timer sends it, and the queue
 * pair has to show for long that it takes turns before the next one waits.
 *
 * The peer's transport timeout has room for that: local_ca_ack_delay. Not for a
 * NIC that is paced, where each packet has its time.
 */
#include "resp.h"

/* An acknowledgment waits for so long at least, and twice as long at most: the
 * timer is not stopped when it has gone.
 */
#define WAIT_NS		200000
/* Turns in a row that make a queue pair wait, and those after it has waited in
 * vain.
 */
#define TURNS		4
#define TURNS_AGAIN	1000

/**
 * suo_ack_heard() - a message has come in, and is to be acknowledged
 * @qp: the queue pair, locked
 */
void suo_ack_heard(struct suo_qp *qp)
{
	struct suo_ack *ack = &qp->ack;

	if (qp->req.max_psn == ack->sent)
		ack->turns = min(ack->turns, 0);
	else if (ack->turns < TURNS)
		ack->turns++;
	ack->sent = qp->req.max_psn;
}

/**
 * suo_ack_waits() - may what a queue pair has to send wait for what it is given?
 * @qp: the queue pair, locked
 *
 * Return: it owes an acknowledgment and nothing else, which waits from now on.
 */
bool suo_ack_waits(struct suo_qp *qp)
{
	struct suo_ack *ack = &qp->ack;

	if (ack->turns < TURNS || !suo_resp_owes_ack(&qp->resp) ||
	    !suo_qp_may_wait(qp) || suo_sq_any(&qp->sq))
		return false;
	ack->waits = true;
	ack->nr++;
	if (!hrtimer_is_queued(&ack->timer)) {
		ack->looked = ack->nr;
		hrtimer_start(&ack->timer, ns_to_ktime(WAIT_NS),
			      HRTIMER_MODE_REL_SOFT);
	}
	return true;
}

enum hrtimer_restart suo_ack_timer(struct hrtimer *timer)
{
	struct suo_qp *qp = container_of(timer, struct suo_qp, ack.timer);
	struct suo_ack *ack = &qp->ack;
	bool late;

	suo_qp_lock(qp);
	late = ack->waits && ack->nr == ack->looked;
	if (late) {
		ack->turns = TURNS - TURNS_AGAIN;
	} else if (ack->waits) {
		ack->looked = ack->nr;
		hrtimer_start(timer, ns_to_ktime(WAIT_NS),
			      HRTIMER_MODE_REL_SOFT);
	}
	suo_qp_unlock(qp);
	if (late)
		suo_port_kick(qp->port, qp);
	return HRTIMER_NORESTART;
}

/**
 * suo_ack_hurry() - send what waits, while there is a queue pair
 * @qp: the queue pair, not locked
 */
void suo_ack_hurry(struct suo_qp *qp)
{
	struct suo_port *nic = &qp->dev->nic;
	struct suo_pkt *pkt = NULL;

	suo_qp_lock(qp);
	if (qp->ack.waits)
		pkt = suo_resp_next(qp);
	suo_qp_unlock(qp);
	if (pkt)
		nic->ops->deliver(nic, pkt);
}
