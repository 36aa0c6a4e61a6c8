// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The connect handshake between two endpoints over a network that loses,
 * repeats and reorders datagrams, with queue pairs that break at any time. What
 * must hold: nobody sends data to a queue pair that cannot receive it, and when
 * the network behaves again the two are connected to each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "userspace/fabric/handshake.h"

#define WIRE		64
#define SEEDS		4000
#define STEPS		200

struct msg {
	int		to;
	uint32_t	type;
	uint32_t	gen;
	uint32_t	peer_gen;
};

/* One endpoint: its state, and its queue pair as the hardware would have it. */
struct side {
	struct suo_hs	hs;
	uint32_t	next_gen;
	bool		can_receive;	/* the queue pair is in RTR or RTS */
	uint32_t	tied_to;	/* generation of the peer's */
};

struct world {
	struct side	side[2];
	struct msg	wire[WIRE];
	int		on_wire;
	uint64_t	random;
};

static uint32_t roll(struct world *w, uint32_t n)
{
	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	return (w->random >> 33) % n;
}

static void apply(struct world *w, int me, const struct suo_hs_todo *todo)
{
	struct side *s = &w->side[me];

	if (todo->reset || todo->create)
		s->can_receive = false;
	if (todo->bring_up) {
		assert_false(s->can_receive);
		s->can_receive = true;
		s->tied_to = s->hs.peer_gen;
	}
	if (todo->send != SUO_HS_NONE && w->on_wire < WIRE)
		w->wire[w->on_wire++] = (struct msg){
			.to		= !me,
			.type		= todo->send,
			.gen		= s->hs.gen,
			.peer_gen	= s->hs.peer_gen,
		};
	if (todo->ready)
		assert_int_equal(s->hs.state, SUO_HS_READY);
}

static void deliver(struct world *w, int i, bool keep)
{
	struct msg m = w->wire[i];
	struct side *s = &w->side[m.to];
	struct suo_hs_todo todo;
	bool ends;

	if (!keep)
		w->wire[i] = w->wire[--w->on_wire];
	ends = m.type <= SUO_HS_RTU && suo_hs_supersedes(&s->hs, m.gen);
	suo_hs_message(&s->hs, &s->next_gen, m.type, m.gen, m.peer_gen, &todo);
	assert_int_equal(ends, todo.reset);
	apply(w, m.to, &todo);
}

static void connect_side(struct world *w, int me)
{
	struct suo_hs_todo todo;

	suo_hs_connect(&w->side[me].hs, &w->side[me].next_gen, &todo);
	apply(w, me, &todo);
}

static void timeout(struct world *w, int me)
{
	struct suo_hs_todo todo;

	suo_hs_timeout(&w->side[me].hs, &todo);
	apply(w, me, &todo);
}

/* The queue pair fails, or the attempts are exhausted: begin from nothing. */
static void breakdown(struct world *w, int me)
{
	w->side[me].hs.state = SUO_HS_IDLE;
	w->side[me].can_receive = false;
}

/*
 * READY promises that the peer's queue pair, unless it has broken since, can
 * receive from ours.
 */
static void check_safe(const struct world *w)
{
	for (int me = 0; me < 2; me++) {
		const struct side *s = &w->side[me], *p = &w->side[!me];

		if (s->hs.state != SUO_HS_READY)
			continue;
		assert_true(s->can_receive);
		assert_int_equal(s->tied_to, s->hs.peer_gen);
		if (p->hs.state == SUO_HS_IDLE || p->hs.gen != s->hs.peer_gen)
			continue;	/* broken since */
		assert_true(p->can_receive);
		assert_int_equal(p->tied_to, s->hs.gen);
	}
}

static void chaos(struct world *w, bool breaks)
{
	for (int step = 0; step < STEPS; step++) {
		int what = roll(w, breaks ? 11 : 10), me = roll(w, 2);

		if (what < 2)
			connect_side(w, me);
		else if (what < 4)
			timeout(w, me);
		else if (what < 10 && w->on_wire) {
			int i = roll(w, w->on_wire);

			if (what == 4)
				w->wire[i] = w->wire[--w->on_wire];	/* lost */
			else
				deliver(w, i, what == 5);		/* repeated */
		} else if (what == 10) {
			breakdown(w, me);
		}
		check_safe(w);
	}
}

