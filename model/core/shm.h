/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that the VMs of a domain share: what stands where, and the checks
 * of what is read from it. Documentation/design/ivshmem.rst tells how it is used.
 *
 *	header		what the layout is; all of it follows from the size
 *	slots		one a VM: who has it, its heartbeat, its members
 *	ring controls	one for each ordered pair of VMs
 *	rings		the data of each
 *
 * Numbers are in the order of the processor; a VM that has another does not find
 * the magic. Everything in here may be written by anybody at any time.
 */
#ifndef SUO_CORE_SHM_H
#define SUO_CORE_SHM_H

#include "wire.h"

#define SUO_SHM_MAGIC		0x0a4d48536f7573f7ull
#define SUO_SHM_VERSION		1
#define SUO_SHM_SLOTS		8	/* VMs */
#define SUO_SHM_MANY_SLOTS	16	/* the same if there is much memory: */
#define SUO_SHM_MANY_BYTES	(128ull << 20)
#define SUO_SHM_MEMBERS		64	/* members that a VM can have */
#define SUO_SHM_GIDS		16	/* GIDs of a member that others can see */
#define SUO_SHM_NAME_LEN	64
#define SUO_SHM_PAGE		4096
/* A record begins at a multiple of this, so that its head is never cut. */
#define SUO_SHM_ALIGN		64
#define SUO_SHM_MIN_RING	(64u << 10)
#define SUO_SHM_MAX_RING	(4u << 20)
/* Payload of a packet */
#define SUO_SHM_MAX_PAYLOAD	16384
/* Where a session begins: so that indices do not wrap after 4 GiB for the first time,
 * where nobody looks, but after 1 MiB.
 */
#define SUO_SHM_BEGIN		(0u - (1u << 20))

/**
 * struct suo_shm_header - at the start of the memory
 * @magic: SUO_SHM_MAGIC; written last
 * @version: SUO_SHM_VERSION
 * @slots: number of slots
 * @members: entries in a slot
 * @gids: GIDs in an entry
 * @size: bytes of the whole memory
 * @slot_bytes: from one slot to the next
 * @ring_bytes: of one ring, a power of two
 * @slot_off: where the slots begin
 * @ctl_off: where the rings' controls begin
 * @ring_off: where the rings begin
 */
struct suo_shm_header {
	u64	magic;
	u32	version;
	u32	slots;
	u32	members;
	u32	gids;
	u64	size;
	u32	slot_bytes;
	u32	ring_bytes;
	u64	slot_off;
	u64	ctl_off;
	u64	ring_off;
};

/**
 * struct suo_shm_about - a member, as its VM tells the others
 * @id: 0: no member; another one each time that one joins
 * @time_scale: of its VM
 * @ngids: entries of @gid
 * @name: of the device
 * @gid: its RoCE v2 GIDs
 */
struct suo_shm_about {
	u32	id;
	u32	time_scale;
	u32	ngids;
	char	name[SUO_SHM_NAME_LEN];
	u8	gid[SUO_SHM_GIDS][16];
};

/**
 * struct suo_shm_entry - room for a member in a slot
 * @seq: odd while the rest is being written
 * @about: the member
 */
struct suo_shm_entry {
	u32			seq;
	struct suo_shm_about	about;
	u8			pad[176];
};

/**
 * struct suo_shm_slot - a VM; written by the one that has it
 * @owner: drawn when it is taken; 0: nobody's
 * @beat: another number at each heartbeat
 * @entry: its members
 */
struct suo_shm_slot {
	u64			owner;
	u64			beat;
	u8			pad[48];
	struct suo_shm_entry	entry[SUO_SHM_MEMBERS];
};

/**
 * struct suo_shm_ctl - the control of a ring
 * @session: of the sender: drawn anew when it begins; 0: it does not send
 * @to: of the sender: owner of the slot that it sends to
 * @prod: of the sender: end of what it has written, in bytes from SUO_SHM_BEGIN on
 * @ack: of the receiver: the session that it receives
 * @cons: of the receiver: end of what it has taken
 */
