// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* NSCC: the four cases by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/core/nscc.h"

#define US	1000000ull	/* picoseconds */

/*
 * 100 Gb/s and 12 us are the reference: a = 1, the product 150000 bytes, b = 0.75.
 * alpha mss a b = 4 * 4096 * 0.75 = 12288, fi mss a = 20480, eta mss a = 614.
 */
static struct suo_nscc make(struct suo_nscc_law *law)
{
	struct suo_nscc flow;

	suo_nscc_default(law);
	suo_nscc_init(law, &flow, 100000000, 12 * US, 0);
	return flow;
}

/* The window after eight acknowledgments of 4096 bytes, from 100000. */
static u64 after_eight(u64 rtt_ps, bool marked)
{
	struct suo_nscc_law law;
	struct suo_nscc flow = make(&law);

	flow.window_bytes = 100000;
	for (int i = 0; i < 8; i++)
		suo_nscc_ack(&law, &flow, 4096, rtt_ps, marked, i);
	return flow.window_bytes;
}

static void test_constants(void **state)
{
	struct suo_nscc_law law;
	struct suo_nscc flow = make(&law);

	assert_int_equal(flow.bdp_bytes, 150000);
	assert_int_equal(flow.target_ps, 9 * US);
	assert_int_equal(flow.prop_bytes, 12288);
	assert_int_equal(flow.fair_bytes, 20480);
	assert_int_equal(flow.eta_bytes, 614);
	assert_int_equal(flow.window_bytes, 225000);
}

/* With a third of the target as delay: inc = 12288 * 2/3 * 32768, over W 2684; and eta. */
static void test_proportional(void **state)
{
	assert_int_equal(after_eight(15 * US, false), 100000 + 2684 + 614);
}

/* No mark, but late: fair increase, 20480 * 32768 / 100000 = 6710. */
static void test_fair(void **state)
{
	assert_int_equal(after_eight(30 * US, false), 100000 + 6710 + 614);
}

/* Marked, and late by three times the target on average: 1 - 0.8 * 2/3 is less than
 * a half; by 1.5 times: 1 - 0.8 / 3. Once in a round trip.
 */
static void test_decrease(void **state)
{
	struct suo_nscc_law law;
	struct suo_nscc flow = make(&law);

	flow.window_bytes = 200000;
	flow.average_ps = 27 * US;
	suo_nscc_ack(&law, &flow, 0, (12 + 27) * US, true, 12 * US);
	assert_int_equal(flow.window_bytes, 100000 + 614);
	suo_nscc_ack(&law, &flow, 0, (12 + 27) * US, true, 13 * US);
	assert_int_equal(flow.window_bytes, 100000 + 614);

	flow = make(&law);
	flow.window_bytes = 150000;
	flow.average_ps = 13500000;
	suo_nscc_ack(&law, &flow, 0, 12 * US + 13500000, true, 12 * US);
	/* 150000 - 40000, give or take the rounding of the mean */
	assert_in_range(flow.window_bytes, 110000 + 614 - 1, 110000 + 614 + 1);
}

/* Marked but in time: nothing but eta. */
static void test_marked_in_time(void **state)
{
	assert_int_equal(after_eight(15 * US, true), 100000 + 614);
}

static void test_bounds(void **state)
{
	struct suo_nscc_law law;
	struct suo_nscc flow = make(&law);

	suo_nscc_lost(&law, &flow, 1000000000);
	assert_int_equal(flow.window_bytes, 4096);
	for (int i = 0; i < 10000; i++)
		suo_nscc_ack(&law, &flow, 4096, 12 * US, false, i * US);
	assert_int_equal(flow.window_bytes, 225000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_proportional),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_decrease),
		cmocka_unit_test(test_marked_in_time),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
