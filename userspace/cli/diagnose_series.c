// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The time series of a run: CSV with a header, of which some columns are used. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/cli.h"
#include "userspace/cli/diagnose.h"

#define LINE_ROOM	8192
#define MAX_FIELDS	128
#define MISSING		U64_MAX
/* Of a file: some GB. */
#define MAX_SAMPLES	10000000u

static const char *const columns[DX_COLUMNS] = {
	[DX_TX_PACKETS]	 = "tx_packets",
	[DX_TX_BYTES]	 = "tx_bytes",
	[DX_RX_PACKETS]	 = "rx_packets",
	[DX_RX_BYTES]	 = "rx_bytes",
	[DX_QUEUE_BYTES] = "queue_bytes",
	[DX_PFC_RX_US]	 = "pfc_rx_duration_us",
};

/* A CSV file while it is read. */
struct csv {
	char		path[4096];
	FILE		*file;
	unsigned int	line;
	char		text[LINE_ROOM];
	char		*field[MAX_FIELDS];
	u32		fields;
};

static int complain(const struct csv *csv, const char *why)
{
	return suo_error(SUO_USAGE, "%s:%u: %s", csv->path, csv->line, why);
}

/* The next line, cut into its fields. Return: 1; 0: there is none; -1 after a message. */
static int next_line(struct csv *csv)
{
	char *at = csv->text;

	csv->line++;
	if (!fgets(csv->text, sizeof(csv->text), csv->file)) {
		if (!ferror(csv->file))
			return 0;
		complain(csv, strerror(errno));
		return -1;
	}
	if (!strchr(csv->text, '\n')) {
		complain(csv, feof(csv->file) ? "the file is cut off" :
						"the line is too long");
		return -1;
	}
	csv->text[strcspn(csv->text, "\r\n")] = '\0';
	csv->fields = 0;
	while (at && csv->fields < MAX_FIELDS)
		csv->field[csv->fields++] = strsep(&at, ",");
	return 1;
}

/* Return: the number of a column of the header; -1: there is none of that name. */
static int find_column(const struct csv *csv, const char *name)
{
	for (u32 i = 0; i < csv->fields; i++)
		if (!strcmp(csv->field[i], name))
			return i;
	return -1;
}

