/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data types and reductions of collectives. */
#ifndef SUO_COLL_REDUCE_H
#define SUO_COLL_REDUCE_H

#include <stddef.h>
#include <stdint.h>

enum suo_dtype {
	SUO_INT8,
	SUO_UINT8,
	SUO_INT32,
	SUO_UINT32,
	SUO_INT64,
	SUO_UINT64,
	SUO_FLOAT32,
	SUO_FLOAT64,
	SUO_NUM_DTYPES,
};

enum suo_redop {
	SUO_SUM,
	SUO_PROD,
	SUO_MIN,
	SUO_MAX,
	SUO_NUM_REDOPS,
};

/**
 * suo_dtype_parse() - data type by nccl-tests' name
 * @name: "int8", "uint8", "int32", "uint32", "int64", "uint64", "float",
 *	"double", or "float32" and "float64" for the last two
 *
 * Return: enum suo_dtype, or -EINVAL.
 */
int suo_dtype_parse(const char *name);
const char *suo_dtype_name(enum suo_dtype type);

/* Bytes of an element. */
size_t suo_dtype_size(enum suo_dtype type);

/* By name: "sum", "prod", "min", "max"; -EINVAL if there is no such one. */
int suo_redop_parse(const char *name);
const char *suo_redop_name(enum suo_redop op);

/**
 * suo_reduce() - acc[i] = acc[i] op in[i]
 * @type: of both
 * @op: the reduction; integers wrap around
 * @acc: first operand and result
 * @in: second operand; must not overlap @acc
 * @count: elements
 */
void suo_reduce(enum suo_dtype type, enum suo_redop op, void *acc, const void *in,
		size_t count);

#endif /* SUO_COLL_REDUCE_H */
