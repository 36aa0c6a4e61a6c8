/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue pairs. The requester half (req.c) turns send requests into packets and
 * takes responses; the responder half (resp.c) takes requests and queues what
 * is to be answered; qp.c owns states and lifetime; ud.c is for datagrams.
 * Both halves speak struct suo_hdr and struct suo_payload, so they work alike
 * for the wire (net.c) and for the scale-up path (su.c).
 */
#ifndef SUO_QP_H
#define SUO_QP_H

#include <linux/completion.h>
#include <linux/hrtimer.h>

#include "../model/core/icrc.h"
#include "../model/core/psn.h"
#include "av.h"
#include "cq.h"
#include "domain.h"
#include "pkt.h"
#include "reorder.h"
#include "rq.h"
#include "suo.h"
#include "trace_names.h"

/* Requests in flight on the wire, in packets: two round trips of 400 Gb/s and
 * 2.5 us, and less than what a default backlog queue holds.
 */
#define SUO_WINDOW		128
/* An acknowledgment is asked for at least this often. */
#define SUO_ACK_INTERVAL	32
/* IB_WR_REG_MR, which only kernel consumers have, as a ring's opcode. */
#define SUO_WR_REG_MR		IB_WR_REG_MR
/* An acknowledgment may take 4.096 us << 7, or half a millisecond: see ack.c. */
#define SUO_ACK_DELAY		7
/* Requests and responses */
#define SUO_ICRC_ROWS		2
/* Size of a packet on the scale-up path. */
#define SUO_SEGMENT		16384
/* Segments of a message that go as one where they take no time: see su.c. */
#define SUO_RUN			16

/**
 * struct suo_swqe - a send request, copied from its ring and checked
 * @w: the request; scatter list, inline data or binding follow it
 * @length: bytes of payload
 * @first_psn: sequence number of its first packet
 * @npkts: sequence numbers it takes
 * @rd_done: read: response packets that have come in
 * @status: what it will complete with
 * @started: it has its sequence numbers
 * @counted: read: counted in suo_req.reads
 * @gap: read: a response was missed and asked for again; cleared by the next
 *	one that fits
 */
struct suo_swqe {
	u32			length;
	u32			first_psn;
	u32			npkts;
	u32			rd_done;
	enum ib_wc_status	status;
	bool			started;
	bool			counted;
	bool			gap;
	struct suo_sq_wqe	w;
};

static inline struct suo_sge *suo_swqe_sges(struct suo_swqe *wqe)
{
	return wqe->w.sge;
}

static inline u8 *suo_swqe_inline(struct suo_swqe *wqe)
{
	return (u8 *)wqe->w.sge;
}

static inline struct suo_bind *suo_swqe_bind(struct suo_swqe *wqe)
{
	return (struct suo_bind *)wqe->w.sge;
}

/**
 * struct suo_sq - send queue
 * @lock: kernel consumers: protects the ring's producer side
 * @ring: as posted
 * @copy: copies, as many slots as the ring
 * @stride: bytes a copy
 * @max_sge: largest num_sge
 * @max_inline: largest inline payload
 * @prod: end of what has been copied from the ring
 * @next: the request to send from
 * @next_pkt: its packet to send
 * @cons: oldest request that has not completed
 * @quiet: no doorbell is needed: @timer looks into the ring
 * @looked: end of what it has seen there
 * @heard: what the responder expected when the doorbell rang last
 * @timer: see doorbell.c
 */
struct suo_sq {
	spinlock_t		lock;
	struct suo_ring		ring;
	void			*copy;
	u32			stride;
	u32			max_sge;
	u32			max_inline;
	u32			prod;
	u32			next;
	u32			next_pkt;
	u32			cons;
	bool			quiet;
	u32			looked;
	u32			heard;
	struct hrtimer		timer;
};

/**
 * struct suo_req - state of the requester
 * @psn: of the next new packet
 * @max_psn: end of what was ever sent; above @psn during a retry
 * @una: oldest that is not acknowledged
 * @unasked: packets sent since an acknowledgment was asked for
 * @reads: reads that are under way
 * @retry: retries left
 * @rnr_retry: the same for receiver-not-ready; 7 never ends
 * @waiting: a receiver-not-ready delay is running
 * @deadline_ps: when to give up waiting for a response
 */
struct suo_req {
	u32	psn;
	u32	max_psn;
	u32	una;
	u32	unasked;
	u32	reads;
	u8	retry;
	u8	rnr_retry;
	bool	waiting;
	u64	deadline_ps;
};

enum suo_answer_kind {
	SUO_ANSWER_ACK,
	SUO_ANSWER_NAK,
	SUO_ANSWER_READ,
	SUO_ANSWER_ATOMIC,
};

