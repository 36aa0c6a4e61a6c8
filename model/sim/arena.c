// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "model/sim/arena.h"

#define HUGE_BYTES	(2ul << 20)
#define SMALL_BYTES	(64ul << 10)	/* the first block */

/* At the beginning of what it describes. */
struct suo_arena_block {
	struct suo_arena_block	*next;
	void			*mapped;
	size_t			bytes;
};

#define HEAD_BYTES	SUO_CACHE_LINE

_Static_assert(sizeof(struct suo_arena_block) <= HEAD_BYTES, "the head of a block");

static size_t round_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

/* Memory comes from the system as zeroes, and only once it is touched. Return: false without. */
static bool add_block(struct suo_arena *arena, size_t bytes)
{
	size_t want = arena->blocks ? 2 * HUGE_BYTES : SMALL_BYTES;
	struct suo_arena_block *block;
	size_t slack;
	char *start;
	void *mapped;

	if (want < bytes + HEAD_BYTES)
		want = round_up(bytes + HEAD_BYTES, HUGE_BYTES);
	slack = want < HUGE_BYTES ? 0 : HUGE_BYTES;
	mapped = mmap(NULL, want + slack, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapped == MAP_FAILED)
		return false;
	start = mapped;
	if (slack) {
		start = (char *)round_up((uintptr_t)mapped, HUGE_BYTES);
		/* Where there are none, small pages do as well. */
		madvise(start, want, MADV_HUGEPAGE);
	}

	block = (struct suo_arena_block *)start;
	block->mapped = mapped;
	block->bytes = want + slack;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->at = start + HEAD_BYTES;
	arena->left = want - HEAD_BYTES;
	return true;
}

void *suo_arena_get(struct suo_arena *arena, size_t n, size_t bytes)
{
	size_t all;
	void *piece;

	if (__builtin_mul_overflow(n, bytes, &all) || all > SIZE_MAX / 2)
		return NULL;
	all = round_up(all, SUO_CACHE_LINE);
	if (all > arena->left && !add_block(arena, all))
		return NULL;
	piece = arena->at;
	arena->at += all;
	arena->left -= all;
	return piece;
}

void suo_arena_free(struct suo_arena *arena)
{
	struct suo_arena_block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		munmap(block->mapped, block->bytes);
	}
	*arena = (struct suo_arena){ 0 };
}
