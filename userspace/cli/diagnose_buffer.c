// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Buffers and thresholds that do not fit each other. */
#include <inttypes.h>

#include "userspace/cli/diagnose.h"

/*
 * Lossless means that not one packet is dropped: each that finds no room came after a
 * pause that had been asked for too late.
 */
static void find_headroom(struct dx_run *run, u32 prio, struct dx_report *report)
{
	const struct suo_snap_class *class = &run->last->config.prio[prio];
	const struct dx_port *worst = NULL;
	struct dx_finding *f;
	u64 dropped = 0;
	u32 ports = 0;

	for (u32 p = 0; p < run->ports; p++) {
		const struct dx_port *port = &run->port[p];

		if (!port->prio[prio].pg_drop_packets)
			continue;
		ports++;
		dropped += port->prio[prio].pg_drop_packets;
		if (!worst || port->prio[prio].pg_drop_packets >
			      worst->prio[prio].pg_drop_packets)
			worst = port;
	}
	if (!worst)
		return;
	f = dx_find(report, "headroom", worst->name, 0.95);
	dx_say(f, "the headroom is too small: a lossless priority drops packets");
	dx_evidence(f, "priority %u: %" PRIu64 " packets found no room at %u ports, at %s %" PRIu64,
		    prio, dropped, ports, worst->name, worst->prio[prio].pg_drop_packets);
	dx_evidence(f, "headroom in use up to %" PRIu64 " of %" PRIu64 " bytes, by %" PRIu64 " pauses sent there",
		    worst->prio[prio].pg_headroom_watermark_bytes, class->headroom_bytes,
		    worst->prio[prio].pfc_tx);
}

/*
 * ECN is there to slow senders down before they are paused. If switches pause them, and
 * not a packet was marked, as no queue has got as far as Kmin, it comes too late.
 */
static void find_late_ecn(struct dx_run *run, u32 prio, struct dx_report *report)
{
	const struct suo_snap_class *class = &run->last->config.prio[prio];
	u64 pauses = 0, marked = 0, queue = 0, group = 0;
	const struct dx_port *where = NULL;
	struct dx_finding *f;

	for (u32 p = 0; p < run->ports; p++) {
		const struct suo_snap_prio *q = &run->port[p].prio[prio];

		pauses += q->pfc_tx;
		marked += q->ecn_marked_packets;
		if (q->queue_watermark_bytes > queue) {
			queue = q->queue_watermark_bytes;
			where = &run->port[p];
		}
		if (q->pfc_tx && q->pg_shared_watermark_bytes > group)
			group = q->pg_shared_watermark_bytes;
	}
	if (!pauses || marked || !where || queue >= class->kmin_bytes)
		return;
	f = dx_find(report, "ecn-late", where->name, 0.85);
	dx_say(f, "pauses come before ECN marks: Kmin is more than queues can hold");
	dx_evidence(f, "priority %u: %" PRIu64 " pauses, no packet marked", prio, pauses);
	dx_evidence(f, "the longest queue was %" PRIu64 " bytes, Kmin is %" PRIu64, queue,
		    class->kmin_bytes);
	dx_evidence(f, "senders were paused when they had %" PRIu64 " bytes in the buffer",
		    group);
}

void dx_rule_buffers(struct dx_run *run, struct dx_report *report)
{
	for (u32 q = 0; q < SUO_SNAP_PRIOS; q++) {
		const struct suo_snap_class *class = &run->last->config.prio[q];

		if (!class->lossless)
			continue;
		find_headroom(run, q, report);
		if (class->ecn)
			find_late_ecn(run, q, report);
	}
}
