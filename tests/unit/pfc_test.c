// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Priority flow control: thresholds, pauses, headroom and the watchdog, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/analytic/congestion.h"
#include "model/core/pfc.h"
#include "model/core/pfcwd.h"

#define KB	1000ull
#define MS	1000000000ull	/* picoseconds */

/* A static threshold: reserved 10, pool 20, headroom 15, packets of 5. */
static void test_static(void **state)
{
	const struct suo_pfc_law law = {
		.reserved_bytes = 10, .static_bytes = 20, .headroom_bytes = 15,
		.xon_bytes = 5, .dynamic_th = SUO_PFC_NO_DYNAMIC,
	};
	struct suo_pfc_pool pool = { .size_bytes = 1000 };
	struct suo_pfc_pg pg = { 0 };
	u32 signal;

	/* Two packets in what is reserved, three in the pool: nothing to say. */
	for (int i = 0; i < 5; i++) {
		assert_true(suo_pfc_admit(&law, &pool, &pg, 5, &signal));
		assert_int_equal(signal, SUO_PFC_NOTHING);
	}
	/* The fourth fills the pool up to the threshold. */
	assert_true(suo_pfc_admit(&law, &pool, &pg, 5, &signal));
	assert_int_equal(signal, SUO_PFC_XOFF);
	assert_int_equal(pg.shared_bytes, 20);
	/* Three more in the headroom, without a word. */
	for (int i = 0; i < 3; i++) {
		assert_true(suo_pfc_admit(&law, &pool, &pg, 5, &signal));
		assert_int_equal(signal, SUO_PFC_NOTHING);
	}
	assert_false(suo_pfc_admit(&law, &pool, &pg, 5, &signal));
	assert_int_equal(pool.used_bytes, 20);
	assert_int_equal(pg.headroom_max_bytes, 15);

	/* Headroom goes first; at 15 in the pool, 5 are below 20: go on. */
	for (int i = 0; i < 3; i++) {
		suo_pfc_release(&law, &pool, &pg, 5, &signal);
		assert_int_equal(signal, SUO_PFC_NOTHING);
	}
	assert_int_equal(pg.headroom_bytes, 0);
	suo_pfc_release(&law, &pool, &pg, 5, &signal);
	assert_int_equal(signal, SUO_PFC_XON);
	assert_int_equal(pool.used_bytes, 15);
	for (int i = 0; i < 5; i++)
		suo_pfc_release(&law, &pool, &pg, 5, &signal);
	assert_int_equal(pool.used_bytes + pg.shared_bytes + pg.reserved_bytes, 0);
	assert_int_equal(pool.used_max_bytes, 20);
}

/* The packet that crosses the threshold asks, and leaves the headroom to those after it. */
static void test_crossing(void **state)
{
	const struct suo_pfc_law law = {
		.static_bytes = 18, .headroom_bytes = 15, .dynamic_th = SUO_PFC_NO_DYNAMIC,
	};
	struct suo_pfc_pool pool = { .size_bytes = 1000 };
	struct suo_pfc_pg pg = { 0 };
	u32 signal;

	for (int i = 0; i < 7; i++) {
		assert_true(suo_pfc_admit(&law, &pool, &pg, 5, &signal));
		assert_int_equal(signal, i == 3 ? SUO_PFC_XOFF : SUO_PFC_NOTHING);
	}
	assert_int_equal(pg.shared_bytes, 20);
	assert_int_equal(pg.headroom_bytes, 15);
	assert_false(suo_pfc_admit(&law, &pool, &pg, 5, &signal));
	/* Back at 15 it goes on, and the same again. */
	for (int i = 0; i < 4; i++)
		suo_pfc_release(&law, &pool, &pg, 5, &signal);
	assert_int_equal(signal, SUO_PFC_XON);
	assert_true(suo_pfc_admit(&law, &pool, &pg, 5, &signal));
	assert_int_equal(signal, SUO_PFC_XOFF);
	assert_int_equal(pg.headroom_bytes, 0);
}

