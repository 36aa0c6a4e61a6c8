// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo show */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "userspace/cli/control.h"
#include "userspace/cli/show.h"

enum {
	OPT_SOCKET = 256,
	OPT_FILE,
	OPT_BASELINE,
	OPT_SWITCH,
	OPT_RAW,
	OPT_HISTORY,
	OPT_ALL,
	OPT_INTERVAL,
	OPT_COUNT,
};

static const struct argp_option options[] = {
	{ "nonzero", 'z', NULL, 0, "Leave out rows that are all 0; also -nz", 0 },
	{ NULL, 'n', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "switch", OPT_SWITCH, "NAME", 0, "Only this switch", 0 },
	{ "history", OPT_HISTORY, NULL, 0,
	  "pfc counters: how often, and for how long, a priority was paused", 0 },
	{ "all", OPT_ALL, NULL, 0, "queue counters: what was trimmed, too", 0 },
	{ "raw", OPT_RAW, NULL, 0, "Count from the start, whatever was cleared", 0 },
	{ "interval", OPT_INTERVAL, "S", 0,
	  "Every S seconds, what was counted in between", 0 },
	{ "count", OPT_COUNT, "N", 0, "So often; without end by default", 0 },
	{ "socket", OPT_SOCKET, "PATH", 0, SUO_CONTROL_HELP, 1 },
	{ "file", OPT_FILE, "SNAPSHOT.json", 0, "A snapshot that was saved, instead", 1 },
	{ "baseline", OPT_BASELINE, "SNAPSHOT.json", 0,
	  "Count from this snapshot on, instead of what was cleared", 1 },
	{ 0 }
};

static double get_seconds(const char *arg, struct argp_state *state)
{
	char *end;
	double s = strtod(arg, &end);

	if (end == arg || *end || !isfinite(s) || s < 0.01 || s > 1e6)
		argp_error(state, "--interval: '%s' is not from 0.01 to 1000000 seconds",
			   arg);
	return s;
}

static u64 get_count(const char *arg, struct argp_state *state)
{
	char *end;
	u64 n;

	errno = 0;
	n = strtoull(arg, &end, 10);
	if (errno || *arg < '0' || *arg > '9' || *end || !n)
		argp_error(state, "--count: '%s' is not a number from 1 on", arg);
	return n;
}