struct suo_shm_ctl {
	u64	session;
	u64	to;
	u32	prod;
	u8	pad0[44];
	u64	ack;
	u32	cons;
	u8	pad1[52];
};

/* Bit errors have hit it: it arrives, but not whole. */
#define SUO_SHM_LOST	1

enum suo_shm_kind {
	SUO_SHM_PACKET	= 1,
	SUO_SHM_SKIP	= 2,	/* nothing, up to the end of the ring */
};

/**
 * struct suo_shm_rec - what precedes a packet in a ring
 * @bytes: of the ring that this record takes
 * @kind: enum suo_shm_kind
 * @len: of the packet that follows, from the BTH to the padding
 * @src_qpn: its sender
 * @src: the sender's entry in its slot
 * @dst: the receiver's
 * @flags: SUO_SHM_LOST
 * @left_ps: when its last bit left, by the sender's modelled time
 */
struct suo_shm_rec {
	u32	bytes;
	u32	kind;
	u32	len;
	u32	src_qpn;
	u16	src;
	u16	dst;
	u32	flags;
	u64	left_ps;
};

/* What a record takes of a ring at most, and its head: all but the payload. */
#define SUO_SHM_HEAD_LEN	(sizeof(struct suo_shm_rec) + SUO_MAX_HDR_LEN)
#define SUO_SHM_MAX_REC							\
	((SUO_SHM_HEAD_LEN + SUO_SHM_MAX_PAYLOAD + SUO_SHM_ALIGN - 1) &	\
	 ~(SUO_SHM_ALIGN - 1u))

/* Bytes of a ring that a packet of len bytes takes. */
static inline u32 suo_shm_rec_bytes(u32 len)
{
	return (sizeof(struct suo_shm_rec) + len + SUO_SHM_ALIGN - 1) &
	       ~(SUO_SHM_ALIGN - 1u);
}

/* Which of the rings leads from one slot to another. */
static inline u32 suo_shm_ring(const struct suo_shm_header *h, u32 from, u32 to)
{
	return from * (h->slots - 1) + (to < from ? to : to - 1);
}

/**
 * suo_shm_layout() - what the header of a memory is
 * @h: the result
 * @size: bytes of memory
 *
 * Return: false if it is too small.
 */
bool suo_shm_layout(struct suo_shm_header *h, u64 size);

enum suo_shm_state {
	SUO_SHM_READY,		/* as we would have it */
	SUO_SHM_EMPTY,		/* zeroes, or ours in the making */
	SUO_SHM_VERSIONS,	/* ours, of another version or another layout */
	SUO_SHM_FOREIGN,	/* somebody else's */
};

/**
 * suo_shm_header_check() - is a memory ours?
 * @want: from suo_shm_layout()
 * @found: copy of what stands there
 *
 * Return: see enum suo_shm_state.
 */
enum suo_shm_state suo_shm_header_check(const struct suo_shm_header *want,
					const struct suo_shm_header *found);

/**
 * suo_shm_rec_check() - may a record be what it says?
 * @rec: copy of the record
 * @avail: bytes from its start to the end of what the sender has written
 * @to_end: bytes from its start to the end of the ring
 *
 * Return: it lies where it can lie, its packet fits into it, and its members
 * can exist.
 */
bool suo_shm_rec_check(const struct suo_shm_rec *rec, u32 avail, u32 to_end);

enum suo_shm_packet {
	SUO_SHM_GOOD,
	SUO_SHM_BAD_HEADER,
	SUO_SHM_BAD_LENGTH,
	SUO_SHM_BAD_PKEY,
};

/**
 * suo_shm_parse() - take a packet apart
 * @buf: copy of the packet's first bytes: all, or SUO_MAX_HDR_LEN of them
 * @len: bytes of the whole packet, from the BTH to the padding
 * @hdr: result: its headers
 * @pay_off: result: where its payload begins
 * @pay_len: result: bytes of payload
 *
 * Return: what is wrong with it.
 */
enum suo_shm_packet suo_shm_parse(const u8 *buf, u32 len, struct suo_hdr *hdr,
				  u32 *pay_off, u32 *pay_len);

#endif /* SUO_CORE_SHM_H */
