// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of model/core as the kernel compiles it: the ICRC here goes
 * through the kernel's crc32_le(), 64-bit division through math64.h.
 */
#include <kunit/test.h>

#include "../model/core/cc.h"
#include "../model/core/icrc.h"
#include "../model/core/pfc.h"
#include "../model/core/psn.h"
#include "../model/core/wire.h"

struct psn_case {
	u32	a;
	u32	b;
	s32	diff;
};

/* IBA 9.7.1: 2^23 numbers ahead are newer, the rest older. */
static const struct psn_case psn_cases[] = {
	{ 0, 0, 0 },
	{ 1, 0, 1 },
	{ 0, 1, -1 },
	{ 0, 0xffffff, 1 },
	{ 0xffffff, 0, -1 },
	{ 0x7fffff, 0, 0x7fffff },
	{ 0x800000, 0, -0x800000 },
	{ 5, 0xfffffb, 10 },
};

static void psn_diff_test(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(psn_cases); i++) {
		const struct psn_case *c = &psn_cases[i];

		KUNIT_EXPECT_EQ_MSG(test, suo_psn_diff(c->a, c->b), c->diff,
				    "%#x - %#x", c->a, c->b);
		KUNIT_EXPECT_EQ(test, suo_psn_add(c->b, c->diff), c->a);
	}
}

/* RC SEND Only, 10 bytes and 2 of padding, made by scapy.contrib.roce. */
static const u8 scapy_send_only[] = {
	0x45, 0x00, 0x00, 0x38, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x25, 0xb3,
	0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x01, 0x02, 0xc0, 0x00, 0x12, 0xb7,
	0x00, 0x24, 0x00, 0x00, 0x04, 0x60, 0xff, 0xff, 0x00, 0x12, 0x34, 0x56,
	0x80, 0xab, 0xcd, 0xef, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x73, 0x75,
	0x6f, 0x21, 0x00, 0x00, 0xe0, 0x0f, 0x1c, 0xc8,
};

static void icrc_test(struct kunit *test)
{
	const u8 *ip = scapy_send_only;
	const u8 *udp = ip + SUO_IPV4_HDR_LEN;
	const u8 *bth = udp + SUO_UDP_HDR_LEN;
	const u8 *end = ip + sizeof(scapy_send_only) - SUO_ICRC_LEN;
	u32 crc = suo_icrc_head(ip, udp, bth);
	__le32 want;

	memcpy(&want, end, sizeof(want));
	crc = suo_crc32(crc, bth + SUO_BTH_LEN, end - bth - SUO_BTH_LEN);
	KUNIT_EXPECT_EQ(test, suo_icrc_end(crc), le32_to_cpu(want));
}

static void hdr_test(struct kunit *test)
{
	const u8 *bth = scapy_send_only + SUO_IPV4_HDR_LEN + SUO_UDP_HDR_LEN;
	u8 again[SUO_BTH_LEN];
	struct suo_hdr hdr;

	KUNIT_ASSERT_EQ(test, suo_hdr_get(&hdr, bth, SUO_BTH_LEN), SUO_BTH_LEN);
	KUNIT_EXPECT_EQ(test, hdr.opcode, SUO_TR_RC | SUO_OP_SEND_ONLY);
	KUNIT_EXPECT_EQ(test, hdr.qpn, 0x123456);
	KUNIT_EXPECT_EQ(test, hdr.psn, 0xabcdef);
	KUNIT_EXPECT_EQ(test, hdr.pad, 2);
	KUNIT_EXPECT_EQ(test, hdr.pkey, 0xffff);
	KUNIT_EXPECT_TRUE(test, hdr.ackreq);
	KUNIT_EXPECT_FALSE(test, hdr.se);
	KUNIT_EXPECT_EQ(test, suo_hdr_put(again, &hdr), SUO_BTH_LEN);
	KUNIT_EXPECT_EQ(test, memcmp(again, bth, SUO_BTH_LEN), 0);
}

/* A notification as ConnectX sends it: NVIDIA's "RoCEv2 CNP Packet Format Example". */
static void cnp_test(struct kunit *test)
{
	static const u8 cnp[SUO_BTH_LEN + SUO_CNP_LEN] = {
		0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x00, 0xd2,
	};
	u8 again[sizeof(cnp)];
	struct suo_hdr hdr;

	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, cnp, sizeof(cnp) - 1), 0);
	KUNIT_ASSERT_EQ(test, suo_hdr_get(&hdr, cnp, sizeof(cnp)), sizeof(cnp));
	KUNIT_EXPECT_TRUE(test, hdr.becn);
	KUNIT_EXPECT_FALSE(test, hdr.fecn);
	KUNIT_EXPECT_EQ(test, hdr.qpn, 0xd2);
	KUNIT_EXPECT_EQ(test, hdr.psn, 0);
	memset(again, 0xff, sizeof(again));
	KUNIT_EXPECT_EQ(test, suo_hdr_put(again, &hdr), sizeof(cnp));
	KUNIT_EXPECT_EQ(test, memcmp(again, cnp, sizeof(cnp)), 0);
}

/* DCQCN where 64-bit division is the kernel's: with alpha 1, 400 Gb/s become 200. Then
 * alpha is updated twice, at 1 us with the mark and at 2 us without, and stands
 * at g = 1019/1024 of one, so the next cut takes 1019/2048 of 200 Gb/s, 99511719
 * kb/s; or, alpha being in steps of 2^-20, a millionth of the rate less or more.
 */