static void check(const struct suo_show_opts *opts, struct argp_state *state)
{
	if (opts->file && opts->socket)
		argp_error(state, "--file and --socket: from one or the other");
	if (opts->file && opts->interval_s > 0)
		argp_error(state, "--interval: a file does not change");
	if (opts->baseline && (opts->raw || opts->interval_s > 0))
		argp_error(state, "--baseline with --raw or --interval");
	if (opts->count && !(opts->interval_s > 0))
		argp_error(state, "--count is of --interval");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct suo_show_opts *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->json;
		return 0;
	case 'n':
	case 'z':
		opts->nonzero = true;
		return 0;
	case OPT_SOCKET:
		opts->socket = arg;
		return 0;
	case OPT_FILE:
		opts->file = arg;
		return 0;
	case OPT_BASELINE:
		opts->baseline = arg;
		return 0;
	case OPT_SWITCH:
		opts->sw = arg;
		return 0;
	case OPT_HISTORY:
		opts->more = "--history";
		return 0;
	case OPT_ALL:
		opts->more = "--all";
		return 0;
	case OPT_RAW:
		opts->raw = true;
		return 0;
	case OPT_INTERVAL:
		opts->interval_s = get_seconds(arg, state);
		return 0;
	case OPT_COUNT:
		opts->count = get_count(arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (opts->ports == SUO_SHOW_PORTS)
			argp_error(state, "more than %d ports", SUO_SHOW_PORTS);
		opts->port[opts->ports++] = arg;
		return 0;
	case ARGP_KEY_END:
		check(opts, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Counters from the baseline on, if there is one that fits. */
static int apply_baseline(const struct suo_view *view, const struct suo_show_opts *opts,
			  struct suo_snapshot *snap)
{
	struct suo_snapshot *base = NULL;
	time_t made_s = 0;
	int status;

	if (opts->baseline)
		status = suo_snapshot_load(opts->baseline, &base);
	else if (view->counts && !opts->file && !opts->raw)
		status = suo_baseline_load(view->counts, suo_control_path(opts->socket),
					   &base, &made_s);
	else
		return SUO_OK;

	if (!status && base && suo_snapshot_is_base(snap, base)) {
		suo_snapshot_subtract(snap, base);
		if (made_s && !opts->json.json) {
			char when[32];

			strftime(when, sizeof(when), "%F %T", localtime(&made_s));
			printf("Last cached time was %s\n", when);
		}
	} else if (!status && opts->baseline) {
		status = suo_error(SUO_USAGE, "%s: not an earlier snapshot of the same switches",
				   opts->baseline);
	}
	suo_snapshot_free(base);
	return status;
}

static int show_once(const struct suo_view *view, const struct suo_show_opts *opts)
{
	struct suo_snapshot *snap = NULL;
	int status;

	if (opts->file)
		status = suo_snapshot_load(opts->file, &snap);
	else
		status = suo_snapshot_ask(suo_control_path(opts->socket), NULL, &snap);
	if (!status)
		status = apply_baseline(view, opts, snap);
	if (!status)
		status = suo_view_show(view, snap, opts);
	suo_snapshot_free(snap);
	return status;
}

static void sleep_for(double s)
{
	struct timespec left = {
		.tv_sec = (time_t)s,
		.tv_nsec = (long)((s - (double)(time_t)s) * 1e9),
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int show_again(const struct suo_view *view, const struct suo_show_opts *opts)
{
	const char *path = suo_control_path(opts->socket);
	struct suo_snapshot *now = NULL, *before = NULL, *diff = NULL;
	json_t *json;
	int status;

	status = suo_snapshot_ask(path, NULL, &before);
	for (u64 i = 0; !status && (!opts->count || i < opts->count); i++) {
		char error[SUO_SNAP_ERROR];

		sleep_for(opts->interval_s);
		status = suo_snapshot_ask(path, &json, &now);
		if (status)
			break;
		if (suo_snapshot_from_json(json, &diff, error))
			status = suo_error(SUO_FAILED, "not enough memory");
		json_decref(json);
		if (!status && suo_snapshot_is_base(diff, before))
			suo_snapshot_subtract(diff, before);
		if (!status)
			status = suo_view_show(view, diff, opts);
		/* Whoever reads a pipe wants to have it now; and if it is closed, end. */
		if (fflush(stdout))
			status = SUO_FAILED;
		suo_snapshot_free(diff);
		suo_snapshot_free(before);
		diff = NULL;
		before = now;
		now = NULL;
	}
	suo_snapshot_free(before);
	return status;
}

int suo_cmd_show(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[PORT...]",
		.doc = "Show what a running suo-switch has counted since it was started,"
		       " or since 'suo clear', with the names and tables of SONiC.",
		.children = suo_json_children,
	};
	struct suo_show_opts opts = { 0 };
	const struct suo_view *view;
	char name[96];
	int used = 0;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))) {
		suo_view_list("show", false, stdout);
		puts("\n'suo show WORDS --help' lists the options.");
		return SUO_OK;
	}
	view = suo_view_find(argc - 1, argv + 1, &used);
	if (!view) {
		suo_view_list("show", false, stderr);
		return SUO_USAGE;
	}
	snprintf(name, sizeof(name), "suo show %s", view->words);
	argv[used] = name;
	argp_parse(&argp, argc - used, argv + used, 0, NULL, &opts);
	if (opts.more && (!view->option || strcmp(opts.more, view->option)))
		return suo_error(SUO_USAGE, "%s: there is no %s of it", view->words,
				 opts.more);
	if (opts.more)
		view = view->more;
	return opts.interval_s > 0 ? show_again(view, &opts) : show_once(view, &opts);
}
