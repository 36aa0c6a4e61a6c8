// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wire.h"

#define IS_SEND	(SUO_F_VALID | SUO_F_SEND | SUO_F_PAYLOAD)
#define IS_WRITE	(SUO_F_VALID | SUO_F_WRITE | SUO_F_PAYLOAD)
#define IS_RESP	(SUO_F_VALID | SUO_F_READ_RESP | SUO_F_PAYLOAD)
#define IS_ONLY	(SUO_F_START | SUO_F_END)

#define LEN_IF(f, bit, len)	((f) & (bit) ? (len) : 0)
#define LEN(f)								\
	(SUO_BTH_LEN + LEN_IF(f, SUO_F_DETH, SUO_DETH_LEN) +		\
	 LEN_IF(f, SUO_F_RETH, SUO_RETH_LEN) +				\
	 LEN_IF(f, SUO_F_AETH, SUO_AETH_LEN) +				\
	 LEN_IF(f, SUO_F_IMM, SUO_IMM_LEN) +				\
	 LEN_IF(f, SUO_F_INV, SUO_IETH_LEN) +				\
	 LEN_IF(f, SUO_F_ATOMIC, SUO_ATOMICETH_LEN) +			\
	 LEN_IF(f, SUO_F_ATOMIC_ACK, SUO_ATOMICACKETH_LEN) +		\
	 LEN_IF(f, SUO_F_CNP, SUO_CNP_LEN))
