// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The generators against the checker, the checker against plans that are
 * wrong, and both against an interpreter of plan.h that computes with numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan/plan_build.h"

static struct suo_plan *make(const char *name, uint32_t n, uint32_t g,
			     uint64_t count)
{
	struct suo_plan_shape shape = {
		.nranks = n, .domain_size = g, .count = count,
	};
	struct suo_plan *plan = NULL;

	assert_int_equal(suo_plan_allreduce(name, &shape, &plan), 0);
	assert_non_null(plan);
	return plan;
}

static void assert_good(const char *name, uint32_t n, uint32_t g, uint64_t count)
{
	struct suo_plan *plan = make(name, n, g, count);
	char why[256] = "";
	int ret = suo_plan_check(plan, why, sizeof(why));

	if (ret)
		fail_msg("%s, %u ranks, domains of %u, %" PRIu64 " elements: %s",
			 name, n, g, count, why);
	suo_plan_free(plan);
}

static void assert_bad(struct suo_plan *plan, const char *expected)
{
	char why[256] = "";

	assert_int_equal(suo_plan_check(plan, why, sizeof(why)), -EINVAL);
	if (!strstr(why, expected))
		fail_msg("refused with \"%s\", not for \"%s\"", why, expected);
	suo_plan_free(plan);
}

static void test_generators_pass(void **state)
{
	static const uint64_t counts[] = { 0, 1, 7, 256 };
	const char *name;

	for (unsigned int a = 0; (name = suo_plan_algorithm(a)); a++)
		for (uint32_t n = 1; n <= 64; n++)
			for (uint32_t g = 1; g <= n; g++)
				for (int c = 0; c < 4 && n % g == 0; c++)
					assert_good(name, n, g, counts[c]);
}

static void test_generators_pass_large(void **state)
{
	const char *name;

	for (unsigned int a = 0; (name = suo_plan_algorithm(a)); a++) {
		assert_good(name, 8, 4, 1000003);
		assert_good(name, 63, 7, 1000003);
		assert_good(name, 64, 8, (1ull << 62) + 3);
		assert_good(name, 160, 8, 1000003);
	}
}

static void test_shapes_refused(void **state)
{
	static const struct suo_plan_shape bad[] = {
		{ .nranks = 0, .domain_size = 1 },
		{ .nranks = 8, .domain_size = 0 },
		{ .nranks = 8, .domain_size = 3 },
		{ .nranks = 8, .domain_size = 16 },
		{ .nranks = 8, .domain_size = 8, .root = 1 },
		{ .nranks = SUO_PLAN_MAX_RANKS + 1, .domain_size = 1 },
	};
	struct suo_plan_shape good = {
		.nranks = 8, .domain_size = 4, .count = 8,
	};
	struct suo_plan *plan;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(suo_plan_allreduce("ring", &bad[i], &plan),
				 -EINVAL);
	assert_int_equal(suo_plan_allreduce("rings", &good, &plan), -EINVAL);
	assert_int_equal(suo_plan_allreduce("", &good, &plan), -EINVAL);
}

/*
 * Patarasuk and Yuan: the least that a rank can send in an AllReduce is
 * 2(n - 1)/n of the vector. The ring sends just that.
 */
static void test_ring_is_bandwidth_optimal(void **state)
{
	for (uint32_t n = 2; n <= 64; n++) {
		struct suo_plan *plan = make("ring", n, 1, 5ull * n);

		for (uint32_t r = 0; r < n; r++) {
			uint64_t sent = 0;

			assert_int_equal(plan->rank[r].nsteps, 4 * (n - 1));
			for (uint32_t i = 0; i < plan->rank[r].nsteps; i++)
				if (plan->rank[r].step[i].op == SUO_PLAN_SEND)
					sent += plan->rank[r].step[i].len;
			assert_int_equal(sent, 2 * (n - 1) * 5);
		}
		suo_plan_free(plan);
	}
}

/* Across domains goes 2(k - 1)/k of the shard, inside 2(g - 1)/g of all. */
static void test_hierarchical_traffic(void **state)
{
	const uint32_t n = 24, g = 4, k = 6;
	const uint64_t count = 24 * 7;
	struct suo_plan *plan = make("hierarchical", n, g, count);

	for (uint32_t r = 0; r < n; r++) {
		uint64_t up = 0, out = 0;

		for (uint32_t i = 0; i < plan->rank[r].nsteps; i++) {
			const struct suo_plan_step *s = &plan->rank[r].step[i];

			if (s->op != SUO_PLAN_SEND)
				continue;
			if (s->peer / g == r / g) {
				up += s->len;
			} else {
				out += s->len;
				assert_int_equal(s->peer % g, r % g);
			}
		}
		assert_int_equal(up, 2 * (g - 1) * count / g);
		assert_int_equal(out, 2 * (k - 1) * (count / g) / k);
	}
	suo_plan_free(plan);
}

