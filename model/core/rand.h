/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random numbers without floating point, the same everywhere. Not for secrets.
 *
 * The generator is SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014.
 */
#ifndef SUO_CORE_RAND_H
#define SUO_CORE_RAND_H

#include "types.h"

/* The next of a sequence that the state begins. */
static inline u64 suo_rand(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

#define SUO_LOG_BITS	24			/* of a fraction */
#define SUO_LN2_Q32	2977044472ull		/* ln 2 * 2^32 */

/**
 * suo_log2() - binary logarithm
 * @x: from 1 on
 *
 * The digits after the point come one at a time: to square a number in [1, 2)
 * doubles its logarithm, and whether that passes 1 is the next digit.
 *
 * Return: log2(x) * 2^24, at most 2 too little.
 */
static inline u32 suo_log2(u64 x)
{
	int top = suo_top_bit(x);
	u64 y = x << (63 - top) >> 32;		/* in [1, 2) times 2^31 */
	u32 log = top;
	int i;

	for (i = 0; i < SUO_LOG_BITS; i++) {
		u64 square = y * y;		/* in [1, 4) times 2^62 */
		int digit = square >> 63;

		log = log << 1 | digit;
		y = square >> (31 + digit);
	}
	return log;
}

/**
 * suo_rand_gap() - how many trials until something rare happens
 * @state: of the generator
 * @per_quadrillion: times it happens in 10^15 trials, 1 to 10^12
 *
 * -ln(u) for an even u in (0, 1] is exponentially distributed, and an
 * exponential rounded up is geometric (Devroye, "Non-Uniform Random Variate
 * Generation", 1986, X.2). So the chance that the n-th trial is the first hit is
 * (1 - q)^(n - 1) q with q = 1 - exp(-rate).
 *
 * Return: from 1 on.
 */
static inline u64 suo_rand_gap(u64 *state, u64 per_quadrillion)
{
	u64 u = suo_rand(state) | 1;		/* times 2^64 */
	u64 ln = (64ull << SUO_LOG_BITS) - suo_log2(u);

	ln = ln * SUO_LN2_Q32 >> 32;
	return suo_mul_div(ln, 1000000000000000ull,
			   per_quadrillion << SUO_LOG_BITS) + 1;
}

#endif /* SUO_CORE_RAND_H */
