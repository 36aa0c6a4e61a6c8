/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Snapshots one after the other as comma-separated values, with the units in the names. */
#ifndef SUO_TELEMETRY_SERIES_H
#define SUO_TELEMETRY_SERIES_H

#include <stdio.h>

#include "userspace/telemetry/snapshot.h"

/**
 * struct suo_series - what has been written
 * @out: rows of queues: time, switch, port, priority, every counter and level by its
 *	name in the snapshot, those of the watchdog (but for its last storm) with
 *	"pfcwd_" before, and the rates of the interval
 * @links: rows of links
 * @active: by port of all switches: bit p: priority p has had something
 * @link_active: by link
 * @last: the snapshot before; NULL: there was none
 *
 * A queue or a link has no row before its first counter or level that is not 0, and
 * one in every interval from then on.
 */
struct suo_series {
	FILE			*out;
	FILE			*links;
	u8			*active;
	u8			*link_active;
	struct suo_snapshot	*last;
};

/**
 * suo_series_start() - write the headers
 * @series: its files are open
 * @snap: the first snapshot: of what the rows will be
 *
 * Return: 0 or -ENOMEM.
 */
int suo_series_start(struct suo_series *series, const struct suo_snapshot *snap);

/**
 * suo_series_add() - the rows of a snapshot
 * @series: where
 * @snap: becomes the series', which frees it
 *
 * Return: 0, or -errno when they could not be written.
 */
int suo_series_add(struct suo_series *series, struct suo_snapshot *snap);

/* Frees all but the files. */
void suo_series_end(struct suo_series *series);

#endif /* SUO_TELEMETRY_SERIES_H */
