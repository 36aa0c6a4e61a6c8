// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The link law and what it comes to on average. Every expected figure is worked
 * out by hand from the definitions in link.h and goodput.h; where nothing else is
 * said a byte takes a nanosecond (8000 Mb/s).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/cluster/goodput.h"
#include "model/analytic/net.h"
#include "model/core/link.h"
#include "model/core/rand.h"

#define NS	1000ull
#define RATE	8000

static struct suo_link_result transmit(const struct suo_link_law *law,
				       struct suo_link_clock *src,
				       struct suo_link_clock *dst, u64 ready_ps,
				       u64 bytes)
{
	struct suo_link_result res;

	suo_link_reserve(law, src, dst, ready_ps, bytes, &res);
	return res;
}

static void near(double value, double expected, double most)
{
	if (!(fabs(value - expected) <= most))
		fail_msg("%.9g, not %.9g", value, expected);
}

/* Share of payload in whole packets, in 10^-5. */
static unsigned int efficiency(const struct suo_link_law *law)
{
	u64 payload = 628ull * 240 * 4096 * law->max_payload_bytes;

	return 100000.0 * payload / suo_link_wire_bytes(law, payload) + 0.5;
}

static void test_framing(void **state)
{
	/* 256 / (256 + 16) */
	const struct suo_link_law nvlink = {
		.max_payload_bytes = 256, .header_bytes = 16, .flit_bytes = 16,
	};
	/* 64 / 64 * 628 / 640 */
	const struct suo_link_law ualink = {
		.max_payload_bytes = 256, .flit_bytes = 64,
		.frame_bytes = 640, .frame_payload_bytes = 628,
	};
	/* 64 / 80 * 64 / 68: a header slot of 16 bytes, 68-byte flits */
	const struct suo_link_law cxl2 = {
		.max_payload_bytes = 64, .header_bytes = 16, .flit_bytes = 16,
		.frame_bytes = 68, .frame_payload_bytes = 64,
	};
	/* 64 / 80 * 240 / 256 */
	const struct suo_link_law cxl3 = {
		.max_payload_bytes = 64, .header_bytes = 16, .flit_bytes = 16,
		.frame_bytes = 256, .frame_payload_bytes = 240,
	};
	/* 4096 / 4178, 1024 / 1106, 256 / 338 */
	struct suo_link_law roce = {
		.max_payload_bytes = 4096, .header_bytes = 82,
		.min_packet_bytes = 84,
	};
	/* 256 / 290: header 10, preamble and gap 20, FCS 4 */
	const struct suo_link_law sue = {
		.max_payload_bytes = 256, .header_bytes = 34,
		.min_packet_bytes = 84,
	};

	assert_int_equal(efficiency(&nvlink), 94118);
	assert_int_equal(efficiency(&ualink), 98125);
	assert_int_equal(efficiency(&cxl2), 75294);
	assert_int_equal(efficiency(&cxl3), 75000);
	assert_int_equal(efficiency(&roce), 98037);
	roce.max_payload_bytes = 1024;
	assert_int_equal(efficiency(&roce), 92586);
	roce.max_payload_bytes = 256;
	assert_int_equal(efficiency(&roce), 75740);
	assert_int_equal(efficiency(&sue), 88276);

	/* 8 bytes: Ethernet's least frame; one 16-byte flit and a header's; 34
	 * and 32 bytes of 64 * 68 / 64 and 32 * 256 / 240 = 34.13.
	 */
	assert_int_equal(suo_link_wire_bytes(&sue, 8), 84);
	assert_int_equal(suo_link_wire_bytes(&sue, 50), 84);
	assert_int_equal(suo_link_wire_bytes(&sue, 51), 85);
	assert_int_equal(suo_link_wire_bytes(&nvlink, 8), 32);
	assert_int_equal(suo_link_wire_bytes(&cxl2, 8), 34);
	assert_int_equal(suo_link_wire_bytes(&cxl3, 8), 35);
	/* 64 * 640 / 628 = 65.2 */
	assert_int_equal(suo_link_wire_bytes(&ualink, 8), 66);
	assert_int_equal(suo_link_packets(&sue, 0), 1);
	assert_int_equal(suo_link_packets(&sue, 256), 1);
	assert_int_equal(suo_link_packets(&sue, 257), 2);
	assert_int_equal(suo_link_packets(&sue, 16384), 64);
}

