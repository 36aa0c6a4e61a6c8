// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The switch alone, driven as a program with a clock of its own would: time is an
 * argument, frames are ours. Ports of 8000 Mb/s take a nanosecond a byte.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/sim/heap.h"
#include "model/sim/switch.h"

#define NS	1000ull		/* picoseconds */
#define PORTS	4
#define GAP	SUO_SWITCH_GAP_BYTES

/* What the switch wanted done. */
struct lab {
	struct suo_switch	sw;
	struct suo_switch_law	law;
	struct suo_switch_port	port[PORTS];
	struct suo_route	route[1];
	struct suo_heap		timers;
	u64			now_ps;
	u64			sent_bytes[SUO_SWITCH_PRIOS];
	u64			sent[SUO_SWITCH_PRIOS];
	u64			marked;
	u64			last_end_ps;
	u64			dropped[SUO_DROPS];
	u32			pauses, resumes;
	u64			pause_ps[64];
};

static void transmit(struct suo_switch *sw, u32 port, struct suo_frame *frame,
		     u64 start_ps, u64 head_ps, u64 end_ps)
{
	struct lab *lab = sw->owner;

	/* A port sends one frame after the other. */
	assert_true(start_ps >= lab->last_end_ps);
	assert_int_equal(end_ps - start_ps, (frame->bytes + GAP) * NS);
	lab->last_end_ps = end_ps;
	lab->sent[frame->prio]++;
	lab->sent_bytes[frame->prio] += frame->bytes + GAP;
	lab->marked += !!(frame->flags & SUO_FRAME_CE);
	free(frame);
}

static void pause_frame(struct suo_switch *sw, u32 port, u32 prio, u32 quanta, u64 now)
{
	struct lab *lab = sw->owner;

	if (!quanta) {
		lab->resumes++;
		return;
	}
	assert_int_equal(quanta, SUO_PFC_MAX_QUANTA);
	lab->pause_ps[lab->pauses++] = now;
}

static void drop(struct suo_switch *sw, u32 port, struct suo_frame *frame, u32 why,
		 u64 now)
{
	struct lab *lab = sw->owner;

	lab->dropped[why]++;
	free(frame);
}

static void timer(struct suo_switch *sw, u64 at_ps, u32 what, u32 arg,
		  struct suo_frame *frame)
{
	struct lab *lab = sw->owner;

	assert_true(at_ps >= lab->now_ps);
	suo_heap_add(&lab->timers, at_ps, what, frame, arg);
}

static const struct suo_switch_ops ops = {
	.transmit = transmit, .pause = pause_frame, .drop = drop, .timer = timer,
};

/* Frames for destination n leave by port n; others have no way. */
static struct lab *make_lab(void)
{
	static const u16 route_of[PORTS + 1] = { 0, 1, 2, 3, UINT16_MAX };
	struct lab *lab = aligned_alloc(_Alignof(struct lab), sizeof(*lab));

	memset(lab, 0, sizeof(*lab));
	for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++) {
		lab->law.sched.weight[q] = 1;
		/* Whatever fits into the buffer. */
		lab->law.class[q].pfc.dynamic_th = 16;
	}
	lab->sw = (struct suo_switch){
		.law = &lab->law, .ops = &ops, .owner = lab, .nports = PORTS,
		.port = lab->port, .pool = { .size_bytes = 1 << 30 },
		.route = lab->route, .route_of = route_of, .direct = PORTS,
		.dsts = PORTS + 1, .seed = 1,
	};
	for (u32 p = 0; p < PORTS; p++)
		suo_switch_port_init(&lab->sw, p, 8000);
	return lab;
}

static void free_lab(struct lab *lab)
{
	struct suo_happening what;

	while (suo_heap_next(&lab->timers, &what))
		free(what.object);
	for (u32 p = 0; p < PORTS; p++)
		for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++)
			while (lab->port[p].queue[q].head) {
				struct suo_frame *frame = lab->port[p].queue[q].head;

				lab->port[p].queue[q].head = frame->next;
				free(frame);
			}
	suo_heap_free(&lab->timers);
	free(lab);
}

