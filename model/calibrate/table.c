// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibrate/key.h"
#include "model/plan/line.h"

#define MAX_BYTES	(1ull << 50)
#define MAX_COLUMNS	32

enum column {
	COL_SIZE,
	COL_TIME,	/* out of place, or the only one */
	COL_TIME2,	/* in place */
	COL_SYSTEM,
	COL_VERSION,
	COL_OP,
	COL_RANKS,
	COLUMNS,
};

static const struct {
	const char	*name;
	enum column	column;
} headings[] = {
	{ "size_bytes", COL_SIZE },
	{ "oop_time_us", COL_TIME },
	{ "time_us", COL_TIME },
	{ "latency_us", COL_TIME },
	{ "ip_time_us", COL_TIME2 },
	{ "system", COL_SYSTEM },
	{ "nccl", COL_VERSION },
	{ "op", COL_OP },
	{ "gpus", COL_RANKS },
};

/* A file while it is read. */
struct reader {
	struct suo_cal_data	*data;
	const char		*path;
	size_t			line;
	char			*err;
	size_t			len;
	struct suo_cal_head	head;
	bool			has_columns;
	int			column[COLUMNS];	/* where it is, or -1 */
	bool			raw;			/* output of nccl-tests */
	size_t			rows;			/* of this file */
};

static int fault(struct reader *r, const char *what, const char *arg)
{
	snprintf(r->err, r->len, "%s:%zu: %s%s%s%s", r->path, r->line, what,
		 arg ? " '" : "", arg ? arg : "", arg ? "'" : "");
	return -EINVAL;
}

static int split(char *line, const char *at, char **field)
{
	char *save, *f;
	int n = 0;

	for (f = strtok_r(line, at, &save); f; f = strtok_r(NULL, at, &save)) {
		if (n == MAX_COLUMNS)
			return -1;
		field[n++] = f;
	}
	return n;
}

static int take_headings(struct reader *r, char **field, int n)
{
	for (int c = 0; c < COLUMNS; c++)
		r->column[c] = -1;

	for (int i = 0; i < n; i++)
		for (size_t h = 0; h < sizeof(headings) / sizeof(*headings); h++) {
			int *at = &r->column[headings[h].column];

			if (strcmp(field[i], headings[h].name))
				continue;
			if (*at >= 0)
				return fault(r, "two columns for the same:",
					     field[i]);
			*at = i;
		}
	if (r->column[COL_SIZE] < 0)
		return fault(r, "no column size_bytes", NULL);
	if (r->column[COL_TIME] < 0)
		return fault(r, "no column of times", NULL);
	r->has_columns = true;
	return 0;
}

static int cluster_of(struct reader *r, const char *name, size_t *index)
{
	struct suo_cal_data *data = r->data;
	void *grown;

	*index = suo_cal_find(data, name);
	if (*index < data->nclusters)
		return 0;
	grown = reallocarray(data->cluster, data->nclusters + 1,
			     sizeof(*data->cluster));
	if (!grown)
		return -ENOMEM;
	data->cluster = grown;
	snprintf(data->cluster[data->nclusters++], sizeof(*data->cluster), "%s",
		 name);
	return 0;
}

/* Whether a larger vector comes after an equally large one is no fault. */
static int add(struct reader *r, struct suo_cal_row *row, const char *cluster)
{
	struct suo_cal_data *data = r->data;
	const char *wrong;
	void *grown;
	int ret;

	if (!row->sys.domain)
		row->sys.domain = row->sys.ranks;
	wrong = suo_nccl_check(&row->sys);
	if (wrong)
		return fault(r, wrong, NULL);

	r->rows++;
	if (row->bytes < SUO_CAL_MIN_BYTES)
		return 0;

	ret = cluster_of(r, cluster, &row->cluster);
	if (ret)
		return ret;
	grown = reallocarray(data->row, data->nrows + 1, sizeof(*data->row));
	if (!grown)
		return -ENOMEM;
	data->row = grown;
	row->line_number = r->line;
	data->row[data->nrows++] = *row;
	return 0;
}

/* From a nanosecond to eleven days: no collective takes anything else. */
static bool is_time(const char *text, double *us)
{
	return suo_cal_number(text, us) && *us >= 1e-3 && *us <= 1e12;
}

static int take_times(struct reader *r, struct suo_cal_row *row,
		      const char *time, const char *time2)
{
	double other;

	if (!is_time(time, &row->us))
		return fault(r, "not a time:", time);
	if (!time2)
		return 0;
	if (!is_time(time2, &other))
		return fault(r, "not a time:", time2);
	if (other < row->us)
		row->us = other;
	return 0;
}

static int take_own(struct reader *r, struct suo_cal_row *row, char **field,
		    const char **cluster)
{
	const int *column = r->column;
	uint64_t ranks;
	int op;

	if (column[COL_SYSTEM] >= 0) {
		*cluster = field[column[COL_SYSTEM]];
		row->sys.gpu = suo_nccl_gpu_find(*cluster);
		if (!row->sys.gpu)
			return fault(r, "unknown accelerator", *cluster);
	}
	if (column[COL_OP] >= 0) {
		op = suo_cal_op(field[column[COL_OP]]);
		if (op < 0)
			return fault(r, "unknown collective",
				     field[column[COL_OP]]);
		row->op = op;
	}
	if (column[COL_RANKS] >= 0) {
		if (!suo_cal_count(field[column[COL_RANKS]], UINT32_MAX, &ranks))
			return fault(r, "not a number of accelerators:",
				     field[column[COL_RANKS]]);
		row->sys.ranks = ranks;
	}
	if (column[COL_VERSION] >= 0 &&
	    !suo_cal_version(field[column[COL_VERSION]], &row->sys.version))
		return fault(r, "not a version:", field[column[COL_VERSION]]);
	return 0;
}

