// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reductions of collectives, against arithmetic that shares nothing with
 * them: exact sums and products in double, rounded by the definition of the
 * formats (IEEE 754-2019, 3.4 and 4.3.1), and integers of 128 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/coll/half.h"
#include "userspace/coll/reduce_table.h"

static const struct suo_reduce_table *tables[2] = { &suo_reduce_base };
static int ntables = 1;

/* The value of a binary format: fraction of @mant bits, exponent of @exp bits. */
static double value(uint32_t x, int mant, int exp)
{
	int bias = (1 << (exp - 1)) - 1;
	uint32_t e = x >> mant & ((1u << exp) - 1), m = x & ((1u << mant) - 1);
	double v;

	if (e == (1u << exp) - 1)
		v = m ? NAN : INFINITY;
	else if (e)
		v = ldexp(m + (1 << mant), (int)e - bias - mant);
	else
		v = ldexp(m, 1 - bias - mant);
	return x >> (mant + exp) & 1 ? -v : v;
}

/* The number nearest to v, by counting in units of its last place. */
static uint32_t nearest(double v, int mant, int exp)
{
	int bias = (1 << (exp - 1)) - 1, e;
	uint32_t sign = (uint32_t)!!signbit(v) << (mant + exp);
	uint32_t infinity = ((1u << exp) - 1) << mant;
	double units;

	v = fabs(v);
	if (isinf(v))
		return sign | infinity;
	frexp(v, &e);
	if (e < 2 - bias)
		e = 2 - bias;
	units = rint(ldexp(v, mant + 1 - e));	/* ties to even */
	/* e - 1 + bias is the exponent field; the hidden bit adds the last 1 */
	units += ldexp(e - 2 + bias, mant);
	if (!v)
		return sign;
	return units >= infinity ? sign | infinity : sign | (uint32_t)units;
}

static bool is_nan16(uint16_t x, int mant)
{
	return (x & 0x7fff) > (0x7fff & ~((1 << mant) - 1));
}

static void half_all_values(void **state)
{
	for (uint32_t x = 0; x < 65536; x++) {
		float f = half_to_float(x);
		double v = value(x, 10, 5);

		if (isnan(v)) {
			assert_true(isnan(f));
			assert_int_equal(float_to_half(f), x | 0x200);
			continue;
		}
		assert_true(f == v && !signbit(f) == !signbit(v));
		assert_int_equal(float_to_half(f), x);
		f = bfloat_to_float(x);
		v = value(x, 7, 8);
		assert_true(isnan(v) ? isnan(f) : f == v);
		if (!isnan(v))
			assert_int_equal(float_to_bfloat(f), x);
	}
	for (uint32_t x = 0; x < 65536; x++)
		if (is_nan16(x, 7))
			assert_int_equal(float_to_bfloat(bfloat_to_float(x)), x | 0x40);
}

/* Half way between any two neighbours, and just beside. */
static void half_rounding(void **state)
{
	for (uint32_t x = 0; x < 0x7c00; x++) {
		double mid = x == 0x7bff ? 65520 : (value(x, 10, 5) + value(x + 1, 10, 5)) / 2;
		float f = mid;

		assert_true(f == mid);
		assert_int_equal(float_to_half(f), (x + 1) & ~1u);
		assert_int_equal(float_to_half(nextafterf(f, 0)), x);
		assert_int_equal(float_to_half(nextafterf(f, INFINITY)), x + 1);
		assert_int_equal(float_to_half(-f), ((x + 1) & ~1u) | 0x8000);
	}
	for (uint32_t x = 0; x < 0x7f7f; x++) {
		float f = (value(x, 7, 8) + value(x + 1, 7, 8)) / 2;

		assert_int_equal(float_to_bfloat(f), (x + 1) & ~1u);
		assert_int_equal(float_to_bfloat(nextafterf(f, 0)), x);
		assert_int_equal(float_to_bfloat(nextafterf(f, INFINITY)), x + 1);
	}
	assert_int_equal(float_to_half(FP_INFINITE == fpclassify(INFINITY) ? INFINITY : 0), 0x7c00);
	assert_int_equal(float_to_half(3e38f), 0x7c00);
	assert_int_equal(float_to_half(-1e-30f), 0x8000);
	assert_int_equal(float_to_bfloat(3.4e38f), 0x7f80);
	/* the compiler's own conversion */
	for (uint64_t bits = 0; bits < 1ull << 32; bits += 9973) {
		float f = bits_to_float(bits);
		_Float16 h = (_Float16)f;
		uint16_t x;

		memcpy(&x, &h, sizeof(x));
		if (isnan(f))
			assert_true(is_nan16(float_to_half(f), 10));
		else
			assert_int_equal(float_to_half(f), x);
	}
}

