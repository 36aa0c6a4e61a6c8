// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo-perf: measure a collective over libfabric, one process an accelerator. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "userspace/perf/bench.h"
#include "userspace/perf/clock.h"

#define EXIT_OK		0
#define EXIT_FAILED	1

/* Below this much guest time, /proc/stat's ticks say nothing. */
#define MIN_TIMED_NS	1000000000ull

static void say(const struct opts *opts, const char *why)
{
	fprintf(stderr, "suo-perf: Error: rank %u: %s\n", opts->rank, why);
}

static void print_clocks(const struct bench *bench, FILE *out)
{
	double software;

	if (!bench->boot->same_clock)
		fprintf(out, "# The ranks run on different kernels: times include how far apart they start.\n");
	if (bench->timed_ns < MIN_TIMED_NS) {
		fprintf(out, "# Software share : not measured, less than 1 s of guest time\n");
		return;
	}
	software = 100 - 100.0 * bench->idle_ns / bench->timed_ns / clock_cpus();
	if (software < 0)
		software = 0;
	fprintf(out, "# Software share : %.2f %% of the measured time%s\n", software,
		software > 1 ? "; a larger time scale would lessen it" : "");
}

static int run(struct bench *bench, FILE *csv)
{
	struct table table;
	int err;

	if (bench->opts->rank)
		return bench_run(bench, NULL);
	table_begin(&table, bench->opts, stdout, csv, bench->time_scale);
	err = bench_run(bench, &table);
	if (err)
		return err;
	print_clocks(bench, stdout);
	if (table_end(&table)) {
		snprintf(bench->why, sizeof(bench->why), "cannot write the results");
		return -EIO;
	}
	return 0;
}

static int run_connected(const struct opts *opts, struct boot *boot, FILE *csv)
{
	struct bench bench;
	int err;

	err = bench_create(&bench, opts, boot);
	if (!err)
		err = run(&bench, csv);
	if (err)
		say(opts, bench.why);
	else if (bench.wrong)
		err = -EBADMSG;
	bench_destroy(&bench);
	return err;
}

int main(int argc, char **argv)
{
	struct opts opts;
	struct boot_attr attr;
	struct boot boot;
	FILE *csv = NULL;
	int err;

	opts_parse(&opts, argc, argv);
	clock_init();
	if (opts.csv && !opts.rank) {
		csv = fopen(opts.csv, "we");
		if (!csv) {
			fprintf(stderr, "suo-perf: Error: %s: %s\n", opts.csv, strerror(errno));
			return EXIT_FAILED;
		}
	}
	attr = (struct boot_attr){
		.where		= opts.rendezvous,
		.rank		= opts.rank,
		.nranks		= opts.ranks,
		.options	= opts_hash(&opts),
	};
	err = boot_open(&boot, &attr);
	if (err)
		say(&opts, boot.why);
	else
		err = run_connected(&opts, &boot, csv);
	boot_close(&boot);
	if (csv && fclose(csv) && !err) {
		fprintf(stderr, "suo-perf: Error: %s: %s\n", opts.csv, strerror(errno));
		err = -EIO;
	}
	return err ? EXIT_FAILED : EXIT_OK;
}
