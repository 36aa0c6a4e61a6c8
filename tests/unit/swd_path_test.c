// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Frames through the whole process, on a clock of the test's own: where they go, what is
 * counted, marks and shares. A link of 8 Gb/s takes a nanosecond a byte.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/swd_helper.h"

#define NS	1000ull
#define MS	1000000000ull
#define GAP	SUO_SWITCH_GAP_BYTES

/* No latencies: what happens, happens at once. */
#define CLUSTER(n)	"name: t\nhosts: " #n "\naccelerators: 1\n"		\
			"scale_up: {profile: nvlink4}\n"			\
			"scale_out:\n  profile: roce-100g\n  rate_gbps: 8\n"	\
			"  leaf: {switch_ns: 0, fec_ns: 0, propagation_ns: 0, buffer_bytes: 1GiB}\n"

/* What has left for each endpoint. */
static struct {
	u64	frames;
	u64	marked;
	u64	pauses;
	u32	len;
	u64	at_ps;
	u64	by_dscp[64];
	u8	data[SWD_FRAME_ROOM];
} got[16];

static u64 allocations;

/* The C library's own allocator, counted. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	allocations++;
	return __libc_realloc(old, size);
}

static int take(struct swd_port *port, const u8 *data, size_t len)
{
	if (data[12] == 0x88 && data[13] == 0x08) {
		got[port->id].pauses++;
		return 0;
	}
	got[port->id].frames++;
	got[port->id].len = len;
	got[port->id].at_ps = port->s->now_ps;
	if (data[12] == 8) {
		got[port->id].by_dscp[data[15] >> 2]++;
		got[port->id].marked += (data[15] & 3) == 3;
		if (swd_ip_sum(data) != 0xffff)
			fail_msg("a wrong checksum");
	}
	memcpy(got[port->id].data, data, len);
	return 0;
}

static void forget(void)
{
	memset(got, 0, sizeof(got));
}

static void send_udp(struct swd *s, u32 bytes, u32 from, u32 to, u8 tos, u64 at_ps)
{
	u8 data[SWD_FRAME_ROOM];

	swd_send(s, from, data, swd_udp(data, bytes, from, to, tos, 0xc000), at_ps);
}

/* Unknown: to all others. Known: there. To itself: nowhere. Time: as long as it takes. */
static void test_learning(void **state)
{
	struct swd *s = swd_make(CLUSTER(3), 64, take);
	u64 now_ps = MS;

	forget();
	send_udp(s, 1000, 0, 1, 0, now_ps);
	swd_run(s, now_ps + MS);
	assert_int_equal(got[0].frames, 0);
	assert_int_equal(got[1].frames, 1);
	assert_int_equal(got[2].frames, 1);
	assert_int_equal(got[1].len, 996);
	assert_int_equal(got[1].at_ps, now_ps + (1000 + GAP) * NS);

	now_ps += MS;
	send_udp(s, 1000, 1, 0, 0, now_ps);
	send_udp(s, 1000, 2, 0, 0, now_ps);
	swd_run(s, now_ps + MS);
	assert_int_equal(got[0].frames, 2);
	/* One after the other, on a link. */
	assert_int_equal(got[0].at_ps, now_ps + 2 * (1000 + GAP) * NS);
	assert_int_equal(got[1].frames + got[2].frames, 2);

	now_ps += MS;
	send_udp(s, 1000, 1, 1, 0, now_ps);
	swd_run(s, now_ps + MS);
	assert_int_equal(got[1].frames, 1);
	assert_int_equal(s->node[0].ifs[1].in_filtered, 1);
	assert_int_equal(s->node[0].ifs[1].in_packets, 1);
	assert_int_equal(s->node[0].ifs[0].out_octets, 2000);
	assert_int_equal(s->frames_out, 0);
	swd_unmake(s);
}

