/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all switches of a process have counted until a moment. suo-switch fills it in
 * and writes it as JSON, CSV and for Prometheus; `suo show` and `suo diagnose` read it.
 * Names are those of the JSON; what they mean is in suo-switch-telemetry(7).
 */
#ifndef SUO_TELEMETRY_SNAPSHOT_H
#define SUO_TELEMETRY_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "model/core/types.h"

#define SUO_SNAP_VERSION	1
#define SUO_SNAP_PRIOS		8
#define SUO_SNAP_NAME		48
#define SUO_SNAP_ERROR		256

/* Of a value that is not known: N/A. No counter gets that far. */
#define SUO_SNAP_NA		U64_MAX

/* Counters of one priority of a port: they only grow. */
#define SUO_SNAP_PRIO_COUNTERS(x)						\
	x(tx_packets) x(tx_bytes) x(rx_packets) x(rx_bytes)			\
	x(drop_packets) x(drop_bytes)						\
	x(wred_drop_packets) x(wred_drop_bytes)					\
	x(ecn_marked_packets) x(ecn_marked_bytes) x(trim_packets)		\
	x(pg_drop_packets)							\
	x(pfc_tx) x(pfc_rx) x(pfc_on2off_rx)					\
	x(pfc_tx_duration_us) x(pfc_rx_duration_us)				\
	x(pfc_tx_duration_ps) x(pfc_rx_duration_ps)

/* Levels of one priority of a port. */
#define SUO_SNAP_PRIO_LEVELS(x)							\
	x(queue_bytes) x(queue_watermark_bytes)					\
	x(pg_shared_bytes) x(pg_shared_watermark_bytes)				\
	x(pg_headroom_bytes) x(pg_headroom_watermark_bytes)

/* Counters of the PFC watchdog of a queue, and those of its last storm. */
#define SUO_SNAP_PFCWD_COUNTERS(x)						\
	x(detected) x(restored) x(tx_ok) x(tx_drop) x(rx_ok) x(rx_drop)
#define SUO_SNAP_PFCWD_LEVELS(x)						\
	x(tx_ok_last) x(tx_drop_last) x(rx_ok_last) x(rx_drop_last)

#define SUO_SNAP_IN_COUNTERS(x)							\
	x(packets) x(octets) x(discards) x(malformed) x(oversize) x(filtered)
#define SUO_SNAP_OUT_COUNTERS(x)						\
	x(packets) x(octets) x(discards)

#define SUO_SNAP_MEMBER(name)	u64 name;

struct suo_snap_pfcwd {
	SUO_SNAP_PFCWD_COUNTERS(SUO_SNAP_MEMBER)
	SUO_SNAP_PFCWD_LEVELS(SUO_SNAP_MEMBER)
	bool	stormed;
};

struct suo_snap_prio {
	SUO_SNAP_PRIO_COUNTERS(SUO_SNAP_MEMBER)
	SUO_SNAP_PRIO_LEVELS(SUO_SNAP_MEMBER)
	struct suo_snap_pfcwd	pfcwd;
};

struct suo_snap_in {
	SUO_SNAP_IN_COUNTERS(SUO_SNAP_MEMBER)
};

struct suo_snap_out {
	SUO_SNAP_OUT_COUNTERS(SUO_SNAP_MEMBER)
};

struct suo_snap_port {
	char			name[SUO_SNAP_NAME];
	char			peer[2 * SUO_SNAP_NAME];
	u64			rate_mbps;
	bool			up;
	struct suo_snap_in	in;
	struct suo_snap_out	out;
	struct suo_snap_prio	prio[SUO_SNAP_PRIOS];
};

struct suo_snap_pool {
	u64	size_bytes;
	u64	used_bytes;
	u64	watermark_bytes;
};

struct suo_snap_switch {
	char			name[SUO_SNAP_NAME];
	char			tier[SUO_SNAP_NAME];
	struct suo_snap_pool	pool;
	size_t			nports;
	struct suo_snap_port	*port;
};

/* A link, and the numbers of the faults that are on it. */
struct suo_snap_link {
	char	name[4 * SUO_SNAP_NAME];
	char	a[2 * SUO_SNAP_NAME];
	char	b[2 * SUO_SNAP_NAME];
	u64	lost;
	u64	corrupted;
	size_t	nfaults;
	u64	*fault;
};

/* What is done with one priority; @dynamic_th counts if @is_dynamic. */
struct suo_snap_class {
	bool	lossless;
	bool	ecn;
	bool	is_dynamic;
	s32	dynamic_th;
	u64	kmin_bytes;
	u64	kmax_bytes;
	u64	pmax_ppm;
	u64	xoff_bytes;
	u64	xon_bytes;
	u64	headroom_bytes;
};

struct suo_snap_config {
	char			balancing[SUO_SNAP_NAME];
	u64			seed;
	struct suo_snap_class	prio[SUO_SNAP_PRIOS];
};

/* Something that happened; @port is empty and @prio is -1 where they say nothing. */
struct suo_snap_event {
	u64	time_ps;
	char	what[SUO_SNAP_NAME];
	char	at[SUO_SNAP_NAME];	/* "switch" in the JSON */
	char	port[SUO_SNAP_NAME];
	s32	prio;
};

/**
 * struct suo_snapshot - all of it
 * @time_ps: modelled time since the process was started
 * @since_ps: counters count from then on; 0 but after suo_snapshot_subtract()
 * @time_scale: real time over modelled time
 * @instance: of the process, or empty
 * @cluster: name of the cluster
 * @nswitches: switches
 * @sw: the switches
 * @nlinks: links
 * @link: the links
 * @nevents: events
 * @event: events, the oldest first
 * @config: as it is in effect
 */
struct suo_snapshot {
	u64			time_ps;
	u64			since_ps;
	double			time_scale;
	char			instance[SUO_SNAP_NAME];
	char			cluster[SUO_SNAP_NAME];
	size_t			nswitches;
	struct suo_snap_switch	*sw;
	size_t			nlinks;
	struct suo_snap_link	*link;
	size_t			nevents;
	struct suo_snap_event	*event;
	struct suo_snap_config	config;
};

void suo_snapshot_free(struct suo_snapshot *snap);

/* A line of JSON, to be freed; NULL: not enough memory. */
char *suo_snapshot_to_json(const struct suo_snapshot *snap, size_t *len);

/**
 * suo_snapshot_from_json() - check and take over a snapshot
 * @root: what was read
 * @snap: the snapshot; free it with suo_snapshot_free()
 * @error: what is wrong, with its place
 *
 * Return: 0, -EINVAL with @error, or -ENOMEM.
 */
int suo_snapshot_from_json(const json_t *root, struct suo_snapshot **snap,
			   char error[SUO_SNAP_ERROR]);

/**
 * suo_snapshot_subtract() - count from an earlier snapshot on
 * @snap: its counters become what has been counted since @base
 * @base: of the same process
 *
 * Levels and watermarks are as they were. What @base does not have, or has more of,
 * began after it.
 */
void suo_snapshot_subtract(struct suo_snapshot *snap, const struct suo_snapshot *base);

/* Is @base an earlier snapshot of the same process? */
bool suo_snapshot_is_base(const struct suo_snapshot *snap,
			  const struct suo_snapshot *base);

#endif /* SUO_TELEMETRY_SNAPSHOT_H */
