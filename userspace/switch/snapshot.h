/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters of the process as a struct suo_snapshot, and the rest of telemetry. */
#ifndef SWD_SNAPSHOT_H
#define SWD_SNAPSHOT_H

#include "userspace/switch/switchd.h"
#include "userspace/telemetry/snapshot.h"

/**
 * swd_snapshot_new() - room for a snapshot
 * @s: the process
 *
 * With the names and what else does not change.
 *
 * Return: it, to be freed with suo_snapshot_free(), or NULL: not enough memory.
 */
struct suo_snapshot *swd_snapshot_new(const struct swd *s);

/* Take it: counters as they are, at a modelled time. */
void swd_snapshot_take(const struct swd *s, struct suo_snapshot *snap, u64 now_ps);

/**
 * struct swd_tellers - what other parts of the process tell; they set it as they start
 * @fault: answers {"cmd": "fault"}; a new reference; NULL: not enough memory
 * @faults_of: the numbers of the faults on a link, at most so many. Return: how many.
 */
struct swd_tellers {
	json_t	*(*fault)(struct swd *s, const json_t *request);
	u32	(*faults_of)(const struct swd *s, u32 link, u64 id[], u32 room);
};

extern struct swd_tellers swd_tell;

/* What watermarks there are. */
enum swd_watermarks {
	SWD_WM_QUEUE		= 1 << 0,
	SWD_WM_PG_SHARED	= 1 << 1,
	SWD_WM_PG_HEADROOM	= 1 << 2,
	SWD_WM_POOL		= 1 << 3,
	SWD_WM_ALL		= (1 << 4) - 1,
};

/* They begin anew, from what is there now. */
void swd_watermarks_clear(struct swd *s, unsigned int which);

/*
 * Parts of the process: the control socket, series and the endpoint for Prometheus.
 * Starting does nothing if it was not asked for. Return: 0 or -errno, after a message.
 */
int swd_control_start(struct swd *s);
void swd_control_stop(struct swd *s);
int swd_series_start(struct swd *s);
void swd_series_stop(struct swd *s);
int swd_prometheus_start(struct swd *s);
void swd_prometheus_stop(struct swd *s);

#endif /* SWD_SNAPSHOT_H */
