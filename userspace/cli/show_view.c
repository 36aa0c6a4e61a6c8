// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The views of suo show, by name, and what they make of a snapshot. */
#include <string.h>

#include "userspace/cli/show.h"

#define MAX_WORDS	3

const struct suo_view *const suo_views[] = {
	&suo_view_pfc,
	&suo_view_queue,
	&suo_view_queue_watermark,
	&suo_view_queue_wred,
	&suo_view_pg_shared,
	&suo_view_pg_headroom,
	&suo_view_pg_drop,
	&suo_view_ecn,
	&suo_view_interfaces,
	&suo_view_pfcwd,
	&suo_view_buffer,
	&suo_view_buffer_pool,
	NULL
};

/* A word of a view's name. Return: its length; 0 if there are not so many. */
static size_t nth_word(const char *words, int n, const char **word)
{
	while (n-- && words) {
		words = strchr(words, ' ');
		words = words ? words + 1 : NULL;
	}
	*word = words;
	return words ? strcspn(words, " ") : 0;
}

static int count_words(const char *words)
{
	int n = 1;

	for (; *words; words++)
		n += *words == ' ';
	return n;
}

/*
 * How well the first words that were typed fit a name: 0 not, or else how many words
 * fit; @exact counts those that are not abbreviated.
 */
static int fit(const char *words, int argc, char **argv, int *exact)
{
	int n = count_words(words);

	*exact = 0;
	for (int i = 0; i < n; i++) {
		const char *word;
		size_t len = nth_word(words, i, &word);

		if (i >= argc || !*argv[i] || *argv[i] == '-' ||
		    strlen(argv[i]) > len || strncmp(argv[i], word, strlen(argv[i])))
			return 0;
		*exact += strlen(argv[i]) == len;
	}
	return n;
}

void suo_view_list(const char *verb, bool clear, FILE *out)
{
	for (size_t i = 0; suo_views[i]; i++) {
		const struct suo_view *view = suo_views[i];

		if (!clear || view->counts || view->watermark)
			fprintf(out, "  suo %s %-34s %s\n", verb, view->words,
				view->summary);
	}
}

const struct suo_view *suo_view_find(int argc, char **argv, int *used)
{
	const struct suo_view *found = NULL;
	int best = -1, several = 0;
	char typed[128] = "";

	for (size_t i = 0; suo_views[i]; i++) {
		int exact, n = fit(suo_views[i]->words, argc, argv, &exact);

		if (!n || exact < best)
			continue;
		several = exact == best;
		best = exact;
		found = suo_views[i];
		*used = n;
	}
	if (found && !several) {
		if (found->also && *used < argc && !strcmp(argv[*used], found->also))
			++*used;
		return found;
	}

	for (int i = 0; i < argc && i < MAX_WORDS && *argv[i] != '-'; i++) {
		size_t len = strlen(typed);

		snprintf(typed + len, sizeof(typed) - len, "%s%s", i ? " " : "", argv[i]);
	}
	if (several)
		suo_error(SUO_USAGE, "'%s' can be more than one of these:", typed);
	else if (*typed)
		suo_error(SUO_USAGE, "'%s' is none of these:", typed);
	else
		suo_error(SUO_USAGE, "what? One of these:");
	return NULL;
}

static bool is_wanted(const struct suo_show_opts *opts, const struct suo_snap_port *port)
{
	for (size_t i = 0; i < opts->ports; i++)
		if (!strcmp(opts->port[i], port->name))
			return true;
	return !opts->ports;
}

/* The port, and a value of each of its priorities. */
static void add_prios(struct suo_tab *tab, const struct suo_show_part *part,
		      const struct suo_snap_port *port)
{
	suo_tab_text(tab, port->name);
	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++)
		part->put(tab, *(const u64 *)((const char *)&port->prio[p] + part->value));
}

static void add_row(struct suo_tab *tab, const struct suo_show_part *part,
		    const struct suo_show_row *row, bool nonzero)
{
	if (part->wanted && !part->wanted(row))
		return;
	if (part->row)
		part->row(tab, row);
	else
		add_prios(tab, part, row->port);
	suo_tab_end_row(tab, nonzero);
}

