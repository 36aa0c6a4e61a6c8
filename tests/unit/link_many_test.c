// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One to many, and many to one. By hand: a byte takes a nanosecond (8000 Mb/s), and
 * half a microsecond from port to port.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/core/link_many.h"

#define NS	1000ull
#define PORTS	4

static const struct suo_link_law law = { .rate_mbps = 8000, .endpoint_ps = 500 * NS };

static void to_many(const struct suo_link_law *l, struct suo_link_clock *src,
		    struct suo_link_clock *dst, u64 ready, u64 bytes,
		    struct suo_link_result *res)
{
	u64 busiest = 0;

	for (int i = 0; i < PORTS; i++)
		busiest = suo_max(busiest, dst[i].rx_free_ps);
	suo_link_to_many(l, src, busiest, ready, bytes, res);
	for (int i = 0; i < PORTS; i++)
		suo_link_take_rx(l, &dst[i], res);
}

static void from_many(const struct suo_link_law *l, struct suo_link_clock *src,
		      struct suo_link_clock *dst, u64 ready, u64 bytes,
		      struct suo_link_result *res)
{
	u64 start = suo_link_many_begin(l, dst, ready, res);
	struct suo_link_result part;

	for (int i = 0; i < PORTS; i++)
		suo_link_many_add(l, &src[i], start, bytes, &part, res);
	suo_link_many_end(l, dst, res);
	for (int i = 0; i < PORTS; i++)
		suo_link_hold_tx(l, &src[i], res);
}

/* 100 bytes from 1000 on: the sender once, each receiver once, one latency. */
static void idle_to_many(void **state)
{
	struct suo_link_clock src = {}, dst[PORTS] = {};
	struct suo_link_result res;

	to_many(&law, &src, dst, 1000 * NS, 100, &res);
	assert_int_equal(res.arrival_ps, 1600 * NS);
	assert_int_equal(src.tx_free_ps, 1100 * NS);
	for (int i = 0; i < PORTS; i++)
		assert_int_equal(dst[i].rx_free_ps, 1100 * NS);
	/* The next one follows it. */
	to_many(&law, &src, dst, 1000 * NS, 50, &res);
	assert_int_equal(res.start_ps, 1100 * NS);
	assert_int_equal(res.arrival_ps, 1650 * NS);
}

/* One receiver is busy until 1300: without a buffer, all wait for it. */
static void busy_receiver(void **state)
{
	struct suo_link_clock src = {}, dst[PORTS] = { [2] = { .rx_free_ps = 1300 * NS } };
	struct suo_link_result res;

	to_many(&law, &src, dst, 1000 * NS, 100, &res);
	assert_int_equal(res.start_ps, 1300 * NS);
	assert_int_equal(res.arrival_ps, 1900 * NS);
	assert_int_equal(dst[0].rx_free_ps, 1400 * NS);
	assert_int_equal(dst[2].rx_free_ps, 1400 * NS);
}

/* With room for 1000 bytes in the switch the sender and the others do not wait. */
static void busy_receiver_behind_buffer(void **state)
{
	struct suo_link_clock src = {}, dst[PORTS] = { [3] = { .rx_free_ps = 1300 * NS } };
	struct suo_link_law buffered = law;
	struct suo_link_result res;

	buffered.buffer_bytes = 1000;
	to_many(&buffered, &src, dst, 1000 * NS, 100, &res);
	assert_int_equal(res.start_ps, 1000 * NS);
	assert_int_equal(src.tx_free_ps, 1100 * NS);
	assert_int_equal(dst[0].rx_free_ps, 1100 * NS);
	assert_int_equal(dst[3].rx_free_ps, 1400 * NS);
	assert_int_equal(res.arrival_ps, 1900 * NS);
	/* Behind 300 bytes, the last of them. */
	assert_int_equal(res.queue_ps, 300 * NS);
	assert_int_equal(res.queue_bytes, 300);
}

static void idle_from_many(void **state)
{
	struct suo_link_clock src[PORTS] = {}, dst = {};
	struct suo_link_result res;

	from_many(&law, src, &dst, 1000 * NS, 100, &res);
	assert_int_equal(res.arrival_ps, 1600 * NS);
	assert_int_equal(dst.rx_free_ps, 1100 * NS);
	for (int i = 0; i < PORTS; i++)
		assert_int_equal(src[i].tx_free_ps, 1100 * NS);
}

