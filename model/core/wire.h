/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The InfiniBand transport headers as they stand in a RoCEv2 datagram (IBA
 * volume 1, chapter 9; annex A17). One parsed form, struct suo_hdr, serves the
 * wire and the scale-up path.
 */
#ifndef SUO_CORE_WIRE_H
#define SUO_CORE_WIRE_H

#include "types.h"

#define SUO_ROCE_PORT		4791
#define SUO_BTH_LEN		12
#define SUO_DETH_LEN		8
#define SUO_RETH_LEN		16
#define SUO_AETH_LEN		4
#define SUO_IMM_LEN		4
#define SUO_IETH_LEN		4
#define SUO_ATOMICETH_LEN	28
#define SUO_ATOMICACKETH_LEN	8
#define SUO_CNP_LEN		16	/* reserved, all zero */
#define SUO_ICRC_LEN		4
#define SUO_MAX_HDR_LEN		(SUO_BTH_LEN + SUO_ATOMICETH_LEN)
#define SUO_QPN_MASK		0xffffffu
#define SUO_DEFAULT_PKEY	0xffff

/* What a frame takes of the line beyond its IP length: preamble 8, Ethernet
 * header 14, FCS 4, inter-packet gap 12.
 */
#define SUO_ETH_OVERHEAD	38

/* Transport, the upper three bits of the opcode. */
enum suo_transport {
	SUO_TR_RC	= 0x00,
	SUO_TR_UC	= 0x20,
	SUO_TR_UD	= 0x60,
	SUO_TR_CNP	= 0x80,
	SUO_TR_MASK	= 0xe0,
};

/* Operation, the lower five bits. */
enum suo_op {
	SUO_OP_SEND_FIRST		= 0x00,
	SUO_OP_SEND_MIDDLE		= 0x01,
	SUO_OP_SEND_LAST		= 0x02,
	SUO_OP_SEND_LAST_IMM		= 0x03,
	SUO_OP_SEND_ONLY		= 0x04,
	SUO_OP_SEND_ONLY_IMM		= 0x05,
	SUO_OP_WRITE_FIRST		= 0x06,
	SUO_OP_WRITE_MIDDLE		= 0x07,
	SUO_OP_WRITE_LAST		= 0x08,
	SUO_OP_WRITE_LAST_IMM		= 0x09,
	SUO_OP_WRITE_ONLY		= 0x0a,
	SUO_OP_WRITE_ONLY_IMM		= 0x0b,
	SUO_OP_READ_REQ			= 0x0c,
	SUO_OP_READ_RESP_FIRST		= 0x0d,
	SUO_OP_READ_RESP_MIDDLE		= 0x0e,
	SUO_OP_READ_RESP_LAST		= 0x0f,
	SUO_OP_READ_RESP_ONLY		= 0x10,
	SUO_OP_ACK			= 0x11,
	SUO_OP_ATOMIC_ACK		= 0x12,
	SUO_OP_CMP_SWAP			= 0x13,
	SUO_OP_FETCH_ADD		= 0x14,
	SUO_OP_SEND_LAST_INV		= 0x16,
	SUO_OP_SEND_ONLY_INV		= 0x17,
	SUO_OP_MASK			= 0x1f,
};

/* Congestion notification packet, annex A17.9.3. Its transport has no other. */
#define SUO_OP_CNP		(SUO_TR_CNP | 0x01)

/* What an operation is, from suo_op_flags(). */
enum suo_op_flags {
	SUO_F_VALID	= 1 << 0,
	SUO_F_SEND	= 1 << 1,
	SUO_F_WRITE	= 1 << 2,
	SUO_F_READ_REQ	= 1 << 3,
	SUO_F_READ_RESP	= 1 << 4,
	SUO_F_ACK	= 1 << 5,
	SUO_F_START	= 1 << 6,	/* first or only packet of a message */
	SUO_F_END	= 1 << 7,	/* last or only packet */
	SUO_F_PAYLOAD	= 1 << 8,
	SUO_F_RETH	= 1 << 9,
	SUO_F_AETH	= 1 << 10,
	SUO_F_IMM	= 1 << 11,
	SUO_F_DETH	= 1 << 12,
	SUO_F_ATOMIC	= 1 << 13,	/* request */
	SUO_F_ATOMIC_ACK = 1 << 14,
	SUO_F_INV	= 1 << 15,	/* IETH: invalidate a key */
	SUO_F_CNP	= 1 << 16,
	SUO_F_REQUEST	= SUO_F_SEND | SUO_F_WRITE | SUO_F_READ_REQ |
			  SUO_F_ATOMIC,
	SUO_F_RESPONSE	= SUO_F_READ_RESP | SUO_F_ACK | SUO_F_ATOMIC_ACK,
};