/**
 * struct suo_answer - what a responder owes
 * @kind: enum suo_answer_kind
 * @again: read or atomic: the request was a repeated one
 * @syndrome: AETH
 * @psn: acknowledged, or of the read's first response
 * @msn: message sequence number
 * @va: read: address
 * @rkey: read: key
 * @len: read: bytes
 * @sent: read: response packets that have left
 * @orig: atomic: what stood there before
 */
struct suo_answer {
	u8	kind;
	bool	again;
	u8	syndrome;
	u32	psn;
	u32	msn;
	u64	va;
	u32	rkey;
	u32	len;
	u32	sent;
	u64	orig;
};

/**
 * struct suo_resp - state of the responder
 * @psn: expected
 * @msn: messages completed
 * @in_msg: SUO_F_SEND or SUO_F_WRITE in the middle of a message, or 0
 * @nak_sent: out of sequence: no further NAK until the right packet comes
 * @have_wqe: @wqe holds a receive request
 * @wqe: the receive request in use
 * @done: bytes of the message that have come in
 * @va: write: address of the message
 * @rkey: write: key
 * @dlen: write: announced length
 * @head: first answer owed
 * @tail: end of the answers
 * @reads: reads and atomic operations among them that have not been answered before:
 *	the peer waits for all of them
 * @again: those that are repeated, which it may have had an answer to meanwhile
 * @size: entries of @queue: every read that may have been accepted, once more the
 *	same, with an acknowledgment before and after, and a NAK
 * @queue: the answers; behind them @max_reads results of atomic operations,
 *	kept for a peer that repeats a request
 * @max_reads: reads and atomic operations that the peer may have under way
 * @next_atomic: where the next result is kept
 */
struct suo_resp {
	u32			psn;
	u32			msn;
	u32			in_msg;
	bool			nak_sent;
	bool			have_wqe;
	struct suo_rwqe		wqe;
	u32			done;
	u64			va;
	u32			rkey;
	u32			dlen;
	u32			head;
	u32			tail;
	u32			reads;
	u32			again;
	u32			size;
	struct suo_answer	*queue;
	u32			max_reads;
	u32			next_atomic;
};

/**
 * struct suo_ack - an acknowledgment that may wait: see ack.c
 * @waits: it does
 * @missed: the requests that have just left had no room for it
 * @turns: in a row that the queue pair has taken with its peer
 * @sent: what it had sent when the last message came in
 * @nr: of acknowledgments that have waited
 * @looked: what @nr was when @timer looked last
 * @timer: ends the wait
 */
struct suo_ack {
	bool			waits;
	bool			missed;
	int			turns;
	u32			sent;
	u32			nr;
	u32			looked;
	struct hrtimer		timer;
};

/**
 * struct suo_qp_ref - the reference count of a queue pair
 * @count: itself, each list, each packet under way
 * @qp: the queue pair
 * @rcu: outlives the queue pair, which the core frees at once, so that
 *	lookups need no lock
 */
struct suo_qp_ref {
	refcount_t	count;
	struct suo_qp	*qp;
	struct rcu_head	rcu;
};

/**
 * struct suo_qp - queue pair
 * @ibqp: the core's part
 * @dev: its device
 * @ref: reference count
 * @gone: completed with the last reference
 * @lock: protects everything below that has no other owner
 * @attr: as set by modify_qp
 * @state: current state
 * @mtu: payload of a packet on this queue pair's path, bytes
 * @av: the connected peer, NULL before RTR
 * @peer: scale-up: the peer's port into the domain
 * @shm_node: in the list of those that wait for room to another VM
 * @sport: UDP source port of a connection, which carries the flow's entropy
 * @icrc: of packets to the peer
 * @sig_all: every send request completes visibly
 * @block_self: what it sends to a group does not come back to it
 * @port: where packets leave
 * @slot: its place in the list of each port
 * @flow: congestion control, NULL until there is some; cc.h
 * @sq: send queue
 * @rq: own receive queue
 * @rqp: the receive queue in use, own or shared; NULL if there is none
 * @req: requester
 * @resp: responder
 * @ack: what the responder owes, and may owe for a while
 * @reorder: what came too early
 * @timer: local ACK timeout, or receiver-not-ready delay
 * @req_turn: a read response went out last: a request goes first now
 * @last_wqe_event: the SRQ's owner has been told
 * @comm_est: the owner has been told that the peer sends already
 * @cq_lost: a completion found no room in its queue
 * @counted: counts for this queue pair instead of the device's; see counter.c
 */
