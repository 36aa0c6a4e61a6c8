// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The time series of a run: CSV with a header, of which some columns are used. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/line.h"
#include "userspace/cli/cli.h"
#include "userspace/cli/diagnose.h"

#define MAX_COLUMNS	10
#define MAX_FIELDS	128
#define MISSING		U64_MAX
/* Of a file: some GB. */
#define MAX_SAMPLES	10000000u

/* A CSV file while it is read; @at is where the columns that are needed are in a line. */
struct csv {
	struct dx_run	*run;
	char		path[4096];
	size_t		number;
	char		*line;
	size_t		room;
	char		*field[MAX_FIELDS];
	u32		fields;
	u32		at[MAX_COLUMNS];
	u32		sample;		/* of the line */
	u32		last;		/* port or link of the line before */
	u64		samples_room;
};

/**
 * struct csv_kind - what is read of a file
 * @file: its name
 * @column: columns that are needed
 * @columns: how many
 * @use: takes a line; returns a status
 */
struct csv_kind {
	const char		*file;
	const char *const	*column;
	u32			columns;
	int			(*use)(struct csv *csv);
};

static int complain(const struct csv *csv, const char *why)
{
	return suo_error(SUO_USAGE, "%s:%zu: %s", csv->path, csv->number, why);
}

/* The next line, cut into its fields. Return: a status; *end: there is none. */
static int next_line(struct csv *csv, FILE *file, bool *end)
{
	int len = suo_line_get(file, &csv->line, &csv->room);
	char *rest = csv->line;

	csv->number++;
	if (len == -ENOMEM)
		return suo_error(SUO_FAILED, "%s: not enough memory", csv->path);
	if (len < 0)
		return complain(csv, suo_line_fault(len));
	*end = !len;
	if (*end)
		return SUO_OK;
	if (rest[len - 1] != '\n')
		return complain(csv, "the file is cut off");
	rest[strcspn(rest, "\r\n")] = '\0';
	csv->fields = 0;
	while (rest && csv->fields < MAX_FIELDS)
		csv->field[csv->fields++] = strsep(&rest, ",");
	return SUO_OK;
}

static int read_header(struct csv *csv, const struct csv_kind *kind)
{
	for (u32 c = 0; c < kind->columns; c++) {
		u32 i = 0;

		while (i < csv->fields && strcmp(csv->field[i], kind->column[c]))
			i++;
		if (i == csv->fields)
			return suo_error(SUO_USAGE, "%s:1: a column is missing: %s",
					 csv->path, kind->column[c]);
		csv->at[c] = i;
	}
	return SUO_OK;
}

/* Read a file to its end. Return: a status; *there: it is there. */
static int read_csv(struct dx_run *run, const struct csv_kind *kind, bool *there)
{
	struct csv csv = { .run = run };
	bool end = false;
	FILE *file;
	int status;

	snprintf(csv.path, sizeof(csv.path), "%s/%s", run->dir, kind->file);
	file = fopen(csv.path, "r");
	*there = file || errno != ENOENT;
	if (!*there)
		return SUO_OK;
	if (!file)
		return suo_error(SUO_USAGE, "%s: %s", csv.path, strerror(errno));
	status = next_line(&csv, file, &end);
	if (!status)
		status = end ? complain(&csv, "the file is empty") : read_header(&csv, kind);
	while (!status) {
		status = next_line(&csv, file, &end);
		if (status || end)
			break;
		status = kind->use(&csv);
	}
	free(csv.line);
	fclose(file);
	return status;
}

/* The text of a column; empty if the line ends before it. */
static const char *text(const struct csv *csv, u32 column)
{
	return csv->at[column] < csv->fields ? csv->field[csv->at[column]] : "";
}

static bool number(const struct csv *csv, u32 column, u64 *value)
{
	const char *from = text(csv, column);
	char *end;

	errno = 0;
	*value = strtoull(from, &end, 10);
	return *from >= '0' && *from <= '9' && !*end && !errno;
}

static int add_sample(struct csv *csv, u64 at_ps)
{
	struct dx_run *run = csv->run;

	if (run->samples == MAX_SAMPLES)
		return complain(csv, "more than ten million samples");
	if (run->samples == csv->samples_room) {
		u64 room = csv->samples_room ? 2 * csv->samples_room : 1024;
		u64 *grown = reallocarray(run->at_ps, room, sizeof(*grown));

		if (!grown)
			return suo_error(SUO_FAILED, "%s: not enough memory", csv->path);
		run->at_ps = grown;
		csv->samples_room = room;
	}
	run->at_ps[run->samples++] = at_ps;
	return SUO_OK;
}

