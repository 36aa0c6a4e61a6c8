// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each run begins at an instant that all ranks agreed on and slept until, so
 * that no message of the agreement is within the measured time, and ends when
 * the slowest rank has its result and its vector back.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/perf/bench.h"
#include "userspace/perf/clock.h"

/* Guest time for all processes to fall asleep before a run. */
#define START_MARGIN_NS	5000000ull
#define PAGE		4096

static int fail(struct bench *bench, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct bench *bench, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(bench->why, sizeof(bench->why), fmt, ap);
	va_end(ap);
	return err;
}

static int gather(struct bench *bench, const void *in, void *out, size_t len)
{
	int err = boot_allgather(bench->boot, in, out, len);

	return err ? fail(bench, err, "%s", bench->boot->why) : 0;
}

static int make_layout(struct bench *bench, const char *algorithm, uint64_t count,
		       struct suo_layout **layout)
{
	const struct suo_plan_shape shape = {
		.nranks		= bench->opts->ranks,
		.domain_size	= bench->opts->domain_size,
		.count		= count,
	};
	struct suo_plan *plan;
	char why[128] = "no memory";
	int err;

	err = suo_plan_allreduce(algorithm, &shape, &plan);
	if (err)
		return fail(bench, err, "algorithm %s cannot do %u ranks in domains of %u: %s",
			    algorithm, shape.nranks, shape.domain_size, strerror(-err));
	err = suo_layout_create(plan, bench->opts->rank, layout, why, sizeof(why));
	suo_plan_free(plan);
	return err ? fail(bench, err, "algorithm %s: %s", algorithm, why) : 0;
}

/* Bytes of scratch memory that the most demanding run needs. */
static int find_scratch(struct bench *bench, size_t *bytes)
{
	const struct opts *opts = bench->opts;
	size_t elem = suo_dtype_size(opts->type);

	*bytes = 0;
	for (unsigned int a = 0; a < opts->nalgorithms; a++) {
		for (uint64_t s = opts->min_bytes; s <= opts->max_bytes;
		     s = opts_next_size(opts, s)) {
			struct suo_layout *layout;
			int err = make_layout(bench, opts->algorithm[a], s / elem, &layout);

			if (err)
				return err;
			if (layout->scratch_len * elem > *bytes)
				*bytes = layout->scratch_len * elem;
			suo_layout_free(layout);
		}
	}
	return 0;
}

static void *alloc_vector(uint64_t bytes)
{
	void *mem;

	/* Never empty, so that it can be registered. */
	return posix_memalign(&mem, PAGE, bytes + PAGE) ? NULL : mem;
}

int bench_create(struct bench *bench, const struct opts *opts, struct boot *boot)
{
	const struct suo_comm_attr attr = {
		.provider	= opts->provider,
		.device		= opts->device,
		.rank		= opts->rank,
		.nranks		= opts->ranks,
		.boot		= { boot_allgather, boot, boot->abort_fd },
	};
	size_t scratch;
	int err;

	memset(bench, 0, sizeof(*bench));
	bench->opts = opts;
	bench->boot = boot;
	bench->time_scale = clock_time_scale();
	err = find_scratch(bench, &scratch);
	if (err)
		return err;
	bench->input = alloc_vector(opts->max_bytes);
	bench->vector = alloc_vector(opts->max_bytes);
	if (!bench->input || !bench->vector)
		return fail(bench, -ENOMEM, "no memory for vectors of %" PRIu64 " bytes",
			    opts->max_bytes);
	data_init(&bench->data, opts->type, opts->op, opts->rank, opts->ranks);
	data_fill(&bench->data, bench->input, opts->max_bytes / bench->data.size);
	data_fill(&bench->data, bench->vector, opts->max_bytes / bench->data.size);

	err = suo_comm_create(&attr, &bench->comm);
	if (!err)
		err = suo_exec_create(bench->comm, bench->vector, opts->max_bytes + PAGE,
				      scratch, &bench->exec);
	if (err)
		return fail(bench, err, "%s", bench->comm ? bench->comm->why : "no memory");
	return 0;
}

void bench_destroy(struct bench *bench)
{
	suo_comm_free(bench->comm);
	suo_exec_free(bench->exec);
	free(bench->vector);
	free(bench->input);
}

