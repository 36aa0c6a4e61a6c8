/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loops of reduce_loops.h, for one kind of processor. */
#ifndef SUO_COLL_REDUCE_TABLE_H
#define SUO_COLL_REDUCE_TABLE_H

#include "userspace/coll/reduce.h"

typedef void (*suo_reduce_fn)(void *restrict acc, const void *restrict in, size_t count);
typedef void (*suo_divide_fn)(void *acc, size_t count, uint32_t n);

/**
 * struct suo_reduce_table - the loops
 * @reduce: NULL where the operation does not exist
 * @divide: for SUO_AVG
 */
struct suo_reduce_table {
	suo_reduce_fn	reduce[SUO_NUM_DTYPES][SUO_NUM_REDOPS];
	suo_divide_fn	divide[SUO_NUM_DTYPES];
};

extern const struct suo_reduce_table suo_reduce_base;
/* Only where the processor has AVX2 and F16C. */
extern const struct suo_reduce_table suo_reduce_avx2;

#endif /* SUO_COLL_REDUCE_TABLE_H */
