// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Atomic operations of the libfabric provider, against fi_atomic(3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <complex.h>
#include <float.h>
#include <pthread.h>
#include <string.h>

#include "userspace/fabric/amo.h"

/* One int32 element: what stands there, operand, comparand, what is to be there. */
struct row {
	enum fi_op	op;
	int32_t		old;
	int32_t		val;
	int32_t		cmp;
	int32_t		want;
};

static void int_rows(void **state)
{
	/* "compare OP target" decides, so LE swaps if the comparand is at most
	 * what stands there.
	 */
	static const struct row rows[] = {
		{ FI_MIN, 5, -3, 0, -3 },		{ FI_MIN, -3, 5, 0, -3 },
		{ FI_MAX, 5, -3, 0, 5 },		{ FI_MAX, -3, 5, 0, 5 },
		{ FI_SUM, 5, -3, 0, 2 },		{ FI_PROD, 5, -3, 0, -15 },
		{ FI_SUM, INT32_MAX, 1, 0, INT32_MIN },
		{ FI_LOR, 0, 0, 0, 0 },			{ FI_LOR, 4, 0, 0, 1 },
		{ FI_LAND, 4, 2, 0, 1 },		{ FI_LAND, 4, 0, 0, 0 },
		{ FI_LXOR, 4, 2, 0, 0 },		{ FI_LXOR, 4, 0, 0, 1 },
		{ FI_BOR, 12, 10, 0, 14 },		{ FI_BAND, 12, 10, 0, 8 },
		{ FI_BXOR, 12, 10, 0, 6 },
		{ FI_ATOMIC_WRITE, 7, 9, 0, 9 },	{ FI_ATOMIC_READ, 7, 9, 0, 7 },
		{ FI_CSWAP, 7, 9, 7, 9 },		{ FI_CSWAP, 7, 9, 8, 7 },
		{ FI_CSWAP_NE, 7, 9, 7, 7 },		{ FI_CSWAP_NE, 7, 9, 8, 9 },
		{ FI_CSWAP_LE, 7, 9, 6, 9 },		{ FI_CSWAP_LE, 7, 9, 7, 9 },
		{ FI_CSWAP_LE, 7, 9, 8, 7 },
		{ FI_CSWAP_LT, 7, 9, 6, 9 },		{ FI_CSWAP_LT, 7, 9, 7, 7 },
		{ FI_CSWAP_GE, 7, 9, 8, 9 },		{ FI_CSWAP_GE, 7, 9, 7, 9 },
		{ FI_CSWAP_GE, 7, 9, 6, 7 },
		{ FI_CSWAP_GT, 7, 9, 8, 9 },		{ FI_CSWAP_GT, 7, 9, 7, 7 },
		{ FI_MSWAP, 0x0f0f, 0x5555, 0x00ff, 0x0f55 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		int32_t mem[3] = { -1, r->old, -1 }, before = 0;

		suo_amo_apply(FI_INT32, r->op, &mem[1], &r->val, &r->cmp, &before, 1);
		if (mem[1] != r->want)
			fail_msg("row %zu: %d, not %d", i, mem[1], r->want);
		assert_int_equal(before, r->old);
		assert_int_equal(mem[0], -1);
		assert_int_equal(mem[2], -1);
	}
}

/* min and max tell the signed types from the unsigned ones. */
#define SIGNS(stype, ftype, utype, futype)				\
do {									\
	stype s = -1, s1 = 1;						\
	utype u = (utype)-1, u1 = 1;					\
									\
	assert_int_equal(suo_amo_size(ftype), sizeof(s));		\
	assert_int_equal(suo_amo_size(futype), sizeof(u));		\
	suo_amo_apply(ftype, FI_MIN, &s1, &s, NULL, NULL, 1);		\
	assert_true(s1 == -1);						\
	suo_amo_apply(futype, FI_MIN, &u, &u1, NULL, NULL, 1);		\
	assert_true(u == 1);						\
} while (0)

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static void signs(void **state)
{
	SIGNS(int8_t, FI_INT8, uint8_t, FI_UINT8);
	SIGNS(int16_t, FI_INT16, uint16_t, FI_UINT16);
	SIGNS(int32_t, FI_INT32, uint32_t, FI_UINT32);
	SIGNS(int64_t, FI_INT64, uint64_t, FI_UINT64);
	SIGNS(int128, FI_INT128, uint128, FI_UINT128);
}

static void reals(void **state)
{
	float f[2] = { 1.5f, -2 }, fv[2] = { 0.25f, 4 }, fb[2];
	double d = 3, dv = 0.5;
	/* Not a double: the low bit would be lost, as it is under valgrind. */
	volatile long double one = 1;
	long double l = 1, lv = one + LDBL_EPSILON > 1 ? LDBL_EPSILON : DBL_EPSILON;

	suo_amo_apply(FI_FLOAT, FI_SUM, f, fv, NULL, fb, 2);
	assert_true(f[0] == 1.75f && f[1] == 2 && fb[0] == 1.5f && fb[1] == -2);
	suo_amo_apply(FI_DOUBLE, FI_PROD, &d, &dv, NULL, NULL, 1);
	assert_true(d == 1.5);
	suo_amo_apply(FI_DOUBLE, FI_LAND, &d, &dv, NULL, NULL, 1);
	assert_true(d == 1);
	suo_amo_apply(FI_LONG_DOUBLE, FI_SUM, &l, &lv, NULL, NULL, 1);
	assert_true(l > 1 && l - 1 == lv);
}

static void complexes(void **state)
{
	float complex f = 1 + 2 * I, fv = 3 - 1 * I;
	double complex d = 1 + 2 * I, dv = 1 + 2 * I, db = 0, cmp = 1 + 2 * I;
	long double complex l = 2, lv = I;

	/* (1 + 2i)(3 - i) = 3 - i + 6i + 2 = 5 + 5i */
	suo_amo_apply(FI_FLOAT_COMPLEX, FI_PROD, &f, &fv, NULL, NULL, 1);
	assert_true(f == 5 + 5 * I);
	suo_amo_apply(FI_DOUBLE_COMPLEX, FI_SUM, &d, &dv, NULL, &db, 1);
	assert_true(d == 2 + 4 * I && db == 1 + 2 * I);
	suo_amo_apply(FI_DOUBLE_COMPLEX, FI_CSWAP, &d, &dv, &cmp, &db, 1);
	assert_true(d == 2 + 4 * I && db == 2 + 4 * I);
	suo_amo_apply(FI_LONG_DOUBLE_COMPLEX, FI_PROD, &l, &lv, NULL, NULL, 1);
	assert_true(l == 2 * I);
}

static void what_there_is(void **state)
{
	int count[3] = { 0 };

	for (int kind = SUO_AMO_WRITE; kind <= SUO_AMO_COMPARE; kind++)
		for (int type = 0; type <= FI_UINT128; type++)
			for (int op = 0; op < FI_ATOMIC_OP_LAST; op++)
				count[kind] += suo_amo_valid(kind, type, op);
	/* 10 integer types; 3 real; 3 complex.
	 * write: 10 of min..bxor and the write for integers, without the 3 bitwise
	 * ones for reals, without min and max too for complex numbers.
	 */
	assert_int_equal(count[SUO_AMO_WRITE], 10 * 11 + 3 * 8 + 3 * 6);
	/* the same, and the read */
	assert_int_equal(count[SUO_AMO_FETCH], 10 * 12 + 3 * 9 + 3 * 7);
	/* 7; not the masked one; and only equality */
	assert_int_equal(count[SUO_AMO_COMPARE], 10 * 7 + 3 * 6 + 3 * 2);

	assert_false(suo_amo_valid(SUO_AMO_WRITE, FI_INT32, FI_ATOMIC_READ));
	assert_false(suo_amo_valid(SUO_AMO_FETCH, FI_INT32, FI_CSWAP));
	assert_false(suo_amo_valid(SUO_AMO_COMPARE, FI_INT32, FI_SUM));
	assert_false(suo_amo_valid(SUO_AMO_WRITE, FI_VOID, FI_SUM));
	assert_false(suo_amo_valid(SUO_AMO_WRITE, FI_INT32, FI_NOOP));
	assert_false(suo_amo_valid(3, FI_INT32, FI_SUM));
	assert_false(suo_amo_valid(SUO_AMO_WRITE, -1, FI_SUM));
	assert_int_equal(suo_amo_size(FI_VOID), 0);
	assert_int_equal(suo_amo_align(FI_INT16), 2);
	assert_int_equal(suo_amo_align(FI_LONG_DOUBLE_COMPLEX), 8);
}

#define ROUNDS	20000

static double shared;

static void *add_one(void *arg)
{
	double one = 1;

	for (int i = 0; i < ROUNDS; i++)
		suo_amo_apply(FI_DOUBLE, FI_SUM, &shared, &one, NULL, NULL, 1);
	return NULL;
}

/* No sum is lost between threads; without atomicity some would be. */
static void threads(void **state)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, add_one, NULL), 0);
	add_one(NULL);
	pthread_join(thread, NULL);
	assert_true(shared == 2 * ROUNDS);
}

/* Operands come from the wire, where nothing is aligned. */
static void unaligned(void **state)
{
	uint8_t raw[64];
	uint64_t mem[2] = { 1, 2 }, val = 40, out = 0;

	memcpy(raw + 1, &val, sizeof(val));
	suo_amo_apply(FI_UINT64, FI_SUM, mem, raw + 1, NULL, raw + 17, 1);
	memcpy(&out, raw + 17, sizeof(out));
	assert_int_equal(mem[0], 41);
	assert_int_equal(out, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(int_rows),
		cmocka_unit_test(signs),
		cmocka_unit_test(reals),
		cmocka_unit_test(complexes),
		cmocka_unit_test(what_there_is),
		cmocka_unit_test(threads),
		cmocka_unit_test(unaligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
