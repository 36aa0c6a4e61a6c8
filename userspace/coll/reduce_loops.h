/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One plain loop for each type and operation, for the compiler to vectorise.
 * Compiled more than once, for processors with more and with less: by files
 * that define REDUCE_TABLE, the name of the table.
 *
 * Signed sums and products are done in the unsigned type, where wrapping around
 * is defined. int8 and int16 would be promoted to int, where an overflow of
 * uint16 * uint16 is not: so they go by uint32_t.
 */
#include <complex.h>

#include "userspace/coll/half.h"
#include "userspace/coll/reduce_table.h"

#define LOOSE		__attribute__((aligned(1), may_alias))

/* Element types as they are in memory: at any address. */
typedef int8_t mem_int8;
typedef uint8_t mem_uint8;
typedef int16_t mem_int16 LOOSE;
typedef uint16_t mem_uint16 LOOSE;
typedef int32_t mem_int32 LOOSE;
typedef uint32_t mem_uint32 LOOSE;
typedef int64_t mem_int64 LOOSE;
typedef uint64_t mem_uint64 LOOSE;
typedef __int128 mem_int128 LOOSE;
typedef unsigned __int128 mem_uint128 LOOSE;
typedef float mem_float32 LOOSE;
typedef double mem_float64 LOOSE;
typedef long double mem_ldouble LOOSE;
typedef float _Complex mem_complex64 LOOSE;
typedef double _Complex mem_complex128 LOOSE;
typedef long double _Complex mem_lcomplex LOOSE;

#define SAME(x)		(x)

/*
 * @mem: type in memory; @load and @store: to @type, in which @expr of a and b
 * is computed, and back
 */
#define LOOP(name, mem, type, load, store, expr)				\
static void name(void *restrict acc_, const void *restrict in_, size_t count)	\
{										\
	const mem *restrict in = in_;						\
	mem *restrict acc = acc_;						\
										\
	for (size_t i = 0; i < count; i++) {					\
		type a = load(acc[i]), b = load(in[i]);				\
										\
		acc[i] = store(expr);						\
	}									\
}

#define DIVIDE(name, mem, type, load, store)					\
static void name(void *acc_, size_t count, uint32_t n)				\
{										\
	mem *acc = acc_;							\
										\
	for (size_t i = 0; i < count; i++)					\
		acc[i] = store(load(acc[i]) / (type)n);				\
}

