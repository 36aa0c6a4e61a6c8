/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the benchmark reduces, and what must come out. The elements repeat with
 * a prime period, so that a part that ends up in another's place is noticed;
 * they are small integers, so that floating point sums are exact.
 */
#ifndef SUO_PERF_DATA_H
#define SUO_PERF_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/coll/reduce.h"

#define DATA_PERIOD	1021u
/* Below this, a float32 holds every sum and product of the elements exactly. */
#define DATA_MAX_RANKS	512u

/**
 * struct data - one period of elements
 * @size: bytes of an element
 * @input: of this rank
 * @expect: of the result
 */
struct data {
	size_t	size;
	uint8_t	input[DATA_PERIOD * 8];
	uint8_t	expect[DATA_PERIOD * 8];
};

/**
 * data_init() - make the tables
 * @data: filled in
 * @type: of the elements
 * @op: the reduction
 * @rank: this rank
 * @nranks: at most DATA_MAX_RANKS
 */
void data_init(struct data *data, enum suo_dtype type, enum suo_redop op,
	       uint32_t rank, uint32_t nranks);

/* Fills a vector of @count elements with this rank's input. */
void data_fill(const struct data *data, void *vector, size_t count);

/* Return: how many elements of a result are wrong. */
uint64_t data_check(const struct data *data, const void *vector, size_t count);

#endif /* SUO_PERF_DATA_H */
