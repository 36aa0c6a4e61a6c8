// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What steps in the network cost, worked out by hand from windows.rst; what
 * copies cost; and the choice among plans. 8000 Mb/s are a nanosecond a byte.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/choose.h"
#include "model/plan/plan_build.h"

#define NS		1000ull		/* picoseconds */

/* No framing inside, RoCE's outside; both a byte a nanosecond. */
static const struct suo_net plain = {
	.domain_size = 4,
	.elem_bytes = 4,
	.up = { .rate_mbps = 8000, .endpoint_ps = 100 * NS, .reduce_ps = 7 * NS },
	.out = { .rate_mbps = 8000, .endpoint_ps = 700 * NS },
	.mtu_bytes = 1024,
};

/* NVLink-4-like inside, 400G outside. */
static const struct suo_net real = {
	.domain_size = 4,
	.elem_bytes = 4,
	.up = {
		.rate_mbps = 3825000,
		.endpoint_ps = 413000,
		.max_payload_bytes = 256,
		.header_bytes = 16,
		.flit_bytes = 16,
		.buffer_bytes = 294912,
	},
	.out = { .rate_mbps = 400000, .endpoint_ps = 2500000 },
	.mtu_bytes = 4096,
};

static struct suo_plan *new_plan(uint64_t count)
{
	const struct suo_plan_shape shape = {
		.nranks = 4, .domain_size = 4, .count = count,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "test", &shape);

	assert_non_null(plan);
	for (uint32_t r = 0; r < 4; r++)
		plan->rank[r].scratch_len = count;
	return plan;
}

static void add(struct suo_plan *plan, uint32_t rank, enum suo_plan_op op,
		uint32_t peer, uint64_t len, uint32_t dep)
{
	struct suo_plan_step step = {
		.op = op,
		.peer = peer,
		.len = len,
		.dep = { dep, SUO_PLAN_NO_DEP },
	};

	if (op == SUO_PLAN_REDUCED_READ)
		step.buf = SUO_PLAN_SCRATCH;
	assert_int_equal(suo_plan_add(plan, rank, &step, NULL), 0);
}

static struct suo_cost replay(struct suo_plan *plan, const struct suo_net *net)
{
	struct suo_cost cost;

	assert_int_equal(suo_cost_plan(plan, net, &cost), 0);
	suo_plan_free(plan);
	return cost;
}

/* windows.rst: ser(S) + L until all have it, ser(0) + L more until it is known. */
static void test_multicast(void **state)
{
	struct suo_plan *plan = new_plan(10000);
	struct suo_cost cost;

	add(plan, 0, SUO_PLAN_MCAST_WRITE, 1, 10000, SUO_PLAN_NO_DEP);
	cost = replay(plan, &plain);
	assert_int_equal(cost.data_ps, (40000 + 100) * NS);
	assert_int_equal(cost.done_ps, (40000 + 100 + 100) * NS);
}

/* windows.rst: ser(0) + L + ser(S) + L + reduce. */
static void test_reduced_read(void **state)
{
	struct suo_plan *plan = new_plan(10000);
	struct suo_cost cost;

	add(plan, 2, SUO_PLAN_REDUCED_READ, 3, 10000, SUO_PLAN_NO_DEP);
	cost = replay(plan, &plain);
	assert_int_equal(cost.data_ps, (100 + 40000 + 100 + 7) * NS);
	assert_int_equal(cost.done_ps, cost.data_ps);
}

/*
 * Four members read at once: each read takes all four links, so that they take
 * four times as long. Two multicasts meet at all receivers.
 */
static void test_contention_in_network(void **state)
{
	struct suo_plan *plan = new_plan(1000);

	for (uint32_t r = 0; r < 4; r++)
		add(plan, r, SUO_PLAN_REDUCED_READ, (r + 1) % 4, 1000, SUO_PLAN_NO_DEP);
	assert_int_equal(replay(plan, &plain).data_ps,
			 (100 + 4 * 4000 + 100 + 7) * NS);

	plan = new_plan(1000);
	for (uint32_t r = 0; r < 2; r++)
		add(plan, r, SUO_PLAN_MCAST_WRITE, r + 1, 1000, SUO_PLAN_NO_DEP);
	assert_int_equal(replay(plan, &plain).data_ps, (2 * 4000 + 100) * NS);
}

/* Copies, and steps that do nothing, take no time, one behind the other. */
static void test_copies(void **state)
{
	struct suo_plan *plan = new_plan(1000);
	struct suo_cost cost;

	add(plan, 0, SUO_PLAN_SEND, 1, 1000, SUO_PLAN_NO_DEP);
	add(plan, 1, SUO_PLAN_RECV, 0, 1000, SUO_PLAN_NO_DEP);
	for (uint32_t i = 0; i < 5; i++)
		add(plan, 1, SUO_PLAN_COPY, 1, i % 2 * 1000, i);
	add(plan, 1, SUO_PLAN_SEND, 2, 1000, 5);
	add(plan, 2, SUO_PLAN_RECV, 1, 1000, SUO_PLAN_NO_DEP);
	/* From the start. */
	add(plan, 3, SUO_PLAN_COPY, 3, 1000, SUO_PLAN_NO_DEP);
	add(plan, 3, SUO_PLAN_COPY, 3, 0, 0);
	cost = replay(plan, &plain);
	assert_int_equal(cost.data_ps, 2 * (4000 + 100) * NS);
	assert_int_equal(cost.done_ps, (2 * (4000 + 100) + 100) * NS);
}

/* Windows are the domain's: of another one, nothing can be said. */
static void test_other_domains(void **state)
{
	struct suo_net net = plain;
	struct suo_plan *plan = new_plan(1);
	struct suo_cost cost;

	add(plan, 0, SUO_PLAN_MCAST_WRITE, 1, 1, SUO_PLAN_NO_DEP);
	net.domain_size = 2;
	assert_int_equal(suo_cost_plan(plan, &net, &cost), -EINVAL);
	suo_plan_free(plan);
}