static bool number(const struct csv *csv, int column, u64 *value)
{
	const char *text = (u32)column < csv->fields ? csv->field[column] : "";
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* Open and read the header. Return: 1; 0: there is no such file; -1 after a message. */
static int open_csv(struct csv *csv, const struct dx_run *run, const char *name)
{
	int ret;

	*csv = (struct csv){ 0 };
	snprintf(csv->path, sizeof(csv->path), "%s/%s", run->dir, name);
	csv->file = fopen(csv->path, "r");
	if (!csv->file && errno == ENOENT)
		return 0;
	if (!csv->file) {
		suo_error(SUO_USAGE, "%s: %s", csv->path, strerror(errno));
		return -1;
	}
	ret = next_line(csv);
	if (!ret)
		complain(csv, "the file is empty");
	if (ret <= 0) {
		fclose(csv->file);
		return -1;
	}
	return 1;
}

/* First round: when samples were taken. */
static int read_times(struct dx_run *run)
{
	int column, ret;
	u64 at_ps, cap = 0;
	struct csv csv;

	ret = open_csv(&csv, run, "series.csv");
	if (ret <= 0)
		return ret;
	column = find_column(&csv, "time_ps");
	if (column < 0) {
		complain(&csv, "there is no column 'time_ps'");
		goto fault;
	}
	while ((ret = next_line(&csv)) > 0) {
		u64 *more;

		if (!number(&csv, column, &at_ps)) {
			complain(&csv, "time_ps is no number");
			goto fault;
		}
		if (run->samples && at_ps == run->at_ps[run->samples - 1])
			continue;
		if (run->samples && at_ps < run->at_ps[run->samples - 1]) {
			complain(&csv, "it is earlier than the line before");
			goto fault;
		}
		if (run->samples == MAX_SAMPLES) {
			complain(&csv, "more than ten million samples");
			goto fault;
		}
		if (run->samples == cap) {
			cap = cap ? 2 * cap : 1024;
			more = realloc(run->at_ps, cap * sizeof(*more));
			if (!more) {
				suo_error(SUO_FAILED, "%s: not enough memory", csv.path);
				goto fault;
			}
			run->at_ps = more;
		}
		run->at_ps[run->samples++] = at_ps;
	}
	fclose(csv.file);
	return ret ? ret : 1;
fault:
	fclose(csv.file);
	return -1;
}

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
static u32 sample_of(const struct dx_run *run, u64 at_ps, u32 k)
{
	while (k + 1 < run->samples && run->at_ps[k] < at_ps)
		k++;
	return k;
}

static s32 port_named(const struct dx_run *run, const char *sw, const char *port, u32 from)
{
	char name[2 * SUO_SNAP_NAME];

	snprintf(name, sizeof(name), "%s:%s", sw, port);
	/* Most lines are of the port of the line before, or of the next one. */
	for (u32 i = 0; i < run->ports; i++)
		if (!strcmp(run->port[(from + i) % run->ports].name, name))
			return (from + i) % run->ports;
	return -1;
}

static int read_values(struct dx_run *run)
{
	int column[DX_COLUMNS], at, sw, port, prio, ret;
	u32 k = 0, from = 0;
	struct csv csv;

	ret = open_csv(&csv, run, "series.csv");
	if (ret <= 0)
		return ret;
	at = find_column(&csv, "time_ps");
	sw = find_column(&csv, "switch");
	port = find_column(&csv, "port");
	prio = find_column(&csv, "prio");
	ret = sw < 0 || port < 0 || prio < 0;
	for (u32 c = 0; c < DX_COLUMNS; c++) {
		column[c] = find_column(&csv, columns[c]);
		ret |= column[c] < 0;
	}
	if (ret) {
		complain(&csv, "a column is missing: time_ps, switch, port, prio, tx_packets, tx_bytes, rx_packets, rx_bytes, queue_bytes and pfc_rx_duration_us are needed");
		goto fault;
	}
	while ((ret = next_line(&csv)) > 0) {
		u64 at_ps, q, value;
		struct dx_port *p;
		s32 which;

		if (csv.fields <= (u32)sw || csv.fields <= (u32)port ||
		    !number(&csv, at, &at_ps) || !number(&csv, prio, &q) ||
		    q >= SUO_SNAP_PRIOS) {
			complain(&csv, "time, switch, port or priority cannot be read");
			goto fault;
		}
		which = port_named(run, csv.field[sw], csv.field[port], from);
		if (which < 0) {
			complain(&csv, "no such port is in snapshot-last.json");
			goto fault;
		}
		from = which;
		p = &run->port[which];
		k = sample_of(run, at_ps, k);
		for (u32 c = 0; c < DX_COLUMNS; c++) {
			if (!number(&csv, column[c], &value)) {
				complain(&csv, "a value is no number");
				goto fault;
			}
			if (!p->series[q][c])
				p->series[q][c] = room(run);
			if (!p->series[q][c]) {
				suo_error(SUO_FAILED, "not enough memory");
				goto fault;
			}
			p->series[q][c][k] = value;
		}
	}
	fclose(csv.file);
	return ret ? ret : 1;
fault:
	fclose(csv.file);
	return -1;
}

static int read_links(struct dx_run *run)
{
	int at, name, lost, corrupted, ret;
	u32 k = 0, from = 0;
	struct csv csv;

	ret = open_csv(&csv, run, "series-links.csv");
	if (ret <= 0)
		return ret;
	at = find_column(&csv, "time_ps");
	name = find_column(&csv, "link");
	lost = find_column(&csv, "lost");
	corrupted = find_column(&csv, "corrupted");
	if (at < 0 || name < 0 || lost < 0 || corrupted < 0) {
		complain(&csv, "a column is missing: time_ps, link, lost and corrupted are needed");
		goto fault;
	}
	while ((ret = next_line(&csv)) > 0) {
		struct dx_link *link = NULL;
		u64 at_ps, l, c;

		if (csv.fields <= (u32)name || !number(&csv, at, &at_ps) ||
		    !number(&csv, lost, &l) || !number(&csv, corrupted, &c)) {
			complain(&csv, "a value is no number");
			goto fault;
		}
		/* Most lines are of the link behind that of the line before. */
		for (u32 i = 0; i < run->links && !link; i++) {
			u32 l = (from + i) % run->links;

			if (!strcmp(run->link[l].name, csv.field[name])) {
				link = &run->link[l];
				from = l + 1;
			}
		}
		if (!link) {
			complain(&csv, "no such link is in snapshot-last.json");
			goto fault;
		}
		if (!link->lost_at) {
			link->lost_at = room(run);
			link->corrupted_at = room(run);
		}
		if (!link->lost_at || !link->corrupted_at) {
			suo_error(SUO_FAILED, "not enough memory");
			goto fault;
		}
		k = sample_of(run, at_ps, k);
		link->lost_at[k] = l;
		link->corrupted_at[k] = c;
	}
	fclose(csv.file);
	return ret ? ret : 1;
fault:
	fclose(csv.file);
	return -1;
}

/* What has no line is as it was; before the first line it is 0. */
static void fill(const struct dx_run *run, u64 *values)
{
	for (u32 k = 0; values && k < run->samples; k++)
		if (values[k] == MISSING)
			values[k] = k ? values[k - 1] : 0;
}

int dx_series_load(struct dx_run *run)
{
	int ret = read_times(run);

	if (ret > 0)
		ret = read_values(run);
	if (ret > 0)
		ret = read_links(run);
	if (ret < 0)
		return SUO_USAGE;
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
