/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in a frame, and what a switch changes in it. */
#ifndef SWD_FRAME_H
#define SWD_FRAME_H

#include "userspace/switch/switchd.h"

#define SWD_ETH_BYTES		14u
#define SWD_VLAN_BYTES		4u
#define SWD_PFC_BYTES		60u	/* without FCS */

enum swd_parse {
	SWD_PARSE_OK,
	SWD_PARSE_MALFORMED,
	SWD_PARSE_OVERSIZE,
	SWD_PARSE_FILTERED,	/* link-local: no switch passes it on */
};

/* How frames are classed: struct swd has these. */
struct swd_parse_law {
	const u8	*dscp_prio;
	u32		mtu_bytes;
	bool		trim;
};

/**
 * swd_frame_parse() - read the headers of a frame
 * @frame: data and len are given; flow, bytes, prio, flags, l3, l4, kind and dscp are set
 * @law: how
 *
 * Return: enum swd_parse
 */
u32 swd_frame_parse(struct swd_frame *frame, const struct swd_parse_law *law);

/* Mark CE in the IP header; the checksum of IPv4 follows (RFC 1624, equation 3). */
void swd_frame_mark(struct swd_frame *frame);

/**
 * swd_frame_trim() - cut a frame to its first bytes
 * @frame: UDP; f.bytes is what shall be left of it, FCS included
 * @dscp: that it has from now on
 * @prio: for its VLAN tag, if it has one
 *
 * The lengths of IP and UDP follow, and the checksum of IPv4; that of UDP is 0: none.
 */
void swd_frame_trim(struct swd_frame *frame, u8 dscp, u32 prio);

/* Write a PFC frame for some priorities. Return: its bytes, without FCS. */
u32 swd_pfc_build(u8 *data, u32 prios, u32 quanta);

/* Read one. Return: mask of priorities, whose quanta are in @quanta. */
u32 swd_pfc_parse(const u8 *data, u16 quanta[SWD_PRIOS]);

#endif /* SWD_FRAME_H */
