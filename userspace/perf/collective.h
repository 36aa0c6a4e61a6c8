/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The collectives that can be measured, as nccl-tests defines them: how many
 * elements a size stands for, what the bandwidths are, what goes in and what
 * must come out.
 */
#ifndef SUO_PERF_COLLECTIVE_H
#define SUO_PERF_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "userspace/perf/data.h"

enum collective {
	COLL_ALLREDUCE,
	COLL_REDUCE_SCATTER,
	COLL_ALL_GATHER,
	COLL_ALLTOALL,
	COLL_BROADCAST,
	COLL_REDUCE,
	COLL_GATHER,
	COLL_SCATTER,
	COLL_SENDRECV,
	NUM_COLLECTIVES,
};

/* What one of them is run with. */
struct collective_case {
	enum collective	coll;
	enum suo_dtype	type;
	enum suo_redop	op;
	uint32_t	rank;
	uint32_t	nranks;
	uint32_t	root;
	uint64_t	count;
};

/* By name: "allreduce", or as nccl-tests' programs are called; -EINVAL. */
int collective_parse(const char *name);
const char *collective_name(enum collective coll);

/* Does it combine numbers? Does one rank have a part of its own? */
bool collective_reduces(enum collective coll);
bool collective_has_root(enum collective coll);

/* Can the input be where the output goes? Not of alltoall and sendrecv. */
bool collective_in_place(enum collective coll);

/**
 * collective_count() - the elements of a size, as the column "count" has them
 * @coll: the collective
 * @bytes: its size: that of the larger one of input and output
 * @elem: bytes of an element
 * @nranks: ranks
 *
 * Return: elements of the vector, or of each rank's part where ranks have parts.
 */
uint64_t collective_count(enum collective coll, uint64_t bytes, size_t elem, uint32_t nranks);

/* Elements of the whole: @count, or all ranks' parts. */
uint64_t collective_total(enum collective coll, uint64_t count, uint32_t nranks);

/* Elements that a rank puts in, and that it gets out. */
uint64_t collective_in(const struct collective_case *c);
uint64_t collective_out(const struct collective_case *c);

/* busbw / algbw: what crosses each rank's links, per byte of the size. */
double collective_bus_factor(enum collective coll, uint32_t nranks);

/* Writes this rank's input. */
void collective_fill(const struct collective_case *c, void *in);

/* Return: wrong elements of this rank's output. */
uint64_t collective_check(const struct collective_case *c, const void *out);

#endif /* SUO_PERF_COLLECTIVE_H */