struct suo_qp {
	struct ib_qp		ibqp;
	struct suo_dev		*dev;
	struct suo_qp_ref	*ref;
	struct completion	gone;
	spinlock_t		lock;
	struct ib_qp_attr	attr;
	enum ib_qp_state	state;
	u32			mtu;
	struct suo_av		*av;
	struct suo_member	*peer;
	struct list_head	shm_node;
	u16			sport;
	struct suo_icrc_row	icrc[SUO_ICRC_ROWS];
	bool			sig_all;
	bool			block_self;
	struct suo_port		*port;
	struct suo_port_slot	slot[SUO_PORTS];
	struct suo_flow		*flow;
	struct suo_sq		sq;
	struct suo_rq		rq;
	struct suo_rq		*rqp;
	struct suo_req		req;
	struct suo_resp		resp;
	struct suo_ack		ack;
	struct suo_reorder	reorder;
	struct hrtimer		timer;
	bool			req_turn;
	bool			last_wqe_event;
	bool			comm_est;
	bool			cq_lost;
	struct suo_stats	*counted;
};

static inline struct suo_qp *to_sqp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct suo_qp, ibqp);
}

static inline void suo_qp_get(struct suo_qp *qp)
{
	refcount_inc(&qp->ref->count);
}

static inline void suo_qp_put(struct suo_qp *qp)
{
	if (refcount_dec_and_test(&qp->ref->count))
		complete(&qp->gone);
}

void suo_qp_cq_lost(struct suo_qp *qp);

/* Ports do not run while a queue pair is locked: see suo_ports_hold(). */
static inline void suo_qp_lock(struct suo_qp *qp)
{
	suo_ports_hold();
	spin_lock(&qp->lock);
}

static inline void suo_qp_unlock(struct suo_qp *qp)
{
	/* Not where it happens, in the midst of some work on the queues. */
	if (unlikely(qp->cq_lost))
		suo_qp_cq_lost(qp);
	spin_unlock(&qp->lock);
	suo_ports_release();
}

static inline bool suo_qp_is_su(const struct suo_qp *qp)
{
	return qp->port == &qp->dev->su;
}

/* Does another VM have the peer? */
static inline bool suo_qp_is_far(const struct suo_qp *qp)
{
	return suo_qp_is_su(qp) && qp->peer->far;
}

/* May what it sends come a little later? Not where each packet has its time. */
static inline bool suo_qp_may_wait(const struct suo_qp *qp)
{
	return qp->state == IB_QPS_RTS && qp->port == &qp->dev->nic &&
	       !READ_ONCE(qp->port->timed);
}

/* Is there, or may there be, a request to send from? */
static inline bool suo_sq_any(const struct suo_sq *sq)
{
	return sq->next != sq->prod || READ_ONCE(sq->ring.hdr->prod) != sq->prod;
}

static inline bool suo_qp_is_ud(const struct suo_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UD || qp->ibqp.qp_type == IB_QPT_GSI;
}

/* Where a locked queue pair counts. */
static inline struct suo_stats *suo_qp_stats(const struct suo_qp *qp)
{
	if (static_branch_unlikely(&suo_qp_counted) && qp->counted)
		return qp->counted;
	return &qp->dev->stats;
}

#define suo_qp_stat_inc(qp, name)					\
	atomic64_inc(&suo_qp_stats(qp)->val[SUO_ST_##name])

static inline struct suo_swqe *suo_sq_copy(const struct suo_sq *sq, u32 index)
{
	return sq->copy + (size_t)(index & (sq->ring.entries - 1)) * sq->stride;
}

/* qp.c */
int suo_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata);
int suo_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
struct suo_qp *suo_qp_lookup(u32 qpn);
struct suo_qp *suo_qp_lookup_gsi(struct suo_dev *dev);
struct suo_pkt *suo_qp_make_pkt(struct suo_qp *qp);
struct suo_pkt *suo_qp_next_pkt(struct suo_qp *qp, struct suo_port *port);
void suo_qp_event(struct suo_qp *qp, enum ib_event_type type);
void suo_qp_stop(struct suo_qp *qp, enum suo_why why);
void suo_qp_fatal(struct suo_qp *qp, enum suo_why why);
void suo_qp_set_state(struct suo_qp *qp, enum ib_qp_state state, enum suo_why why);
void suo_qp_flush(struct suo_qp *qp);
void suo_qp_exit(void);

/* modify.c */
int suo_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int suo_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);

/* sq.c */
int suo_sq_init(struct suo_qp *qp, struct ib_qp_cap *cap,
		struct ib_ucontext *ibuc, struct suo_ring_info *info);
void suo_sq_free(struct suo_sq *sq);
void suo_sq_fetch(struct suo_qp *qp);
void suo_sq_complete(struct suo_qp *qp, struct suo_swqe *wqe);
int suo_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int suo_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