/*
 * An interpreter of plan.h by the letter, on numbers: again and again it picks
 * some step that may start, in an order that depends on the seed.
 */
struct interp {
	const struct suo_plan	*plan;
	uint64_t		**vec;
	uint64_t		***msg;		/* by send step; NULL: not sent */
	bool			**done;
};

static bool may_start(const struct interp *in, uint32_t r, uint32_t i)
{
	const struct suo_plan_step *s = &in->plan->rank[r].step[i];

	for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++)
		if (s->dep[d] != SUO_PLAN_NO_DEP && !in->done[r][s->dep[d]])
			return false;
	return !in->done[r][i];
}

/* The send step that the receive step i of rank r meets. */
static uint32_t mate_of(const struct interp *in, uint32_t r, uint32_t i)
{
	const struct suo_plan_rank *me = &in->plan->rank[r];
	const struct suo_plan_rank *peer = &in->plan->rank[me->step[i].peer];
	uint32_t nth = 0, j;

	for (j = 0; j < i; j++)
		nth += me->step[j].op != SUO_PLAN_SEND &&
		       me->step[j].peer == me->step[i].peer;
	for (j = 0; j < peer->nsteps; j++)
		if (peer->step[j].op == SUO_PLAN_SEND &&
		    peer->step[j].peer == r && !nth--)
			break;
	assert_true(j < peer->nsteps);
	assert_int_equal(peer->step[j].len, me->step[i].len);
	return j;
}

static bool do_step(struct interp *in, uint32_t r, uint32_t i)
{
	const struct suo_plan_step *s = &in->plan->rank[r].step[i];
	uint64_t *vec = in->vec[r] + s->off;
	uint64_t *msg;

	if (s->op == SUO_PLAN_SEND) {
		msg = calloc(s->len + 1, sizeof(*msg));
		memcpy(msg, vec, s->len * sizeof(*msg));
		in->msg[r][i] = msg;
	} else {
		msg = in->msg[s->peer][mate_of(in, r, i)];
		if (!msg)
			return false;
		for (uint64_t e = 0; e < s->len; e++)
			vec[e] = msg[e] + (s->op == SUO_PLAN_RECV ? 0 : vec[e]);
	}
	in->done[r][i] = true;
	return true;
}

static void interpret(const char *name, uint32_t n, uint32_t g, uint64_t count,
		      unsigned int seed)
{
	struct suo_plan *plan = make(name, n, g, count);
	struct interp in = { .plan = plan };
	uint32_t r, i, left = 0;
	bool moved = true;

	in.vec = calloc(n, sizeof(*in.vec));
	in.msg = calloc(n, sizeof(*in.msg));
	in.done = calloc(n, sizeof(*in.done));
	for (r = 0; r < n; r++) {
		uint32_t steps = plan->rank[r].nsteps;

		in.vec[r] = calloc(count + 1, sizeof(**in.vec));
		in.msg[r] = calloc(steps + 1, sizeof(**in.msg));
		in.done[r] = calloc(steps + 1, sizeof(**in.done));
		for (uint64_t e = 0; e < count; e++)
			in.vec[r][e] = (r + 1) * 1000003ull + e * e;
		left += steps;
	}

	srand(seed);
	while (left && moved) {
		moved = false;
		for (r = 0; r < n; r++) {
			uint32_t steps = plan->rank[r].nsteps;
			uint32_t from = steps ? rand() % steps : 0;

			for (i = 0; i < steps; i++) {
				uint32_t s = (from + i) % steps;

				if (may_start(&in, r, s) && do_step(&in, r, s)) {
					left--;
					moved = true;
				}
			}
		}
	}
	assert_int_equal(left, 0);

	for (r = 0; r < n; r++)
		for (uint64_t e = 0; e < count; e++)
			assert_int_equal(in.vec[r][e],
					 n * (n + 1ull) / 2 * 1000003 + n * e * e);

	for (r = 0; r < n; r++) {
		for (i = 0; i < plan->rank[r].nsteps; i++)
			free(in.msg[r][i]);
		free(in.vec[r]);
		free(in.msg[r]);
		free(in.done[r]);
	}
	free(in.vec);
	free(in.msg);
	free(in.done);
	suo_plan_free(plan);
}

