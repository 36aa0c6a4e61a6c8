// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the link law as the kernel compiles it. Every expected figure is
 * worked out by hand from the definitions in link.h; where nothing else is said a
 * byte takes a nanosecond (8000 Mb/s). tests/unit/link_test.c has more cases.
 */
#include <kunit/test.h>

#include "../model/core/link.h"
#include "../model/core/rand.h"

#define NS	1000ull

struct frame_case {
	struct suo_link_law	law;
	u64			payload;
	u64			wire;
	u64			ser_ps;
};

#define NVLINK4		{ .rate_mbps = 3825000, .max_payload_bytes = 256, \
			  .header_bytes = 16, .flit_bytes = 16 }
#define ROCE400		{ .rate_mbps = 400000, .max_payload_bytes = 4096, \
			  .header_bytes = 82, .min_packet_bytes = 84 }
#define UALINK		{ .rate_mbps = 800000, .max_payload_bytes = 256, \
			  .flit_bytes = 64, .frame_bytes = 640, \
			  .frame_payload_bytes = 628 }
#define CXL2		{ .rate_mbps = 512000, .max_payload_bytes = 64, \
			  .frame_bytes = 68, .frame_payload_bytes = 64 }
#define CXL3		{ .rate_mbps = 1024000, .max_payload_bytes = 240, \
			  .frame_bytes = 256, .frame_payload_bytes = 240 }

/*
 * NVLink 4: 18 links of 26.5625 GB/s are 3825000 Mb/s; 256 bytes take 17 flits of
 * 16; 272 * 8e6 / 3825000 = 568.9 ps. RoCE at 400 Gb/s: a byte takes 20 ps, and a
 * frame has 84 at least. UALink: 64-byte flits, 628 bytes of them in 640; 1 MiB
 * is 16384 flits = 1048576 * 640 / 628 = 1068612.5 bytes. CXL 2: 64 bytes in 68,
 * 15.625 ps a byte. CXL 3: 240 bytes in 256, 7.8125 ps a byte.
 */
static const struct frame_case frame_cases[] = {
	{ NVLINK4, 0, 16, 34 },
	{ NVLINK4, 1, 32, 67 },
	{ NVLINK4, 256, 272, 569 },
	{ NVLINK4, 257, 304, 636 },
	{ NVLINK4, 1 << 20, 1114112, 2330169 },
	{ ROCE400, 0, 84, 1680 },
	{ ROCE400, 2, 84, 1680 },
	{ ROCE400, 3, 85, 1700 },
	{ ROCE400, 4096, 4178, 83560 },
	{ ROCE400, 4097, 4178 + 84, 85240 },
	{ UALINK, 1, 66, 660 },
	{ UALINK, 64, 66, 660 },
	{ UALINK, 1 << 20, 1068613, 10686130 },
	{ CXL2, 1, 2, 32 },
	{ CXL2, 64, 68, 1063 },
	{ CXL2, 4096, 4352, 68000 },
	{ CXL3, 240, 256, 2000 },
	{ CXL3, 16384, 17477, 136540 },
	{ { .rate_mbps = 400000 }, 4178, 4178, 83560 },
	{ { .header_bytes = 10 }, 100, 110, 0 },
};

static void frame_test(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(frame_cases); i++) {
		const struct frame_case *c = &frame_cases[i];
		u64 wire = suo_link_wire_bytes(&c->law, c->payload);

		KUNIT_EXPECT_EQ_MSG(test, wire, c->wire, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, suo_link_ser_ps(&c->law, wire),
				    c->ser_ps, "case %d", i);
	}
}

/* Two switches make three hops. */
static void latency_test(struct kunit *test)
{
	struct suo_link_law law = {
		.endpoint_ps = 200 * NS, .switch_ps = 250 * NS,
		.fec_ps = 50 * NS, .propagation_ps = 10 * NS, .stages = 2,
	};

	KUNIT_EXPECT_EQ(test, suo_link_latency_ps(&law), 880 * NS);
	law.stages = 0;
	KUNIT_EXPECT_EQ(test, suo_link_latency_ps(&law), 260 * NS);
}

static u64 send(const struct suo_link_law *law, struct suo_link_clock *src,
		struct suo_link_clock *dst, u64 ready_ps, u64 bytes)
{
	struct suo_link_result res;

	suo_link_reserve(law, src, dst, ready_ps, bytes, &res);
	return res.arrival_ps;
}

