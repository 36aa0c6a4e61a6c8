// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "userspace/switch/frame.h"

#define ETH_IPV4	0x0800
#define ETH_IPV6	0x86dd
#define ETH_VLAN	0x8100
#define ETH_SVLAN	0x88a8
#define ETH_CONTROL	0x8808	/* IEEE 802.3, clause 31 */
#define ETH_LENGTH_MAX	1500
#define MAX_TAGS	2

#define OPCODE_PFC	0x0101	/* IEEE 802.1Q, 36; 802.3, annex 31D */

#define IPV4_BYTES	20u
#define IPV6_BYTES	40u
#define PROTO_TCP	6
#define PROTO_UDP	17
#define UDP_BYTES	8u
#define ROCE_PORT	4791
#define FRAGMENT	0x3fff	/* more of them, or not the first */

#define ECN_BITS	3
#define ECN_CE		3

static u32 get16(const u8 *at)
{
	return (u32)at[0] << 8 | at[1];
}

static void put16(u8 *at, u32 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static u32 get32(const u8 *at)
{
	return get16(at) << 16 | get16(at + 2);
}

static void set_ecn(struct swd_frame *frame, u32 class)
{
	frame->dscp = class >> 2;
	class &= ECN_BITS;
	if (class)
		frame->f.flags |= SUO_FRAME_ECT;
	if (class == ECN_CE)
		frame->f.flags |= SUO_FRAME_CE;
}

static void get_ports(struct swd_frame *frame, u32 at, u32 end,
		      const struct swd_parse_law *law, struct suo_flow_key *key)
{
	const u8 *data = frame->data;

	if ((key->proto != PROTO_UDP && key->proto != PROTO_TCP) || at + UDP_BYTES > end)
		return;
	key->src_port = get16(data + at);
	key->dst_port = get16(data + at + 2);
	if (key->proto != PROTO_UDP)
		return;
	frame->l4 = at;
	if (law->trim && key->dst_port == ROCE_PORT)
		frame->f.flags |= SUO_FRAME_TRIMMABLE;
}

static bool parse_ipv4(struct swd_frame *frame, u32 at, const struct swd_parse_law *law,
		       struct suo_flow_key *key)
{
	const u8 *ip = frame->data + at;
	u32 header, total;

	if (at + IPV4_BYTES > frame->len || ip[0] >> 4 != 4)
		return false;
	header = (ip[0] & 0xf) * 4;
	total = get16(ip + 2);
	if (header < IPV4_BYTES || total < header || at + total > frame->len)
		return false;
	frame->l3 = at;
	set_ecn(frame, ip[1]);
	memcpy(&key->src[0], ip + 12, 4);
	memcpy(&key->dst[0], ip + 16, 4);
	key->proto = ip[9];
	if (!(get16(ip + 6) & FRAGMENT))
		get_ports(frame, at + header, at + total, law, key);
	return true;
}

static bool parse_ipv6(struct swd_frame *frame, u32 at, const struct swd_parse_law *law,
		       struct suo_flow_key *key)
{
	const u8 *ip = frame->data + at;
	u32 total;

	if (at + IPV6_BYTES > frame->len || ip[0] >> 4 != 6)
		return false;
	total = IPV6_BYTES + get16(ip + 4);
	if (at + total > frame->len)
		return false;
	frame->l3 = at;
	set_ecn(frame, get16(ip) >> 4 & 0xff);
	memcpy(key->src, ip + 8, 16);
	memcpy(key->dst, ip + 24, 16);
	key->proto = ip[6];
	get_ports(frame, at + IPV6_BYTES, at + total, law, key);
	return true;
}

/* 01:80:c2:00:00:00 to 0f: bridges keep them to themselves (802.1Q, table 8-1). */
static bool is_link_local(const u8 *mac)
{
	static const u8 reserved[] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };

	return !memcmp(mac, reserved, sizeof(reserved)) && mac[5] < 0x10;
}

static u32 parse_control(struct swd_frame *frame, u32 at)
{
	if (at + 2 > frame->len)
		return SWD_PARSE_MALFORMED;
	if (get16(frame->data + at) != OPCODE_PFC)
		return SWD_PARSE_FILTERED;
	if (at + 4 + 2 * SWD_PRIOS > frame->len)
		return SWD_PARSE_MALFORMED;
	frame->kind = SWD_PFC;
	return SWD_PARSE_OK;
}

