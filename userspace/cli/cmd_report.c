// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
/* suo report: a plot by gnuplot. The .gp file carries its data. */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/analytic/engine.h"
#include "userspace/cli/cli.h"
#include "userspace/cli/report.h"
#include "userspace/cli/table.h"

extern char **environ;

static const struct argp_option options[] = {
	{ "svg", 's', "OUT.svg", 0, "Write the plot there (required)", 0 },
	{ "title", 't', "TEXT", 0, "Title of the plot", 0 },
	{ "queue", 'q', "SWITCH:PORT:PRIORITY", 0,
	  "Of a series: plot this queue, instead of the six that were the longest; may be"
	  " repeated", 0 },
	{ 0 }
};

static bool ends_in_svg(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && !strcmp(path + len - 4, ".svg");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct suo_report_args *args = state->input;

	switch (key) {
	case 's':
		if (!ends_in_svg(arg))
			argp_error(state, "'%s' does not end in .svg", arg);
		args->svg = arg;
		return 0;
	case 't':
		args->title = arg;
		return 0;
	case 'q':
		if (args->queues == SUO_REPORT_QUEUES)
			argp_error(state, "more than %d queues", SUO_REPORT_QUEUES);
		args->queue[args->queues++] = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->table)
			argp_error(state, "one table only");
		args->table = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->table)
			argp_error(state, "which table?");
		if (!args->svg)
			argp_error(state, "--svg is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void suo_report_quote(const char *text, FILE *out)
{
	fputc('\'', out);
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '\'')
			fputc('\'', out);
		fputc(c < 0x20 ? ' ' : c, out);
	}
	fputc('\'', out);
}

/* Is this the first row of its algorithm? */
static bool is_first(const struct suo_table *table, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(table->row[i].algorithm, table->row[row].algorithm))
			return false;
	return true;
}

/* Columns: size, measured and predicted busbw, deviation. */
static void put_data(const struct suo_table *table, const char *algorithm,
		     unsigned int block, FILE *gp)
{
	fprintf(gp, "$data%u << EOD\n", block);
	for (size_t i = 0; i < table->nrows; i++) {
		const struct suo_row *row = &table->row[i];

		if (strcmp(row->algorithm, algorithm))
			continue;
		fprintf(gp, "%" PRIu64 " %.3f", row->size_bytes, row->busbw_GBps);
		if (table->joined && row->predicted_us > 0)
			fprintf(gp, " %.3f %.3f",
				row->size_bytes / row->predicted_us / 1000 *
				suo_busbw_share(SUO_WORK_ALLREDUCE, row->ranks),
				row->deviation_pct);
		fputc('\n', gp);
	}
	fputs("EOD\n", gp);
}

/* Ticks at powers of two, ten of them at most, named in KiB and MiB. */
static void put_size_axis(const struct suo_table *table, bool named, FILE *gp)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	uint64_t least = UINT64_MAX, most = 1;
	unsigned int from = 0, to = 0, step;

	for (size_t i = 0; i < table->nrows; i++) {
		uint64_t size = table->row[i].size_bytes;

		least = size < least ? size : least;
		most = size > most ? size : most;
	}
	while (from < 49 && 2ull << from <= least)
		from++;
	for (to = from; to < 49 && 1ull << to < most;)
		to++;
	step = (to - from) / 10 + 1;

	fprintf(gp, "set logscale x 2\nset xrange [%.1f:%.1f]\nset xtics (",
		least / 1.3, most * 1.3);
	for (unsigned int p = from; p <= to; p += step) {
		char name[16] = "";

		if (named)
			snprintf(name, sizeof(name), "%u %s", 1u << (p % 10),
				 unit[p / 10]);
		fprintf(gp, "%s\"%s\" %llu", p == from ? "" : ", ", name,
			1ull << p);
	}
	fputs(")\n", gp);
}

const char *suo_report_color(size_t n)
{
	static const char *const color[] = {
		"#0060ad", "#dd181f", "#2e8b57", "#8b4fb0", "#c97a00", "#1797a6",
	};

	return color[n % (sizeof(color) / sizeof(color[0]))];
}

