// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reductions, against what the compiler and the processor make of the same
 * numbers: float, double and _Float16 arithmetic, two's complement integers. Each
 * type and operation over all pairs of special values, and over a million pairs of
 * random bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/core/reduce.h"

#define RANDOM_PAIRS	1000000
#define MEMBERS		8

static uint64_t rand_state;

static uint64_t rand64(void)
{
	/* xorshift64 (Marsaglia 2003) */
	rand_state ^= rand_state << 13;
	rand_state ^= rand_state >> 7;
	rand_state ^= rand_state << 17;
	return rand_state;
}

static uint64_t quiet_nan(uint32_t type)
{
	switch (type) {
	case SUO_REDUCE_FLOAT16:	return 0x7e00;
	case SUO_REDUCE_BFLOAT16:	return 0x7fc0;
	case SUO_REDUCE_FLOAT32:	return 0x7fc00000;
	default:			return 0x7ff8000000000000;
	}
}

static float to_f32(uint64_t bits)
{
	uint32_t word = bits;
	float x;

	memcpy(&x, &word, sizeof(x));
	return x;
}

static uint32_t of_f32(float x)
{
	uint32_t word;

	memcpy(&word, &x, sizeof(word));
	return word;
}

/* The nearest of the two bfloat16 around x, by their distance; even if both are. */
static uint32_t bf16_of(float x)
{
	uint32_t low = of_f32(x) >> 16, high = low + 1;
	double down = fabs((double)x - (double)to_f32((uint64_t)low << 16));
	double up;

	if (isinf(x))
		return low;
	/* What would be the next one if the exponents went on */
	up = (high & 0x7fff) == 0x7f80 ? ldexp(1, 128) - fabs((double)x) :
	     fabs((double)to_f32((uint64_t)high << 16) - (double)x);
	if (down != up)
		return down < up ? low : high;
	return low & 1 ? high : low;
}

static double widen(uint32_t type, uint64_t bits)
{
	_Float16 half;
	uint16_t word = bits;
	double x;

	switch (type) {
	case SUO_REDUCE_FLOAT16:
		memcpy(&half, &word, sizeof(half));
		return half;
	case SUO_REDUCE_BFLOAT16:
		return to_f32((uint64_t)word << 16);
	case SUO_REDUCE_FLOAT32:
		return to_f32(bits);
	default:
		memcpy(&x, &bits, sizeof(x));
		return x;
	}
}

/* What is in an accumulator when the members have been taken in: a double, which
 * holds a float exactly.
 */
static uint64_t narrow(uint32_t type, double x)
{
	_Float16 half;
	uint16_t word;
	uint64_t bits;

	if (isnan(x))
		return quiet_nan(type);
	switch (type) {
	case SUO_REDUCE_FLOAT16:
		half = (_Float16)(float)x;
		memcpy(&word, &half, sizeof(word));
		return word;
	case SUO_REDUCE_BFLOAT16:
		return bf16_of((float)x);
	case SUO_REDUCE_FLOAT32:
		return of_f32((float)x);
	default:
		memcpy(&bits, &x, sizeof(bits));
		return bits;
	}
}

static double float_op(uint32_t type, uint32_t op, double a, double b)
{
	if (op == SUO_REDUCE_SUM)
		return type == SUO_REDUCE_FLOAT64 ? a + b : (float)a + (float)b;
	if (isnan(a) || isnan(b))
		return NAN;
	if (a == b)
		return signbit(a) == (op == SUO_REDUCE_MIN) ? a : b;
	return (a < b) == (op == SUO_REDUCE_MIN) ? a : b;
}

static uint64_t int_op(uint32_t type, uint32_t op, uint64_t a, uint64_t b)
{
	bool less;

	switch (type) {
	case SUO_REDUCE_INT32:	less = (int32_t)a < (int32_t)b; break;
	case SUO_REDUCE_UINT32:	less = (uint32_t)a < (uint32_t)b; break;
	case SUO_REDUCE_INT64:	less = (int64_t)a < (int64_t)b; break;
	default:		less = a < b;
	}
	if (op == SUO_REDUCE_SUM)
		return suo_reduce_size(type) == 4 ? (uint32_t)(a + b) : a + b;
	return less == (op == SUO_REDUCE_MIN) ? a : b;
}

static bool is_float(uint32_t type)
{
	return type >= SUO_REDUCE_FLOAT16;
}

