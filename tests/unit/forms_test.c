// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Formulas of collectives, hash collisions, pauses, marks and losses, against values
 * worked out by hand, by another way of counting, or by a generator of chance.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/balls.h"
#include "model/analytic/congestion.h"
#include "model/analytic/forms.h"
#include "model/core/rand.h"

static void near(double got, double want, double share)
{
	if (!(fabs(got - want) <= share * fabs(want) + 1e-12))
		fail_msg("%.12g, expected %.12g", got, want);
}

/* A step of 2 us, 100 MB/s... 1000 bytes a microsecond; a vector of 8000 bytes. */
static void test_allreduce(void **state)
{
	/* Eight ranks: 14 steps; 14 parts of 1000 bytes. */
	near(suo_form_us(suo_form_ring_allreduce(8, 8000), 2, 1000), 28 + 14, 1e-12);
	near(suo_form_us(suo_form_ring_gather(8, 8000), 2, 1000), 14 + 7, 1e-12);
	/* 4000, 2000, 1000 and back. */
	near(suo_form_us(suo_form_rhd_allreduce(8, 8000), 2, 1000), 12 + 14, 1e-12);
	/* Nine: one more gives 8000 away and gets 8000. */
	near(suo_form_us(suo_form_rhd_allreduce(9, 8000), 2, 1000), 16 + 30, 1e-12);
	near(suo_form_us(suo_form_direct_allreduce(8, 8000), 2, 1000), 4 + 14, 1e-12);
	near(suo_form_us(suo_form_oneshot_allreduce(8, 8000), 2, 1000), 2 + 56, 1e-12);
	/* There and back at once, over a switch that reduces at 80 % of the rate. */
	near(suo_form_us(suo_form_in_network(8000, 0.8), 2, 1000), 4 + 10, 1e-12);
	/* One rank has nothing to do. */
	near(suo_form_us(suo_form_ring_allreduce(1, 8000), 2, 1000), 0, 0);
	near(suo_form_us(suo_form_rhd_allreduce(1, 8000), 2, 1000), 0, 0);
	near(suo_form_us(suo_form_direct_allreduce(1, 8000), 2, 1000), 0, 0);
}

/* Seven ranks: trees of height 3. 4 parts: 2 (6 + 3) steps of 2 us and 2000 bytes. */
static void test_two_trees(void **state)
{
	double best, parts;

	near(suo_form_us(suo_form_two_trees(7, 8000, 4), 2, 1000), 18 * (2 + 2), 1e-12);
	/* Eight ranks need a fourth level. */
	near(suo_form_us(suo_form_two_trees(8, 8000, 4), 2, 1000), 22 * (2 + 2), 1e-12);
	/* No other number of parts is better than the optimum. */
	parts = suo_form_two_trees_parts(100, 1e6, 2, 1000);
	best = suo_form_us(suo_form_two_trees(100, 1e6, parts), 2, 1000);
	for (double c = 1; c < 1000; c++)
		assert_true(suo_form_us(suo_form_two_trees(100, 1e6, c), 2, 1000) >=
			    best - 1e-9);
}

/*
 * Three stages of 10, 6 and 10 us with 1 us of latency each, the first and the third
 * on the same link. Unpipelined 29. In two parts: 6 + 4 + 6 and once more the link,
 * 12.
 */
static void test_pipelined(void **state)
{
	const struct suo_stage stage[] = {
		{ 1, 10, 0 }, { 1, 6, 1 }, { 1, 10, 0 },
	};
	unsigned int busiest;
	double parts;

	near(suo_form_pipelined(stage, 3, 1, &busiest), 29, 1e-12);
	near(suo_form_pipelined(stage, 3, 2, &busiest), 16 + 12, 1e-12);
	assert_int_equal(busiest, 0);
	near(suo_form_pipelined(stage, 3, 4, NULL),
	     3 + 26 / 4.0 + 3 * (2 + 20 / 4.0), 1e-12);
	/* Of powers of two, two parts are best, as trying them all shows. */
	parts = suo_form_best_parts(stage, 3);
	for (double c = 1; c <= 1048576; c *= 2)
		assert_true(suo_form_pipelined(stage, 3, c, NULL) >=
			    suo_form_pipelined(stage, 3, parts, NULL));
	near(parts, 2, 0);
}

