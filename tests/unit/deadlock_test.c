// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who waits for whom, by hand; and the watchdog over one queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/sim/heap.h"
#include "userspace/switch/deadlock.h"
#include "userspace/switch/watchdog.h"

#define US	1000000ull
#define PRIO	3
#define MOST	8

/* Cycles as they were told. */
struct told {
	u32	n;
	u32	len[MOST];
	u32	node[MOST][8];
};

static void keep(void *arg, const u32 *cycle, u32 n)
{
	struct told *told = arg;

	assert_true(told->n < MOST);
	told->len[told->n] = n;
	for (u32 i = 0; i < n && i < 8; i++)
		told->node[told->n][i] = cycle[i];
	told->n++;
}

/* Edges are pairs in the order of who waits, -1 ends them. */
static struct told cycles(u32 nodes, const int *edges)
{
	struct told told = { 0 };
	struct swd_waits waits;
	u32 *room = calloc(nodes, sizeof(*room));

	assert_non_null(room);
	assert_int_equal(swd_waits_init(&waits, nodes), 0);
	for (u32 v = 0; v < nodes; v++) {
		swd_waits_node(&waits, v);
		for (; edges[0] == (int)v; edges += 2)
			assert_int_equal(swd_waits_add(&waits, edges[1]), 0);
	}
	swd_waits_cycles(&waits, room, keep, &told);
	swd_waits_free(&waits);
	free(room);
	return told;
}

static void assert_cycle(const struct told *told, u32 which, u32 n, const u32 *nodes)
{
	assert_true(which < told->n);
	assert_int_equal(told->len[which], n);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(told->node[which][i], nodes[i]);
}

static void test_graphs(void **state)
{
	/* Many ways, but none back */
	static const int dag[] = { 0, 1, 0, 2, 1, 3, 2, 3, 3, 4, -1 };
	/* A triangle with a tail before and behind it */
	static const int triangle[] = { 0, 2, 1, 4, 2, 1, 4, 2, 4, 3, -1 };
	/* Two of two, apart; and one that waits for itself */
	static const int two[] = { 0, 3, 1, 2, 2, 1, 3, 0, 4, 4, -1 };
	/* Two circles that share node 2: all wait for each other; the short one is told */
	static const int eight[] = { 0, 1, 1, 2, 2, 0, 2, 3, 3, 4, 4, 5, 5, 2, -1 };
	struct told told;

	told = cycles(5, dag);
	assert_int_equal(told.n, 0);
	told = cycles(5, triangle);
	assert_int_equal(told.n, 1);
	assert_cycle(&told, 0, 3, (u32[]){ 1, 4, 2 });
	told = cycles(5, two);
	assert_int_equal(told.n, 3);
	assert_cycle(&told, 0, 2, (u32[]){ 0, 3 });
	assert_cycle(&told, 1, 2, (u32[]){ 1, 2 });
	assert_cycle(&told, 2, 1, (u32[]){ 4 });
	told = cycles(6, eight);
	assert_int_equal(told.n, 1);
	assert_cycle(&told, 0, 3, (u32[]){ 0, 1, 2 });
}

/* A ring of 100000: as deep as a search can be. */
static void test_long_ring(void **state)
{
	const int n = 100000;
	int *edges = calloc(2 * n + 1, sizeof(*edges));
	struct told told;

	assert_non_null(edges);
	for (int i = 0; i < n; i++) {
		edges[2 * i] = i;
		edges[2 * i + 1] = (i + 1) % n;
	}
	edges[2 * n] = -1;
	told = cycles(n, edges);
	assert_int_equal(told.n, 1);
	assert_int_equal(told.len[0], n);
	free(edges);
}

/*
 * Three switches in a ring, each with a host:
 *
 *	port 0 to its host, port 1 to the next switch's port 2
 *
 * and in each queue of port 1 a frame that came in by port 2.
 */
struct ring {
	struct suo_switch_law	law;
	struct suo_switch_port	port[3][3];
	struct suo_peer		peer[3][3];
	struct suo_frame	frame[3];
	struct suo_node		node[3];
	struct suo_topo		topo;
	struct swd_deadlock	deadlock;
	struct told		told;
};

static struct ring ring;

static void keep_stuck(void *arg, u32 prio, const struct swd_stuck *stuck, u32 n)
{
	assert_int_equal(prio, PRIO);
	assert_int_equal(n, 3);
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(stuck[i].node, i);
		assert_int_equal(stuck[i].port, 1);
	}
	ring.told.n++;
}

