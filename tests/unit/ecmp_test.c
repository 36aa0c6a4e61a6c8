// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Choice of paths: the distributions that theory expects. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/core/ecmp.h"

#define FLOWS	100000
#define PATHS	16

static struct suo_flow_key flow(u32 n)
{
	return (struct suo_flow_key){
		.src = { 0x0a000000 + n / 64 }, .dst = { 0x0a010000 + n % 64 },
		.src_port = 49152 + n % 7, .dst_port = 4791, .proto = 17,
	};
}

/* Chi-square with 15 degrees of freedom: above 37.7 once in a thousand. */
static double chi2(const u32 *count, u32 paths, double expected)
{
	double sum = 0;

	for (u32 i = 0; i < paths; i++)
		sum += (count[i] - expected) * (count[i] - expected) / expected;
	return sum;
}

static void test_even(void **state)
{
	u32 count[PATHS] = { 0 }, other[PATHS] = { 0 };

	for (u32 n = 0; n < FLOWS; n++) {
		struct suo_flow_key key = flow(n);

		count[suo_ecmp_choose(suo_ecmp_hash(&key, 1), PATHS)]++;
		other[suo_ecmp_choose(suo_ecmp_hash_u64(n, 1), PATHS)]++;
	}
	assert_true(chi2(count, PATHS, FLOWS / (double)PATHS) < 37.7);
	assert_true(chi2(other, PATHS, FLOWS / (double)PATHS) < 37.7);
}

/* Each field counts, each bit of the seed does, and a flow keeps its path. */
static void test_fields(void **state)
{
	struct suo_flow_key key = flow(5), changed = key;
	u64 hash = suo_ecmp_hash(&key, 9);

	assert_true(hash == suo_ecmp_hash(&key, 9));
	for (int bit = 0; bit < 64; bit++)
		assert_true(hash != suo_ecmp_hash(&key, 9 ^ 1ull << bit));
	changed.src[3] = 1;
	assert_true(hash != suo_ecmp_hash(&changed, 9));
	changed = key;
	changed.dst[0]++;
	assert_true(hash != suo_ecmp_hash(&changed, 9));
	changed = key;
	changed.src_port++;
	assert_true(hash != suo_ecmp_hash(&changed, 9));
	changed = key;
	changed.dst_port++;
	assert_true(hash != suo_ecmp_hash(&changed, 9));
}

/*
 * Two tiers of four paths each. With one seed, all that a switch of the second tier
 * gets has the same choice again (polarisation); with two they are independent.
 */
static void test_polarisation(void **state)
{
	u32 same = 0, other = 0, got = 0;

	for (u32 n = 0; n < FLOWS; n++) {
		u64 first = suo_ecmp_hash_u64(n, 1);

		if (suo_ecmp_choose(first, 4) != 2)
			continue;
		got++;
		same += suo_ecmp_choose(suo_ecmp_hash_u64(n, 1), 4) == 2;
		other += suo_ecmp_choose(suo_ecmp_hash_u64(n, 2), 4) == 2;
	}
	assert_int_equal(same, got);
	assert_in_range(other, got / 4 - 300, got / 4 + 300);
}

/*
 * n balls in n bins: the expected maximum for n = 16 is 3.08 (by the distribution of
 * multinomial maxima; ln n / ln ln n = 2.7 is its order), so over 10000 seeds:
 */
static void test_maximum(void **state)
{
	u64 sum = 0;

	for (u64 seed = 0; seed < 10000; seed++) {
		u32 count[PATHS] = { 0 }, most = 0;

		for (u32 n = 0; n < PATHS; n++)
			count[suo_ecmp_choose(suo_ecmp_hash_u64(n, seed), PATHS)]++;
		for (u32 i = 0; i < PATHS; i++)
			most = count[i] > most ? count[i] : most;
		sum += most;
	}
	assert_in_range(sum, 30500, 31100);
}

/* Spraying is ceil(n / m): each round has each path once, in changing order. */
static void test_spray(void **state)
{
	static struct suo_spray spray = { .random = 4 };
	u32 first[PATHS] = { 0 };

	for (int round = 0; round < 16000; round++) {
		u32 seen = 0;

		for (int i = 0; i < PATHS; i++) {
			u32 path = suo_spray_next(&spray, PATHS);

			if (!i)
				first[path]++;
			seen |= 1u << path;
		}
		assert_int_equal(seen, (1u << PATHS) - 1);
	}
	assert_true(chi2(first, PATHS, 1000) < 37.7);
	/* Another number of paths begins anew. */
	assert_in_range(suo_spray_next(&spray, 2), 0, 1);
	assert_int_equal(suo_spray_next(&spray, 1), 0);
}

static void test_least(void **state)
{
	const u64 load[4] = { 5, 3, 3, 9 };
	u32 count[4] = { 0 };
	u64 random = 1;

	for (int i = 0; i < 10000; i++)
		count[suo_ecmp_least(load, 4, &random)]++;
	assert_int_equal(count[0] + count[3], 0);
	assert_in_range(count[1], 4750, 5250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_even),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_polarisation),
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_spray),
		cmocka_unit_test(test_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