/* Frames that leave no room, or more than they have, are none. */
static void test_useless_frames(void **state)
{
	struct suo_link_law law = { .frame_bytes = 64 };

	assert_int_equal(suo_link_wire_bytes(&law, 1000), 1000);
	law.frame_payload_bytes = 64;
	assert_int_equal(suo_link_wire_bytes(&law, 1000), 1000);
	law.frame_payload_bytes = 65;
	assert_int_equal(suo_link_wire_bytes(&law, 1000), 1000);
	law.frame_payload_bytes = 32;
	assert_int_equal(suo_link_wire_bytes(&law, 1000), 2000);
}

static void test_latency(void **state)
{
	const struct suo_link_law law = {
		.endpoint_ps = 1, .stages = 3, .switch_ps = 10, .fec_ps = 100,
		.propagation_ps = 1000,
	};

	assert_int_equal(suo_link_latency_ps(&law), 1 + 30 + 4 * 1100);
}

/*
 * Eight senders, 1000 bytes each, into one port with room for 2500: the port works
 * through them in order; a sender has got rid of its last byte when no more than
 * 2500 are left to go out, or at 1000 ns, when it has sent it.
 */
static void test_incast(void **state)
{
	const struct suo_link_law law = {
		.rate_mbps = RATE, .endpoint_ps = 7, .buffer_bytes = 2500,
	};
	struct suo_link_clock src[8] = { 0 }, to = { 0 };

	for (u64 i = 0; i < 8; i++) {
		struct suo_link_result res = transmit(&law, &src[i], &to, 0, 1000);
		u64 out = (i + 1) * 1000, free = out > 3500 ? out - 2500 : 1000;

		assert_int_equal(res.arrival_ps, out * NS + 7);
		assert_int_equal(res.queue_ps, i * 1000 * NS);
		assert_int_equal(src[i].tx_free_ps, free * NS);
		assert_int_equal(res.stall_ps, (free - 1000) * NS);
	}
}

/* A sender with data for a busy and for an idle port: without room in the switch
 * the second waits behind the first, with room it does not.
 */
static void test_head_of_line(void **state)
{
	struct suo_link_law law = { .rate_mbps = RATE };

	for (int room = 0; room <= 1; room++) {
		struct suo_link_clock a = { 0 }, b = { 0 }, busy = { 0 };
		struct suo_link_clock idle = { 0 };

		law.buffer_bytes = room * 5000;
		transmit(&law, &a, &busy, 0, 4000);
		assert_int_equal(transmit(&law, &b, &busy, 0, 1000).arrival_ps,
				 5000 * NS);
		assert_int_equal(transmit(&law, &b, &idle, 0, 1000).arrival_ps,
				 (room ? 2000 : 6000) * NS);
	}
}

/* Any cut of a transmission from idle ends with the same byte at the same time. */
static void test_credits(void **state)
{
	const struct suo_link_law law = {
		.rate_mbps = RATE, .credit_bytes = 4096,
		.credit_rtt_ps = 10240 * NS,
	};
	const u64 end = 4096 + (65536 - 4096) * 10240 / 4096;

	for (u64 piece = 1024; piece <= 65536; piece *= 2) {
		struct suo_link_clock src = { 0 };
		u64 stall = 0;

		for (u64 sent = 0; sent < 65536; sent += piece)
			stall += transmit(&law, &src, NULL, 0, piece).stall_ps;
		assert_int_equal(src.tx_free_ps, end * NS);
		assert_int_equal(stall, (end - 65536) * NS);
	}
	assert_int_equal(suo_credit_end_ps(&law, 65536), end * NS);
	/* Within the window nothing is held back. */
	assert_true(suo_credit_end_ps(&law, 4096) <= 4096 * NS);
	/* 4096 B in 10240 ns */
	near(suo_goodput_mbps(&law, 16384), 3200, 1e-6);
}

/* Two flows that credits hold to 40 % share a port of 100 % undisturbed. */
static void test_credits_leave_room(void **state)
{
	const struct suo_link_law law = {
		.rate_mbps = RATE, .credit_bytes = 4096,
		.credit_rtt_ps = 10240 * NS, .buffer_bytes = 4096,
	};
	struct suo_link_clock src[2] = { 0 }, to = { 0 };
	u64 alone = 4096 + 63 * 10240;

	for (int i = 0; i < 64; i++)
		for (int s = 0; s < 2; s++)
			transmit(&law, &src[s], &to, 0, 4096);
	for (int s = 0; s < 2; s++)
		assert_in_range(src[s].tx_free_ps, alone * NS,
				(alone + 4096) * NS);
	/* Credits that are back in time change nothing. */
	assert_int_equal(suo_credit_end_ps(&(struct suo_link_law) {
			 .rate_mbps = RATE, .credit_bytes = 4096,
			 .credit_rtt_ps = 4096 * NS }, 1 << 20), 0);
}