static int look(u64 now_ps)
{
	static const struct swd_deadlock_user user = { .found = keep_stuck };

	return swd_deadlock_look(&ring.deadlock, now_ps, &user);
}

static int set_up(void **state)
{
	ring = (struct ring){ 0 };
	ring.law.class[PRIO].pfc.headroom_bytes = 1;
	for (u32 i = 0; i < 3; i++) {
		struct suo_queue *q = &ring.port[i][1].queue[PRIO];

		ring.node[i].sw.law = &ring.law;
		ring.node[i].sw.nports = 3;
		ring.node[i].sw.port = ring.port[i];
		ring.node[i].peer = ring.peer[i];
		ring.peer[i][0] = (struct suo_peer){ .node = i, .is_host = true };
		ring.peer[i][1] = (struct suo_peer){ .node = (i + 1) % 3, .port = 2 };
		ring.peer[i][2] = (struct suo_peer){ .node = (i + 2) % 3, .port = 1 };
		ring.frame[i].in_port = 2;
		q->head = &ring.frame[i];
		q->tail = &ring.frame[i];
		ring.port[i][1].queue[PRIO].tx_packets = 10;
		ring.port[i][1].heard.until_ps[PRIO] = 1000 * US;
	}
	ring.topo = (struct suo_topo){ .nodes = 3, .node = ring.node };
	return swd_deadlock_init(&ring.deadlock, &ring.topo);
}

static int tear_down(void **state)
{
	swd_deadlock_free(&ring.deadlock);
	return 0;
}

/* It is told once, and again only after it was gone. */
static void test_ring_told_once(void **state)
{
	/* At the first look nobody is known to stand still. */
	assert_int_equal(look(100 * US), 0);
	assert_int_equal(look(200 * US), 1);
	assert_int_equal(ring.told.n, 1);
	assert_int_equal(look(300 * US), 1);
	assert_int_equal(ring.told.n, 1);

	/* One of them sends something: there is none. */
	ring.port[1][1].queue[PRIO].tx_packets++;
	assert_int_equal(look(400 * US), 0);
	assert_int_equal(look(500 * US), 1);
	assert_int_equal(ring.told.n, 2);
}

static void test_ring_open(void **state)
{
	look(100 * US);
	/* What waits in switch 2 came from its host. */
	ring.frame[2].in_port = 0;
	assert_int_equal(look(200 * US), 0);
	ring.frame[2].in_port = 2;
	assert_int_equal(look(300 * US), 1);
	/* One is told to go on. */
	ring.port[0][1].heard.until_ps[PRIO] = 0;
	assert_int_equal(look(400 * US), 0);
	ring.port[0][1].heard.until_ps[PRIO] = 1000 * US;
	/* It has nothing to send. */
	ring.port[0][1].queue[PRIO].head = NULL;
	assert_int_equal(look(500 * US), 0);
	ring.port[0][1].queue[PRIO].head = &ring.frame[0];
	/* All pauses are over. */
	assert_int_equal(look(1000 * US), 0);
	/* The priority may lose packets: nobody waits. */
	ring.law.class[PRIO].pfc.headroom_bytes = 0;
	assert_int_equal(look(600 * US), 0);
}

/* Two packets behind each other: the one that closes the ring is the second. */
static void test_ring_second_packet(void **state)
{
	struct suo_frame first = { .in_port = 0, .next = &ring.frame[1] };

	ring.port[1][1].queue[PRIO].head = &first;
	look(100 * US);
	assert_int_equal(look(200 * US), 1);
}

/*
 * The same ring alive: each host sends to the one after the next, clockwise, and each
 * link between switches is to carry two of these flows. With buffers of 20 frames and
 * pauses it locks up for good; where hosts send to the next one only, it does not.
 */
#define FRAME_BYTES	1000u
#define FRAME_PS	((FRAME_BYTES + SUO_SWITCH_GAP_BYTES) * 80)	/* 100 Gb/s */
#define HOP_PS		100000u
#define QUANTA(arg)	((arg) & 0xffff)

enum { AT_SWITCH, AT_HOST, HEAR, HOST_HEAR, HOST_SEND, TIMER };

static struct live {
	struct suo_heap		heap;
	u16			way[3][3];
	struct suo_pfc_tx	host[3];
	struct suo_frame	pool[4096];
	struct suo_frame	*free;
	u32			hops;
	u32			got;
	u64			now_ps;
} live;

static void free_frame(struct suo_frame *frame)
{
	frame->next = live.free;
	live.free = frame;
}

