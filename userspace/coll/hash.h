/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash for what processes compare with each other: FNV-1a of 64 bits (Fowler,
 * Noll and Vo).
 */
#ifndef SUO_COLL_HASH_H
#define SUO_COLL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SUO_HASH_START	14695981039346656037ull

/* Goes on from @hash, which is SUO_HASH_START or what came out before. */
static inline uint64_t suo_hash(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *byte = data;

	while (len--)
		hash = (hash ^ *byte++) * 1099511628211ull;
	return hash;
}

#endif /* SUO_COLL_HASH_H */
