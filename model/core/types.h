/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Integer types for model/core, which is compiled into the kernel module, the
 * model, the switch and the tests. Nothing else in core/ may include a system
 * header: no allocation, no clock, no I/O, no floating point.
 */
#ifndef SUO_CORE_TYPES_H
#define SUO_CORE_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/math64.h>
#include <linux/string.h>

static inline u64 suo_mul_div(u64 a, u64 b, u64 c)
{
	return mul_u64_u64_div_u64(a, b, c);
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
typedef uint64_t __be64;
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

/* a * b / c without overflow of the product; c must not be 0. */
static inline u64 suo_mul_div(u64 a, u64 b, u64 c)
{
	return (u64)((__uint128_t)a * b / c);
}
#endif

#endif /* SUO_CORE_TYPES_H */
