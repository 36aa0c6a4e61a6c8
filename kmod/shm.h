/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains across VMs: a domain's part in memory that VMs share, as an ivshmem
 * device has it. shm_pci.c finds the device, shm.c takes a slot and watches the
 * others, shm_dir.c is about who is a member where; shm_ring.c, shm_tx.c and shm_rx.c
 * move packets. See Documentation/design/ivshmem.rst.
 *
 * Lock order: suo_shm_mutex -> suo_devs_lock -> tx.lock or rx.lock;
 * rx.lock -> qp->lock -> tx.lock -> wait_lock (shm_tx.c). Never two of a kind.
 */
#ifndef SUO_SHM_H
#define SUO_SHM_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/workqueue.h>

#include "../model/core/shm.h"
#include "domain.h"

struct pci_dev;
struct suo_port;
struct suo_qp;

/* A VM tells that it lives at least this often, and looks who else does. */
#define SUO_SHM_TICK_MS		50
/* One that does not, for so long, is taken for dead. */
#define SUO_SHM_DEAD_MS		5000

/**
 * struct suo_shm_tx - the ring to a peer
 * @lock: protects the rest, but for @waiting
 * @ctl: its control
 * @data: the ring
 * @session: ours; 0: there is none
 * @open: the peer has accepted it
 * @prod: end of what is written
 * @held: bytes that are promised to packets on their way there
 * @waiting: queue pairs that wait for room
 */
struct suo_shm_tx {
	spinlock_t		lock;
	struct suo_shm_ctl	*ctl;
	u8			*data;
	u64			session;
	bool			open;
	u32			prod;
	u32			held;
	struct list_head	waiting;
};

/**
 * struct suo_shm_rx - the ring from a peer
 * @lock: protects the rest
 * @ctl: its control
 * @data: the ring
 * @session: the sender's; kept when it ends, since one that ended does not begin
 *	again
 * @open: it is being received
 * @have: @rec is a packet that has not been handed over
 * @known: @offset_ps is known
 * @cons: end of what is taken
 * @rec: copy of the record at @cons
 * @head: copy of the beginning of its packet
 * @offset_ps: our clock's lead over the sender's, and the shortest time that a
 *	packet took
 * @due_ps: when @rec has arrived
 */
struct suo_shm_rx {
	spinlock_t		lock;
	struct suo_shm_ctl	*ctl;
	u8			*data;
	u64			session;
	bool			open;
	bool			have;
	bool			known;
	u32			cons;
	struct suo_shm_rec	rec;
	u8			head[SUO_MAX_HDR_LEN];
	s64			offset_ps;
	u64			due_ps;
};

/**
 * struct suo_shm_peer - another VM, or a slot that it could have
 * @shm: whose
 * @slot: its number
 * @owner: who has it, as seen last; so are @beat and @changed
 * @beat: its heartbeat
 * @changed: jiffies when that was another
 * @alive: it is not long ago; read without lock
 * @tx: the way there
 * @rx: the way back
 */
struct suo_shm_peer {
	struct suo_shm		*shm;
	u32			slot;
	u64			owner;
	u64			beat;
	unsigned long		changed;
	bool			alive;
	struct suo_shm_tx	tx;
	struct suo_shm_rx	rx;
};

/**
 * struct suo_shm_far - a member of the domain that another VM has
 * @member: what queue pairs know of it
 * @node: in the list of those that can be reached
 * @peer: its VM
 * @index: its entry there
 * @id: which it has had since it joined
 */
struct suo_shm_far {
	struct suo_member	member;
	struct list_head	node;
	struct suo_shm_peer	*peer;
	u32			index;
	u32			id;
};

/**
 * struct suo_shm_near - a member of ours that the others can see
 * @member: the member, held; NULL: none; good for a grace period
 * @seq: of what was written of it; so is @about
 * @about: what the others are told
 */
struct suo_shm_near {
	struct suo_member __rcu	*member;
	u32			seq;
	struct suo_shm_about	about;
};

