/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The measurement itself. */
#ifndef SUO_PERF_BENCH_H
#define SUO_PERF_BENCH_H

#include "userspace/coll/exec.h"
#include "userspace/perf/boot.h"
#include "userspace/perf/table.h"

/**
 * struct bench - one process's part of a benchmark
 * @opts: what to measure
 * @boot: the other ranks
 * @comm: the endpoint
 * @exec: runs the plans
 * @input: what out-of-place runs take their input from
 * @output: where out-of-place runs leave a result that is a part of @data
 * @data: what the plans run on
 * @time_scale: guest nanoseconds a modelled one
 * @timed_ns: guest time of all timed runs
 * @idle_ns: idle time, over all CPUs, within @timed_ns
 * @wrong: wrong elements so far, at all ranks
 * @why: the reason of a failure
 */
struct bench {
	const struct opts	*opts;
	struct boot		*boot;
	struct suo_comm		*comm;
	struct suo_exec		*exec;
	uint8_t			*input;
	uint8_t			*output;
	uint8_t			*data;
	uint64_t		time_scale;
	uint64_t		timed_ns;
	uint64_t		idle_ns;
	uint64_t		wrong;
	char			why[256];
};

/**
 * bench_create() - allocate, connect and register
 * @bench: filled in; on failure, too, so that bench.why can be read. Undo it
 *	with bench_destroy().
 * @opts: what to measure
 * @boot: the other ranks
 *
 * Return: 0 or -errno.
 */
int bench_create(struct bench *bench, const struct opts *opts, struct boot *boot);

/**
 * bench_run() - measure all that was asked for
 * @bench: the benchmark
 * @table: where rank 0 writes to; NULL at the other ranks
 *
 * Return: 0, even with wrong elements, or -errno.
 */
int bench_run(struct bench *bench, struct table *table);

void bench_destroy(struct bench *bench);

#endif /* SUO_PERF_BENCH_H */