static bool connected(const struct world *w)
{
	const struct side *a = &w->side[0], *b = &w->side[1];

	return a->hs.state == SUO_HS_READY && b->hs.state == SUO_HS_READY &&
	       a->hs.peer_gen == b->hs.gen && b->hs.peer_gen == a->hs.gen;
}

/* From here on nothing is lost, and a side whose data gets no answer knows. */
static void settle(struct world *w)
{
	for (int round = 0; round < 20 && !connected(w); round++) {
		for (int me = 0; me < 2; me++) {
			const struct side *s = &w->side[me], *p = &w->side[!me];

			if (s->hs.state == SUO_HS_READY &&
			    (!p->can_receive || p->hs.gen != s->hs.peer_gen))
				breakdown(w, me);
			connect_side(w, me);
			timeout(w, me);
		}
		while (w->on_wire) {
			deliver(w, 0, false);
			check_safe(w);
		}
	}
	assert_true(connected(w));
}

static void run(bool breaks)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w = { .random = seed };

		w.side[0].next_gen = 1;
		w.side[1].next_gen = 1;
		chaos(&w, breaks);
		settle(&w);
		if (!breaks) {
			/* Nothing ever made a second queue pair. */
			assert_int_equal(w.side[0].hs.gen, 1);
			assert_int_equal(w.side[1].hs.gen, 1);
		}
	}
}

static void loss_and_repetition(void **state)
{
	run(false);
}

static void breakdowns(void **state)
{
	run(true);
}

/* The shortest course: three messages, and data in place of the last one. */
static void plain(void **state)
{
	struct world w = { .random = 1, .side = { { .next_gen = 1 }, { .next_gen = 1 } } };
	struct suo_hs_todo todo;

	connect_side(&w, 0);
	assert_int_equal(w.wire[0].type, SUO_HS_REQ);
	deliver(&w, 0, false);
	assert_int_equal(w.side[1].hs.state, SUO_HS_REP_SENT);
	assert_int_equal(w.wire[0].type, SUO_HS_REP);
	deliver(&w, 0, false);
	assert_int_equal(w.side[0].hs.state, SUO_HS_READY);
	assert_int_equal(w.wire[0].type, SUO_HS_RTU);
	w.on_wire = 0;
	suo_hs_data(&w.side[1].hs, &todo);
	apply(&w, 1, &todo);
	assert_true(todo.ready);
	assert_true(connected(&w));
}

/* An endpoint may send to itself: its REQ comes back to the same state. */
static void itself(void **state)
{
	struct suo_hs hs = { 0 };
	struct suo_hs_todo todo;
	uint32_t next_gen = 1;

	suo_hs_connect(&hs, &next_gen, &todo);
	suo_hs_message(&hs, &next_gen, SUO_HS_REQ, 1, 0, &todo);
	assert_true(todo.bring_up);
	assert_int_equal(todo.send, SUO_HS_REP);
	suo_hs_message(&hs, &next_gen, SUO_HS_REP, 1, 1, &todo);
	assert_true(todo.ready);
	assert_int_equal(todo.send, SUO_HS_RTU);
	suo_hs_message(&hs, &next_gen, SUO_HS_RTU, 1, 1, &todo);
	assert_int_equal(hs.state, SUO_HS_READY);
	assert_int_equal(todo.send, SUO_HS_NONE);
}

static void unknown_type(void **state)
{
	struct suo_hs hs = { .state = SUO_HS_READY, .gen = 3, .peer_gen = 4 };
	struct suo_hs before = hs;
	struct suo_hs_todo todo;
	uint32_t next_gen = 4;

	suo_hs_message(&hs, &next_gen, 77, 4, 3, &todo);
	assert_memory_equal(&hs, &before, sizeof(hs));
	assert_int_equal(todo.send, SUO_HS_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(itself),
		cmocka_unit_test(unknown_type),
		cmocka_unit_test(loss_and_repetition),
		cmocka_unit_test(breakdowns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
