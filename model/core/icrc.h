/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The invariant CRC of a RoCEv2 datagram (IBA annex A17.3.3): CRC-32 over
 * eight bytes of ones in place of the LRH, the IP and UDP headers and the BTH
 * with every field that a router may change set to ones, and the rest up to
 * the ICRC itself.
 */
#ifndef SUO_CORE_ICRC_H
#define SUO_CORE_ICRC_H

#include "types.h"

#define SUO_IPV4_HDR_LEN	20
#define SUO_IPV6_HDR_LEN	40
#define SUO_UDP_HDR_LEN		8

/**
 * suo_icrc_head() - begin an ICRC with the headers that have variant fields
 * @ip: the IP header, without options or extension headers; its first nibble
 *	tells the version
 * @udp: the UDP header
 * @bth: the BTH, 12 bytes
 *
 * Return: running CRC; go on with suo_crc32() over what follows the BTH and
 * end with suo_icrc_end().
 */
u32 suo_icrc_head(const u8 *ip, const u8 *udp, const u8 *bth);

/* Packets whose ICRCs can be begun together: suo_icrc_row_head(). */
#define SUO_ICRC_ROW		64
/* Bytes of the BTH that do not count up */
#define SUO_ICRC_ROW_HEAD	8

/**
 * struct suo_icrc_row - packets whose headers differ in little, one after another
 * @state: of the CRC after the first 8 bytes of the BTH
 * @id: IPv4 identification that @state is for
 * @len: UDP length, likewise
 * @bth: likewise
 */
struct suo_icrc_row {
	u32	state;
	u32	id;
	u32	len;
	u8	bth[SUO_ICRC_ROW_HEAD];
};

/* To be called once before suo_icrc_row_head(). */
void suo_icrc_init(void);

/**
 * suo_icrc_row_head() - suo_icrc_head() for one packet after another
 * @row: zeroed before the first
 * @ip: the same for all but for its length and, IPv4, its identification
 * @udp: the same for all but for its length
 * @bth: the BTH
 *
 * A CRC is linear, so what another identification does to it depends on their
 * difference only; the sequence number stands at the end of the header.
 *
 * Return: running CRC; go on with suo_crc32() from SUO_ICRC_ROW_HEAD of the BTH.
 */
u32 suo_icrc_row_head(struct suo_icrc_row *row, const u8 *ip, const u8 *udp,
		      const u8 *bth);

/**
 * suo_crc32() - reflected CRC-32 (polynomial 0x04c11db7), no final complement
 * @crc: running value
 * @p: bytes
 * @len: how many
 *
 * Return: the new running value.
 */
u32 suo_crc32(u32 crc, const void *p, size_t len);

/* Complement of the running value: stored in the packet little-endian. */
static inline u32 suo_icrc_end(u32 crc)
{
	return ~crc;
}

#endif /* SUO_CORE_ICRC_H */
