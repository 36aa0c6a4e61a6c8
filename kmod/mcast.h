/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_MCAST_H
#define SUO_MCAST_H

#include <rdma/ib_verbs.h>

#include "pkt.h"

/* The destination queue pair of a multicast datagram. */
#define SUO_MCAST_QPN	0xffffffu

struct net;
struct sk_buff;

int suo_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 mlid);
int suo_detach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 mlid);
bool suo_mcast_rx(struct net *net, const struct suo_hdr *hdr,
		  const struct suo_payload *pay, const struct suo_from *from,
		  const struct sk_buff *skb, unsigned int nr, u32 bytes);

#endif /* SUO_MCAST_H */
