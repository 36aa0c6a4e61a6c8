// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ports that are slower than they should be, and loads that are not shared out. */
#include <inttypes.h>
#include <stdlib.h>

#include "userspace/cli/diagnose.h"

/* A port with a rate of less than nine tenths of its kind's is another kind of port. */
#define RATE_SHARE	0.9
/*
 * A port whose queues hold more than it sends until the next sample was never without
 * something to send; if nobody paused it either, it sends all the time. One that used
 * less than 80 % of it is slow. An interval has to be of ten frames, so that the one at
 * its edge does not matter.
 */
#define SENDS_SHARE	0.8
#define MIN_FRAMES	10
#define MIN_INTERVALS	3

/*
 * A collision: a path is full while another one from the same switch is at most half
 * full. If that is so for a fifth of the time, a tenth of what the hash had to give was
 * not had.
 */
#define FULL_SHARE	0.9
#define IDLE_SHARE	0.5
#define HOT_SHARE	0.2
/* One flow's bursts, and what is between them, make no longer queue than a few frames. */
#define LONG_QUEUE	8
/* Fewer samples may be one burst, which is what buffers are for. */
#define MIN_HOT		10

static bool same_kind(const struct dx_port *a, const struct dx_port *b)
{
	return a->way == b->way && a->level == b->level;
}

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median rate of ports of a kind. */
static u64 usual_mbps(const struct dx_run *run, const struct dx_port *like, u64 *rate)
{
	u32 n = 0;

	for (u32 p = 0; p < run->ports; p++)
		if (same_kind(&run->port[p], like))
			rate[n++] = run->port[p].last->rate_mbps;
	qsort(rate, n, sizeof(*rate), by_value);
	return rate[n / 2];
}

static u32 usable(const struct dx_run *run)
{
	return run->samples ? run->samples - 1 : 0;
}

/* How long it had something to send and nobody stopped it, and what it made of that. */
static u64 busy_ps(const struct dx_run *run, const struct dx_port *port, double *share,
		   u32 *intervals)
{
	double used = 0;
	u64 sum_ps = 0;

	*intervals = 0;
	for (u32 k = 0; k < usable(run); k++) {
		u64 length_ps = run->at_ps[k + 1] - run->at_ps[k];

		if (dx_at(port, DX_QUEUE_BYTES, k) < dx_delta(port, DX_TX_BYTES, k) ||
		    dx_delta(port, DX_PFC_RX_US, k) ||
		    dx_delta(port, DX_TX_PACKETS, k) < MIN_FRAMES)
			continue;
		used += dx_use(run, port, k) * length_ps;
		sum_ps += length_ps;
		(*intervals)++;
	}
	*share = sum_ps ? used / sum_ps : 1;
	return sum_ps;
}

static void look_for_slow(struct dx_run *run, struct dx_port *port, u64 *rate,
			  struct dx_report *report)
{
	u64 usual = usual_mbps(run, port, rate), ps;
	struct dx_finding *f;
	double share;
	u32 intervals;

	ps = busy_ps(run, port, &share, &intervals);
	if (port->last->rate_mbps < RATE_SHARE * usual) {
		f = dx_find(report, "slow-port", port->name, 0.94);
		dx_say(f, "the port is slower than its like");
		dx_evidence(f, "its rate is %" PRIu64 " Mb/s, that of others %" PRIu64,
			    port->last->rate_mbps, usual);
	} else if (share < SENDS_SHARE && intervals >= MIN_INTERVALS) {
		f = dx_find(report, "slow-port", port->name, 0.93);
		dx_say(f, "the port sends more slowly than its rate is");
		dx_evidence(f, "in %" PRIu64 " us without a pause, and with more in its queues than it sent, it used %.0f %% of %" PRIu64 " Mb/s",
			    ps / 1000000, 100 * share, port->last->rate_mbps);
	} else {
		return;
	}
	if (port->last->peer[0])
		dx_evidence(f, "it leads to %s", port->last->peer);
	port->named = true;
}

/* Is there another way up that nobody stops, and that is hardly used? */
static const struct dx_port *idle_other(const struct dx_run *run, const struct dx_port *full,
					u32 k)
{
	for (u32 p = 0; p < run->ports; p++) {
		const struct dx_port *port = &run->port[p];

		if (port->sw == full->sw && port->way == DX_UP && port != full &&
		    port->last->up && !dx_delta(port, DX_PFC_RX_US, k) &&
		    dx_use(run, port, k) <= IDLE_SHARE)
			return port;
	}
	return NULL;
}

/* Does more than one flow wait there, at a sample and at the next? */
static bool is_crowded(const struct dx_port *port, u32 k)
{
	u64 frame = dx_delta(port, DX_TX_BYTES, k) / dx_delta(port, DX_TX_PACKETS, k);

	return dx_at(port, DX_QUEUE_BYTES, k) >= LONG_QUEUE * frame &&
	       dx_at(port, DX_QUEUE_BYTES, k + 1) >= LONG_QUEUE * frame;
}

static void look_for_collision(struct dx_run *run, struct dx_port *port,
			       struct dx_report *report)
{
	u64 hot_ps = 0, active_ps = 0, mean = 0, n = 0, hot = 0;
	const struct dx_port *other = NULL;
	struct dx_finding *f;
	double share;

	for (u32 k = 0; k < usable(run); k++) {
		u64 length_ps = run->at_ps[k + 1] - run->at_ps[k];
		const struct dx_port *idle;

		if (!dx_delta(port, DX_TX_PACKETS, k))
			continue;
		active_ps += length_ps;
		if (!is_crowded(port, k) || dx_delta(port, DX_PFC_RX_US, k) ||
		    dx_use(run, port, k) < FULL_SHARE)
			continue;
		idle = idle_other(run, port, k);
		if (!idle)
			continue;
		hot_ps += length_ps;
		hot++;
		other = idle;
	}
	share = active_ps ? (double)hot_ps / active_ps : 0;
	if (share < HOT_SHARE || hot < MIN_HOT)
		return;
	for (u32 p = 0; p < run->ports; p++)
		if (run->port[p].sw == port->sw && run->port[p].way == DX_UP) {
			mean += run->port[p].out.octets;
			n++;
		}
	f = dx_find(report, "hash-collision", port->name, 0.6 + 0.25 * share);
	dx_say(f, "flows share this path while others are free");
	dx_evidence(f, "for %.0f %% of the time that it was used it was full and frames waited, while %s was at most half full",
		    100 * share, other->name);
	dx_evidence(f, "it sent %" PRIu64 " bytes, the %" PRIu64 " paths of the switch %" PRIu64 " on average; load balancing is %s",
		    port->out.octets, n, n ? mean / n : 0, run->last->config.balancing);
}

void dx_rule_slow(struct dx_run *run, struct dx_report *report)
{
	u64 *rate = calloc(run->ports + 1, sizeof(*rate));

	for (u32 p = 0; rate && p < run->ports; p++)
		if (run->port[p].way != DX_NOWHERE && !run->port[p].named)
			look_for_slow(run, &run->port[p], rate, report);
	free(rate);
}

void dx_rule_paths(struct dx_run *run, struct dx_report *report)
{
	for (u32 p = 0; p < run->ports; p++)
		if (run->port[p].way == DX_UP)
			look_for_collision(run, &run->port[p], report);
}