/* The reduction delays what arrives, and holds up nobody. */
static void reduced_from_many(void **state)
{
	struct suo_link_clock src[PORTS] = {}, dst = {};
	struct suo_link_law slow = law;
	struct suo_link_result res;

	slow.reduce_ps = 80 * NS;
	from_many(&slow, src, &dst, 1000 * NS, 100, &res);
	assert_int_equal(res.arrival_ps, 1680 * NS);
	assert_int_equal(dst.rx_free_ps, 1100 * NS);
	for (int i = 0; i < PORTS; i++)
		assert_int_equal(src[i].tx_free_ps, 1100 * NS);
}

/* One sender is busy until 1250: its part is the last, the others' links are free by
 * then.
 */
static void busy_sender(void **state)
{
	struct suo_link_clock src[PORTS] = { [1] = { .tx_free_ps = 1250 * NS } }, dst = {};
	struct suo_link_result res;
	struct suo_link_law buffered = law;

	from_many(&law, src, &dst, 1000 * NS, 100, &res);
	assert_int_equal(res.start_ps, 1250 * NS);
	assert_int_equal(res.arrival_ps, 1850 * NS);
	/* Nothing is stored on the way: all are held until the last one has sent. */
	assert_int_equal(src[0].tx_free_ps, 1350 * NS);
	assert_int_equal(src[1].tx_free_ps, 1350 * NS);
	assert_int_equal(dst.rx_free_ps, 1350 * NS);

	for (int i = 0; i < PORTS; i++)
		src[i].tx_free_ps = i == 1 ? 1250 * NS : 0;
	dst.rx_free_ps = 0;
	buffered.buffer_bytes = 1000;
	from_many(&buffered, src, &dst, 1000 * NS, 100, &res);
	assert_int_equal(res.arrival_ps, 1850 * NS);
	assert_int_equal(src[0].tx_free_ps, 1100 * NS);
	assert_int_equal(src[1].tx_free_ps, 1350 * NS);
}

/* The reader is busy until 1400. */
static void busy_reader(void **state)
{
	struct suo_link_clock src[PORTS] = {}, dst = { .rx_free_ps = 1400 * NS };
	struct suo_link_law buffered = law;
	struct suo_link_result res;

	from_many(&law, src, &dst, 1000 * NS, 100, &res);
	assert_int_equal(res.start_ps, 1400 * NS);
	assert_int_equal(res.arrival_ps, 2000 * NS);

	for (int i = 0; i < PORTS; i++)
		src[i].tx_free_ps = 0;
	dst.rx_free_ps = 1400 * NS;
	buffered.buffer_bytes = 150;
	from_many(&buffered, src, &dst, 1000 * NS, 100, &res);
	/* 150 bytes are stored: they begin at 1250, and are held to 1500 - 150. */
	assert_int_equal(res.start_ps, 1250 * NS);
	assert_int_equal(src[3].tx_free_ps, 1350 * NS);
	assert_int_equal(dst.rx_free_ps, 1500 * NS);
	assert_int_equal(res.arrival_ps, 2000 * NS);
}

/* Credits for 100 bytes that are back after 400 ns: 300 bytes have left at
 * 100 + 200 * 400 / 100 = 900 ns, for the sender whose credits were all there.
 */
static void credits(void **state)
{
	struct suo_link_clock src[PORTS] = {}, dst = {}, one = {}, many[PORTS] = {};
	struct suo_link_law l = law;
	struct suo_link_result res;

	l.credit_bytes = 100;
	l.credit_rtt_ps = 400 * NS;
	from_many(&l, src, &dst, 0, 300, &res);
	assert_int_equal(res.arrival_ps, 1400 * NS);
	to_many(&l, &one, many, 0, 300, &res);
	assert_int_equal(res.arrival_ps, 1400 * NS);
	assert_int_equal(one.tx_free_ps, 900 * NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_to_many),
		cmocka_unit_test(busy_receiver),
		cmocka_unit_test(busy_receiver_behind_buffer),
		cmocka_unit_test(idle_from_many),
		cmocka_unit_test(reduced_from_many),
		cmocka_unit_test(busy_sender),
		cmocka_unit_test(busy_reader),
		cmocka_unit_test(credits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
