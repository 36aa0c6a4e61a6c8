/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that is taken piece by piece and given back as a whole. A large network
 * waits for memory most of the time: pieces begin where a cache line does, and lie in
 * huge pages where there are some, so that few addresses have to be looked up.
 */
#ifndef SUO_SIM_ARENA_H
#define SUO_SIM_ARENA_H

#include <stddef.h>

#define SUO_CACHE_LINE	64

struct suo_arena_block;

/**
 * struct suo_arena - some memory; all zero, it is empty
 * @blocks: what the system was asked for
 * @at: the next piece
 * @left: bytes from there on
 */
struct suo_arena {
	struct suo_arena_block	*blocks;
	char			*at;
	size_t			left;
};

/**
 * suo_arena_get() - take a piece
 * @arena: the arena
 * @n: objects
 * @bytes: of an object
 *
 * Return: zeroes, or NULL without memory.
 */
void *suo_arena_get(struct suo_arena *arena, size_t n, size_t bytes);

/* Give all of it back. */
void suo_arena_free(struct suo_arena *arena);

#endif /* SUO_SIM_ARENA_H */
