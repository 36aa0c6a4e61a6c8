// SPDX-License-Identifier: GPL-2.0-only
/* Reductions: what model/core/reduce.c makes of numbers in a kernel. */
#include <kunit/test.h>

#include "../model/core/reduce.h"

struct reduce_case {
	u8	type;
	u8	op;
	u64	a;
	u64	b;
	u64	want;
};

/* By hand, from IEEE 754 and two's complement. tests/unit/reduce_test.c has more. */
static const struct reduce_case reduce_cases[] = {
	{ SUO_REDUCE_INT32, SUO_REDUCE_SUM, 0x7fffffff, 1, 0x80000000 },
	{ SUO_REDUCE_INT32, SUO_REDUCE_MIN, 0xffffffff, 1, 0xffffffff },
	{ SUO_REDUCE_UINT32, SUO_REDUCE_MIN, 0xffffffff, 1, 1 },
	{ SUO_REDUCE_INT64, SUO_REDUCE_MAX, U64_MAX, 0, 0 },
	{ SUO_REDUCE_UINT64, SUO_REDUCE_SUM, U64_MAX, 2, 1 },
	/* 1 + 1; 1 + 2^-24 (a tie, to even); 1 + 3 * 2^-24 (the other way) */
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x3f800000, 0x3f800000, 0x40000000 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x3f800000, 0x33800000, 0x3f800000 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x3f800001, 0x33800000, 0x3f800002 },
	/* The two least subnormal numbers; the greatest one and the least */
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 1, 2, 3 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x007fffff, 1, 0x00800000 },
	/* The greatest number twice; infinities of both signs; zeros */
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x7f7fffff, 0x7f7fffff, 0x7f800000 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x7f800000, 0xff800000, 0x7fc00000 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x80000000, 0x80000000, 0x80000000 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_SUM, 0x80000000, 0, 0 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_MIN, 0, 0x80000000, 0x80000000 },
	{ SUO_REDUCE_FLOAT32, SUO_REDUCE_MAX, 0xffc01234, 0, 0x7fc00000 },
	/* 65504 + 16 is a tie between 65504 and what would be 65536 */
	{ SUO_REDUCE_FLOAT16, SUO_REDUCE_SUM, 0x7bff, 0x4c00, 0x7c00 },
	{ SUO_REDUCE_FLOAT16, SUO_REDUCE_SUM, 0x7bff, 0x4bff, 0x7bff },
	{ SUO_REDUCE_FLOAT16, SUO_REDUCE_SUM, 1, 1, 2 },
	/* 1 + 2^-8, a tie; 1 + 2^-7 */
	{ SUO_REDUCE_BFLOAT16, SUO_REDUCE_SUM, 0x3f80, 0x3b80, 0x3f80 },
	{ SUO_REDUCE_BFLOAT16, SUO_REDUCE_SUM, 0x3f80, 0x3c00, 0x3f81 },
	{ SUO_REDUCE_FLOAT64, SUO_REDUCE_SUM, 0x3ff0000000000000ull,
	  0xbfefffffffffffffull, 0x3ca0000000000000ull },
};

static void reduce_test(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(reduce_cases); i++) {
		const struct reduce_case *c = &reduce_cases[i];
		u64 acc, out = 0;

		suo_reduce_first(c->type, &acc, &c->a, 1);
		suo_reduce_next(c->type, c->op, &acc, &c->b, 1);
		suo_reduce_last(c->type, &out, &acc, 1);
		KUNIT_EXPECT_EQ_MSG(test, out, c->want, "case %d", i);
	}
}

static struct kunit_case reduce_test_cases[] = {
	KUNIT_CASE(reduce_test),
	{}
};

static struct kunit_suite reduce_suite = {
	.name		= "suo-reduce",
	.test_cases	= reduce_test_cases,
};

kunit_test_suite(reduce_suite);
