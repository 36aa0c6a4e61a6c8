// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "userspace/telemetry/series.h"
#include "userspace/telemetry/text.h"

#define RATES	",rx_gbps,tx_gbps,ecn_marked_share,pfc_rx_share"

int suo_series_start(struct suo_series *series, const struct suo_snapshot *snap)
{
	size_t ports = 0;

	for (size_t i = 0; i < snap->nswitches; i++)
		ports += snap->sw[i].nports;
	series->last = NULL;
	series->active = calloc(ports + 1, 1);
	series->link_active = calloc(snap->nlinks + 1, 1);
	if (!series->active || !series->link_active) {
		suo_series_end(series);
		return -ENOMEM;
	}

#define NAME(name)	"," #name
#define WD_NAME(name)	",pfcwd_" #name
	fputs("time_ps,switch,port,prio"
	      SUO_SNAP_PRIO_COUNTERS(NAME) SUO_SNAP_PRIO_LEVELS(NAME)
	      ",pfcwd_stormed"
	      SUO_SNAP_PFCWD_COUNTERS(WD_NAME)
	      RATES "\n", series->out);
#undef NAME
#undef WD_NAME
	fputs("time_ps,link,lost,corrupted\n", series->links);
	return 0;
}

static bool is_active(const struct suo_snap_prio *prio)
{
	u64 any = prio->pfcwd.stormed;

#define ANY(name)	any |= prio->name != SUO_SNAP_NA ? prio->name : 0;
	SUO_SNAP_PRIO_COUNTERS(ANY)
	SUO_SNAP_PRIO_LEVELS(ANY)
#undef ANY
#define ANY(name)	any |= prio->pfcwd.name;
	SUO_SNAP_PFCWD_COUNTERS(ANY)
#undef ANY
	return any;
}

/* Of what is not known, nothing. */
static char *put_u64(char *to, u64 value)
{
	*to++ = ',';
	return value == SUO_SNAP_NA ? to : suo_put_u64(to, value);
}

/* The rate of an interval: a bit in a picosecond is 1000 Gb/s. */
static double gbps(u64 bytes, u64 ps)
{
	return ps ? (double)bytes * 8000 / (double)ps : 0;
}

static void put_row(FILE *out, u64 now_ps, const char *sw, const char *port, size_t p,
		    const struct suo_snap_prio *prio, const struct suo_snap_prio *last,
		    u64 interval_ps)
{
	static const struct suo_snap_prio none;
	char row[1024], *to = row;
	u64 sent, marked;

	last = last ? last : &none;
	sent = prio->tx_packets - last->tx_packets;
	marked = prio->ecn_marked_packets - last->ecn_marked_packets;
#define PUT(name)	to = put_u64(to, prio->name);
	SUO_SNAP_PRIO_COUNTERS(PUT)
	SUO_SNAP_PRIO_LEVELS(PUT)
#undef PUT
	to = put_u64(to, prio->pfcwd.stormed);
#define PUT(name)	to = put_u64(to, prio->pfcwd.name);
	SUO_SNAP_PFCWD_COUNTERS(PUT)
#undef PUT
	*to = '\0';
	fprintf(out, "%" PRIu64 ",%s,%s,%zu%s,%.3f,%.3f,%.6f,%.6f\n", (uint64_t)now_ps, sw,
		port, p, row, gbps(prio->rx_bytes - last->rx_bytes, interval_ps),
		gbps(prio->tx_bytes - last->tx_bytes, interval_ps),
		sent ? (double)marked / (double)sent : 0,
		interval_ps ? (double)(prio->pfc_rx_duration_ps - last->pfc_rx_duration_ps) /
			      (double)interval_ps : 0);
}

int suo_series_add(struct suo_series *series, struct suo_snapshot *snap)
{
	const struct suo_snapshot *last = series->last;
	u64 interval_ps = snap->time_ps - (last ? last->time_ps : 0);
	u8 *active = series->active;

	for (size_t s = 0; s < snap->nswitches; s++) {
		const struct suo_snap_switch *sw = &snap->sw[s];

		for (size_t i = 0; i < sw->nports; i++, active++) {
			for (size_t p = 0; p < SUO_SNAP_PRIOS; p++) {
				const struct suo_snap_prio *prio = &sw->port[i].prio[p];

				if (!(*active & 1 << p) && !is_active(prio))
					continue;
				*active |= 1 << p;
				put_row(series->out, snap->time_ps, sw->name,
					sw->port[i].name, p, prio,
					last ? &last->sw[s].port[i].prio[p] : NULL,
					interval_ps);
			}
		}
	}
	for (size_t i = 0; i < snap->nlinks; i++) {
		const struct suo_snap_link *link = &snap->link[i];

		if (!series->link_active[i] && !link->lost && !link->corrupted)
			continue;
		series->link_active[i] = 1;
		fprintf(series->links, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 "\n",
			(uint64_t)snap->time_ps, link->name, (uint64_t)link->lost,
			(uint64_t)link->corrupted);
	}
	suo_snapshot_free(series->last);
	series->last = snap;
	if (ferror(series->out) || ferror(series->links))
		return errno ? -errno : -EIO;
	return 0;
}

void suo_series_end(struct suo_series *series)
{
	free(series->active);
	free(series->link_active);
	suo_snapshot_free(series->last);
	series->active = NULL;
	series->link_active = NULL;
	series->last = NULL;
}
