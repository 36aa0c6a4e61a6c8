// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Closed forms against replayed plans, to the picosecond but for what rounding
 * does to each piece of a message, for 2 to 64 ranks.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/cost.h"
#include "tests/unit/plan_helper.h"

/* NVLink-4-like inside, 400G outside. */
static const struct suo_net real = {
	.elem_bytes = 4,
	.up = {
		.rate_mbps = 3825000,
		.endpoint_ps = 413000,
		.max_payload_bytes = 256,
		.header_bytes = 16,
		.flit_bytes = 16,
	},
	.out = { .rate_mbps = 400000, .endpoint_ps = 2500000 },
	.mtu_bytes = 4096,
};

/* Each piece's time is rounded up by less than a picosecond. */
static bool about(u64 a, u64 b, u64 pieces)
{
	return a > b ? a - b <= pieces : b - a <= pieces;
}

/* Return: is there a closed form? */
static bool compare(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
		    uint64_t count, u64 rounding)
{
	struct suo_net net = real;
	struct suo_cost closed, replayed;
	struct suo_plan *plan;
	int ret;

	net.domain_size = g;
	ret = suo_closed_cost(coll, name, &net, n, count, &closed);
	if (ret == -EOPNOTSUPP)
		return false;
	assert_int_equal(ret, 0);
	plan = make_plan(coll, name, n, g, count, 0);
	assert_int_equal(suo_cost_plan(plan, &net, &replayed), 0);
	suo_plan_free(plan);
	if (!about(closed.data_ps, replayed.data_ps, rounding) ||
	    !about(closed.done_ps, replayed.done_ps, rounding))
		fail_msg("%s %s, %u ranks, domains of %u, %" PRIu64
			 " elements: replay %" PRIu64 "/%" PRIu64
			 " ps, closed form %" PRIu64 "/%" PRIu64,
			 suo_coll_name(coll), name, n, g, count,
			 replayed.data_ps, replayed.done_ps, closed.data_ps,
			 closed.done_ps);
	return true;
}

static void must(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
		 uint64_t count)
{
	if (!compare(coll, name, n, g, count, 0))
		fail_msg("%s %s, %u ranks, domains of %u: no closed form",
			 suo_coll_name(coll), name, n, g);
}

/* Counts that need not be a multiple of anything, and some that are. */
static const uint64_t counts[] = { 0, 1, 7, 64, 1000, 65536, 100003 };

#define NUM_COUNTS	(sizeof(counts) / sizeof(counts[0]))

/* All counts for few ranks, else two. */
static size_t next(uint32_t n, size_t c)
{
	return n > 16 ? c + 4 : c + 1;
}

static size_t first(uint32_t n)
{
	return n > 16 ? n % 4 : 0;
}

static bool is_power(uint32_t n)
{
	return !(n & (n - 1));
}

static void test_flat(void **state)
{
	static const struct {
		enum suo_coll	coll;
		const char	*name;
		bool		powers;
	} all[] = {
		{ SUO_COLL_ALLREDUCE, "ring", false },
		{ SUO_COLL_ALLREDUCE, "rhd", false },
		{ SUO_COLL_ALLREDUCE, "rd", true },
		{ SUO_COLL_ALLREDUCE, "binomial", false },
		{ SUO_COLL_REDUCE_SCATTER, "ring", false },
		{ SUO_COLL_REDUCE_SCATTER, "rhd", false },
		{ SUO_COLL_ALL_GATHER, "ring", false },
		{ SUO_COLL_ALL_GATHER, "rhd", false },
		{ SUO_COLL_BROADCAST, "binomial", false },
		{ SUO_COLL_BROADCAST, "chain@1", false },
		{ SUO_COLL_BROADCAST, "chain@7", false },
		{ SUO_COLL_REDUCE, "binomial", false },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (uint32_t n = 2; n <= 64; n++) {
			for (size_t c = first(n); c < NUM_COUNTS; c = next(n, c)) {
				if (all[i].powers && !is_power(n))
					continue;
				must(all[i].coll, all[i].name, n, n, counts[c]);
				must(all[i].coll, all[i].name, n, 1, counts[c]);
			}
		}
	}
}

static void test_flat_equal_blocks(void **state)
{
	for (uint32_t n = 2; n <= 64; n++) {
		for (size_t c = first(n); c < NUM_COUNTS; c = next(n, c)) {
			for (uint32_t g = 1; g <= n; g += n - 1) {
				must(SUO_COLL_SCATTER, "linear", n, g, n * counts[c]);
				must(SUO_COLL_ALLREDUCE, "direct", n, g, n * counts[c]);
				/* A packet, or a segment, of 4096 bytes at least. */
				if (counts[c] <= 1000) {
					must(SUO_COLL_ALLREDUCE, "biring", n, g,
					     2 * n * counts[c]);
					must(SUO_COLL_REDUCE_SCATTER, "biring", n, g,
					     2 * n * counts[c]);
				}
				must(SUO_COLL_ALLREDUCE, "oneshot", n, g, counts[c]);
				must(SUO_COLL_ALL_GATHER, "direct", n, g, n * counts[c]);
				must(SUO_COLL_ALLTOALL, "pairwise", n, g, n * counts[c]);
			}
		}
		must(SUO_COLL_BARRIER, "dissemination", n, n, 0);
		must(SUO_COLL_BARRIER, "dissemination", n, 1, 0);
	}
}

