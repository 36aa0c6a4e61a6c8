// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Strict priority and deficit round robin: order and shares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/core/rand.h"
#include "model/core/sched.h"

static void test_strict(void **state)
{
	const struct suo_sched_law law = { .strict = 0xc0, .weight = { 1, 1 } };
	struct suo_sched sched = { 0 };
	u32 head[SUO_SCHED_QUEUES] = { 100, 100, 0, 0, 0, 0, 100, 100 };

	assert_int_equal(suo_sched_pick(&law, &sched, 0xc3, head), 7);
	assert_int_equal(suo_sched_pick(&law, &sched, 0x43, head), 6);
	assert_in_range(suo_sched_pick(&law, &sched, 0x03, head), 0, 1);
}

/* Packets of 256 and weights of 2 and 1: two of the one, one of the other. */
static void test_order(void **state)
{
	static const u32 expected[] = { 0, 0, 3, 0, 0, 3 };
	const struct suo_sched_law law = { .weight = { 2, 0, 0, 1 } };
	u32 head[SUO_SCHED_QUEUES] = { 256, 0, 0, 256 };
	struct suo_sched sched = { 0 };

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(suo_sched_pick(&law, &sched, 9, head), expected[i]);
}

/* Shares follow weights whatever the packets' lengths: to a packet in a million. */
static void test_shares(void **state)
{
	const struct suo_sched_law law = { .weight = { 10, 0, 0, 50, 15, 25 } };
	const u32 ready = 0x39;
	struct suo_sched sched = { 0 };
	u64 random = 3, sent[SUO_SCHED_QUEUES] = { 0 }, total = 0;
	u32 head[SUO_SCHED_QUEUES];

	for (int q = 0; q < SUO_SCHED_QUEUES; q++)
		head[q] = 64 + suo_rand(&random) % 9000;
	for (int i = 0; i < 200000; i++) {
		u32 q = suo_sched_pick(&law, &sched, ready, head);

		assert_true(ready >> q & 1);
		sent[q] += head[q];
		total += head[q];
		/* One sends short packets only, another long ones. */
		head[q] = q == 0 ? 64 : q == 3 ? 9064 :
			  64 + suo_rand(&random) % 9000;
	}
	for (int q = 0; q < SUO_SCHED_QUEUES; q++)
		if (ready >> q & 1)
			assert_in_range(sent[q] * 100000 / total,
					law.weight[q] * 1000 - 100,
					law.weight[q] * 1000 + 100);
}

/* A queue that had nothing to send is not owed anything. */
static void test_no_saving(void **state)
{
	const struct suo_sched_law law = { .weight = { 4, 4 } };
	u32 head[SUO_SCHED_QUEUES] = { 1024, 1024 };
	struct suo_sched sched = { 0 };
	int ones = 0;

	for (int i = 0; i < 1000; i++)
		assert_int_equal(suo_sched_pick(&law, &sched, 1, head), 0);
	for (int i = 0; i < 100; i++)
		ones += suo_sched_pick(&law, &sched, 3, head);
	assert_in_range(ones, 49, 51);
}

/*
 * What is left of a quantum is lost by a queue that goes empty. Quanta of 1024: queue 0
 * sends 600 and has 424 left, then nothing; with these it could send 1400 in the next
 * round, without them in the one after.
 */
static void test_left_over(void **state)
{
	const struct suo_sched_law law = { .weight = { 4, 4 } };
	u32 head[SUO_SCHED_QUEUES] = { 600, 1024 };
	struct suo_sched sched = { 0 };

	assert_int_equal(suo_sched_pick(&law, &sched, 1, head), 0);
	assert_int_equal(suo_sched_pick(&law, &sched, 2, head), 1);
	assert_int_equal(suo_sched_pick(&law, &sched, 2, head), 1);
	head[0] = 1400;
	assert_int_equal(suo_sched_pick(&law, &sched, 3, head), 1);
	assert_int_equal(suo_sched_pick(&law, &sched, 3, head), 0);
}

/* The smallest weight and the longest packet: no loop over 65536 / 256 rounds. */
static void test_small_weights(void **state)
{
	const struct suo_sched_law law = { .weight = { 1, 3 } };
	u32 head[SUO_SCHED_QUEUES] = { 16u << 20, 16u << 20 };
	struct suo_sched sched = { 0 };
	int ones = 0;

	for (int i = 0; i < 4000; i++)
		ones += suo_sched_pick(&law, &sched, 3, head);
	assert_in_range(ones, 2999, 3001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_no_saving),
		cmocka_unit_test(test_left_over),
		cmocka_unit_test(test_small_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