/* What cannot be passed on is counted, and nothing is left of it. */
static void test_refused(void **state)
{
	struct swd *s = swd_make(CLUSTER(2), 64, take);
	struct swd_if *ifp = &s->node[0].ifs[0];
	u64 now_ps = swd_greet(s);
	u8 data[SWD_FRAME_ROOM];
	u32 len;

	forget();
	len = swd_udp(data, 9100 + 14 + 4 + 1, 0, 1, 0, 1);
	swd_send(s, 0, data, len, now_ps);
	swd_send(s, 0, data, len - 1, now_ps);
	assert_int_equal(ifp->in_oversize, 1);
	assert_int_equal(ifp->in_malformed, 1);	/* shorter than its IP header says */
	swd_send(s, 0, data, 13, now_ps);
	assert_int_equal(ifp->in_malformed, 2);
	swd_run(s, now_ps + MS);
	assert_int_equal(got[1].frames, 0);
	send_udp(s, 9100 + 14 + 4, 0, 1, 0, now_ps + MS);
	swd_run(s, now_ps + 2 * MS);
	assert_int_equal(got[1].frames, 1);
	assert_int_equal(s->frames_out, 0);
	swd_unmake(s);
}

/* Nothing is allocated for a frame, and every one comes back. */
static void test_no_allocation(void **state)
{
	struct swd *s = swd_make(CLUSTER(4), 256, take);
	u64 now_ps = swd_greet(s), before = 0;

	forget();
	for (u32 i = 0; i < 100000; i++) {
		if (i == 1000)
			before = allocations;
		send_udp(s, 64 + i % 8192, i % 4, (i + 1 + i % 3) % 4, i % 256, now_ps);
		now_ps += 5000 * NS;
		swd_run(s, now_ps);
	}
	assert_int_equal(allocations, before);
	swd_run(s, now_ps + 10 * MS);
	assert_int_equal(s->frames_out, 0);
	assert_int_equal(s->pool_empty, 0);
	assert_int_equal(got[0].frames + got[1].frames + got[2].frames + got[3].frames, 100000);
	free(malloc(1));
	assert_int_equal(allocations, before + 1);
	swd_unmake(s);
}

/*
 * A queue that is as long at each arrival: as much comes as leaves. p of the curve,
 * measured over 10^6 packets, has a standard deviation of sqrt(p (1 - p) / 10^6); 99 % of
 * the results are within 2.576 of it.
 */
static void check_marks(struct swd *s, u32 found_frames, u64 now_ps)
{
	const u32 bytes = 256, n = 1000000;
	const double kmin = 10000, kmax = 30000, pmax = 0.2;
	u64 ser_ps = (bytes + GAP) * NS, found = (u64)found_frames * bytes;
	double p = found <= kmin ? 0 : found > kmax ? 1 :
		   (found - kmin) / (kmax - kmin) * pmax;
	double band = 2.576 * sqrt(n * p * (1 - p));
	u8 data[256];

	/* One that is being sent, one that will be: they cannot be marked. */
	swd_udp(data, bytes, 0, 1, 3 << 5, 1);
	for (u32 i = 0; i < found_frames + 2; i++)
		swd_send(s, 0, data, bytes - 4, now_ps);
	swd_run(s, now_ps);
	forget();
	swd_udp(data, bytes, 0, 1, 3 << 5 | 2, 1);
	for (u32 i = 0; i < n; i++) {
		now_ps += ser_ps;
		swd_run(s, now_ps);
		if (s->node[0].sw->port[1].queue[3].bytes != found)
			fail_msg("the queue is not as long as it should be");
		swd_send(s, 0, data, bytes - 4, now_ps);
		swd_run(s, now_ps);
	}
	swd_run(s, now_ps + ser_ps * (found_frames + 2));
	assert_int_equal(got[1].frames, n + found_frames + 2);
	assert_true(fabs(got[1].marked - n * p) <= band);
	assert_int_equal(s->node[0].sw->port[1].count.marked[3], got[1].marked);
	assert_int_equal(s->node[0].ifs[1].prio[3].ecn_marked_bytes, got[1].marked * bytes);
}

