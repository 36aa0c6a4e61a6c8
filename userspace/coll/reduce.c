// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Data types and reductions by name, and the choice of the loops. */
#include <errno.h>
#include <string.h>

#include "userspace/coll/reduce_table.h"

enum kind {
	KIND_SIGNED,
	KIND_UNSIGNED,
	KIND_FLOAT,
	KIND_COMPLEX,
};

static const struct {
	const char	*name;
	const char	*alias;
	size_t		size;
	enum kind	kind;
} types[SUO_NUM_DTYPES] = {
	[SUO_INT8]		= { "int8", "int8", 1, KIND_SIGNED },
	[SUO_UINT8]		= { "uint8", "uint8", 1, KIND_UNSIGNED },
	[SUO_INT16]		= { "int16", "int16", 2, KIND_SIGNED },
	[SUO_UINT16]		= { "uint16", "uint16", 2, KIND_UNSIGNED },
	[SUO_INT32]		= { "int32", "int32", 4, KIND_SIGNED },
	[SUO_UINT32]		= { "uint32", "uint32", 4, KIND_UNSIGNED },
	[SUO_INT64]		= { "int64", "int64", 8, KIND_SIGNED },
	[SUO_UINT64]		= { "uint64", "uint64", 8, KIND_UNSIGNED },
	[SUO_INT128]		= { "int128", "int128", 16, KIND_SIGNED },
	[SUO_UINT128]		= { "uint128", "uint128", 16, KIND_UNSIGNED },
	[SUO_FLOAT16]		= { "half", "float16", 2, KIND_FLOAT },
	[SUO_BFLOAT16]		= { "bfloat16", "bfloat16", 2, KIND_FLOAT },
	[SUO_FLOAT32]		= { "float", "float32", 4, KIND_FLOAT },
	[SUO_FLOAT64]		= { "double", "float64", 8, KIND_FLOAT },
	[SUO_LONG_DOUBLE]	= { "ldouble", "ldouble", sizeof(long double), KIND_FLOAT },
	[SUO_COMPLEX64]		= { "complex64", "complex64", 8, KIND_COMPLEX },
	[SUO_COMPLEX128]	= { "complex128", "complex128", 16, KIND_COMPLEX },
	[SUO_COMPLEX_LONG]	= { "lcomplex", "lcomplex", 2 * sizeof(long double), KIND_COMPLEX },
};

static const char *const redops[SUO_NUM_REDOPS] = {
	[SUO_SUM]	= "sum",
	[SUO_PROD]	= "prod",
	[SUO_MIN]	= "min",
	[SUO_MAX]	= "max",
	[SUO_AVG]	= "avg",
	[SUO_LOR]	= "lor",
	[SUO_LAND]	= "land",
	[SUO_LXOR]	= "lxor",
	[SUO_BOR]	= "bor",
	[SUO_BAND]	= "band",
	[SUO_BXOR]	= "bxor",
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

bool suo_dtype_is_float(enum suo_dtype type)
{
	return types[type].kind == KIND_FLOAT || types[type].kind == KIND_COMPLEX;
}

bool suo_dtype_is_complex(enum suo_dtype type)
{
	return types[type].kind == KIND_COMPLEX;
}

bool suo_dtype_is_unsigned(enum suo_dtype type)
{
	return types[type].kind == KIND_UNSIGNED;
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

static const struct suo_reduce_table *table(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
		return &suo_reduce_avx2;
#endif
	return &suo_reduce_base;
}

bool suo_reduce_valid(enum suo_dtype type, enum suo_redop op)
{
	return suo_reduce_base.reduce[type][op];
}

void suo_reduce(enum suo_dtype type, enum suo_redop op, void *acc, const void *in,
		size_t count)
{
	table()->reduce[type][op](acc, in, count);
}

void suo_reduce_finish(enum suo_dtype type, enum suo_redop op, void *acc, size_t count,
		       uint32_t n)
{
	if (op == SUO_AVG && n > 1)
		table()->divide[type](acc, count, n);
}