static void receive(struct lab *lab, u32 port, u32 dst, u32 prio, u32 bytes, u32 flags)
{
	struct suo_frame *frame = calloc(1, sizeof(*frame));

	frame->dst = dst;
	frame->prio = prio;
	frame->bytes = bytes;
	frame->last_bytes = bytes;
	frame->packets = 1;
	frame->flags = flags;
	suo_switch_receive(&lab->sw, port, frame, lab->now_ps);
}

/* Let all happen that happens up to a time. */
static void until(struct lab *lab, u64 end_ps)
{
	struct suo_happening what;

	while (suo_heap_next(&lab->timers, &what)) {
		if (what.at_ps > end_ps) {
			suo_heap_add(&lab->timers, what.at_ps,
				     suo_happening_kind(&what), what.object, what.arg);
			break;
		}
		lab->now_ps = what.at_ps;
		suo_switch_timer(&lab->sw, suo_happening_kind(&what), what.arg,
				 what.object, lab->now_ps);
	}
	lab->now_ps = end_ps;
}

/* ETS: 20, 30 and 50 parts of a port that all want, to 2 %, whatever the lengths. */
static void test_ets(void **state)
{
	static const u32 prio[] = { 0, 3, 5 }, weight[] = { 20, 30, 50 };
	static const u32 bytes[] = { 64, 4158, 1500 };
	struct lab *lab = make_lab();
	u64 all = 0;

	for (u32 i = 0; i < 3; i++) {
		lab->law.sched.weight[prio[i]] = weight[i];
		for (u32 n = 0; n < 20000000 / bytes[i]; n++)
			receive(lab, i, 3, prio[i], bytes[i], 0);
	}
	until(lab, 20000000 * NS);
	for (u32 i = 0; i < 3; i++)
		all += lab->sent_bytes[prio[i]];
	/* The port had no rest. */
	assert_in_range(all, 20000000 - 4200, 20000000 + 4200);
	for (u32 i = 0; i < 3; i++) {
		/* Shares are of frames; the gap is not the scheduler's. */
		double share = lab->sent[prio[i]] * (double)bytes[i];
		double sum = 0;

		for (u32 k = 0; k < 3; k++)
			sum += lab->sent[prio[k]] * (double)bytes[k];
		assert_true(fabs(share / sum * 100 - weight[i]) < 2);
	}
	free_lab(lab);
}

static void test_strict(void **state)
{
	struct lab *lab = make_lab();

	lab->law.sched.strict = 1 << 6;
	for (u32 n = 0; n < 10; n++) {
		receive(lab, 0, 3, 7, 980, 0);
		receive(lab, 0, 3, 6, 980, 0);
	}
	/* One of class 7 was on its way; then ten of class 6 */
	until(lab, 11000 * NS - 1);
	assert_int_equal(lab->sent[7], 1);
	assert_int_equal(lab->sent[6], 10);
	until(lab, 20000 * NS);
	assert_int_equal(lab->sent[7], 10);
	free_lab(lab);
}

