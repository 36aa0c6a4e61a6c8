// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Links that lose frames: how many, and by what pattern; and links that are down. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "userspace/cli/diagnose.h"

/*
 * IEEE 802.3 allows so few frames of 64 bytes to be lost, beyond the correction of
 * errors (clauses 91, 119: 6.2e-10); longer ones in proportion. More than that in 99 of
 * 100 runs is a fault.
 */
#define FRAME_LOSS	6.2e-10
#define SURE		0.01

/* A test of the pattern needs groups in which so many losses are expected (Cochran). */
#define PER_GROUP	5
#define MIN_GROUPS	4

enum pattern {
	UNKNOWN,	/* too few to say */
	RANDOM,
	PERIODIC,
	BURSTS,
};

/* Frames that set out on a link, as far as the switches at its ends know. */
static u64 sent_at(const struct dx_run *run, const struct dx_link *link, u32 k)
{
	u64 sent = 0;

	for (u32 side = 0; side < 2; side++) {
		const struct dx_port *port;

		if (link->end[side] < 0)
			continue;
		port = &run->port[link->end[side]];
		sent += dx_at(port, DX_TX_PACKETS, k);
		/* What a NIC sent and was not lost */
		if (port->way == DX_HOST)
			sent += dx_at(port, DX_RX_PACKETS, k);
	}
	return sent;
}

static u64 sent_in_run(const struct dx_run *run, const struct dx_link *link, u64 *bytes)
{
	u64 sent = 0;

	*bytes = 0;
	for (u32 side = 0; side < 2; side++) {
		const struct dx_port *port;

		if (link->end[side] < 0)
			continue;
		port = &run->port[link->end[side]];
		sent += port->out.packets;
		*bytes += port->out.octets;
		if (port->way == DX_HOST) {
			sent += port->in.packets;
			*bytes += port->in.octets;
		}
	}
	return sent;
}

/*
 * If each frame is lost with the same chance, whatever happened to others, the losses in
 * groups of frames are as far from their means as chance has it: the sum of
 * (k - np)^2 / np is distributed as chi-square. Much less is a period, much more are
 * bursts.
 */
static enum pattern find_pattern(const struct dx_run *run, const struct dx_link *link,
				 const u64 *count, double *chi2, u32 *groups)
{
	double share, below, group_sent = 0, group_lost = 0, sum = 0;
	u64 lost, sent, last;
	u32 n = 0;

	if (!count || run->samples < 2)
		return UNKNOWN;
	last = run->samples - 1;
	lost = suo_sub_sat(count[last], count[0]);
	sent = suo_sub_sat(sent_at(run, link, last), sent_at(run, link, 0));
	if (lost < PER_GROUP * MIN_GROUPS || sent <= lost)
		return UNKNOWN;
	share = (double)lost / sent;
	for (u32 k = 0; k < last; k++) {
		group_sent += suo_sub_sat(sent_at(run, link, k + 1), sent_at(run, link, k));
		group_lost += suo_sub_sat(count[k + 1], count[k]);
		if (group_sent * share < PER_GROUP)
			continue;
		sum += (group_lost - group_sent * share) * (group_lost - group_sent * share) /
		       (group_sent * share);
		n++;
		group_sent = 0;
		group_lost = 0;
	}
	if (n < MIN_GROUPS)
		return UNKNOWN;
	*chi2 = sum;
	*groups = n;
	below = gsl_cdf_chisq_P(sum, n - 1);
	if (below < SURE)
		return PERIODIC;
	return below > 1 - SURE ? BURSTS : RANDOM;
}

/* Are so many more than the background of a healthy link? */
static bool too_many(u64 count, u64 bytes)
{
	double mean = FRAME_LOSS * bytes / 64;

	/* Of nothing, nothing is lost by chance; and GSL has no such distribution. */
	if (!count || !bytes)
		return count > 0;
	return gsl_cdf_poisson_Q(count - 1 < UINT_MAX ? count - 1 : UINT_MAX, mean) < SURE;
}

static u64 events_of(const struct dx_run *run, const struct dx_link *link, const char *what)
{
	u64 most = 0;

	for (u32 side = 0; side < 2; side++) {
		u64 n = 0;

		if (link->end[side] < 0)
			continue;
		for (size_t e = 0; e < run->last->nevents; e++) {
			const struct suo_snap_event *event = &run->last->event[e];
			const struct dx_port *port = &run->port[link->end[side]];

			n += !strcmp(event->what, what) &&
			     event->time_ps >= run->last->since_ps &&
			     !strcmp(event->at, run->last->sw[port->sw].name) &&
			     !strcmp(event->port, port->last->name);
		}
		most = n > most ? n : most;
	}
	return most;
}

