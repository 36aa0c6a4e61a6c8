// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "userspace/switch/snapshot.h"

/* So many faults of one link are told. */
#define MAX_FAULTS	16

struct swd_tellers swd_tell;

/* What no two processes have in common. */
static const char *instance(void)
{
	static char text[SUO_SNAP_NAME];
	struct timespec now;

	if (!*text) {
		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(text, sizeof(text), "%llx.%lx.%x", (unsigned long long)now.tv_sec,
			 now.tv_nsec, (unsigned int)getpid());
	}
	return text;
}

static void put_name(char *to, size_t room, const char *name)
{
	snprintf(to, room, "%s", name ? name : "");
}

static void name_config(const struct swd *s, struct suo_snap_config *config)
{
	const struct suo_switch_law *law = &s->config.sw;

	put_name(config->balancing, sizeof(config->balancing),
		 law->path < SUO_BALANCES ? suo_balancing_names[law->path] : "");
	config->seed = s->config.seed;
	for (u32 p = 0; p < SWD_PRIOS; p++) {
		const struct suo_switch_class *class = &law->class[p];

		config->prio[p] = (struct suo_snap_class){
			.lossless = class->pfc.headroom_bytes,
			.ecn = class->ecn,
			.is_dynamic = class->pfc.dynamic_th != SUO_PFC_NO_DYNAMIC,
			.dynamic_th = class->pfc.dynamic_th,
			.kmin_bytes = class->wred.kmin_bytes,
			.kmax_bytes = class->wred.kmax_bytes,
			.pmax_ppm = class->wred.pmax_ppm,
			.xoff_bytes = class->pfc.static_bytes,
			.xon_bytes = class->pfc.xon_bytes,
			.headroom_bytes = class->pfc.headroom_bytes,
		};
	}
}

/* Room for a switch's ports, and their names. Return: whether there was memory. */
static bool name_switch(const struct swd_node *node, struct suo_snap_switch *sw)
{
	sw->port = calloc(node->sw->nports + 1, sizeof(*sw->port));
	if (!sw->port)
		return false;
	sw->nports = node->sw->nports;
	put_name(sw->name, sizeof(sw->name), node->name);
	put_name(sw->tier, sizeof(sw->tier), node->tier);
	for (u32 p = 0; p < sw->nports; p++) {
		put_name(sw->port[p].name, sizeof(sw->port[p].name), node->ifs[p].name);
		put_name(sw->port[p].peer, sizeof(sw->port[p].peer), node->ifs[p].peer);
	}
	return true;
}

static bool name_link(const struct swd_link *from, struct suo_snap_link *link)
{
	link->fault = calloc(MAX_FAULTS, sizeof(*link->fault));
	put_name(link->name, sizeof(link->name), from->name);
	put_name(link->a, sizeof(link->a), from->end_name[0]);
	put_name(link->b, sizeof(link->b), from->end_name[1]);
	return link->fault;
}

struct suo_snapshot *swd_snapshot_new(const struct swd *s)
{
	struct suo_snapshot *snap = calloc(1, sizeof(*snap));
	bool ok;

	if (!snap)
		return NULL;
	snap->sw = calloc(s->nodes + 1, sizeof(*snap->sw));
	snap->link = calloc(s->links + 1, sizeof(*snap->link));
	snap->event = calloc(SWD_EVENTS, sizeof(*snap->event));
	ok = snap->sw && snap->link && snap->event;
	for (u32 i = 0; ok && i < s->nodes; i++, snap->nswitches = i)
		ok = name_switch(&s->node[i], &snap->sw[i]);
	for (u32 i = 0; ok && i < s->links; i++, snap->nlinks = i)
		ok = name_link(&s->link[i], &snap->link[i]);
	if (!ok) {
		suo_snapshot_free(snap);
		return NULL;
	}
	snap->time_scale = s->clock.scale ? s->clock.scale : 1;
	put_name(snap->instance, sizeof(snap->instance), instance());
	put_name(snap->cluster, sizeof(snap->cluster), s->cluster ? s->cluster->name : "");
	name_config(s, &snap->config);
	return snap;
}

static void take_pfcwd(const struct swd_pfcwd_count *from, struct suo_snap_pfcwd *wd)
{
	*wd = (struct suo_snap_pfcwd){
		.stormed = from->stormed,
		.detected = from->detected,
		.restored = from->restored,
		.tx_ok = from->tx_ok,
		.tx_drop = from->tx_drop,
		.rx_ok = from->rx_ok,
		.rx_drop = from->rx_drop,
		.tx_ok_last = from->tx_ok_last,
		.tx_drop_last = from->tx_drop_last,
		.rx_ok_last = from->rx_ok_last,
		.rx_drop_last = from->rx_drop_last,
	};
}

static void take_prio(const struct swd *s, u32 node, u32 port, u32 p,
		      struct suo_snap_prio *prio)
{
	const struct suo_switch_port *core = &s->node[node].sw->port[port];
	const struct swd_prio_count *count = &s->node[node].ifs[port].prio[p];

