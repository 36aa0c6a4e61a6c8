/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of small numbers, a bit each: of ranks, and of the steps of a rank. */
#ifndef SUO_PLAN_BITS_H
#define SUO_PLAN_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUO_BITS	64u	/* of a word */

/* Words of a set of numbers below n. */
static inline size_t suo_bits_words(size_t n)
{
	return (n + SUO_BITS - 1) / SUO_BITS;
}

static inline bool suo_bits_has(const uint64_t *set, uint32_t number)
{
	return set[number / SUO_BITS] >> (number % SUO_BITS) & 1;
}

static inline void suo_bits_put(uint64_t *set, uint32_t number)
{
	set[number / SUO_BITS] |= 1ull << (number % SUO_BITS);
}

/* Put all that another set has. */
static inline void suo_bits_merge(uint64_t *set, const uint64_t *other, size_t words)
{
	for (size_t w = 0; w < words; w++)
		set[w] |= other[w];
}

#endif /* SUO_PLAN_BITS_H */
