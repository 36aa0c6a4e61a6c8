/* SPDX-License-Identifier: GPL-2.0-only */
/* RoCEv2 on the netdev: sockets a network namespace, sending, receiving. */
#ifndef SUO_NET_H
#define SUO_NET_H

#include <rdma/ib_verbs.h>

#include "port.h"

struct net;
struct sk_buff;
struct sock;
struct suo_dev;

extern const struct suo_port_ops suo_nic_port_ops;

int suo_net_get(struct net *net);
void suo_net_put(struct net *net);
struct sock *suo_net_sk6(struct net *net);
int suo_net_init(void);
void suo_net_exit(void);

/* net_tx.c */
void suo_net_xmit(struct suo_dev *dev, struct sk_buff *skb, u32 qpn);

/* net_rx.c */
void suo_net_dest_gid(const u8 *iph, union ib_gid *gid);
void suo_net_rx(struct net *net, struct sk_buff *skb, const u8 *iph,
		unsigned int off);
int suo_net_rcv(struct sock *sk, struct sk_buff *skb);

/* ingress.c */
int suo_ingress_add(struct suo_dev *dev);
void suo_ingress_del(struct suo_dev *dev);

#endif /* SUO_NET_H */