static void dcqcn_test(struct kunit *test)
{
	struct suo_cc_law law;
	struct suo_cc cc;

	suo_cc_default(&law);
	law.dcqcn.rp_time_reset_ps = 0;
	law.dcqcn.rp_byte_reset_bytes = 0;
	law.dcqcn.rp_reduce_period_ps = 0;
	suo_cc_init(&cc, &suo_cc_dcqcn, &law, 400000000, 0, 0);
	KUNIT_EXPECT_EQ(test, cc.rate_kbps, 400000000);
	cc.ops->cnp(&cc, 5000000);
	KUNIT_EXPECT_EQ(test, cc.rate_kbps, 200000000);
	cc.ops->cnp(&cc, 7000000);
	KUNIT_EXPECT_GE(test, cc.rate_kbps, 200000000 - 99511719 - 400);
	KUNIT_EXPECT_LE(test, cc.rate_kbps, 200000000 - 99511719 + 400);
}

/* 1000 times 512 bits at 400 Gb/s are 1.28 us. */
static void pause_test(struct kunit *test)
{
	struct suo_pfc_tx tx = {};

	suo_pfc_hear(&tx, 400000, 3, 1000, 5000000);
	KUNIT_EXPECT_TRUE(test, suo_pfc_is_paused(&tx, 3, 6279999));
	KUNIT_EXPECT_FALSE(test, suo_pfc_is_paused(&tx, 3, 6280000));
	KUNIT_EXPECT_FALSE(test, suo_pfc_is_paused(&tx, 4, 6000000));
	suo_pfc_hear(&tx, 400000, 3, 0, 6000000);
	KUNIT_EXPECT_FALSE(test, suo_pfc_is_paused(&tx, 3, 6000000));
}

/* Opcodes that suo does not speak, versions that do not exist, short buffers. */
static void hdr_reject_test(struct kunit *test)
{
	u8 buf[SUO_MAX_HDR_LEN] = { SUO_TR_RC | SUO_OP_WRITE_ONLY };
	struct suo_hdr hdr;

	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, buf, SUO_BTH_LEN), 0);
	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, buf, SUO_BTH_LEN + 15), 0);
	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, buf, SUO_BTH_LEN + 16),
			SUO_BTH_LEN + SUO_RETH_LEN);
	buf[1] = 1;
	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, buf, sizeof(buf)), 0);
	buf[1] = 0;
	buf[0] = 0x1f;
	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, buf, sizeof(buf)), 0);
	buf[0] = 0xff;
	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, buf, sizeof(buf)), 0);
	buf[0] = SUO_TR_UD | SUO_OP_WRITE_ONLY;
	KUNIT_EXPECT_EQ(test, suo_hdr_get(&hdr, buf, sizeof(buf)), 0);
}

/* Begun together or each by itself, ICRCs are the same: for packets of both IP
 * versions whose numbers, lengths and opcodes change.
 */
static void icrc_row_test(struct kunit *test)
{
	static const u8 first[] = { 0x45, 0x60 };
	u8 ip[SUO_IPV6_HDR_LEN], udp[SUO_UDP_HDR_LEN], bth[SUO_BTH_LEN];
	int v, i;
	u32 crc;

	suo_icrc_init();
	for (v = 0; v < ARRAY_SIZE(first); v++) {
		struct suo_icrc_row row = {};

		for (i = 0; i < sizeof(ip); i++)
			ip[i] = i * 7;
		for (i = 0; i < sizeof(udp); i++)
			udp[i] = i * 5;
		for (i = 0; i < sizeof(bth); i++)
			bth[i] = i * 3;
		ip[0] = first[v];
		for (i = 0; i < 200; i++) {
			bth[0] = i / 10;
			bth[8] = i % 3 ? 0 : 0x80;
			bth[11] = i;
			udp[5] = i > 150;
			/* IPv4: counts through a carry into the upper byte;
			 * IPv6: the length, which goes with UDP's.
			 */
			ip[4] = v ? 0 : (0x1fc0 + i) >> 8;
			ip[5] = v ? i > 150 : 0x1fc0 + i;
			crc = suo_icrc_row_head(&row, ip, udp, bth);
			crc = suo_crc32(crc, bth + SUO_ICRC_ROW_HEAD,
					sizeof(bth) - SUO_ICRC_ROW_HEAD);
			KUNIT_EXPECT_EQ_MSG(test, crc,
					    suo_icrc_head(ip, udp, bth),
					    "version %d, packet %d", v, i);
		}
	}
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE(psn_diff_test),
	KUNIT_CASE(icrc_test),
	KUNIT_CASE(icrc_row_test),
	KUNIT_CASE(hdr_test),
	KUNIT_CASE(hdr_reject_test),
	KUNIT_CASE(cnp_test),
	KUNIT_CASE(dcqcn_test),
	KUNIT_CASE(pause_test),
	{}
};

static struct kunit_suite core_suite = {
	.name		= "suo-core",
	.test_cases	= core_cases,
};

kunit_test_suite(core_suite);

MODULE_DESCRIPTION("KUnit tests of suo's model/core");
MODULE_LICENSE("GPL");