static void fill(struct suo_tab *tab, const struct suo_show_part *part,
		 const struct suo_snapshot *snap, const struct suo_snap_switch *sw,
		 const struct suo_show_opts *opts)
{
	suo_tab_init(tab, part->column, part->columns, part->keys);
	for (size_t i = 0; i < sw->nports; i++) {
		struct suo_show_row row = { .snap = snap, .port = &sw->port[i] };

		if (!is_wanted(opts, row.port))
			continue;
		for (row.p = 0; row.p < (part->per_prio ? SUO_SNAP_PRIOS : 1); row.p++) {
			row.prio = &row.port->prio[row.p];
			add_row(tab, part, &row, opts->nonzero);
		}
	}
}

static int print_parts(const struct suo_view *view, const struct suo_snapshot *snap,
		       const struct suo_snap_switch *sw, const struct suo_show_opts *opts)
{
	for (size_t i = 0; i < view->parts; i++) {
		struct suo_tab tab;
		bool failed;

		fill(&tab, &view->part[i], snap, sw, opts);
		failed = tab.failed;
		tab.gap = view->part[i].gap;
		if (!failed) {
			if (view->part[i].title)
				puts(view->part[i].title);
			suo_tab_print(&tab, stdout);
			putchar('\n');
		}
		suo_tab_free(&tab);
		if (failed)
			return suo_error(SUO_FAILED, "not enough memory");
	}
	return SUO_OK;
}

/* Rows of a part within what other parts have of the same ports. */
static void merge(json_t *into, const char *name, json_t *rows)
{
	const char *key;
	json_t *value;

	if (!name) {
		json_object_update(into, rows);
		return;
	}
	json_object_foreach(rows, key, value) {
		if (!json_object_get(into, key))
			json_object_set_new(into, key, json_object());
		json_object_set(json_object_get(into, key), name, value);
	}
}

static json_t *parts_json(const struct suo_view *view, const struct suo_snapshot *snap,
			  const struct suo_snap_switch *sw,
			  const struct suo_show_opts *opts)
{
	json_t *all = json_object();

	for (size_t i = 0; all && i < view->parts; i++) {
		struct suo_tab tab;

		fill(&tab, &view->part[i], snap, sw, opts);
		if (tab.failed) {
			json_decref(all);
			all = NULL;
		} else {
			merge(all, view->part[i].json, tab.rows);
		}
		suo_tab_free(&tab);
	}
	return all;
}

static bool has_port(const struct suo_snapshot *snap, const struct suo_show_opts *opts,
		     const char *name)
{
	for (size_t s = 0; s < snap->nswitches; s++) {
		const struct suo_snap_switch *sw = &snap->sw[s];

		if (opts->sw && strcmp(opts->sw, sw->name))
			continue;
		for (size_t i = 0; i < sw->nports; i++)
			if (!strcmp(sw->port[i].name, name))
				return true;
	}
	return false;
}

/* Names that were given and are not there are told, not ignored. */
static int check_names(const struct suo_snapshot *snap, const struct suo_show_opts *opts)
{
	bool found = !opts->sw;

	for (size_t s = 0; s < snap->nswitches && !found; s++)
		found = !strcmp(opts->sw, snap->sw[s].name);
	if (!found)
		return suo_error(SUO_USAGE, "there is no switch '%s'%s%s", opts->sw,
				 snap->nswitches ? "; the first one is " : "",
				 snap->nswitches ? snap->sw[0].name : "");
	for (size_t i = 0; i < opts->ports; i++)
		if (!has_port(snap, opts, opts->port[i]))
			return suo_error(SUO_USAGE, "there is no port '%s'%s%s",
					 opts->port[i], opts->sw ? " in " : "",
					 opts->sw ? opts->sw : "");
	return SUO_OK;
}

int suo_view_show(const struct suo_view *view, const struct suo_snapshot *snap,
		  const struct suo_show_opts *opts)
{
	json_t *all = opts->json.json ? json_object() : NULL;
	int status = check_names(snap, opts);

	for (size_t s = 0; s < snap->nswitches && !status; s++) {
		const struct suo_snap_switch *sw = &snap->sw[s];

		if (opts->sw && strcmp(opts->sw, sw->name))
			continue;
		if (all && json_object_set_new(all, sw->name, view->parts ?
					       parts_json(view, snap, sw, opts) :
					       view->to_json(snap, sw, opts)))
			status = suo_error(SUO_FAILED, "not enough memory");
		if (all)
			continue;
		if (!opts->sw && snap->nswitches > 1)
			printf("Switch: %s\n", sw->name);
		if (view->parts)
			status = print_parts(view, snap, sw, opts);
		else
			view->print(snap, sw, opts);
	}
	if (opts->json.json && !status)
		return suo_json_print(&opts->json, all);
	json_decref(all);
	return status;
}
