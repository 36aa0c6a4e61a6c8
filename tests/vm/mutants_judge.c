// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What should become of a frame, from the specifications: how Linux takes IP and
 * UDP, IBA volume 1 chapter 9 and annex A17 for what is in it. Shares no code with
 * the device.
 */
#include <string.h>

#include "mutants.h"

#define ROCE_PORT	4791
#define BTH_LEN		12
#define ICRC_LEN	4
#define GSI_QKEY	0x80010000u
#define CNP		0x81
#define GROUP_QPN	0xffffffu

const struct addresses lab = {
	.mac = { 0x02, 0x53, 0x55, 0, 0, 1 },
	.ip4 = { 10, 0, 0, 1 },
	.ip6 = { 0xfd, [15] = 1 },
	.peer4 = { 10, 0, 1, 1 },
	.peer6 = { 0xfd, [13] = 1, [15] = 1 },
	.group4 = { 239, 1, 2, 1 },
	.group6 = { 0xff, 0x0e, [13] = 1, [15] = 2 },
};

uint32_t get_be(const uint8_t *p, unsigned int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

void put_be(uint8_t *p, uint64_t v, unsigned int bytes)
{
	while (bytes--) {
		p[bytes] = v;
		v >>= 8;
	}
}

uint16_t ip_checksum(const uint8_t *p, size_t len, uint32_t sum)
{
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += p[i] << 8 | p[i + 1];
	if (len & 1)
		sum += p[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* What a UDP checksum covers beyond the datagram. */
uint32_t pseudo_sum(const uint8_t *ip, uint32_t len)
{
	bool v4 = ip[0] >> 4 == 4;
	const uint8_t *addrs = ip + (v4 ? 12 : 8);

	return (uint16_t)~ip_checksum(addrs, v4 ? 8 : 32, 0) + len + 17;
}

static uint32_t crc_step(uint32_t crc, const uint8_t *p, size_t len)
{
	static uint32_t table[256];
	uint32_t i, k;

	for (i = 0; !table[255] && i < 256; i++) {
		table[i] = i;
		for (k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return crc;
}

/**
 * icrc_of() - the invariant CRC of a packet
 * @ip: its IP header; options are left out
 * @udp: its UDP header; the BTH follows
 * @bth_len: bytes from the BTH on, without the ICRC
 *
 * Return: the value, to be stored with its low byte first.
 */
uint32_t icrc_of(const uint8_t *ip, const uint8_t *udp, size_t bth_len)
{
	bool v4 = ip[0] >> 4 == 4;
	size_t ip_len = v4 ? 20 : 40;
	uint8_t head[8 + 40 + 8 + BTH_LEN];
	uint8_t *p = head + 8;

	memset(head, 0xff, 8);
	memcpy(p, ip, ip_len);
	if (v4) {
		p[1] = 0xff;
		p[8] = 0xff;
		p[10] = 0xff;
		p[11] = 0xff;
	} else {
		p[0] |= 0x0f;
		memset(p + 1, 0xff, 3);
		p[7] = 0xff;
	}
	p += ip_len;
	memcpy(p, udp, 8 + BTH_LEN);
	p[6] = 0xff;
	p[7] = 0xff;
	p[8 + 4] = 0xff;
	return ~crc_step(crc_step(0xffffffff, head, 8 + ip_len + 8 + BTH_LEN),
			 udp + 8 + BTH_LEN, bth_len - BTH_LEN);
}

/* Bytes of headers behind the BTH, IBA table 38; -1: there is no such opcode. */
static int ext_len(uint8_t opcode)
{
	static const int8_t len[32] = {
		0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28,
		28, -1, 4, 4, -1, -1, -1, -1, -1, -1, -1, -1,
	};
	unsigned int op = opcode & 0x1f;

	switch (opcode >> 5) {
	case 0:
		return len[op];
	case 1:
		return op <= 11 ? len[op] : -1;
	case 3:
		return op == 4 ? 8 : op == 5 ? 12 : -1;
	case 4:
		return op == 1 ? 16 : -1;
	default:
		return -1;
	}
}

static bool is_datagram(uint8_t opcode)
{
	return opcode >> 5 == 3;
}

/* Read requests, acknowledgments, atomic operations and notifications have no data. */
static bool has_data(uint8_t opcode)
{
	unsigned int op = opcode & 0x1f;

	if (opcode == CNP)
		return false;
	return is_datagram(opcode) || op < 12 || (op > 12 && op < 17) || op > 21;
}

static bool to_us(const uint8_t *ip)
{
	return ip[0] >> 4 == 4 ? !memcmp(ip + 16, lab.ip4, 4) :
				 !memcmp(ip + 24, lab.ip6, 16);
}

static bool to_group(const uint8_t *ip)
{
	return ip[0] >> 4 == 4 ? !memcmp(ip + 16, lab.group4, 4) :
				 !memcmp(ip + 24, lab.group6, 16);
}

static enum fate judge_datagram(const struct slot *slot, const uint8_t *bth,
				uint32_t data)
{
	uint32_t qkey = get_be(bth + 12, 4);

	if (slot->type == IBV_QPT_UD && (qkey != QKEY || data > 4096))
		return FATE_REFUSED;
	if (slot->type == IBV_QPT_DRIVER && (qkey != GSI_QKEY || data != 256))
		return FATE_REFUSED;
	return FATE_TAKEN;
}

static bool from_peer(const struct slot *slot, enum slot_nr nr, const uint8_t *ip)
{
	bool v6 = nr == SLOT_RC_V6 || nr == SLOT_UC_V6;

	if (ip[0] >> 4 == 4)
		return !v6 && to_us(ip) && !memcmp(ip + 12, lab.peer4, 4);
	return v6 && to_us(ip) && !memcmp(ip + 8, lab.peer6, 16);
}

enum fate judge_bth(struct victim *v, const uint8_t *ip, const uint8_t *bth,
		    size_t len, bool checked)
{
	const struct slot *slot;
	uint32_t qpn, pad, icrc;
	int ext;

	if (len < BTH_LEN + ICRC_LEN)
		return FATE_DROP;
	ext = ext_len(bth[0]);
	if (ext < 0 || len < (size_t)(BTH_LEN + ext) || (bth[1] & 0x0f))
		return FATE_DROP;
	qpn = get_be(bth + 5, 3);
	slot = victim_find(v, qpn);
	if (qpn == GROUP_QPN) {
		if (!is_datagram(bth[0]))
			return FATE_DROP;
	} else if (!slot || (qpn == 1 && !to_us(ip)) ||
		   (is_datagram(bth[0]) && !to_us(ip))) {
		return FATE_STRAY;
	}
	pad = bth[1] >> 4 & 3;
	if (len < BTH_LEN + ext + pad + ICRC_LEN ||
	    (get_be(bth + 2, 2) & 0x7fff) != 0x7fff)
		return FATE_DROP;
	len -= BTH_LEN + ext + pad + ICRC_LEN;
	if (len && !has_data(bth[0]))
		return FATE_DROP;
	if (checked) {
		const uint8_t *end = bth + BTH_LEN + ext + len + pad;

		icrc = (uint32_t)end[3] << 24 | end[2] << 16 | end[1] << 8 | end[0];
		if (icrc != icrc_of(ip, bth - 8, end - bth))
			return FATE_ICRC;
	}
	if (qpn == GROUP_QPN)
		return to_group(ip) ?
			judge_datagram(&v->slots[SLOT_UD], bth, len) : FATE_STRAY;
	if (slot->type == IBV_QPT_UD || slot->type == IBV_QPT_DRIVER)
		return is_datagram(bth[0]) ? judge_datagram(slot, bth, len) :
					     FATE_REFUSED;
	if ((bth[0] != CNP && bth[0] >> 5 != (slot->type == IBV_QPT_UC)) ||
	    slot == &v->slots[SLOT_RC_INIT] ||
	    !from_peer(slot, slot - v->slots, ip))
		return FATE_REFUSED;
	/* Counted, and that is all, where there is no congestion control. */
	return bth[0] == CNP ? FATE_TAKEN : FATE_DEPENDS;
}

/* To everybody, and so to us. */
static bool to_all4(const uint8_t *ip)
{
	return get_be(ip + 16, 4) == 0xffffffff;
}

/* Source addresses that no host has. */
static bool is_martian4(const uint8_t *a, bool to_all)
{
	static const uint8_t all[4] = { 255, 255, 255, 255 };

	if (a[0] >> 4 == 14 || !memcmp(a, all, 4))
		return true;
	/* To everybody one may write without knowing who one is. */
	return !to_all && (a[0] == 0 || a[0] == 127);
}

static bool is_martian6(const uint8_t *a)
{
	static const uint8_t loopback[16] = { [15] = 1 };

	return a[0] == 0xff || !memcmp(a, loopback, 16);
}

/* The datagram in an IPv4 packet: where it begins and, in @len, how long it is;
 * 0: none comes out. The stack cuts off what lies behind the packet.
 */
static size_t in_ip4(const uint8_t *ip, size_t *len)
{
	size_t hdr = (ip[0] & 15) * 4;

	if (*len < 20 || hdr < 20 || *len < hdr || ip_checksum(ip, hdr, 0) ||
	    get_be(ip + 2, 2) > *len || get_be(ip + 2, 2) < hdr || ip[9] != 17 ||
	    (get_be(ip + 6, 2) & 0x3fff) || is_martian4(ip + 12, to_all4(ip)) ||
	    (!to_us(ip) && !to_group(ip) && !to_all4(ip)))
		return 0;
	*len = get_be(ip + 2, 2) - hdr;
	return hdr;
}

static size_t in_ip6(const uint8_t *ip, size_t *len)
{
	size_t hdr = 40;
	uint8_t next;

	if (*len < hdr || get_be(ip + 4, 2) + hdr > *len ||
	    is_martian6(ip + 8) || (!to_us(ip) && !to_group(ip)))
		return 0;
	*len = get_be(ip + 4, 2);
	/* Destination options, as mutants.py makes them: well-formed. */
	next = ip[6];
	while (next == 60 && *len >= 8) {
		size_t ext = (ip[hdr + 1] + 1) * 8;

		if (ext > *len)
			return 0;
		next = ip[hdr];
		hdr += ext;
		*len -= ext;
	}
	return next == 17 ? hdr : 0;
}

enum fate judge_frame(struct victim *v, const uint8_t *frame, size_t len)
{
	const uint8_t *ip = frame + 14, *udp;
	bool plain, fits, v4;
	size_t off;

	if (len < 14 + 20)
		return FATE_NOWHERE;
	v4 = get_be(frame + 12, 2) == 0x0800;
	if (memcmp(frame, lab.mac, 6) && !(frame[0] & 1))
		return FATE_NOWHERE;
	if (!v4 && get_be(frame + 12, 2) != 0x86dd)
		return FATE_NOWHERE;
	if (ip[0] >> 4 != (v4 ? 4 : 6))
		return FATE_NOWHERE;
	len -= 14;
	off = v4 ? in_ip4(ip, &len) : in_ip6(ip, &len);
	if (!off || len < 8)
		return FATE_NOWHERE;
	udp = ip + off;
	plain = off == (v4 ? 20 : 40);
	if (get_be(udp + 2, 2) != ROCE_PORT || get_be(udp + 4, 2) > len ||
	    (get_be(udp + 4, 2) < 8 && (v4 || get_be(udp + 4, 2))))
		return FATE_NOWHERE;
	fits = get_be(udp + 4, 2) == len;
	if (get_be(udp + 4, 2))
		len = get_be(udp + 4, 2);
	if (get_be(udp + 6, 2) && ip_checksum(udp, len, pseudo_sum(ip, len)))
		return FATE_NOWHERE;
	if (!plain || !fits || len == 8)
		return FATE_DROP;
	return judge_bth(v, ip, udp + 8, len - 8, true);
}
