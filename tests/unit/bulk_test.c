// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel module's copy by AVX, against a copy byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#if defined(__x86_64__)
#include "kmod/bulk_avx.h"

#define ROOM	4096
#define GUARD	0xa5

static uint8_t from[ROOM], to[ROOM] __attribute__((aligned(64)));

/* The registers that the loop uses without saying so are lost at every call. */
static void __attribute__((noipa)) copy(void *dst, const void *src, size_t len)
{
	suo_avx_copy(dst, src, len);
}

static void try_copy(size_t dst, size_t src, size_t len)
{
	size_t i;

	memset(to, GUARD, sizeof(to));
	copy(to + dst, from + src, len);
	for (i = 0; i < ROOM; i++) {
		uint8_t want = i >= dst && i < dst + len ?
			from[src + i - dst] : GUARD;

		if (to[i] != want)
			fail_msg("%zu bytes from %zu to %zu: byte %zu is %u, not %u",
				 len, src, dst, i, to[i], want);
	}
}

static void every_alignment(void **state)
{
	static const size_t lens[] = {
		0, 1, 31, 32, 255, 256, 257, 287, 288, 511, 512, 513, 1024, 2047,
	};
	size_t i, dst, src;

	(void)state;
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (dst = 0; dst < 33; dst++)
			for (src = 0; src < 33; src++)
				try_copy(dst, src, lens[i]);
}

static void every_length(void **state)
{
	size_t len;

	(void)state;
	for (len = 0; len < 1200; len++) {
		try_copy(64, 64, len);
		try_copy(65, 72, len);
	}
}

static int set_up(void **state)
{
	uint32_t x = 1;
	size_t i;

	(void)state;
	/* A byte does not tell its place, a few do. */
	for (i = 0; i < ROOM; i++) {
		x = x * 1664525 + 1013904223;
		from[i] = x >> 24;
	}
	return 0;
}

static void only_with_avx(void **state, void (*test)(void **))
{
	if (!__builtin_cpu_supports("avx"))
		skip();
	test(state);
}

static void copies_at_every_alignment(void **state)
{
	only_with_avx(state, every_alignment);
}

static void copies_every_length(void **state)
{
	only_with_avx(state, every_length);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_at_every_alignment),
		cmocka_unit_test(copies_every_length),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
#else
int main(void)
{
	return 0;
}
#endif
