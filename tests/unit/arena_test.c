// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/sim/arena.h"

/* Pieces are zeroes, begin with a cache line, and do not overlap. */
static void test_pieces(void **state)
{
	static const size_t sizes[] = { 1, 63, 64, 65, 4096, 70000, 5 << 20, 3, 3 << 20 };
	struct suo_arena arena = { 0 };
	enum { N = 9, ROUNDS = 40 };
	unsigned char *piece[ROUNDS][N];

	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < N; i++) {
			unsigned char *p = suo_arena_get(&arena, 1, sizes[i]);

			assert_non_null(p);
			assert_int_equal((uintptr_t)p % SUO_CACHE_LINE, 0);
			assert_int_equal(p[0] | p[sizes[i] / 2] | p[sizes[i] - 1], 0);
			p[0] = r;
			p[sizes[i] - 1] = r;
			piece[r][i] = p;
		}
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < N; i++) {
			assert_int_equal(piece[r][i][0], r);
			assert_int_equal(piece[r][i][sizes[i] - 1], r);
		}
	suo_arena_free(&arena);
	assert_null(arena.blocks);
	suo_arena_free(&arena);
}

/* What cannot be had is refused, and does no harm. */
static void test_too_much(void **state)
{
	struct suo_arena arena = { 0 };

	assert_null(suo_arena_get(&arena, SIZE_MAX, 2));
	assert_null(suo_arena_get(&arena, 1, SIZE_MAX));
	assert_null(suo_arena_get(&arena, 1, SIZE_MAX / 4));
	assert_non_null(suo_arena_get(&arena, 1000, 1000));
	suo_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