static double combine(enum suo_redop op, double a, double b)
{
	switch (op) {
	case SUO_SUM:
	case SUO_AVG:
		return a + b;
	case SUO_PROD:
		return a * b;
	case SUO_MIN:
		if (isnan(a) || isnan(b))
			return NAN;
		if (a == b)
			return signbit(a) ? a : b;
		return a < b ? a : b;
	case SUO_MAX:
		if (isnan(a) || isnan(b))
			return NAN;
		if (a == b)
			return signbit(a) ? b : a;
		return a > b ? a : b;
	case SUO_LOR:
		return a != 0 || b != 0;
	case SUO_LAND:
		return a != 0 && b != 0;
	case SUO_LXOR:
		return (a != 0) != (b != 0);
	default:
		return NAN;
	}
}

/* Every number of 16 bits with another one. */
static void reduce_all(const struct suo_reduce_table *table, enum suo_dtype type,
		       enum suo_redop op, uint16_t other, uint16_t acc[65536])
{
	static uint16_t in[65536];

	for (uint32_t x = 0; x < 65536; x++) {
		acc[x] = x;
		in[x] = other;
	}
	table->reduce[type][op](acc, in, 65536);
}

/* All float16 against some: exact in double, then rounded once. */
static void half_arithmetic(void **state)
{
	static const uint16_t other[] = {
		0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3c01, 0x3555,
		0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x1400, 0x9abc, 0x5678,
	};
	static uint16_t acc[65536];

	for (int t = 0; t < ntables; t++) {
		for (size_t o = 0; o < sizeof(other) / sizeof(other[0]); o++) {
			for (int op = SUO_SUM; op <= SUO_LXOR; op++) {
				reduce_all(tables[t], SUO_FLOAT16, op, other[o], acc);
				for (uint32_t x = 0; x < 65536; x++) {
					double v = combine(op, value(x, 10, 5),
							   value(other[o], 10, 5));

					if (isnan(v))
						assert_true(is_nan16(acc[x], 10));
					else if (acc[x] != nearest(v, 10, 5))
						fail_msg("%04x %s %04x: %04x, not %04x", x,
							 suo_redop_name(op), other[o], acc[x],
							 nearest(v, 10, 5));
				}
			}
		}
	}
}

/* bfloat16 is added up in float32, which rounds, and is rounded again. */
static void bfloat_arithmetic(void **state)
{
	static const uint16_t other[] = {
		0, 0x8000, 1, 0x3f80, 0xbf80, 0x3eab, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
		0x7fc0, 0x3c00, 0x4049, 0xb123,
	};
	static uint16_t acc[65536];

	for (int t = 0; t < ntables; t++) {
		for (size_t o = 0; o < sizeof(other) / sizeof(other[0]); o++) {
			for (int op = SUO_SUM; op <= SUO_LXOR; op++) {
				reduce_all(tables[t], SUO_BFLOAT16, op, other[o], acc);
				for (uint32_t x = 0; x < 65536; x++) {
					double v = (float)combine(op, value(x, 7, 8),
								  value(other[o], 7, 8));

					if (isnan(v))
						assert_true(is_nan16(acc[x], 7));
					else
						assert_int_equal(acc[x], nearest(v, 7, 8));
				}
			}
		}
	}
}

#define N	67

typedef unsigned __int128 u128;

static u128 random128(void)
{
	u128 x = 0;

	for (int i = 0; i < 8; i++)
		x = x << 16 ^ (u128)(random() & 0xffff);
	/* often small, and often equal to another */
	return random() % 3 ? x : random() % 5 - (u128)2;
}

/* Sign or zero extension of the lower bytes. */
static __int128 extend(enum suo_dtype type, const uint8_t *at)
{
	size_t size = suo_dtype_size(type);
	__int128 x = 0;

	memcpy(&x, at, size);
	if (!suo_dtype_is_unsigned(type) && size < 16 && at[size - 1] & 0x80)
		x |= -1 - (((__int128)1 << 8 * size) - 1);
	return x;
}

static u128 combine_int(enum suo_dtype type, enum suo_redop op, __int128 a, __int128 b)
{
	bool less = type == SUO_UINT128 ? (u128)a < (u128)b : a < b;

	switch (op) {
	case SUO_SUM:
	case SUO_AVG:
		return (u128)a + (u128)b;
	case SUO_PROD:
		return (u128)a * (u128)b;
	case SUO_MIN:
		return less ? a : b;
	case SUO_MAX:
		return less ? b : a;
	case SUO_LOR:
		return a || b;
	case SUO_LAND:
		return a && b;
	case SUO_LXOR:
		return !a != !b;
	case SUO_BOR:
		return a | b;
	case SUO_BAND:
		return a & b;
	default:
		return a ^ b;
	}
}