static void test_sums(void **state)
{
	static const uint32_t shape[][2] = {
		{ 1, 1 }, { 2, 1 }, { 2, 2 }, { 4, 2 }, { 8, 4 }, { 9, 3 },
		{ 12, 3 }, { 12, 4 }, { 15, 5 },
	};
	static const uint64_t counts[] = { 0, 1, 5, 97 };
	const char *name;

	for (unsigned int a = 0; (name = suo_plan_algorithm(a)); a++)
		for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); i++)
			for (int c = 0; c < 4; c++)
				for (unsigned int seed = 1; seed <= 5; seed++)
					interpret(name, shape[i][0], shape[i][1],
						  counts[c], seed);
}

/* What follows is refused. The ring of 4 on 8 elements has chunks of 2. */
static struct suo_plan_step *step(struct suo_plan *plan, uint32_t r, uint32_t i)
{
	assert_true(i < plan->rank[r].nsteps);
	return &plan->rank[r].step[i];
}

static void test_dropped_pair(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	/* The last AllGather step towards rank 1: it misses a chunk. */
	assert_int_equal(step(plan, 0, 10)->op, SUO_PLAN_SEND);
	assert_int_equal(step(plan, 1, 11)->op, SUO_PLAN_RECV);
	*step(plan, 0, 10) = *step(plan, 0, 11);
	plan->rank[0].nsteps--;
	plan->rank[1].nsteps--;
	assert_bad(plan, "rank 1: elements [4, 6) lack the contribution of rank 2");
}

static void test_dropped_step(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	plan->rank[2].nsteps--;
	assert_bad(plan, "rank 1, step 10: no receive of rank 2 meets this send");

	plan = make("hierarchical", 4, 2, 8);
	*step(plan, 0, 0) = *step(plan, 0, plan->rank[0].nsteps - 2);
	step(plan, 0, 0)->dep[0] = SUO_PLAN_NO_DEP;
	step(plan, 0, 0)->dep[1] = SUO_PLAN_NO_DEP;
	step(plan, 0, plan->rank[0].nsteps - 2)->op = SUO_PLAN_RECV;
	assert_bad(plan, "meets this");
}

static void test_swapped_peers(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	step(plan, 0, 0)->peer = 2;
	assert_bad(plan, "meets this");

	/* Both ends agree, and yet it is the wrong neighbour's data. */
	plan = make("ring", 3, 1, 9);
	step(plan, 0, 0)->peer = 2;
	step(plan, 1, 0)->peer = 0;
	step(plan, 2, 0)->peer = 1;
	step(plan, 0, 1)->peer = 1;
	step(plan, 1, 1)->peer = 2;
	step(plan, 2, 1)->peer = 0;
	assert_bad(plan, "");
}

static void test_doubled_contribution(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	/* What should be stored in the AllGather is added. */
	step(plan, 3, 7)->op = SUO_PLAN_RECV_REDUCE;
	step(plan, 3, 7)->scratch_off = plan->rank[3].scratch_len;
	plan->rank[3].scratch_len += step(plan, 3, 7)->len;
	assert_bad(plan, "a contribution a second time");
}

static void test_contribution_lost(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	/* What should be added is stored. */
	step(plan, 3, 1)->op = SUO_PLAN_RECV;
	assert_bad(plan, "lack the contribution");
}

static void test_missing_dep(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	/* Step 2 sends on what step 1 has reduced. */
	assert_int_equal(step(plan, 0, 2)->dep[0], 1);
	step(plan, 0, 2)->dep[0] = SUO_PLAN_NO_DEP;
	assert_bad(plan, "rank 0: steps 1 and 2 both touch element 4");

	/* The AllGather must not overwrite what is still being sent. */
	plan = make("ring", 4, 1, 8);
	assert_int_equal(step(plan, 0, 7)->dep[0], 0);
	step(plan, 0, 7)->dep[0] = SUO_PLAN_NO_DEP;
	assert_bad(plan, "rank 0: steps 0 and 7 both touch element 6");
}

static void test_wrong_length(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	step(plan, 0, 0)->len = 1;
	assert_bad(plan, "rank 0, step 0 sends 1 elements, but rank 1, step 1 takes 2");

	plan = make("ring", 4, 1, 8);
	step(plan, 0, 0)->len = 1;
	step(plan, 1, 1)->len = 1;
	assert_bad(plan, "elements [7, 8) lack the contribution");
}