static void add_devices(const struct dx_run *run, struct dx_finding *f)
{
	u64 again = 0, out_of_order = 0, timeouts = 0;

	for (u32 e = 0; run->devices && e < json_object_size(run->devices); e++) {
		out_of_order += dx_device(run, e, "out_of_sequence");
		again += dx_device(run, e, "packet_seq_err");
		timeouts += dx_device(run, e, "local_ack_timeout_err");
	}
	if (again || out_of_order || timeouts)
		dx_evidence(f, "devices: %" PRIu64 " packets out of sequence, %" PRIu64
			    " complaints of gaps, %" PRIu64 " timeouts", out_of_order,
			    again, timeouts);
}

static void name_ports(struct dx_run *run, const struct dx_link *link)
{
	for (u32 side = 0; side < 2; side++)
		if (link->end[side] >= 0)
			run->port[link->end[side]].named = true;
}

/* Return: whether the link was down; then its losses need no other name. */
static bool was_down(struct dx_run *run, struct dx_report *report, const struct dx_link *link,
		     u64 sent)
{
	u64 downs = events_of(run, link, "link_down"), ups = events_of(run, link, "link_up");
	struct dx_finding *f;

	if (!downs)
		return false;
	/* Once may be maintenance, but it was in the middle of a run. */
	f = dx_find(report, downs > 1 ? "link-flaps" : "link-down", link->name,
		    downs > 1 ? 0.99 : 0.98);
	if (downs > 1)
		dx_say(f, "the link goes down again and again");
	else
		dx_say(f, ups ? "the link was down for a time" : "the link is down");
	dx_evidence(f, "it went down %" PRIu64 " times and came up %" PRIu64 " times", downs,
		    ups);
	if (link->lost)
		dx_evidence(f, "%" PRIu64 " of %" PRIu64 " frames did not arrive",
			    link->lost, sent + link->lost);
	return true;
}

static void say_lost(struct dx_run *run, struct dx_report *report, const struct dx_link *link,
		     u64 sent)
{
	/* A NIC's switch does not know of those that were lost on the way to it. */
	u64 all = suo_max(sent, link->lost);
	double chi2 = 0, share = (double)link->lost / all;
	u32 groups = 0;
	enum pattern how = find_pattern(run, link, link->lost_at, &chi2, &groups);
	struct dx_finding *f;
	static const char *const fault[] = {
		[UNKNOWN] = "link-loss", [RANDOM] = "link-loss",
		[PERIODIC] = "link-loss-periodic", [BURSTS] = "link-loss-bursts",
	};

	f = dx_find(report, fault[how], link->name, how == UNKNOWN ? 0.95 : 0.97);
	switch (how) {
	case PERIODIC:
		dx_say(f, "the link loses a frame regularly, about one in %.0f", 1 / share);
		break;
	case BURSTS:
		dx_say(f, "the link loses frames in bursts, %.3g %% of all", 100 * share);
		break;
	case RANDOM:
		dx_say(f, "the link loses frames at random, %.3g %% of them", 100 * share);
		break;
	case UNKNOWN:
		dx_say(f, "the link loses frames, %.3g %% of them", 100 * share);
		break;
	}
	dx_evidence(f, "%" PRIu64 " of %" PRIu64 " frames did not arrive; that a healthy link loses as many has a chance below %g",
		    link->lost, all, SURE);
	if (how != UNKNOWN)
		dx_evidence(f, "in %u groups with as many losses expected: chi-square %.2f, by chance %u +- %.1f",
			    groups, chi2, groups - 1,
			    __builtin_sqrt(2.0 * (groups - 1)));
	add_devices(run, f);
	name_ports(run, link);
}

static void say_corrupted(struct dx_run *run, struct dx_report *report,
			  const struct dx_link *link, u64 sent)
{
	struct dx_finding *f = dx_find(report, "link-corrupts", link->name, 0.97);
	u64 icrc = 0, all = suo_max(sent, link->corrupted);

	dx_say(f, "the link damages frames, %.3g %% of them", 100.0 * link->corrupted / all);
	dx_evidence(f, "%" PRIu64 " of %" PRIu64 " frames arrived with wrong bits",
		    link->corrupted, all);
	for (u32 e = 0; run->devices && e < json_object_size(run->devices); e++)
		icrc += dx_device(run, e, "rx_icrc_encapsulated");
	if (icrc)
		dx_evidence(f, "devices: %" PRIu64 " packets with a wrong ICRC", icrc);
	add_devices(run, f);
	name_ports(run, link);
}

void dx_rule_links(struct dx_run *run, struct dx_report *report)
{
	for (u32 l = 0; l < run->links; l++) {
		const struct dx_link *link = &run->link[l];
		u64 bytes, sent = sent_in_run(run, link, &bytes);

		if (was_down(run, report, link, sent))
			continue;
		if (too_many(link->corrupted, bytes))
			say_corrupted(run, report, link, sent);
		if (too_many(link->lost, bytes))
			say_lost(run, report, link, sent);
	}
}
