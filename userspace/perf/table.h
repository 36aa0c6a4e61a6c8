/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rank 0 prints: nccl-tests' table, and the CSV file. */
#ifndef SUO_PERF_TABLE_H
#define SUO_PERF_TABLE_H

#include <stdio.h>

#include "userspace/perf/opts.h"

/**
 * struct table_cell - one measurement
 * @time_us: microseconds
 * @wrong: wrong elements; meaningless if nothing was checked
 */
struct table_cell {
	double		time_us;
	uint64_t	wrong;
};

/**
 * struct table - the output
 * @opts: what is measured
 * @out: for the table
 * @csv: for the CSV file, or NULL
 * @busbw_sum: of all cells
 * @cells: how many
 * @wrong: wrong elements in all
 */
struct table {
	const struct opts	*opts;
	FILE			*out;
	FILE			*csv;
	double			busbw_sum;
	unsigned int		cells;
	uint64_t		wrong;
};

/**
 * table_begin() - write the heads
 * @table: the output
 * @opts: what is measured
 * @out: for the table
 * @csv: for the CSV file, or NULL
 * @time_scale: guest nanoseconds a modelled one
 */
void table_begin(struct table *table, const struct opts *opts, FILE *out, FILE *csv,
		 uint64_t time_scale);

void table_algorithm(struct table *table, const char *name);

/* A line; @out_of_place and @in_place are what was measured with @count elements. */
void table_row(struct table *table, const char *algorithm, uint64_t count,
	       const struct table_cell *out_of_place, const struct table_cell *in_place);

/* The foot. Return: 0, or -EIO if any output failed. */
int table_end(struct table *table);

/* GB/s of an AllReduce: bytes over time, and what crosses each rank's links. */
double table_algbw(uint64_t bytes, double time_us);
double table_busbw(uint64_t bytes, double time_us, uint32_t ranks);

#endif /* SUO_PERF_TABLE_H */
