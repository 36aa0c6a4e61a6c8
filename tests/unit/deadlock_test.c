// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who waits for whom, by hand; and the watchdog over one queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

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
		cmocka_unit_test(test_storm_and_go_on),
		cmocka_unit_test(test_short_pauses),
		cmocka_unit_test(test_no_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