#define LOGICAL(name, mem, type, load, store)					\
	LOOP(name##_lor, mem, type, load, store, a != 0 || b != 0)		\
	LOOP(name##_land, mem, type, load, store, a != 0 && b != 0)		\
	LOOP(name##_lxor, mem, type, load, store, (a != 0) != (b != 0))

#define INTEGER(name, mem, wrap, wide)						\
	LOOP(name##_sum, mem, wrap, SAME, SAME, a + b)				\
	LOOP(name##_prod, mem, wrap, SAME, SAME, a * b)				\
	LOOP(name##_min, mem, mem, SAME, SAME, b < a ? b : a)			\
	LOOP(name##_max, mem, mem, SAME, SAME, b > a ? b : a)			\
	LOOP(name##_bor, mem, mem, SAME, SAME, a | b)				\
	LOOP(name##_band, mem, mem, SAME, SAME, a & b)				\
	LOOP(name##_bxor, mem, mem, SAME, SAME, a ^ b)				\
	LOGICAL(name, mem, mem, SAME, SAME)					\
	DIVIDE(name##_div, mem, wide, SAME, SAME)

/* A NaN wins, and of two zeros the one with, or without, a sign. */
#define LESSER(a, b)	((b) < (a) || (b) != (b) ||				\
			 ((b) == (a) && __builtin_signbit(b)) ? (b) : (a))
#define GREATER(a, b)	((b) > (a) || (b) != (b) ||				\
			 ((b) == (a) && __builtin_signbit(a)) ? (b) : (a))

#define FLOATING(name, mem, type, load, store)					\
	LOOP(name##_sum, mem, type, load, store, a + b)				\
	LOOP(name##_prod, mem, type, load, store, a * b)			\
	LOOP(name##_min, mem, type, load, store, LESSER(a, b))			\
	LOOP(name##_max, mem, type, load, store, GREATER(a, b))			\
	LOGICAL(name, mem, type, load, store)					\
	DIVIDE(name##_div, mem, type, load, store)

#define COMPLEX(name, mem, type, part)						\
	LOOP(name##_sum, mem, type, SAME, SAME, a + b)				\
	LOOP(name##_prod, mem, type, SAME, SAME, a * b)				\
	LOGICAL(name, mem, type, SAME, SAME)					\
	DIVIDE(name##_div, mem, part, SAME, SAME)

INTEGER(int8, mem_int8, uint32_t, int64_t)
INTEGER(uint8, mem_uint8, uint32_t, uint32_t)
INTEGER(int16, mem_int16, uint32_t, int64_t)
INTEGER(uint16, mem_uint16, uint32_t, uint32_t)
INTEGER(int32, mem_int32, uint32_t, int64_t)
INTEGER(uint32, mem_uint32, uint32_t, uint32_t)
INTEGER(int64, mem_int64, uint64_t, int64_t)
INTEGER(uint64, mem_uint64, uint64_t, uint64_t)
INTEGER(int128, mem_int128, unsigned __int128, __int128)
INTEGER(uint128, mem_uint128, unsigned __int128, unsigned __int128)
#ifndef HALF_LOOPS
FLOATING(float16, mem_uint16, float, half_to_float, float_to_half)
#else
HALF_LOOPS
#endif
FLOATING(bfloat16, mem_uint16, float, bfloat_to_float, float_to_bfloat)
FLOATING(float32, mem_float32, float, SAME, SAME)
FLOATING(float64, mem_float64, double, SAME, SAME)
FLOATING(ldouble, mem_ldouble, long double, SAME, SAME)
COMPLEX(complex64, mem_complex64, float _Complex, float)
COMPLEX(complex128, mem_complex128, double _Complex, double)
COMPLEX(lcomplex, mem_lcomplex, long double _Complex, long double)

#define ROW_ANY(name)								\
	[SUO_SUM] = name##_sum, [SUO_AVG] = name##_sum,				\
	[SUO_PROD] = name##_prod, [SUO_LOR] = name##_lor,			\
	[SUO_LAND] = name##_land, [SUO_LXOR] = name##_lxor
#define ROW_FLOAT(name)								\
	ROW_ANY(name), [SUO_MIN] = name##_min, [SUO_MAX] = name##_max
#define ROW_INT(name)								\
	ROW_FLOAT(name), [SUO_BOR] = name##_bor, [SUO_BAND] = name##_band,	\
	[SUO_BXOR] = name##_bxor

const struct suo_reduce_table REDUCE_TABLE = {
	.reduce = {
		[SUO_INT8]		= { ROW_INT(int8) },
		[SUO_UINT8]		= { ROW_INT(uint8) },
		[SUO_INT16]		= { ROW_INT(int16) },
		[SUO_UINT16]		= { ROW_INT(uint16) },
		[SUO_INT32]		= { ROW_INT(int32) },
		[SUO_UINT32]		= { ROW_INT(uint32) },
		[SUO_INT64]		= { ROW_INT(int64) },
		[SUO_UINT64]		= { ROW_INT(uint64) },
		[SUO_INT128]		= { ROW_INT(int128) },
		[SUO_UINT128]		= { ROW_INT(uint128) },
		[SUO_FLOAT16]		= { ROW_FLOAT(float16) },
		[SUO_BFLOAT16]		= { ROW_FLOAT(bfloat16) },
		[SUO_FLOAT32]		= { ROW_FLOAT(float32) },
		[SUO_FLOAT64]		= { ROW_FLOAT(float64) },
		[SUO_LONG_DOUBLE]	= { ROW_FLOAT(ldouble) },
		[SUO_COMPLEX64]		= { ROW_ANY(complex64) },
		[SUO_COMPLEX128]	= { ROW_ANY(complex128) },
		[SUO_COMPLEX_LONG]	= { ROW_ANY(lcomplex) },
	},
	.divide = {
		[SUO_INT8]		= int8_div,
		[SUO_UINT8]		= uint8_div,
		[SUO_INT16]		= int16_div,
		[SUO_UINT16]		= uint16_div,
		[SUO_INT32]		= int32_div,
		[SUO_UINT32]		= uint32_div,
		[SUO_INT64]		= int64_div,
		[SUO_UINT64]		= uint64_div,
		[SUO_INT128]		= int128_div,
		[SUO_UINT128]		= uint128_div,
		[SUO_FLOAT16]		= float16_div,
		[SUO_BFLOAT16]		= bfloat16_div,
		[SUO_FLOAT32]		= float32_div,
		[SUO_FLOAT64]		= float64_div,
		[SUO_LONG_DOUBLE]	= ldouble_div,
		[SUO_COMPLEX64]		= complex64_div,
		[SUO_COMPLEX128]	= complex128_div,
		[SUO_COMPLEX_LONG]	= lcomplex_div,
	},
};
