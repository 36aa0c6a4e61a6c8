/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* suo show and suo clear: where snapshots come from, and how they are looked at. */
#ifndef SUO_CLI_SHOW_H
#define SUO_CLI_SHOW_H

#include <time.h>

#include "userspace/cli/cli.h"
#include "userspace/cli/tab.h"
#include "userspace/telemetry/snapshot.h"

#define SUO_SHOW_PORTS	64

/**
 * struct suo_show_opts - what was asked for
 * @json: -j, -p
 * @socket: --socket, or NULL
 * @file: --file, or NULL
 * @baseline: --baseline, or NULL
 * @sw: --switch, or NULL
 * @more: --history or --all, or NULL
 * @nonzero: leave out what is 0
 * @raw: without a baseline
 * @interval_s: again after so long; 0: once
 * @count: so often; 0: until it is interrupted
 * @port: only these
 * @ports: how many
 */
struct suo_show_opts {
	struct suo_json_opts	json;
	const char		*socket;
	const char		*file;
	const char		*baseline;
	const char		*sw;
	const char		*more;
	bool			nonzero;
	bool			raw;
	double			interval_s;
	u64			count;
	const char		*port[SUO_SHOW_PORTS];
	size_t			ports;
};

/**
 * struct suo_show_row - what a row is made of
 * @snap: the snapshot
 * @port: the port
 * @p: the priority, if there is a row for each
 * @prio: it
 */
struct suo_show_row {
	const struct suo_snapshot	*snap;
	const struct suo_snap_port	*port;
	size_t				p;
	const struct suo_snap_prio	*prio;
};

/**
 * struct suo_show_part - a table of a view, for each switch
 * @title: a line before it, or NULL
 * @json: its name within a port's JSON; NULL: the port's JSON is this
 * @column: its columns
 * @columns: how many
 * @keys: columns that name a row; 2: port and priority
 * @per_prio: a row for each priority; or else for each port
 * @row: adds the cells of a row; NULL: they are the port and a value of each priority
 * @value: @row is NULL: where the value is in a struct suo_snap_prio
 * @put: @row is NULL: adds a value
 * @wanted: is there a row for this priority? NULL: always
 * @gap: an empty line behind each port
 */
struct suo_show_part {
	const char			*title;
	const char			*json;
	const struct suo_tab_column	*column;
	size_t				columns;
	size_t				keys;
	bool				per_prio;
	void				(*row)(struct suo_tab *tab,
					       const struct suo_show_row *row);
	size_t				value;
	void				(*put)(struct suo_tab *tab, u64 value);
	bool				(*wanted)(const struct suo_show_row *row);
	bool				gap;
};

/* A row for each port, with one member of each priority. */
#define SUO_SHOW_PRIOS(member, put_by)						\
	.columns = 1 + SUO_SNAP_PRIOS, .keys = 1,				\
	.value = offsetof(struct suo_snap_prio, member), .put = (put_by)

/**
 * struct suo_view - what can be shown
 * @words: "queue counters"
 * @also: SONiC has this word behind them, which may be left out here; or NULL
 * @summary: for the list
 * @part: tables
 * @parts: how many
 * @print: or something else, for each switch
 * @to_json: the same as JSON, a new reference; NULL: not enough memory
 * @counts: what its baselines are called; NULL: it has no counters
 * @watermark: its watermarks, as the switch knows them; NULL: it has none
 * @option: "--history" or "--all", which shows @more instead; or NULL
 * @more: that
 */
struct suo_view {
	const char			*words;
	const char			*also;
	const char			*summary;
	const struct suo_show_part	*part;
	size_t				parts;
	void				(*print)(const struct suo_snapshot *snap,
						 const struct suo_snap_switch *sw,
						 const struct suo_show_opts *opts);
	json_t				*(*to_json)(const struct suo_snapshot *snap,
						    const struct suo_snap_switch *sw,
						    const struct suo_show_opts *opts);
	const char			*counts;
	const char			*watermark;
	const char			*option;
	const struct suo_view		*more;
};

extern const struct suo_view suo_view_pfc;
extern const struct suo_view suo_view_queue;
extern const struct suo_view suo_view_queue_watermark;
extern const struct suo_view suo_view_queue_wred;
extern const struct suo_view suo_view_pg_shared;
extern const struct suo_view suo_view_pg_headroom;
extern const struct suo_view suo_view_pg_drop;
extern const struct suo_view suo_view_interfaces;
extern const struct suo_view suo_view_pfcwd;
extern const struct suo_view suo_view_ecn;
extern const struct suo_view suo_view_buffer;
extern const struct suo_view suo_view_buffer_pool;

/* All views; the last one is NULL. */
extern const struct suo_view *const suo_views[];

/**
 * suo_view_find() - the view that words name, which may be abbreviated
 * @argc: arguments
 * @argv: arguments; words come first
 * @used: how many words there were
 *
 * Return: the view, or NULL after a message.
 */
const struct suo_view *suo_view_find(int argc, char **argv, int *used);

/* The views as a list, of "show" or of "clear". */
void suo_view_list(const char *verb, bool clear, FILE *out);

/* Return: a status; one view of a snapshot. */
int suo_view_show(const struct suo_view *view, const struct suo_snapshot *snap,
		  const struct suo_show_opts *opts);

/* A snapshot from a file or from the switch, faults on stderr. Return: a status. */
int suo_snapshot_load(const char *path, struct suo_snapshot **snap);
int suo_snapshot_ask(const char *path, json_t **json, struct suo_snapshot **snap);

/*
 * Baselines of the present user, by view and by socket. Return: a status; reading: OK
 * with NULL if there is none, and when it was made.
 */
int suo_baseline_save(const char *counts, const char *socket, const json_t *json);
int suo_baseline_load(const char *counts, const char *socket,
		      struct suo_snapshot **snap, time_t *made_s);
int suo_baseline_delete(const char *counts, const char *socket);

#endif /* SUO_CLI_SHOW_H */