static void put_series(const struct suo_table *table, FILE *gp)
{
	unsigned int block = 0;

	fputs("plot ", gp);
	for (size_t i = 0; i < table->nrows; i++) {
		const char *c = suo_report_color(block);

		if (!is_first(table, i))
			continue;
		if (table->joined)
			fprintf(gp, "%s$data%u using 1:3 with lines lw 2 lc rgb '%s' title '%s, predicted'",
				block ? ", \\\n     " : "", block, c,
				table->row[i].algorithm);
		fprintf(gp, "%s$data%u using 1:2 with points pt 7 ps 0.7 lc rgb '%s' title '%s, measured'",
			block || table->joined ? ", \\\n     " : "", block, c,
			table->row[i].algorithm);
		block++;
	}
	fputc('\n', gp);

	if (!table->joined)
		return;
	fputs("\nset size 1, 0.32\nset origin 0, 0\nset bmargin 4\nset tmargin 0\n"
	      "unset title\nunset key\n"
	      "set ylabel 'deviation (%)'\nset xlabel 'vector of a rank'\n"
	      "set yrange [*<-1:1<*]\nset xzeroaxis lt 1 lc rgb '#808080'\n",
	      gp);
	put_size_axis(table, true, gp);
	fputs("plot ", gp);
	block = 0;
	for (size_t i = 0; i < table->nrows; i++) {
		if (!is_first(table, i))
			continue;
		fprintf(gp, "%s$data%u using 1:4 with linespoints pt 7 ps 0.5 lc rgb '%s' notitle",
			block ? ", \\\n     " : "", block, suo_report_color(block));
		block++;
	}
	fputs("\nunset multiplot\n", gp);
}

static void put_script(const void *data, const struct suo_report_args *args, FILE *gp)
{
	const struct suo_table *table = data;
	unsigned int block = 0;
	char title[64];

	fputs("# Written by suo report; needs no other file. Run: gnuplot THIS\n",
	      gp);
	for (size_t i = 0; i < table->nrows; i++)
		if (is_first(table, i))
			put_data(table, table->row[i].algorithm, block++, gp);

	snprintf(title, sizeof(title), "AllReduce, %" PRIu32 " ranks",
		 table->row[0].ranks);
	fputs("set terminal svg size 860,620 font 'Helvetica,13' background rgb 'white'\nset output ",
	      gp);
	suo_report_quote(args->svg, gp);
	fputs("\nset title ", gp);
	suo_report_quote(args->title ? args->title : title, gp);
	fputs(" noenhanced font ',16'\n"
	      "set grid xtics ytics lc rgb '#d0d0d0'\nset border 3\nset tics nomirror out\n"
	      "set key top left reverse Left noenhanced\n"
	      "set lmargin 11\nset rmargin 4\n"
	      "set ylabel 'bus bandwidth (GB/s)'\nset yrange [0:*]\n", gp);
	put_size_axis(table, !table->joined, gp);
	if (table->joined)
		fputs("set multiplot\nset size 1, 0.68\nset origin 0, 0.32\nset bmargin 2\n",
		      gp);
	else
		fputs("set xlabel 'vector of a rank'\n", gp);
	put_series(table, gp);
}

static int run_gnuplot(const char *script)
{
	char *argv[] = { "gnuplot", (char *)script, NULL };
	int ret, status;
	pid_t pid;

	ret = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	if (ret == ENOENT)
		return suo_error(SUO_FAILED, "gnuplot is missing; to install it: apt-get install gnuplot-nox (%s is ready to be run)",
				 script);
	if (ret)
		return suo_error(SUO_FAILED, "cannot run gnuplot: %s",
				 strerror(ret));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return suo_error(SUO_FAILED, "gnuplot: %s",
					 strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return suo_error(SUO_FAILED, "gnuplot failed on %s", script);
	return SUO_OK;
}

int suo_report_plot(const struct suo_report_args *args,
		    void (*put)(const void *data, const struct suo_report_args *args,
				FILE *gp),
		    const void *data)
{
	size_t stem = strlen(args->svg) - strlen(".svg");
	int status;
	char *path;
	FILE *gp;

	if (asprintf(&path, "%.*s.gp", (int)stem, args->svg) < 0)
		return suo_error(SUO_FAILED, "not enough memory");
	gp = fopen(path, "w");
	if (!gp) {
		status = suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
		goto err_open;
	}
	put(data, args, gp);
	status = suo_close(gp, path);
	if (!status)
		status = run_gnuplot(path);
err_open:
	free(path);
	return status;
}

int suo_cmd_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "TABLE.csv|SERIES.csv",
		.doc = "Plot bus bandwidth against size: as measured and, if the"
		       " table was joined by 'suo predict', as predicted. Or plot"
		       " queues over time: their length, rate, marks and pauses, as"
		       " 'suo-switch --series' wrote them. Writes"
		       " OUT.svg and, beside it, OUT.gp for gnuplot.",
	};
	struct suo_report_args args = { 0 };
	struct suo_table table;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (suo_report_is_series(args.table))
		return suo_report_series(&args);
	if (args.queues)
		return suo_error(SUO_USAGE, "--queue: %s is no series of suo-switch",
				 args.table);
	status = suo_table_read(args.table, &table);
	if (status)
		return status;

	for (size_t i = 1; i < table.nrows && !status; i++)
		if (table.row[i].ranks != table.row[0].ranks)
			status = suo_error(SUO_USAGE, "%s:%zu: other ranks than in the rows before",
					   args.table, table.row[i].line_number);
	if (!status)
		status = suo_report_plot(&args, put_script, &table);
	suo_table_free(&table);
	return status;
}
