// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Links that deliver all, but late or twice: seen by what is on them. */
#include <inttypes.h>
#include <stdlib.h>

#include "userspace/cli/diagnose.h"

/*
 * As many frames have to have been on the late wire at samples, or their mean says
 * nothing: 50 are good for a seventh. Others are there to be compared with, and need only
 * have been used.
 */
#define MIN_SEEN	50
#define MIN_CAME	100
#define MIN_SAMPLES	20
/*
 * Twice as slow as others of its kind, and by more than 500 ns: that is 100 m of fibre,
 * as long as they are in a hall.
 */
#define SLOWER		2.0
#define LATER_NS	500.0

/**
 * struct way - one direction of a link between switches
 * @link: number of the link
 * @from: port
 * @to: port
 * @delay_ns: mean time on it, beyond that of sending a frame; negative: not known
 * @seen: frames that were on it at samples, all together
 * @extra: frames that came out and never went in
 */
struct way {
	u32	link;
	s32	from;
	s32	to;
	double	delay_ns;
	double	seen;
	u64	extra;
};

/*
 * Little's law: the mean number on the wire is the rate at which frames go in, times
 * the mean time on it (Little, Operations Research 9, 1961).
 */
static void measure(const struct dx_run *run, struct way *w)
{
	const struct dx_port *from = &run->port[w->from], *to = &run->port[w->to];
	u64 came, length_ps, packets, bytes;
	u32 last = run->samples - 1;
	double send_ns;

	w->delay_ns = -1;
	for (u32 k = 0; k < run->samples; k++) {
		double in = dx_at(from, DX_TX_PACKETS, k), out = dx_at(to, DX_RX_PACKETS, k);

		w->seen += in - out;
		if (out - in > w->extra)
			w->extra = out - in;
	}
	came = suo_sub_sat(dx_at(to, DX_RX_PACKETS, last), dx_at(to, DX_RX_PACKETS, 0));
	length_ps = run->at_ps[last] - run->at_ps[0];
	if (run->link[w->link].lost || run->samples < MIN_SAMPLES || came < MIN_CAME)
		return;
	packets = suo_sub_sat(dx_at(from, DX_TX_PACKETS, last), dx_at(from, DX_TX_PACKETS, 0));
	bytes = suo_sub_sat(dx_at(from, DX_TX_BYTES, last), dx_at(from, DX_TX_BYTES, 0));
	/* They are counted when they begin to be sent; 20 bytes of each are in no counter. */
	send_ns = packets ? ((double)bytes / packets + 20) * 8000 / from->last->rate_mbps : 0;
	w->delay_ns = w->seen / run->samples * (length_ps / 1000.0) / came - send_ns;
	if (w->delay_ns < 0)
		w->delay_ns = 0;
}

static int by_delay(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	return (x->delay_ns > y->delay_ns) - (x->delay_ns < y->delay_ns);
}

static void find_late(struct dx_run *run, struct way *way, u32 ways,
		      struct dx_report *report)
{
	double median;
	u32 first = 0;

	qsort(way, ways, sizeof(*way), by_delay);
	while (first < ways && way[first].delay_ns < 0)
		first++;
	/* One or two have nothing to be compared with. */
	if (ways - first < 3)
		return;
	median = way[first + (ways - first - 1) / 2].delay_ns;
	for (u32 i = ways; i-- > first; ) {
		const struct way *w = &way[i];
		struct dx_finding *f;

		if (w->delay_ns < SLOWER * median || w->delay_ns < median + LATER_NS)
			break;
		if (w->seen < MIN_SEEN)
			continue;
		/* A slow port has been named; and once is enough for a link. */
		if (run->port[w->from].named || run->port[w->to].named)
			continue;
		run->port[w->from].named = true;
		f = dx_find(report, "link-delay", run->link[w->link].name, 0.75);
		dx_say(f, "frames take %.0f ns over the link, over others %.0f ns",
		       w->delay_ns, median);
		dx_evidence(f, "%.1f frames on the way at a sample on average (Little's law), from %s to %s",
			    w->seen / run->samples, run->port[w->from].name,
			    run->port[w->to].name);
	}
}

static void find_twice(struct dx_run *run, const struct way *w,
		       struct dx_report *report)
{
	struct dx_port *from = &run->port[w->from], *to = &run->port[w->to];
	struct dx_finding *f;

	if (!w->extra || from->named)
		return;
	from->named = true;
	to->named = true;
	f = dx_find(report, "link-duplicates", run->link[w->link].name, 0.9);
	dx_say(f, "more frames come out of the link than went in");
	dx_evidence(f, "%s sent %" PRIu64 " frames, %s got %" PRIu64 ", and at one time %" PRIu64 " too many",
		    from->name, from->out.packets, to->name, to->in.packets, w->extra);
}

void dx_rule_wires(struct dx_run *run, struct dx_report *report)
{
	struct way *way = calloc(2 * run->links + 1, sizeof(*way));
	u32 ways = 0;

	if (!way || run->samples < 2) {
		free(way);
		return;
	}
	for (u32 l = 0; l < run->links; l++) {
		const s32 *end = run->link[l].end;

		if (end[0] < 0 || end[1] < 0)
			continue;
		for (u32 d = 0; d < 2; d++) {
			way[ways] = (struct way){ .link = l, .from = end[d], .to = end[!d] };
			measure(run, &way[ways]);
			find_twice(run, &way[ways], report);
			ways++;
		}
	}
	find_late(run, way, ways, report);
	free(way);
}
