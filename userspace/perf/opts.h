/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line. */
#ifndef SUO_PERF_OPTS_H
#define SUO_PERF_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "userspace/coll/reduce.h"

#define OPTS_MAX_ALGORITHMS	16

/**
 * struct opts - what to measure
 * @rank: this process
 * @ranks: processes in all
 * @domain_size: ranks in a scale-up domain; divides @ranks
 * @device: libfabric domain, NULL: the first
 * @provider: libfabric provider
 * @rendezvous: where the ranks meet
 * @min_bytes: first size
 * @max_bytes: last size
 * @factor: from size to size; 0 if @step is used
 * @step: bytes from size to size
 * @iters: timed runs of a size
 * @warmup: runs before
 * @check: compare the results
 * @type: of the elements
 * @op: the reduction
 * @algorithm: plans to run, one after the other
 * @nalgorithms: entries of @algorithm
 * @csv: file to write, or NULL
 */
struct opts {
	uint32_t	rank;
	uint32_t	ranks;
	uint32_t	domain_size;
	const char	*device;
	const char	*provider;
	const char	*rendezvous;
	uint64_t	min_bytes;
	uint64_t	max_bytes;
	uint64_t	factor;
	uint64_t	step;
	uint32_t	iters;
	uint32_t	warmup;
	bool		check;
	enum suo_dtype	type;
	enum suo_redop	op;
	const char	*algorithm[OPTS_MAX_ALGORITHMS];
	unsigned int	nalgorithms;
	const char	*csv;
};

/**
 * opts_parse() - read the command line
 * @opts: filled in
 * @argc: as main() has it
 * @argv: as main() has it; must outlive @opts
 *
 * Exits with status 2 and a message if it is wrong.
 */
void opts_parse(struct opts *opts, int argc, char **argv);

/**
 * opts_size() - a number of bytes, with K, M or G for powers of 1024
 * @text: the text
 * @val: the number
 *
 * Return: true if the text is one, and below 2^48.
 */
bool opts_size(const char *text, uint64_t *val);

/* The same for all ranks that were asked to do the same. */
uint64_t opts_hash(const struct opts *opts);

/* The size after @bytes; above max_bytes when there is none. */
uint64_t opts_next_size(const struct opts *opts, uint64_t bytes);

#endif /* SUO_PERF_OPTS_H */
