/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Integer types for model/core, which is compiled into the kernel module, the
 * model, the switch and the tests. Nothing else in core/ may include a system
 * header: no allocation, no clock, no I/O, no floating point.
 */
#ifndef SUO_CORE_TYPES_H
#define SUO_CORE_TYPES_H

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/types.h>
#include <linux/math64.h>
#include <linux/string.h>

/* a * b / c; U64_MAX if that does not fit, or if c is 0. */
static inline u64 suo_mul_div(u64 a, u64 b, u64 c)
{
	/* x86 traps on a quotient of more than 64 bits. */
	if (mul_u64_u64_shr(a, b, 64) >= c)
		return U64_MAX;
	return mul_u64_u64_div_u64(a, b, c);
}

static inline u64 suo_mul_sat(u64 a, u64 b)
{
	return mul_u64_u64_shr(a, b, 64) ? U64_MAX : a * b;
}

static inline u64 suo_div(u64 a, u64 b)
{
	/* Many processors take several times as long for 64 bits. */
	return (a | b) >> 32 ? div64_u64(a, b) : (u32)a / (u32)b;
}

/* The highest bit of a number other than 0. */
static inline int suo_top_bit(u64 a)
{
	return fls64(a) - 1;
}
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <arpa/inet.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
/* As <linux/types.h> has it: both may be included. */
typedef unsigned long long __be64;
typedef uint16_t __le16;
typedef uint32_t __le32;

#ifndef __force
#define __force
#endif
#define cpu_to_be16(x)	htons(x)
#define be16_to_cpu(x)	ntohs(x)
#define cpu_to_be32(x)	htonl(x)
#define be32_to_cpu(x)	ntohl(x)
#define cpu_to_be64(x)	__builtin_bswap64(x)
#define be64_to_cpu(x)	__builtin_bswap64(x)

#define U64_MAX		UINT64_MAX
#define U32_MAX		UINT32_MAX

static inline u64 suo_mul_div(u64 a, u64 b, u64 c)
{
	__uint128_t product = (__uint128_t)a * b;

	if (product >> 64 >= c)
		return U64_MAX;
	return product / c;
}

static inline u64 suo_mul_sat(u64 a, u64 b)
{
	__uint128_t product = (__uint128_t)a * b;

	return product >> 64 ? U64_MAX : (u64)product;
}

static inline u64 suo_div(u64 a, u64 b)
{
	return a / b;
}

static inline int suo_top_bit(u64 a)
{
	return 63 - __builtin_clzll(a);
}
#endif

/* Times of U64_MAX are never reached. */
static inline u64 suo_add_sat(u64 a, u64 b)
{
	return a + b < a ? U64_MAX : a + b;
}

static inline u64 suo_sub_sat(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static inline u64 suo_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

#endif /* SUO_CORE_TYPES_H */
