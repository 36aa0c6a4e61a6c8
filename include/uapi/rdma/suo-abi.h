/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * The contract between suo.ko and the suo provider of rdma-core.
 *
 * Append only: a field is never moved, resized or given a second meaning, and
 * SUO_ABI_VERSION never changes. A structure grows at its end; whoever reads
 * it treats what the other side did not send as zero.
 *
 * Every ring is one mmap of struct suo_ring_hdr followed by `entries` slots of
 * `stride` bytes. Indices run freely through 32 bits; the slot of index i is
 * i & (entries - 1), entries being a power of two. Whoever advances an index
 * stores it with release semantics after the slot is written (producer) or
 * read (consumer). The kernel keeps its own copy of the index that it
 * advances, so the copy in the ring is an announcement, never an input.
 */
#ifndef _UAPI_RDMA_SUO_ABI_H
#define _UAPI_RDMA_SUO_ABI_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define SUO_ABI_VERSION		1

/* Our own driver id: "SUO". RDMA_DRIVER_UNKNOWN would be a wildcard. */
#define SUO_DRIVER_ID		0x53554f

/**
 * struct suo_ring_hdr - head of every shared ring
 * @prod: index of the next slot to fill; written by the producer
 *	(the process for send and receive rings, the kernel for a CQ)
 * @cons: index of the next slot to free; written by the consumer. A send
 *	slot is free again when its work request has completed, a receive slot
 *	when the kernel has copied it.
 * @arm: CQ: one of SUO_ARM_*. The process stores it, then issues a full
 *	barrier, then polls once more; the kernel clears it when it raises the
 *	event. Receive ring of a queue pair: the kernel stores SUO_ARM_NEXT
 *	when the queue pair has failed, then issues a full barrier, then looks
 *	once more; a process that has stored @prod issues a full barrier and
 *	rings the doorbell if @arm is set. A reset clears it. Send ring: the
 *	kernel stores SUO_ARM_QUIET while it looks at @prod by itself every
 *	few microseconds, and takes it back, then issues a full barrier, then
 *	looks once more; a process that has stored @prod, issued a full
 *	barrier and sees it need not ring.
 * @hint: send ring: the process stores SUO_HINT_ROW before it rings if it posts
 *	small requests and has looked for no completion since it rang before;
 *	else SUO_HINT_NONE. The kernel takes that for a reason to store
 *	SUO_ARM_QUIET.
 */
struct suo_ring_hdr {
	__u32	prod;
	__u32	pad0[15];
	__u32	cons;
	__u32	pad1[15];
	__u32	arm;
	__u32	hint;
	__u32	pad2[14];
};

enum suo_arm {
	SUO_ARM_NONE		= 0,
	SUO_ARM_NEXT		= 1,
	SUO_ARM_SOLICITED	= 2,
	SUO_ARM_QUIET		= 3,
};

enum suo_hint {
	SUO_HINT_NONE		= 0,
	SUO_HINT_ROW		= 1,
};

/**
 * struct suo_sge - one piece of memory
 * @addr: address in the region's own address space (iova)
 * @length: bytes
 * @lkey: local key of the region
 */
struct suo_sge {
	__aligned_u64	addr;
	__u32		length;
	__u32		lkey;
};

/**
 * struct suo_sq_wqe - one send work request; sge[], inline data or, for BIND_MW,
 *	struct suo_bind follows
 * @wr_id: returned in the completion
 * @opcode: enum ib_uverbs_wr_opcode
 * @num_sge: entries of sge[]; 0 with SUO_SEND_INLINE
 * @flags: SUO_SEND_*
 * @inline_len: bytes of data after the header, with SUO_SEND_INLINE
 * @imm_data: immediate data in wire order (or the rkey to invalidate, in host
 *	order, with SEND_WITH_INV)
 * @rkey: remote key for RDMA and atomics
 * @remote_addr: remote address for RDMA and atomics
 * @compare_add: atomics
 * @swap: atomics
 * @ah_id: UD: suo_create_ah_resp.ah_id
 * @remote_qpn: UD
 * @remote_qkey: UD
 * @reserved: zero
 */
struct suo_sq_wqe {
	__aligned_u64	wr_id;
	__u8		opcode;
	__u8		num_sge;
	__u16		flags;
	__u32		inline_len;
	__u32		imm_data;
	__u32		rkey;
	__aligned_u64	remote_addr;
	__aligned_u64	compare_add;
	__aligned_u64	swap;
	__u32		ah_id;
	__u32		remote_qpn;
	__u32		remote_qkey;
	__u32		reserved;
	struct suo_sge	sge[];
};

/**
 * struct suo_bind - what BIND_MW binds; follows struct suo_sq_wqe
 * @addr: first byte of the window, in the region's own address space
 * @length: bytes; 0 unbinds a window of type 1
 * @lkey: local key of the region; ignored if @length is 0
 * @mw_rkey: remote key of the window; its lower eight bits are ignored
 * @rkey: the window's new remote key: @mw_rkey but for the lower eight bits
 * @access: enum ib_uverbs_access_flags
 *
 * Every send slot has room for it.
 */
