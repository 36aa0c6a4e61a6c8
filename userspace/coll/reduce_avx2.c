// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reductions for processors with AVX2 and F16C. The compiler does not vectorise
 * the conversion of float16 by itself, so that these loops are by hand: eight
 * elements at a time, and what is left over by the portable functions.
 */
#include <immintrin.h>

#define REDUCE_TABLE	suo_reduce_avx2

#define HALF_STEP	8

/* @body: of a and b, eight float32 each */
#define HALF_LOOP(name, body, expr)						\
static void float16_##name(void *restrict acc_, const void *restrict in_,	\
			   size_t count)					\
{										\
	const mem_uint16 *restrict in = in_;					\
	mem_uint16 *restrict acc = acc_;					\
	size_t i = 0;								\
										\
	for (; i + HALF_STEP <= count; i += HALF_STEP) {			\
		__m256 a = half_load(acc + i), b = half_load(in + i);		\
										\
		half_store(acc + i, body);					\
	}									\
	for (; i < count; i++) {						\
		float a = half_to_float(acc[i]), b = half_to_float(in[i]);	\
										\
		acc[i] = float_to_half(expr);					\
	}									\
}

#define ONES		_mm256_set1_ps(1)
#define IS_SET(x)	_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_NEQ_UQ)

/* Uses what reduce_loops.h defines before this is expanded. */
#define HALF_LOOPS								\
static inline __m256 half_load(const mem_uint16 *at)				\
{										\
	return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *)at));		\
}										\
										\
static inline void half_store(mem_uint16 *at, __m256 x)				\
{										\
	_mm_storeu_si128((__m128i_u *)at,					\
			 _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));	\
}										\
										\
/* Where the other one is to be taken: see LESSER. */				\
static inline __m256 half_pick(__m256 a, __m256 b, __m256 beyond, __m256 zero)	\
{										\
	__m256 same = _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ), zero);	\
	__m256 nan = _mm256_cmp_ps(b, b, _CMP_UNORD_Q);				\
	__m256 other = _mm256_or_ps(_mm256_or_ps(beyond, nan), same);		\
										\
	/* Of equal numbers, the sign bit of zero[] decides: blendv looks at	\
	 * sign bits only.							\
	 */									\
	return _mm256_blendv_ps(a, b, other);					\
}										\
										\
HALF_LOOP(sum, _mm256_add_ps(a, b), a + b)					\
HALF_LOOP(prod, _mm256_mul_ps(a, b), a * b)					\
HALF_LOOP(min, half_pick(a, b, _mm256_cmp_ps(b, a, _CMP_LT_OQ), b), LESSER(a, b)) \
HALF_LOOP(max, half_pick(a, b, _mm256_cmp_ps(b, a, _CMP_GT_OQ), a), GREATER(a, b)) \
HALF_LOOP(lor, _mm256_and_ps(ONES, _mm256_or_ps(IS_SET(a), IS_SET(b))),		\
	  a != 0 || b != 0)							\
HALF_LOOP(land, _mm256_and_ps(ONES, _mm256_and_ps(IS_SET(a), IS_SET(b))),	\
	  a != 0 && b != 0)							\
HALF_LOOP(lxor, _mm256_and_ps(ONES, _mm256_xor_ps(IS_SET(a), IS_SET(b))),	\
	  (a != 0) != (b != 0))							\
DIVIDE(float16_div, mem_uint16, float, half_to_float, float_to_half)

#include "userspace/coll/reduce_loops.h"
