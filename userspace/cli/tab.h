/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of counters as SONiC's show commands print them (Python's tabulate, format
 * "simple", all flush right), or as JSON.
 */
#ifndef SUO_CLI_TAB_H
#define SUO_CLI_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "model/core/types.h"

#define SUO_TAB_TEXT	48

/**
 * struct suo_tab_column - a column
 * @header: SONiC's
 * @key: in JSON; NULL: @header
 * @second: in JSON, of the second value of a pair
 */
struct suo_tab_column {
	const char	*header;
	const char	*key;
	const char	*second;
};

#define SUO_TAB_COL(name)			{ .header = (name) }
#define SUO_TAB_COL_AS(name, in_json)		{ .header = (name), .key = (in_json) }
#define SUO_TAB_COL_PAIR(name, in_json, other)	\
	{ .header = (name), .key = (in_json), .second = (other) }

/* A column for each priority: "UC0" to "UC7". */
#define SUO_TAB_COL_PRIOS(prefix)						\
	SUO_TAB_COL(prefix "0"), SUO_TAB_COL(prefix "1"), SUO_TAB_COL(prefix "2"),	\
	SUO_TAB_COL(prefix "3"), SUO_TAB_COL(prefix "4"), SUO_TAB_COL(prefix "5"),	\
	SUO_TAB_COL(prefix "6"), SUO_TAB_COL(prefix "7")

/**
 * struct suo_tab - a table that is being made
 * @column: its columns
 * @columns: how many
 * @keys: the first ones, which name a row and are no values
 * @gap: print an empty line behind the rows that have the same first cell
 * @cell: texts, row after row
 * @cells: how many there are
 * @room: and can be
 * @filled: of them, for the rows that are complete
 * @rows: in JSON; an object by the first key, in it by the second key, in it by column
 * @row: the row that is being made, in JSON
 * @something: the row that is being made has a value other than 0
 * @failed: memory has run out
 */
struct suo_tab {
	const struct suo_tab_column	*column;
	size_t				columns;
	size_t				keys;
	bool				gap;
	char				(*cell)[SUO_TAB_TEXT];
	size_t				cells;
	size_t				room;
	size_t				filled;
	json_t				*rows;
	json_t				*row;
	bool				something;
	bool				failed;
};

void suo_tab_init(struct suo_tab *tab, const struct suo_tab_column *column,
		  size_t columns, size_t keys);
void suo_tab_free(struct suo_tab *tab);

/* The cells of a row, from left to right; SUO_SNAP_NA is N/A, and null in JSON. */
void suo_tab_text(struct suo_tab *tab, const char *text);
/* With commas between thousands. */
void suo_tab_count(struct suo_tab *tab, u64 value);
void suo_tab_plain(struct suo_tab *tab, u64 value);
/* "A/B" */
void suo_tab_pair(struct suo_tab *tab, u64 a, u64 b);
/* What is printed is another thing than the number in JSON. */
void suo_tab_real(struct suo_tab *tab, double value, const char *text);

/* The row is complete; it is left out if that is asked for and all of it is 0. */
void suo_tab_end_row(struct suo_tab *tab, bool nonzero);

void suo_tab_print(const struct suo_tab *tab, FILE *out);

/* Names and values, one a line, between rules; as tabulate prints without headers. */
void suo_tab_print_list(const char *const name[], char (*value)[SUO_TAB_TEXT], size_t n,
			FILE *out);

#endif /* SUO_CLI_TAB_H */