static void transmit(struct suo_switch *sw, u32 port, struct suo_frame *frame, u64 start_ps,
		     u64 head_ps, u64 end_ps)
{
	const struct suo_peer *peer = &ring.peer[sw->id][port];

	suo_heap_add(&live.heap, end_ps + HOP_PS, peer->is_host ? AT_HOST : AT_SWITCH, frame,
		     (u64)peer->node << 8 | peer->port);
}

static void say(struct suo_switch *sw, u32 port, u32 prio, u32 quanta, u64 now_ps)
{
	const struct suo_peer *peer = &ring.peer[sw->id][port];

	assert_int_equal(prio, PRIO);
	suo_heap_add(&live.heap, now_ps + HOP_PS, peer->is_host ? HOST_HEAR : HEAR, NULL,
		     (u64)peer->node << 32 | (u64)peer->port << 24 | quanta);
}

static void lose(struct suo_switch *sw, u32 port, struct suo_frame *frame, u32 why,
		 u64 now_ps)
{
	fail_msg("a packet is lost");
}

static void set_timer(struct suo_switch *sw, u64 at_ps, u32 what, u32 arg,
		      struct suo_frame *frame)
{
	suo_heap_add(&live.heap, at_ps, TIMER, frame, (u64)sw->id << 40 | (u64)what << 32 | arg);
}

static void host_send(u32 h)
{
	struct suo_frame *frame = live.free;

	if (suo_pfc_is_paused(&live.host[h], PRIO, live.now_ps)) {
		suo_heap_add(&live.heap, live.host[h].until_ps[PRIO], HOST_SEND, NULL, h);
		return;
	}
	assert_non_null(frame);
	live.free = frame->next;
	*frame = (struct suo_frame){ .dst = (h + live.hops) % 3, .bytes = FRAME_BYTES,
				     .last_bytes = FRAME_BYTES, .packets = 1, .prio = PRIO };
	suo_heap_add(&live.heap, live.now_ps + FRAME_PS + HOP_PS, AT_SWITCH, frame, h << 8);
	suo_heap_add(&live.heap, live.now_ps + FRAME_PS, HOST_SEND, NULL, h);
}

static void happen(const struct suo_happening *what)
{
	u64 arg = what->arg;

	switch (suo_happening_kind(what)) {
	case AT_SWITCH:
		suo_switch_receive(&ring.node[arg >> 8].sw, arg & 0xff, what->object,
				   live.now_ps);
		return;
	case AT_HOST:
		live.got++;
		free_frame(what->object);
		return;
	case HEAR:
		suo_switch_hear(&ring.node[arg >> 32].sw, arg >> 24 & 0xff, PRIO, QUANTA(arg),
				live.now_ps);
		return;
	case HOST_HEAR:
		/* It asks again when the pause that it knows of is over. */
		suo_pfc_hear(&live.host[arg >> 32], 100000, PRIO, QUANTA(arg), live.now_ps);
		return;
	case HOST_SEND:
		host_send(arg);
		return;
	default:
		suo_switch_timer(&ring.node[arg >> 40].sw, arg >> 32 & 0xff, arg & U32_MAX,
				 what->object, live.now_ps);
		return;
	}
}

static void run_live(u32 hops, u64 end_ps)
{
	static const struct suo_switch_ops ops = {
		.transmit = transmit, .pause = say, .drop = lose, .timer = set_timer,
	};
	struct suo_happening what;

	live = (struct live){ .hops = hops };
	for (u32 i = 0; i < 4096; i++)
		free_frame(&live.pool[i]);
	ring.law.class[PRIO].pfc = (struct suo_pfc_law){
		.static_bytes = 20 * FRAME_BYTES, .xon_bytes = 2 * FRAME_BYTES,
		.headroom_bytes = 20 * FRAME_BYTES, .dynamic_th = SUO_PFC_NO_DYNAMIC,
	};
	for (u32 i = 0; i < 3; i++) {
		struct suo_switch *sw = &ring.node[i].sw;

		sw->ops = &ops;
		sw->id = i;
		sw->pool = (struct suo_pfc_pool){ .size_bytes = 1 << 20 };
		sw->direct = 3;
		sw->dsts = 3;
		for (u32 h = 0; h < 3; h++)
			live.way[i][h] = h == i ? 0 : 1;
		sw->route_of = live.way[i];
		for (u32 p = 0; p < 3; p++)
			suo_switch_port_init(sw, p, 100000);
		suo_heap_add(&live.heap, i, HOST_SEND, NULL, i);
	}
	for (u64 look_ps = 100 * US; look_ps <= end_ps; look_ps += 100 * US) {
		while (suo_heap_next_until(&live.heap, look_ps, &what)) {
			live.now_ps = what.at_ps;
			happen(&what);
		}
		look(look_ps);
	}
	suo_heap_free(&live.heap);
}

