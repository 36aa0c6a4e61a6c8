// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the executor concludes from a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "model/plan/plan_build.h"
#include "userspace/coll/layout.h"

#define NO	SUO_PLAN_NO_DEP

static struct suo_plan *new_plan(uint32_t nranks, uint64_t count)
{
	const struct suo_plan_shape shape = {
		.nranks = nranks, .domain_size = nranks, .count = count,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "test", &shape);

	assert_non_null(plan);
	return plan;
}

static uint32_t add(struct suo_plan *plan, uint32_t rank, enum suo_plan_op op, uint32_t peer,
		    uint64_t off, uint64_t len, uint32_t dep)
{
	const struct suo_plan_step step = {
		.op = op, .peer = peer, .off = off, .len = len, .dep = { dep, NO },
	};
	uint32_t index;

	assert_int_equal(suo_plan_add(plan, rank, &step, &index), 0);
	return index;
}

static struct suo_layout *layout_of(const struct suo_plan *plan, uint32_t rank)
{
	struct suo_layout *layout;
	char why[128] = "";

	if (suo_layout_create(plan, rank, 0, &layout, why, sizeof(why)))
		fail_msg("%s", why);
	return layout;
}

/*
 * All AllReduce algorithms for all shapes: every receive of the AllGather lands
 * in the vector, for it brings a sum that this rank's own contribution is in; and
 * no scratch memory beyond the plan's is needed.
 */
static void allreduce_lands_direct(void **state)
{
	for (uint32_t n = 2; n <= 8; n++) {
		for (uint32_t g = 1; g <= n; g++) {
			for (unsigned int a = 0; suo_plan_algorithm(a); a++) {
				const struct suo_plan_shape shape = {
					.nranks = n, .domain_size = g, .count = 8 * n + 3,
				};
				struct suo_plan *plan;

				if (n % g || suo_plan_allreduce(suo_plan_algorithm(a), &shape, &plan))
					continue;
				for (uint32_t r = 0; r < n; r++) {
					struct suo_layout *layout;

					/* Others are not for this executor. */
					if (plan->uses >> SUO_PLAN_COPY)
						break;
					layout = layout_of(plan, r);

					assert_int_equal(layout->scratch_len, plan->rank[r].scratch_len);
					for (uint32_t i = 0; i < layout->nsteps; i++) {
						if (layout->step[i].op != SUO_PLAN_RECV)
							continue;
						assert_false(layout->step[i].scratch);
						assert_int_equal(layout->step[i].at,
								 layout->step[i].off);
					}
					suo_layout_free(layout);
				}
				suo_plan_free(plan);
			}
		}
	}
}

/* A send names the place and the step where the peer takes it. */
static void sends_meet_receives(void **state)
{
	const struct suo_plan_shape shape = {
		.nranks = 6, .domain_size = 3, .count = 100,
	};
	struct suo_layout *layout[6];
	struct suo_plan *plan;

	assert_int_equal(suo_plan_allreduce("hierarchical", &shape, &plan), 0);
	for (uint32_t r = 0; r < 6; r++)
		layout[r] = layout_of(plan, r);
	for (uint32_t r = 0; r < 6; r++) {
		for (uint32_t i = 0; i < layout[r]->nsteps; i++) {
			const struct suo_layout_step *s = &layout[r]->step[i], *p;

			if (s->op != SUO_PLAN_SEND)
				continue;
			p = &layout[s->peer]->step[s->peer_step];
			assert_int_not_equal(p->op, SUO_PLAN_SEND);
			assert_int_equal(p->peer, r);
			assert_int_equal(p->len, s->len);
			assert_int_equal(p->at, s->at);
			assert_int_equal(p->scratch, s->scratch);
		}
	}
	for (uint32_t r = 0; r < 6; r++)
		suo_layout_free(layout[r]);
	suo_plan_free(plan);
}

/*
 * Two ranks swap their halves' sums: rank 0 reads [0, 4) for its send while a
 * message for the same place may already be on its way: it must not land there.
 *
 *	r0 s0 send [0,4)		r1 s0 recv-reduce [0,4)
 *	r0 s1 recv [0,4) after s0	r1 s1 send [4,8), which knows nothing of r0
 */
static void unproven_receive_is_staged(void **state)
{
	struct suo_plan *plan = new_plan(2, 8);
	struct suo_layout *layout;

	add(plan, 0, SUO_PLAN_SEND, 1, 0, 4, NO);
	add(plan, 0, SUO_PLAN_RECV, 1, 0, 4, 0);
	add(plan, 1, SUO_PLAN_RECV_REDUCE, 0, 0, 4, NO);
	add(plan, 1, SUO_PLAN_SEND, 0, 4, 4, NO);

	layout = layout_of(plan, 0);
	assert_true(layout->step[1].scratch);
	assert_int_equal(layout->step[1].at, 0);
	assert_int_equal(layout->step[1].waits, 2);
	assert_int_equal(layout->step[0].nthen, 1);
	assert_int_equal(layout->then[layout->step[0].first], 1);
	assert_int_equal(layout->scratch_len, 4);
	suo_layout_free(layout);

	layout = layout_of(plan, 1);
	assert_true(layout->step[1].scratch);
	assert_int_equal(layout->step[1].at, 0);
	assert_int_equal(layout->scratch_len, 4);
	suo_layout_free(layout);
	suo_plan_free(plan);
}

