// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The executor's promises, held against bad luck: every plan is run several times
 * in a row on a network that delays whatever it may delay, at random. A message is
 * read out of its sender's memory at any time until the sender is told, and lands at
 * any time; a rank begins its next run, with other data, as soon as it has ended
 * one, while others are still in theirs. Where the layout says that a message may
 * land in DATA although nobody asked, it must be right for all that.
 *
 * The machine here does what userspace/coll/exec.c does, but has no network.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/coll/layout.h"

#define RANKS		8
#define RUNS		4
#define COUNT		48
#define MAX_STEPS	512
#define MAX_EVENTS	8192

/* What may happen next. */
struct event {
	enum { LAND, TELL, BEGIN } kind;
	uint32_t	rank;
	uint32_t	step;
	uint32_t	run;
};

struct rank {
	struct suo_layout	*layout;
	uint64_t		*data;
	uint64_t		*input;
	uint64_t		*scratch[2];
	uint32_t		run;
	uint32_t		left;
	uint32_t		waits[MAX_STEPS];
	bool			arrived[2][MAX_STEPS];
	bool			running;
};

static struct rank ranks[RANKS];
static uint32_t n, root;
static enum suo_coll coll;
static uint64_t count;
static struct event events[MAX_EVENTS];
static unsigned int nevents;
static const char *name;

static void add_event(int kind, uint32_t rank, uint32_t step, uint32_t run)
{
	assert_true(nevents < MAX_EVENTS);
	events[nevents++] = (struct event){ kind, rank, step, run };
}

/* What rank r puts in at element i of a run. */
static uint64_t value(uint32_t r, uint32_t run, uint64_t i)
{
	uint64_t x = (uint64_t)r << 40 ^ (uint64_t)run << 32 ^ i;

	return (x + 1) * 0x9e3779b97f4a7c15ull;
}

static uint64_t *at(struct rank *rank, uint32_t run, unsigned int buf, uint64_t off)
{
	if (buf == SUO_PLAN_INPUT)
		return rank->input + off;
	if (buf == SUO_PLAN_SCRATCH)
		return rank->scratch[run & 1] + off;
	return rank->data + off;
}

static void count_down(uint32_t r, uint32_t i);

static void done(uint32_t r, uint32_t i)
{
	struct rank *rank = &ranks[r];
	const struct suo_layout_step *step = &rank->layout->step[i];

	rank->left--;
	for (uint32_t k = 0; k < step->nthen; k++)
		count_down(r, rank->layout->then[step->first + k]);
}

/* As exec.c's start_step(); what the network does comes later, as events. */
static void start(uint32_t r, uint32_t i)
{
	struct rank *rank = &ranks[r];
	const struct suo_layout_step *step = &rank->layout->step[i];
	uint64_t *to;

	switch (step->op) {
	case SUO_PLAN_SEND:
	case SUO_PLAN_MCAST_WRITE:
	case SUO_PLAN_REDUCED_READ:
		add_event(LAND, r, i, rank->run);
		return;
	case SUO_PLAN_RECV:
		if (step->scratch && step->buf != SUO_PLAN_SCRATCH)
			memcpy(at(rank, rank->run, step->buf, step->off),
			       at(rank, rank->run, SUO_PLAN_SCRATCH, step->at), 8 * step->len);
		break;
	case SUO_PLAN_RECV_REDUCE:
		to = rank->data + step->off;
		for (uint64_t k = 0; k < step->len; k++)
			to[k] += at(rank, rank->run, SUO_PLAN_SCRATCH, step->at)[k];
		break;
	default:
		memcpy(at(rank, rank->run, step->buf, step->off),
		       at(rank, rank->run, step->src, step->src_off), 8 * step->len);
		break;
	}
	done(r, i);
}

static void count_down(uint32_t r, uint32_t i)
{
	if (!--ranks[r].waits[i])
		start(r, i);
}

static bool is_receive(const struct suo_layout_step *step)
{
	return step->op == SUO_PLAN_RECV || step->op == SUO_PLAN_RECV_REDUCE;
}