/*
 * Choudhury and Hahne: with alpha = 1 one group stops at half of the pool (x = alpha
 * (B - x)), two at a third each, and with alpha = 2 one at two thirds.
 */
static void test_dynamic(void **state)
{
	struct suo_pfc_law law = { .headroom_bytes = 100, .dynamic_th = 0 };
	struct suo_pfc_pool pool = { .size_bytes = 6 * KB };
	struct suo_pfc_pg one = { 0 }, two = { 0 };
	u32 signal, n;

	for (n = 1; suo_pfc_admit(&law, &pool, &one, 1, &signal); n++)
		if (signal == SUO_PFC_XOFF)
			break;
	assert_int_equal(n, 3 * KB);

	pool = (struct suo_pfc_pool){ .size_bytes = 6 * KB };
	one = (struct suo_pfc_pg){ 0 };
	while (!one.paused && !two.paused) {
		suo_pfc_admit(&law, &pool, &one, 1, &signal);
		if (!one.paused)
			suo_pfc_admit(&law, &pool, &two, 1, &signal);
	}
	assert_int_equal(one.shared_bytes, 2 * KB);
	assert_int_equal(two.shared_bytes, 2 * KB - !two.paused);

	law.dynamic_th = 1;
	pool = (struct suo_pfc_pool){ .size_bytes = 6 * KB };
	one = (struct suo_pfc_pg){ 0 };
	while (!one.paused)
		suo_pfc_admit(&law, &pool, &one, 1, &signal);
	assert_int_equal(one.shared_bytes, 4 * KB);
}

/* A lossy class drops at the threshold and never asks. */
static void test_lossy(void **state)
{
	const struct suo_pfc_law law = {
		.static_bytes = 10, .dynamic_th = SUO_PFC_NO_DYNAMIC,
	};
	struct suo_pfc_pool pool = { .size_bytes = 1000 };
	struct suo_pfc_pg pg = { 0 };
	u32 signal;

	assert_true(suo_pfc_admit(&law, &pool, &pg, 10, &signal));
	assert_int_equal(signal, SUO_PFC_NOTHING);
	assert_false(suo_pfc_admit(&law, &pool, &pg, 1, &signal));
	assert_false(pg.paused);
}

/* 65535 quanta of 512 bits: 335.5 us at 100G, a quarter at 400G. */
static void test_quanta(void **state)
{
	struct suo_pfc_tx tx = { 0 };

	assert_int_equal(suo_pfc_quanta_ps(100000, 65535), 335539200);
	assert_int_equal(suo_pfc_quanta_ps(400000, 65535), 83884800);
	assert_int_equal(suo_pfc_quanta(400000, 1280), 1);
	assert_int_equal(suo_pfc_quanta(400000, 1281), 2);
	assert_int_equal(suo_pfc_quanta(400000, U64_MAX), 65535);
	assert_int_equal(suo_pfc_quanta(400000, 0), 0);

	suo_pfc_hear(&tx, 400000, 3, 2, 1000);
	assert_true(suo_pfc_is_paused(&tx, 3, 1000 + 2559));
	assert_false(suo_pfc_is_paused(&tx, 3, 1000 + 2560));
	assert_false(suo_pfc_is_paused(&tx, 2, 1000));
	suo_pfc_hear(&tx, 400000, 3, 0, 2000);
	assert_false(suo_pfc_is_paused(&tx, 3, 2000));
}

/*
 * By the formula: 100G, 40 m, MTU 9100, cells of 144 bytes, all packets small:
 * w = 144/64 = 2.25; on the cable 2 * 40 * 100000 * 625 / 1013760 = 4932 bytes;
 * 394 quanta are 25216. 1024 + 2.25 (9100 + 4932 + 2 * 9216 + 3072 + 25216)
 * = 1024 + 2.25 * 60752 = 137716; in KiB 134.49, so 135.
 */
