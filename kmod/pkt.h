/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_PKT_H
#define SUO_PKT_H

#include <linux/list.h>
#include <linux/skbuff.h>

#include "../model/core/link.h"
#include "../model/core/wire.h"

struct suo_dev;
struct suo_member;
struct suo_pd;
struct suo_shm_peer;
struct suo_qp;
struct suo_swqe;

enum suo_payload_kind {
	SUO_PAYLOAD_NONE,
	SUO_PAYLOAD_BUF,	/* in kernel memory */
	SUO_PAYLOAD_ROW,	/* the same, of packets that follow each other */
	SUO_PAYLOAD_SKB,	/* arrived by the wire */
	SUO_PAYLOAD_INLINE,	/* in a send request */
	SUO_PAYLOAD_WQE,	/* in the memory that a send request names */
	SUO_PAYLOAD_MR,		/* in a region, by remote key: a read response */
	SUO_PAYLOAD_WINDOW,	/* what a window's members come to: likewise */
};

/**
 * struct suo_payload - where the data of a packet lies
 * @kind: see enum suo_payload_kind
 * @off: byte offset into the skb or the work request's data
 * @len: bytes, without padding
 * @more: packets after the first whose payload this is too; ROW, WQE, MR
 * @buf: BUF, ROW: the packet, the first packet
 * @piece: bytes in each of them, if there are several; the last may have less
 * @stride: ROW: from one to the next
 * @skb: SKB
 * @dev: WQE, MR: whose memory
 * @pd: WQE, MR: protection domain to check keys against
 * @wqe: INLINE, WQE: stays in place as long as the packet holds its queue pair. A
 *	request that was flushed may have given its slot to another meanwhile,
 *	and then yields wrong bytes or an error, never an access outside a region
 *	or the slot; that is why INLINE is not looked up there
 * @va: MR, WINDOW: address
 * @rkey: MR, WINDOW: key
 * @qpn: MR: the queue pair, to check a window against
 */
struct suo_payload {
	enum suo_payload_kind	kind;
	u32			off;
	u32			len;
	u32			more;
	u32			piece;
	union {
		struct {
			const u8	*buf;
			u32		stride;
		};
		struct sk_buff	*skb;
		struct {
			struct suo_dev	*dev;
			struct suo_pd	*pd;
			struct suo_swqe	*wqe;
			u64		va;
			u32		rkey;
			u32		qpn;
		};
	};
};

/* Packets whose payload this is. */
static inline u32 suo_payload_pkts(const struct suo_payload *pay)
{
	return pay->more + 1;
}

/* Bytes in each of them, but for the last. */
static inline u32 suo_payload_pkt_len(const struct suo_payload *pay)
{
	return pay->more ? pay->piece : pay->len;
}

/**
 * struct suo_from - how a packet came, if it came by the netdev
 * @iph: its IP header
 * @skb: the datagram that it is in
 * @ndev: the netdev that it came in by
 * @looped: to a group, and sent by this host
 * @vlan_id: datagrams: VLAN of the GID that it is for, 0xffff for none
 */
struct suo_from {
	const u8		*iph;
	struct sk_buff		*skb;
	const struct net_device	*ndev;
	bool			looped;
	u16			vlan_id;
};

/**
 * struct suo_pkt - a packet on its way out
 * @node: in the port's line
 * @due_ps: modelled time of arrival
 * @qp: sender, or NULL once it is gone; the packet holds a reference
 * @src_qpn: the sender's number
 * @peer: scale-up: the receiver's port; good while softirqs are off, as they are
 *	from where the packet is made to where the link is taken for it
 * @shm: scale-up, to another VM: which one; it holds a reference, and has room in
 *	the ring promised to it
 * @shm_session: of the ring, when it was made
 * @shm_src: our member
 * @shm_dst: their member
 * @more: its sender may have more to send
 * @hdr: transport headers
 * @pay: payload
 * @wire_bytes: what it takes of the link, on the NIC
 * @link: what the domain's law made of it
 * @skb: the datagram, on the NIC
 * @slice: bytes of its first packet, from the BTH on
 * @slices: packets in it, or segments of a run on the scale-up path; @hdr and @pay
 *	are those of the last that was tried
 * @max_slices: how many it may have
 * @max_bytes: how much it may have, from the BTH on
 * @room: to be left for a packet that rides along, bytes
 * @paged: it is built in chunks (chunk.h), not in the skb's linear memory
 * @full: its last packet is shorter, so none can follow
 */
struct suo_pkt {
	struct list_head	node;
	u64			due_ps;
	struct suo_qp		*qp;
	u32			src_qpn;
	struct suo_member	*peer;
	struct suo_shm_peer	*shm;
	u64			shm_session;
	u16			shm_src;
	u16			shm_dst;
	bool			more;
	struct suo_hdr		hdr;
	struct suo_payload	pay;
	u64			wire_bytes;
	struct suo_link_result	link;
	struct sk_buff		*skb;
	u32			slice;
	u32			slices;
	u32			max_slices;
	u32			max_bytes;
	u32			room;
	bool			paged;
	bool			full;
};

/* Is there no room for another packet? A scale-up packet is always alone. */
static inline bool suo_pkt_full(const struct suo_pkt *pkt)
{
	return pkt->full || pkt->slices >= pkt->max_slices;
}

struct suo_pkt *suo_pkt_alloc(struct suo_qp *qp);
void suo_pkt_detach(struct suo_pkt *pkt);
void suo_pkt_free(struct suo_pkt *pkt);
int suo_pkt_cache_init(void);
void suo_pkt_cache_exit(void);

#endif /* SUO_PKT_H */
