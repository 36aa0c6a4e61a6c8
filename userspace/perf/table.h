/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rank 0 prints: nccl-tests' table, the CSV file, and JSON. */
#ifndef SUO_PERF_TABLE_H
#define SUO_PERF_TABLE_H

#include <stdio.h>

#include "userspace/perf/opts.h"

/**
 * struct table_cell - one measurement
 * @time_us: microseconds
 * @wrong: wrong elements; meaningless if nothing was checked
 * @measured: false: the collective cannot be done this way
 */
struct table_cell {
	double		time_us;
	uint64_t	wrong;
	bool		measured;
};

/**
 * struct table - the output
 * @opts: what is measured
 * @out: for the table, or NULL
 * @csv: for the CSV file, or NULL
 * @json: array of results, or NULL if nobody wants them
 * @time_scale: guest nanoseconds a modelled one
 * @busbw_sum: of all cells
 * @cells: how many
 * @wrong: wrong elements in all
 */
struct table {
	const struct opts	*opts;
	FILE			*out;
	FILE			*csv;
	struct json_t		*json;
	uint64_t		time_scale;
	double			busbw_sum;
	unsigned int		cells;
	uint64_t		wrong;
};

/**
 * table_begin() - write the heads
 * @table: the output
 * @opts: what is measured
 * @out: for the table, or NULL
 * @csv: for the CSV file, or NULL
 * @time_scale: guest nanoseconds a modelled one
 */
void table_begin(struct table *table, const struct opts *opts, FILE *out, FILE *csv,
		 uint64_t time_scale);

/* What the following rows are of. */
void table_head(struct table *table, enum collective coll, const char *algorithm);

/**
 * table_row() - a line
 * @table: the output
 * @algorithm: the plan's name
 * @c: what was measured
 * @out_of_place: the result
 * @in_place: the result
 */
void table_row(struct table *table, const char *algorithm, const struct collective_case *c,
	       const struct table_cell *out_of_place, const struct table_cell *in_place);

/**
 * table_end() - the foot
 * @table: the output
 * @json: for JSON, or NULL
 *
 * Return: 0, or -EIO if any output failed.
 */
int table_end(struct table *table, FILE *json);

/* GB/s: 10^9 bytes a second. */
double table_algbw(uint64_t bytes, double time_us);

#endif /* SUO_PERF_TABLE_H */
