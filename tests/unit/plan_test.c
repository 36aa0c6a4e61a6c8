// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* All generators against the checker, and what their plans send by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/plan_helper.h"

/* Does what the algorithm sends depend on the domains? */
static bool knows_domains(const char *name)
{
	return !strncmp(name, "hierarchical", 12) ||
	       !strncmp(name, "pipelined", 9) || !strcmp(name, "innet");
}

static uint64_t fit(enum suo_coll coll, uint32_t n, uint64_t count)
{
	if (coll == SUO_COLL_BARRIER)
		return 0;
	return coll == SUO_COLL_ALLTOALL ? n * count : count;
}

/* One root is enough for many ranks: all others are numbered from there on. */
static void check_roots(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
			uint64_t count)
{
	uint32_t roots = suo_coll_has_root(coll) ? n : 1;

	if (n <= 8)
		for (uint32_t root = 0; root < roots; root++)
			assert_good(coll, name, n, g, count, root);
	else
		assert_good(coll, name, n, g, count, (n - 2) % roots);
}

static void test_generators_pass(void **state)
{
	static const uint64_t counts[] = { 0, 1, 7, 97 };
	const char *name;

	for (int coll = 0; coll < SUO_NUM_COLLS; coll++) {
		for (unsigned int a = 0; (name = suo_plan_coll_algorithm(coll, a)); a++) {
			for (uint32_t n = 1; n <= 64; n++) {
				for (uint32_t g = 1; g <= n; g++) {
					if (n % g || (g > 1 && !knows_domains(name)))
						continue;
					/* All counts for few ranks, else one. */
					for (int c = n > 16 ? n % 4 : 0; c < 4;
					     c += n > 16 ? 4 : 1)
						check_roots(coll, name, n, g,
							    fit(coll, n, counts[c]));
				}
			}
		}
	}
}

/* Every inner one with every outer one. */
static void test_composed_pass(void **state)
{
	static const char *const base[] = { "hierarchical", "pipelined" };
	const char *name;

	for (int coll = 0; coll < SUO_NUM_COLLS; coll++)
		for (int b = 0; b < 2; b++)
			for (unsigned int i = 0;
			     (name = composed_name(coll, base[b], i)); i++)
				for (uint32_t n = 4; n <= 48; n += n < 12 ? 1 : 12)
					for (uint32_t g = 2; g < n; g++)
						if (n % g == 0)
							assert_good(coll, name, n, g,
								    n % 3 ? 101 : 2, 0);
}

static void test_generators_pass_large(void **state)
{
	const char *name;

	for (unsigned int a = 0; (name = suo_plan_algorithm(a)); a++) {
		assert_good(SUO_COLL_ALLREDUCE, name, 8, 4, 1000003, 0);
		assert_good(SUO_COLL_ALLREDUCE, name, 63, 7, 1000003, 0);
		assert_good(SUO_COLL_ALLREDUCE, name, 64, 8, (1ull << 56) + 3, 0);
		assert_good(SUO_COLL_ALLREDUCE, name, 160, 8, 1000003, 0);
	}
}

static void test_shapes_refused(void **state)
{
	static const struct {
		enum suo_coll		coll;
		const char		*name;
		struct suo_plan_shape	shape;
	} bad[] = {
		{ SUO_COLL_ALLREDUCE, "ring", { .nranks = 0, .domain_size = 1 } },
		{ SUO_COLL_ALLREDUCE, "ring", { .nranks = 8, .domain_size = 0 } },
		{ SUO_COLL_ALLREDUCE, "ring", { .nranks = 8, .domain_size = 3 } },
		{ SUO_COLL_ALLREDUCE, "ring", { .nranks = 8, .domain_size = 16 } },
		{ SUO_COLL_ALLREDUCE, "ring",
		  { .nranks = SUO_PLAN_MAX_RANKS + 1, .domain_size = 1 } },
		{ SUO_COLL_ALLREDUCE, "ring",
		  { .nranks = 8, .domain_size = 8, .root = 1 } },
		{ SUO_COLL_BROADCAST, "binomial",
		  { .nranks = 8, .domain_size = 8, .root = 8 } },
		{ SUO_COLL_ALLTOALL, "pairwise",
		  { .nranks = 8, .domain_size = 8, .count = 12 } },
		{ SUO_COLL_BARRIER, "dissemination",
		  { .nranks = 8, .domain_size = 8, .count = 1 } },
		/* Scratch memory for more elements than can be counted. */
		{ SUO_COLL_ALLREDUCE, "rd",
		  { .nranks = 64, .domain_size = 8, .count = 1ull << 62 } },
	};
	struct suo_plan *plan;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(suo_plan_make(bad[i].coll, bad[i].name,
					       &bad[i].shape, &plan), -EINVAL);
}