/* The same, but rank 1 answers only when it has rank 0's message. */
static void proven_receive_is_direct(void **state)
{
	struct suo_plan *plan = new_plan(2, 8);
	struct suo_layout *layout;

	add(plan, 0, SUO_PLAN_SEND, 1, 0, 4, NO);
	add(plan, 0, SUO_PLAN_RECV, 1, 0, 4, 0);
	add(plan, 1, SUO_PLAN_RECV_REDUCE, 0, 0, 4, NO);
	add(plan, 1, SUO_PLAN_SEND, 0, 0, 4, 0);

	layout = layout_of(plan, 0);
	assert_false(layout->step[1].scratch);
	assert_int_equal(layout->step[1].waits, 1);
	assert_int_equal(layout->step[0].nthen, 0);
	suo_layout_free(layout);
	suo_plan_free(plan);
}

/* The first message to a rank may come before the rank has begun. */
static void first_receive_is_staged(void **state)
{
	struct suo_plan *plan = new_plan(2, 4);
	struct suo_layout *layout;

	add(plan, 0, SUO_PLAN_SEND, 1, 0, 4, NO);
	add(plan, 0, SUO_PLAN_RECV, 1, 0, 0, 0);
	add(plan, 1, SUO_PLAN_RECV, 0, 0, 4, NO);
	add(plan, 1, SUO_PLAN_SEND, 0, 0, 0, 0);
	layout = layout_of(plan, 1);
	assert_true(layout->step[0].scratch);
	suo_layout_free(layout);
	suo_plan_free(plan);
}

/* A broadcast lets its root run ahead: two epochs would not be enough. */
static void refuses_what_does_not_synchronise(void **state)
{
	struct suo_plan *plan = new_plan(3, 4);
	struct suo_layout *layout;
	char why[128];

	add(plan, 0, SUO_PLAN_SEND, 1, 0, 4, NO);
	add(plan, 0, SUO_PLAN_SEND, 2, 0, 4, NO);
	add(plan, 1, SUO_PLAN_RECV, 0, 0, 4, NO);
	add(plan, 2, SUO_PLAN_RECV, 0, 0, 4, NO);
	assert_int_equal(suo_layout_create(plan, 0, 0, &layout, why, sizeof(why)), -EOPNOTSUPP);
	assert_string_equal(why, "rank 0 may end before rank 1 begins");
	suo_plan_free(plan);
}

/* Where the ranks meet by other means, it need not; then all may land at once. */
static void apart_need_not_synchronise(void **state)
{
	struct suo_plan *plan = new_plan(2, 4);
	struct suo_layout *layout;

	add(plan, 0, SUO_PLAN_SEND, 1, 0, 4, NO);
	add(plan, 1, SUO_PLAN_RECV, 0, 0, 4, NO);
	assert_int_equal(suo_layout_create(plan, 1, SUO_LAYOUT_APART, &layout, NULL, 0), 0);
	assert_false(layout->step[0].scratch);
	suo_layout_free(layout);
	suo_plan_free(plan);
}

/*
 * Rank 1's message brings what goes to scratch memory by the plan's own will, and
 * is copied from there; a copy out of the place that a receive writes to must be
 * waited for, unless the sender knows of it.
 */
static void scratch_and_copies(void **state)
{
	struct suo_plan *plan = new_plan(2, 8);
	struct suo_plan_step step = {
		.op = SUO_PLAN_RECV, .buf = SUO_PLAN_SCRATCH, .peer = 1, .off = 3, .len = 4,
		.dep = { NO, NO },
	};
	struct suo_layout *layout;

	plan->rank[0].scratch_len = 11;
	assert_int_equal(suo_plan_add(plan, 0, &step, NULL), 0);	/* s0 */
	step = (struct suo_plan_step){
		.op = SUO_PLAN_COPY, .buf = SUO_PLAN_SCRATCH, .src = SUO_PLAN_DATA,
		.off = 7, .src_off = 2, .len = 4, .dep = { 0, NO },
	};
	assert_int_equal(suo_plan_add(plan, 0, &step, NULL), 0);	/* s1 */
	add(plan, 0, SUO_PLAN_SEND, 1, 0, 0, NO);			/* s2 */
	add(plan, 0, SUO_PLAN_RECV, 1, 5, 2, 1);			/* s3: meets s1 */
	add(plan, 0, SUO_PLAN_RECV, 1, 0, 2, NO);			/* s4: does not */
	add(plan, 1, SUO_PLAN_RECV, 0, 0, 0, NO);
	add(plan, 1, SUO_PLAN_SEND, 0, 0, 4, 0);
	add(plan, 1, SUO_PLAN_SEND, 0, 0, 2, 0);
	add(plan, 1, SUO_PLAN_SEND, 0, 0, 2, 0);

	layout = layout_of(plan, 0);
	assert_true(layout->step[0].scratch);
	assert_int_equal(layout->step[0].at, 3);
	assert_int_equal(layout->step[1].src_off, 2);
	assert_int_equal(layout->step[1].waits, 1);
	assert_true(layout->step[3].scratch);
	assert_int_equal(layout->step[3].at, 11);
	assert_int_equal(layout->step[3].waits, 2);
	assert_false(layout->step[4].scratch);
	assert_int_equal(layout->scratch_len, 13);
	suo_layout_free(layout);

	layout = layout_of(plan, 1);
	assert_int_equal(layout->step[1].at, 3);
	assert_int_equal(layout->step[2].at, 11);
	assert_int_equal(layout->step[3].at, 0);
	assert_false(layout->step[3].scratch);
	suo_layout_free(layout);
	suo_plan_free(plan);
}

