/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * suo diagnose: what the telemetry of a run says is wrong. A run is a directory with what
 * suo-switch --series DIR/series.csv leaves there (suo-switch-telemetry(7)), and
 * the counters of the devices, if somebody has put them there.
 *
 * Rules look at counters that real switches and NICs have, never at the list of faults
 * that were injected. Each has its thresholds beside it, with the reason.
 */
#ifndef SUO_CLI_DIAGNOSE_H
#define SUO_CLI_DIAGNOSE_H

#include <jansson.h>

#include "userspace/telemetry/snapshot.h"

/* Data, and not acknowledgments or pauses: frames of so many bytes on average. */
#define DX_DATA_BYTES	512

/* What the rules use of the time series. */
enum dx_column {
	DX_TX_PACKETS, DX_TX_BYTES, DX_RX_PACKETS, DX_RX_BYTES,
	DX_QUEUE_BYTES,			/* a level; the others are counters */
	DX_PFC_RX_US,
	DX_COLUMNS,
};

/* What a port leads to. */
enum dx_way {
	DX_HOST,
	DX_UP,		/* a switch further from the hosts */
	DX_DOWN,	/* a switch nearer to them, or as near */
	DX_NOWHERE,
};

/**
 * struct dx_port - a port of a switch
 * @name: "leaf0:Ethernet3"
 * @sw: number of its switch
 * @way: enum dx_way
 * @peer: number of the port at the other end; DX_HOST, DX_NOWHERE: of none
 * @level: of its switch: 0 has hosts, others are one more than the nearest below
 * @endpoint: DX_HOST: number of the NIC
 * @link: number of its link; -1: none
 * @last: at the end of the run
 * @prio: by priority, what has been counted in the run; levels as at the end
 * @in: likewise
 * @out: likewise
 * @series: by priority and column, a value a sample; NULL: all are 0
 * @named: a finding has named it
 */
struct dx_port {
	char			name[2 * SUO_SNAP_NAME];
	u32			sw;
	u32			way;
	s32			peer;
	u32			level;
	u32			endpoint;
	s32			link;
	const struct suo_snap_port *last;
	struct suo_snap_prio	prio[SUO_SNAP_PRIOS];
	struct suo_snap_in	in;
	struct suo_snap_out	out;
	u64			*series[SUO_SNAP_PRIOS][DX_COLUMNS];
	bool			named;
};

/**
 * struct dx_link - a link
 * @name: of the link
 * @end: ports at its ends; -1: a NIC
 * @lost: in the run
 * @corrupted: in the run
 * @lost_at: by sample
 * @corrupted_at: by sample
 */
struct dx_link {
	const char	*name;
	s32		end[2];
	u64		lost;
	u64		corrupted;
	u64		*lost_at;
	u64		*corrupted_at;
};

/**
 * struct dx_run - a run
 * @dir: its directory
 * @first: at the beginning, or NULL
 * @last: at the end
 * @length_ps: of the run
 * @ports: of all switches
 * @port: the ports
 * @links: links
 * @link: the links
 * @samples: of the series; 0: there is none
 * @at_ps: when each was taken
 * @devices: devices.json, by name; or NULL
 * @devices_first: devices-first.json, likewise
 */
struct dx_run {
	const char		*dir;
	struct suo_snapshot	*first;
	struct suo_snapshot	*last;
	u64			length_ps;
	u32			ports;
	struct dx_port		*port;
	u32			links;
	struct dx_link		*link;
	u32			samples;
	u64			*at_ps;
	json_t			*devices;
	json_t			*devices_first;
};

/* What a directory has of a run; dx_run_free() it in any case. Return: a status. */
int dx_run_load(const char *dir, struct dx_run *run);
void dx_run_free(struct dx_run *run);

/* series.csv and series-links.csv, neither of which need be there. Return: a status. */
int dx_series_load(struct dx_run *run);
void dx_series_free(struct dx_run *run);

/* A counter of a port from one sample to the next, k to k + 1; all priorities. */
u64 dx_delta(const struct dx_port *port, enum dx_column column, u32 k);
/* A column at a sample, all priorities. */
u64 dx_at(const struct dx_port *port, enum dx_column column, u32 k);

/* Share of the port's rate that was used from a sample to the next, gaps included. */
double dx_use(const struct dx_run *run, const struct dx_port *port, u32 k);

/* What a counter of a device has counted in the run; 0 if it is not there. */
u64 dx_device(const struct dx_run *run, u32 endpoint, const char *counter);

/**
 * struct dx_finding - something that is wrong
 * @fault: "link-loss"
 * @where: "leaf0:Ethernet3"; empty: no place is known
 * @what: a sentence
 * @score: from 0 to 1: how sure it is
 * @evidence: array of lines, JSON strings
 */
struct dx_finding {
	const char	*fault;
	char		where[4 * SUO_SNAP_NAME];
	char		what[256];
	double		score;
	json_t		*evidence;
};

/**
 * struct dx_report - all that is wrong
 * @n: findings
 * @room: for so many
 * @finding: the surest first, once dx_report_sort() has been called
 * @spare: what is written to when there is no memory for another one
 * @failed: there was none
 */
struct dx_report {
	u32			n;
	u32			room;
	struct dx_finding	*finding;
	struct dx_finding	spare;
	bool			failed;
};

/* A new finding, to be filled in before the next one is asked for. */
struct dx_finding *dx_find(struct dx_report *report, const char *fault, const char *where,
			   double score);
void dx_say(struct dx_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void dx_evidence(struct dx_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool dx_has(const struct dx_report *report, const char *fault);
void dx_report_sort(struct dx_report *report);
void dx_report_free(struct dx_report *report);

/* The rules, in the order in which they are applied. */
void dx_rule_links(struct dx_run *run, struct dx_report *report);
void dx_rule_pauses(struct dx_run *run, struct dx_report *report);
void dx_rule_slow(struct dx_run *run, struct dx_report *report);
void dx_rule_wires(struct dx_run *run, struct dx_report *report);
void dx_rule_buffers(struct dx_run *run, struct dx_report *report);
void dx_rule_hosts(struct dx_run *run, struct dx_report *report);
/*
 * These look at who is idle. Timeouts, pauses and slow links explain that, too, so they
 * are for runs in which no link, port or NIC has been named.
 */
void dx_rule_paths(struct dx_run *run, struct dx_report *report);
void dx_rule_straggler(struct dx_run *run, struct dx_report *report);

#endif /* SUO_CLI_DIAGNOSE_H */
