// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan/group.h"
#include "tests/unit/plan_helper.h"

#define GARBAGE		0xdeadbeefdeadbeefull

struct suo_plan *make_plan(enum suo_coll coll, const char *name, uint32_t n,
			   uint32_t g, uint64_t count, uint32_t root)
{
	struct suo_plan_shape shape = {
		.nranks = n,
		.domain_size = g,
		.count = count,
		.root = root,
	};
	struct suo_plan *plan = NULL;
	int ret = suo_plan_make(coll, name, &shape, &plan);

	if (ret)
		fail_msg("%s %s, %u ranks, domains of %u: cannot be made: %d",
			 suo_coll_name(coll), name, n, g, ret);
	return plan;
}

void assert_good(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
		 uint64_t count, uint32_t root)
{
	struct suo_plan *plan = make_plan(coll, name, n, g, count, root);
	char why[256] = "";

	if (suo_plan_check(plan, why, sizeof(why)))
		fail_msg("%s %s, %u ranks, domains of %u, %" PRIu64
			 " elements, root %u: %s", suo_coll_name(coll), name, n,
			 g, count, root, why);
	suo_plan_free(plan);
}

const char *composed_name(enum suo_coll coll, const char *base, unsigned int i)
{
	static const char *const group[] = {
#define NAME(name)	#name,
		SUO_GROUP_ALGOS(NAME)
	};
	static const unsigned int ngroups = sizeof(group) / sizeof(group[0]);
	static char name[SUO_PLAN_NAME_SIZE];

	for (unsigned int pair = 0; pair < ngroups * ngroups; pair++) {
		snprintf(name, sizeof(name), "%s:%s+%s", base,
			 group[pair / ngroups], group[pair % ngroups]);
		if (suo_plan_known(coll, name) && !i--)
			return name;
	}
	return NULL;
}

struct interp {
	const struct suo_plan	*plan;
	uint64_t		**buf;		/* SUO_PLAN_NUM_BUFS a rank */
	uint64_t		***msg;		/* by send step; NULL: not sent */
	bool			**done;
};

static uint64_t *buffer(const struct interp *in, uint32_t r, uint32_t buf)
{
	return in->buf[r * SUO_PLAN_NUM_BUFS + buf];
}

/* What rank r contributes to element e. */
static uint64_t contribution(uint32_t r, uint64_t e)
{
	return (r + 1) * 1000003ull + e * e;
}

static bool may_start(const struct interp *in, uint32_t r, uint32_t i)
{
	const struct suo_plan_step *s = &in->plan->rank[r].step[i];

	for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++)
		if (s->dep[d] != SUO_PLAN_NO_DEP && !in->done[r][s->dep[d]])
			return false;
	return !in->done[r][i];
}

static bool receives(const struct suo_plan_step *s)
{
	return s->op == SUO_PLAN_RECV || s->op == SUO_PLAN_RECV_REDUCE;
}

/* The send step that the receive step i of rank r meets. */
static uint32_t mate_of(const struct interp *in, uint32_t r, uint32_t i)
{
	const struct suo_plan_rank *me = &in->plan->rank[r];
	const struct suo_plan_rank *peer = &in->plan->rank[me->step[i].peer];
	uint32_t nth = 0, j;

	for (j = 0; j < i; j++)
		nth += receives(&me->step[j]) &&
		       me->step[j].peer == me->step[i].peer;
	for (j = 0; j < peer->nsteps; j++)
		if (peer->step[j].op == SUO_PLAN_SEND &&
		    peer->step[j].peer == r && !nth--)
			break;
	assert_true(j < peer->nsteps);
	assert_int_equal(peer->step[j].len, me->step[i].len);
	return j;
}

static void in_network(struct interp *in, uint32_t r, const struct suo_plan_step *s)
{
	uint32_t g = in->plan->domain_size, first = r / g * g;
	const uint64_t *from = buffer(in, r, s->src) + s->src_off;

	for (uint64_t e = 0; e < s->len; e++) {
		uint64_t sum = 0;

		for (uint32_t m = first; m < first + g; m++) {
			if (s->op == SUO_PLAN_MCAST_WRITE)
				buffer(in, m, SUO_PLAN_DATA)[s->off + e] = from[e];
			else
				sum += buffer(in, m, SUO_PLAN_DATA)[s->src_off + e];
		}
		if (s->op == SUO_PLAN_REDUCED_READ)
			buffer(in, r, s->buf)[s->off + e] = sum;
	}
}

static bool do_step(struct interp *in, uint32_t r, uint32_t i)
{
	const struct suo_plan_step *s = &in->plan->rank[r].step[i];
	uint64_t *here = buffer(in, r, s->buf) + s->off;
	uint64_t *msg;

	switch (s->op) {
	case SUO_PLAN_SEND:
		msg = calloc(s->len + 1, sizeof(*msg));
		memcpy(msg, here, s->len * sizeof(*msg));
		in->msg[r][i] = msg;
		break;
	case SUO_PLAN_COPY:
		memcpy(here, buffer(in, r, s->src) + s->src_off,
		       s->len * sizeof(*here));
		break;
	case SUO_PLAN_RECV:
	case SUO_PLAN_RECV_REDUCE:
		msg = in->msg[s->peer][mate_of(in, r, i)];
		if (!msg)
			return false;
		for (uint64_t e = 0; e < s->len; e++)
			here[e] = msg[e] + (s->op == SUO_PLAN_RECV ? 0 : here[e]);
		break;
	default:
		in_network(in, r, s);
	}
	in->done[r][i] = true;
	return true;
}