static void test_wred(void **state)
{
	static const u32 depth_frames[] = { 39, 50, 78, 110, 118 };

	for (u32 i = 0; i < 5; i++) {
		struct swd *s = swd_make(CLUSTER(2)
			"  switch: {priorities: [{priority: 3, kmin_bytes: 10000, kmax_bytes: 30000, pmax: 0.2}]}\n",
			1024, take);

		check_marks(s, depth_frames[i], swd_greet(s));
		swd_unmake(s);
	}
}

/* Three queues that always have something, by weights; and one that goes first. */
static void test_ets(void **state)
{
	struct swd *s = swd_make(CLUSTER(8)
		"  switch: {weights: [1, 6, 3, 1, 1, 1, 1, 1], strict: [5]}\n", 32768, take);
	static const u32 bytes[] = { 1500, 256, 4000 };
	static const double share[] = { 0.1, 0.6, 0.3 };
	u64 now_ps = swd_greet(s), rate[3], all = 0;

	forget();
	/* 3 ms of each of the three, and 1 ms of the one that goes first. */
	for (u32 q = 0; q < 3; q++)
		for (u32 n = 0; n < 3000000 / (bytes[q] + GAP); n++)
			send_udp(s, bytes[q], q, 7, q << 5, now_ps);
	for (u32 n = 0; n < 1000; n++)
		send_udp(s, 980, 3, 7, 5 << 5, now_ps);
	swd_run(s, now_ps + MS + 10 * 1000 * NS);
	assert_int_equal(got[7].by_dscp[5 << 3], 1000);
	assert_true(got[7].frames < 1040);
	forget();
	swd_run(s, now_ps + 3 * MS);
	for (u32 q = 0; q < 3; q++) {
		rate[q] = got[7].by_dscp[q << 3] * bytes[q];
		all += rate[q];
	}
	for (u32 q = 0; q < 3; q++)
		assert_true(fabs(rate[q] / (share[q] * all) - 1) < 0.02);
	swd_run(s, now_ps + 100 * MS);
	assert_int_equal(s->frames_out, 0);
	swd_unmake(s);
}

/* What a queue has no room for loses its payload, and goes first. */
static void test_trimming(void **state)
{
	struct swd *s = swd_make(CLUSTER(3)
		"  switch: {trimming: {bytes: 100}, priorities: [{priority: 1, queue_bytes: 8000}]}\n",
		64, take);
	u64 now_ps = swd_greet(s);
	struct swd_prio_count *count = &s->node[0].ifs[1].prio[1];

	forget();
	/* One is being sent, 4 wait, 3 are too much. */
	for (u32 i = 0; i < 8; i++)
		send_udp(s, 2000, 0, 1, 1 << 5, now_ps);
	swd_run(s, now_ps + MS);
	assert_int_equal(count->trim_packets, 3);
	assert_int_equal(count->drop_packets, 0);
	assert_int_equal(got[1].frames, 8);
	assert_int_equal(got[1].by_dscp[8], 5);
	assert_int_equal(got[1].by_dscp[48], 3);
	assert_int_equal(s->node[0].sw->port[1].queue[6].tx_bytes, 300);
	assert_int_equal(s->frames_out, 0);
	swd_unmake(s);
}

