// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where pauses begin. A switch that hears pauses passes them on as its buffers fill, but
 * a NIC that asks for them is where they come from.
 */
#include <inttypes.h>
#include <string.h>

#include "model/core/pfc.h"
#include "userspace/cli/diagnose.h"

/*
 * A NIC whose buffers keep up asks for no pause. One per cent of the time is what a
 * collective would lose by it, and more than the deviation of a measurement.
 */
#define SLOW_SHARE	0.01
/* Of an interval: all of it, but for a sample that came late. */
#define FULL_SHARE	0.95

/* Who else was paused: ports of switches, and NICs. */
static void count_paused(const struct dx_run *run, u32 prio, u32 *switches, u32 *nics)
{
	*switches = 0;
	*nics = 0;
	for (u32 p = 0; p < run->ports; p++) {
		const struct dx_port *port = &run->port[p];

		if (port->way == DX_HOST)
			*nics += !!port->prio[prio].pfc_tx;
		else
			*switches += !!port->prio[prio].pfc_rx;
	}
}

/* The longest time for which all of a queue's intervals were paused and it sent nothing. */
static u64 longest_stop_us(const struct dx_run *run, const struct dx_port *port, u32 prio)
{
	const u64 *paused = port->series[prio][DX_PFC_RX_US];
	const u64 *sent = port->series[prio][DX_TX_PACKETS];
	u64 now_us = 0, most_us = 0;

	for (u32 k = 0; paused && k + 1 < run->samples; k++) {
		double length_us = (run->at_ps[k + 1] - run->at_ps[k]) / 1e6;
		bool stopped = paused[k + 1] - paused[k] >= FULL_SHARE * length_us &&
			       (!sent || sent[k + 1] == sent[k]);

		now_us = stopped ? now_us + length_us : 0;
		most_us = now_us > most_us ? now_us : most_us;
	}
	return most_us;
}

static void add_spread(const struct dx_run *run, u32 prio, struct dx_finding *f)
{
	u32 switches, nics;

	count_paused(run, prio, &switches, &nics);
	if (switches || nics)
		dx_evidence(f, "the pauses spread: %u ports of other switches and %u NICs were paused in priority %u",
			    switches, nics, prio);
}

static void say_storm(struct dx_run *run, struct dx_port *port, u32 prio, u64 stop_us,
		      struct dx_report *report)
{
	const struct suo_snap_prio *q = &port->prio[prio];
	struct dx_finding *f = dx_find(report, "pause-storm", port->last->peer, 0.96);

	dx_say(f, "it asks for pauses without end");
	dx_evidence(f, "%s was paused for %" PRIu64 " us by %" PRIu64 " frames in priority %u",
		    port->name, q->pfc_rx_duration_us, q->pfc_rx, prio);
	if (stop_us)
		dx_evidence(f, "for %" PRIu64 " us on end it sent nothing; one frame can ask for %.0f us",
			    stop_us, suo_pfc_quanta_ps(port->last->rate_mbps,
						       SUO_PFC_MAX_QUANTA) / 1e6);
	if (q->pfcwd.detected)
		dx_evidence(f, "the PFC watchdog saw %" PRIu64 " storms", q->pfcwd.detected);
	add_spread(run, prio, f);
	port->named = true;
}

static void look_at_nic(struct dx_run *run, struct dx_port *port, u32 prio,
			struct dx_report *report)
{
	const struct suo_snap_prio *q = &port->prio[prio];
	u64 stop_us = longest_stop_us(run, port, prio);
	double share = run->length_ps ? q->pfc_rx_duration_us * 1e6 / run->length_ps : 0;
	double one_us = suo_pfc_quanta_ps(port->last->rate_mbps, SUO_PFC_MAX_QUANTA) / 1e6;
	struct dx_finding *f;

	/* A pause that goes on when the longest that one frame can ask for is over twice. */
	if (q->pfcwd.detected || stop_us > 2 * one_us) {
		say_storm(run, port, prio, stop_us, report);
		return;
	}
	if (share < SLOW_SHARE)
		return;
	f = dx_find(report, "slow-receiver", port->last->peer, 0.92);
	dx_say(f, "it cannot take what is sent to it, and asks for pauses");
	dx_evidence(f, "%s was paused for %.1f %% of the run, by %" PRIu64 " frames in priority %u",
		    port->name, 100 * share, q->pfc_rx, prio);
	dx_evidence(f, "its queue held up to %" PRIu64 " bytes", q->queue_watermark_bytes);
	add_spread(run, prio, f);
	port->named = true;
}

static void find_deadlocks(const struct dx_run *run, struct dx_report *report)
{
	struct dx_finding *f = NULL;
	char place[2 * SUO_SNAP_NAME];

	for (size_t e = 0; e < run->last->nevents; e++) {
		const struct suo_snap_event *event = &run->last->event[e];

		if (strcmp(event->what, "pfc_deadlock") ||
		    event->time_ps < run->last->since_ps)
			continue;
		snprintf(place, sizeof(place), "%s:%s", event->at, event->port);
		if (!f) {
			f = dx_find(report, "deadlock", place, 0.99);
			dx_say(f, "queues wait for each other in a circle");
		}
		dx_evidence(f, "%s waits in priority %d", place, event->prio);
	}
}

void dx_rule_pauses(struct dx_run *run, struct dx_report *report)
{
	find_deadlocks(run, report);
	for (u32 p = 0; p < run->ports; p++)
		for (u32 q = 0; q < SUO_SNAP_PRIOS; q++)
			if (run->port[p].way == DX_HOST && run->port[p].prio[q].pfc_rx)
				look_at_nic(run, &run->port[p], q, report);
}
