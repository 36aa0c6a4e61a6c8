// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings between VMs: one for each direction of each pair, with one that writes
 * (shm_tx.c) and one that reads (shm_rx.c), and a timer that looks into them.
 *
 * A ring begins with a session: the sender draws a number, the receiver accepts it,
 * and both begin. Either ends it by saying so. What was on its way is lost, as
 * on a wire, and the transport sends it again.
 */
#include "clock.h"
#include "compat.h"
#include "port.h"
#include "shm.h"

/* How often to look into the rings: at first, for so long; and at the end. */
#define POLL_MIN_NS	10000
#define POLL_BUSY_NS	200000
#define POLL_MAX_NS	1000000
/* What it takes, and this part of it for others */
#define POLL_SHARE	4

/* suo_shm_look_on() - there is something to look at from now on */
void suo_shm_look_on(struct suo_shm *shm)
{
	WRITE_ONCE(shm->idle_ns, 0);
	WRITE_ONCE(shm->period_ns, POLL_MIN_NS);
	hrtimer_start(&shm->timer, ns_to_ktime(POLL_MIN_NS),
		      HRTIMER_MODE_REL_SOFT);
}

/* suo_shm_look_soon() - somebody has sent, so somebody may answer soon */
void suo_shm_look_soon(struct suo_shm *shm)
{
	WRITE_ONCE(shm->idle_ns, 0);
	if (READ_ONCE(shm->period_ns) != POLL_MIN_NS)
		suo_shm_look_on(shm);
}

/* The device does not tell when somebody has written: look, often while there is
 * something to see. Two VMs may share a processor, so nobody waits in a loop, and
 * a part of what looking takes is left to others before looking again. Without a VM
 * to talk to there is nothing to look at.
 */
static enum hrtimer_restart poll(struct hrtimer *timer)
{
	struct suo_shm *shm = container_of(timer, struct suo_shm, timer);
	ktime_t begin = ktime_get(), end, at, due;
	u64 next_ps = U64_MAX, period;
	bool busy = false, any = false;
	u32 i;

	suo_ports_hold();
	rcu_read_lock();
	for (i = 0; i < shm->nr_peers; i++) {
		any |= READ_ONCE(shm->peer[i].rx.open) ||
		       READ_ONCE(shm->peer[i].tx.open);
		busy |= suo_shm_rx_run(&shm->peer[i], &next_ps);
		busy |= suo_shm_tx_run(&shm->peer[i]);
	}
	rcu_read_unlock();
	suo_ports_release();
	/* Who opens one meanwhile starts the timer. */
	if (!any)
		return HRTIMER_NORESTART;
	end = ktime_get();
	period = READ_ONCE(shm->period_ns);
	if (busy) {
		WRITE_ONCE(shm->idle_ns, 0);
		period = POLL_MIN_NS;
	} else {
		WRITE_ONCE(shm->idle_ns, shm->idle_ns + period);
		if (shm->idle_ns > POLL_BUSY_NS)
			period = min_t(u64, period * 2, POLL_MAX_NS);
	}
	WRITE_ONCE(shm->period_ns, period);
	at = ktime_add(end, max_t(ktime_t, period,
				  ktime_sub(end, begin) / POLL_SHARE));
	if (next_ps != U64_MAX) {
		due = suo_ps_to_ktime(next_ps);
		at = max(min(at, due), end);
	}
	hrtimer_start(timer, at, HRTIMER_MODE_ABS_SOFT);
	return HRTIMER_NORESTART;
}

/* suo_shm_ring_tick() - see to the sessions with a VM that is alive */
void suo_shm_ring_tick(struct suo_shm_peer *peer)
{
	suo_shm_tx_tick(peer);
	suo_shm_rx_tick(peer);
}

/* suo_shm_ring_close() - end the sessions with a VM, or with what had its slot */
void suo_shm_ring_close(struct suo_shm_peer *peer)
{
	suo_shm_tx_close(peer);
	suo_shm_rx_close(peer);
}

static void *ctl_at(struct suo_shm *shm, u32 from, u32 to)
{
	return shm->base + shm->layout.ctl_off +
	       suo_shm_ring(&shm->layout, from, to) * sizeof(struct suo_shm_ctl);
}

static void *data_at(struct suo_shm *shm, u32 from, u32 to)
{
	return shm->base + shm->layout.ring_off +
	       (size_t)suo_shm_ring(&shm->layout, from, to) *
	       shm->layout.ring_bytes;
}

/* suo_shm_ring_setup() - we have a slot, so it is known which rings are ours */
void suo_shm_ring_setup(struct suo_shm *shm)
{
	u32 i, slot = shm->slot;

	for (i = 0; i < shm->nr_peers; i++) {
		struct suo_shm_peer *peer = &shm->peer[i];

		peer->tx.ctl = NULL;
		peer->rx.ctl = NULL;
		if (i == slot)
			continue;
		peer->tx.ctl = ctl_at(shm, slot, i);
		peer->tx.data = data_at(shm, slot, i);
		peer->rx.ctl = ctl_at(shm, i, slot);
		peer->rx.data = data_at(shm, i, slot);
		/* What the slot had before us is over. */
		suo_shm_ring_close(peer);
	}
}

void suo_shm_ring_init(struct suo_shm *shm)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shm->peer); i++) {
		spin_lock_init(&shm->peer[i].tx.lock);
		INIT_LIST_HEAD(&shm->peer[i].tx.waiting);
		spin_lock_init(&shm->peer[i].rx.lock);
	}
	shm->period_ns = POLL_MAX_NS;
	hrtimer_setup(&shm->timer, poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}