/* Over both kinds of links. */
static void test_mixed_ring(void **state)
{
	for (uint32_t n = 2; n <= 64; n++)
		for (uint32_t g = 1; g <= n; g++)
			for (size_t c = first(n);
				     c < NUM_COUNTS && n % g == 0; c = next(n, c)) {
				must(SUO_COLL_ALLREDUCE, "ring", n, g, n * counts[c]);
				must(SUO_COLL_ALL_GATHER, "ring", n, g, n * counts[c]);
				must(SUO_COLL_REDUCE_SCATTER, "ring", n, g,
				     n * counts[c]);
			}
}

/* All inner and outer algorithms that have a form, in all factorings. */
static void test_hierarchical(void **state)
{
	const char *name;
	unsigned int found = 0;

	for (unsigned int i = 0;
	     (name = composed_name(SUO_COLL_ALLREDUCE, "hierarchical", i)); i++)
		for (uint32_t n = 2; n <= 64; n++)
			for (uint32_t g = 1; g <= n; g++)
				for (size_t c = first(n);
				     c < NUM_COUNTS && n % g == 0; c = next(n, c))
					found += compare(SUO_COLL_ALLREDUCE, name, n,
							 g, counts[c], 0);
	/* Ring inside, ring, rhd and binomial outside, in 279 factorings each. */
	assert_true(found > 3 * 279);
	for (uint32_t n = 2; n <= 64; n++)
		for (uint32_t g = 1; g <= n; g++) {
			if (n % g)
				continue;
			must(SUO_COLL_ALLREDUCE, "hierarchical", n, g, 1000);
			must(SUO_COLL_ALLREDUCE, "hierarchical:rhd+rhd", n, g, g * 57);
			must(SUO_COLL_ALLREDUCE, "hierarchical:rhd+binomial", n, g,
			     g * 5000);
			must(SUO_COLL_ALLREDUCE, "hierarchical:direct+direct", n, g,
			     n * 700);
		}
}

/* The other collectives' hierarchies; equal blocks. */
static void test_hierarchies(void **state)
{
	static const char *const inner[] = { "ring", "rhd", "direct" };
	char name[SUO_PLAN_NAME_SIZE];

	for (uint32_t n = 2; n <= 64; n++)
		for (uint32_t g = 1; g <= n; g++) {
			if (n % g)
				continue;
			must(SUO_COLL_BARRIER, "hierarchical", n, g, 0);
			for (size_t c = first(n); c < NUM_COUNTS; c = next(n, c)) {
				must(SUO_COLL_BROADCAST, "hierarchical", n, g, counts[c]);
				must(SUO_COLL_REDUCE, "hierarchical", n, g, counts[c]);
				for (int i = 0; i < 3; i++) {
					if (i == 1 && !is_power(g))
						continue;
					snprintf(name, sizeof(name),
						 "hierarchical:%s+ring", inner[i]);
					must(SUO_COLL_REDUCE_SCATTER, name, n, g,
					     n * counts[c]);
					must(SUO_COLL_ALL_GATHER, name, n, g,
					     n * counts[c]);
				}
			}
		}
}

static void test_no_form(void **state)
{
	struct suo_net net = real;
	struct suo_cost cost;

	net.domain_size = 4;
	assert_int_equal(suo_closed_cost(SUO_COLL_ALLREDUCE, "rings", &net, 8, 8, &cost),
			 -EINVAL);
	assert_int_equal(suo_closed_cost(SUO_COLL_ALLREDUCE, "ring", &net, 6, 8, &cost),
			 -EINVAL);
	assert_int_equal(suo_closed_cost(SUO_COLL_ALLREDUCE, "pipelined", &net, 8, 8,
					 &cost), -EOPNOTSUPP);
	assert_int_equal(suo_closed_cost(SUO_COLL_ALLREDUCE, "rhd", &net, 8, 8, &cost),
			 -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_flat_equal_blocks),
		cmocka_unit_test(test_mixed_ring),
		cmocka_unit_test(test_hierarchical),
		cmocka_unit_test(test_hierarchies),
		cmocka_unit_test(test_no_form),
	};

	return cmocka_run_group_tests_name("closed forms", tests, NULL, NULL);
}
