// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Incast over links with PFC: three NICs that send as fast as their links are, to one. They
 * hear real pause frames, and obey as late as IEEE 802.1Q allows at their rate. Frames for
 * them are in the way of the pause frames. Headroom after suo_pfc_late_bytes() is enough
 * for that, and one frame less is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/core/rand.h"
#include "tests/unit/swd_helper.h"

#define NS		1000ull
#define US		1000000ull
#define MS		1000000000ull
#define RATE_MBPS	100000
#define BYTE_PS		80u		/* 8 bits at 100 Gb/s */
#define GAP		SUO_SWITCH_GAP_BYTES
#define FRAME_BYTES	4158u		/* RoCE with 4096 bytes */
#define SENDERS		3
#define SINK		3
#define PRIO		3
#define BACK_PRIO	1

/* 100 m at 100 Gb/s: 394 quanta, IEEE 802.1Q-2018, table 36-1, as in suo_pfc_late_bytes(). */
#define OBEY_PS		(394 * 512 * 10ull)

/* XOFF in the middle of a frame: that one is not in the headroom. */
#define CLUSTER		"name: t\nhosts: 4\naccelerators: 1\nscale_up: {profile: nvlink4}\n"	\
			"scale_out:\n  profile: roce-100g\n"					\
			"  leaf: {switch_ns: 0, fec_ns: 0, propagation_ns: 500, buffer_bytes: 1GiB}\n"	\
			"  pfc: {xoff_bytes: 100000, xon_bytes: 50000"

struct nic {
	struct swd_timer	next;
	struct swd_timer	obey;
	u64			until_ps;	/* it is asked to wait until then */
	u64			asked_ps;
	u64			pauses;
	u64			sent;
};

static struct lab {
	struct swd	*s;
	struct nic	nic[4];
	u64		got;
	u64		back;
	u64		random;
	u64		stop_ps;
} lab;

static u32 nic_of(const struct swd_timer *timer)
{
	return (const struct nic *)timer->arg - lab.nic;
}

/* All of a frame is on the wire; the next one follows. */
static void next_frame(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	static u8 data[FRAME_BYTES];
	struct nic *nic = timer->arg;
	u32 id = nic_of(timer);

	if (id == SINK)
		swd_send(s, id, data, swd_udp(data, FRAME_BYTES, id, suo_rand(&lab.random) % 3,
					      BACK_PRIO << 5, 1), at_ps);
	else
		swd_send(s, id, data, swd_udp(data, FRAME_BYTES, id, SINK, PRIO << 5, 1), at_ps);
	nic->sent++;
	if (at_ps > lab.stop_ps)
		return;
	if (nic->until_ps > at_ps)
		at_ps = nic->until_ps;
	swd_timer_at(s, timer, at_ps + (FRAME_BYTES + GAP) * BYTE_PS);
}

/* What was heard takes effect. */
static void obey(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	struct nic *nic = timer->arg;

	nic->until_ps = nic->asked_ps;
	/* A frame that has begun is finished; one that has not begins now, or then. */
	if (nic->next.at_ps == U64_MAX ||
	    nic->next.at_ps > at_ps + (FRAME_BYTES + GAP) * BYTE_PS)
		swd_timer_at(s, &nic->next, suo_max(at_ps, nic->until_ps) +
			     (FRAME_BYTES + GAP) * BYTE_PS);
}

static int take(struct swd_port *port, const u8 *data, size_t len)
{
	struct nic *nic = &lab.nic[port->id];
	u16 quanta[SWD_PRIOS];

	if (data[12] != 0x88 || data[13] != 0x08) {
		lab.got += port->id == SINK;
		lab.back += port->id != SINK;
		return 0;
	}
	assert_int_equal(swd_pfc_parse(data, quanta), 1 << PRIO);
	if (port->id == SINK || nic->until_ps == U64_MAX)
		return 0;
	nic->pauses += !!quanta[PRIO];
	nic->asked_ps = quanta[PRIO] ? port->s->now_ps + quanta[PRIO] * 512 * 10ull : 0;
	/* To stop takes its time, to go on does not. */
	swd_timer_at(port->s, &nic->obey, port->s->now_ps + (quanta[PRIO] ? OBEY_PS : 0));
	return 0;
}

static u64 dropped(void)
{
	u64 n = 0;

	for (u32 p = 0; p < 4; p++)
		n += lab.s->node[0].sw->port[p].count.dropped[SUO_DROP_BUFFER];
	return n;
}

/* Return: frames lost, by the switch's own counter; they are missing at the sink, too. */
static u64 run_incast(const char *text)
{
	u64 sent = 0, lost, counted = 0, now_ps;

	lab = (struct lab){ .random = 1 };
	lab.s = swd_make(text, 4096, take);
	now_ps = swd_greet(lab.s);
	lab.got = 0;
	lab.back = 0;
	lab.stop_ps = now_ps + 20 * MS;
	for (u32 i = 0; i < 4; i++) {
		struct nic *nic = &lab.nic[i];

		nic->next = (struct swd_timer){ next_frame, nic, U64_MAX };
		nic->obey = (struct swd_timer){ obey, nic, U64_MAX };
		/* Not in step. */
		swd_timer_at(lab.s, &nic->next, now_ps + i * 97 * NS);
	}
	swd_run(lab.s, now_ps + 100 * MS);

	lost = dropped();
	for (u32 i = 0; i < SENDERS; i++) {
		sent += lab.nic[i].sent;
		counted += lab.s->node[0].ifs[i].prio[PRIO].pg_drop_packets;
		assert_true(lab.nic[i].pauses > 100);
	}
	assert_int_equal(lab.s->frames_out, 0);
	assert_int_equal(lab.got + lost, sent);
	assert_int_equal(counted, lost);
	/* The link to the sink is as busy as it can be: pauses do not starve it. */
	assert_true((lab.got + 1) * (FRAME_BYTES + GAP) * BYTE_PS > 20 * MS);
	swd_unmake(lab.s);
	return lost;
}

static void test_headroom(void **state)
{
	static const struct suo_pfc_cable cable = {
		.rate_mbps = RATE_MBPS, .length_m = 100, .mtu_bytes = FRAME_BYTES,
		.lossless_mtu_bytes = FRAME_BYTES, .cell_bytes = 256,
	};
	u64 bytes = suo_pfc_late_bytes(&cable);
	char text[512];

	/* The cluster file's own figure is this one. */
	assert_int_equal(run_incast(CLUSTER "}\n"), 0);
	snprintf(text, sizeof(text), CLUSTER ", headroom_bytes: %llu}\n",
		 (unsigned long long)bytes);
	assert_int_equal(run_incast(text), 0);
	snprintf(text, sizeof(text), CLUSTER ", headroom_bytes: %llu}\n",
		 (unsigned long long)bytes - FRAME_BYTES);
	assert_true(run_incast(text) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headroom),
	};

	return cmocka_run_group_tests_name("swd-pfc", tests, NULL, NULL);
}
