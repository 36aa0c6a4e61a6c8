// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/sheet.h"

#define MAX_COLUMNS	16
#define CELL_SIZE	256

json_t *suo_sheet_new(const char *title, const char *note, const char *columns)
{
	json_t *names = json_array();

	for (;;) {
		size_t len = strcspn(columns, "|");

		json_array_append_new(names, json_stringn(columns, len));
		if (!columns[len])
			break;
		columns += len + 1;
	}
	return json_pack("{s:s, s:s, s:o, s:[]}", "title", title, "note", note,
			 "columns", names, "rows");
}

void suo_sheet_add(json_t *sheet, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	json_array_append_new(json_object_get(sheet, "rows"),
			      json_vpack_ex(NULL, 0, format, ap));
	va_end(ap);
}

/* Numbers with four digits or so: what they are good for. */
static void put_cell(const json_t *cell, char text[CELL_SIZE])
{
	double value;

	if (json_is_string(cell)) {
		snprintf(text, CELL_SIZE, "%s", json_string_value(cell));
	} else if (json_is_integer(cell)) {
		snprintf(text, CELL_SIZE, "%" PRId64,
			 (int64_t)json_integer_value(cell));
	} else if (json_is_real(cell)) {
		value = json_real_value(cell);
		if (!(fabs(value) > 0))
			snprintf(text, CELL_SIZE, "0");
		else if (fabs(value) >= 1e6 || fabs(value) < 1e-3)
			snprintf(text, CELL_SIZE, "%.4g", value);
		else
			snprintf(text, CELL_SIZE, "%.*f",
				 fabs(value) < 10 ? 4 : fabs(value) < 1000 ? 2 : 1, value);
	} else {
		snprintf(text, CELL_SIZE, "-");
	}
}

static void widen(const json_t *row, size_t width[MAX_COLUMNS])
{
	const json_t *cell;
	char text[CELL_SIZE];
	size_t i;

	json_array_foreach(row, i, cell) {
		if (i >= MAX_COLUMNS)
			break;
		put_cell(cell, text);
		if (strlen(text) > width[i])
			width[i] = strlen(text);
	}
}

/* Words to the left, numbers to the right; the last column is not filled up. */
static void put_row(const json_t *row, const size_t width[MAX_COLUMNS],
		    const bool words[MAX_COLUMNS], FILE *out)
{
	size_t n = json_array_size(row);

	for (size_t i = 0; i < n && i < MAX_COLUMNS; i++) {
		char text[CELL_SIZE];

		put_cell(json_array_get(row, i), text);
		fprintf(out, "%s%*s", i ? "  " : "", words[i] && i + 1 == n ? 0 :
			words[i] ? -(int)width[i] : (int)width[i], text);
	}
	fputc('\n', out);
}

void suo_sheet_print(const json_t *sheet, FILE *out)
{
	const json_t *columns = json_object_get(sheet, "columns");
	const json_t *rows = json_object_get(sheet, "rows");
	const char *note = json_string_value(json_object_get(sheet, "note"));
	size_t width[MAX_COLUMNS] = { 0 };
	bool words[MAX_COLUMNS] = { 0 };
	const json_t *row;
	size_t r;

	fprintf(out, "%s\n", json_string_value(json_object_get(sheet, "title")));
	if (note && *note)
		fprintf(out, "%s\n", note);
	fputc('\n', out);
	widen(columns, width);
	json_array_foreach(rows, r, row) {
		widen(row, width);
		for (size_t i = 0; i < json_array_size(row) && i < MAX_COLUMNS; i++)
			if (json_is_string(json_array_get(row, i)))
				words[i] = true;
	}
	put_row(columns, width, words, out);
	json_array_foreach(rows, r, row)
		put_row(row, width, words, out);
	fputc('\n', out);
}
