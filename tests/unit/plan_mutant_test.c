// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Plans of all collectives with a fault put in: what plan.h says of buffers, of
 * scratch memory, of steps in the network and of how plans end.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan/plan_build.h"
#include "tests/unit/plan_helper.h"

#define NO	SUO_PLAN_NO_DEP

static void assert_bad(struct suo_plan *plan, const char *expected)
{
	char why[256] = "";

	assert_int_equal(suo_plan_check(plan, why, sizeof(why)), -EINVAL);
	if (!strstr(why, expected))
		fail_msg("refused with \"%s\", not for \"%s\"", why, expected);
	suo_plan_free(plan);
}

static struct suo_plan_step *step(struct suo_plan *plan, uint32_t r, uint32_t i)
{
	assert_true(i < plan->rank[r].nsteps);
	return &plan->rank[r].step[i];
}

/* The first step of a kind, and of some length. */
static struct suo_plan_step *find(struct suo_plan *plan, uint32_t r, enum suo_plan_op op)
{
	for (uint32_t i = 0; i < plan->rank[r].nsteps; i++)
		if (plan->rank[r].step[i].op == op && plan->rank[r].step[i].len)
			return &plan->rank[r].step[i];
	fail_msg("no such step");
	return NULL;
}

/* Whatever is done to one end of a message, or to one local step, is seen. */
static void mutate(enum suo_coll coll, const char *name)
{
	struct suo_plan *whole = make_plan(coll, name, 6, 3, 72, 0), *plan;
	struct suo_plan_step *s;
	char why[256];

	for (uint32_t r = 0; r < 6; r++) {
		for (uint32_t i = 0; i < whole->rank[r].nsteps; i++) {
			if (!whole->rank[r].step[i].len)
				continue;
			for (int field = 0; field < 5; field++) {
				/* Any member's connection will do for a request. */
				if (field == 2 &&
				    suo_plan_in_network(&whole->rank[r].step[i]))
					continue;
				plan = make_plan(coll, name, 6, 3, 72, 0);
				s = step(plan, r, i);

				switch (field) {
				case 0:
					s->off += s->off ? -1 : 1;
					break;
				case 1:
					s->len--;
					break;
				case 2:
					s->peer = (s->peer + 1) % 6;
					break;
				case 3:
					s->buf = (s->buf + 1) % SUO_PLAN_NUM_BUFS;
					break;
				case 4:
					s->op = s->op == SUO_PLAN_RECV ? SUO_PLAN_SEND :
									 SUO_PLAN_RECV;
				}
				if (!suo_plan_check(plan, why, sizeof(why)))
					fail_msg("%s %s: change %d of rank %u, step %u",
						 suo_coll_name(coll), name, field, r, i);
				suo_plan_free(plan);
			}
		}
	}
	suo_plan_free(whole);
}

static void test_any_change_is_refused(void **state)
{
	const char *name;

	/* A Barrier has no elements. */
	for (int coll = 0; coll < SUO_NUM_COLLS; coll++)
		for (unsigned int a = 0; coll != SUO_COLL_BARRIER &&
		     (name = suo_plan_coll_algorithm(coll, a)); a++)
			mutate(coll, name);
}

static void test_wrong_buffers(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLTOALL, "pairwise", 4, 4, 8, 0);

	/* Only All-to-All has an input, and nobody writes it. */
	plan->coll = SUO_COLL_ALLREDUCE;
	assert_bad(plan, "outside the input");
	plan = make_plan(SUO_COLL_ALLTOALL, "pairwise", 4, 4, 8, 0);
	find(plan, 1, SUO_PLAN_RECV)->buf = SUO_PLAN_INPUT;
	assert_bad(plan, "cannot use such a buffer");
	plan = make_plan(SUO_COLL_ALLTOALL, "pairwise", 4, 4, 8, 0);
	find(plan, 1, SUO_PLAN_COPY)->peer = 2;
	assert_bad(plan, "a copy has no peer");
	plan = make_plan(SUO_COLL_ALLTOALL, "pairwise", 4, 4, 8, 0);
	find(plan, 1, SUO_PLAN_COPY)->src = SUO_PLAN_DATA;
	find(plan, 1, SUO_PLAN_COPY)->src_off--;
	assert_bad(plan, "cannot use such a buffer");
	plan = make_plan(SUO_COLL_ALLTOALL, "pairwise", 4, 4, 8, 0);
	find(plan, 1, SUO_PLAN_COPY)->src = 7;
	assert_bad(plan, "unknown buffer");
	plan = make_plan(SUO_COLL_ALLREDUCE, "innet", 4, 4, 16, 0);
	find(plan, 1, SUO_PLAN_REDUCED_READ)->buf = SUO_PLAN_DATA;
	assert_bad(plan, "cannot use such a buffer");
	plan = make_plan(SUO_COLL_ALLREDUCE, "innet", 8, 4, 16, 0);
	find(plan, 1, SUO_PLAN_MCAST_WRITE)->peer = 5;
	assert_bad(plan, "not in the domain");
	plan = make_plan(SUO_COLL_GATHER, "linear", 4, 4, 16, 0);
	find(plan, 1, SUO_PLAN_SEND)->off--;
	assert_bad(plan, "outside the rank's block");
}

