// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What hosts do wrong, or what is done to them. */
#include <inttypes.h>
#include <string.h>

#include "userspace/cli/diagnose.h"

/* Of a NIC's data; and so many frames, that a service or two do not count. */
#define MOST		0.5
#define MIN_FRAMES	100

/* Data that a NIC sent in priorities that drop, and in all. */
static void add_up(const struct dx_run *run, const struct dx_port *port, u64 *lossy, u64 *all,
		   u64 *frames, u32 *prio)
{
	u64 most = 0;

	*lossy = 0;
	*all = 0;
	*frames = 0;
	for (u32 q = 0; q < SUO_SNAP_PRIOS; q++) {
		const struct suo_snap_prio *c = &port->prio[q];

		if (!c->rx_packets || c->rx_bytes / c->rx_packets < DX_DATA_BYTES)
			continue;
		*all += c->rx_bytes;
		if (run->last->config.prio[q].lossless)
			continue;
		*lossy += c->rx_bytes;
		*frames += c->rx_packets;
		if (c->rx_bytes > most) {
			most = c->rx_bytes;
			*prio = q;
		}
	}
}

static u64 dropped(const struct dx_run *run, u32 prio)
{
	u64 sum = 0;

	for (u32 p = 0; p < run->ports; p++)
		sum += run->port[p].prio[prio].drop_packets +
		       run->port[p].prio[prio].pg_drop_packets;
	return sum;
}

/*
 * A NIC whose data is in a class that drops, while others use the lossless one; or all
 * of them, and packets were dropped for it. A network without a lossless class is meant
 * to be so, and so is one where all are content in the lossy class.
 */
static void find_wrong_class(struct dx_run *run, struct dx_report *report)
{
	u64 lossy, all, frames, net_lossy = 0, net_all = 0;
	u32 prio = 0, lossless = SUO_SNAP_PRIOS;

	for (u32 q = SUO_SNAP_PRIOS; q--; )
		if (run->last->config.prio[q].lossless)
			lossless = q;
	if (lossless == SUO_SNAP_PRIOS)
		return;
	for (u32 p = 0; p < run->ports; p++) {
		if (run->port[p].way != DX_HOST)
			continue;
		add_up(run, &run->port[p], &lossy, &all, &frames, &prio);
		net_lossy += lossy;
		net_all += all;
	}
	for (u32 p = 0; p < run->ports; p++) {
		const struct dx_port *port = &run->port[p];
		struct dx_finding *f;

		if (port->way != DX_HOST)
			continue;
		add_up(run, port, &lossy, &all, &frames, &prio);
		if (frames < MIN_FRAMES || lossy < MOST * all ||
		    (net_lossy > MOST * net_all && !dropped(run, prio)))
			continue;
		f = dx_find(report, "wrong-class", port->last->peer, 0.88);
		dx_say(f, "its data is in priority %u, which drops: a wrong DSCP", prio);
		dx_evidence(f, "%.0f %% of its data, %" PRIu64 " frames, are in lossy priorities; lossless is %u",
			    100.0 * lossy / all, frames, lossless);
		dx_evidence(f, "of all NICs' data %.0f %% are in lossy priorities; %" PRIu64 " frames of priority %u were dropped",
			    100.0 * net_lossy / net_all, dropped(run, prio), prio);
	}
}

static u64 all_drops(const struct dx_run *run)
{
	u64 sum = 0;

	for (u32 p = 0; p < run->ports; p++)
		sum += run->port[p].in.discards + run->port[p].out.discards;
	for (u32 l = 0; l < run->links; l++)
		sum += run->link[l].lost + run->link[l].corrupted;
	return sum;
}

/* Packets are out of sequence after one was lost; if none was, one overtook another. */
static void find_reordering(struct dx_run *run, struct dx_report *report)
{
	u64 count = 0, most = 0, sequence;
	struct dx_finding *f;
	const char *where = "";
	u32 receivers = 0;

	if (!run->devices || all_drops(run) || strcmp(run->last->config.balancing, "ecmp"))
		return;
	for (u32 p = 0; p < run->ports; p++) {
		if (run->port[p].way != DX_HOST)
			continue;
		sequence = dx_device(run, run->port[p].endpoint, "out_of_sequence");
		count += sequence;
		receivers += !!sequence;
		if (sequence > most) {
			most = sequence;
			where = run->port[p].last->peer;
		}
	}
	/* Copies are in the wrong place, too. */
	if (!count || dx_has(report, "link-duplicates"))
		return;
	f = dx_find(report, "reordering", where, 0.7);
	dx_say(f, "packets overtake each other on the way to it");
	dx_evidence(f, "%" PRIu64 " packets came out of sequence at %u NICs, %" PRIu64 " at %s; no frame was lost or dropped",
		    count, receivers, most, where);
}

void dx_rule_hosts(struct dx_run *run, struct dx_report *report)
{
	find_wrong_class(run, report);
	find_reordering(run, report);
}
