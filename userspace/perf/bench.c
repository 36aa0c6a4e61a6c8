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
#include "userspace/perf/plans.h"

/* Guest time for all processes to fall asleep before a run. */
#define START_MARGIN_NS	5000000ull
#define PAGE		4096
/* What a result is written over. */
#define STALE		0xa5

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

/**
 * for_each_case() - all combinations that the options ask for
 * @bench: the benchmark
 * @todo: called with each, and with each algorithm; sizes are its business
 * @ctx: its last argument
 */
static int for_each_case(struct bench *bench,
			 int (*todo)(struct bench *bench, struct collective_case *c,
				     const char *algorithm, void *ctx), void *ctx)
{
	const struct opts *opts = bench->opts;
	struct collective_case c = { .rank = opts->rank, .nranks = opts->ranks };
	const char *algorithm;
	int err;

	for (unsigned int k = 0; k < opts->ncolls; k++) {
		c.coll = opts->coll[k];
		for (unsigned int a = 0; (algorithm = plans_algorithm(opts, c.coll, a)); a++) {
			err = todo(bench, &c, algorithm, ctx);
			if (err)
				return err;
		}
	}
	return 0;
}

/* How many roots a collective is run with, and which is the r-th. */
static uint32_t roots_of(const struct opts *opts, enum collective coll)
{
	return opts->root < 0 && collective_has_root(coll) ? opts->ranks : 1;
}

static uint32_t root_of(const struct opts *opts, uint32_t r)
{
	return opts->root < 0 ? r : (uint32_t)opts->root;
}

/* Does a plan leave only a part of the vector to this rank? Then it is copied out. */
static bool has_part(const struct collective_case *c)
{
	return c->coll == COLL_REDUCE_SCATTER || c->coll == COLL_SCATTER;
}

static int make_layout(struct bench *bench, const struct collective_case *c,
		       const char *algorithm, struct suo_layout **layout)
{
	return plans_layout(bench->opts, c, algorithm, layout, bench->why,
			    sizeof(bench->why));
}

/* Has an earlier type the size of this one? */
static bool size_seen(const struct opts *opts, unsigned int t)
{
	for (unsigned int i = 0; i < t; i++)
		if (suo_dtype_size(opts->type[i]) == suo_dtype_size(opts->type[t]))
			return true;
	return false;
}