/* max(U, O) <= T <= U + O, whatever the stages; and the optimum is one. */
static void test_pipelined_bounds(void **state)
{
	u64 random = 5;

	for (int i = 0; i < 20000; i++) {
		struct suo_stage stage[3];
		double sum = 0, turn[2] = { 0 }, least = INFINITY, got, parts;

		for (int s = 0; s < 3; s++) {
			stage[s].latency_us = 0.1 + suo_rand(&random) % 1000 / 50.0;
			stage[s].rate_us = suo_rand(&random) % 100000 / 10.0;
			stage[s].resource = s % 2;
			sum += stage[s].latency_us + stage[s].rate_us;
			turn[s % 2] += stage[s].latency_us + stage[s].rate_us;
		}
		parts = suo_form_best_parts(stage, 3);
		got = suo_form_pipelined(stage, 3, parts, NULL);
		for (double c = 1; c <= 1048576; c *= 2)
			least = fmin(least, suo_form_pipelined(stage, 3, c, NULL));
		near(got, least, 1e-12);
		assert_true(got <= sum * (1 + 1e-12));
		assert_true(got >= fmax(turn[0], turn[1]) * (1 - 1e-12));
	}
}

/* 32 ranks, eight to a domain, eight rails, 32 MB: 1 MB for each. */
static void test_alltoall(void **state)
{
	struct suo_alltoall a = suo_form_alltoall(32, 8, 8, 32e6);

	near(a.up_bytes, 7e6, 1e-12);
	near(a.out_bytes, 24e6, 1e-12);
	near(a.forward_bytes, 21e6, 1e-12);
	near(suo_form_alltoall(32, 8, 1, 32e6).forward_bytes, 0, 0);
	/* DeepSeek-V3: 4096 tokens of 7168 in FP8, top 8, but 4 nodes at most. */
	near(suo_form_moe_bytes(4096, 8, 4, 7168, 1, 1), 117440512, 1e-12);
	near(suo_form_moe_bytes(4096, 8, 0, 7168, 1, 1), 234881024, 1e-12);
	near(suo_form_moe_bytes(4096, 2, 4, 7168, 2, 1.5), 176160768, 1e-12);
}

static void test_small_forms(void **state)
{
	/* 16 channels of 20 are less than 8 NICs of 50. */
	near(suo_form_nic_rate(16, 20, 8, 50), 320, 1e-12);
	near(suo_form_nic_rate(32, 20, 8, 50), 400, 1e-12);
	/* o_s 1, L 3, G 0.01, o_r 2: eager, and with a handshake of 2 L. */
	near(suo_form_loggops_us(1, 3, 0.01, 2, 101, 101), 7, 1e-12);
	near(suo_form_loggops_us(1, 3, 0.01, 2, 102, 101), 13.01, 1e-12);
	near(suo_form_loggops_us(1, 3, 0.01, 2, 0, 101), 6, 1e-12);
}

/*
 * Two flows, two links: apart in half of the cases. Three flows on three links: 6 of
 * 27 ways are one each; in 3 all are together.
 */
static void test_balls(void **state)
{
	near(suo_balls_at_most(2, 2, 1), 0.5, 1e-12);
	near(suo_balls_at_most(3, 3, 1), 6 / 27.0, 1e-12);
	near(suo_balls_at_most(3, 3, 2), 24 / 27.0, 1e-12);
	near(suo_balls_at_most(3, 3, 3), 1, 0);
	near(suo_balls_at_most(5, 2, 2), 0, 0);
	near(suo_balls_at_most(7, 1, 7), 1, 0);
	near(suo_balls_at_most(0, 4, 0), 1, 0);
	/* (1 (6 of 27) + 2 (18) + 3 (3)) / 27 */
	near(suo_balls_mean(3, 3), 51 / 27.0, 1e-9);
	assert_int_equal(suo_balls_max(3, 3, 1, 0.5), 2);
	assert_int_equal(suo_balls_max(3, 3, 1, 0.95), 3);
	/* In 100 groups one of them is almost surely all together: (24/27)^100. */
	assert_int_equal(suo_balls_max(3, 3, 100, 0.01), 3);
	assert_int_equal(suo_balls_max(0, 3, 1, 0.5), 0);
	assert_int_equal(suo_spray_max(9, 4), 3);
	near(suo_spray_reorder_bytes(2, 50000), 100000, 1e-12);
}

