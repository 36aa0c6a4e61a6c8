// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo report of what suo-switch --series wrote: queues over time. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/report.h"
#include "model/plan/line.h"
#include "userspace/cli/cli.h"
#include "userspace/cli/report.h"

#define FIRST_COLUMN	"time_ps,"
#define LONGEST		6
#define MAX_POINTS	2000	/* of a queue; beyond that several become one */
#define MAX_FIELDS	64
#define NAME		128

/* What is plotted, by the names in the header. */
enum column {
	TIME,
	SWITCH,
	PORT,
	PRIO,
	QUEUE,
	TX,
	MARKED,
	PAUSED,
	COLUMNS,
};

static const char *const column_names[COLUMNS] = {
	"time_ps", "switch", "port", "prio", "queue_bytes", "tx_gbps",
	"ecn_marked_share", "pfc_rx_share",
};

/* A point: the longest that the queue was, and the means of the rest. */
struct point {
	double	time_us;
	double	value[COLUMNS - QUEUE];
	size_t	rows;
};

struct queue {
	char		name[NAME];	/* "leaf0:Ethernet4:3" */
	double		longest;
	double		tx;
	size_t		rows;
	size_t		seen;
	bool		wanted;
	struct point	*point;
	size_t		points;
};

struct series {
	struct suo_report	report;
	size_t			at[COLUMNS];
	size_t			fields;
	struct queue		*queue;
	size_t			queues;
	size_t			last;
	struct queue		*plot[SUO_REPORT_QUEUES];
	size_t			plots;
};

bool suo_report_is_series(const char *path)
{
	char line[sizeof(FIRST_COLUMN)] = "";
	FILE *file = fopen(path, "r");
	bool is;

	if (!file)
		return false;
	is = fgets(line, sizeof(line), file) && !strcmp(line, FIRST_COLUMN);
	fclose(file);
	return is;
}

static size_t split(char *line, char *field[MAX_FIELDS])
{
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (line && n < MAX_FIELDS)
		field[n++] = strsep(&line, ",");
	return line ? MAX_FIELDS + 1 : n;
}

static int read_header(struct series *s, char *line)
{
	char *field[MAX_FIELDS];

	s->fields = split(line, field);
	if (s->fields > MAX_FIELDS)
		return suo_error(SUO_USAGE, "%s:1: more than %d columns", s->report.file,
				 MAX_FIELDS);
	for (size_t c = 0; c < COLUMNS; c++) {
		size_t f = 0;

		while (f < s->fields && strcmp(field[f], column_names[c]))
			f++;
		if (f == s->fields)
			return suo_error(SUO_USAGE, "%s:1: no column '%s'",
					 s->report.file, column_names[c]);
		s->at[c] = f;
	}
	return SUO_OK;
}

/* Return: the first column that is wrong, or COLUMNS. */
static size_t get_values(const struct series *s, char *const field[],
			 double value[COLUMNS])
{
	for (size_t c = 0; c < COLUMNS; c++) {
		const char *text = field[s->at[c]];
		char *end;

		if (c == SWITCH || c == PORT) {
			if (!*text)
				return c;
			continue;
		}
		value[c] = strtod(text, &end);
		if (end == text || *end || !isfinite(value[c]) || value[c] < 0)
			return c;
	}
	return COLUMNS;
}

/* Rows come in the same order again and again: the next one is mostly the next. */
static struct queue *find_queue(struct series *s, const char *name)
{
	for (size_t i = 1; i <= s->queues; i++) {
		size_t n = (s->last + i) % s->queues;

		if (!strcmp(s->queue[n].name, name)) {
			s->last = n;
			return &s->queue[n];
		}
	}
	return NULL;
}

