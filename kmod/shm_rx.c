// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets from other VMs. Nothing is believed that stands in the memory: a record's
 * head is copied, and the copy checked; payload is copied once, to where it is to
 * be, and means nothing on the way.
 */
#include "clock.h"
#include "qp.h"
#include "shm.h"
#include "show.h"

/* Records that are taken from a ring before others have the processor */
#define RX_BUDGET	32
/* The shortest time under way is looked for anew after so many ticks. */
#define OFFSET_TICKS	64

/* Nobody could have sent this: do not go on from here. */
static void rx_give_up(struct suo_shm_peer *peer)
{
	struct suo_shm_rx *rx = &peer->rx;

	pr_warn_ratelimited("suo: domain %s: nonsense from slot %u; the ring is begun anew\n",
			    config_item_name(&peer->shm->domain->group.cg_item),
			    peer->slot);
	rx->open = false;
	rx->have = false;
	WRITE_ONCE(rx->ctl->ack, 0);
}

static void rx_take(struct suo_shm_rx *rx)
{
	rx->have = false;
	rx->cons += rx->rec.bytes;
	/* It has been read before it can be written again: tx_room(). */
	smp_store_release(&rx->ctl->cons, rx->cons);
}

/* When has this packet arrived? It left when the sender's clock says. Ours leads
 * that by no more than the packet that was fastest took, so what this one took
 * longer has passed already.
 */
static u64 rx_due(struct suo_shm_rx *rx, struct suo_member *to, u32 pay_len)
{
	u64 passed, now = suo_now_ps();
	s64 age = now - rx->rec.left_ps;

	if (!rx->known || age < rx->offset_ps) {
		rx->offset_ps = age;
		rx->known = true;
	}
	passed = min((u64)age - (u64)rx->offset_ps, now);
	return suo_domain_reserve_rx(to, now - passed, pay_len);
}

/* Have the next packet's head in rx->rec and rx->head. */
static bool rx_fetch(struct suo_shm_peer *peer)
{
	struct suo_shm_rx *rx = &peer->rx;
	u32 size = peer->shm->layout.ring_bytes;
	u32 off = rx->cons & (size - 1);
	u32 avail;

	/* The sender may have ended it; the tick sees to that. */
	if (READ_ONCE(rx->ctl->session) != rx->session)
		return false;
	/* What has been written is there: put_packet(). */
	avail = smp_load_acquire(&rx->ctl->prod) - rx->cons;
	if (!avail)
		return false;
	if (avail > size || avail < sizeof(rx->rec))
		goto bad;
	memcpy(&rx->rec, rx->data + off, sizeof(rx->rec));
	/* From here on it is the copy that counts. */
	barrier();
	if (!suo_shm_rec_check(&rx->rec, avail, size - off))
		goto bad;
	if (rx->rec.kind == SUO_SHM_PACKET)
		memcpy(rx->head, rx->data + off + sizeof(rx->rec),
		       min_t(u32, rx->rec.len, sizeof(rx->head)));
	rx->have = true;
	return true;

bad:
	rx_give_up(peer);
	return false;
}

static bool is_from_peer(struct suo_qp *to, struct suo_shm_peer *peer)
{
	struct suo_shm_rx *rx = &peer->rx;

	return suo_qp_is_far(to) && to_far(to->peer)->peer == peer &&
	       to_far(to->peer)->index == rx->rec.src &&
	       !READ_ONCE(to->peer->left) &&
	       to->attr.dest_qp_num == rx->rec.src_qpn;
}

static void rx_deliver(struct suo_shm_peer *peer, struct suo_dev *dev,
		       const struct suo_hdr *hdr, u32 pay_off, u32 pay_len)
{
	struct suo_shm_rx *rx = &peer->rx;
	const u32 off = rx->cons & (peer->shm->layout.ring_bytes - 1);
	const struct suo_payload pay = {
		.kind = pay_len ? SUO_PAYLOAD_BUF : SUO_PAYLOAD_NONE,
		.buf = rx->data + off + sizeof(rx->rec),
		.off = pay_off,
		.len = pay_len,
	};
	struct suo_qp *to = suo_qp_lookup(hdr->qpn);

	if (!to) {
		suo_drop(dev, SUO_DROP_NO_QP, hdr, pay_len);
		return;
	}
	suo_qp_lock(to);
	if (is_from_peer(to, peer)) {
		suo_stat_inc(to->dev, su_rx_segments);
		suo_stat_add(to->dev, su_rx_bytes, pay_len);
		suo_trace_su_rx(to, hdr, &pay);
		suo_qp_rx(to, hdr, &pay, NULL);
	} else {
		suo_qp_drop(to, SUO_DROP_PEER, hdr, &pay);
	}
	suo_qp_unlock(to);
	suo_port_kick(to->port, to);
	suo_qp_put(to);
}