static uint64_t expected(uint32_t type, uint32_t op, const uint64_t *in, int n)
{
	double x;
	uint64_t sum = in[0];
	int i;

	if (!is_float(type)) {
		for (i = 1; i < n; i++)
			sum = int_op(type, op, sum, in[i]);
		return sum;
	}
	x = widen(type, in[0]);
	for (i = 1; i < n; i++)
		x = float_op(type, op, x, widen(type, in[i]));
	return narrow(type, x);
}

static uint64_t reduced(uint32_t type, uint32_t op, const uint64_t *in, int n)
{
	uint64_t acc, out = 0;
	int i;

	/* Little endian, as the machines that this runs on. */
	suo_reduce_first(type, &acc, &in[0], 1);
	for (i = 1; i < n; i++)
		suo_reduce_next(type, op, &acc, &in[i], 1);
	suo_reduce_last(type, &out, &acc, 1);
	return out;
}

static void compare(uint32_t type, uint32_t op, const uint64_t *in, int n)
{
	uint64_t got = reduced(type, op, in, n);
	uint64_t want = expected(type, op, in, n);

	if (got != want)
		fail_msg("type %u, operation %u of %#llx, %#llx ... (%d): %#llx, not %#llx",
			 type, op, (unsigned long long)in[0],
			 (unsigned long long)in[n > 1], n,
			 (unsigned long long)got, (unsigned long long)want);
}

static uint64_t mask_of(uint32_t type)
{
	return ~0ull >> (64 - 8 * suo_reduce_size(type));
}

/* Fraction bits of a floating type. */
static int mant_of(uint32_t type)
{
	switch (type) {
	case SUO_REDUCE_FLOAT16:	return 10;
	case SUO_REDUCE_BFLOAT16:	return 7;
	case SUO_REDUCE_FLOAT32:	return 23;
	default:			return 52;
	}
}

/* Every class of number: zero, the least and the greatest subnormal and normal
 * numbers, one, numbers around half a unit in the last place of it, infinity, quiet
 * and signalling NaN; both signs.
 */
static int special(uint32_t type, uint64_t *to)
{
	int m = mant_of(type), bits = 8 * suo_reduce_size(type);
	uint64_t one_exp = (1ull << (bits - 2 - m)) - 1;
	uint64_t one = one_exp << m, inf = (one_exp * 2 + 1) << m;
	const uint64_t list[] = {
		0, 1, 2, 3, (1ull << m) - 2, (1ull << m) - 1, 1ull << m,
		(1ull << m) + 1, one - 1, one, one + 1, one + 2, one + 3,
		one - ((uint64_t)m << m), one - ((uint64_t)(m + 1) << m),
		one - ((uint64_t)(m + 1) << m) + 1,
		one - ((uint64_t)(m + 2) << m),
		one + ((uint64_t)m << m), one + ((uint64_t)(m + 1) << m),
		one - (3ull << m) + 5, inf - 2, inf - 1, inf,
		inf - ((uint64_t)(m + 1) << m), inf - ((uint64_t)(m + 2) << m),
		inf + 1, inf + (1ull << (m - 1)), inf + (1ull << (m - 1)) + 1,
	};
	int n = 0;

	if (!is_float(type)) {
		uint64_t top = 1ull << (bits - 1);
		const uint64_t ints[] = { 0, 1, 2, top - 1, top, top + 1,
					  mask_of(type), mask_of(type) - 1 };

		memcpy(to, ints, sizeof(ints));
		return sizeof(ints) / sizeof(*ints);
	}
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		to[n++] = list[i];
		to[n++] = list[i] | 1ull << (bits - 1);
	}
	return n;
}

static void specials_agree(void **state)
{
	uint64_t list[64], in[2];

	for (uint32_t type = 0; type < SUO_REDUCE_TYPES; type++) {
		int n = special(type, list);

		for (uint32_t op = 0; op < SUO_REDUCE_OPS; op++) {
			for (int i = 0; i < n * n; i++) {
				in[0] = list[i / n];
				in[1] = list[i % n];
				compare(type, op, in, 2);
				compare(type, op, in, 1);
			}
		}
	}
}

static void random_pairs_agree(void **state)
{
	uint64_t in[2];

	for (uint32_t type = 0; type < SUO_REDUCE_TYPES; type++) {
		rand_state = 88172645463325252ull + type;
		for (int i = 0; i < RANDOM_PAIRS; i++) {
			in[0] = rand64() & mask_of(type);
			in[1] = rand64() & mask_of(type);
			/* Random bits are seldom near each other in size. */
			if (is_float(type) && i % 2) {
				uint64_t exp = (mask_of(type) >> 1) &
					       ~0ull << mant_of(type);
				uint64_t near = (uint64_t)(i / 2 % 8) << mant_of(type);

				in[1] = (in[1] & ~exp) | (((in[0] & exp) + near) & exp);
			}
			for (uint32_t op = 0; op < SUO_REDUCE_OPS; op++)
				compare(type, op, in, 2);
		}
	}
}