/* A message is read, lands, and its immediate data is seen. */
static void land_send(uint32_t r, const struct suo_layout_step *step, uint32_t run)
{
	struct rank *peer = &ranks[step->peer];
	const uint64_t *from = at(&ranks[r], run, step->buf, step->off);
	uint32_t ahead = run - peer->run;

	memcpy(step->scratch ? peer->scratch[run & 1] + step->at : peer->data + step->at, from,
	       8 * step->len);
	/* two runs at most are ever under way */
	assert_in_range(ahead, 0, 1);
	assert_false(peer->arrived[run & 1][step->peer_step]);
	peer->arrived[run & 1][step->peer_step] = true;
	if (!ahead && peer->running)
		count_down(step->peer, step->peer_step);
}

static void land_network(uint32_t r, const struct suo_layout_step *step, uint32_t run)
{
	uint32_t g = ranks[r].layout->domain_size, first = r / g * g;

	for (uint64_t k = 0; k < step->len; k++) {
		uint64_t sum = 0;

		for (uint32_t m = first; m < first + g; m++) {
			if (step->op == SUO_PLAN_MCAST_WRITE)
				ranks[m].data[step->off + k] =
					at(&ranks[r], run, step->src, step->src_off)[k];
			else
				sum += ranks[m].data[step->src_off + k];
		}
		if (step->op == SUO_PLAN_REDUCED_READ)
			at(&ranks[r], run, step->buf, step->off)[k] = sum;
	}
}

/* What must be at element i of rank r's DATA; false: whatever. */
static bool expected(uint32_t r, uint32_t run, uint64_t i, uint64_t *want)
{
	uint64_t off = 0, len = 0, mine, mine_len;
	uint32_t owner = 0;

	mine_len = suo_plan_chunk(count, n, r, &mine);
	while (len = suo_plan_chunk(count, n, owner, &off), i >= off + len)
		owner++;
	*want = 0;
	switch (coll) {
	case SUO_COLL_ALLREDUCE:
	case SUO_COLL_REDUCE:
	case SUO_COLL_REDUCE_SCATTER:
		for (uint32_t s = 0; s < n; s++)
			*want += value(s, run, i);
		if (coll == SUO_COLL_REDUCE)
			return r == root;
		return coll == SUO_COLL_ALLREDUCE || (i >= mine && i < mine + mine_len);
	case SUO_COLL_ALL_GATHER:
	case SUO_COLL_GATHER:
		*want = value(owner, run, i);
		return coll == SUO_COLL_ALL_GATHER || r == root;
	case SUO_COLL_BROADCAST:
		*want = value(root, run, i);
		return true;
	case SUO_COLL_SCATTER:
		*want = value(root, run, i);
		return i >= mine && i < mine + mine_len;
	default:
		/* block s of rank r is block r of rank s: equal blocks */
		*want = value(owner, run, mine + (i - off));
		return true;
	}
}

static void check(uint32_t r, uint32_t run)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t want;

		if (expected(r, run, i, &want) && ranks[r].data[i] != want)
			fail_msg("%s %s, %u ranks in domains of %u: rank %u, run %u, element %u",
				 suo_coll_name(coll), name, n, ranks[r].layout->domain_size, r,
				 run, (unsigned int)i);
	}
}

/* The next run's data, and the run. */
static void begin(uint32_t r)
{
	struct rank *rank = &ranks[r];
	const struct suo_layout *layout = rank->layout;

	for (uint64_t i = 0; i < count; i++) {
		rank->data[i] = value(r, rank->run, i);
		rank->input[i] = value(r, rank->run, i);
	}
	rank->running = true;
	rank->left = layout->nsteps;
	for (uint32_t i = 0; i < layout->nsteps; i++)
		rank->waits[i] = layout->step[i].waits + 1;
	for (uint32_t i = 0; i < layout->nsteps; i++)
		if (is_receive(&layout->step[i]) && rank->arrived[rank->run & 1][i])
			count_down(r, i);
	for (uint32_t i = 0; i < layout->nsteps; i++)
		count_down(r, i);
}

