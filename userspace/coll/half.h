/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * float16 and bfloat16, to float32 and back; without branches, so that loops
 * over them can be vectorised. NaNs stay NaNs, and become quiet ones.
 */
#ifndef SUO_COLL_HALF_H
#define SUO_COLL_HALF_H

#include <stdint.h>
#include <string.h>

static inline float bits_to_float(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t float_to_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/*
 * The exponent and fraction of a float16, moved to where a float32 has them,
 * are those of a number 2^(127 - 15) too small: a multiplication puts that
 * right, for subnormal numbers too, and is exact. Only the exponent of
 * infinities and NaNs has to be set.
 */
static inline float half_to_float(uint16_t h)
{
	uint32_t mag = (uint32_t)(h & 0x7fff) << 13;
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t bits = float_to_bits(bits_to_float(mag) * 0x1p112f);
	uint32_t special = mag | 0x7f800000;
	uint32_t quiet = mag > 0x7c00u << 13 ? 0x00400000 : 0;

	bits = mag >= 0x7c00u << 13 ? special | quiet : bits;
	return bits_to_float(bits | sign);
}

/*
 * Rounds to nearest, ties to even. A number that will be subnormal is added to
 * 2^-1, whose last place is worth 2^-24, that of a subnormal float16: the
 * addition rounds, and the fraction is then what is wanted.
 */
static inline uint16_t float_to_half(float f)
{
	uint32_t bits = float_to_bits(f);
	uint32_t sign = bits >> 16 & 0x8000;
	uint32_t mag = bits & 0x7fffffff;
	uint32_t tiny = float_to_bits(bits_to_float(mag) + 0.5f) - 0x3f000000;
	uint32_t normal = (mag - (112u << 23) + 0xfff + (mag >> 13 & 1)) >> 13;
	uint32_t nan = 0x7e00 | (mag >> 13 & 0x3ff);
	uint32_t out;

	/* Whatever rounds to 2^16 has become infinity by the carry. */
	out = mag < 113u << 23 ? tiny : normal;
	out = mag >= 143u << 23 ? 0x7c00 : out;
	out = mag > 0x7f800000 ? nan : out;
	return out | sign;
}

static inline float bfloat_to_float(uint16_t b)
{
	return bits_to_float((uint32_t)b << 16);
}

static inline uint16_t float_to_bfloat(float f)
{
	uint32_t bits = float_to_bits(f);
	uint32_t near = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	uint32_t nan = bits >> 16 | 0x40;

	return (bits & 0x7fffffff) > 0x7f800000 ? nan : near;
}

#endif /* SUO_COLL_HALF_H */
