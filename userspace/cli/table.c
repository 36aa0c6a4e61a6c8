// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/report.h"
#include "model/plan/line.h"
#include "userspace/cli/cli.h"
#include "userspace/cli/table.h"

#define MAX_FIELDS	9
#define RAW_FIELDS	7

static bool get_integer(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end && *value <= max;
}

static bool get_real(const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return end != text && !*end && !errno && isfinite(*value);
}

static bool get_algorithm(const char *text, char name[SUO_ALGORITHM_LEN])
{
	if (!*text || strlen(text) >= SUO_ALGORITHM_LEN ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-:+@") != strlen(text))
		return false;
	strcpy(name, text);
	return true;
}

/* Return: the name of the first field that is wrong, NULL if all are right. */
static const char *get_fields(char *field[], bool joined, struct suo_row *row)
{
	uint64_t ranks = 0;

	if (!get_integer(field[0], UINT64_MAX, &row->size_bytes) ||
	    !row->size_bytes)
		return "size_bytes";
	if (!get_integer(field[1], UINT32_MAX, &ranks) || !ranks)
		return "ranks";
	row->ranks = ranks;
	if (!get_algorithm(field[2], row->algorithm))
		return "algorithm";
	if (!get_real(field[3], &row->time_us) || row->time_us < 0)
		return "time_us";
	if (!get_real(field[4], &row->algbw_GBps))
		return "algbw_GBps";
	if (!get_real(field[5], &row->busbw_GBps))
		return "busbw_GBps";
	if (!get_integer(field[6], UINT64_MAX, &row->wrong))
		return "wrong";
	if (!joined)
		return NULL;
	if (!get_real(field[7], &row->predicted_us) || row->predicted_us < 0)
		return "predicted_us";
	if (!get_real(field[8], &row->deviation_pct))
		return "deviation_pct";
	return NULL;
}

static int read_row(struct suo_table *table, const char *line,
		    size_t line_number, struct suo_report *report)
{
	size_t wanted = table->joined ? MAX_FIELDS : RAW_FIELDS;
	struct suo_row row = { .line_number = line_number };
	char *field[MAX_FIELDS + 1];
	char *copy, *rest;
	const char *bad;
	struct suo_row *grown;
	size_t n = 0;

	copy = strdup(line);
	row.line = strdup(line);
	if (!copy || !row.line)
		goto err_memory;

	rest = copy;
	while (n <= wanted && rest)
		field[n++] = strsep(&rest, ",");
	if (n != wanted) {
		suo_report_fault(report, line_number, NULL,
				 "%s than the %zu fields of the header",
				 n < wanted ? "fewer" : "more", wanted);
		goto err_row;
	}
	bad = get_fields(field, table->joined, &row);
	if (bad) {
		suo_report_fault(report, line_number, NULL, "bad %s", bad);
		goto err_row;
	}

	grown = reallocarray(table->row, table->nrows + 1, sizeof(*grown));
	if (!grown)
		goto err_memory;
	table->row = grown;
	table->row[table->nrows++] = row;
	free(copy);
	return SUO_OK;

err_memory:
	suo_error(SUO_FAILED, "not enough memory");
	free(copy);
	free(row.line);
	return SUO_FAILED;
err_row:
	free(copy);
	free(row.line);
	return SUO_USAGE;
}

static int read_header(struct suo_table *table, const char *line,
		       struct suo_report *report)
{
	table->joined = !strcmp(line, SUO_JOINED_HEADER);
	if (table->joined || !strcmp(line, SUO_RAW_HEADER))
		return SUO_OK;
	suo_report_fault(report, 1, NULL, "the header is not \"%s\"",
			 SUO_RAW_HEADER);
	return SUO_USAGE;
}

int suo_table_read(const char *path, struct suo_table *table)
{
	struct suo_report report = { .file = path, .out = stderr };
	size_t cap = 0, line_number = 0;
	int status = SUO_OK;
	char *line = NULL;
	FILE *file;
	int len = 0;

	memset(table, 0, sizeof(*table));
	file = fopen(path, "r");
	if (!file)
		return suo_error(SUO_USAGE, "%s: %s", path, strerror(errno));

	while (status == SUO_OK && (len = suo_line_get(file, &line, &cap)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (len && line[len - 1] == '\r')
			line[--len] = '\0';
		if (!line_number++)
			status = read_header(table, line, &report);
		else
			status = read_row(table, line, line_number, &report);
	}
	if (len < 0)
		status = suo_error(SUO_USAGE, "%s:%zu: %s", path, line_number + 1,
				   suo_line_fault(len));
	if (status == SUO_OK && !table->nrows)
		status = suo_error(SUO_USAGE, "%s: no measurements in it", path);

	free(line);
	fclose(file);
	if (status)
		suo_table_free(table);
	return status;
}

void suo_table_free(struct suo_table *table)
{
	for (size_t i = 0; i < table->nrows; i++)
		free(table->row[i].line);
	free(table->row);
	memset(table, 0, sizeof(*table));
}