static void test_live_ring(void **state)
{
	u32 got;

	run_live(2, 2000 * US);
	assert_int_equal(ring.told.n, 1);
	got = live.got;
	/* For good: the same again, for twice as long, carries no more. */
	tear_down(state);
	set_up(state);
	run_live(2, 4000 * US);
	assert_int_equal(ring.told.n, 1);
	assert_int_equal(live.got, got);
}

static void test_live_without(void **state)
{
	run_live(1, 1000 * US);
	assert_int_equal(ring.told.n, 0);
	/* All the time at full rate: a frame in 81.6 ns, three hosts. */
	assert_true(live.got > 3 * 990 * US / FRAME_PS);
}

/* Detection 100 us, restoration 200 us, looked at every 50 us; 100 Gb/s. */
struct watched {
	struct swd_watch	watch;
	struct suo_pfcwd_law	law;
	struct suo_switch_port	port;
	u64			begun;
	u64			now_ps;
};

static struct watched watched(void)
{
	return (struct watched){
		.law = { .detection_ps = 100 * US, .restoration_ps = 200 * US },
		.port.rate_mbps = 100000,
		.port.queue[PRIO].bytes = 4096,
	};
}

static u32 poll_watched(struct watched *w)
{
	w->now_ps += 50 * US;
	return swd_watch_poll(&w->watch, &w->law, &w->port, PRIO, w->begun, w->now_ps,
			      50 * US);
}

static void hear(struct watched *w, u32 quanta)
{
	bool off = !suo_pfc_is_paused(&w->port.heard, PRIO, w->now_ps);

	w->begun += quanta && off;
	w->port.count.pause_rx[PRIO]++;
	suo_pfc_hear(&w->port.heard, w->port.rate_mbps, PRIO, quanta, w->now_ps);
}

/* A peer that pauses on and on is in a storm after 100 us; then it says only "go on". */
static void test_storm_and_go_on(void **state)
{
	struct watched w = watched();

	hear(&w, SUO_PFC_MAX_QUANTA);
	assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);	/* armed */
	hear(&w, SUO_PFC_MAX_QUANTA);
	assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);
	hear(&w, SUO_PFC_MAX_QUANTA);
	assert_int_equal(poll_watched(&w), SUO_PFCWD_STORM);
	for (int i = 0; i < 10; i++) {
		hear(&w, SUO_PFC_MAX_QUANTA);
		assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);
	}
	for (int i = 0; i < 3; i++) {
		hear(&w, 0);
		assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);
	}
	hear(&w, 0);
	assert_int_equal(poll_watched(&w), SUO_PFCWD_RESTORED);
	assert_int_equal(w.watch.state.detected, 1);
	assert_int_equal(w.watch.state.restored, 1);
}

/* Paused and resumed between two looks: it is heard, though nothing is left of it. */
static void test_short_pauses(void **state)
{
	struct watched w = watched();

	poll_watched(&w);
	for (int i = 0; i < 2; i++) {
		hear(&w, 100);
		hear(&w, 0);
		assert_int_equal(poll_watched(&w), i ? SUO_PFCWD_STORM : SUO_PFCWD_NOTHING);
	}
	for (int i = 0; i < 8; i++) {
		hear(&w, 100);
		hear(&w, 0);
		assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);
	}
}

/* A queue that sends between its pauses, or that nobody pauses, is in none. */
static void test_no_storm(void **state)
{
	struct watched w = watched();

	for (int i = 0; i < 10; i++) {
		hear(&w, SUO_PFC_MAX_QUANTA);
		w.port.queue[PRIO].tx_packets++;
		assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);
	}
	w = watched();
	for (int i = 0; i < 10; i++) {
		hear(&w, 0);
		assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);
	}
	w = watched();
	w.port.queue[PRIO].bytes = 0;
	for (int i = 0; i < 10; i++) {
		hear(&w, SUO_PFC_MAX_QUANTA);
		assert_int_equal(poll_watched(&w), SUO_PFCWD_NOTHING);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graphs),
		cmocka_unit_test(test_long_ring),
		cmocka_unit_test_setup_teardown(test_ring_told_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ring_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ring_second_packet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_live_ring, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_live_without, set_up, tear_down),
		cmocka_unit_test(test_storm_and_go_on),
		cmocka_unit_test(test_short_pauses),
		cmocka_unit_test(test_no_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
