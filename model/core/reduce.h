/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reductions, as a switch with arithmetic does them: numbers of a type, element
 * by element, in a fixed order. Floating point is IEEE 754 binary, done with
 * integers, so that it can run in a kernel: round to nearest, ties to even;
 * subnormal numbers are numbers, signed zeros are kept.
 *
 * Integers wrap. float16 and bfloat16 are added up as float32 and rounded once, at
 * the end; float32 and float64 are rounded at each addition. An operation on a NaN,
 * or the sum of infinities of different sign, is the quiet NaN without payload or
 * sign. The lesser of -0 and +0 is -0 (IEEE 754-2019, 9.6: minimum, maximum).
 */
#ifndef SUO_CORE_REDUCE_H
#define SUO_CORE_REDUCE_H

#include "types.h"

/* Values are those of enum suo_window_op and enum suo_window_type in suo-abi.h. */
enum suo_reduce_op {
	SUO_REDUCE_SUM,
	SUO_REDUCE_MIN,
	SUO_REDUCE_MAX,
	SUO_REDUCE_OPS,
};

enum suo_reduce_type {
	SUO_REDUCE_INT32,
	SUO_REDUCE_UINT32,
	SUO_REDUCE_INT64,
	SUO_REDUCE_UINT64,
	SUO_REDUCE_FLOAT16,
	SUO_REDUCE_BFLOAT16,
	SUO_REDUCE_FLOAT32,
	SUO_REDUCE_FLOAT64,
	SUO_REDUCE_TYPES,
};

/* Bytes of an accumulator, of whatever type. */
#define SUO_REDUCE_ACC	8

/**
 * suo_reduce_size() - bytes of an element
 * @type: enum suo_reduce_type
 *
 * Return: 2, 4 or 8; 0 if there is no such type.
 */
u32 suo_reduce_size(u32 type);

/**
 * suo_reduce_first() - begin with the elements of the first member
 * @type: enum suo_reduce_type
 * @acc: accumulators, n of them
 * @in: elements, as they are in memory; need not be aligned
 * @n: elements
 */
void suo_reduce_first(u32 type, u64 *acc, const void *in, u32 n);

/**
 * suo_reduce_next() - take in the elements of the next member
 * @type: enum suo_reduce_type
 * @op: enum suo_reduce_op
 * @acc: accumulators
 * @in: elements
 * @n: elements
 */
void suo_reduce_next(u32 type, u32 op, u64 *acc, const void *in, u32 n);

/**
 * suo_reduce_last() - what has come of it
 * @type: enum suo_reduce_type
 * @out: elements; need not be aligned
 * @acc: accumulators
 * @n: elements
 */
void suo_reduce_last(u32 type, void *out, const u64 *acc, u32 n);

#endif /* SUO_CORE_REDUCE_H */
