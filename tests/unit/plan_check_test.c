// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Plans that are wrong, each in its own way, and what the checker says of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan/plan_build.h"
#include "tests/unit/plan_helper.h"

static void assert_bad(struct suo_plan *plan, const char *expected)
{
	char why[256] = "";

	assert_int_equal(suo_plan_check(plan, why, sizeof(why)), -EINVAL);
	if (!strstr(why, expected))
		fail_msg("refused with \"%s\", not for \"%s\"", why, expected);
	suo_plan_free(plan);
}

/* What follows is refused. The ring of 4 on 8 elements has chunks of 2. */
static struct suo_plan_step *step(struct suo_plan *plan, uint32_t r, uint32_t i)
{
	assert_true(i < plan->rank[r].nsteps);
	return &plan->rank[r].step[i];
}

static void test_dropped_pair(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

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
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	plan->rank[2].nsteps--;
	assert_bad(plan, "rank 1, step 10: no receive of rank 2 meets this send");

	plan = make_plan(SUO_COLL_ALLREDUCE, "hierarchical", 4, 2, 8, 0);
	*step(plan, 0, 0) = *step(plan, 0, plan->rank[0].nsteps - 2);
	step(plan, 0, 0)->dep[0] = SUO_PLAN_NO_DEP;
	step(plan, 0, 0)->dep[1] = SUO_PLAN_NO_DEP;
	step(plan, 0, plan->rank[0].nsteps - 2)->op = SUO_PLAN_RECV;
	assert_bad(plan, "meets this");
}

static void test_swapped_peers(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	step(plan, 0, 0)->peer = 2;
	assert_bad(plan, "meets this");

	/* Both ends agree, and yet it is the wrong neighbour's data. */
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 3, 1, 9, 0);
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
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	/* What should be stored in the AllGather is added. */
	step(plan, 3, 7)->op = SUO_PLAN_RECV_REDUCE;
	step(plan, 3, 7)->scratch_off = plan->rank[3].scratch_len;
	plan->rank[3].scratch_len += step(plan, 3, 7)->len;
	assert_bad(plan, "a contribution a second time");
}

static void test_contribution_lost(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	/* What should be added is stored. */
	step(plan, 3, 1)->op = SUO_PLAN_RECV;
	assert_bad(plan, "lack the contribution");
}

static void test_missing_dep(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	/* Step 2 sends on what step 1 has reduced. */
	assert_int_equal(step(plan, 0, 2)->dep[0], 1);
	step(plan, 0, 2)->dep[0] = SUO_PLAN_NO_DEP;
	assert_bad(plan, "rank 0: steps 1 and 2 both touch element 4");

	/* The AllGather must not overwrite what is still being sent. */
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	assert_int_equal(step(plan, 0, 7)->dep[0], 0);
	step(plan, 0, 7)->dep[0] = SUO_PLAN_NO_DEP;
	assert_bad(plan, "rank 0: steps 0 and 7 both touch element 6");
}

static void test_wrong_length(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	step(plan, 0, 0)->len = 1;
	assert_bad(plan, "rank 0, step 0 sends 1 elements, but rank 1, step 1 takes 2");

	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 0, 0)->len = 1;
	step(plan, 1, 1)->len = 1;
	assert_bad(plan, "elements [7, 8) lack the contribution");
}

static void test_wrong_place(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 2, 1, 8, 0);

	/* The result arrives, but the halves have changed places. */
	step(plan, 0, 3)->off = 0;
	assert_bad(plan, "");

	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 2, 1, 8, 0);
	step(plan, 1, 1)->off = 0;
	assert_bad(plan, "");
}

static void test_deadlock(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	/* Everybody sends only after having received. */
	for (uint32_t r = 0; r < 4; r++)
		step(plan, r, 0)->dep[0] = 1;
	assert_bad(plan, "waits for ever");

	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 2, 1)->dep[0] = 2;
	assert_bad(plan, "rank 2, step 1 waits for itself in a circle");

	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 2, 0)->dep[0] = 0;
	assert_bad(plan, "waits for itself");
}

static void test_impossible_steps(void **state)
{
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);

	step(plan, 0, 0)->op = 17;
	assert_bad(plan, "rank 0, step 0: unknown operation");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 3, 1)->peer = 4;
	assert_bad(plan, "rank 3, step 1: no such peer");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 3, 1)->peer = 3;
	assert_bad(plan, "the rank itself");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 3, 1)->off = 7;
	assert_bad(plan, "outside the vector");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 3, 1)->off = UINT64_MAX;
	assert_bad(plan, "outside the vector");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	plan->rank[3].scratch_len--;
	assert_bad(plan, "outside scratch memory");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 3, 3)->scratch_off--;
	assert_bad(plan, "rank 3: steps 1 and 3 share scratch memory");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
	step(plan, 3, 3)->dep[1] = 12;
	assert_bad(plan, "a step that does not exist");
	plan = make_plan(SUO_COLL_ALLREDUCE, "ring", 4, 1, 8, 0);
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
			struct suo_plan *plan =
				make_plan(SUO_COLL_ALLREDUCE, "hierarchical", 8, 4, 32, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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

	return cmocka_run_group_tests_name("plan check", tests, NULL, NULL);
}