/* log2 by the library. */
static void test_log2(void **state)
{
	u64 random = 1;

	for (int i = 0; i < 100000; i++) {
		u64 x = suo_rand(&random) >> (i % 64);
		double exact, ours;

		if (!x)
			continue;
		exact = (double)log2l(x) * (1 << SUO_LOG_BITS);
		ours = suo_log2(x);
		if (ours > exact + 0.01 || ours < exact - 2)
			fail_msg("log2(%llu): %f, not %f", (unsigned long long)x,
				 ours, exact);
	}
}

/*
 * 10^6 gaps of one in 1000: mean 1000.5, standard deviation 1000, so that of the
 * mean is 1; a gap is over 3000 with exp(-3) = 0.049787, s.d. 217 of 49787.
 */
static void test_gaps(void **state)
{
	u64 random = 42, sum = 0, longer = 0;

	for (int i = 0; i < 1000000; i++) {
		u64 gap = suo_rand_gap(&random, 1000000000000ull);

		assert_true(gap >= 1);
		sum += gap;
		longer += gap > 3000;
	}
	assert_in_range(sum / 1000, 1000500 - 5000, 1000500 + 5000);
	assert_in_range(longer, 49787 - 5 * 217, 49787 + 5 * 217);
}

/* Goodput of a flow of 64 MiB, as a share of that without errors. */
static double measured(struct suo_link_law law, u64 seed)
{
	struct suo_link_clock src = { .id = 7 }, dst = { 0 };
	u64 clean;

	law.seed = seed;
	for (int i = 0; i < 4096; i++)
		assert_false(transmit(&law, &src, &dst, 0, 16384).lost);
	clean = 4096 * suo_link_ser_ps(&law, suo_link_wire_bytes(&law, 16384));
	return (double)clean / src.tx_free_ps;
}

/*
 * By hand. NVLink 4 at 1e-6: 272 bytes are 2176 bits, p = 1 - exp(-0.002176) =
 * 0.00217363. llr: 0.997826. Going back for 200 ns, 351.56 packets of 568.9 ps:
 * (1 - p) / (1 + 351.56 p) = 0.565607. RoCE's framing at 1e-6: 33424 bits, p =
 * 0.0328716; llr 0.967128. Over 262144 packets the number of repeats has a
 * relative standard deviation of about 1 / sqrt(262144 p).
 */
static void test_error_goodput(void **state)
{
	struct suo_link_law nvlink = {
		.rate_mbps = 3825000, .max_payload_bytes = 256,
		.header_bytes = 16, .flit_bytes = 16,
		.errors_per_pbit = 1000000000, .retry_ps = 200 * NS,
		.retry = SUO_LINK_LLR,
	};
	struct suo_link_law roce = {
		.rate_mbps = 400000, .max_payload_bytes = 4096,
		.header_bytes = 82, .errors_per_pbit = 1000000000,
		.retry = SUO_LINK_LLR,
	};

	near(suo_retry_share(&nvlink, 16384), 0.997826, 1e-6);
	near(measured(nvlink, 1), 0.997826, 5 * 0.00009);
	nvlink.retry = SUO_LINK_GBN;
	near(suo_retry_share(&nvlink, 16384), 0.565607, 1e-4);
	near(measured(nvlink, 2), 0.565607, 5 * 0.011);

	near(suo_retry_share(&roce, 16384), 0.967128, 1e-6);
	near(measured(roce, 3), 0.967128, 5 * 0.0014);
	/* At 1e-9 less than a packet in 10^4 is hit. */
	roce.errors_per_pbit = 1000000;
	near(suo_retry_share(&roce, 16384), 1 - 3.3423e-5, 1e-8);
	near(measured(roce, 4), 1, 1e-3);
}

/*
 * Without retry a segment of 4 packets of 4178 bytes at 1e-7 is lost with p = 1 -
 * exp(-133696e-7) = 0.0132806. It takes 334.24 ns at 400 Gb/s; going back to it,
 * 334.24 + 2 * 500 + 1.68 ns more: 0.9867194 / (1 + 0.0132806 * 3.9969) = 0.93698.
 */
