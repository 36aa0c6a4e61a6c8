/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the benchmark moves and reduces, and what must come out.
 *
 * Element j of a rank's input is drawn by a hash of the rank and of j modulo a
 * prime, so that a part that ends up in another's place is noticed, and so is
 * the contribution of a rank that is missing, or counted twice, or taken from
 * another. The numbers are chosen such that no order of operations rounds:
 * results can be compared bit by bit.
 */
#ifndef SUO_PERF_DATA_H
#define SUO_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/coll/reduce.h"

#define DATA_PERIOD	1021u
#define DATA_MAX_RANKS	512u
#define DATA_REDUCED	UINT32_MAX

/**
 * struct data_table - one period of elements, each drawn when it is first wanted
 * @type: of the elements
 * @op: the reduction that they are for
 * @rank: whose they are; DATA_REDUCED: what all ranks' reduce to
 * @nranks: of how many; 0: nothing is drawn, as in memory that is zero
 * @size: bytes of an element
 * @drawn: which elements are there
 * @ndrawn: how many
 * @elem: the elements
 */
struct data_table {
	enum suo_dtype	type;
	enum suo_redop	op;
	uint32_t	rank;
	uint32_t	nranks;
	size_t		size;
	bool		drawn[DATA_PERIOD];
	uint32_t	ndrawn;
	uint8_t		elem[DATA_PERIOD * SUO_DTYPE_MAX_SIZE];
};

/**
 * data_input() - what a rank puts in
 * @table: what it holds from now on; zero when it is first used. If that is what
 *	it held before, the elements stay.
 * @type: of the elements
 * @op: the reduction that they are for; any, if there is none
 * @rank: whose
 * @nranks: of how many, at most DATA_MAX_RANKS
 */
void data_input(struct data_table *table, enum suo_dtype type, enum suo_redop op,
		uint32_t rank, uint32_t nranks);

/* The same for what a reduction over all ranks must give. */
void data_reduced(struct data_table *table, enum suo_dtype type, enum suo_redop op,
		  uint32_t nranks);

/**
 * data_fill() - write elements
 * @table: which ones
 * @first: number of the first
 * @vector: where to
 * @count: how many
 */
void data_fill(struct data_table *table, uint64_t first, void *vector, size_t count);

/* Return: how many elements are not what data_fill() would write. */
uint64_t data_check(struct data_table *table, uint64_t first, const void *vector,
		    size_t count);

#endif /* SUO_PERF_DATA_H */