/**
 * struct suo_shm - a domain's part in a shared memory
 * @ref: the domain's, each far member's and each packet's
 * @domain: the domain, as long as it is attached
 * @pdev: the device, held
 * @base: its memory, while @running
 * @layout: of the memory
 * @running: between start and stop; protected by suo_devs_lock
 * @slot: ours, or -1; so is the rest
 * @claim: the slot that we want, or NULL
 * @owner: what we wrote there
 * @beat: likewise
 * @ticked: jiffies of the last tick
 * @joined: completed when there is a slot, or nothing to wait for any more
 * @last_id: of a member that has joined
 * @far: members elsewhere
 * @near: members here
 * @work: the tick
 * @timer: looks into the rings
 * @period_ns: how often
 * @idle_ns: how long nothing has come
 * @nr_peers: entries of @peer
 * @peer: the other VMs, and our own slot
 */
struct suo_shm {
	struct kref		ref;
	struct suo_domain	*domain;
	struct pci_dev		*pdev;
	void			*base;
	struct suo_shm_header	layout;
	bool			running;
	int			slot;
	struct suo_shm_peer	*claim;
	u64			owner;
	u64			beat;
	unsigned long		ticked;
	struct completion	joined;
	u32			last_id;
	struct list_head	far;
	struct suo_shm_near	near[SUO_SHM_MEMBERS];
	struct delayed_work	work;
	struct hrtimer		timer;
	u64			period_ns;
	u64			idle_ns;
	u32			nr_peers;
	struct suo_shm_peer	peer[SUO_SHM_MANY_SLOTS];
};

static inline struct suo_shm_far *to_far(struct suo_member *member)
{
	return container_of(member, struct suo_shm_far, member);
}

static inline struct suo_shm_slot *suo_shm_slot(const struct suo_shm *shm,
						u32 slot)
{
	return shm->base + shm->layout.slot_off +
	       (size_t)slot * shm->layout.slot_bytes;
}

/* A number that nobody else draws. */
u64 suo_shm_draw(const struct suo_shm *shm);
void suo_shm_put(struct suo_shm *shm);

/* shm.c */
ssize_t suo_shm_show(struct suo_domain *d, char *page);
ssize_t suo_shm_store(struct suo_domain *d, const char *page, size_t len);
void suo_shm_detach(struct suo_domain *d);
int suo_shm_check_memory(struct suo_shm *shm);
void suo_shm_start(struct suo_shm *shm);
void suo_shm_stop(struct suo_shm *shm);

/* shm_pci.c */
struct pci_dev *suo_shm_find_pci(const char *name, const char *domain);
int suo_shm_bind(struct suo_shm *shm);
void suo_shm_unbind(struct suo_shm *shm);
const char *suo_shm_pci_name(const struct suo_shm *shm);
int suo_shm_init(void);
void suo_shm_exit(void);

/* shm_dir.c */
void suo_shm_publish(struct suo_domain *d, struct suo_member *member);
void suo_shm_unpublish(struct suo_domain *d, struct suo_member *member);
void suo_shm_dir_write(struct suo_shm *shm);
void suo_shm_dir_watch(struct suo_shm *shm);
void suo_shm_dir_lose(struct suo_shm *shm, struct suo_shm_peer *peer);
struct suo_member *suo_shm_find_far(struct suo_domain *d, struct suo_dev *dev,
				    const union ib_gid *gid);
ssize_t suo_shm_remote_show(struct suo_domain *d, char *page);

/* shm_ring.c */
void suo_shm_ring_init(struct suo_shm *shm);
void suo_shm_ring_setup(struct suo_shm *shm);
void suo_shm_ring_tick(struct suo_shm_peer *peer);
void suo_shm_ring_close(struct suo_shm_peer *peer);
void suo_shm_look_on(struct suo_shm *shm);
void suo_shm_look_soon(struct suo_shm *shm);

/* shm_tx.c */
int suo_shm_promise(struct suo_qp *qp);
void suo_shm_promised(struct suo_qp *qp, int promise, struct suo_pkt *pkt);
void suo_shm_forget(struct suo_qp *qp);
int suo_shm_finish(struct suo_qp *qp, struct suo_pkt *pkt);
void suo_shm_pkt_done(struct suo_pkt *pkt);
void suo_shm_deliver(struct suo_port *port, struct suo_pkt *pkt);
bool suo_shm_tx_run(struct suo_shm_peer *peer);
void suo_shm_tx_tick(struct suo_shm_peer *peer);
void suo_shm_tx_close(struct suo_shm_peer *peer);

/* shm_rx.c */
bool suo_shm_rx_run(struct suo_shm_peer *peer, u64 *next_ps);
void suo_shm_rx_tick(struct suo_shm_peer *peer);
void suo_shm_rx_close(struct suo_shm_peer *peer);

#endif /* SUO_SHM_H */
