// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "icrc.h"

/* The kernel has its own: kmod/crc.c. */
#ifndef __KERNEL__
/* Table of one nibble: 16 entries that a reader can check by hand. */
static const u32 nibble[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
	0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

u32 suo_crc32(u32 crc, const void *p, size_t len)
{
	const u8 *b = p;

	while (len--) {
		crc ^= *b++;
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return crc;
}
#endif

#define MAX_HEAD	(8 + SUO_IPV6_HDR_LEN + SUO_UDP_HDR_LEN + 12)

/* The headers as the ICRC sees them; returns how long they are. */
static size_t mask_head(u8 *h, const u8 *ip, const u8 *udp, const u8 *bth)
{
	u8 *p = h + 8;

	memset(h, 0xff, 8);
	if (ip[0] >> 4 == 4) {
		memcpy(p, ip, SUO_IPV4_HDR_LEN);
		p[1] = 0xff;			/* TOS */
		p[8] = 0xff;			/* TTL */
		p[10] = 0xff;			/* checksum */
		p[11] = 0xff;
		p += SUO_IPV4_HDR_LEN;
	} else {
		memcpy(p, ip, SUO_IPV6_HDR_LEN);
		p[0] |= 0x0f;			/* traffic class, flow label */
		p[1] = 0xff;
		p[2] = 0xff;
		p[3] = 0xff;
		p[7] = 0xff;			/* hop limit */
		p += SUO_IPV6_HDR_LEN;
	}
	memcpy(p, udp, SUO_UDP_HDR_LEN);
	p[6] = 0xff;				/* checksum */
	p[7] = 0xff;
	p += SUO_UDP_HDR_LEN;
	memcpy(p, bth, 12);
	p[4] = 0xff;				/* FECN, BECN, reserved */
	p += 12;
	return p - h;
}

u32 suo_icrc_head(const u8 *ip, const u8 *udp, const u8 *bth)
{
	u8 h[MAX_HEAD];
	size_t len = mask_head(h, ip, udp, bth);

	return suo_crc32(0xffffffff, h, len);
}

/* What a difference in the low byte of the identification comes to at the end
 * of the eighth byte of the BTH.
 */
static u32 id_diff[SUO_ICRC_ROW];

void suo_icrc_init(void)
{
	/* From the identification on: rest of IP, UDP, eight bytes of BTH */
	u8 h[SUO_IPV4_HDR_LEN - 4 + SUO_UDP_HDR_LEN + 8];
	unsigned int i;

	memset(h, 0, sizeof(h));
	for (i = 0; i < SUO_ICRC_ROW; i++) {
		h[1] = i;
		id_diff[i] = suo_crc32(0, h, sizeof(h));
	}
}

static u32 ip4_id(const u8 *ip)
{
	return ip[0] >> 4 == 4 ? (u32)ip[4] << 8 | ip[5] : 0;
}

u32 suo_icrc_row_head(struct suo_icrc_row *row, const u8 *ip, const u8 *udp,
		      const u8 *bth)
{
	u32 len = (u32)udp[4] << 8 | udp[5];
	u32 diff = ip4_id(ip) ^ row->id;

	if (len != row->len || diff >= SUO_ICRC_ROW ||
	    memcmp(bth, row->bth, sizeof(row->bth))) {
		u8 h[MAX_HEAD];
		size_t n = mask_head(h, ip, udp, bth);

		row->state = suo_crc32(0xffffffff, h, n - 4);
		row->id = ip4_id(ip);
		row->len = len;
		memcpy(row->bth, bth, sizeof(row->bth));
		diff = 0;
	}
	return row->state ^ id_diff[diff];
}
