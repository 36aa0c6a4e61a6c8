/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data types and reductions of collectives: those of nccl-tests, and those of
 * libfabric's fi_collective.h and fi_atomic.h.
 */
#ifndef SUO_COLL_REDUCE_H
#define SUO_COLL_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum suo_dtype {
	SUO_INT8,
	SUO_UINT8,
	SUO_INT16,
	SUO_UINT16,
	SUO_INT32,
	SUO_UINT32,
	SUO_INT64,
	SUO_UINT64,
	SUO_INT128,
	SUO_UINT128,
	SUO_FLOAT16,
	SUO_BFLOAT16,
	SUO_FLOAT32,
	SUO_FLOAT64,
	SUO_LONG_DOUBLE,
	SUO_COMPLEX64,		/* two float32 */
	SUO_COMPLEX128,		/* two float64 */
	SUO_COMPLEX_LONG,	/* two long double */
	SUO_NUM_DTYPES,
};

enum suo_redop {
	SUO_SUM,
	SUO_PROD,
	SUO_MIN,
	SUO_MAX,
	SUO_AVG,
	SUO_LOR,
	SUO_LAND,
	SUO_LXOR,
	SUO_BOR,
	SUO_BAND,
	SUO_BXOR,
	SUO_NUM_REDOPS,
};

/* Bytes of the largest element. */
#define SUO_DTYPE_MAX_SIZE	32

/**
 * suo_dtype_parse() - data type by name
 * @name: nccl-tests' "int8", "uint8", "int32", "uint32", "int64", "uint64",
 *	"half", "bfloat16", "float", "double"; or "int16", "uint16", "int128",
 *	"uint128", "float16", "float32", "float64", "ldouble", "complex64",
 *	"complex128", "lcomplex"
 *
 * Return: enum suo_dtype, or -EINVAL.
 */
int suo_dtype_parse(const char *name);

/* The name that nccl-tests prints, if it has the type. */
const char *suo_dtype_name(enum suo_dtype type);

/* Bytes of an element. */
size_t suo_dtype_size(enum suo_dtype type);

/* Is it a type of numbers that may have a fraction? */
bool suo_dtype_is_float(enum suo_dtype type);
bool suo_dtype_is_complex(enum suo_dtype type);
bool suo_dtype_is_unsigned(enum suo_dtype type);

/**
 * suo_redop_parse() - reduction by name
 * @name: "sum", "prod", "min", "max", "avg", "lor", "land", "lxor", "bor",
 *	"band", "bxor"
 *
 * Return: enum suo_redop, or -EINVAL.
 */
int suo_redop_parse(const char *name);
const char *suo_redop_name(enum suo_redop op);

/**
 * suo_reduce_valid() - does the operation exist for the type?
 * @type: of the elements
 * @op: the reduction
 *
 * All exist for integers. Complex numbers have no order, and what is not an
 * integer has no bits.
 */
bool suo_reduce_valid(enum suo_dtype type, enum suo_redop op);

/**
 * suo_reduce() - acc[i] = acc[i] op in[i]
 * @type: of both; suo_reduce_valid() with @op
 * @op: the reduction; SUO_AVG adds, and wants suo_reduce_finish()
 * @acc: first operand and result; need not be aligned
 * @in: second operand; must not overlap @acc
 * @count: elements
 *
 * Integers wrap around. float16 and bfloat16 are computed as float32 and
 * rounded to nearest, ties to even. Minimum and maximum are those of IEEE
 * 754-2019, 9.6: a NaN wins, and -0 is less than +0; so the result does not
 * depend on the order of the operands.
 */
void suo_reduce(enum suo_dtype type, enum suo_redop op, void *acc, const void *in,
		size_t count);

/**
 * suo_reduce_finish() - what is left to do when all have been combined
 * @type: of the elements
 * @op: the reduction: SUO_AVG divides, the others have nothing to do
 * @acc: elements, in place
 * @count: how many
 * @n: contributions to each of them, at least 1
 *
 * Integers are divided towards 0; a sum that wrapped around has done so.
 */
void suo_reduce_finish(enum suo_dtype type, enum suo_redop op, void *acc, size_t count,
		       uint32_t n);

#endif /* SUO_COLL_REDUCE_H */
