/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of plans share. */
#ifndef TESTS_UNIT_PLAN_HELPER_H
#define TESTS_UNIT_PLAN_HELPER_H

#include "model/plan/plan.h"

/* A plan that can be made. */
struct suo_plan *make_plan(enum suo_coll coll, const char *name, uint32_t n,
			   uint32_t g, uint64_t count, uint32_t root);

/* Make it, and have it checked. */
void assert_good(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
		 uint64_t count, uint32_t root);

/*
 * Runs a plan on numbers, by the letter of plan.h, in an order that depends on
 * the seed, and compares the output with what the collective is to give.
 */
void interpret(enum suo_coll coll, const char *name, uint32_t n, uint32_t g,
	       uint64_t count, uint32_t root, unsigned int seed);

/*
 * Algorithms and those made of others: a name for each pair of an inner and an
 * outer one. Return: the name, in a static buffer; NULL past the last one.
 */
const char *composed_name(enum suo_coll coll, const char *base, unsigned int i);

#endif /* TESTS_UNIT_PLAN_HELPER_H */