static void test_names(void **state)
{
	static const char *const good[] = {
		"ring", "dtree@3", "hierarchical", "hierarchical:ring+rhd",
		"hierarchical:innet+dtree", "pipelined", "pipelined@64",
		"pipelined:biring+ring@8",
	};
	static const char *const bad[] = {
		"", "rings", "ring@2", "ring:ring+ring", "dtree@", "dtree@0",
		"dtree@65", "dtree@2x", "dtree@-1", "hierarchical:", "hierarchical:ring",
		"hierarchical:ring+", "hierarchical:+ring", "hierarchical:dtree+ring",
		"hierarchical:ring+innet", "hierarchical:ring+chain",
		"hierarchical:ring+ring@2", "pipelined@8:ring+ring", "chain", "pairwise",
		"hierarchical:ring+ring+ring",
		"hierarchical:ring+ringringringringringringringringringringringring",
	};
	struct suo_plan_shape shape = { .nranks = 8, .domain_size = 4, .count = 8 };
	struct suo_plan *plan;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(suo_plan_known(SUO_COLL_ALLREDUCE, good[i]));
		assert_int_equal(suo_plan_allreduce(good[i], &shape, &plan), 0);
		assert_string_equal(plan->name, good[i]);
		suo_plan_free(plan);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (suo_plan_known(SUO_COLL_ALLREDUCE, bad[i]))
			fail_msg("'%s' is known", bad[i]);
		assert_int_equal(suo_plan_allreduce(bad[i], &shape, &plan), -EINVAL);
	}
	for (int coll = 0; coll < SUO_NUM_COLLS; coll++)
		assert_int_equal(suo_coll_parse(suo_coll_name(coll)), coll);
	assert_int_equal(suo_coll_parse("all_reduce"), -EINVAL);
}

/* Elements that a rank sends, or those that leave its domain. */
static uint64_t sent(const struct suo_plan *plan, uint32_t r, bool abroad)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < plan->rank[r].nsteps; i++) {
		const struct suo_plan_step *s = &plan->rank[r].step[i];
		uint32_t g = plan->domain_size;

		if (s->op == SUO_PLAN_SEND && (!abroad || s->peer / g != r / g))
			sum += s->len;
	}
	return sum;
}

/*
 * Patarasuk and Yuan: the least that a rank can send in an AllReduce is
 * 2(n - 1)/n of the vector. Rings send just that, and so do halving and doubling
 * (Thakur et al. for powers of two, Traeff for the others).
 */
static void test_bandwidth_optimal(void **state)
{
	static const char *const names[] = { "ring", "biring", "rhd" };

	for (uint32_t n = 2; n <= 64; n++) {
		for (int a = 0; a < 3; a++) {
			struct suo_plan *plan =
				make_plan(SUO_COLL_ALLREDUCE, names[a], n, 1, 6ull * n, 0);

			for (uint32_t r = 0; r < n; r++)
				assert_int_equal(sent(plan, r, false), 2 * (n - 1) * 6);
			suo_plan_free(plan);
		}
	}
}

/* Thakur et al.: log2 n messages each way, 2 log2 n in all; doubling has half. */
static void test_number_of_steps(void **state)
{
	for (uint32_t n = 2, log = 1; n <= 64; n *= 2, log++) {
		struct suo_plan *rhd = make_plan(SUO_COLL_ALLREDUCE, "rhd", n, 1, n, 0);
		struct suo_plan *rd = make_plan(SUO_COLL_ALLREDUCE, "rd", n, 1, n, 0);

		for (uint32_t r = 0; r < n; r++) {
			assert_int_equal(rhd->rank[r].nsteps, 2 * 2 * log);
			/* A copy, a send and a receive each. */
			assert_int_equal(rd->rank[r].nsteps, 3 * log);
		}
		suo_plan_free(rhd);
		suo_plan_free(rd);
	}
}