/* Bytes of scratch memory that the most demanding run needs. */
static int find_scratch(struct bench *bench, struct collective_case *c,
			const char *algorithm, void *bytes)
{
	const struct opts *opts = bench->opts;
	size_t *most = bytes;

	for (unsigned int t = 0; t < opts->ntypes; t++) {
		size_t elem = suo_dtype_size(opts->type[t]);

		/* A plan knows no more of a type than its size. */
		if (size_seen(opts, t))
			continue;
		c->type = opts->type[t];
		for (uint64_t s = opts->min_bytes; s <= opts->max_bytes;
		     s = opts_next_size(opts, s)) {
			c->count = collective_count(c->coll, s, elem, c->nranks);
			for (uint32_t r = 0; r < roots_of(opts, c->coll); r++) {
				struct suo_layout *layout;
				int err;

				c->root = root_of(opts, r);
				err = make_layout(bench, c, algorithm, &layout);
				if (err == -EINVAL && plans_optional(opts))
					continue;
				if (err)
					return err;
				if (layout->scratch_len * elem > *most)
					*most = layout->scratch_len * elem;
				suo_layout_free(layout);
			}
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
	struct suo_exec_mem mem = { .data_len = opts->max_bytes + PAGE };
	int err;

	memset(bench, 0, sizeof(*bench));
	bench->opts = opts;
	bench->boot = boot;
	bench->time_scale = clock_time_scale();
	err = for_each_case(bench, find_scratch, &mem.scratch_len);
	if (err)
		return err;
	bench->input = alloc_vector(opts->max_bytes);
	bench->output = alloc_vector(opts->max_bytes);
	bench->data = alloc_vector(opts->max_bytes);
	if (!bench->input || !bench->output || !bench->data)
		return fail(bench, -ENOMEM, "no memory for vectors of %" PRIu64 " bytes",
			    opts->max_bytes);
	mem.data = bench->data;
	mem.input = bench->input;
	mem.input_len = mem.data_len;
	err = suo_comm_create(&attr, &bench->comm);
	if (!err)
		err = suo_exec_create(bench->comm, &mem, &bench->exec);
	if (err)
		return fail(bench, err, "%s", bench->comm ? bench->comm->why : "no memory");
	return 0;
}

void bench_destroy(struct bench *bench)
{
	/* The executor's windows are the domain's; its memory, that of regions. */
	suo_exec_stop(bench->exec);
	suo_comm_free(bench->comm);
	suo_exec_free(bench->exec);
	free(bench->data);
	free(bench->output);
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

/* Bytes of a rank's part. */
static size_t part(const struct collective_case *c)
{
	return c->count * suo_dtype_size(c->type);
}

/* Where a rank's input is to be for a plan; NULL: a plan reads bench->input. */
static uint8_t *input_place(const struct bench *bench, const struct collective_case *c)
{
	switch (c->coll) {
	case COLL_ALLTOALL:
	case COLL_SENDRECV:
		return NULL;
	case COLL_ALL_GATHER:
	case COLL_GATHER:
		return bench->data + c->rank * part(c);
	default:
		return bench->data;
	}
}

/* Where a plan leaves the result. */
static uint8_t *result_place(const struct bench *bench, const struct collective_case *c)
{
	if (has_part(c))
		return bench->data + c->rank * part(c);
	return bench->data;
}

/* Out of place, the input is copied to where the plan runs, and a part of it back. */
static int run_once(struct bench *bench, const struct suo_layout *layout,
		    const struct collective_case *c, bool in_place)
{
	size_t elem = suo_dtype_size(c->type);
	uint8_t *place = input_place(bench, c), *result = result_place(bench, c);
	int err;

	if (!in_place && place)
		memcpy(place, bench->input, collective_in(c) * elem);
	err = suo_exec_run(bench->exec, layout, c->type, c->op);
	if (err)
		return fail(bench, err, "%s", bench->comm->why);
	if (!in_place && has_part(c))
		memcpy(bench->output, result, collective_out(c) * elem);
	return 0;
}

/* One run; *guest_ns is how long the slowest rank took. */
static int timed_run(struct bench *bench, const struct suo_layout *layout,
		     const struct collective_case *c, bool in_place, uint64_t *guest_ns)
{
	uint64_t start, mine, all[DATA_MAX_RANKS], idle;
	int err;

	err = start_together(bench, &start);
	if (err)
		return err;
	idle = clock_idle_ns();
	err = run_once(bench, layout, c, in_place);
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
static int checked_run(struct bench *bench, const struct suo_layout *layout,
		       const struct collective_case *c, bool in_place, uint64_t *wrong,
		       uint64_t *guest_ns)
{
	uint8_t *result = result_place(bench, c), *place = input_place(bench, c);
	uint64_t mine, all[DATA_MAX_RANKS];
	int err;

	memset(bench->data, STALE, collective_total(c->coll, c->count, c->nranks) *
				   suo_dtype_size(c->type));
	memset(bench->output, STALE, collective_out(c) * suo_dtype_size(c->type));
	if (in_place)
		collective_fill(c, place);
	err = timed_run(bench, layout, c, in_place, guest_ns);
	if (err)
		return err;
	if (!in_place && has_part(c))
		result = bench->output;
	mine = collective_check(c, result);
	err = gather(bench, &mine, all, sizeof(mine));
	*wrong = 0;
	for (uint32_t r = 0; r < bench->opts->ranks && !err; r++)
		*wrong += all[r];
	bench->wrong += *wrong;
	return err;
}

static int measure(struct bench *bench, const struct suo_layout *layout,
		   const struct collective_case *c, bool in_place, struct table_cell *cell)
{
	const struct opts *opts = bench->opts;
	uint64_t guest_ns, checked_ns = 0, sum = 0;
	int err = 0;

	memset(cell, 0, sizeof(*cell));
	if (in_place && !collective_in_place(c->coll))
		return 0;
	cell->measured = true;
	for (uint32_t i = 0; i < opts->warmup + opts->iters; i++) {
		err = timed_run(bench, layout, c, in_place, &guest_ns);
		if (err)
			return err;
		if (i >= opts->warmup)
			sum += guest_ns;
	}
	guest_ns = opts->iters ? (sum + opts->iters / 2) / opts->iters : 0;
	if (opts->check) {
		err = checked_run(bench, layout, c, in_place, &cell->wrong, &checked_ns);
		if (!opts->iters)
			guest_ns = checked_ns;
	}
	cell->time_us = (double)guest_ns / bench->time_scale / 1000;
	return err;
}

static int measure_case(struct bench *bench, struct table *table,
			const struct collective_case *c, const char *algorithm)
{
	struct table_cell out_of_place, in_place;
	struct suo_layout *layout;
	int err;

	err = make_layout(bench, c, algorithm, &layout);
	if (err == -EINVAL && plans_optional(bench->opts))
		return 0;
	if (!err && plans_optional(bench->opts) && !plans_possible(layout, c)) {
		suo_layout_free(layout);
		return 0;
	}
	if (err)
		return err;
	collective_fill(c, bench->input);
	err = measure(bench, layout, c, false, &out_of_place);
	if (!err)
		err = measure(bench, layout, c, true, &in_place);
	suo_layout_free(layout);
	if (!err && table)
		table_row(table, algorithm, c, &out_of_place, &in_place);
	return err;
}

static int measure_sizes(struct bench *bench, struct table *table, struct collective_case *c,
			 const char *algorithm)
{
	const struct opts *opts = bench->opts;
	int err = 0;

	for (uint64_t s = opts->min_bytes; s <= opts->max_bytes && !err;
	     s = opts_next_size(opts, s)) {
		c->count = collective_count(c->coll, s, suo_dtype_size(c->type), c->nranks);
		err = measure_case(bench, table, c, algorithm);
	}
	return err;
}

/* All types, reductions and roots of a collective. */
static int measure_all(struct bench *bench, struct collective_case *c,
		       const char *algorithm, void *table)
{
	const struct opts *opts = bench->opts;
	unsigned int nops = collective_reduces(c->coll) ? opts->nops : 1;
	int err = 0;

	if (table)
		table_head(table, c->coll, algorithm);
	for (unsigned int t = 0; t < opts->ntypes; t++) {
		for (unsigned int o = 0; o < nops; o++) {
			c->type = opts->type[t];
			c->op = collective_reduces(c->coll) ? opts->op[o] : SUO_SUM;
			if (!suo_reduce_valid(c->type, c->op))
				continue;
			for (uint32_t r = 0; r < roots_of(opts, c->coll) && !err; r++) {
				c->root = root_of(opts, r);
				err = measure_sizes(bench, table, c, algorithm);
			}
			if (err)
				return err;
		}
	}
	return 0;
}

int bench_run(struct bench *bench, struct table *table)
{
	return for_each_case(bench, measure_all, table);
}