/* Agrees on an instant and sleeps until then. */
static int start_together(struct bench *bench, uint64_t *start)
{
	uint64_t now = clock_now_ns(), all[DATA_MAX_RANKS];
	int err;

	err = gather(bench, &now, all, sizeof(now));
	if (err)
		return err;
	if (bench->boot->same_clock) {
		for (uint32_t r = 0; r < bench->opts->ranks; r++)
			if (all[r] > now)
				now = all[r];
	} else {
		now = clock_now_ns();
	}
	*start = now + START_MARGIN_NS;
	clock_sleep_until(*start);
	return 0;
}

static int run_once(struct bench *bench, const struct suo_layout *layout, uint64_t count,
		    bool in_place)
{
	int err;

	if (!in_place)
		memcpy(bench->vector, bench->input, count * bench->data.size);
	err = suo_exec_run(bench->exec, layout, bench->opts->type, bench->opts->op);
	return err ? fail(bench, err, "%s", bench->comm->why) : 0;
}

/* One run; *guest_ns is how long the slowest rank took. */
static int timed_run(struct bench *bench, const struct suo_layout *layout, uint64_t count,
		     bool in_place, uint64_t *guest_ns)
{
	uint64_t start, mine, all[DATA_MAX_RANKS], idle;
	int err;

	err = start_together(bench, &start);
	if (err)
		return err;
	idle = clock_idle_ns();
	err = run_once(bench, layout, count, in_place);
	if (err)
		return err;
	mine = clock_now_ns() - start;
	bench->idle_ns += clock_idle_ns() - idle;
	bench->timed_ns += mine;
	err = gather(bench, &mine, all, sizeof(mine));
	for (uint32_t r = 0; r < bench->opts->ranks && !err; r++)
		if (all[r] > mine)
			mine = all[r];
	*guest_ns = mine;
	return err;
}

/* A run on fresh data, whose result is compared at all ranks. */
static int checked_run(struct bench *bench, const struct suo_layout *layout, uint64_t count,
		       bool in_place, uint64_t *wrong)
{
	uint64_t mine, all[DATA_MAX_RANKS], guest_ns;
	int err;

	if (in_place)
		data_fill(&bench->data, bench->vector, count);
	err = timed_run(bench, layout, count, in_place, &guest_ns);
	if (err)
		return err;
	mine = data_check(&bench->data, bench->vector, count);
	err = gather(bench, &mine, all, sizeof(mine));
	*wrong = 0;
	for (uint32_t r = 0; r < bench->opts->ranks && !err; r++)
		*wrong += all[r];
	bench->wrong += *wrong;
	return err;
}

static int measure(struct bench *bench, const struct suo_layout *layout, uint64_t count,
		   bool in_place, struct table_cell *cell)
{
	const struct opts *opts = bench->opts;
	uint64_t guest_ns, sum = 0;
	int err;

	memset(cell, 0, sizeof(*cell));
	for (uint32_t i = 0; i < opts->warmup + opts->iters; i++) {
		err = timed_run(bench, layout, count, in_place, &guest_ns);
		if (err)
			return err;
		if (i >= opts->warmup)
			sum += guest_ns;
	}
	cell->time_us = (double)sum / opts->iters / bench->time_scale / 1000;
	if (!opts->check)
		return 0;
	return checked_run(bench, layout, count, in_place, &cell->wrong);
}

static int measure_size(struct bench *bench, struct table *table, const char *algorithm,
			uint64_t bytes)
{
	struct table_cell out_of_place, in_place;
	uint64_t count = bytes / bench->data.size;
	struct suo_layout *layout;
	int err;

	err = make_layout(bench, algorithm, count, &layout);
	if (err)
		return err;
	err = measure(bench, layout, count, false, &out_of_place);
	if (!err)
		err = measure(bench, layout, count, true, &in_place);
	suo_layout_free(layout);
	if (!err && table)
		table_row(table, algorithm, count, &out_of_place, &in_place);
	return err;
}

int bench_run(struct bench *bench, struct table *table)
{
	const struct opts *opts = bench->opts;
	int err = 0;

	for (unsigned int a = 0; a < opts->nalgorithms; a++) {
		if (table)
			table_algorithm(table, opts->algorithm[a]);
		for (uint64_t s = opts->min_bytes; s <= opts->max_bytes && !err;
		     s = opts_next_size(opts, s))
			err = measure_size(bench, table, opts->algorithm[a], s);
	}
	return err;
}