/* First round: when samples were taken. */
static int use_time(struct csv *csv)
{
	const struct dx_run *run = csv->run;
	u64 at_ps, last_ps = run->samples ? run->at_ps[run->samples - 1] : 0;

	if (!number(csv, 0, &at_ps))
		return complain(csv, "time_ps is no number");
	if (run->samples && at_ps == last_ps)
		return SUO_OK;
	if (at_ps < last_ps)
		return complain(csv, "it is earlier than the line before");
	return add_sample(csv, at_ps);
}

static const char *const time_columns[] = { "time_ps" };

static const struct csv_kind times = {
	.file = "series.csv",
	.column = time_columns,
	.columns = 1,
	.use = use_time,
};

/* One value for each sample; if there is none, lines have one all the same. */
static u64 *room(const struct dx_run *run)
{
	u32 n = run->samples ? run->samples : 1;
	u64 *values = malloc(n * sizeof(*values));

	for (u32 k = 0; values && k < n; k++)
		values[k] = MISSING;
	return values;
}

/* The sample of a line; lines are in the order of time. */
static void find_sample(struct csv *csv, u64 at_ps)
{
	while (csv->sample + 1 < csv->run->samples && csv->run->at_ps[csv->sample] < at_ps)
		csv->sample++;
}

static struct dx_port *port_named(struct csv *csv, const char *sw, const char *port)
{
	struct dx_run *run = csv->run;
	char name[2 * SUO_SNAP_NAME];

	snprintf(name, sizeof(name), "%s:%s", sw, port);
	/* Most lines are of the port of the line before, or of the next one. */
	for (u32 i = 0; i < run->ports; i++) {
		u32 p = (csv->last + i) % run->ports;

		if (strcmp(run->port[p].name, name))
			continue;
		csv->last = p;
		return &run->port[p];
	}
	return NULL;
}

enum {
	Q_TIME, Q_SWITCH, Q_PORT, Q_PRIO,
	Q_VALUES,		/* by enum dx_column */
};

static const char *const queue_columns[] = {
	[Q_TIME]	= "time_ps",
	[Q_SWITCH]	= "switch",
	[Q_PORT]	= "port",
	[Q_PRIO]	= "prio",
	[Q_VALUES + DX_TX_PACKETS]	= "tx_packets",
	[Q_VALUES + DX_TX_BYTES]	= "tx_bytes",
	[Q_VALUES + DX_RX_PACKETS]	= "rx_packets",
	[Q_VALUES + DX_RX_BYTES]	= "rx_bytes",
	[Q_VALUES + DX_QUEUE_BYTES]	= "queue_bytes",
	[Q_VALUES + DX_PFC_RX_US]	= "pfc_rx_duration_us",
};

_Static_assert(Q_VALUES + DX_COLUMNS <= MAX_COLUMNS, "at[] of struct csv is too short");

static int use_queue(struct csv *csv)
{
	struct dx_port *port;
	u64 at_ps, prio;

	if (!*text(csv, Q_SWITCH) || !*text(csv, Q_PORT) || !number(csv, Q_TIME, &at_ps) ||
	    !number(csv, Q_PRIO, &prio) || prio >= SUO_SNAP_PRIOS)
		return complain(csv, "time, switch, port or priority cannot be read");
	port = port_named(csv, text(csv, Q_SWITCH), text(csv, Q_PORT));
	if (!port)
		return complain(csv, "no such port is in snapshot-last.json");
	find_sample(csv, at_ps);
	for (u32 c = 0; c < DX_COLUMNS; c++) {
		u64 **values = &port->series[prio][c], value;

		if (!number(csv, Q_VALUES + c, &value))
			return complain(csv, "a value is no number");
		if (!*values)
			*values = room(csv->run);
		if (!*values)
			return suo_error(SUO_FAILED, "%s: not enough memory", csv->path);
		(*values)[csv->sample] = value;
	}
	return SUO_OK;
}

