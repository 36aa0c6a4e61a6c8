// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/tab.h"
#include "userspace/telemetry/snapshot.h"

/* Between columns, and how much wider than its header tabulate makes a column. */
#define GAP		2
#define PADDING		2
#define MAX_COLUMNS	16

void suo_tab_init(struct suo_tab *tab, const struct suo_tab_column *column,
		  size_t columns, size_t keys)
{
	*tab = (struct suo_tab){
		.column = column,
		.columns = columns,
		.keys = keys,
		.rows = json_object(),
	};
	tab->failed = !tab->rows;
}

void suo_tab_free(struct suo_tab *tab)
{
	free(tab->cell);
	json_decref(tab->rows);
	json_decref(tab->row);
	memset(tab, 0, sizeof(*tab));
}

static size_t at_column(const struct suo_tab *tab)
{
	return tab->cells - tab->filled;
}

static void add(struct suo_tab *tab, const char *text)
{
	if (tab->failed)
		return;
	if (tab->cells == tab->room) {
		size_t room = tab->room ? 2 * tab->room : 64;
		void *grown = reallocarray(tab->cell, room, sizeof(*tab->cell));

		if (!grown) {
			tab->failed = true;
			return;
		}
		tab->cell = grown;
		tab->room = room;
	}
	snprintf(tab->cell[tab->cells++], SUO_TAB_TEXT, "%s", text);
}

static void add_json(struct suo_tab *tab, const char *key, json_t *value)
{
	if (!tab->row)
		tab->row = json_object();
	if (json_object_set_new(tab->row, key, value))
		tab->failed = true;
}

static const char *key_of(const struct suo_tab *tab)
{
	const struct suo_tab_column *column = &tab->column[at_column(tab)];

	return column->key ? column->key : column->header;
}

static json_t *number(u64 value)
{
	return value == SUO_SNAP_NA ? json_null() : json_integer((json_int_t)value);
}

void suo_tab_text(struct suo_tab *tab, const char *text)
{
	if (at_column(tab) >= tab->keys)
		add_json(tab, key_of(tab), json_string(text));
	add(tab, text);
}

static void add_number(struct suo_tab *tab, u64 value, const char *text)
{
	add_json(tab, key_of(tab), number(value));
	if (value && value != SUO_SNAP_NA)
		tab->something = true;
	add(tab, value == SUO_SNAP_NA ? "N/A" : text);
}

void suo_tab_plain(struct suo_tab *tab, u64 value)
{
	char text[SUO_TAB_TEXT];

	snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)value);
	add_number(tab, value, text);
}

void suo_tab_count(struct suo_tab *tab, u64 value)
{
	char digits[24], text[SUO_TAB_TEXT], *to = text;
	size_t len;

	snprintf(digits, sizeof(digits), "%" PRIu64, (uint64_t)value);
	len = strlen(digits);
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	add_number(tab, value, text);
}

void suo_tab_pair(struct suo_tab *tab, u64 a, u64 b)
{
	char text[SUO_TAB_TEXT], part[2][24];
	const u64 value[2] = { a, b };

	for (int i = 0; i < 2; i++) {
		if (value[i] == SUO_SNAP_NA)
			strcpy(part[i], "N/A");
		else
			snprintf(part[i], sizeof(part[i]), "%" PRIu64, (uint64_t)value[i]);
		if (value[i] && value[i] != SUO_SNAP_NA)
			tab->something = true;
	}
	snprintf(text, sizeof(text), "%.22s/%.22s", part[0], part[1]);
	add_json(tab, key_of(tab), number(a));
	add_json(tab, tab->column[at_column(tab)].second, number(b));
	add(tab, text);
}

void suo_tab_real(struct suo_tab *tab, double value, const char *text)
{
	add_json(tab, key_of(tab), json_real(value));
	if (value > 0)
		tab->something = true;
	add(tab, text);
}

/* File the row under its keys, beside what another table has filed there. */
static void file_row(struct suo_tab *tab)
{
	char (*key)[SUO_TAB_TEXT] = tab->cell + tab->filled;
	json_t *in = tab->rows;

	for (size_t i = 0; i + 1 < tab->keys; i++) {
		json_t *next = json_object_get(in, key[i]);

		if (!next) {
			next = json_object();
			if (json_object_set_new(in, key[i], next))
				tab->failed = true;
		}
		in = next;
	}
	if (json_object_set(in, key[tab->keys - 1], tab->row))
		tab->failed = true;
}

void suo_tab_end_row(struct suo_tab *tab, bool nonzero)
{
	if (!tab->failed && (tab->something || !nonzero)) {
		file_row(tab);
		tab->filled = tab->cells;
	}
	tab->cells = tab->filled;
	json_decref(tab->row);
	tab->row = NULL;
	tab->something = false;
}

static void print_rule(const size_t width[], size_t columns, FILE *out)
{
	for (size_t c = 0; c < columns; c++) {
		if (c)
			fprintf(out, "%*s", GAP, "");
		for (size_t i = 0; i < width[c]; i++)
			fputc('-', out);
	}
	fputc('\n', out);
}

void suo_tab_print(const struct suo_tab *tab, FILE *out)
{
	size_t width[MAX_COLUMNS], n = tab->columns;

	for (size_t c = 0; c < n; c++) {
		width[c] = strlen(tab->column[c].header) + PADDING;
		for (size_t i = c; i < tab->filled; i += n)
			if (strlen(tab->cell[i]) > width[c])
				width[c] = strlen(tab->cell[i]);
	}
	for (size_t c = 0; c < n; c++)
		fprintf(out, "%*s%*s", c ? GAP : 0, "", (int)width[c],
			tab->column[c].header);
	fputc('\n', out);
	print_rule(width, n, out);
	for (size_t row = 0; row < tab->filled; row += n) {
		size_t next = row + n;

		for (size_t c = 0; c < n; c++)
			fprintf(out, "%*s%*s", c ? GAP : 0, "", (int)width[c],
				tab->cell[row + c]);
		fputc('\n', out);
		if (tab->gap && (next == tab->filled ||
				 strcmp(tab->cell[row], tab->cell[next])))
			fputc('\n', out);
	}
}

void suo_tab_print_list(const char *const name[], char (*value)[SUO_TAB_TEXT], size_t n,
			FILE *out)
{
	size_t width[2] = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (strlen(name[i]) > width[0])
			width[0] = strlen(name[i]);
		if (strlen(value[i]) > width[1])
			width[1] = strlen(value[i]);
	}
	print_rule(width, 2, out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%-*s  %s\n", (int)width[0], name[i], value[i]);
	print_rule(width, 2, out);
}