/* Many members, of numbers that are likely to meet: the order counts. */
static void members_agree(void **state)
{
	uint64_t in[MEMBERS];

	for (uint32_t type = 0; type < SUO_REDUCE_TYPES; type++) {
		rand_state = 2463534242ull + type;
		for (int i = 0; i < 100000; i++) {
			for (int m = 0; m < MEMBERS; m++) {
				in[m] = rand64() & mask_of(type);
				if (is_float(type))
					in[m] = narrow(type, (double)(int64_t)rand64() *
						       ldexp(1, -(int)(rand64() % 60)));
				if (type == SUO_REDUCE_FLOAT16)
					in[m] = narrow(type, (int)(rand64() % 4001 - 2000) / 16.0);
			}
			for (uint32_t op = 0; op < SUO_REDUCE_OPS; op++)
				for (int n = 1; n <= MEMBERS; n++)
					compare(type, op, in, n);
		}
	}
}

/* Of float16 all 2^16 numbers, there and back. */
static void every_half(void **state)
{
	for (uint64_t i = 0; i < 0x10000; i++) {
		compare(SUO_REDUCE_FLOAT16, SUO_REDUCE_SUM, &i, 1);
		compare(SUO_REDUCE_BFLOAT16, SUO_REDUCE_SUM, &i, 1);
	}
}

/* By hand. float16: 2048 + 1 + 1 is 2050 if rounded once at the end, and 2048 if each
 * sum is. float32: 2^24 + 1 + 1 is 2^24, and 1 + 1 + 2^24 is 2^24 + 2.
 */
static void rounds_where_it_says(void **state)
{
	const uint64_t half[] = { 0x6800, 0x3c00, 0x3c00 };
	const uint64_t big_first[] = { 0x4b800000, 0x3f800000, 0x3f800000 };
	const uint64_t big_last[] = { 0x3f800000, 0x3f800000, 0x4b800000 };

	assert_int_equal(reduced(SUO_REDUCE_FLOAT16, SUO_REDUCE_SUM, half, 3), 0x6801);
	assert_int_equal(reduced(SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, big_first, 3),
			 0x4b800000);
	assert_int_equal(reduced(SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, big_last, 3),
			 0x4b800001);
}

/* Rows of elements that are not aligned are what each of them is. */
static void rows_are_elements(void **state)
{
	uint8_t in[2][8 * 16 + 1], out[8 * 16 + 1];
	uint64_t acc[16];

	rand_state = 1;
	for (uint32_t type = 0; type < SUO_REDUCE_TYPES; type++) {
		uint32_t size = suo_reduce_size(type);

		for (size_t i = 0; i < sizeof(in); i++)
			((uint8_t *)in)[i] = rand64();
		suo_reduce_first(type, acc, in[0] + 1, 15);
		suo_reduce_next(type, SUO_REDUCE_SUM, acc, in[1] + 1, 15);
		out[0] = 0xaa;
		out[15 * size + 1] = 0x55;
		suo_reduce_last(type, out + 1, acc, 15);
		assert_int_equal(out[0], 0xaa);
		if (size < 8)
			assert_int_equal(out[15 * size + 1], 0x55);
		for (uint32_t i = 0; i < 15; i++) {
			uint64_t pair[2] = { 0, 0 }, got = 0;

			memcpy(&pair[0], in[0] + 1 + i * size, size);
			memcpy(&pair[1], in[1] + 1 + i * size, size);
			memcpy(&got, out + 1 + i * size, size);
			assert_true(got == expected(type, SUO_REDUCE_SUM, pair, 2));
		}
	}
}

static void no_such_type(void **state)
{
	assert_int_equal(suo_reduce_size(SUO_REDUCE_TYPES), 0);
	assert_int_equal(suo_reduce_size(~0u), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specials_agree),
		cmocka_unit_test(random_pairs_agree),
		cmocka_unit_test(members_agree),
		cmocka_unit_test(every_half),
		cmocka_unit_test(rounds_where_it_says),
		cmocka_unit_test(rows_are_elements),
		cmocka_unit_test(no_such_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
