// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo clear: the present counters are what `suo show` counts from, for this user. */
#include <string.h>

#include "userspace/cli/control.h"
#include "userspace/cli/show.h"

struct args {
	const char	*socket;
	bool		undo;
};

static const struct argp_option options[] = {
	{ "delete", 'd', NULL, 0, "Count from the start again", 0 },
	{ "socket", 's', "PATH", 0, SUO_CONTROL_HELP, 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case 'd':
		args->undo = true;
		return 0;
	case 's':
		args->socket = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int clear_watermarks(const char *path, const char *what)
{
	json_t *answer = suo_control_ask(path, json_pack("{s:s, s:s*}", "cmd",
							 "clear_watermarks", "what", what));

	if (!answer)
		return SUO_FAILED;
	json_decref(answer);
	return SUO_OK;
}

/* The baseline of one view, or of all. */
static int clear_counters(const char *path, const struct suo_view *only, bool undo)
{
	struct suo_snapshot *snap = NULL;
	json_t *json = NULL;
	int status = SUO_OK;

	/* What is kept has to be a snapshot that can be read again. */
	if (!undo)
		status = suo_snapshot_ask(path, &json, &snap);
	for (size_t i = 0; suo_views[i] && !status; i++) {
		const struct suo_view *view = suo_views[i];

		if (!view->counts || (only && view != only))
			continue;
		status = undo ? suo_baseline_delete(view->counts, path) :
				suo_baseline_save(view->counts, path, json);
	}
	suo_snapshot_free(snap);
	json_decref(json);
	return status;
}

static int clear(const struct suo_view *view, const struct args *args)
{
	const char *path = suo_control_path(args->socket);
	int status = SUO_OK;

	if (!view || view->counts)
		status = clear_counters(path, view, args->undo);
	if (!status && !args->undo && (!view || view->watermark))
		status = clear_watermarks(path, view ? view->watermark : NULL);
	return status;
}

int suo_cmd_clear(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Let 'suo show' count from now on. The counters of the switch go on;"
		       " the present ones are kept for this user and this switch, and"
		       " subtracted. Watermarks are the switch's, and begin anew.",
	};
	const struct suo_view *view = NULL;
	struct args args = { 0 };
	char name[96];
	int used = 1;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))) {
		printf("  suo clear %-34s %s\n", "all", "all of these");
		suo_view_list("clear", true, stdout);
		return SUO_OK;
	}
	if (argc < 2 || strcmp(argv[1], "all")) {
		view = suo_view_find(argc - 1, argv + 1, &used);
		if (view && !view->counts && !view->watermark) {
			suo_error(SUO_USAGE, "%s: there is nothing to clear", view->words);
			return SUO_USAGE;
		}
		if (!view) {
			fprintf(stderr, "  suo clear %-34s %s\n", "all", "all of these");
			suo_view_list("clear", true, stderr);
			return SUO_USAGE;
		}
	}
	snprintf(name, sizeof(name), "suo clear %s", view ? view->words : "all");
	argv[used] = name;
	argp_parse(&argp, argc - used, argv + used, 0, NULL, &args);
	if (view && !view->counts && args.undo)
		return suo_error(SUO_USAGE, "%s: watermarks have no baseline to delete",
				 view->words);
	return clear(view, &args);
}