/* A real pause frame holds its priority for 0xffff * 512 bit times, no other. */
static void test_pause_heard(void **state)
{
	struct swd *s = swd_make(CLUSTER(2), 64, take);
	u64 now_ps = swd_greet(s), pause_ps = 0x1000 * 512 * 1000 / 8;
	struct swd_prio_count *count = &s->node[0].ifs[1].prio[3];
	u8 pause[SWD_PFC_BYTES];

	forget();
	swd_send(s, 1, pause, swd_pfc_build(pause, 0x08, 0x1000), now_ps);
	swd_run(s, now_ps);
	send_udp(s, 1000, 0, 1, 3 << 5, now_ps);
	send_udp(s, 1000, 0, 1, 2 << 5, now_ps);
	swd_run(s, now_ps + pause_ps + 1019 * NS);
	assert_int_equal(got[1].by_dscp[16], 1);
	assert_int_equal(got[1].by_dscp[24], 0);
	swd_run(s, now_ps + pause_ps + 1020 * NS);
	assert_int_equal(got[1].by_dscp[24], 1);
	assert_int_equal(swd_pfc_rx_ps(s, 0, 1, 3), pause_ps);
	assert_int_equal(count->pfc_on2off_rx, 1);

	/* Lossy priorities are not paused. */
	now_ps += 2 * pause_ps;
	swd_send(s, 1, pause, swd_pfc_build(pause, 0x04, 0x1000), now_ps);
	swd_run(s, now_ps);
	send_udp(s, 1000, 0, 1, 2 << 5, now_ps);
	swd_run(s, now_ps + 1020 * NS);
	assert_int_equal(got[1].by_dscp[16], 2);
	assert_int_equal(s->node[0].sw->port[1].count.pause_rx[2], 1);
	swd_unmake(s);
}

/*
 * The process wakes late, and all is due: each frame leaves at its own time all the same,
 * so that the link has its rate.
 */
static void test_late(void **state)
{
	struct swd *s = swd_make(CLUSTER(2), 256, take);
	u64 now_ps = swd_greet(s);

	forget();
	for (u32 i = 0; i < 100; i++)
		send_udp(s, 1000, 0, 1, 0, now_ps);
	swd_run(s, now_ps + 50 * (1000 + GAP) * NS);
	assert_int_equal(got[1].frames, 50);
	assert_int_equal(got[1].at_ps, now_ps + 50 * (1000 + GAP) * NS);
	swd_run(s, now_ps + 1000 * MS);
	assert_int_equal(got[1].frames, 100);
	assert_int_equal(got[1].at_ps, now_ps + 100 * (1000 + GAP) * NS);
	swd_unmake(s);
}

/* A link that is down loses what is sent on it, and a queue that is shut what is for it. */
static void test_down(void **state)
{
	struct swd *s = swd_make(CLUSTER(2), 64, take);
	u64 now_ps = swd_greet(s);

	forget();
	s->link[1].down[1] = true;
	send_udp(s, 1000, 0, 1, 0, now_ps);
	send_udp(s, 1000, 1, 0, 0, now_ps);
	swd_run(s, now_ps + MS);
	assert_int_equal(got[1].frames, 0);
	assert_int_equal(got[0].frames, 1);
	assert_int_equal(s->link[1].wire[1].lost, 1);
	s->link[1].down[1] = false;
	s->node[0].sw->port[1].shut = 1 << 2;
	send_udp(s, 1000, 0, 1, 2 << 5, now_ps + MS);
	send_udp(s, 1000, 0, 1, 3 << 5, now_ps + MS);
	send_udp(s, 1000, 1, 0, 2 << 5, now_ps + MS);
	swd_run(s, now_ps + 2 * MS);
	assert_int_equal(got[1].frames, 1);
	assert_int_equal(got[0].frames, 1);
	assert_int_equal(s->node[0].ifs[1].prio[2].wd.tx_drop, 1);
	assert_int_equal(s->node[0].ifs[1].prio[2].wd.rx_drop, 1);
	assert_int_equal(s->frames_out, 0);
	swd_unmake(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learning),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_allocation),
		cmocka_unit_test(test_wred),
		cmocka_unit_test(test_ets),
		cmocka_unit_test(test_trimming),
		cmocka_unit_test(test_pause_heard),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_down),
	};

	return cmocka_run_group_tests_name("swd-path", tests, NULL, NULL);
}