/* Two senders into one port share it; a third pair is not disturbed. */
static void contention_test(struct kunit *test)
{
	const struct suo_link_law law = { .rate_mbps = 8000, .endpoint_ps = 500 };
	struct suo_link_clock a = {}, b = {}, c = {}, to = {}, other = {};

	KUNIT_EXPECT_EQ(test, send(&law, &a, &to, 0, 10), 10500);
	KUNIT_EXPECT_EQ(test, send(&law, &b, &to, 0, 10), 20500);
	KUNIT_EXPECT_EQ(test, b.tx_free_ps, 20000);
	KUNIT_EXPECT_EQ(test, send(&law, &c, &other, 0, 10), 10500);
	KUNIT_EXPECT_EQ(test, send(&law, &a, NULL, 5000, 1), 11500);
	KUNIT_EXPECT_EQ(test, send(&law, &c, NULL, 50000, 1), 51500);
	KUNIT_EXPECT_EQ(test, suo_link_pace(&law, &c, 0, 9), 60500);
}

/* The switch stores 600 bytes: the second sender is free when all but those have
 * gone out, and a third one has to wait until there is room for its first byte.
 */
static void buffer_test(struct kunit *test)
{
	const struct suo_link_law law = { .rate_mbps = 8000, .buffer_bytes = 600 };
	struct suo_link_clock a = {}, b = {}, c = {}, to = {};
	struct suo_link_result res;

	KUNIT_EXPECT_EQ(test, send(&law, &a, &to, 0, 1000), 1000 * NS);
	suo_link_reserve(&law, &b, &to, 0, 1000, &res);
	KUNIT_EXPECT_EQ(test, res.start_ps, 400 * NS);
	KUNIT_EXPECT_EQ(test, res.queue_ps, 1000 * NS);
	KUNIT_EXPECT_EQ(test, res.stall_ps, 400 * NS);
	KUNIT_EXPECT_EQ(test, res.arrival_ps, 2000 * NS);
	KUNIT_EXPECT_EQ(test, b.tx_free_ps, 1400 * NS);
	suo_link_reserve(&law, &c, &to, 1800 * NS, 1000, &res);
	KUNIT_EXPECT_EQ(test, res.start_ps, 1800 * NS);
	KUNIT_EXPECT_EQ(test, res.arrival_ps, 3000 * NS);
	KUNIT_EXPECT_EQ(test, c.tx_free_ps, 2800 * NS);
	KUNIT_EXPECT_EQ(test, res.stall_ps, 0);
}

/* A window of 1000 bytes, whose credits take 4 us: a quarter of the rate. */
static void credit_test(struct kunit *test)
{
	const struct suo_link_law law = {
		.rate_mbps = 8000, .credit_bytes = 1000,
		.credit_rtt_ps = 4000 * NS,
	};
	struct suo_link_clock a = {}, b = {};
	struct suo_link_result res;

	KUNIT_EXPECT_EQ(test, send(&law, &a, NULL, 0, 1000), 1000 * NS);
	/* 1000 + (3000 - 1000) * 4 */
	suo_link_reserve(&law, &a, NULL, 0, 2000, &res);
	KUNIT_EXPECT_EQ(test, res.arrival_ps, 9000 * NS);
	KUNIT_EXPECT_EQ(test, res.stall_ps, 6000 * NS);
	/* 3 us on, the window is full again. */
	KUNIT_EXPECT_EQ(test, send(&law, &a, NULL, 12000 * NS, 1000), 13000 * NS);
	KUNIT_EXPECT_EQ(test, send(&law, &b, NULL, 0, 3000), 9000 * NS);
}

static void log_test(struct kunit *test)
{
	int i;

	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, suo_log2(1ull << i), i << SUO_LOG_BITS);
	/* log2 3 = 1.5849625007, times 2^24 = 26591258.2 */
	KUNIT_EXPECT_LE(test, suo_log2(3), 26591258);
	KUNIT_EXPECT_GE(test, suo_log2(3), 26591256);
}

/*
 * 1000 transmissions of 16 packets of 1000 bytes, one bit in 10^5 wrong: a packet
 * is hit with p = 1 - exp(-0.08) = 0.076884. With llr the sender takes 16 / (1 - p)
 * = 17.3326 us each; going back costs p / (1 - p) * 2 us a packet more, 19.9979.
 * Each packet's number of repeats has variance p / (1 - p)^2 = 0.0902, so the sum
 * of 16000 has a standard deviation of 38 of 1332.6, and 6 of them are 228.
 */
