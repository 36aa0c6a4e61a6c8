// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A host that the others wait for. Collectives fall silent, but for acknowledgments, when
 * all have done what they can, and the one that ends the silence is the one that was
 * waited for; if it had not sent with the others before, it was not its turn, but late.
 * So a host that is late by less than the others can do without it is not seen, and
 * samples must not be further apart than it is late.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "userspace/cli/diagnose.h"

/* Data, and not acknowledgments: frames of so many bytes on average. */
#define DATA_BYTES	512
/*
 * Three silences ended by the same host, and four of five of them: among four hosts or
 * more, chance does that in less than 1 of 50 runs (4 (1/4)^3 = 1/16 for three in a row
 * of three is the most; but a healthy silence is ended by several at once).
 */
#define MIN_SILENCES	3
#define MIN_SHARE	0.8
/* Others that had sent data after the late one: all but those that wait for it. */
#define OTHERS		0.7
/* Of the time between the first data and the last, or it does not matter. */
#define MIN_TIME	0.05

struct nic {
	struct dx_port	*port;
	u32		last;		/* sample before which it sent data last */
	bool		ever;
	u64		waited_ps;
	u32		ended;
};

/* Does a NIC send data from a sample to the next? */
static bool sends(const struct dx_port *port, u32 k)
{
	u64 packets = dx_delta(port, DX_RX_PACKETS, k);

	return packets && dx_delta(port, DX_RX_BYTES, k) >= DATA_BYTES * packets;
}

/* Is the NIC late, that sends alone now, after a silence that began at that sample? */
static bool is_late(const struct nic *nic, u32 nics, u32 who)
{
	u32 others = 0, later = 0;

	for (u32 i = 0; i < nics; i++) {
		if (i == who || !nic[i].ever)
			continue;
		others++;
		later += nic[i].last > nic[who].last;
	}
	return others && later >= OTHERS * others;
}

/* Return: silences that were ended; *active_ps: from the first data to the last. */
static u32 find_silences(const struct dx_run *run, struct nic *nic, u32 nics, u64 *active_ps)
{
	u32 silences = 0, first = U32_MAX;
	bool silent = false;

	for (u32 k = 0; k + 1 < run->samples; k++) {
		u32 who = 0, senders = 0;

		for (u32 i = 0; i < nics; i++)
			if (sends(nic[i].port, k)) {
				who = i;
				senders++;
			}
		if (!senders) {
			silent = true;
			continue;
		}
		/* What is before the first word is no silence. */
		if (silent && first != U32_MAX) {
			silences++;
			if (senders == 1 && is_late(nic, nics, who)) {
				nic[who].ended++;
				nic[who].waited_ps += run->at_ps[k] -
						      run->at_ps[nic[who].last];
			}
		}
		if (first == U32_MAX)
			first = k;
		*active_ps = run->at_ps[k + 1] - run->at_ps[first];
		for (u32 i = 0; i < nics; i++)
			if (sends(nic[i].port, k)) {
				nic[i].last = k + 1;
				nic[i].ever = true;
			}
		silent = false;
	}
	return silences;
}

void dx_rule_straggler(struct dx_run *run, struct dx_report *report)
{
	struct nic *nic = calloc(run->ports + 1, sizeof(*nic));
	u32 nics = 0, silences;
	u64 active_ps = 0;

	if (!nic || run->samples < 2) {
		free(nic);
		return;
	}
	for (u32 p = 0; p < run->ports; p++)
		if (run->port[p].way == DX_HOST)
			nic[nics++].port = &run->port[p];
	silences = find_silences(run, nic, nics, &active_ps);
	for (u32 i = 0; i < nics; i++) {
		double share = active_ps ? (double)nic[i].waited_ps / active_ps : 0;
		struct dx_finding *f;

		if (nic[i].ended < MIN_SILENCES || nic[i].ended < MIN_SHARE * silences ||
		    share < MIN_TIME)
			continue;
		f = dx_find(report, "straggler", nic[i].port->last->peer, 0.65 + 0.2 * share);
		dx_say(f, "the others wait for it");
		dx_evidence(f, "%u of %u silences ended as it alone began to send data, when the others had sent theirs before",
			    nic[i].ended, silences);
		dx_evidence(f, "it sent no data then for %" PRIu64 " us, %.0f %% of the time from the first data to the last",
			    nic[i].waited_ps / 1000000, 100 * share);
	}
	free(nic);
}
