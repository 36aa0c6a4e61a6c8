// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets to other VMs. Room in a ring is promised before a packet is made, so that
 * what has left finds room; a queue pair that gets no promise waits until it is kicked.
 */
#include "copy.h"
#include "qp.h"
#include "shm.h"

/* Protects all lists of queue pairs that wait for room. */
static DEFINE_SPINLOCK(wait_lock);

/* Bytes that can be written. None if the receiver has taken what it cannot have. */
static u32 tx_room(const struct suo_shm_peer *peer)
{
	u32 size = peer->shm->layout.ring_bytes;
	u32 used;

	/* It is not written to before it has been read: rx_take(). */
	used = peer->tx.prod - smp_load_acquire(&peer->tx.ctl->cons);
	return used > size ? 0 : size - used;
}

/* Is there room for one packet more than those that are on their way, and for what
 * is skipped at the end of the ring?
 */
static bool tx_has_room(const struct suo_shm_peer *peer)
{
	return tx_room(peer) >= peer->tx.held + 2 * SUO_SHM_MAX_REC;
}

/* Let those that wait for room try again. */
static void tx_wake(struct suo_shm_peer *peer)
{
	LIST_HEAD(waiting);
	struct suo_qp *qp;

	spin_lock_bh(&wait_lock);
	list_splice_init(&peer->tx.waiting, &waiting);
	while (!list_empty(&waiting)) {
		qp = list_first_entry(&waiting, struct suo_qp, shm_node);
		list_del_init(&qp->shm_node);
		spin_unlock_bh(&wait_lock);
		suo_port_kick(qp->port, qp);
		suo_qp_put(qp);
		spin_lock_bh(&wait_lock);
	}
	spin_unlock_bh(&wait_lock);
}

/**
 * suo_shm_forget() - a queue pair waits no more
 * @qp: the queue pair, which sends nothing more
 */
void suo_shm_forget(struct suo_qp *qp)
{
	bool listed;

	spin_lock_bh(&wait_lock);
	listed = !list_empty(&qp->shm_node);
	list_del_init(&qp->shm_node);
	spin_unlock_bh(&wait_lock);
	if (listed)
		suo_qp_put(qp);
}

/**
 * suo_shm_promise() - may a queue pair make a packet for another VM?
 * @qp: the queue pair, locked, whose peer is far
 *
 * Return: 1 if room in the ring is promised to it; 0 if there is no ring any more,
 * and it will find out; -EAGAIN if it has to wait, and is kicked when there is room.
 */
int suo_shm_promise(struct suo_qp *qp)
{
	struct suo_shm_far *far = to_far(qp->peer);
	struct suo_shm_tx *tx = &far->peer->tx;
	int promise = 0;

	lockdep_assert_held(&qp->lock);
	spin_lock_bh(&tx->lock);
	if (READ_ONCE(far->member.left))
		goto out;
	if (tx->open && tx_has_room(far->peer)) {
		tx->held += SUO_SHM_MAX_REC;
		promise = 1;
		goto out;
	}
	promise = -EAGAIN;
	spin_lock(&wait_lock);
	if (list_empty(&qp->shm_node)) {
		suo_qp_get(qp);
		list_add_tail(&qp->shm_node, &tx->waiting);
	}
	spin_unlock(&wait_lock);
	if (tx->open)
		suo_shm_look_soon(far->peer->shm);
out:
	spin_unlock_bh(&tx->lock);
	return promise;
}

static void take_back(struct suo_shm_peer *peer)
{
	spin_lock_bh(&peer->tx.lock);
	peer->tx.held -= SUO_SHM_MAX_REC;
	spin_unlock_bh(&peer->tx.lock);
}

/* What became of the promise: it goes along with a packet, or back. */
void suo_shm_promised(struct suo_qp *qp, int promise, struct suo_pkt *pkt)
{
	if (promise > 0 && !(pkt && pkt->shm))
		take_back(to_far(qp->peer)->peer);
}

/**
 * suo_shm_finish() - a packet is for a far member
 * @qp: its sender, locked, which has a promise
 * @pkt: the packet
 *
 * Return: 0, or -ENOLINK if its sender has left the domain.
 */
int suo_shm_finish(struct suo_qp *qp, struct suo_pkt *pkt)
{
	struct suo_shm_far *far = to_far(qp->peer);
	int src = READ_ONCE(qp->dev->shm_index);

	if (src < 0)
		return -ENOLINK;
	kref_get(&far->peer->shm->ref);
	pkt->shm = far->peer;
	pkt->shm_src = src;
	pkt->shm_dst = far->index;
	pkt->shm_session = READ_ONCE(far->peer->tx.session);
	return 0;
}

/* suo_shm_pkt_done() - a packet for another VM is freed */
void suo_shm_pkt_done(struct suo_pkt *pkt)
{
	take_back(pkt->shm);
	suo_shm_put(pkt->shm->shm);
	pkt->shm = NULL;
}

/* The payload of a packet into the ring. A read whose region has gone is refused
 * only now, and says so to the peer.
 */
static int put_payload(struct suo_pkt *pkt, u8 *to)
{
	int err = suo_payload_read(&pkt->pay, 0, to, pkt->pay.len);

	if (err != -EACCES ||
	    !(suo_op_flags(pkt->hdr.opcode) & SUO_F_READ_RESP))
		return err;
	pkt->hdr.opcode = SUO_TR_RC | SUO_OP_ACK;
	pkt->hdr.syndrome = SUO_SYN_NAK_REM_ACC;
	pkt->hdr.pad = 0;
	pkt->pay.len = 0;
	return 0;
}

