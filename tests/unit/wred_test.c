// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random early detection against its curve. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/core/wred.h"

#define KB	1000ull
#define TRIALS	1000000

static const struct suo_wred_law curve = {
	.kmin_bytes = 100 * KB,
	.kmax_bytes = 400 * KB,
	.pmax_ppm = 200000,
};

/* The probability times 2^64: 0.2 * (q - 100) / 300. */
static void test_curve(void **state)
{
	assert_int_equal(suo_wred_threshold(&curve, 0), 0);
	assert_int_equal(suo_wred_threshold(&curve, 100 * KB), 0);
	/* 0.2 * 150 / 300 = 1/10; 2^64 / 10 = 1844674407370955161.6 */
	assert_in_range(suo_wred_threshold(&curve, 250 * KB),
			1844674407370955160ull, 1844674407370955161ull);
	/* 1/5 at the end, and 1 above it */
	assert_in_range(suo_wred_threshold(&curve, 400 * KB),
			3689348814741910322ull, 3689348814741910323ull);
	assert_int_equal(suo_wred_threshold(&curve, 400 * KB + 1), U64_MAX);
}

/* A threshold alone: DCTCP's step. */
static void test_step(void **state)
{
	const struct suo_wred_law step = { 65 * KB, 65 * KB, 0, 0 };
	struct suo_wred queue = { .random = 1 };

	for (int i = 0; i < 1000; i++) {
		assert_false(suo_wred_hit(&step, &queue, 65 * KB));
		assert_true(suo_wred_hit(&step, &queue, 65 * KB + 1));
	}
}

/*
 * A million packets at a fixed depth: hits are binomial. With z = 3.29 one seed in a
 * thousand would miss the interval; these are fixed, and so is the result.
 */
static void test_rate(void **state)
{
	for (u64 depth = 115 * KB; depth < 400 * KB; depth += 57 * KB) {
		double p = 0.2 * (depth - 100.0 * KB) / (300.0 * KB);
		double sigma = sqrt(TRIALS * p * (1 - p));
		struct suo_wred queue = { .random = depth };
		u32 hits = 0;

		for (int i = 0; i < TRIALS; i++)
			hits += suo_wred_hit(&curve, &queue, depth);
		assert_true(fabs(hits - TRIALS * p) < 2.576 * sigma);
	}
}

/* One hit must not make the next less or more likely: pairs have p^2. */
static void test_independent(void **state)
{
	struct suo_wred queue = { .random = 7 };
	double p = 0.1, sigma = sqrt(TRIALS * p * p * (1 - p * p));
	bool before = false;
	u32 pairs = 0;

	for (int i = 0; i < TRIALS; i++) {
		bool hit = suo_wred_hit(&curve, &queue, 250 * KB);

		pairs += hit && before;
		before = hit;
	}
	/* Pairs overlap, which makes sigma a little larger. */
	assert_true(fabs(pairs - TRIALS * p * p) < 3 * sigma);
}

/* Weight 1: the depth that counts goes half the way with each packet. */
static void test_weight(void **state)
{
	const struct suo_wred_law slow = { 100 * KB, 100 * KB, 0, 1 };
	struct suo_wred queue = { .random = 1 };

	/* 64, 96, 112: the third is above 100 */
	assert_false(suo_wred_hit(&slow, &queue, 128 * KB));
	assert_int_equal(queue.average_q16 >> 16, 64 * KB);
	assert_false(suo_wred_hit(&slow, &queue, 128 * KB));
	assert_true(suo_wred_hit(&slow, &queue, 128 * KB));
	/* and down: 56 */
	assert_false(suo_wred_hit(&slow, &queue, 0));
	assert_int_equal(queue.average_q16 >> 16, 56 * KB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_curve),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_independent),
		cmocka_unit_test(test_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