/* What a generator of chance shows, for exact counting and for Poisson's. */
static void check_balls(uint32_t flows, uint32_t links, uint64_t seed)
{
	enum { ROUNDS = 4000 };
	u64 random = seed;
	unsigned int seen[64] = { 0 };
	uint32_t *load = calloc(links, sizeof(*load));
	double mean = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint32_t most = 0;

		memset(load, 0, links * sizeof(*load));
		for (uint32_t f = 0; f < flows; f++) {
			uint32_t l = suo_rand(&random) % links;

			if (++load[l] > most)
				most = load[l];
		}
		assert_true(most < 64);
		seen[most]++;
		mean += (double)most / ROUNDS;
	}
	free(load);
	/* Five deviations of a mean of so many rounds, each of less than 1.5. */
	if (fabs(suo_balls_mean(flows, links) - mean) > 5 * 1.5 / sqrt(ROUNDS))
		fail_msg("%u on %u: %f, not %f", flows, links,
			 suo_balls_mean(flows, links), mean);
	for (unsigned int x = 0, below = 0; x < 64; x++) {
		double p = suo_balls_at_most(flows, links, x);

		below += seen[x];
		if (fabs(p - (double)below / ROUNDS) > 5 * 0.5 / sqrt(ROUNDS) + 0.005)
			fail_msg("%u on %u at most %u: %f, not %f", flows, links, x,
				 p, (double)below / ROUNDS);
	}
}