/* Second round: the values. */
static const struct csv_kind queues = {
	.file = "series.csv",
	.column = queue_columns,
	.columns = Q_VALUES + DX_COLUMNS,
	.use = use_queue,
};

static struct dx_link *link_named(struct csv *csv, const char *name)
{
	struct dx_run *run = csv->run;

	/* Most lines are of the link behind that of the line before. */
	for (u32 i = 0; i < run->links; i++) {
		u32 l = (csv->last + i) % run->links;

		if (strcmp(run->link[l].name, name))
			continue;
		csv->last = l + 1;
		return &run->link[l];
	}
	return NULL;
}

enum { L_TIME, L_NAME, L_LOST, L_CORRUPTED, L_COLUMNS };

static const char *const link_columns[L_COLUMNS] = {
	"time_ps", "link", "lost", "corrupted",
};

static int use_link(struct csv *csv)
{
	u64 at_ps, lost, corrupted;
	struct dx_link *link;

	if (!*text(csv, L_NAME) || !number(csv, L_TIME, &at_ps) ||
	    !number(csv, L_LOST, &lost) || !number(csv, L_CORRUPTED, &corrupted))
		return complain(csv, "a value is no number");
	link = link_named(csv, text(csv, L_NAME));
	if (!link)
		return complain(csv, "no such link is in snapshot-last.json");
	if (!link->lost_at) {
		link->lost_at = room(csv->run);
		link->corrupted_at = room(csv->run);
	}
	if (!link->lost_at || !link->corrupted_at)
		return suo_error(SUO_FAILED, "%s: not enough memory", csv->path);
	find_sample(csv, at_ps);
	link->lost_at[csv->sample] = lost;
	link->corrupted_at[csv->sample] = corrupted;
	return SUO_OK;
}

static const struct csv_kind links = {
	.file = "series-links.csv",
	.column = link_columns,
	.columns = L_COLUMNS,
	.use = use_link,
};

/* What has no line is as it was; before the first line it is 0. */
static void fill(const struct dx_run *run, u64 *values)
{
	for (u32 k = 0; values && k < run->samples; k++)
		if (values[k] == MISSING)
			values[k] = k ? values[k - 1] : 0;
}

int dx_series_load(struct dx_run *run)
{
	static const struct csv_kind *const kinds[] = { &times, &queues, &links };
	bool there = true;

	for (u32 i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && there; i++) {
		int status = read_csv(run, kinds[i], &there);

		if (status)
			return status;
	}
	for (u32 p = 0; p < run->ports; p++)
		for (u32 q = 0; q < SUO_SNAP_PRIOS; q++)
			for (u32 c = 0; c < DX_COLUMNS; c++)
				fill(run, run->port[p].series[q][c]);
	for (u32 l = 0; l < run->links; l++) {
		fill(run, run->link[l].lost_at);
		fill(run, run->link[l].corrupted_at);
	}
	return SUO_OK;
}

void dx_series_free(struct dx_run *run)
{
	for (u32 p = 0; run->port && p < run->ports; p++)
		for (u32 q = 0; q < SUO_SNAP_PRIOS; q++)
			for (u32 c = 0; c < DX_COLUMNS; c++)
				free(run->port[p].series[q][c]);
	for (u32 l = 0; run->link && l < run->links; l++) {
		free(run->link[l].lost_at);
		free(run->link[l].corrupted_at);
	}
	free(run->at_ps);
	run->at_ps = NULL;
}

u64 dx_at(const struct dx_port *port, enum dx_column column, u32 k)
{
	u64 sum = 0;

	for (u32 q = 0; q < SUO_SNAP_PRIOS; q++)
		if (port->series[q][column])
			sum += port->series[q][column][k];
	return sum;
}

u64 dx_delta(const struct dx_port *port, enum dx_column column, u32 k)
{
	return suo_sub_sat(dx_at(port, column, k + 1), dx_at(port, column, k));
}

double dx_use(const struct dx_run *run, const struct dx_port *port, u32 k)
{
	/* Preamble and gap of each frame are of the link, but of no counter. */
	double bits = 8.0 * dx_delta(port, DX_TX_BYTES, k) +
		      8.0 * 20 * dx_delta(port, DX_TX_PACKETS, k);

	return bits * 1e6 / port->last->rate_mbps / (run->at_ps[k + 1] - run->at_ps[k]);
}
