// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "userspace/switch/deadlock.h"

#define PRIOS	SUO_SWITCH_PRIOS

int swd_deadlock_init(struct swd_deadlock *d, const struct suo_topo *topo)
{
	*d = (struct swd_deadlock){ .topo = topo };
	d->base = calloc(topo->nodes ? topo->nodes : 1, sizeof(*d->base));
	if (!d->base)
		return -ENOMEM;
	for (u32 i = 0; i < topo->nodes; i++) {
		d->base[i] = d->ports;
		d->ports += topo->node[i].sw.nports;
	}
	d->sent = calloc((size_t)d->ports * PRIOS + 1, sizeof(*d->sent));
	d->known = calloc((size_t)d->ports * PRIOS + 1, 1);
	d->cycle = calloc(d->ports + 1, sizeof(*d->cycle));
	d->stuck = calloc(d->ports + 1, sizeof(*d->stuck));
	if (!d->sent || !d->known || !d->cycle || !d->stuck)
		return -ENOMEM;
	return swd_waits_init(&d->waits, d->ports);
}

void swd_deadlock_free(struct swd_deadlock *d)
{
	swd_waits_free(&d->waits);
	free(d->base);
	free(d->sent);
	free(d->known);
	free(d->cycle);
	free(d->stuck);
	*d = (struct swd_deadlock){ 0 };
}

/* Does a queue hold a packet that came in by a port? */
static bool holds(const struct suo_queue *queue, u32 in_port)
{
	for (const struct suo_frame *f = queue->head; f; f = f->next)
		if (f->in_port == in_port)
			return true;
	return false;
}

static bool is_paused(const struct suo_switch_port *port, u32 prio, u64 now_ps)
{
	return port->queue[prio].head && suo_pfc_is_paused(&port->heard, prio, now_ps);
}

static bool stands_still(const struct swd_deadlock *d, u32 node, u32 port, u32 prio,
			 u64 now_ps)
{
	const struct suo_switch_port *p = &d->topo->node[node].sw.port[port];

	return is_paused(p, prio, now_ps) &&
	       p->queue[prio].tx_packets == d->sent[(d->base[node] + port) * PRIOS + prio];
}

/*
 * A port's queue waits for the peer's buffer, which waits for the queues of the peer's
 * that hold what came in there.
 */
static int add_waits(struct swd_deadlock *d, u32 node, u32 port, u32 prio, u64 now_ps)
{
	const struct suo_peer *peer = &d->topo->node[node].peer[port];
	const struct suo_switch *next;

	swd_waits_node(&d->waits, d->base[node] + port);
	if (peer->is_host || !stands_still(d, node, port, prio, now_ps))
		return 0;
	next = &d->topo->node[peer->node].sw;
	for (u32 p = 0; p < next->nports; p++)
		if (stands_still(d, peer->node, p, prio, now_ps) &&
		    holds(&next->port[p].queue[prio], peer->port) &&
		    swd_waits_add(&d->waits, d->base[peer->node] + p))
			return -ENOMEM;
	return 0;
}

/* One look at one priority. */
struct look {
	struct swd_deadlock			*d;
	const struct swd_deadlock_user	*user;
	u32					prio;
	int					cycles;
};

#define KNOWN	1
#define NOW	2

static void found(void *arg, const u32 *cycle, u32 n)
{
	struct look *look = arg;
	struct swd_deadlock *d = look->d;
	bool news = false;

	look->cycles++;
	for (u32 i = 0; i < n; i++) {
		u8 *known = &d->known[cycle[i] * PRIOS + look->prio];
		u32 node = 0;

		news |= !(*known & KNOWN);
		*known |= NOW;
		while (node + 1 < d->topo->nodes && d->base[node + 1] <= cycle[i])
			node++;
		d->stuck[i] = (struct swd_stuck){ node, cycle[i] - d->base[node] };
	}
	if (news)
		look->user->found(look->user->arg, look->prio, d->stuck, n);
}

/* What is not in a cycle any more is forgotten, and the present remembered. */
static void remember(struct swd_deadlock *d)
{
	for (u32 i = 0; i < d->topo->nodes; i++)
		for (u32 p = 0; p < d->topo->node[i].sw.nports; p++)
			for (u32 q = 0; q < PRIOS; q++) {
				u32 at = (d->base[i] + p) * PRIOS + q;

				d->sent[at] = d->topo->node[i].sw.port[p].queue[q].tx_packets;
				d->known[at] = d->known[at] & NOW ? KNOWN : 0;
			}
}

int swd_deadlock_look(struct swd_deadlock *d, u64 now_ps,
		      const struct swd_deadlock_user *user)
{
	struct look look = { .d = d, .user = user };

	for (look.prio = 0; look.prio < PRIOS; look.prio++) {
		if (!d->topo->node[0].sw.law->class[look.prio].pfc.headroom_bytes)
			continue;
		for (u32 i = 0; i < d->topo->nodes; i++)
			for (u32 p = 0; p < d->topo->node[i].sw.nports; p++)
				if (add_waits(d, i, p, look.prio, now_ps))
					return -ENOMEM;
		swd_waits_cycles(&d->waits, d->cycle, found, &look);
	}
	remember(d);
	return look.cycles;
}