/* At odd addresses, and of every length up to several vectors. */
static void integers(void **state)
{
	static uint8_t a[N * 16 + 1], b[N * 16 + 1], was[N * 16 + 1];

	srandom(1);
	for (int t = 0; t < ntables; t++)
	for (int type = 0; type <= SUO_UINT128; type++)
	for (int op = 0; op < SUO_NUM_REDOPS; op++)
	for (size_t n = 0; n <= N; n++) {
		size_t size = suo_dtype_size(type);

		for (size_t i = 0; i < N; i++) {
			u128 x = random128(), y = random128();

			memcpy(a + 1 + i * size, &x, size);
			memcpy(b + 1 + i * size, &y, size);
		}
		memcpy(was, a, sizeof(a));
		tables[t]->reduce[type][op](a + 1, b + 1, n);
		for (size_t i = 0; i < n; i++) {
			u128 x = combine_int(type, op, extend(type, was + 1 + i * size),
					     extend(type, b + 1 + i * size));

			assert_memory_equal(a + 1 + i * size, &x, size);
		}
		/* nothing beyond */
		assert_memory_equal(a + 1 + n * size, was + 1 + n * size, (N - n) * size);
	}
}

static void floats(void **state)
{
	static const double odd[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149, 3.5e38 };
	static uint8_t abuf[N * 16 + 1], bbuf[N * 16 + 1];
	double was[N], with[N];

	for (int t = 0; t < ntables; t++)
	for (int type = SUO_FLOAT32; type <= SUO_LONG_DOUBLE; type++)
	for (int op = 0; op <= SUO_LXOR; op++)
	for (size_t n = 0; n <= N; n++) {
		size_t size = suo_dtype_size(type);

		for (size_t i = 0; i < N; i++) {
			was[i] = i < 81 % N ? odd[(i + n) % 9] : (random() - 0x3fffffff) / 64.0;
			with[i] = i % 2 ? odd[random() % 9] : (random() - 0x3fffffff) / 4.0;
			if (type == SUO_FLOAT32) {
				was[i] = (float)was[i];
				with[i] = (float)with[i];
				memcpy(abuf + 1 + i * size, &(float){ was[i] }, size);
				memcpy(bbuf + 1 + i * size, &(float){ with[i] }, size);
			} else if (type == SUO_FLOAT64) {
				memcpy(abuf + 1 + i * size, &was[i], size);
				memcpy(bbuf + 1 + i * size, &with[i], size);
			} else {
				memcpy(abuf + 1 + i * size, &(long double){ was[i] }, size);
				memcpy(bbuf + 1 + i * size, &(long double){ with[i] }, size);
			}
		}
		tables[t]->reduce[type][op](abuf + 1, bbuf + 1, n);
		for (size_t i = 0; i < n; i++) {
			double v = combine(op, was[i], with[i]), got;
			long double l;
			float f;

			if (type == SUO_FLOAT32) {
				/* 24 bits twice fit into 53: rounded once */
				memcpy(&f, abuf + 1 + i * size, size);
				v = (float)v;
				got = f;
			} else if (type == SUO_FLOAT64) {
				memcpy(&got, abuf + 1 + i * size, size);
			} else {
				memcpy(&l, abuf + 1 + i * size, size);
				got = l;
			}
			if (isnan(v))
				assert_true(isnan(got));
			else
				assert_true(v == got && !signbit(v) == !signbit(got));
		}
	}
}