#define OP(tr, op, f)							\
	[SUO_TR_##tr | SUO_OP_##op] = { .flags = (f), .len = LEN(f) }
/* Both kinds of connection have it. */
#define OP2(op, f)	OP(RC, op, f), OP(UC, op, f)

const struct suo_op_info suo_op_info[256] = {
	OP2(SEND_FIRST,		IS_SEND | SUO_F_START),
	OP2(SEND_MIDDLE,	IS_SEND),
	OP2(SEND_LAST,		IS_SEND | SUO_F_END),
	OP2(SEND_LAST_IMM,	IS_SEND | SUO_F_END | SUO_F_IMM),
	OP2(SEND_ONLY,		IS_SEND | IS_ONLY),
	OP2(SEND_ONLY_IMM,	IS_SEND | IS_ONLY | SUO_F_IMM),
	OP2(WRITE_FIRST,	IS_WRITE | SUO_F_START | SUO_F_RETH),
	OP2(WRITE_MIDDLE,	IS_WRITE),
	OP2(WRITE_LAST,		IS_WRITE | SUO_F_END),
	OP2(WRITE_LAST_IMM,	IS_WRITE | SUO_F_END | SUO_F_IMM),
	OP2(WRITE_ONLY,		IS_WRITE | IS_ONLY | SUO_F_RETH),
	OP2(WRITE_ONLY_IMM,	IS_WRITE | IS_ONLY | SUO_F_RETH | SUO_F_IMM),
	OP(RC, READ_REQ,	SUO_F_VALID | SUO_F_READ_REQ | IS_ONLY |
				SUO_F_RETH),
	OP(RC, READ_RESP_FIRST,	IS_RESP | SUO_F_START | SUO_F_AETH),
	OP(RC, READ_RESP_MIDDLE, IS_RESP),
	OP(RC, READ_RESP_LAST,	IS_RESP | SUO_F_END | SUO_F_AETH),
	OP(RC, READ_RESP_ONLY,	IS_RESP | IS_ONLY | SUO_F_AETH),
	OP(RC, ACK,		SUO_F_VALID | SUO_F_ACK | IS_ONLY | SUO_F_AETH),
	OP(RC, ATOMIC_ACK,	SUO_F_VALID | SUO_F_ATOMIC_ACK | IS_ONLY |
				SUO_F_AETH),
	OP(RC, CMP_SWAP,	SUO_F_VALID | SUO_F_ATOMIC | IS_ONLY),
	OP(RC, FETCH_ADD,	SUO_F_VALID | SUO_F_ATOMIC | IS_ONLY),
	OP(RC, SEND_LAST_INV,	IS_SEND | SUO_F_END | SUO_F_INV),
	OP(RC, SEND_ONLY_INV,	IS_SEND | IS_ONLY | SUO_F_INV),
	OP(UD, SEND_ONLY,	IS_SEND | IS_ONLY | SUO_F_DETH),
	OP(UD, SEND_ONLY_IMM,	IS_SEND | IS_ONLY | SUO_F_IMM | SUO_F_DETH),
	[SUO_OP_CNP] = { .flags = SUO_F_VALID | SUO_F_CNP,
			 .len = LEN(SUO_F_CNP) },
};

static void put16(u8 *p, u32 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static void put24(u8 *p, u32 v)
{
	p[0] = v >> 16;
	put16(p + 1, v);
}

static void put32(u8 *p, u32 v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static void put64(u8 *p, u64 v)
{
	put32(p, v >> 32);
	put32(p + 4, v);
}

static u32 get16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static u32 get24(const u8 *p)
{
	return (u32)p[0] << 16 | get16(p + 1);
}

static u32 get32(const u8 *p)
{
	return get16(p) << 16 | get16(p + 2);
}

static u64 get64(const u8 *p)
{
	return (u64)get32(p) << 32 | get32(p + 4);
}

unsigned int suo_hdr_put(u8 *buf, const struct suo_hdr *hdr)
{
	u32 f = suo_op_flags(hdr->opcode);
	u8 *p = buf;

	/* MigReq is set as hardware sets it: the path is the migrated one. Annex
	 * A17.9.3 wants it 0 in a CNP.
	 */
	p[0] = hdr->opcode;
	p[1] = (hdr->se ? 0x80 : 0) | (f & SUO_F_CNP ? 0 : 0x40) |
	       (hdr->pad & 3) << 4;
	put16(p + 2, hdr->pkey);
	p[4] = (hdr->fecn ? 0x80 : 0) | (hdr->becn ? 0x40 : 0);
	put24(p + 5, hdr->qpn);
	p[8] = hdr->ackreq ? 0x80 : 0;
	put24(p + 9, hdr->psn);
	p += SUO_BTH_LEN;
	if (f & SUO_F_DETH) {
		put32(p, hdr->qkey);
		put32(p + 4, hdr->src_qpn & SUO_QPN_MASK);
		p += SUO_DETH_LEN;
	}
	if (f & SUO_F_RETH) {
		put64(p, hdr->va);
		put32(p + 8, hdr->rkey);
		put32(p + 12, hdr->dlen);
		p += SUO_RETH_LEN;
	}
	if (f & SUO_F_AETH) {
		put32(p, (u32)hdr->syndrome << 24 | (hdr->msn & 0xffffff));
		p += SUO_AETH_LEN;
	}
	if (f & SUO_F_IMM) {
		memcpy(p, &hdr->imm, SUO_IMM_LEN);
		p += SUO_IMM_LEN;
	}
	if (f & SUO_F_INV) {
		put32(p, hdr->rkey);
		p += SUO_IETH_LEN;
	}
	if (f & SUO_F_ATOMIC) {
		put64(p, hdr->va);
		put32(p + 8, hdr->rkey);
		put64(p + 12, hdr->swap_add);
		put64(p + 20, hdr->compare);
		p += SUO_ATOMICETH_LEN;
	}
	if (f & SUO_F_ATOMIC_ACK) {
		put64(p, hdr->orig);
		p += SUO_ATOMICACKETH_LEN;
	}
	if (f & SUO_F_CNP) {
		memset(p, 0, SUO_CNP_LEN);
		p += SUO_CNP_LEN;
	}
	return p - buf;
}

unsigned int suo_hdr_get(struct suo_hdr *hdr, const u8 *buf, unsigned int len)
{
	const u8 *p = buf;
	unsigned int need;
	u32 f;

	if (len < SUO_BTH_LEN)
		return 0;
	need = suo_hdr_len(p[0]);
	/* The low nibble of byte 1 is the header version: 0 is all there is. */
	if (!need || len < need || (p[1] & 0x0f))
		return 0;
	f = suo_op_flags(p[0]);
	memset(hdr, 0, sizeof(*hdr));
	hdr->opcode = p[0];
	hdr->se = p[1] & 0x80;
	hdr->pad = p[1] >> 4 & 3;
	hdr->pkey = get16(p + 2);
	hdr->fecn = p[4] & 0x80;
	hdr->becn = p[4] & 0x40;
	hdr->qpn = get24(p + 5);
	hdr->ackreq = p[8] & 0x80;
	hdr->psn = get24(p + 9);
	p += SUO_BTH_LEN;
	if (f & SUO_F_DETH) {
		hdr->qkey = get32(p);
		hdr->src_qpn = get24(p + 5);
		p += SUO_DETH_LEN;
	}
	if (f & SUO_F_RETH) {
		hdr->va = get64(p);
		hdr->rkey = get32(p + 8);
		hdr->dlen = get32(p + 12);
		p += SUO_RETH_LEN;
	}
	if (f & SUO_F_AETH) {
		hdr->syndrome = p[0];
		hdr->msn = get24(p + 1);
		p += SUO_AETH_LEN;
	}
	if (f & SUO_F_IMM) {
		memcpy(&hdr->imm, p, SUO_IMM_LEN);
		p += SUO_IMM_LEN;
	}
	if (f & SUO_F_INV)
		hdr->rkey = get32(p);
	if (f & SUO_F_ATOMIC) {
		hdr->va = get64(p);
		hdr->rkey = get32(p + 8);
		hdr->swap_add = get64(p + 12);
		hdr->compare = get64(p + 20);
	}
	if (f & SUO_F_ATOMIC_ACK)
		hdr->orig = get64(p);
	return need;
}