static void test_headroom(void **state)
{
	struct suo_pfc_cable cable = {
		.rate_mbps = 100000, .length_m = 40, .mtu_bytes = 9100,
		.lossless_mtu_bytes = 1024, .cell_bytes = 144, .small_percent = 100,
		.gearbox_bytes = 9216, .mac_phy_bytes = 3072,
	};

	assert_int_equal(suo_pfc_late_bytes(&cable), 135 * 1024);
	/* No small packets: 61776 = 60.3 KiB. */
	cable.small_percent = 0;
	assert_int_equal(suo_pfc_late_bytes(&cable), 61 * 1024);
	/* Cells of 96: w = 192 / 97; half of it: 1024 + 60752 (1 + 95/97 / 2) =
	 * 91525.9 = 89.4 KiB
	 */
	cable.cell_bytes = 96;
	cable.small_percent = 50;
	assert_int_equal(suo_pfc_late_bytes(&cable), 90 * 1024);
	assert_int_equal(suo_pfc_response_quanta(800000), 905);
	assert_int_equal(suo_pfc_response_quanta(25000), 80);
}

/* The same formula in floating point, elsewhere: model/analytic/congestion.c */
static void test_headroom_twice(void **state)
{
	static const u64 rate[] = { 25000, 100000, 200000, 400000, 800000 };

	for (u32 i = 0; i < sizeof(rate) / sizeof(rate[0]); i++)
		for (u32 length = 1; length < 2000; length = length * 3 + 1) {
			struct suo_headroom h;
			struct suo_pfc_cable cable = { .rate_mbps = rate[i],
						       .length_m = length };

			suo_headroom_init(&h, rate[i], length);
			cable.mtu_bytes = h.port_mtu_bytes;
			cable.lossless_mtu_bytes = h.mtu_bytes;
			cable.cell_bytes = h.cell_bytes;
			cable.small_percent = h.small_percent;
			cable.gearbox_bytes = h.gearbox_bytes;
			cable.mac_phy_bytes = h.mac_phy_bytes;
			assert_int_equal(suo_pfc_late_bytes(&cable),
					 suo_pfc_xoff_bytes(&h));
		}
}

/* Looked at each 100 ms; 200 ms to find a storm, 200 ms to trust the peer again. */
static void test_watchdog(void **state)
{
	const struct suo_pfcwd_law law = { 200 * MS, 200 * MS, SUO_PFCWD_DROP };
	struct suo_pfcwd_sample now = { .depth_bytes = 1000, .paused = true };
	struct suo_pfcwd queue = { 0 };

#define POLL()	suo_pfcwd_poll(&law, &queue, &now, 100 * MS)
	assert_int_equal(POLL(), SUO_PFCWD_NOTHING);
	assert_int_equal(POLL(), SUO_PFCWD_NOTHING);
	assert_int_equal(POLL(), SUO_PFCWD_STORM);
	/* Pauses still come. */
	for (int i = 0; i < 5; i++) {
		now.pause_frames++;
		assert_int_equal(POLL(), SUO_PFCWD_NOTHING);
	}
	assert_int_equal(POLL(), SUO_PFCWD_NOTHING);
	assert_int_equal(POLL(), SUO_PFCWD_RESTORED);
	assert_int_equal(queue.detected, 1);
	assert_int_equal(queue.restored, 1);

	/* A packet that is sent begins the count anew; an empty queue is no storm. */
	now.tx_packets = 0;
	for (int i = 0; i < 10; i++) {
		now.pause_frames++;
		now.tx_packets += i % 2 == 0;
		assert_int_equal(POLL(), SUO_PFCWD_NOTHING);
	}
	now.depth_bytes = 0;
	for (int i = 0; i < 10; i++)
		assert_int_equal(POLL(), SUO_PFCWD_NOTHING);
	/* Packets that wait for another reason than a pause */
	now.depth_bytes = 1000;
	now.paused = false;
	for (int i = 0; i < 10; i++)
		assert_int_equal(POLL(), SUO_PFCWD_NOTHING);
#undef POLL
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static),
		cmocka_unit_test(test_crossing),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_quanta),
		cmocka_unit_test(test_headroom),
		cmocka_unit_test(test_headroom_twice),
		cmocka_unit_test(test_watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