static int take_row(struct reader *r, char **field, int n)
{
	const char *time, *time2 = NULL, *cluster = r->head.cluster;
	struct suo_cal_row row = { .sys = r->head.sys, .op = r->head.op };
	int ret, size = 0;

	if (r->raw) {
		/* The last eight: time, algbw, busbw, #wrong, twice. */
		if (n < 10)
			return fault(r, "not a line of nccl-tests", NULL);
		time = field[n - 8];
		time2 = field[n - 4];
	} else {
		for (int c = 0; c < COLUMNS; c++)
			if (r->column[c] >= n)
				return fault(r, "fewer columns than the heading",
					     NULL);
		size = r->column[COL_SIZE];
		time = field[r->column[COL_TIME]];
		if (r->column[COL_TIME2] >= 0)
			time2 = field[r->column[COL_TIME2]];
		ret = take_own(r, &row, field, &cluster);
		if (ret)
			return ret;
	}

	if (!r->head.has_op && (r->raw || r->column[COL_OP] < 0))
		return fault(r, "which collective? '#: op NAME' is missing", NULL);
	if (!*cluster)
		return fault(r, "which cluster? '#: cluster NAME' is missing",
			     NULL);
	if (!suo_cal_count(field[size], MAX_BYTES, &row.bytes))
		return fault(r, "not a size in bytes:", field[size]);
	ret = take_times(r, &row, time, time2);
	return ret ?: add(r, &row, cluster);
}

static int take_line(struct reader *r, char *line)
{
	char *field[MAX_COLUMNS];
	char what[128];
	int n;

	line[strcspn(line, "\r\n")] = '\0';
	if (!strncmp(line, "#:", 2)) {
		if (r->rows)
			return fault(r, "'#:' after the first row", NULL);
		if (suo_cal_key(&r->head, line + 2, what, sizeof(what)))
			return fault(r, what, NULL);
		return 0;
	}
	if (*line == '#' || !line[strspn(line, " \t")])
		return 0;
	if (strlen(line) > 4096)
		return fault(r, "the line is too long", NULL);

	/* nccl-tests has no commas, and starts its rows with blanks and digits. */
	if (!r->has_columns && !r->raw && !strchr(line, ','))
		r->raw = true;

	n = split(line, r->raw ? " \t" : ",", field);
	if (n < 0)
		return fault(r, "too many columns", NULL);
	if (r->raw)
		/* Whatever a launcher says in between is not a row. */
		return isdigit((unsigned char)*field[0]) ?
		       take_row(r, field, n) : 0;
	if (!r->has_columns)
		return take_headings(r, field, n);
	return take_row(r, field, n);
}

int suo_cal_read(struct suo_cal_data *data, const char *path, char *err,
		 size_t len)
{
	struct reader r = {
		.data = data,
		.path = path,
		.err = err,
		.len = len,
		.head.sys = {
			.protocols = SUO_NCCL_ALL_PROTOCOLS,
			.algorithms = SUO_NCCL_ALL_ALGORITHMS,
		},
	};
	char *line = NULL;
	size_t size = 0;
	int ret = 0, got = 0;
	FILE *in;

	in = fopen(path, "r");
	if (!in) {
		ret = -errno;
		snprintf(err, len, "%s: %s", path, strerror(-ret));
		return ret;
	}

	while (!ret && (got = suo_line_get(in, &line, &size)) > 0) {
		r.line++;
		ret = take_line(&r, line);
	}
	r.line += got < 0;
	if (got == -EIO || got == -ENOMEM)
		ret = got;
	else if (got < 0)
		ret = fault(&r, suo_line_fault(got), NULL);
	if (ret == -EIO)
		snprintf(err, len, "%s: cannot be read", path);
	if (!ret && !r.rows)
		ret = fault(&r, "no measurement", NULL);
	if (ret == -ENOMEM)
		snprintf(err, len, "not enough memory");

	free(line);
	fclose(in);
	return ret;
}

size_t suo_cal_find(const struct suo_cal_data *data, const char *cluster)
{
	size_t i;

	for (i = 0; i < data->nclusters; i++)
		if (!strcmp(data->cluster[i], cluster))
			break;
	return i;
}

bool suo_cal_listed(size_t cluster, const size_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == cluster)
			return true;
	return false;
}

void suo_cal_free(struct suo_cal_data *data)
{
	free(data->cluster);
	free(data->row);
	*data = (struct suo_cal_data){ 0 };
}

bool suo_cal_spike(const struct suo_cal_data *data, size_t row)
{
	const struct suo_cal_row *r = &data->row[row];

	for (size_t i = 0; i < data->nrows; i++) {
		const struct suo_cal_row *other = &data->row[i];

		if (other->cluster == r->cluster && other->op == r->op &&
		    other->sys.ranks == r->sys.ranks &&
		    other->bytes > r->bytes && other->us < 0.8 * r->us)
			return true;
	}
	return false;
}
