/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line. */
#ifndef SUO_PERF_OPTS_H
#define SUO_PERF_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "userspace/perf/collective.h"

#define OPTS_MAX_ALGORITHMS	16
#define OPTS_ALL_ROOTS		(-1)

/**
 * struct opts - what to measure
 * @rank: this process; UINT32_MAX: whoever starts it knows (MPI, --hosts)
 * @ranks: processes in all; 0: the same
 * @local: ranks to start on this host; 0: this process is one rank
 * @hosts: names of the hosts, separated by commas, or NULL
 * @host_index: which of @hosts this one is; -1: the one that has its name
 * @domain_size: ranks in a scale-up domain; divides @ranks; 0: all
 * @device: libfabric domain, NULL: the first; with @local, a list of them
 * @provider: libfabric provider
 * @rendezvous: where the ranks meet
 * @coll: collectives to measure, one after the other
 * @ncolls: entries of @coll
 * @min_bytes: first size
 * @max_bytes: last size
 * @factor: from size to size; 0 if @step is used
 * @step: bytes from size to size
 * @iters: timed runs of a size
 * @warmup: runs before
 * @check: compare the results
 * @root: of those that have one; OPTS_ALL_ROOTS: each in turn
 * @type: of the elements
 * @ntypes: entries of @type
 * @op: the reductions
 * @nops: entries of @op
 * @algorithm: plans to run, one after the other; none: the default
 * @nalgorithms: entries of @algorithm
 * @chunk: bytes that take as long to send as they are under way; 0: not known
 * @csv: file to write, or NULL
 * @json: file to write, "-" for the standard output, or NULL
 */
struct opts {
	uint32_t	rank;
	uint32_t	ranks;
	uint32_t	local;
	const char	*hosts;
	int		host_index;
	uint32_t	domain_size;
	const char	*device;
	const char	*provider;
	const char	*rendezvous;
	enum collective	coll[NUM_COLLECTIVES];
	unsigned int	ncolls;
	uint64_t	min_bytes;
	uint64_t	max_bytes;
	uint64_t	factor;
	uint64_t	step;
	uint32_t	iters;
	uint32_t	warmup;
	bool		check;
	int		root;
	enum suo_dtype	type[SUO_NUM_DTYPES];
	unsigned int	ntypes;
	enum suo_redop	op[SUO_NUM_REDOPS];
	unsigned int	nops;
	const char	*algorithm[OPTS_MAX_ALGORITHMS];
	unsigned int	nalgorithms;
	uint64_t	chunk;
	const char	*csv;
	const char	*json;
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

/**
 * opts_check_ranks() - what can only be judged when the ranks are known
 * @opts: complete, but for the domain size
 * @why: room for the reason
 * @size: its size in bytes
 *
 * Return: 0 or -EINVAL.
 */
int opts_check_ranks(struct opts *opts, char *why, size_t size);

/* The same for all ranks that were asked to do the same. */
uint64_t opts_hash(const struct opts *opts);

/* The size after @bytes; above max_bytes when there is none. */
uint64_t opts_next_size(const struct opts *opts, uint64_t bytes);

#endif /* SUO_PERF_OPTS_H */