/*
 * Sanders, Speck and Traeff: in the two trees together nobody sends more than
 * about the vector up and the vector down: an inner node of one tree sends half
 * a vector up and one (two halves) down, a leaf of the other half a vector up.
 */
static void test_dtree_is_balanced(void **state)
{
	for (uint32_t n = 2; n <= 64; n++) {
		struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "dtree@1", n, 1,
						  200, 0);
		uint64_t total = 0;

		for (uint32_t r = 0; r < n; r++) {
			assert_true(sent(plan, r, false) <= 400);
			total += sent(plan, r, false);
		}
		/* Each tree has n - 1 edges, and half a vector goes both ways. */
		assert_int_equal(total, 2 * 2 * (n - 1) * 100);
		suo_plan_free(plan);
	}
}

/* Across domains goes 2(k - 1)/k of the shard, inside 2(g - 1)/g of all. */
static void test_hierarchical_traffic(void **state)
{
	static const char *const names[] = { "hierarchical", "pipelined@2" };
	const uint32_t n = 24, g = 4, k = 6;
	const uint64_t count = 24 * 14;

	for (int a = 0; a < 2; a++) {
		struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, names[a], n, g,
						  count, 0);

		for (uint32_t r = 0; r < n; r++) {
			uint64_t out = 2 * (k - 1) * (count / g) / k;

			assert_int_equal(sent(plan, r, true), out);
			assert_int_equal(sent(plan, r, false) - out,
					 2 * (g - 1) * count / g);
		}
		suo_plan_free(plan);
	}
}

/* In the network: each rank reads its n-th part once, and writes it once. */
static void test_innet_traffic(void **state)
{
	const uint32_t n = 8;
	struct suo_plan *plan = make_plan(SUO_COLL_ALLREDUCE, "innet", n, n, 800, 0);

	for (uint32_t r = 0; r < n; r++) {
		uint64_t len[SUO_PLAN_NUM_OPS] = { 0 };

		for (uint32_t i = 0; i < plan->rank[r].nsteps; i++)
			len[plan->rank[r].step[i].op] += plan->rank[r].step[i].len;
		assert_int_equal(len[SUO_PLAN_SEND], 0);
		assert_int_equal(len[SUO_PLAN_RECV], 0);
		assert_int_equal(len[SUO_PLAN_REDUCED_READ], 100);
		assert_int_equal(len[SUO_PLAN_MCAST_WRITE], 100);
	}
	assert_true(plan->uses & 1u << SUO_PLAN_REDUCED_READ);
	suo_plan_free(plan);
}

/* Two-level All-to-All: k - 1 messages leave a rank's domain, of g blocks each. */
static void test_alltoall_messages(void **state)
{
	const uint32_t n = 24, g = 4, k = 6;
	struct suo_plan *plan = make_plan(SUO_COLL_ALLTOALL, "hierarchical", n, g,
					  5 * n, 0);

	for (uint32_t r = 0; r < n; r++) {
		uint32_t abroad = 0;

		for (uint32_t i = 0; i < plan->rank[r].nsteps; i++) {
			const struct suo_plan_step *s = &plan->rank[r].step[i];

			if (s->op != SUO_PLAN_SEND || s->peer / g == r / g)
				continue;
			assert_int_equal(s->len, 5 * g);
			abroad++;
		}
		assert_int_equal(abroad, k - 1);
	}
	suo_plan_free(plan);
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
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_generators_pass),
		cmocka_unit_test(test_composed_pass),
		cmocka_unit_test(test_generators_pass_large),
		cmocka_unit_test(test_shapes_refused),
		cmocka_unit_test(test_bandwidth_optimal),
		cmocka_unit_test(test_number_of_steps),
		cmocka_unit_test(test_dtree_is_balanced),
		cmocka_unit_test(test_hierarchical_traffic),
		cmocka_unit_test(test_innet_traffic),
		cmocka_unit_test(test_alltoall_messages),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