static void test_loss(void **state)
{
	const struct suo_link_law law = {
		.rate_mbps = 400000, .endpoint_ps = 500 * NS,
		.max_payload_bytes = 4096, .header_bytes = 82,
		.min_packet_bytes = 84, .errors_per_pbit = 100000000,
	};
	struct suo_link_law average;
	struct suo_link_clock src = { 0 };
	int lost = 0;

	near(suo_packet_error_rate(&law, 16712), 0.0132806, 1e-7);
	near(suo_retry_share(&law, 16384), 0.93698, 1e-4);
	for (int i = 0; i < 100000; i++)
		lost += transmit(&law, &src, NULL, 0, 16384).lost;
	/* Standard deviation 36 */
	assert_in_range(lost, 1328 - 180, 1328 + 180);
	assert_int_equal(src.tx_free_ps, 100000 * 334240ull);

	suo_link_on_average(&law, 16384, &average);
	assert_int_equal(average.errors_per_pbit, 0);
	assert_in_range(average.rate_mbps, 374792 - 50, 374792 + 50);
}

/*
 * With llr what follows a packet that was hit waits for it, but not for the port's
 * own queue: here only the last packet of the first transmission is hit.
 */
static void test_llr_order(void **state)
{
	const struct suo_link_law law = {
		.rate_mbps = RATE, .max_payload_bytes = 1000,
		.errors_per_pbit = 1, .retry = SUO_LINK_LLR,
		.retry_ps = 5000 * NS,
	};
	/* The 3500th byte is hit; then there is nothing for long. */
	struct suo_link_clock src = {
		.errors_per_pbit = 1, .error_bits = 3500 * 8,
	};
	struct suo_link_clock busy = { .rx_free_ps = 0 }, idle = { 0 };
	struct suo_link_result res = transmit(&law, &src, &busy, 0, 4000);

	/* At 4000 it has left, at 9000 it leaves again, for another 1000. */
	assert_int_equal(res.retries, 1);
	assert_int_equal(res.arrival_ps, 10000 * NS);
	assert_int_equal(src.tx_free_ps, 5000 * NS);
	res = transmit(&law, &src, &idle, 0, 1000);
	assert_int_equal(res.retries, 0);
	assert_int_equal(res.arrival_ps, 10000 * NS);
	res = transmit(&law, &src, &idle, 0, 6000);
	assert_int_equal(res.arrival_ps, 12000 * NS);

	/* In the middle of a transmission it costs its own time only. */
	src = (struct suo_link_clock) {
		.errors_per_pbit = 1, .error_bits = 8,
	};
	res = transmit(&law, &src, NULL, 0, 20000);
	assert_int_equal(res.retries, 1);
	assert_int_equal(res.arrival_ps, 21000 * NS);
}

/* A seed says all; ports and seeds differ. */
static void test_seeds(void **state)
{
	struct suo_link_law law = {
		.rate_mbps = RATE, .max_payload_bytes = 256,
		.errors_per_pbit = 10000000000ull, .retry = SUO_LINK_GBN,
		.retry_ps = 1,
	};
	u64 time[4];

	for (int i = 0; i < 4; i++) {
		struct suo_link_clock src = { .id = i == 2 };

		law.seed = i == 3;
		for (int n = 0; n < 100; n++)
			transmit(&law, &src, NULL, 0, 16384);
		time[i] = src.tx_free_ps;
	}
	assert_int_equal(time[0], time[1]);
	assert_int_not_equal(time[0], time[2]);
	assert_int_not_equal(time[0], time[3]);
}

/* A packet that is always hit is given up, and the work has a bound. */
static void test_hopeless_link(void **state)
{
	const struct suo_link_law law = {
		.rate_mbps = RATE, .max_payload_bytes = 1 << 20,
		.errors_per_pbit = SUO_LINK_MAX_ERRORS_PER_PBIT,
		.retry = SUO_LINK_LLR,
	};
	const struct suo_link_law bytes = {
		.rate_mbps = RATE, .max_payload_bytes = 500,
		.errors_per_pbit = SUO_LINK_MAX_ERRORS_PER_PBIT,
		.retry = SUO_LINK_LLR,
	};
	struct suo_link_clock src = { 0 }, other = { 0 };
	struct suo_link_result res = transmit(&law, &src, NULL, 0, 1 << 20);

	assert_true(res.lost);
	assert_int_equal(res.retries, SUO_LINK_MAX_TRIES - 1);
	assert_int_equal(src.tx_free_ps, SUO_LINK_MAX_TRIES * (NS << 20));
	res = transmit(&bytes, &other, NULL, 0, 1 << 20);
	assert_true(res.lost);
	assert_true(res.retries < SUO_LINK_MAX_HITS * 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_framing),
		cmocka_unit_test(test_useless_frames),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_incast),
		cmocka_unit_test(test_head_of_line),
		cmocka_unit_test(test_credits),
		cmocka_unit_test(test_credits_leave_room),
		cmocka_unit_test(test_log2),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_error_goodput),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_llr_order),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_hopeless_link),
	};

	return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