static void end_if_done(uint32_t r)
{
	struct rank *rank = &ranks[r];

	if (!rank->running || rank->left)
		return;
	check(r, rank->run);
	rank->running = false;
	memset(rank->arrived[rank->run & 1], 0, sizeof(rank->arrived[0]));
	rank->run++;
	/* The application does what it likes with DATA until it begins again. */
	memset(rank->data, 0xdd, 8 * count);
	if (rank->run < RUNS)
		add_event(BEGIN, r, 0, 0);
}

static void happen(const struct event *e)
{
	const struct suo_layout_step *step = &ranks[e->rank].layout->step[e->step];

	switch (e->kind) {
	case BEGIN:
		begin(e->rank);
		break;
	case LAND:
		add_event(TELL, e->rank, e->step, e->run);
		if (step->op == SUO_PLAN_SEND)
			land_send(e->rank, step, e->run);
		else
			land_network(e->rank, step, e->run);
		break;
	default:
		done(e->rank, e->step);
		break;
	}
}

static void run_all(const struct suo_plan *plan)
{
	nevents = 0;
	for (uint32_t r = 0; r < n; r++) {
		struct rank *rank = &ranks[r];
		char why[128] = "";

		memset(rank, 0, sizeof(*rank));
		if (suo_layout_create(plan, r, 0, &rank->layout, why, sizeof(why)))
			fail_msg("%s: %s", name, why);
		assert_true(rank->layout->nsteps <= MAX_STEPS);
		rank->data = calloc(count + 1, 8);
		rank->input = calloc(count + 1, 8);
		for (int k = 0; k < 2; k++)
			rank->scratch[k] = calloc(rank->layout->scratch_len + 1, 8);
		add_event(BEGIN, r, 0, 0);
	}
	while (nevents) {
		unsigned int which = random() % nevents;
		struct event e = events[which];

		events[which] = events[--nevents];
		happen(&e);
		for (uint32_t r = 0; r < n; r++)
			end_if_done(r);
	}
	for (uint32_t r = 0; r < n; r++) {
		if (ranks[r].run != RUNS)
			fail_msg("%s %s of %u ranks: rank %u hangs in run %u", suo_coll_name(coll),
				 name, n, r, ranks[r].run);
		suo_layout_free(ranks[r].layout);
		free(ranks[r].scratch[0]);
		free(ranks[r].scratch[1]);
		free(ranks[r].input);
		free(ranks[r].data);
	}
}

/* All algorithms of a collective, all shapes, even and odd lengths. */
static void all_plans(void **state)
{
	coll = *(enum suo_coll *)*state;
	for (unsigned int a = 0; (name = suo_plan_coll_algorithm(coll, a)); a++)
	for (n = 2; n <= RANKS; n++)
	for (uint32_t g = 1; g <= n; g++)
	for (int odd = 0; odd < 2; odd++) {
		struct suo_plan_shape shape = { .nranks = n, .domain_size = g };
		struct suo_plan *plan;

		count = n * (COUNT / RANKS) + (odd && coll != SUO_COLL_ALLTOALL ? 1 : 0);
		root = suo_coll_has_root(coll) ? n / 2 : 0;
		shape.count = coll == SUO_COLL_BARRIER ? 0 : count;
		shape.root = root;
		shape.chunk_len = 5;
		if (n % g || suo_plan_make(coll, name, &shape, &plan))
			continue;
		if (coll == SUO_COLL_BARRIER)
			count = 0;
		for (int i = 0; i < 3; i++)
			run_all(plan);
		suo_plan_free(plan);
	}
}

int main(void)
{
	static enum suo_coll which[SUO_NUM_COLLS];
	struct CMUnitTest tests[SUO_NUM_COLLS];

	srandom(1);
	for (int c = 0; c < SUO_NUM_COLLS; c++) {
		which[c] = c;
		tests[c] = (struct CMUnitTest){ suo_coll_name(c), all_plans, NULL, NULL, &which[c] };
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