static struct queue *add_queue(struct series *s, const char *name)
{
	struct queue *grown = reallocarray(s->queue, s->queues + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	s->queue = grown;
	s->last = s->queues;
	grown = &s->queue[s->queues++];
	*grown = (struct queue){ 0 };
	strcpy(grown->name, name);
	return grown;
}

/* The first time: which queues there are, and how long they were. */
static int count(struct series *s, const char *name, const double value[COLUMNS])
{
	struct queue *queue = find_queue(s, name) ?: add_queue(s, name);

	if (!queue)
		return suo_error(SUO_FAILED, "not enough memory");
	queue->rows++;
	queue->tx += value[TX];
	if (value[QUEUE] > queue->longest)
		queue->longest = value[QUEUE];
	return SUO_OK;
}

/* The second time: the points of those that are plotted. */
static int add_point(struct series *s, const char *name, const double value[COLUMNS])
{
	struct queue *queue = find_queue(s, name);
	struct point *point;
	size_t i;

	/* A file that has grown since has more rows, and more queues. */
	if (!queue || !queue->wanted || queue->seen >= queue->rows)
		return SUO_OK;
	i = queue->rows <= MAX_POINTS ? queue->seen : queue->seen * MAX_POINTS / queue->rows;
	if (!queue->point) {
		queue->points = queue->rows < MAX_POINTS ? queue->rows : MAX_POINTS;
		queue->point = calloc(queue->points, sizeof(*queue->point));
		if (!queue->point)
			return suo_error(SUO_FAILED, "not enough memory");
	}
	queue->seen++;
	point = &queue->point[i];
	point->rows++;
	if (point->rows == 1)
		point->time_us = value[TIME] / 1e6;
	for (size_t c = QUEUE; c < COLUMNS; c++) {
		double *to = &point->value[c - QUEUE];

		if (c == QUEUE)
			*to = value[c] > *to ? value[c] : *to;
		else
			*to += (value[c] - *to) / (double)point->rows;
	}
	return SUO_OK;
}

static int read_row(struct series *s, size_t number, char *line,
		    int (*use)(struct series *s, const char *name,
			       const double value[COLUMNS]))
{
	double value[COLUMNS] = { 0 };
	char *field[MAX_FIELDS], name[NAME];
	size_t bad, n;

	n = split(line, field);
	if (n != s->fields)
		return suo_error(SUO_USAGE, "%s:%zu: %s than the %zu columns of the header",
				 s->report.file, number, n < s->fields ? "fewer" : "more",
				 s->fields);
	bad = get_values(s, field, value);
	if (bad < COLUMNS)
		return suo_error(SUO_USAGE, "%s:%zu: bad %s '%.40s'", s->report.file, number,
				 column_names[bad], field[s->at[bad]]);
	if (snprintf(name, sizeof(name), "%s:%s:%s", field[s->at[SWITCH]],
		     field[s->at[PORT]], field[s->at[PRIO]]) >= (int)sizeof(name))
		return suo_error(SUO_USAGE, "%s:%zu: a name that is too long",
				 s->report.file, number);
	return use(s, name, value);
}

static int read_rows(struct series *s, int (*use)(struct series *s, const char *name,
						  const double value[COLUMNS]))
{
	FILE *file = fopen(s->report.file, "r");
	size_t room = 0, number = 0;
	int status = SUO_OK, len = 0;
	char *line = NULL;

	if (!file)
		return suo_error(SUO_USAGE, "%s: %s", s->report.file, strerror(errno));
	while (!status && (len = suo_line_get(file, &line, &room)) > 0) {
		/* A line without an end is being written, or was when it was killed. */
		if (line[len - 1] != '\n')
			break;
		if (!number++)
			status = read_header(s, line);
		else
			status = read_row(s, number, line, use);
	}
	if (len < 0)
		status = suo_error(len == -ENOMEM ? SUO_FAILED : SUO_USAGE, "%s:%zu: %s",
				   s->report.file, number + 1, suo_line_fault(len));
	free(line);
	fclose(file);
	return status;
}

static void plot(struct series *s, struct queue *queue)
{
	queue->wanted = true;
	s->plot[s->plots++] = queue;
}

/* The queues that were named, or those that were the longest. */
static int choose(struct series *s, const struct suo_report_args *args)
{
	for (size_t i = 0; i < args->queues; i++) {
		size_t n = 0;

		while (n < s->queues && strcmp(s->queue[n].name, args->queue[i]))
			n++;
		if (n == s->queues)
			return suo_error(SUO_USAGE, "%s: nothing of queue '%s'; such as %s",
					 args->table, args->queue[i], s->queue[0].name);
		if (!s->queue[n].wanted)
			plot(s, &s->queue[n]);
	}
	for (size_t i = 0; i < LONGEST && !args->queues; i++) {
		struct queue *best = NULL;

		for (size_t n = 0; n < s->queues; n++) {
			struct queue *q = &s->queue[n];

			if (!q->wanted && (!best || q->longest > best->longest ||
					   (q->longest == best->longest && q->tx > best->tx)))
				best = q;
		}
		if (best)
			plot(s, best);
	}
	return SUO_OK;
}

/* A column that is 0 all the time has no range. */
static bool is_zero(const struct series *s, size_t column)
{
	for (size_t i = 0; i < s->plots; i++)
		for (size_t p = 0; p < s->plot[i]->points; p++)
			if (s->plot[i]->point[p].value[column - QUEUE] > 0)
				return false;
	return true;
}

static void put_panel(const struct series *s, const char *label, size_t column,
		      double scale, bool last, FILE *gp)
{
	fprintf(gp, "set ylabel '%s'\nset yrange [0:%s]\n", label,
		is_zero(s, column) ? "1" : "*");
	if (last)
		fputs("set xlabel 'modelled time (us)'\nset format x '%g'\n", gp);
	fputs("plot ", gp);
	for (size_t i = 0; i < s->plots; i++) {
		fprintf(gp, "%s$data%zu using 1:($%zu*%g) with lines lw 1.5 dt %d lc rgb '%s' ",
			i ? ", \\\n     " : "", i, column - QUEUE + 2, scale,
			i < LONGEST ? 1 : 2, suo_report_color(i));
		if (column == QUEUE) {
			fputs("title ", gp);
			suo_report_quote(s->plot[i]->name, gp);
		} else {
			fputs("notitle", gp);
		}
	}
	fputs("\nunset title\n", gp);
}

static void put_script(const void *data, const struct suo_report_args *args, FILE *gp)
{
	const struct series *s = data;

	fputs("# Written by suo report; needs no other file. Run: gnuplot THIS\n", gp);
	for (size_t i = 0; i < s->plots; i++) {
		fprintf(gp, "# %s: time_us queue_bytes tx_gbps ecn_marked_share pfc_rx_share\n",
			s->plot[i]->name);
		fprintf(gp, "$data%zu << EOD\n", i);
		for (size_t p = 0; p < s->plot[i]->points; p++) {
			const struct point *point = &s->plot[i]->point[p];

			if (point->rows)
				fprintf(gp, "%.6f %.0f %.3f %.6f %.6f\n", point->time_us,
					point->value[0], point->value[1], point->value[2],
					point->value[3]);
		}
		fputs("EOD\n", gp);
	}
	fputs("set terminal svg size 860,900 font 'Helvetica,13' background rgb 'white'\nset output ",
	      gp);
	suo_report_quote(args->svg, gp);
	fputs("\nset multiplot layout 4,1\nset title ", gp);
	suo_report_quote(args->title ? args->title : "Queues", gp);
	fputs(" noenhanced font ',16'\n"
	      "set grid xtics ytics lc rgb '#d0d0d0'\nset border 3\nset tics nomirror out\n"
	      "set key outside top center horizontal noenhanced\nset lmargin 11\nset rmargin 4\n"
	      "set format x ''\n", gp);
	put_panel(s, "queue (KB)", QUEUE, 1e-3, false, gp);
	put_panel(s, "sent (Gb/s)", TX, 1, false, gp);
	put_panel(s, "marked (%)", MARKED, 100, false, gp);
	put_panel(s, "paused (%)", PAUSED, 100, true, gp);
	fputs("unset multiplot\n", gp);
}

int suo_report_series(const struct suo_report_args *args)
{
	struct series s = { .report = { .file = args->table } };
	int status;

	status = read_rows(&s, count);
	if (!status && !s.queues)
		status = suo_error(SUO_USAGE, "%s: no rows in it", args->table);
	if (!status)
		status = choose(&s, args);
	if (!status)
		status = read_rows(&s, add_point);
	if (!status)
		status = suo_report_plot(args, put_script, &s);
	for (size_t i = 0; i < s.queues; i++)
		free(s.queue[i].point);
	free(s.queue);
	return status;
}
