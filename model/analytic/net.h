/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The network that a collective runs on, and how long one message takes. */
#ifndef SUO_ANALYTIC_NET_H
#define SUO_ANALYTIC_NET_H

#include <stdbool.h>

#include "model/cluster/cluster.h"
#include "model/core/link.h"
#include "model/core/wire.h"

/* contracts.rst, "Timing on both paths"; SUO_UP_SEGMENT_BYTES is with the law. */
#define SUO_IPV4_UDP_BYTES	(20u + 8u)
#define SUO_ROCE_PACKET_BYTES	(SUO_ETH_OVERHEAD + SUO_IPV4_UDP_BYTES + \
				 SUO_BTH_LEN + SUO_ICRC_LEN)
#define SUO_ROCE_ACK_BYTES	(SUO_ROCE_PACKET_BYTES + SUO_AETH_LEN)

/**
 * struct suo_net - ranks, their scale-up ports and their NICs
 * @domain_size: rank r is in domain r / domain_size
 * @elem_bytes: bytes of an element
 * @up: an accelerator's port to its scale-up domain, without bit errors: a plan
 *	is costed as it runs on average
 * @out: a NIC: only its rate and its latency (endpoint_ps) count, as the framing
 *	of RoCEv2 differs from packet to packet
 * @mtu_bytes: RoCE path MTU
 */
struct suo_net {
	u32			domain_size;
	u32			elem_bytes;
	struct suo_link_law	up;
	struct suo_link_law	out;
	u32			mtu_bytes;
};

/* The network of a cluster file, with elements of 4 bytes. */
void suo_net_init(struct suo_net *net, const struct suo_cluster *cluster);

/* The links inside a domain, or those between. */
static inline const struct suo_link_law *suo_net_law(const struct suo_net *net, bool up)
{
	return up ? &net->up : &net->out;
}

/* Do two ranks share a scale-up domain? */
static inline bool suo_net_is_up(const struct suo_net *net, u32 a, u32 b)
{
	return a / net->domain_size == b / net->domain_size;
}

/**
 * suo_net_piece() - the part of a message that is sent at one go
 * @net: the network
 * @up: over the scale-up port, or else by the NIC
 * @bytes: length of the message, an RDMA write with immediate data
 * @done: bytes of it that were sent before
 * @wire_bytes: where to store how many bytes the part takes on the wire
 *
 * Return: payload bytes of the part: a segment, or the payload of a packet.
 */
u64 suo_net_piece(const struct suo_net *net, bool up, u64 bytes, u64 done,
		  u64 *wire_bytes);

/**
 * suo_net_message_ps() - one message on an idle path
 * @net: the network
 * @up: over the scale-up port, or else by the NIC
 * @bytes: length of the message
 *
 * Return: picoseconds from its start to its arrival: all pieces back to back,
 * and the latency.
 */
u64 suo_net_message_ps(const struct suo_net *net, bool up, u64 bytes);

/* Picoseconds from a message's arrival to the sender's completion. */
u64 suo_net_ack_ps(const struct suo_net *net, bool up);

/**
 * suo_net_chunk_len() - suo_plan_shape.chunk_len of a network
 * @net: the network
 * @nranks: ranks
 *
 * Return: elements that take as long to send as the latency, over the slower
 * kind of link that the ranks have between them.
 */
u64 suo_net_chunk_len(const struct suo_net *net, u32 nranks);

#endif /* SUO_ANALYTIC_NET_H */