struct suo_bind {
	__aligned_u64	addr;
	__aligned_u64	length;
	__u32		lkey;
	__u32		mw_rkey;
	__u32		rkey;
	__u32		access;
};

enum suo_send_flags {
	SUO_SEND_FENCE		= 1 << 0,
	SUO_SEND_SIGNALED	= 1 << 1,
	SUO_SEND_SOLICITED	= 1 << 2,
	SUO_SEND_INLINE		= 1 << 3,
};

/**
 * struct suo_rq_wqe - one receive work request
 * @wr_id: returned in the completion
 * @num_sge: entries of sge[]
 * @reserved: zero
 */
struct suo_rq_wqe {
	__aligned_u64	wr_id;
	__u32		num_sge;
	__u32		reserved;
	struct suo_sge	sge[];
};

/**
 * struct suo_cqe - one completion
 * @wr_id: from the work request
 * @status: enum ibv_wc_status
 * @opcode: enum ibv_wc_opcode; undefined unless status is success
 * @byte_len: bytes received or read
 * @vendor_err: 0, or the AETH syndrome that ended the request
 * @imm_data: immediate data in wire order, or the invalidated rkey in host
 *	order with SUO_WC_WITH_INV
 * @qpn: the local queue pair
 * @src_qp: UD: the sender's queue pair
 * @wc_flags: SUO_WC_*, the values of enum ibv_wc_flags
 * @pkey_index: always 0
 * @sl: UD: SUO_WC_SL_*, since verbs have no other place for what annex A17.4.5.1
 *	wants to be told; otherwise 0
 * @port_num: always 1
 * @smac: UD: sender's MAC address, if known
 * @vlan_id: UD: 0xffff if none
 */
struct suo_cqe {
	__aligned_u64	wr_id;
	__u32		status;
	__u32		opcode;
	__u32		byte_len;
	__u32		vendor_err;
	__u32		imm_data;
	__u32		qpn;
	__u32		src_qp;
	__u32		wc_flags;
	__u16		pkey_index;
	__u8		sl;
	__u8		port_num;
	__u8		smac[6];
	__u16		vlan_id;
	__u32		reserved[2];
};

enum suo_wc_flags {
	SUO_WC_GRH	= 1 << 0,
	SUO_WC_WITH_IMM	= 1 << 1,
	SUO_WC_WITH_INV	= 1 << 3,
};

/* Which kind of packet a datagram came in. RoCE has no service level to report;
 * the values are those of mlx5, which UCX reads.
 */
enum suo_wc_sl {
	SUO_WC_SL_IPV6	= 0x9,
	SUO_WC_SL_IPV4	= 0xa,
};

/**
 * struct suo_alloc_ucontext_resp - answer to alloc_context
 * @comp_mask: zero so far
 * @max_inline: largest inline payload a queue pair can have, bytes
 * @max_sge: largest number of scatter/gather entries
 * @reserved: zero
 */
struct suo_alloc_ucontext_resp {
	__aligned_u64	comp_mask;
	__u32		max_inline;
	__u32		max_sge;
	__u32		reserved[2];
};

/**
 * struct suo_ring_info - where and how large a ring is
 * @mmap_offset: for mmap() on the context's command descriptor
 * @mmap_size: bytes, a multiple of the page size; 0: there is no such ring
 * @entries: slots, a power of two
 * @stride: bytes a slot
 */
struct suo_ring_info {
	__aligned_u64	mmap_offset;
	__aligned_u64	mmap_size;
	__u32		entries;
	__u32		stride;
};

struct suo_create_cq_resp {
	struct suo_ring_info	cq;
};

/**
 * struct suo_resize_cq_resp - answer to resize_cq
 * @cq: the new ring. Indices go on, entries that were not consumed and what
 *	was armed are in it; the kernel no longer looks at the old ring.
 */
struct suo_resize_cq_resp {
	struct suo_ring_info	cq;
};

struct suo_create_srq_resp {
	struct suo_ring_info	rq;
	__u32			srqn;
	__u32			reserved;
};

/**
 * struct suo_create_qp_resp - answer to create_qp
 * @sq: the send ring
 * @rq: the receive ring; mmap_size 0 when the queue pair uses an SRQ
 */
struct suo_create_qp_resp {
	struct suo_ring_info	sq;
	struct suo_ring_info	rq;
};

struct suo_create_ah_resp {
	__u32	ah_id;
	__u32	reserved;
};

/*
 * Windows: commands by ioctl (RDMA_VERBS_IOCTL), whose objects, methods and
 * attributes have these numbers. A number is never given another meaning. What
 * each does is told in Documentation/design/windows.rst and suo_window(3).
 */