/*
 * AllReduce in the network, by hand: 3 messages of no elements, of no length, to
 * say that all have begun; the request; four reads of a quarter, one after the
 * other; the multicast of the last one; and the last message that says so. Each
 * multicast of an earlier one has been done by then but for the receivers'
 * links, which carry four quarters, the last from when the last is read.
 */
static void test_innet_allreduce(void **state)
{
	const struct suo_plan_shape shape = {
		.nranks = 4, .domain_size = 4, .count = 4000, .chunk_len = 1000000,
	};
	struct suo_plan *plan;
	struct suo_cost cost;

	assert_int_equal(suo_plan_allreduce("innet", &shape, &plan), 0);
	cost = replay(plan, &plain);
	assert_true(cost.data_ps >= (100 + 100 + 16000 + 100 + 7 + 4000 + 200 + 100) * NS);
	assert_true(cost.data_ps <= (100 + 100 + 16000 + 100 + 7 + 16000 + 200 + 100) * NS);
}

/* The choice is the best of all candidates, and the same each time. */
static void test_choice_is_best(void **state)
{
	static const uint32_t shape[][2] = { { 8, 4 }, { 8, 8 }, { 8, 1 }, { 6, 3 } };
	static const uint64_t count[] = { 2, 1024, 262144, 4194304 };

	for (size_t s = 0; s < 4; s++) {
		struct suo_net net = real;
		struct suo_chooser *chooser;

		net.domain_size = shape[s][1];
		assert_int_equal(suo_chooser_create(&net, shape[s][0], &chooser), 0);
		for (int coll = 0; coll < SUO_NUM_COLLS; coll++) {
			for (size_t c = 0; c < 4; c++) {
				u64 n = coll == SUO_COLL_BARRIER ? 0 :
					count[c] * (coll == SUO_COLL_ALLTOALL ?
						    shape[s][0] : 1);
				struct suo_choice a, b;
				struct suo_cost cost;
				const char *name;

				/* Counts that stand for themselves. */
				if (coll == SUO_COLL_ALLTOALL && shape[s][0] != 8)
					n = 6 << (2 * c);
				assert_int_equal(suo_coll_choose(chooser, coll, n, true, &a), 0);
				assert_int_equal(suo_coll_choose(chooser, coll, n, true, &b), 0);
				assert_string_equal(a.name, b.name);
				for (unsigned int i = 0;
				     (name = suo_choose_candidate(coll, i)); i++) {
					if (suo_coll_cost(coll, name, &net, shape[s][0],
							  n, &cost))
						fail_msg("%s", name);
					assert_true(a.done_ps <= cost.done_ps);
				}
			}
		}
		suo_chooser_free(chooser);
	}
}

/* Candidates are algorithms, and the windows can be forbidden. */
static void test_candidates(void **state)
{
	struct suo_chooser *chooser;
	struct suo_choice choice;
	const char *name;

	for (int coll = 0; coll < SUO_NUM_COLLS; coll++)
		for (unsigned int i = 0; (name = suo_choose_candidate(coll, i)); i++)
			if (!suo_plan_known(coll, name))
				fail_msg("%s %s", suo_coll_name(coll), name);
	assert_int_equal(suo_chooser_create(&real, 4, &chooser), 0);
	for (u64 count = 1; count < 1 << 24; count *= 3) {
		assert_int_equal(suo_coll_choose(chooser, SUO_COLL_ALLREDUCE, count,
						 false, &choice), 0);
		assert_null(strstr(choice.name, "innet"));
	}
	suo_chooser_free(chooser);
	assert_int_equal(suo_chooser_create(&real, 6, &chooser), -EINVAL);
}

/* A few bytes want few steps, many want few bytes over the slow links. */
static void test_choice_makes_sense(void **state)
{
	struct suo_chooser *chooser;
	struct suo_choice few, many;
	struct suo_cost ring;

	assert_int_equal(suo_chooser_create(&real, 16, &chooser), 0);
	assert_int_equal(suo_coll_choose(chooser, SUO_COLL_ALLREDUCE, 1, false, &few), 0);
	assert_int_equal(suo_coll_choose(chooser, SUO_COLL_ALLREDUCE, 1 << 24, false,
					 &many), 0);
	suo_chooser_free(chooser);
	/* Two latencies inside, twice; two across. */
	assert_in_range(few.done_ps, (4 * 413 + 2 * 2500) * NS,
			(4 * 413 + 3 * 2500) * NS);
	assert_true(strchr(many.name, ':'));
	/* A quarter of the bytes of a flat ring leave a rank's domain. */
	assert_int_equal(suo_closed_cost(SUO_COLL_ALLREDUCE, "ring", &real, 16, 1 << 24,
					 &ring), 0);
	assert_true(3 * many.done_ps < ring.done_ps);
}

/* A byte a nanosecond, 100 and 700 ns; 50 bytes a nanosecond, and 2500 ns. */
static void test_chunk_len(void **state)
{
	assert_int_equal(suo_net_chunk_len(&plain, 4), 25);
	assert_int_equal(suo_net_chunk_len(&plain, 8), 175);
	assert_int_equal(suo_net_chunk_len(&real, 8), 31250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_multicast),
		cmocka_unit_test(test_reduced_read),
		cmocka_unit_test(test_contention_in_network),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_other_domains),
		cmocka_unit_test(test_innet_allreduce),
		cmocka_unit_test(test_choice_is_best),
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_choice_makes_sense),
		cmocka_unit_test(test_chunk_len),
	};

	return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