/* 10 quanta of 512 bits at 8 Gb/s are 640 ns; other classes go on. */
static void test_paused(void **state)
{
	struct lab *lab = make_lab();

	suo_switch_hear(&lab->sw, 3, 3, 10, 0);
	receive(lab, 0, 3, 3, 980, 0);
	receive(lab, 0, 3, 1, 80, 0);
	until(lab, 639 * NS);
	assert_int_equal(lab->sent[3], 0);
	assert_int_equal(lab->sent[1], 1);
	until(lab, 640 * NS);
	assert_int_equal(lab->sent[3], 1);
	assert_int_equal(lab->last_end_ps, 1640 * NS);
	assert_int_equal(lab->port[3].count.paused_ps[3], 640 * NS);

	/* One class's pause is over; another's goes on, for 20 quanta. */
	until(lab, 1700 * NS);
	suo_switch_hear(&lab->sw, 3, 5, 10, lab->now_ps);
	suo_switch_hear(&lab->sw, 3, 4, 20, lab->now_ps);
	receive(lab, 0, 3, 5, 80, 0);
	receive(lab, 0, 3, 5, 80, 0);
	receive(lab, 0, 3, 4, 80, 0);
	until(lab, (1700 + 1279) * NS);
	assert_int_equal(lab->sent[5], 2);
	assert_int_equal(lab->sent[4], 0);
	until(lab, (1700 + 1280) * NS);
	assert_int_equal(lab->sent[4], 1);
	assert_int_equal(lab->port[3].count.paused_ps[5], 640 * NS);
	assert_int_equal(lab->port[3].count.paused_ps[4], 1280 * NS);

	/* Ended early */
	until(lab, 4000 * NS);
	suo_switch_hear(&lab->sw, 3, 3, 1000, lab->now_ps);
	receive(lab, 0, 3, 3, 980, 0);
	until(lab, 4500 * NS);
	assert_int_equal(lab->sent[3], 1);
	suo_switch_hear(&lab->sw, 3, 3, 0, lab->now_ps);
	assert_int_equal(lab->sent[3], 2);
	assert_int_equal(lab->port[3].count.pause_rx[3], 3);
	free_lab(lab);
}

/* What is flushed waits no longer: the pause counts until then, and room is given back. */
static void test_flush(void **state)
{
	struct lab *lab = make_lab();

	suo_switch_hear(&lab->sw, 3, 3, 1000, 0);
	receive(lab, 0, 3, 3, 980, 0);
	receive(lab, 0, 3, 3, 980, 0);
	until(lab, 500 * NS);
	assert_int_equal(lab->sw.pool.used_bytes, 2 * 980);
	suo_switch_flush(&lab->sw, 3, 3, lab->now_ps);
	assert_int_equal(lab->dropped[SUO_DROP_SHUT], 2);
	assert_int_equal(lab->sw.pool.used_bytes, 0);
	assert_int_equal(lab->port[3].count.paused_ps[3], 500 * NS);

	/* Nothing waits meanwhile; what comes later does, for 100 ns. */
	until(lab, 2000 * NS);
	receive(lab, 0, 3, 3, 980, 0);
	until(lab, 2100 * NS);
	suo_switch_hear(&lab->sw, 3, 3, 0, lab->now_ps);
	assert_int_equal(lab->sent[3], 1);
	assert_int_equal(lab->port[3].count.paused_ps[3], 600 * NS);
	free_lab(lab);
}

/*
 * A full ingress queue asks to stop, asks again when half of 65535 quanta (4.194 ms at
 * 8 Gb/s) is over, and to go on when it has emptied.
 */
static void test_pauses(void **state)
{
	struct lab *lab = make_lab();
	struct suo_pfc_law *pfc = &lab->law.class[3].pfc;

	*pfc = (struct suo_pfc_law){
		.static_bytes = 2000, .headroom_bytes = 2000, .xon_bytes = 1000,
		.dynamic_th = SUO_PFC_NO_DYNAMIC,
	};
	suo_switch_hear(&lab->sw, 3, 3, SUO_PFC_MAX_QUANTA, 0);
	for (u32 i = 0; i < 4; i++)
		receive(lab, 1, 3, 3, 1000, 0);
	assert_int_equal(lab->pauses, 1);
	receive(lab, 1, 3, 3, 1000, 0);
	assert_int_equal(lab->dropped[SUO_DROP_BUFFER], 1);
	/* Another port has a group of its own. */
	receive(lab, 2, 3, 3, 1000, 0);
	assert_int_equal(lab->pauses, 1);

	until(lab, 4000000 * NS);
	assert_int_equal(lab->pauses, 2);
	assert_int_equal(lab->pause_ps[1], 65535ull * 512 * 1000 / 8 / 2);
	suo_switch_hear(&lab->sw, 3, 3, 0, lab->now_ps);
	/* Headroom: after two; and 1000 below the threshold: after three. */
	until(lab, lab->now_ps + 3 * 1020 * NS - 1);
	assert_int_equal(lab->resumes, 0);
	until(lab, lab->now_ps + 1);
	assert_int_equal(lab->resumes, 1);
	until(lab, lab->now_ps + 10000000 * NS);
	assert_int_equal(lab->pauses, 2);
	assert_int_equal(lab->sent[3], 5);
	assert_int_equal(lab->sw.pool.used_bytes, 0);
	free_lab(lab);
}