	prio->tx_packets = core->queue[p].tx_packets;
	prio->tx_bytes = core->queue[p].tx_bytes;
	prio->rx_packets = count->rx_packets;
	prio->rx_bytes = count->rx_bytes;
	prio->drop_packets = count->drop_packets;
	prio->drop_bytes = count->drop_bytes;
	prio->wred_drop_packets = count->wred_drop_packets;
	prio->wred_drop_bytes = count->wred_drop_bytes;
	prio->ecn_marked_packets = core->count.marked[p];
	prio->ecn_marked_bytes = count->ecn_marked_bytes;
	prio->trim_packets = count->trim_packets;
	prio->pg_drop_packets = count->pg_drop_packets;
	prio->pfc_tx = core->count.pause_tx[p];
	prio->pfc_rx = core->count.pause_rx[p];
	prio->pfc_on2off_rx = count->pfc_on2off_rx;
	prio->pfc_tx_duration_ps = swd_pfc_tx_ps(s, node, port, p);
	prio->pfc_rx_duration_ps = swd_pfc_rx_ps(s, node, port, p);
	prio->pfc_tx_duration_us = prio->pfc_tx_duration_ps / 1000000;
	prio->pfc_rx_duration_us = prio->pfc_rx_duration_ps / 1000000;

	prio->queue_bytes = core->queue[p].bytes;
	prio->queue_watermark_bytes = core->queue[p].bytes_max;
	prio->pg_shared_bytes = core->group[p].pg.shared_bytes;
	prio->pg_shared_watermark_bytes = core->group[p].pg.shared_max_bytes;
	prio->pg_headroom_bytes = core->group[p].pg.headroom_bytes;
	prio->pg_headroom_watermark_bytes = core->group[p].pg.headroom_max_bytes;
	take_pfcwd(&count->wd, &prio->pfcwd);
}

/* Nobody is at the other end, or the cable is cut in either direction. */
static bool is_up(const struct swd *s, const struct swd_if *ifs)
{
	const struct swd_link *link = ifs->link;
	const struct swd_end *far;

	if (!link || link->down[0] || link->down[1])
		return false;
	far = &link->end[!ifs->side];
	return !far->endpoint || (far->node < s->ports && s->port[far->node].fd >= 0);
}

static void take_port(const struct swd *s, u32 node, u32 p, struct suo_snap_port *port)
{
	const struct swd_if *ifs = &s->node[node].ifs[p];

	port->rate_mbps = s->node[node].sw->port[p].rate_mbps;
	port->up = is_up(s, ifs);
	port->in = (struct suo_snap_in){
		.packets = ifs->in_packets,
		.octets = ifs->in_octets,
		.discards = ifs->in_discards,
		.malformed = ifs->in_malformed,
		.oversize = ifs->in_oversize,
		.filtered = ifs->in_filtered,
	};
	port->out = (struct suo_snap_out){
		.packets = ifs->out_packets,
		.octets = ifs->out_octets,
		.discards = ifs->out_discards,
	};
	for (u32 i = 0; i < SWD_PRIOS; i++)
		take_prio(s, node, p, i, &port->prio[i]);
}

static void take_event(const struct swd *s, const struct swd_event *from,
		       struct suo_snap_event *event)
{
	const struct swd_node *node = from->node < s->nodes ? &s->node[from->node] : NULL;
	bool has_port = node && from->port < node->sw->nports;

	event->time_ps = from->at_ps;
	put_name(event->what, sizeof(event->what), from->what);
	put_name(event->at, sizeof(event->at), node ? node->name : "");
	put_name(event->port, sizeof(event->port),
		 has_port ? node->ifs[from->port].name : "");
	event->prio = from->prio < SWD_PRIOS ? from->prio : -1;
}

void swd_snapshot_take(const struct swd *s, struct suo_snapshot *snap, u64 now_ps)
{
	u64 events = s->events < SWD_EVENTS ? s->events : SWD_EVENTS;

	snap->time_ps = now_ps;
	for (u32 i = 0; i < s->nodes; i++) {
		const struct suo_pfc_pool *pool = &s->node[i].sw->pool;

		snap->sw[i].pool = (struct suo_snap_pool){
			.size_bytes = pool->size_bytes,
			.used_bytes = pool->used_bytes,
			.watermark_bytes = pool->used_max_bytes,
		};
		for (u32 p = 0; p < snap->sw[i].nports; p++)
			take_port(s, i, p, &snap->sw[i].port[p]);
	}
	for (u32 i = 0; i < s->links; i++) {
		const struct swd_link *from = &s->link[i];
		struct suo_snap_link *link = &snap->link[i];

		link->lost = from->wire[0].lost + from->wire[1].lost;
		link->corrupted = from->wire[0].corrupted + from->wire[1].corrupted;
		link->nfaults = swd_tell.faults_of ?
				swd_tell.faults_of(s, i, link->fault, MAX_FAULTS) : 0;
	}
	snap->nevents = events;
	for (u64 i = 0; i < events; i++)
		take_event(s, &s->event[(s->events - events + i) % SWD_EVENTS],
			   &snap->event[i]);
}

void swd_watermarks_clear(struct swd *s, unsigned int which)
{
	for (u32 i = 0; i < s->nodes; i++) {
		struct suo_switch *sw = s->node[i].sw;

		if (which & SWD_WM_POOL)
			sw->pool.used_max_bytes = sw->pool.used_bytes;
		for (u32 n = 0; n < sw->nports * SWD_PRIOS; n++) {
			struct suo_switch_port *port = &sw->port[n / SWD_PRIOS];
			struct suo_queue *queue = &port->queue[n % SWD_PRIOS];
			struct suo_pfc_pg *pg = &port->group[n % SWD_PRIOS].pg;

			if (which & SWD_WM_QUEUE)
				queue->bytes_max = queue->bytes;
			if (which & SWD_WM_PG_SHARED)
				pg->shared_max_bytes = pg->shared_bytes;
			if (which & SWD_WM_PG_HEADROOM)
				pg->headroom_max_bytes = pg->headroom_bytes;
		}
	}
}