u32 swd_frame_parse(struct swd_frame *frame, const struct swd_parse_law *law)
{
	const u8 *data = frame->data;
	struct suo_flow_key key = { .proto = 0 };
	u32 at = SWD_ETH_BYTES, type, tags = 0;
	bool ok = true;

	frame->l3 = 0;
	frame->l4 = 0;
	frame->dscp = 0;
	frame->kind = SWD_DATA;
	frame->f.next = NULL;
	frame->f.tail_ps = 0;
	frame->f.packets = 1;
	frame->f.flags = 0;
	frame->f.prio = 0;
	if (frame->len < SWD_ETH_BYTES || data[6] & 1)
		return SWD_PARSE_MALFORMED;
	type = get16(data + 12);
	for (; type == ETH_VLAN || type == ETH_SVLAN; at += SWD_VLAN_BYTES) {
		if (tags == MAX_TAGS || at + SWD_VLAN_BYTES > frame->len)
			return SWD_PARSE_MALFORMED;
		if (!tags++)
			frame->f.prio = data[at] >> 5;
		type = get16(data + at + 2);
	}
	if (frame->len - at > law->mtu_bytes)
		return SWD_PARSE_OVERSIZE;
	/* A length that is not there: IEEE 802.3, 3.2.6. */
	if (type <= ETH_LENGTH_MAX && at + type > frame->len)
		return SWD_PARSE_MALFORMED;
	frame->f.bytes = suo_max(frame->len, SWD_MIN_BYTES) + SWD_FCS_BYTES;
	frame->f.last_bytes = frame->f.bytes;
	if (type == ETH_CONTROL)
		return parse_control(frame, at);
	if (is_link_local(data))
		return SWD_PARSE_FILTERED;

	if (type == ETH_IPV4) {
		ok = parse_ipv4(frame, at, law, &key);
	} else if (type == ETH_IPV6) {
		ok = parse_ipv6(frame, at, law, &key);
	} else {
		key.dst[0] = get32(data);
		key.dst[1] = get16(data + 4);
		key.src[0] = get32(data + 6);
		key.src[1] = get16(data + 10);
		key.proto = type << 8;
	}
	if (!ok)
		return SWD_PARSE_MALFORMED;
	if (!tags && frame->l3)
		frame->f.prio = law->dscp_prio[frame->dscp];
	/* Each switch mixes it with a seed of its own. */
	frame->f.flow = suo_ecmp_hash(&key, 0);
	frame->prio_in = frame->f.prio;
	return SWD_PARSE_OK;
}

/* A word of an IPv4 header changes: so does the checksum. */
static void change16(u8 *ip, u32 offset, u32 value)
{
	u32 sum = (~get16(ip + 10) & 0xffff) + (~get16(ip + offset) & 0xffff) + value;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~sum & 0xffff);
	put16(ip + offset, value);
}

static bool is_ipv4(const struct swd_frame *frame)
{
	return frame->data[frame->l3] >> 4 == 4;
}

void swd_frame_mark(struct swd_frame *frame)
{
	u8 *ip = frame->data + frame->l3;

	if (!frame->l3)
		return;
	if (is_ipv4(frame))
		change16(ip, 0, get16(ip) | ECN_CE);
	else
		ip[1] |= ECN_CE << 4;
}

static void set_dscp(struct swd_frame *frame, u8 dscp)
{
	u8 *ip = frame->data + frame->l3;

	frame->dscp = dscp;
	if (is_ipv4(frame))
		change16(ip, 0, (get16(ip) & ~0xfcu) | (u32)dscp << 2);
	else
		put16(ip, (get16(ip) & ~0xfc0u) | (u32)dscp << 6);
}

void swd_frame_trim(struct swd_frame *frame, u8 dscp, u32 prio)
{
	u8 *ip = frame->data + frame->l3;
	u32 len = frame->f.bytes - SWD_FCS_BYTES;

	if (!frame->l4 || len >= frame->len || len < frame->l4 + UDP_BYTES)
		return;
	frame->len = len;
	set_dscp(frame, dscp);
	if (is_ipv4(frame))
		change16(ip, 2, len - frame->l3);
	else
		put16(ip + 4, len - frame->l3 - IPV6_BYTES);
	put16(frame->data + frame->l4 + 4, len - frame->l4);
	put16(frame->data + frame->l4 + 6, 0);
	if (frame->l3 > SWD_ETH_BYTES)
		frame->data[SWD_ETH_BYTES] = (frame->data[SWD_ETH_BYTES] & 0x1f) | prio << 5;
}

u32 swd_pfc_build(u8 *data, u32 prios, u32 quanta)
{
	static const u8 header[] = {
		0x01, 0x80, 0xc2, 0x00, 0x00, 0x01,	/* to the other end */
		0x02, 0x53, 0x55, 0xff, 0xff, 0xfe,	/* from a switch port */
		ETH_CONTROL >> 8, ETH_CONTROL & 0xff,
		OPCODE_PFC >> 8, OPCODE_PFC & 0xff,
	};
	u8 *at = data + sizeof(header);

	memset(data, 0, SWD_PFC_BYTES);
	memcpy(data, header, sizeof(header));
	put16(at, prios);
	for (u32 q = 0; q < SWD_PRIOS; q++)
		if (prios >> q & 1)
			put16(at + 2 + 2 * q, quanta);
	return SWD_PFC_BYTES;
}

u32 swd_pfc_parse(const u8 *data, u16 quanta[SWD_PRIOS])
{
	const u8 *at = data + SWD_ETH_BYTES + 2;

	for (u32 q = 0; q < SWD_PRIOS; q++)
		quanta[q] = get16(at + 2 + 2 * q);
	return data[SWD_ETH_BYTES + 3];
}
