// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/sim/heap.h"

#define N	2000

/* What should be in the heap, in the order in which it was added. */
struct list {
	u64	at_ps[N];
	bool	gone[N];
	u32	n;
};

/* From the present slot of the calendar to far behind its end, and some at once. */
static u64 some_time(u64 now_ps)
{
	static const u64 reach_ps[] = { 1, 5000, 100000, 30000000, 900000000 };
	u64 reach = reach_ps[rand() % 5];

	return now_ps + rand() % reach;
}

static void add(struct suo_heap *heap, struct list *list, u64 at_ps)
{
	assert_true(list->n < N);
	suo_heap_add(heap, at_ps, list->n % 32, NULL, list->n);
	list->at_ps[list->n++] = at_ps;
}

/* Return: the number of the soonest, the first of them; the list's length if none is left. */
static u32 soonest(const struct list *list)
{
	u32 best = list->n;

	for (u32 i = 0; i < list->n; i++)
		if (!list->gone[i] && (best == list->n || list->at_ps[i] < list->at_ps[best]))
			best = i;
	return best;
}

static void must_be(struct list *list, const struct suo_happening *what)
{
	u32 i = soonest(list);

	assert_int_equal(what->arg, i);
	assert_int_equal(what->at_ps, list->at_ps[i]);
	assert_int_equal(suo_happening_kind(what), i % 32);
	list->gone[i] = true;
}

/* All that is taken out is the soonest, whatever is added in between. */
static void test_order(void **state)
{
	struct suo_heap heap = { 0 };
	struct suo_happening what;
	struct list list = { 0 };
	u64 now_ps = 0;

	srand(1);
	assert_false(suo_heap_next(&heap, &what));
	while (list.n < N) {
		for (int n = rand() % 4; n && list.n < N; n--)
			add(&heap, &list, some_time(now_ps));
		if (suo_heap_next(&heap, &what)) {
			must_be(&list, &what);
			now_ps = what.at_ps;
		}
	}
	while (suo_heap_next(&heap, &what))
		must_be(&list, &what);
	assert_int_equal(soonest(&list), N);
	assert_false(heap.full);
	suo_heap_free(&heap);
}

/* On a clock: nothing comes out too soon or is kept, and when to look is told in time. */
static void test_until(void **state)
{
	struct suo_heap heap = { 0 };
	struct suo_happening what;
	struct list list = { 0 };
	u64 now_ps = 0;

	srand(2);
	assert_true(suo_heap_soonest_ps(&heap) == U64_MAX);
	assert_false(suo_heap_next_until(&heap, U64_MAX, &what));
	while (list.n < N) {
		u64 look_ps = suo_heap_soonest_ps(&heap);
		u32 next;

		for (int n = rand() % 4; n && list.n < N; n--)
			add(&heap, &list, some_time(now_ps));
		now_ps = look_ps == U64_MAX || rand() % 2 ? now_ps + rand() % 40000 : look_ps;
		while (suo_heap_next_until(&heap, now_ps, &what)) {
			assert_true(what.at_ps <= now_ps);
			must_be(&list, &what);
		}
		next = soonest(&list);
		if (next == list.n)
			continue;
		assert_true(list.at_ps[next] > now_ps);
		assert_true(suo_heap_soonest_ps(&heap) <= list.at_ps[next]);
		/* 8.2 ns: a slot of the calendar */
		assert_true(suo_heap_soonest_ps(&heap) + 8192 > list.at_ps[next]);
	}
	while (suo_heap_next_until(&heap, U64_MAX, &what))
		must_be(&list, &what);
	assert_int_equal(soonest(&list), N);
	suo_heap_free(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_until),
	};

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