/*
 * Another member of the domain writes into all members' DATA: a message for the
 * same place may land there only if its sender knows that this is done. Rank 1
 * multicasts, tells rank 2, and rank 2 sends to rank 0: known. Rank 3, of
 * another domain, which was told before: not known.
 */
static void multicast_is_a_touch(void **state)
{
	const struct suo_plan_shape shape = { .nranks = 4, .domain_size = 2, .count = 4 };
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "test", &shape);
	struct suo_plan_step mcast = {
		.op = SUO_PLAN_MCAST_WRITE, .src = SUO_PLAN_DATA, .peer = 0, .len = 4,
	};
	struct suo_layout *layout;
	uint32_t told;

	assert_non_null(plan);
	add(plan, 0, SUO_PLAN_SEND, 1, 0, 0, NO);	/* begun */
	add(plan, 0, SUO_PLAN_SEND, 3, 0, 0, NO);
	told = add(plan, 0, SUO_PLAN_RECV, 1, 0, 0, NO);
	add(plan, 0, SUO_PLAN_RECV, 2, 0, 2, told);
	add(plan, 0, SUO_PLAN_RECV, 3, 2, 2, told);
	add(plan, 1, SUO_PLAN_RECV, 0, 0, 0, NO);
	mcast.dep[0] = 0;
	mcast.dep[1] = NO;
	assert_int_equal(suo_plan_add(plan, 1, &mcast, NULL), 0);
	add(plan, 1, SUO_PLAN_SEND, 0, 0, 0, 1);
	add(plan, 1, SUO_PLAN_SEND, 2, 0, 0, 1);
	add(plan, 2, SUO_PLAN_RECV, 1, 0, 0, NO);
	add(plan, 2, SUO_PLAN_SEND, 0, 0, 2, 0);
	add(plan, 3, SUO_PLAN_RECV, 0, 0, 0, NO);
	add(plan, 3, SUO_PLAN_SEND, 0, 2, 2, 0);

	assert_int_equal(suo_layout_create(plan, 0, SUO_LAYOUT_APART, &layout, NULL, 0), 0);
	assert_false(layout->step[3].scratch);
	assert_true(layout->step[4].scratch);
	assert_int_equal(layout->step[3].waits, 2);	/* "told" is not proven by rank 2 */
	suo_layout_free(layout);
	suo_plan_free(plan);
}

/* More steps of all ranks together than sets of all pairs could be had for. */
static void large_plan(void **state)
{
	const struct suo_plan_shape shape = { .nranks = 160, .domain_size = 1, .count = 320 };
	struct suo_layout *layout;
	struct suo_plan *plan;

	assert_int_equal(suo_plan_allreduce("ring", &shape, &plan), 0);
	layout = layout_of(plan, 7);
	assert_int_equal(layout->nsteps, 4 * 159);
	assert_int_equal(layout->scratch_len, plan->rank[7].scratch_len);
	suo_layout_free(layout);
	suo_plan_free(plan);
}

static void refuses_unmatched(void **state)
{
	struct suo_plan *plan = new_plan(2, 4);
	struct suo_layout *layout;
	char why[128] = "";

	add(plan, 0, SUO_PLAN_SEND, 1, 0, 4, NO);
	assert_int_equal(suo_layout_create(plan, 0, 0, &layout, why, sizeof(why)), -EINVAL);
	assert_string_not_equal(why, "");
	suo_plan_free(plan);
}

static void one_rank(void **state)
{
	struct suo_plan *plan = new_plan(1, 4);
	struct suo_layout *layout = layout_of(plan, 0);

	assert_int_equal(layout->nsteps, 0);
	suo_layout_free(layout);
	suo_plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allreduce_lands_direct),
		cmocka_unit_test(sends_meet_receives),
		cmocka_unit_test(unproven_receive_is_staged),
		cmocka_unit_test(proven_receive_is_direct),
		cmocka_unit_test(first_receive_is_staged),
		cmocka_unit_test(refuses_what_does_not_synchronise),
		cmocka_unit_test(apart_need_not_synchronise),
		cmocka_unit_test(scratch_and_copies),
		cmocka_unit_test(multicast_is_a_touch),
		cmocka_unit_test(large_plan),
		cmocka_unit_test(refuses_unmatched),
		cmocka_unit_test(one_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