static int put_packet(struct suo_shm_peer *peer, struct suo_pkt *pkt)
{
	u32 hdr_len = suo_hdr_len(pkt->hdr.opcode);
	u32 size = peer->shm->layout.ring_bytes;
	struct suo_shm_tx *tx = &peer->tx;
	u32 prod = tx->prod, off = prod & (size - 1);
	u32 len = hdr_len + pkt->pay.len + pkt->hdr.pad;
	u32 need = suo_shm_rec_bytes(len);
	struct suo_shm_rec rec = {};
	int err;
	u8 *to;

	if (!tx->open || tx->session != pkt->shm_session)
		return -ENOLINK;
	/* There is, unless the receiver has taken back what it gave. */
	if (suo_shm_rec_bytes(len) > size - off)
		need += size - off;
	if (tx_room(peer) < need)
		return -ENOLINK;
	if (need > suo_shm_rec_bytes(len)) {
		rec.bytes = size - off;
		rec.kind = SUO_SHM_SKIP;
		memcpy(tx->data + off, &rec, sizeof(rec));
		prod += rec.bytes;
		off = 0;
	}
	to = tx->data + off + sizeof(rec);
	err = put_payload(pkt, to + hdr_len);
	if (err)
		return err;
	hdr_len = suo_hdr_put(to, &pkt->hdr);
	rec.kind = SUO_SHM_PACKET;
	rec.len = hdr_len + pkt->pay.len + pkt->hdr.pad;
	rec.bytes = suo_shm_rec_bytes(rec.len);
	rec.src_qpn = pkt->src_qpn;
	rec.src = pkt->shm_src;
	rec.dst = pkt->shm_dst;
	rec.left_ps = pkt->due_ps;
	rec.flags = pkt->link.lost ? SUO_SHM_LOST : 0;
	memcpy(tx->data + off, &rec, sizeof(rec));
	tx->prod = prod + rec.bytes;
	/* Whoever finds this finds the packet: rx_fetch(). */
	smp_store_release(&tx->ctl->prod, tx->prod);
	suo_shm_look_soon(peer->shm);
	return 0;
}

/* suo_shm_deliver() - a packet has left: put it where the other VM finds it */
void suo_shm_deliver(struct suo_port *port, struct suo_pkt *pkt)
{
	struct suo_shm_peer *peer = pkt->shm;
	int err;

	BUILD_BUG_ON(SUO_SEGMENT > SUO_SHM_MAX_PAYLOAD);
	spin_lock_bh(&peer->tx.lock);
	err = put_packet(peer, pkt);
	spin_unlock_bh(&peer->tx.lock);
	if (err)
		suo_send_err(port->dev, pkt->src_qpn, err);
	suo_pkt_free(pkt);
}

/* suo_shm_tx_run() - wake those that wait, if there is room; true if there is */
bool suo_shm_tx_run(struct suo_shm_peer *peer)
{
	struct suo_shm_tx *tx = &peer->tx;
	bool wake;

	if (list_empty_careful(&tx->waiting))
		return false;
	spin_lock_bh(&tx->lock);
	wake = tx->open && tx_has_room(peer);
	spin_unlock_bh(&tx->lock);
	if (wake)
		tx_wake(peer);
	return wake;
}

static void tx_begin(struct suo_shm_peer *peer)
{
	struct suo_shm_ctl *ctl = peer->tx.ctl;

	peer->tx.open = false;
	peer->tx.prod = SUO_SHM_BEGIN;
	peer->tx.session = suo_shm_draw(peer->shm);
	WRITE_ONCE(ctl->session, 0);
	/* Whoever finds the session finds where it begins, and for whom. */
	smp_wmb();
	WRITE_ONCE(ctl->prod, SUO_SHM_BEGIN);
	WRITE_ONCE(ctl->to, peer->owner);
	/* See above. */
	smp_store_release(&ctl->session, peer->tx.session);
}

static bool tx_open(struct suo_shm_peer *peer)
{
	u32 size = peer->shm->layout.ring_bytes;
	struct suo_shm_tx *tx = &peer->tx;
	bool opened = false;

	spin_lock_bh(&tx->lock);
	if (!tx->session) {
		tx_begin(peer);
	} else if (!tx->open) {
		/* The receiver begins once it has said so: suo_shm_rx_tick(). */
		if (smp_load_acquire(&tx->ctl->ack) == tx->session)
			opened = true;
		else if (READ_ONCE(tx->ctl->session) != tx->session ||
			 READ_ONCE(tx->ctl->to) != peer->owner)
			tx_begin(peer);
		tx->open = opened;
	} else if (READ_ONCE(tx->ctl->ack) != tx->session ||
		   READ_ONCE(tx->ctl->session) != tx->session ||
		   READ_ONCE(tx->ctl->prod) != tx->prod ||
		   tx->prod - READ_ONCE(tx->ctl->cons) > size) {
		/* The receiver has given up, or somebody has scribbled. */
		tx_begin(peer);
	}
	spin_unlock_bh(&tx->lock);
	return opened;
}

/* suo_shm_tx_tick() - see to the session with a VM that is alive */
void suo_shm_tx_tick(struct suo_shm_peer *peer)
{
	if (!tx_open(peer))
		return;
	suo_shm_look_on(peer->shm);
	tx_wake(peer);
}

/* suo_shm_tx_close() - end the session; if we have no slot any more, the ring is not
 * ours to write to either
 */
void suo_shm_tx_close(struct suo_shm_peer *peer)
{
	struct suo_shm_tx *tx = &peer->tx;

	spin_lock_bh(&tx->lock);
	tx->open = false;
	tx->session = 0;
	if (tx->ctl && peer->shm->slot >= 0)
		WRITE_ONCE(tx->ctl->session, 0);
	spin_unlock_bh(&tx->lock);
	tx_wake(peer);
}
