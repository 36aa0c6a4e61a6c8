/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packet sequence numbers: 24 bits, compared as IBA 9.7.1 says. */
#ifndef SUO_CORE_PSN_H
#define SUO_CORE_PSN_H

#include "types.h"

#define SUO_PSN_MASK	0xffffffu

static inline u32 suo_psn_add(u32 psn, u32 n)
{
	return (psn + n) & SUO_PSN_MASK;
}

/* Signed distance a - b: negative when a is older than b. */
static inline s32 suo_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

#endif /* SUO_CORE_PSN_H */