static void complexes(void **state)
{
	float _Complex a[3] = { 1 + 2 * I, 0, 3 * I }, b[3] = { 3 - 1 * I, 0, 0 }, c[3];
	double _Complex d = 2 - 3 * I, e = -1 + 4 * I;
	long double _Complex l = 5, m = 1 * I;

	for (int t = 0; t < ntables; t++) {
		suo_reduce_fn *f = (suo_reduce_fn *)tables[t]->reduce[SUO_COMPLEX64];

		memcpy(c, a, sizeof(a));
		f[SUO_SUM](c, b, 3);
		assert_true(c[0] == 4 + 1 * I && c[1] == 0 && c[2] == 3 * I);
		memcpy(c, a, sizeof(a));
		f[SUO_PROD](c, b, 3);
		assert_true(c[0] == 5 + 5 * I && c[1] == 0 && c[2] == 0);
		memcpy(c, a, sizeof(a));
		f[SUO_LOR](c, b, 3);
		assert_true(c[0] == 1 && c[1] == 0 && c[2] == 1);
		memcpy(c, a, sizeof(a));
		f[SUO_LAND](c, b, 3);
		assert_true(c[0] == 1 && c[1] == 0 && c[2] == 0);
		memcpy(c, a, sizeof(a));
		f[SUO_LXOR](c, b, 3);
		assert_true(c[0] == 0 && c[1] == 0 && c[2] == 1);
	}
	suo_reduce(SUO_COMPLEX128, SUO_PROD, &d, &e, 1);
	assert_true(d == 10 + 11 * I);		/* -2 + 12 + (8 + 3) i */
	suo_reduce_finish(SUO_COMPLEX128, SUO_AVG, &d, 1, 2);
	assert_true(d == 5 + 5.5 * I);
	suo_reduce(SUO_COMPLEX_LONG, SUO_SUM, &l, &m, 1);
	assert_true(l == 5 + 1 * I);
}

static void averages(void **state)
{
	int8_t c[3] = { -7, 7, -128 };
	uint8_t d[2] = { 255, 2 };
	uint64_t u[2] = { UINT64_MAX, 8 };
	__int128 q = -7;
	uint16_t h[2] = { 0x4200, 0x0003 };	/* 3, and 3 * 2^-24 */
	float f = 10;

	suo_reduce_finish(SUO_INT8, SUO_AVG, c, 3, 3);
	assert_true(c[0] == -2 && c[1] == 2 && c[2] == -42);
	suo_reduce_finish(SUO_UINT8, SUO_AVG, d, 2, 3);
	assert_true(d[0] == 85 && d[1] == 0);
	suo_reduce_finish(SUO_UINT64, SUO_AVG, u, 2, 3);
	assert_true(u[0] == 6148914691236517205u && u[1] == 2);
	suo_reduce_finish(SUO_INT128, SUO_AVG, &q, 1, 2);
	assert_true(q == -3);
	suo_reduce_finish(SUO_FLOAT16, SUO_AVG, h, 2, 2);
	assert_true(h[0] == 0x3e00 && h[1] == 2);	/* 1.5; 1.5 units to even */
	suo_reduce_finish(SUO_FLOAT32, SUO_AVG, &f, 1, 4);
	assert_true(f == 2.5f);
	suo_reduce_finish(SUO_FLOAT32, SUO_SUM, &f, 1, 4);
	assert_true(f == 2.5f);
}

static void names(void **state)
{
	assert_int_equal(suo_dtype_parse("half"), SUO_FLOAT16);
	assert_int_equal(suo_dtype_parse("float16"), SUO_FLOAT16);
	assert_int_equal(suo_dtype_parse("float"), SUO_FLOAT32);
	assert_int_equal(suo_dtype_parse("bfloat16"), SUO_BFLOAT16);
	assert_int_equal(suo_dtype_parse("fp8"), -EINVAL);
	assert_int_equal(suo_redop_parse("avg"), SUO_AVG);
	assert_int_equal(suo_redop_parse("all"), -EINVAL);
	for (int t = 0; t < SUO_NUM_DTYPES; t++)
		assert_int_equal(suo_dtype_parse(suo_dtype_name(t)), t);
	for (int op = 0; op < SUO_NUM_REDOPS; op++)
		assert_int_equal(suo_redop_parse(suo_redop_name(op)), op);
	assert_true(suo_reduce_valid(SUO_INT128, SUO_BXOR));
	assert_false(suo_reduce_valid(SUO_FLOAT16, SUO_BOR));
	assert_false(suo_reduce_valid(SUO_COMPLEX64, SUO_MIN));
	assert_true(suo_reduce_valid(SUO_COMPLEX64, SUO_LAND));
}

/* Both tables have the same entries. */
static void tables_agree(void **state)
{
	for (int t = 0; t < SUO_NUM_DTYPES; t++)
		for (int op = 0; op < SUO_NUM_REDOPS; op++)
			assert_int_equal(!suo_reduce_base.reduce[t][op],
					 !suo_reduce_avx2.reduce[t][op]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_all_values),
		cmocka_unit_test(half_rounding),
		cmocka_unit_test(half_arithmetic),
		cmocka_unit_test(bfloat_arithmetic),
		cmocka_unit_test(integers),
		cmocka_unit_test(floats),
		cmocka_unit_test(complexes),
		cmocka_unit_test(averages),
		cmocka_unit_test(names),
		cmocka_unit_test(tables_agree),
	};

	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
		tables[ntables++] = &suo_reduce_avx2;
	else
		puts("# no AVX2 here: only the portable loops are tested");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