enum suo_objects {
	SUO_OBJECT_WINDOW	= 1 << UVERBS_ID_NS_SHIFT,
	SUO_OBJECT_EXPORT,
	SUO_OBJECT_IMPORT,
};

enum suo_window_methods {
	SUO_METHOD_WINDOW_CREATE	= 1 << UVERBS_ID_NS_SHIFT,
	SUO_METHOD_WINDOW_JOIN,
	SUO_METHOD_WINDOW_BIND,
	SUO_METHOD_WINDOW_UNBIND,
	SUO_METHOD_WINDOW_QUERY,
	SUO_METHOD_WINDOW_DESTROY,
};

enum suo_export_methods {
	SUO_METHOD_EXPORT_CREATE	= 1 << UVERBS_ID_NS_SHIFT,
	SUO_METHOD_EXPORT_DESTROY,
};

enum suo_import_methods {
	SUO_METHOD_IMPORT_CREATE	= 1 << UVERBS_ID_NS_SHIFT,
	SUO_METHOD_IMPORT_DESTROY,
};

/* Of all these methods. HANDLE: the object; ATTR: what is asked for; TOKEN: struct
 * suo_token; MR: a region's handle; RESP: the answer.
 */
enum suo_window_attrs {
	SUO_ATTR_HANDLE	= 1 << UVERBS_ID_NS_SHIFT,
	SUO_ATTR_ATTR,
	SUO_ATTR_TOKEN,
	SUO_ATTR_MR,
	SUO_ATTR_RESP,
};

enum suo_window_op {
	SUO_WINDOW_SUM	= 0,
	SUO_WINDOW_MIN	= 1,
	SUO_WINDOW_MAX	= 2,
};

enum suo_window_type {
	SUO_WINDOW_INT32	= 0,
	SUO_WINDOW_UINT32	= 1,
	SUO_WINDOW_INT64	= 2,
	SUO_WINDOW_UINT64	= 3,
	SUO_WINDOW_FLOAT16	= 4,
	SUO_WINDOW_BFLOAT16	= 5,
	SUO_WINDOW_FLOAT32	= 6,
	SUO_WINDOW_FLOAT64	= 7,
};

/**
 * struct suo_token - whoever knows it may join
 * @raw: random
 */
struct suo_token {
	__u8	raw[16];
};

/**
 * struct suo_window_attr - a window that is made
 * @length: bytes, whole elements of @type
 * @members: how many will bind memory, 1 to 1024
 * @op: enum suo_window_op
 * @type: enum suo_window_type
 * @reserved: zero
 */
struct suo_window_attr {
	__aligned_u64	length;
	__u32		members;
	__u16		op;
	__u16		type;
	__aligned_u64	reserved;
};

/**
 * struct suo_window_info - what a window is
 * @length: bytes
 * @members: how many there are to be
 * @op: enum suo_window_op
 * @type: enum suo_window_type
 * @rkey: remote key; addresses begin at 0
 * @bound: members that have bound memory
 * @index: of our own member, SUO_WINDOW_UNBOUND if it has bound none
 * @reserved: zero
 */
struct suo_window_info {
	__aligned_u64	length;
	__u32		members;
	__u16		op;
	__u16		type;
	__u32		rkey;
	__u32		bound;
	__u32		index;
	__u32		reserved;
};

#define SUO_WINDOW_UNBOUND	0xffffffff

/**
 * struct suo_window_bind - a member's memory
 * @addr: first byte, in the region's own address space
 * @index: the member's number in the window
 * @reserved: zero
 */
struct suo_window_bind {
	__aligned_u64	addr;
	__u32		index;
	__u32		reserved;
};

enum suo_export_flags {
	SUO_EXPORT_WRITE	= 1 << 0,
};

/**
 * struct suo_export_attr - memory that others may map
 * @addr: first byte, in the region's own address space; begins a page
 * @length: bytes, whole pages
 * @flags: enum suo_export_flags
 * @reserved: zero
 */
struct suo_export_attr {
	__aligned_u64	addr;
	__aligned_u64	length;
	__u32		flags;
	__u32		reserved;
};

/**
 * struct suo_import_attr - the part of it that is to be mapped
 * @offset: bytes from its beginning, whole pages
 * @length: bytes, whole pages; 0: all that there is from @offset on
 * @flags: enum suo_export_flags
 * @reserved: zero
 */
struct suo_import_attr {
	__aligned_u64	offset;
	__aligned_u64	length;
	__u32		flags;
	__u32		reserved;
};

/**
 * struct suo_import_resp - where it is
 * @mmap_offset: for mmap() on the context's command descriptor, MAP_SHARED
 * @length: bytes, all of which are to be mapped at once
 */
struct suo_import_resp {
	__aligned_u64	mmap_offset;
	__aligned_u64	length;
};

#endif /* _UAPI_RDMA_SUO_ABI_H */