static const u8 bad_packets[] = {
	[SUO_SHM_BAD_HEADER]	= SUO_DROP_HEADER,
	[SUO_SHM_BAD_LENGTH]	= SUO_DROP_LENGTH,
	[SUO_SHM_BAD_PKEY]	= SUO_DROP_PKEY,
};

/* The record at hand. Return: when its packet arrives, if that is not yet; or 0. */
static u64 rx_record(struct suo_shm_peer *peer, bool first)
{
	struct suo_shm_rx *rx = &peer->rx;
	struct suo_shm_rec *rec = &rx->rec;
	enum suo_shm_packet what;
	u32 pay_off, pay_len;
	struct suo_member *m;
	struct suo_hdr hdr;

	if (rec->kind == SUO_SHM_SKIP)
		return 0;
	m = rcu_dereference(peer->shm->near[rec->dst].member);
	/* It has left the domain. */
	if (!m)
		return 0;
	what = suo_shm_parse(rx->head, rec->len, &hdr, &pay_off, &pay_len);
	if (what != SUO_SHM_GOOD) {
		suo_drop(READ_ONCE(m->dev), bad_packets[what],
			 what == SUO_SHM_BAD_HEADER ? NULL : &hdr, rec->len);
		return 0;
	}
	if (first)
		rx->due_ps = rx_due(rx, m, pay_len);
	if (rx->due_ps > suo_now_ps())
		return rx->due_ps;
	if (rec->flags & SUO_SHM_LOST)
		suo_drop(READ_ONCE(m->dev), SUO_DROP_BIT_ERROR, &hdr, pay_len);
	else
		rx_deliver(peer, READ_ONCE(m->dev), &hdr, pay_off, pay_len);
	return 0;
}

/**
 * suo_shm_rx_run() - take what has come
 * @peer: from where
 * @next_ps: lowered to when the next packet arrives, if it has not yet
 *
 * To be called with softirqs off, under RCU.
 *
 * Return: whether anything has come.
 */
bool suo_shm_rx_run(struct suo_shm_peer *peer, u64 *next_ps)
{
	struct suo_shm_rx *rx = &peer->rx;
	bool busy = false;
	u64 due_ps;
	int n;

	spin_lock(&rx->lock);
	for (n = 0; rx->open && n < RX_BUDGET; n++) {
		bool first = !rx->have;

		if (first && !rx_fetch(peer))
			break;
		busy = true;
		due_ps = rx_record(peer, first);
		if (due_ps) {
			*next_ps = min(*next_ps, due_ps);
			break;
		}
		rx_take(rx);
	}
	spin_unlock(&rx->lock);
	return busy;
}

/* suo_shm_rx_tick() - see to the session with a VM that is alive */
void suo_shm_rx_tick(struct suo_shm_peer *peer)
{
	struct suo_shm *shm = peer->shm;
	struct suo_shm_rx *rx = &peer->rx;
	u64 session;

	spin_lock_bh(&rx->lock);
	/* Where it begins, and for whom, is there: tx_begin(). */
	session = smp_load_acquire(&rx->ctl->session);
	if (!(shm->beat % OFFSET_TICKS))
		rx->known = false;
	if (session && session != rx->session &&
	    READ_ONCE(rx->ctl->to) == shm->owner) {
		rx->session = session;
		rx->cons = SUO_SHM_BEGIN;
		rx->have = false;
		rx->known = false;
		rx->open = true;
		WRITE_ONCE(rx->ctl->cons, SUO_SHM_BEGIN);
		/* Whoever finds this finds that: tx_open(). */
		smp_store_release(&rx->ctl->ack, session);
		suo_shm_look_on(shm);
	} else if (rx->open && session == rx->session &&
		   (READ_ONCE(rx->ctl->ack) != session ||
		    READ_ONCE(rx->ctl->cons) != rx->cons)) {
		rx_give_up(peer);
	}
	spin_unlock_bh(&rx->lock);
}

/* suo_shm_rx_close() - end the session, as suo_shm_tx_close() does */
void suo_shm_rx_close(struct suo_shm_peer *peer)
{
	struct suo_shm_rx *rx = &peer->rx;

	spin_lock_bh(&rx->lock);
	rx->open = false;
	rx->have = false;
	if (rx->ctl && peer->shm->slot >= 0)
		WRITE_ONCE(rx->ctl->ack, 0);
	spin_unlock_bh(&rx->lock);
}