static void test_wrong_shapes(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLTOALL, "pairwise", 4, 4, 8, 0);

	plan->count = 9;
	assert_bad(plan, "equal blocks");
	plan = make_plan(SUO_COLL_BROADCAST, "tree", 4, 4, 8, 0);
	plan->root = 4;
	assert_bad(plan, "root 4 is no rank");
	plan = make_plan(SUO_COLL_BROADCAST, "tree", 4, 4, 8, 0);
	plan->domain_size = 3;
	assert_bad(plan, "domains of 3");
	plan = make_plan(SUO_COLL_BROADCAST, "tree", 4, 4, 8, 0);
	plan->coll = SUO_NUM_COLLS;
	assert_bad(plan, "unknown collective");
}

/* Right steps, but for another root, or another collective. */
static void test_wrong_output(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_REDUCE, "binomial", 4, 4, 8, 1);

	plan->root = 2;
	assert_bad(plan, "rank 2: elements [0, 8) lack the contribution of rank 0");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 4, 8, 0);
	plan->coll = SUO_COLL_ALL_GATHER;
	assert_bad(plan, "nobody has written");
	plan = make_plan(SUO_COLL_ALL_GATHER, "ring", 4, 4, 8, 0);
	plan->coll = SUO_COLL_ALLREDUCE;
	assert_bad(plan, "lack the contribution");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 4, 8, 0);
	plan->coll = SUO_COLL_BROADCAST;
	assert_bad(plan, "nobody has written");
	/* In All-to-All what matters is also which of the sender's blocks it is. */
	plan = make_plan(SUO_COLL_ALLTOALL, "pairwise", 2, 2, 4, 0);
	find(plan, 0, SUO_PLAN_SEND)->off = 0;
	assert_bad(plan, "rank 1: elements [0, 2) end with what belongs to");
	plan = make_plan(SUO_COLL_SCATTER, "linear", 3, 3, 6, 0);
	find(plan, 0, SUO_PLAN_SEND)->off = 0;
	assert_bad(plan, "end with what belongs to");
}

static void test_scratch_memory(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_GATHER, "binomial", 8, 8, 16, 0);
	struct suo_plan_step *copy = find(plan, 4, SUO_PLAN_COPY);

	/* What has come is overwritten. */
	copy->off += 2;
	assert_bad(plan, "share scratch memory");
	/* What is sent on has not been waited for. */
	plan = make_plan(SUO_COLL_GATHER, "binomial", 8, 8, 16, 0);
	for (uint32_t i = 0; i < plan->rank[4].nsteps; i++) {
		struct suo_plan_step *s = step(plan, 4, i);

		if (s->op == SUO_PLAN_SEND && s->len) {
			s->dep[0] = NO;
			s->dep[1] = NO;
		}
	}
	assert_bad(plan, "of scratch memory, one writes it");
}

/* A root that does not wait for the others, or does not tell them. */
static void test_runs_overlap(void **state)
{
	static const struct suo_plan_shape shape = {
		.nranks = 2, .domain_size = 2, .count = 4,
	};
	struct suo_plan_step send = {
		.op = SUO_PLAN_SEND, .peer = 1, .len = 4, .dep = { NO, NO },
	};
	struct suo_plan_step recv = {
		.op = SUO_PLAN_RECV, .peer = 0, .len = 4, .dep = { NO, NO },
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_BROADCAST, "eager", &shape);

	assert_int_equal(suo_plan_add(plan, 0, &send, NULL), 0);
	assert_int_equal(suo_plan_add(plan, 1, &recv, NULL), 0);
	assert_bad(plan, "rank 0 may end before rank 1 begins");
	/* The hierarchical barrier without its last message. */
	plan = make_plan(SUO_COLL_BARRIER, "hierarchical", 4, 2, 0, 0);
	plan->rank[2].nsteps--;
	plan->rank[3].nsteps--;
	assert_bad(plan, "rank 3 may end before rank 0 begins");
}

/* Two members; each says that it has begun, and is told: see innet.c. */
static struct suo_plan *innet(void)
{
	return make_plan(SUO_COLL_ALLREDUCE, "innet@1", 2, 2, 4, 0);
}

static void test_in_network(void **state)
{
	struct suo_plan *plan = innet();

	/* The read does not wait for the other to have begun. */
	find(plan, 0, SUO_PLAN_REDUCED_READ)->dep[0] = NO;
	assert_bad(plan, "may come before rank 1 has begun");

	/* Nor does the multicast for the read. */
	plan = innet();
	find(plan, 1, SUO_PLAN_MCAST_WRITE)->dep[0] = NO;
	assert_bad(plan, "rank 1: steps 2 and 3 both touch element 2");

	/* The last message goes out before the multicast is done. */
	plan = innet();
	for (uint32_t i = 0; i < plan->rank[0].nsteps; i++) {
		struct suo_plan_step *s = step(plan, 0, i);

		if (s->op == SUO_PLAN_SEND && s->dep[0] != NO)
			s->dep[0] = NO;
	}
	assert_bad(plan, "has ended");

	/* What another member reads meanwhile. */
	plan = innet();
	find(plan, 0, SUO_PLAN_MCAST_WRITE)->off = 1;
	assert_bad(plan, "touch the same elements");

	/* Without windows there are no such steps. */
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 4, 16, 0);
	assert_int_equal(plan->uses >> SUO_PLAN_COPY, 0);
	suo_plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_change_is_refused),
		cmocka_unit_test(test_wrong_buffers),
		cmocka_unit_test(test_wrong_shapes),
		cmocka_unit_test(test_wrong_output),
		cmocka_unit_test(test_scratch_memory),
		cmocka_unit_test(test_runs_overlap),
		cmocka_unit_test(test_in_network),
	};

	return cmocka_run_group_tests_name("plan mutants", tests, NULL, NULL);
}