/* Levin's representation against exact counting, from sparse to crowded. */
static void test_balls_about(void **state)
{
	static const struct { uint32_t flows, links; } cases[] = {
		{ 64, 64 }, { 256, 64 }, { 512, 16 }, { 500, 200 }, { 128, 8 },
		{ 8, 8 }, { 8, 64 }, { 32, 64 }, { 32, 16 }, { 24, 100 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t n = cases[i].flows, m = cases[i].links;

		for (uint32_t x = n / m + !(n / m); x < n / m + 30; x++) {
			double want = suo_balls_at_most(n, m, x);

			if (fabs(suo_balls_about(n, m, x) - want) > 0.003)
				fail_msg("%u on %u at most %u: %f, not %f", n, m, x,
					 suo_balls_about(n, m, x), want);
		}
	}
	/* Large numbers stay in range: 64 Ki flows on 64 links, mean 1024. */
	assert_in_range(suo_balls_max(65536, 64, 1, 0.5), 1024 + 60, 1024 + 100);
}

static void test_balls_by_chance(void **state)
{
	check_balls(64, 64, 1);
	check_balls(256, 16, 2);
	check_balls(512, 64, 3);
	check_balls(1024, 64, 4);
}

/* 300 into 100: paused for two thirds, so a victim has a third left. */
static void test_pfc(void **state)
{
	near(suo_pfc_pause_share(100, 300), 2 / 3.0, 1e-12);
	near(suo_pfc_pause_share(100, 80), 0, 0);
	near(suo_pfc_victim_rate(100, 300, 400), 400 / 3.0, 1e-12);
	/* 50 kB at 50 kB/us, and 2 us until the word is through. */
	near(suo_pfc_pause_us(100e3, 50e3, 50e3, 2), 3, 1e-12);
}

/*
 * 100 Gb/s over 40 m by hand: cells of 192 hold 64 bytes, so 3 times; on the cable
 * 2 * 40 * 100000 * 10^9 / 1.98e8 / 8192 = 4932.13; response 394 * 64 = 25216.
 * 1024 + 3 (9100 + 4932.13 + 820 + 25216) = 121228.4: 119 KiB. Pipeline 19 KiB.
 */
static void test_headroom(void **state)
{
	struct suo_headroom h;

	suo_headroom_init(&h, 100000, 40);
	assert_int_equal(suo_pfc_xoff_bytes(&h), 119 * 1024);
	assert_int_equal(suo_pfc_headroom_bytes(&h), 138 * 1024);
	/* No small packets: 1024 + 40068.13 = 41092.1. */
	h.small_percent = 0;
	assert_int_equal(suo_pfc_xoff_bytes(&h), 41 * 1024);
	/* Cells of 128 are reckoned as 2 * 128 / 129. */
	h.small_percent = 100;
	h.cell_bytes = 128;
	assert_int_equal(suo_pfc_xoff_bytes(&h), 79 * 1024);
	/*
	 * 400 Gb/s on 8 lanes, 40 m: 905 * 64 = 57920; cable 19728.5;
	 * 1024 + 3 * 87568.5 = 263729.5: 258 KiB; 37 KiB and 9100 more: 303.9.
	 */
	suo_headroom_init(&h, 400000, 40);
	assert_int_equal(suo_pfc_xoff_bytes(&h), 258 * 1024);
	assert_int_equal(suo_pfc_headroom_bytes(&h), 304 * 1024);
}

/*
 * Packets of 1000 bytes, 40 Gb/s: C = 5e6 a second. R_AI 40 Mb/s: 5000. tau' 55 us,
 * T 55 us, B 10 MB: 10^4 packets, N = 10. pace = 1e-4 + 10 / (55e-6 * 5e6) =
 * 0.0364636; p = cbrt(5000 * 100 / (55e-6 * 2.5e13) * 0.0364636^2) = 0.0078487.
 */
static void test_dcqcn(void **state)
{
	struct suo_congestion con = {
		.lossless	= true,
		.kmin_bytes	= 5000,
		.kmax_bytes	= 200000,
		.pmax_milli	= 100,
		.xoff_bytes	= 300000,
		.dcqcn_on	= true,
		.dcqcn		= {
			.rp_time_reset_ps	= 55000000,
			.rp_byte_reset_bytes	= 10000000,
			.rp_ai_rate_kbps	= 40000,
			.rp_dce_tcp_rtt_ps	= 55000000,
		},
	};
	double p = cbrt(500000 / (55e-6 * 2.5e13) * 0.03646363636 * 0.03646363636);
	struct suo_dcqcn_point point;

	suo_dcqcn_fixed_point(&con, 10, 40000, 1000, &point);
	near(p, 0.0078487, 1e-5);
	near(point.mark_share, p, 1e-6);
	near(point.queue_bytes, 5000 + p / 0.1 * 195000, 1e-6);
	assert_false(point.saturated);
	assert_false(point.paused);
	/* More senders mark more; at last the marks are not enough, then PFC acts. */
	suo_dcqcn_fixed_point(&con, 100, 40000, 1000, &point);
	assert_true(point.saturated);
	assert_true(point.queue_bytes > 200000);
	con.xoff_bytes = 20000;
	suo_dcqcn_fixed_point(&con, 10, 40000, 1000, &point);
	assert_true(point.paused);
	con.lossless = false;
	suo_dcqcn_fixed_point(&con, 10, 40000, 1000, &point);
	assert_false(point.paused);
}

/* One packet of a hundred, 101 under way: half is sent in vain. */
static void test_loss(void **state)
{
	near(suo_loss_gbn_share(0.01, 101), 0.99 / (0.99 + 1.01), 1e-12);
	near(suo_loss_gbn_share(0, 101), 1, 0);
	near(suo_loss_sr_share(0.01), 0.99, 1e-12);
	near(suo_loss_timeout_us(1e-6, 67108.864), 0.067108864, 1e-9);
	near(suo_loss_llr_us(0.01, 0.4), 0.004, 1e-12);
	near(suo_loss_any(0.5, 3), 0.875, 1e-12);
	/* So small that 1 - p is 1 - p to no digit. */
	near(suo_loss_any(1e-17, 1e15), 1 - exp(-0.01), 1e-9);
}

/* The maximum of 1000 exponentials is 7.4855 means on average, H_1000. */
static void test_stragglers(void **state)
{
	near(suo_straggler_gaussian(3, 1000), 3 * sqrt(2 * log(1000)), 1e-12);
	near(suo_straggler_gaussian(3, 1), 0, 0);
	near(suo_straggler_exponential(1, 2), 0.5, 1e-12);
	near(suo_straggler_exponential(2, 1000), 2 * (7.485470860550345 - 1), 1e-9);
	near(suo_straggler_exponential(1, 31), 4.02724519543652 - 1, 1e-9);
	/* 99 % of one is 2.326348 deviations; of exponentials, ln 100 means. */
	near(suo_straggler_gaussian_at(2, 1, 0.99), 2 * 2.3263478740, 1e-9);
	near(suo_straggler_exponential_at(2, 1, 0.99), 2 * (log(100) - 1), 1e-9);
	/* Of 1000, each has to be below with 0.99^(1/1000). */
	near(erfc(-suo_straggler_gaussian_at(1, 1000, 0.99) / M_SQRT2) / 2,
	     pow(0.99, 1e-3), 1e-12);
	near(suo_straggler_steps(3, 1000, 16, false), 48 * sqrt(2 * log(1000)), 1e-12);
	near(suo_straggler_steps(3, 1000, 16, true), 12 * sqrt(2 * log(1000)), 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allreduce),
		cmocka_unit_test(test_two_trees),
		cmocka_unit_test(test_pipelined),
		cmocka_unit_test(test_pipelined_bounds),
		cmocka_unit_test(test_alltoall),
		cmocka_unit_test(test_small_forms),
		cmocka_unit_test(test_balls),
		cmocka_unit_test(test_balls_about),
		cmocka_unit_test(test_balls_by_chance),
		cmocka_unit_test(test_pfc),
		cmocka_unit_test(test_headroom),
		cmocka_unit_test(test_dcqcn),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_stragglers),
	};

	return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
