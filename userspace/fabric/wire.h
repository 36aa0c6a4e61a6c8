/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the provider puts on the wire, in network order: the header of every
 * message over RC, and the handshake datagram over UD.
 */
#ifndef SUO_FI_WIRE_H
#define SUO_FI_WIRE_H

#include <stdint.h>

#include "addr.h"

#define SUO_WIRE_VERSION	2
#define SUO_WIRE_MAGIC		0x53554f31u	/* "SUO1" */
#define SUO_IOV_MAX		4

enum suo_wire_op {
	SUO_OP_EAGER	= 1,	/* the payload follows */
	SUO_OP_RTS	= 2,	/* nseg segments to read follow */
	SUO_OP_FIN	= 3,	/* the receiver has read what id names */
	SUO_OP_AMO	= 4,	/* struct suo_amo_hdr and operands follow */
	SUO_OP_ANSWER	= 5,	/* data: error number; the atomic's result follows */
	/*
	 * Collectives, see coll.h. tag: the group; data: the sending member; id: the
	 * operation's number, and below it the message's among those of the two.
	 */
	SUO_OP_COLL_DATA	= 16,	/* the payload follows */
	SUO_OP_COLL_READY	= 17,	/* a struct suo_seg follows: write there */
	SUO_OP_COLL_DONE	= 18,	/* it has been written */
	SUO_OP_COLL_ABORT	= 19,	/* the group cannot go on */
};

enum suo_wire_flags {
	SUO_WF_TAGGED	= 1 << 0,
	SUO_WF_DATA	= 1 << 1,	/* data is valid */
};

/**
 * struct suo_hdr - head of each message over RC
 * @version: SUO_WIRE_VERSION
 * @op: enum suo_wire_op
 * @flags: enum suo_wire_flags
 * @nseg: RTS: entries of the segment list, at most SUO_IOV_MAX
 * @data: remote CQ data; ANSWER: an error number, 0 for success
 * @tag: tag of a tagged message
 * @len: bytes of the whole message
 * @id: RTS, AMO: the sender's name for it; FIN, ANSWER: that name
 */
struct suo_hdr {
	uint8_t		version;
	uint8_t		op;
	uint8_t		flags;
	uint8_t		nseg;
	uint32_t	data;
	uint64_t	tag;
	uint64_t	len;
	uint64_t	id;
};

struct suo_seg {
	uint64_t	addr;
	uint64_t	len;
	uint32_t	rkey;
	uint32_t	reserved;
};

/**
 * struct suo_amo_hdr - an atomic operation that the target's processor does
 * @addr: of the first element at the target
 * @rkey: of the registration there
 * @count: elements
 * @kind: enum suo_amo_kind
 * @type: enum fi_datatype
 * @op: enum fi_op
 * @reserved: 0
 *
 * @count operands follow, but for FI_ATOMIC_READ, and then, if the operation
 * compares, @count elements to compare with, in the byte order of the sender.
 */
struct suo_amo_hdr {
	uint64_t	addr;
	uint32_t	rkey;
	uint32_t	count;
	uint8_t		kind;
	uint8_t		type;
	uint8_t		op;
	uint8_t		reserved[5];
};

#define SUO_HDR_MAX	(sizeof(struct suo_hdr) + SUO_IOV_MAX * sizeof(struct suo_seg))

/**
 * struct suo_hs_msg - the handshake datagram
 * @magic: SUO_WIRE_MAGIC
 * @type: enum suo_hs_type
 * @version: SUO_WIRE_VERSION
 * @mtu: enum ibv_mtu of the sender's port; the smaller one holds
 * @rd_atomic: RDMA reads that the sender's queue pair can serve at a time
 * @src: address of the sending endpoint
 * @gen: generation of the sender's queue pair
 * @peer_gen: generation of the receiver's, as far as known; else 0
 * @qpn: the sender's RC queue pair
 * @psn: its first packet sequence number
 */
struct suo_hs_msg {
	uint32_t	magic;
	uint8_t		type;
	uint8_t		version;
	uint8_t		mtu;
	uint8_t		rd_atomic;
	struct suo_addr	src;
	uint32_t	gen;
	uint32_t	peer_gen;
	uint32_t	qpn;
	uint32_t	psn;
};

_Static_assert(sizeof(struct suo_hdr) == 32, "wire format");
_Static_assert(sizeof(struct suo_seg) == 24, "wire format");
_Static_assert(sizeof(struct suo_amo_hdr) == 24, "wire format");
_Static_assert(sizeof(struct suo_hs_msg) == 48, "wire format");

#endif /* SUO_FI_WIRE_H */