/* A queue held at a depth: of those that come, as many are marked as the curve says. */
static void test_marks(void **state)
{
	struct lab *lab = make_lab();
	const u32 frames = 200000, depth = 60;
	double p = 0.25 * (depth * 1000 - 20000) / 80000, sigma;

	lab->law.class[3].ecn = true;
	lab->law.class[3].wred = (struct suo_wred_law){ 20000, 100000, 250000, 0 };
	/* The first is sent at once; then depth frames wait. */
	for (u32 i = 0; i <= depth; i++)
		receive(lab, 0, 3, 3, 1000, 0);
	for (u32 i = 0; i < frames; i++) {
		receive(lab, 0, 3, 3, 1000, SUO_FRAME_ECT);
		until(lab, (i + 1) * 1020 * NS);
	}
	until(lab, (frames + depth + 2) * 1020 * NS);
	sigma = sqrt(frames * p * (1 - p));
	assert_true(fabs(lab->marked - frames * p) < 2.576 * sigma);
	assert_int_equal(lab->port[3].count.marked[3], lab->marked);
	free_lab(lab);
}

/* What has no way, finds the queue full, or cannot be marked */
static void test_drops(void **state)
{
	struct lab *lab = make_lab();

	receive(lab, 0, PORTS, 0, 1000, 0);
	receive(lab, 0, 77, 0, 1000, 0);
	assert_int_equal(lab->dropped[SUO_DROP_ROUTE], 2);

	lab->law.class[1].queue_bytes = 3000;
	for (u32 i = 0; i < 6; i++)
		receive(lab, 0, 3, 1, 1000, 0);
	/* One is being sent, three wait. */
	assert_int_equal(lab->dropped[SUO_DROP_QUEUE], 2);

	lab->law.class[2].ecn = true;
	lab->law.class[2].wred = (struct suo_wred_law){ 0, 0, 0, 0 };
	receive(lab, 0, 3, 2, 1000, 0);
	receive(lab, 0, 3, 2, 1000, 0);
	receive(lab, 0, 3, 2, 1000, SUO_FRAME_ECT);
	assert_int_equal(lab->dropped[SUO_DROP_WRED], 1);
	until(lab, 1000000 * NS);
	assert_int_equal(lab->marked, 1);
	assert_int_equal(lab->sw.pool.used_bytes, 0);
	free_lab(lab);
}

/* Cut to 64 bytes, and ahead of what it could not join. */
static void test_trim(void **state)
{
	struct lab *lab = make_lab();

	lab->law.class[1].queue_bytes = 3000;
	lab->law.trim_bytes = 64;
	lab->law.trim_prio = 6;
	lab->law.sched.strict = 1 << 6;
	for (u32 i = 0; i < 6; i++)
		receive(lab, 0, 3, 1, 1000, SUO_FRAME_TRIMMABLE);
	assert_int_equal(lab->port[3].count.trimmed, 2);
	until(lab, 1020 * NS + 2 * 84 * NS);
	assert_int_equal(lab->sent[1], 2);
	assert_int_equal(lab->sent[6], 2);
	assert_int_equal(lab->sent_bytes[6], 2 * (64 + GAP));
	until(lab, 1000000 * NS);
	assert_int_equal(lab->sent[1], 4);
	assert_int_equal(lab->sw.pool.used_bytes, 0);
	free_lab(lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ets),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_paused),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_trim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
