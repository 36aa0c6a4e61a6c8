// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo-perf: measure a collective over libfabric, one process an accelerator. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "userspace/perf/bench.h"
#include "userspace/perf/clock.h"
#include "userspace/perf/launch.h"

#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

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

static FILE *create(const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		fprintf(stderr, "suo-perf: Error: %s: %s\n", path, strerror(errno));
	return f;
}

/* Rank 0's files. */
struct files {
	FILE	*csv;
	FILE	*json;
	bool	table;
};

static int open_files(const struct opts *opts, struct files *files)
{
	*files = (struct files){ .table = true };
	if (opts->rank)
		return 0;
	if (opts->csv) {
		files->csv = create(opts->csv);
		if (!files->csv)
			return -errno;
	}
	if (opts->json && !strcmp(opts->json, "-")) {
		files->json = stdout;
		files->table = false;
	} else if (opts->json) {
		files->json = create(opts->json);
		if (!files->json)
			return -errno;
	}
	return 0;
}

static int close_file(FILE *f, const char *path)
{
	if (!f || f == stdout || !fclose(f))
		return 0;
	fprintf(stderr, "suo-perf: Error: %s: %s\n", path, strerror(errno));
	return -EIO;
}

static int run(struct bench *bench, const struct files *files)
{
	struct table table;
	int err;

	if (bench->opts->rank)
		return bench_run(bench, NULL);
	table_begin(&table, bench->opts, files->table ? stdout : NULL, files->csv,
		    bench->time_scale);
	err = bench_run(bench, &table);
	if (!err && files->table)
		print_clocks(bench, stdout);
	/* What there is is written, even after a failure: JSON that ends. */
	if (table_end(&table, files->json) && !err) {
		snprintf(bench->why, sizeof(bench->why), "cannot write the results");
		err = -EIO;
	}
	return err;
}

static int run_connected(const struct opts *opts, struct boot *boot, const struct files *files)
{
	struct bench bench;
	int err;

	err = bench_create(&bench, opts, boot);
	if (!err)
		err = run(&bench, files);
	if (err)
		say(opts, bench.why);
	else if (bench.wrong)
		err = -EBADMSG;
	bench_destroy(&bench);
	return err;
}

static int run_rank_by(struct opts *opts, const struct boot_mpi *mpi)
{
	struct boot_attr attr = {
		.where		= opts->rendezvous,
		.rank		= opts->rank,
		.nranks		= opts->ranks,
		.options	= opts_hash(opts),
		.mpi		= mpi,
	};
	struct files files;
	struct boot boot;
	int err;

	clock_init();
	err = open_files(opts, &files);
	if (err)
		return err;
	err = boot_open(&boot, &attr);
	if (err)
		say(opts, boot.why);
	else
		err = run_connected(opts, &boot, &files);
	boot_close(&boot);
	if (close_file(files.csv, opts->csv) || close_file(files.json, opts->json))
		err = err ? err : -EIO;
	return err;
}

static int run_rank(struct opts *opts)
{
	return run_rank_by(opts, NULL) ? EXIT_FAILED : EXIT_OK;
}

static int run_mpi(struct opts *opts)
{
	const struct boot_mpi *mpi;
	char why[512];
	int err;

	mpi = boot_mpi_load(why, sizeof(why));
	if (!mpi || mpi->init(&opts->rank, &opts->ranks)) {
		fprintf(stderr, "suo-perf: Error: %s\n", mpi ? "MPI_Init failed" : why);
		return EXIT_FAILED;
	}
	err = opts_check_ranks(opts, why, sizeof(why));
	if (err) {
		say(opts, why);
		mpi->abort(EXIT_USAGE);
		return EXIT_USAGE;
	}
	err = run_rank_by(opts, mpi);
	/* Wrong elements are known to all; of a failure the others do not know. */
	if (err && err != -EBADMSG)
		mpi->abort(EXIT_FAILED);
	mpi->finalize();
	return err ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct opts opts;

	opts_parse(&opts, argc, argv);
	if (!opts.ranks && !opts.local && boot_mpi_wanted())
		return run_mpi(&opts);
	if (!opts.ranks && !opts.local) {
		fprintf(stderr, "suo-perf: Error: who takes part? Start it by mpirun, or say -g N, or --rank, --ranks and --rendezvous\n");
		return EXIT_USAGE;
	}
	return launch(&opts, run_rank);
}