/* Does rank r have an input in element e of DATA? */
static bool is_input(const struct suo_plan *plan, uint32_t r, uint64_t e)
{
	uint64_t off, len = suo_plan_block(plan, r, &off);

	switch (plan->coll) {
	case SUO_COLL_ALL_GATHER:
	case SUO_COLL_GATHER:
		return e >= off && e < off + len;
	case SUO_COLL_BROADCAST:
	case SUO_COLL_SCATTER:
		return r == plan->root;
	case SUO_COLL_ALLTOALL:
		return false;
	default:
		return true;
	}
}

static uint32_t owner(const struct suo_plan *plan, uint64_t e)
{
	uint64_t off, len;

	for (uint32_t r = 0; r < plan->nranks; r++) {
		len = suo_plan_block(plan, r, &off);
		if (e >= off && e < off + len)
			return r;
	}
	fail_msg("element %" PRIu64 " is nobody's", e);
	return 0;
}

static void assert_output(const struct interp *in, uint32_t r, uint64_t e)
{
	const struct suo_plan *plan = in->plan;
	uint64_t n = plan->nranks, got = buffer(in, r, SUO_PLAN_DATA)[e];
	uint64_t sum = n * (n + 1) / 2 * 1000003 + n * e * e;
	uint32_t of = owner(plan, e);
	uint64_t block = plan->count / n;

	switch (plan->coll) {
	case SUO_COLL_ALLREDUCE:
		assert_int_equal(got, sum);
		break;
	case SUO_COLL_REDUCE_SCATTER:
		if (of == r)
			assert_int_equal(got, sum);
		break;
	case SUO_COLL_REDUCE:
		if (r == plan->root)
			assert_int_equal(got, sum);
		break;
	case SUO_COLL_BROADCAST:
		assert_int_equal(got, contribution(plan->root, e));
		break;
	case SUO_COLL_SCATTER:
		if (of == r)
			assert_int_equal(got, contribution(plan->root, e));
		break;
	case SUO_COLL_GATHER:
		if (r == plan->root)
			assert_int_equal(got, contribution(of, e));
		break;
	case SUO_COLL_ALL_GATHER:
		assert_int_equal(got, contribution(of, e));
		break;
	case SUO_COLL_ALLTOALL:
		assert_int_equal(got, contribution(of, r * block + e % block));
		break;
	default:
		break;
	}
}

static void fill(struct interp *in, const struct suo_plan *plan)
{
	uint32_t n = plan->nranks;

	in->plan = plan;
	in->buf = calloc(n * SUO_PLAN_NUM_BUFS, sizeof(*in->buf));
	in->msg = calloc(n, sizeof(*in->msg));
	in->done = calloc(n, sizeof(*in->done));
	for (uint32_t r = 0; r < n; r++) {
		const struct suo_plan_rank *rank = &plan->rank[r];
		uint64_t **buf = &in->buf[r * SUO_PLAN_NUM_BUFS];

		for (int b = 0; b < SUO_PLAN_NUM_BUFS; b++)
			buf[b] = calloc((b == SUO_PLAN_SCRATCH ?
					 rank->scratch_len : plan->count) + 1,
					sizeof(**buf));
		in->msg[r] = calloc(rank->nsteps + 1, sizeof(**in->msg));
		in->done[r] = calloc(rank->nsteps + 1, sizeof(**in->done));
		for (uint64_t e = 0; e < plan->count; e++) {
			buf[SUO_PLAN_DATA][e] = is_input(plan, r, e) ?
				contribution(r, e) : GARBAGE + e;
			buf[SUO_PLAN_INPUT][e] = contribution(r, e);
		}
		for (uint64_t e = 0; e < rank->scratch_len; e++)
			buf[SUO_PLAN_SCRATCH][e] = GARBAGE - e;
	}
}

static void empty(struct interp *in)
{
	for (uint32_t r = 0; r < in->plan->nranks; r++) {
		for (uint32_t i = 0; i < in->plan->rank[r].nsteps; i++)
			free(in->msg[r][i]);
		for (int b = 0; b < SUO_PLAN_NUM_BUFS; b++)
			free(in->buf[r * SUO_PLAN_NUM_BUFS + b]);
		free(in->msg[r]);
		free(in->done[r]);
	}
	free(in->buf);
	free(in->msg);
	free(in->done);
}

void interpret(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
	       uint64_t count, uint32_t root, unsigned int seed)
{
	struct suo_plan *plan = make_plan(coll, name, n, g, count, root);
	struct interp in;
	uint32_t left = 0;
	bool moved = true;

	fill(&in, plan);
	for (uint32_t r = 0; r < n; r++)
		left += plan->rank[r].nsteps;

	srand(seed);
	while (left && moved) {
		moved = false;
		for (uint32_t k = 0, r = rand() % n; k < n; k++, r = (r + 1) % n) {
			uint32_t steps = plan->rank[r].nsteps;
			uint32_t from = steps ? rand() % steps : 0;

			/* Some ranks rest. */
			for (uint32_t i = 0; i < steps && (rand() & 3 || !moved); i++) {
				uint32_t s = (from + i) % steps;

				if (may_start(&in, r, s) && do_step(&in, r, s)) {
					left--;
					moved = true;
				}
			}
		}
	}
	assert_int_equal(left, 0);
	for (uint32_t r = 0; r < n; r++)
		for (uint64_t e = 0; e < count; e++)
			assert_output(&in, r, e);
	empty(&in);
	suo_plan_free(plan);
}
