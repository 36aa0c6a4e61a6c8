// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A host that the others wait for. When it is late, the others do what they can without
 * it, and then there is a lull; the one that ends the lull is the one that was waited
 * for, if it had fallen silent before the others did. So a host that is late by less than
 * the others can do without it is not seen, and samples must not be further apart than
 * it is late.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "userspace/cli/diagnose.h"

/* Busy, and a lull: so many of those that send data at all. Ends of a ring are neither. */
#define BUSY		0.75
#define LULL		0.25
/*
 * A lull between two collectives is ended by all at once; one in which a host was waited
 * for is ended by it, and in the same interval by those that it wakes.
 */
#define FEW		0.5
/*
 * Three lulls and four of five of them, ended by the same host: if any of eight could be
 * the one, three in a row are of the same in 1 of 64 runs.
 */
#define MIN_LULLS	3
#define MIN_SHARE	0.8
/* Others that had sent data after the late one had. */
#define OTHERS		0.7
/* Of the time between the first data and the last, or it does not matter. */
#define MIN_TIME	0.05

/**
 * struct nic - a NIC
 * @port: of the switch, that it is linked to
 * @sender: it sends data at some time
 * @sends: it does in the present interval
 * @sent: it did in the one before
 * @last: sample at which it had last sent data
 * @ended: lulls that it has ended, being late
 * @waited_ps: how long it had been silent then, all together
 */
struct nic {
	struct dx_port	*port;
	bool		sender;
	bool		sends;
	bool		sent;
	u32		last;
	u32		ended;
	u64		waited_ps;
};

/* Does a NIC send data from a sample to the next? */
static bool sends(const struct dx_port *port, u32 k)
{
	u64 packets = dx_delta(port, DX_RX_PACKETS, k);

	return packets && dx_delta(port, DX_RX_BYTES, k) >= DX_DATA_BYTES * packets;
}

/*
 * The one that fell silent first, if it alone did and the others went on for longer, and
 * if it is among those that end the lull. Return: its number, or nics.
 */
static u32 who_was_late(const struct nic *nic, u32 nics)
{
	u32 who = nics, others = 0, later = 0, as_early = 0;

	for (u32 i = 0; i < nics; i++)
		if (nic[i].sender && (who == nics || nic[i].last < nic[who].last))
			who = i;
	if (who == nics || !nic[who].sends || nic[who].sent)
		return nics;
	for (u32 i = 0; i < nics; i++) {
		others += nic[i].sender && i != who;
		later += nic[i].sender && nic[i].last > nic[who].last;
		as_early += nic[i].sender && nic[i].last == nic[who].last;
	}
	return as_early == 1 && later && later >= OTHERS * others ? who : nics;
}

/* What the NICs do in an interval. Return: how many send; *starters: and did not before. */
static u32 listen_to(struct nic *nic, u32 nics, u32 k, u32 *starters)
{
	u32 senders = 0;

	*starters = 0;
	for (u32 i = 0; i < nics; i++) {
		nic[i].sent = nic[i].sends;
		nic[i].sends = sends(nic[i].port, k);
		senders += nic[i].sends;
		*starters += nic[i].sends && !nic[i].sent;
	}
	return senders;
}

/* Return: lulls that were ended; *active_ps: from the first data to the last. */
static u32 find_lulls(const struct dx_run *run, struct nic *nic, u32 nics, u64 *active_ps)
{
	u32 lulls = 0, first = U32_MAX, all = 0;
	bool busy = false, lull = false;

	for (u32 i = 0; i < nics; i++) {
		for (u32 k = 0; k + 1 < run->samples && !nic[i].sender; k++)
			nic[i].sender = sends(nic[i].port, k);
		all += nic[i].sender;
	}
	for (u32 k = 0; k + 1 < run->samples; k++) {
		u32 starters, who, senders = listen_to(nic, nics, k, &starters);

		if (lull && starters) {
			lulls++;
			lull = false;
			who = starters <= FEW * all ? who_was_late(nic, nics) : nics;
			if (who < nics) {
				nic[who].ended++;
				nic[who].waited_ps += run->at_ps[k] -
						      run->at_ps[nic[who].last];
			}
		}
		if (senders >= BUSY * all)
			busy = true;
		if (busy && senders <= LULL * all) {
			lull = true;
			busy = false;
		}
		if (!senders)
			continue;
		if (first == U32_MAX)
			first = k;
		*active_ps = run->at_ps[k + 1] - run->at_ps[first];
		for (u32 i = 0; i < nics; i++)
			if (nic[i].sends)
				nic[i].last = k + 1;
	}
	return lulls;
}

void dx_rule_straggler(struct dx_run *run, struct dx_report *report)
{
	struct nic *nic = calloc(run->ports + 1, sizeof(*nic));
	u32 nics = 0, lulls;
	u64 active_ps = 0;

	if (!nic || run->samples < 2) {
		free(nic);
		return;
	}
	for (u32 p = 0; p < run->ports; p++)
		if (run->port[p].way == DX_HOST)
			nic[nics++].port = &run->port[p];
	lulls = find_lulls(run, nic, nics, &active_ps);
	for (u32 i = 0; i < nics; i++) {
		double share = active_ps ? (double)nic[i].waited_ps / active_ps : 0;
		struct dx_finding *f;

		if (nic[i].ended < MIN_LULLS || nic[i].ended < MIN_SHARE * lulls ||
		    share < MIN_TIME)
			continue;
		f = dx_find(report, "straggler", nic[i].port->last->peer, 0.65 + 0.2 * share);
		dx_say(f, "the others wait for it");
		dx_evidence(f, "%u of %u lulls ended as it began to send data, and it had fallen silent before the others",
			    nic[i].ended, lulls);
		dx_evidence(f, "it sent no data then for %" PRIu64 " us, %.0f %% of the time from the first data to the last",
			    nic[i].waited_ps / 1000000, 100 * share);
	}
	free(nic);
}
