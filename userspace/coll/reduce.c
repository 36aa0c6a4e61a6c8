// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reductions: one plain loop for each type and operation, for the compiler to
 * vectorise. Signed sums and products are done in the unsigned type, where
 * wrapping around is defined.
 */
#include <errno.h>
#include <string.h>

#include "userspace/coll/reduce.h"

#define LOOP(name, type, expr)							\
static void name(void *restrict acc_, const void *restrict in_, size_t count)	\
{										\
	const type *restrict in = in_;						\
	type *restrict acc = acc_;						\
										\
	for (size_t i = 0; i < count; i++) {					\
		type a = acc[i], b = in[i];					\
										\
		acc[i] = (expr);						\
	}									\
}

#define LOOPS(name, type, wrap)						\
	LOOP(name##_sum, wrap, a + b)					\
	LOOP(name##_prod, wrap, a * b)					\
	LOOP(name##_min, type, b < a ? b : a)				\
	LOOP(name##_max, type, b > a ? b : a)

LOOPS(int8, int8_t, uint8_t)
LOOPS(uint8, uint8_t, uint8_t)
LOOPS(int32, int32_t, uint32_t)
LOOPS(uint32, uint32_t, uint32_t)
LOOPS(int64, int64_t, uint64_t)
LOOPS(uint64, uint64_t, uint64_t)
LOOPS(float32, float, float)
LOOPS(float64, double, double)

typedef void (*reduce_fn)(void *restrict acc, const void *restrict in, size_t count);

#define ROW(name)	{ name##_sum, name##_prod, name##_min, name##_max }

static const struct {
	const char	*name;
	const char	*alias;
	size_t		size;
	reduce_fn	fn[SUO_NUM_REDOPS];
} types[SUO_NUM_DTYPES] = {
	[SUO_INT8]	= { "int8", "int8", 1, ROW(int8) },
	[SUO_UINT8]	= { "uint8", "uint8", 1, ROW(uint8) },
	[SUO_INT32]	= { "int32", "int32", 4, ROW(int32) },
	[SUO_UINT32]	= { "uint32", "uint32", 4, ROW(uint32) },
	[SUO_INT64]	= { "int64", "int64", 8, ROW(int64) },
	[SUO_UINT64]	= { "uint64", "uint64", 8, ROW(uint64) },
	[SUO_FLOAT32]	= { "float", "float32", 4, ROW(float32) },
	[SUO_FLOAT64]	= { "double", "float64", 8, ROW(float64) },
};

static const char *const redops[SUO_NUM_REDOPS] = {
	[SUO_SUM]	= "sum",
	[SUO_PROD]	= "prod",
	[SUO_MIN]	= "min",
	[SUO_MAX]	= "max",
};

int suo_dtype_parse(const char *name)
{
	for (int i = 0; i < SUO_NUM_DTYPES; i++)
		if (!strcmp(name, types[i].name) || !strcmp(name, types[i].alias))
			return i;
	return -EINVAL;
}

const char *suo_dtype_name(enum suo_dtype type)
{
	return types[type].name;
}

size_t suo_dtype_size(enum suo_dtype type)
{
	return types[type].size;
}

int suo_redop_parse(const char *name)
{
	for (int i = 0; i < SUO_NUM_REDOPS; i++)
		if (!strcmp(name, redops[i]))
			return i;
	return -EINVAL;
}

const char *suo_redop_name(enum suo_redop op)
{
	return redops[op];
}

void suo_reduce(enum suo_dtype type, enum suo_redop op, void *acc, const void *in,
		size_t count)
{
	types[type].fn[op](acc, in, count);
}
