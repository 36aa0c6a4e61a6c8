// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What watchdog.c and deadlock.c see, done and told. The watchdog of a queue in a storm
 * drops what the queue holds and gets, and what comes in by the port with the priority;
 * or it has the queue send in spite of the pauses; or only tells.
 */
#include <errno.h>
#include <stdlib.h>

#include "userspace/switch/deadlock.h"
#include "userspace/switch/watchdog.h"
#include "userspace/switch/watchdog_wire.h"

/* Looks for deadlocks, where there is no watchdog whose looks could serve. */
#define LOOK_PS	1000000000ull		/* 1 ms */

/**
 * struct queue_watch - a queue
 * @watch: the watch
 * @tx: packets sent, when they were counted last
 * @rx: packets that came by the port, and were dropped, likewise
 * @rx_drop: as above
 * @start: the counters when the last storm began
 */
struct queue_watch {
	struct swd_watch	watch;
	u64			tx;
	u64			rx;
	u64			rx_drop;
	struct swd_pfcwd_count	start;
};

/**
 * struct watchdog - s->wd
 * @deadlock: of the network
 * @queue: by switch: of its ports and priorities
 * @timer: for the next look
 * @period_ps: between looks
 * @last_ps: the last one
 */
struct watchdog {
	struct swd_deadlock	deadlock;
	struct queue_watch	**queue;
	struct swd_timer	timer;
	u64			period_ps;
	u64			last_ps;
};

/* What passed a queue in a storm, since it was counted last. */
static void count(struct queue_watch *q, struct swd_prio_count *prio, u64 tx)
{
	struct swd_pfcwd_count *wd = &prio->wd;

	if (wd->stormed) {
		wd->tx_ok += tx - q->tx;
		wd->rx_ok += prio->rx_packets - q->rx - (wd->rx_drop - q->rx_drop);
		wd->tx_ok_last = wd->tx_ok - q->start.tx_ok;
		wd->tx_drop_last = wd->tx_drop - q->start.tx_drop;
		wd->rx_ok_last = wd->rx_ok - q->start.rx_ok;
		wd->rx_drop_last = wd->rx_drop - q->start.rx_drop;
	}
	q->tx = tx;
	q->rx = prio->rx_packets;
	q->rx_drop = wd->rx_drop;
}

static void begin(struct swd *s, u32 node, u32 port, u32 prio, struct queue_watch *q,
		  u64 now_ps)
{
	struct swd_pfcwd_count *wd = &s->node[node].ifs[port].prio[prio].wd;
	struct suo_switch *sw = s->node[node].sw;

	wd->stormed = true;
	wd->detected++;
	q->start = *wd;
	swd_event(s, "pfc_storm", node, port, prio);
	if (s->watchdog.action == SUO_PFCWD_DROP) {
		sw->port[port].shut |= 1u << prio;
		suo_switch_flush(sw, port, prio, now_ps);
	} else if (s->watchdog.action == SUO_PFCWD_FORWARD) {
		sw->port[port].deaf |= 1u << prio;
		suo_switch_send(sw, port, now_ps);
	}
}

static void end(struct swd *s, u32 node, u32 port, u32 prio)
{
	struct swd_pfcwd_count *wd = &s->node[node].ifs[port].prio[prio].wd;
	struct suo_switch_port *p = &s->node[node].sw->port[port];

	wd->stormed = false;
	wd->restored++;
	p->shut &= ~(1u << prio);
	p->deaf &= ~(1u << prio);
	swd_event(s, "pfc_restored", node, port, prio);
}

static void look_at(struct swd *s, u32 node, u32 port, u32 prio, u64 now_ps,
		    u64 elapsed_ps)
{
	struct watchdog *w = s->wd;
	struct queue_watch *q = &w->queue[node][port * SWD_PRIOS + prio];
	const struct suo_switch_port *p = &s->node[node].sw->port[port];
	struct swd_prio_count *c = &s->node[node].ifs[port].prio[prio];

	count(q, c, p->queue[prio].tx_packets);
	switch (swd_watch_poll(&q->watch, &s->watchdog, p, prio, c->pfc_on2off_rx, now_ps,
			       elapsed_ps)) {
	case SUO_PFCWD_STORM:
		begin(s, node, port, prio, q, now_ps);
		break;
	case SUO_PFCWD_RESTORED:
		end(s, node, port, prio);
		break;
	default:
		break;
	}
}

static void tell_deadlock(void *arg, u32 prio, const struct swd_stuck *stuck, u32 n)
{
	struct swd *s = arg;

	fprintf(stderr, "suo-switch: deadlock, priority %u:", prio);
	for (u32 i = 0; i < n; i++) {
		const struct swd_node *node = &s->node[stuck[i].node];

		fprintf(stderr, "%s %s:%s", i ? " waits for" : "", node->name,
			node->ifs[stuck[i].port].name);
		swd_event(s, "pfc_deadlock", stuck[i].node, stuck[i].port, prio);
	}
	fputs(" waits for the first\n", stderr);
}

static void look(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	struct watchdog *w = s->wd;
	u64 elapsed_ps = at_ps - w->last_ps;
	const struct swd_deadlock_user user = { tell_deadlock, s };

	w->last_ps = at_ps;
	/* Before storms are ended by force. */
	swd_deadlock_look(&w->deadlock, at_ps, &user);
	for (u32 i = 0; s->watchdog.detection_ps && i < s->nodes; i++)
		for (u32 p = 0; p < s->node[i].sw->nports; p++)
			for (u32 q = 0; q < SWD_PRIOS; q++)
				if (s->config.sw.class[q].pfc.headroom_bytes)
					look_at(s, i, p, q, at_ps, elapsed_ps);
	swd_timer_at(s, timer, at_ps + w->period_ps);
}

int swd_watchdog_start(struct swd *s)
{
	struct watchdog *w = calloc(1, sizeof(*w));
	bool lossless = false;

	s->wd = w;
	if (!w)
		goto no_memory;
	w->timer = (struct swd_timer){ .fn = look, .at_ps = U64_MAX };
	w->queue = calloc(s->nodes + 1, sizeof(*w->queue));
	if (!w->queue || swd_deadlock_init(&w->deadlock, &s->topo))
		goto no_memory;
	for (u32 i = 0; i < s->nodes; i++) {
		w->queue[i] = calloc((size_t)s->node[i].sw->nports * SWD_PRIOS + 1,
				     sizeof(**w->queue));
		if (!w->queue[i])
			goto no_memory;
	}
	for (u32 q = 0; q < SWD_PRIOS; q++)
		lossless |= s->config.sw.class[q].pfc.headroom_bytes;
	/* Nobody is paused, and nothing waits for ever. */
	if (!lossless)
		return 0;
	w->period_ps = s->watchdog.detection_ps && s->watchdog_poll_ps ?
		       s->watchdog_poll_ps : LOOK_PS;
	w->last_ps = s->now_ps;
	swd_timer_at(s, &w->timer, s->now_ps + w->period_ps);
	return 0;
no_memory:
	return swd_error(-ENOMEM, "not enough memory");
}

void swd_watchdog_stop(struct swd *s)
{
	struct watchdog *w = s->wd;

	if (!w)
		return;
	for (u32 i = 0; w->queue && i < s->nodes; i++)
		free(w->queue[i]);
	free(w->queue);
	swd_deadlock_free(&w->deadlock);
	free(w);
	s->wd = NULL;
}
