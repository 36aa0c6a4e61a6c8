/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Result tables: what suo-perf writes, and the same joined with predictions. */
#ifndef SUO_CLI_TABLE_H
#define SUO_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SUO_RAW_HEADER	\
	"size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong"
#define SUO_JOINED_HEADER	SUO_RAW_HEADER ",predicted_us,deviation_pct"

#define SUO_ALGORITHM_LEN	64

/**
 * struct suo_row - one measurement
 * @line: the line as it was read, without its end; NULL if it was not read
 * @line_number: from 1
 * @size_bytes: vector of a rank
 * @ranks: number of ranks
 * @algorithm: its name
 * @time_us: measured, the slowest rank
 * @algbw_GBps: size / time
 * @busbw_GBps: as nccl-tests defines it
 * @wrong: wrong elements
 * @predicted_us: joined tables: what the model said
 * @deviation_pct: joined tables: of time_us from it
 */
struct suo_row {
	char		*line;
	size_t		line_number;
	uint64_t	size_bytes;
	uint32_t	ranks;
	char		algorithm[SUO_ALGORITHM_LEN];
	double		time_us;
	double		algbw_GBps;
	double		busbw_GBps;
	uint64_t	wrong;
	double		predicted_us;
	double		deviation_pct;
};

/**
 * struct suo_table - a file of measurements
 * @joined: whether it has predictions
 * @row: array of nrows
 * @nrows: rows
 */
struct suo_table {
	bool		joined;
	struct suo_row	*row;
	size_t		nrows;
};

/* Read a table; faults on stderr with file and line. Return: a status. */
int suo_table_read(const char *path, struct suo_table *table);

void suo_table_free(struct suo_table *table);

#endif /* SUO_CLI_TABLE_H */