static void test_wrong_place(void **state)
{
	struct suo_plan *plan = make("ring", 2, 1, 8);

	/* The result arrives, but the halves have changed places. */
	step(plan, 0, 3)->off = 0;
	assert_bad(plan, "");

	plan = make("ring", 2, 1, 8);
	step(plan, 1, 1)->off = 0;
	assert_bad(plan, "");
}

static void test_deadlock(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	/* Everybody sends only after having received. */
	for (uint32_t r = 0; r < 4; r++)
		step(plan, r, 0)->dep[0] = 1;
	assert_bad(plan, "waits for ever");

	plan = make("ring", 4, 1, 8);
	step(plan, 2, 1)->dep[0] = 2;
	assert_bad(plan, "rank 2, step 1 waits for itself in a circle");

	plan = make("ring", 4, 1, 8);
	step(plan, 2, 0)->dep[0] = 0;
	assert_bad(plan, "waits for itself");
}

static void test_impossible_steps(void **state)
{
	struct suo_plan *plan = make("ring", 4, 1, 8);

	step(plan, 0, 0)->op = 17;
	assert_bad(plan, "rank 0, step 0: unknown operation");
	plan = make("ring", 4, 1, 8);
	step(plan, 3, 1)->peer = 4;
	assert_bad(plan, "rank 3, step 1: no such peer");
	plan = make("ring", 4, 1, 8);
	step(plan, 3, 1)->peer = 3;
	assert_bad(plan, "the rank itself");
	plan = make("ring", 4, 1, 8);
	step(plan, 3, 1)->off = 7;
	assert_bad(plan, "outside the vector");
	plan = make("ring", 4, 1, 8);
	step(plan, 3, 1)->off = UINT64_MAX;
	assert_bad(plan, "outside the vector");
	plan = make("ring", 4, 1, 8);
	plan->rank[3].scratch_len--;
	assert_bad(plan, "outside scratch memory");
	plan = make("ring", 4, 1, 8);
	step(plan, 3, 3)->scratch_off--;
	assert_bad(plan, "rank 3: steps 1 and 3 share scratch memory");
	plan = make("ring", 4, 1, 8);
	step(plan, 3, 3)->dep[1] = 12;
	assert_bad(plan, "a step that does not exist");
	plan = make("ring", 4, 1, 8);
	plan->nranks = 0;
	assert_int_equal(suo_plan_check(plan, NULL, 0), -EINVAL);
	plan->nranks = 4;
	suo_plan_free(plan);
}

/*
 * Any change of one field of one step must be refused, except those that
 * change nothing that plan.h promises: a dependency more, or one that another
 * one implies.
 */
static void test_any_change_is_refused(void **state)
{
	for (uint32_t i = 0; i < 16; i++) {
		for (int field = 0; field < 4; field++) {
			struct suo_plan *plan = make("hierarchical", 8, 4, 32);
			struct suo_plan_step *s = step(plan, 5, i);

			switch (field) {
			case 0:
				s->peer = (s->peer + 2) % 8;
				break;
			case 1:
				s->off += s->off ? -1 : 1;
				break;
			case 2:
				s->len--;
				break;
			case 3:
				s->op = (s->op + 1) % 3;
				break;
			}
			assert_bad(plan, "");
		}
	}
}

static void test_chunks(void **state)
{
	uint64_t off;

	assert_int_equal(suo_plan_chunk(10, 4, 0, &off), 3);
	assert_int_equal(off, 0);
	assert_int_equal(suo_plan_chunk(10, 4, 1, &off), 3);
	assert_int_equal(off, 3);
	assert_int_equal(suo_plan_chunk(10, 4, 2, &off), 2);
	assert_int_equal(off, 6);
	assert_int_equal(suo_plan_chunk(10, 4, 3, &off), 2);
	assert_int_equal(off, 8);
	assert_int_equal(suo_plan_chunk(1, 4, 3, &off), 0);
	assert_int_equal(off, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_generators_pass),
		cmocka_unit_test(test_generators_pass_large),
		cmocka_unit_test(test_shapes_refused),
		cmocka_unit_test(test_ring_is_bandwidth_optimal),
		cmocka_unit_test(test_hierarchical_traffic),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_dropped_pair),
		cmocka_unit_test(test_dropped_step),
		cmocka_unit_test(test_swapped_peers),
		cmocka_unit_test(test_doubled_contribution),
		cmocka_unit_test(test_contribution_lost),
		cmocka_unit_test(test_missing_dep),
		cmocka_unit_test(test_wrong_length),
		cmocka_unit_test(test_wrong_place),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_impossible_steps),
		cmocka_unit_test(test_any_change_is_refused),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