static void error_test(struct kunit *test)
{
	struct suo_link_law law = {
		.rate_mbps = 8000, .max_payload_bytes = 1000,
		.errors_per_pbit = 10000000000ull, .seed = 1,
		.retry = SUO_LINK_LLR, .retry_ps = 2000 * NS,
	};
	struct suo_link_clock a = {}, b = { .id = 1 };
	struct suo_link_result res;
	u32 retries = 0, lost = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		suo_link_reserve(&law, &a, NULL, 0, 16000, &res);
		retries += res.retries;
		KUNIT_ASSERT_FALSE(test, res.lost);
	}
	KUNIT_EXPECT_GE(test, retries, 1333 - 228);
	KUNIT_EXPECT_LE(test, retries, 1333 + 228);
	KUNIT_EXPECT_EQ(test, a.tx_free_ps, (16000 + retries) * 1000 * NS);

	law.retry = SUO_LINK_GBN;
	for (i = retries = 0; i < 1000; i++) {
		suo_link_reserve(&law, &b, NULL, 0, 16000, &res);
		retries += res.retries;
	}
	KUNIT_EXPECT_GE(test, retries, 1333 - 228);
	KUNIT_EXPECT_LE(test, retries, 1333 + 228);
	KUNIT_EXPECT_EQ(test, b.tx_free_ps, (16000 + 3 * retries) * 1000 * NS);
	KUNIT_EXPECT_EQ(test, res.arrival_ps, b.tx_free_ps);

	/* Nobody repeats: 1 - (1 - p)^16 = 0.72196 are lost; s.d. 14.2 */
	law.retry = SUO_LINK_NONE;
	for (i = 0; i < 1000; i++) {
		suo_link_reserve(&law, &b, NULL, 0, 16000, &res);
		lost += res.lost;
		KUNIT_ASSERT_EQ(test, res.retries, 0);
	}
	KUNIT_EXPECT_GE(test, lost, 722 - 86);
	KUNIT_EXPECT_LE(test, lost, 722 + 86);
}

/* As much as configfs admits: times are never reached, and nothing traps. */
static void limits_test(struct kunit *test)
{
	const struct suo_link_law law = {
		.rate_mbps = 1, .endpoint_ps = SUO_LINK_MAX_LATENCY_PS,
		.switch_ps = SUO_LINK_MAX_LATENCY_PS,
		.fec_ps = SUO_LINK_MAX_LATENCY_PS,
		.propagation_ps = SUO_LINK_MAX_LATENCY_PS,
		.stages = SUO_LINK_MAX_STAGES, .max_payload_bytes = 1,
		.header_bytes = SUO_LINK_MAX_FRAMING_BYTES,
		.flit_bytes = SUO_LINK_MAX_FRAMING_BYTES,
		.min_packet_bytes = SUO_LINK_MAX_FRAMING_BYTES,
		.frame_bytes = SUO_LINK_MAX_FRAME_BYTES,
		.frame_payload_bytes = 1,
		.buffer_bytes = SUO_LINK_MAX_BUFFER_BYTES, .credit_bytes = 1,
		.credit_rtt_ps = SUO_LINK_MAX_RTT_PS,
		.errors_per_pbit = SUO_LINK_MAX_ERRORS_PER_PBIT,
		.retry = SUO_LINK_LLR, .retry_ps = SUO_LINK_MAX_RTT_PS,
	};
	struct suo_link_clock a = {}, b = {}, to = {};
	struct suo_link_result res;
	int i;

	for (i = 0; i < 4; i++) {
		suo_link_reserve(&law, &a, &to, 0, 16384, &res);
		suo_link_reserve(&law, &b, &to, U64_MAX, U64_MAX, &res);
	}
	KUNIT_EXPECT_EQ(test, res.arrival_ps, U64_MAX);
	KUNIT_EXPECT_EQ(test, a.tx_free_ps, U64_MAX);
	KUNIT_EXPECT_TRUE(test, res.lost);
}

static struct kunit_case link_cases[] = {
	KUNIT_CASE(frame_test),
	KUNIT_CASE(latency_test),
	KUNIT_CASE(contention_test),
	KUNIT_CASE(buffer_test),
	KUNIT_CASE(credit_test),
	KUNIT_CASE(log_test),
	KUNIT_CASE(error_test),
	KUNIT_CASE(limits_test),
	{}
};

static struct kunit_suite link_suite = {
	.name		= "suo-link",
	.test_cases	= link_cases,
};

kunit_test_suite(link_suite);
