// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* All plans run on numbers, in many orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/plan_helper.h"

static const uint32_t shape[][2] = {
	{ 1, 1 }, { 2, 1 }, { 2, 2 }, { 4, 2 }, { 8, 4 }, { 9, 3 },
	{ 12, 3 }, { 7, 7 }, { 10, 5 },
};

#define NUM_SHAPES	(sizeof(shape) / sizeof(shape[0]))

static void run(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
		unsigned int seeds)
{
	static const uint64_t counts[] = { 0, 1, 5, 97 };
	uint32_t root = suo_coll_has_root(coll) ? n * 2 / 3 : 0;

	for (int c = 0; c < 4; c++) {
		uint64_t count = counts[c];

		if (coll == SUO_COLL_ALLTOALL)
			count *= n;
		if (coll == SUO_COLL_BARRIER)
			count = 0;
		for (unsigned int seed = 1; seed <= seeds; seed++)
			interpret(coll, name, n, g, count, root, seed);
	}
}

static void test_algorithms(void **state)
{
	const char *name;

	for (int coll = 0; coll < SUO_NUM_COLLS; coll++)
		for (unsigned int a = 0; (name = suo_plan_coll_algorithm(coll, a)); a++)
			for (size_t i = 0; i < NUM_SHAPES; i++)
				run(coll, name, shape[i][0], shape[i][1], 3);
}

static void test_composed(void **state)
{
	static const char *const base[] = { "hierarchical", "pipelined" };
	const char *name;

	for (int coll = 0; coll < SUO_NUM_COLLS; coll++)
		for (int b = 0; b < 2; b++)
			for (unsigned int i = 0;
			     (name = composed_name(coll, base[b], i)); i++)
				for (size_t s = 4; s < 7; s++)
					run(coll, name, shape[s][0], shape[s][1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_algorithms),
		cmocka_unit_test(test_composed),
	};

	return cmocka_run_group_tests_name("plan run", tests, NULL, NULL);
}