/* doorbell.c */
void suo_doorbell(struct suo_qp *qp);
void suo_doorbell_wanted(struct suo_qp *qp);
enum hrtimer_restart suo_doorbell_timer(struct hrtimer *timer);

/* ack.c */
void suo_ack_heard(struct suo_qp *qp);
bool suo_ack_waits(struct suo_qp *qp);
void suo_ack_hurry(struct suo_qp *qp);
enum hrtimer_restart suo_ack_timer(struct hrtimer *timer);

/* req.c, req_tx.c */
struct suo_pkt *suo_req_next(struct suo_qp *qp);
enum hrtimer_restart suo_req_timer(struct hrtimer *timer);
void suo_req_drained(struct suo_qp *qp);
bool suo_req_awaits(const struct suo_qp *qp, u32 *psn);
void suo_req_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
		const struct suo_payload *pay);

/* resp.c, resp_tx.c */
struct suo_pkt *suo_resp_next(struct suo_qp *qp);
void suo_resp_ride(struct suo_qp *qp, struct suo_pkt *pkt);
int suo_resp_resize(struct suo_qp *qp, u32 max_reads);
void suo_resp_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
		 const struct suo_payload *pay);

/* ud.c */
struct suo_pkt *suo_ud_next(struct suo_qp *qp);
int suo_ud_next_class(struct suo_qp *qp);
void suo_ud_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
	       const struct suo_payload *pay, const struct suo_from *from);

/* qp.c: packets from either path; from is NULL on the scale-up path */
bool suo_qp_takes_row(const struct suo_qp *qp, const struct suo_hdr *hdr);
void suo_qp_rx(struct suo_qp *qp, const struct suo_hdr *hdr,
	       const struct suo_payload *pay, const struct suo_from *from);

/* net_tx.c, su.c: make of headers and payload what can leave */
int suo_net_add(struct suo_dev *dev, struct suo_pkt *pkt, struct suo_av *av,
		bool more);
u32 suo_net_add_run(struct suo_pkt *pkt, u32 max);
void suo_net_end(struct suo_pkt *pkt, struct suo_av *av, u16 sport,
		 struct suo_icrc_row *rows);
bool suo_net_from_peer(const struct suo_av *av, const struct suo_from *from);
u32 suo_su_run(const struct suo_qp *qp, u32 max);
int suo_su_finish(struct suo_qp *qp, struct suo_pkt *pkt);

/* For a connected queue pair, by the path that it has. */
static inline int suo_qp_add(struct suo_qp *qp, struct suo_pkt *pkt, bool more)
{
	return suo_qp_is_su(qp) ? suo_su_finish(qp, pkt) :
				  suo_net_add(qp->dev, pkt, qp->av, more);
}

static inline void suo_qp_end(struct suo_qp *qp, struct suo_pkt *pkt)
{
	if (!suo_qp_is_su(qp))
		suo_net_end(pkt, qp->av, qp->sport, qp->icrc);
}

/* How many packets, of max that follow each other in a message, are to be made as
 * one? They count as so many in everything else.
 */
static inline u32 suo_qp_run(const struct suo_qp *qp, u32 max)
{
	return max > 1 && suo_qp_is_su(qp) ? suo_su_run(qp, max) : 1;
}

/* Payload of n bytes of the queue pair's own memory, from off on. What kind of
 * memory, and where, is for the caller to say.
 */
static inline void suo_pkt_set_payload(struct suo_pkt *pkt, struct suo_qp *qp,
				       enum suo_payload_kind kind, u32 off,
				       u32 n)
{
	pkt->hdr.pad = -n & 3;
	if (!n)
		return;
	pkt->pay.kind = kind;
	pkt->pay.off = off;
	pkt->pay.len = n;
	pkt->pay.more = (n - 1) / qp->mtu;
	pkt->pay.piece = qp->mtu;
	pkt->pay.dev = qp->dev;
	pkt->pay.pd = to_spd(qp->ibqp.pd);
}

/* The same of what a send request sends. */
static inline void suo_pkt_set_request(struct suo_pkt *pkt, struct suo_qp *qp,
				       struct suo_swqe *wqe, u32 off, u32 n)
{
	suo_pkt_set_payload(pkt, qp, wqe->w.flags & SUO_SEND_INLINE ?
			    SUO_PAYLOAD_INLINE : SUO_PAYLOAD_WQE, off, n);
	pkt->pay.wqe = wqe;
}

/* Can packets like the last one follow it? Those from the middle of a message
 * are all alike.
 */
static inline bool suo_pkt_repeats(const struct suo_pkt *pkt)
{
	return pkt->skb && !suo_pkt_full(pkt) &&
	       !(suo_op_flags(pkt->hdr.opcode) & (SUO_F_START | SUO_F_END));
}

#endif /* SUO_QP_H */