/* AETH syndromes, table 46 of IBA 1.4. */
enum suo_syndrome {
	SUO_SYN_ACK		= 0x1f,	/* no credit count */
	SUO_SYN_RNR_NAK		= 0x20,
	SUO_SYN_NAK_PSN_SEQ	= 0x60,
	SUO_SYN_NAK_INV_REQ	= 0x61,
	SUO_SYN_NAK_REM_ACC	= 0x62,
	SUO_SYN_NAK_REM_OP	= 0x63,
	SUO_SYN_KIND		= 0xe0,
	SUO_SYN_VALUE		= 0x1f,
};

/**
 * struct suo_hdr - the transport headers of one packet, in host order
 * @opcode: BTH opcode, transport and operation
 * @pad: bytes that pad the payload to a multiple of 4
 * @se: solicited event
 * @ackreq: acknowledge request
 * @fecn: forward congestion mark: unused
 * @becn: set in a CNP
 * @pkey: partition key
 * @qpn: destination queue pair
 * @psn: packet sequence number
 * @va: RETH, AtomicETH: virtual address
 * @rkey: RETH, AtomicETH: remote key; IETH: key to invalidate
 * @dlen: RETH: bytes of the whole operation
 * @syndrome: AETH
 * @msn: AETH: message sequence number
 * @imm: immediate data, as it stands on the wire
 * @qkey: DETH
 * @src_qpn: DETH
 * @swap_add: AtomicETH: value to swap in or to add
 * @compare: AtomicETH: value to compare with
 * @orig: AtomicAckETH: what stood there before
 */
struct suo_hdr {
	u8	opcode;
	u8	pad;
	bool	se;
	bool	ackreq;
	bool	fecn;
	bool	becn;
	u16	pkey;
	u32	qpn;
	u32	psn;
	u64	va;
	u32	rkey;
	u32	dlen;
	u8	syndrome;
	u32	msn;
	__be32	imm;
	u32	qkey;
	u32	src_qpn;
	u64	swap_add;
	u64	compare;
	u64	orig;
};

/**
 * struct suo_op_info - an opcode
 * @flags: SUO_F_* bits; 0 for one that suo does not speak
 * @len: bytes of its transport headers, BTH included; 0 likewise
 */
struct suo_op_info {
	u32	flags;
	u32	len;
};

extern const struct suo_op_info suo_op_info[256];

/* What a BTH opcode means: SUO_F_* bits; 0 if suo does not speak it. */
static inline u32 suo_op_flags(u8 opcode)
{
	return suo_op_info[opcode].flags;
}

/* Bytes of the transport headers of a BTH opcode; 0 if it is unknown. */
static inline unsigned int suo_hdr_len(u8 opcode)
{
	return suo_op_info[opcode].len;
}

/**
 * suo_hdr_put() - write the transport headers
 * @buf: room for suo_hdr_len(hdr->opcode) bytes
 * @hdr: the headers; the opcode must be known
 *
 * Return: bytes written.
 */
unsigned int suo_hdr_put(u8 *buf, const struct suo_hdr *hdr);

/**
 * suo_hdr_get() - parse the transport headers
 * @hdr: result
 * @buf: the datagram from the BTH on
 * @len: bytes in @buf
 *
 * Return: bytes of header; 0 if the opcode or header version is unknown or the
 * buffer is too short.
 */
unsigned int suo_hdr_get(struct suo_hdr *hdr, const u8 *buf, unsigned int len);

#endif /* SUO_CORE_WIRE_H */
