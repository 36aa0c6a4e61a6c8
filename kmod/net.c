// SPDX-License-Identifier: GPL-2.0-only
/* Sending RoCEv2, and the UDP sockets that receive it. */
#include <linux/if_arp.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/netns/generic.h>
#include <net/route.h>
#include <net/udp_tunnel.h>

#include "../model/core/icrc.h"
#include "compat.h"
#include "copy.h"
#include "net.h"
#include "qp.h"

#define NET_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(struct udphdr))

/**
 * struct suo_net - sockets of a network namespace
 * @lock: protects the rest
 * @users: devices; the sockets exist while there are any
 * @sk4: IPv4
 * @sk6: IPv6, NULL where the kernel has none
 */
struct suo_net {
	struct mutex	lock;
	unsigned int	users;
	struct socket	*sk4;
	struct socket	*sk6;
};

static unsigned int suo_net_id;

static struct socket *open_socket(struct net *net, int family)
{
	struct udp_port_cfg cfg = {
		.family = family,
		.local_udp_port = htons(SUO_ROCE_PORT),
		.ipv6_v6only = 1,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = suo_net_rcv,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &cfg, &sock);
	if (err)
		return ERR_PTR(err);
	/* RoCEv2 over IPv6 carries no UDP checksum: the ICRC covers more. */
	if (family == AF_INET6)
		udp_set_no_check6_rx(sock->sk, true);
	suo_setup_udp_tunnel(net, sock, &tunnel);
	return sock;
}

static void close_sockets(struct suo_net *sn)
{
	if (sn->sk6)
		suo_release_udp_tunnel(sn->sk6);
	if (sn->sk4)
		suo_release_udp_tunnel(sn->sk4);
	sn->sk6 = NULL;
	sn->sk4 = NULL;
}

/**
 * suo_net_get() - a device comes to a namespace
 * @net: the namespace
 *
 * Return: 0, or what opening the port said: -EADDRINUSE if rdma_rxe, or
 * anybody else, has it.
 */
int suo_net_get(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);
	int err = 0;

	mutex_lock(&sn->lock);
	if (sn->users)
		goto out;
	sn->sk4 = open_socket(net, AF_INET);
	if (IS_ERR(sn->sk4)) {
		err = PTR_ERR(sn->sk4);
		sn->sk4 = NULL;
		goto err_open;
	}
	sn->sk6 = open_socket(net, AF_INET6);
	if (IS_ERR(sn->sk6)) {
		err = PTR_ERR(sn->sk6);
		sn->sk6 = NULL;
		/* A kernel booted with ipv6.disable=1 */
		if (err != -EAFNOSUPPORT)
			goto err_open;
		err = 0;
	}
out:
	sn->users++;
	mutex_unlock(&sn->lock);
	return 0;

err_open:
	close_sockets(sn);
	mutex_unlock(&sn->lock);
	return err;
}

void suo_net_put(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);

	mutex_lock(&sn->lock);
	/* The namespace itself may have closed them already. */
	if (sn->users && !--sn->users)
		close_sockets(sn);
	mutex_unlock(&sn->lock);
}

static int __net_init suo_net_ns_init(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);

	mutex_init(&sn->lock);
	return 0;
}

static void __net_exit suo_net_ns_exit(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);

	mutex_lock(&sn->lock);
	close_sockets(sn);
	sn->users = 0;
	mutex_unlock(&sn->lock);
}

static struct pernet_operations suo_net_ops = {
	.init	= suo_net_ns_init,
	.exit	= suo_net_ns_exit,
	.id	= &suo_net_id,
	.size	= sizeof(struct suo_net),
};

int suo_net_init(void)
{
	return register_pernet_subsys(&suo_net_ops);
}

void suo_net_exit(void)
{
	unregister_pernet_subsys(&suo_net_ops);
}

/* To another host only by the device's own netdev; to this one by whatever
 * way the stack delivers to itself.
 */
static struct dst_entry *route4(struct suo_dev *dev, struct suo_av *av)
{
	struct flowi4 fl4 = {
		.daddr = av->daddr4.s_addr,
		.saddr = av->saddr4.s_addr,
		.flowi4_proto = IPPROTO_UDP,
	};
	struct rtable *rt;
	__be32 saddr;

	rt = dst_cache_get_ip4(&av->cache, &saddr);
	if (rt)
		return &rt->dst;
	suo_flowi4_set_tclass(&fl4, av->tclass);
	if (inet_addr_type(dev->net, fl4.daddr) != RTN_LOCAL)
		fl4.flowi4_oif = dev->ndev->ifindex;
	rt = ip_route_output_key(dev->net, &fl4);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	dst_cache_set_ip4(&av->cache, &rt->dst, fl4.saddr);
	return &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route6(struct suo_dev *dev, struct suo_av *av)
{
	struct flowi6 fl6 = {
		.daddr = av->daddr6,
		.saddr = av->saddr6,
		.flowi6_proto = IPPROTO_UDP,
		.flowlabel = ip6_make_flowinfo(av->tclass,
					       htonl(av->flow_label)),
	};
	struct suo_net *sn = net_generic(dev->net, suo_net_id);
	struct dst_entry *dst;
	struct in6_addr saddr;

	dst = dst_cache_get_ip6(&av->cache, &saddr);
	if (dst)
		return dst;
	if (!sn->sk6)
		return ERR_PTR(-EAFNOSUPPORT);
	if (!ipv6_chk_addr(dev->net, &fl6.daddr, NULL, 0))
		fl6.flowi6_oif = dev->ndev->ifindex;
	dst = ip6_dst_lookup_flow(dev->net, sn->sk6->sk, &fl6, NULL);
	if (!IS_ERR(dst))
		dst_cache_set_ip6(&av->cache, dst, &fl6.saddr);
	return dst;
}
#else
static struct dst_entry *route6(struct suo_dev *dev, struct suo_av *av)
{
	return ERR_PTR(-EAFNOSUPPORT);
}
#endif

static void put_udp(struct sk_buff *skb, u16 sport)
{
	struct udphdr *udp = skb_push(skb, sizeof(*udp));

	skb_reset_transport_header(skb);
	udp->source = htons(sport);
	udp->dest = htons(SUO_ROCE_PORT);
	udp->len = htons(skb->len);
	udp->check = 0;
}

static void put_ip4(struct sk_buff *skb, const struct suo_av *av)
{
	struct iphdr *iph = skb_push(skb, sizeof(*iph));

	skb_reset_network_header(skb);
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	skb->protocol = htons(ETH_P_IP);
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = av->tclass;
	iph->tot_len = htons(skb->len);
	/* Never fragmented, so RFC 6864 leaves the identification free. */
	iph->id = 0;
	iph->frag_off = htons(IP_DF);
	iph->ttl = av->hop_limit;
	iph->protocol = IPPROTO_UDP;
	iph->check = 0;
	iph->saddr = av->saddr4.s_addr;
	iph->daddr = av->daddr4.s_addr;
}

static void put_ip6(struct sk_buff *skb, const struct suo_av *av)
{
	u16 len = skb->len;
	struct ipv6hdr *ip6h = skb_push(skb, sizeof(*ip6h));

	skb_reset_network_header(skb);
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	skb->protocol = htons(ETH_P_IPV6);
	ip6_flow_hdr(ip6h, av->tclass, htonl(av->flow_label));
	ip6h->payload_len = htons(len);
	ip6h->nexthdr = IPPROTO_UDP;
	ip6h->hop_limit = av->hop_limit;
	ip6h->saddr = av->saddr6;
	ip6h->daddr = av->daddr6;
}

static void put_icrc(struct sk_buff *skb)
{
	u8 *bth = skb_transport_header(skb) + sizeof(struct udphdr);
	u8 *end = skb_tail_pointer(skb) - SUO_ICRC_LEN;
	__le32 icrc;
	u32 crc;

	crc = suo_icrc_head(skb_network_header(skb), skb_transport_header(skb),
			    bth);
	bth += SUO_BTH_LEN;
	icrc = cpu_to_le32(suo_icrc_end(suo_crc32(crc, bth, end - bth)));
	memcpy(end, &icrc, sizeof(icrc));
}

/**
 * suo_net_finish() - make the datagram of a packet
 * @qp: sender
 * @pkt: headers and payload are set; the datagram and its size on the wire
 *	are filled in
 * @av: where to
 * @sport: UDP source port
 *
 * Return: 0; -EACCES or -EFAULT if the payload cannot be read; -ENODEV while
 * the netdev is going away; -ENOMEM; or what routing says.
 */
int suo_net_finish(struct suo_qp *qp, struct suo_pkt *pkt, struct suo_av *av,
		   u16 sport)
{
	struct suo_dev *dev = qp->dev;
	struct dst_entry *dst;
	unsigned int hdr_len;
	struct sk_buff *skb;
	int err;
	u8 *p;

	if (READ_ONCE(dev->detached))
		return -ENODEV;
	hdr_len = suo_hdr_len(pkt->hdr.opcode);
	skb = alloc_skb(NET_HEADROOM + hdr_len + pkt->pay.len + 3 +
			SUO_ICRC_LEN, GFP_ATOMIC);
	if (!skb)
		return -ENOMEM;
	skb_reserve(skb, NET_HEADROOM);
	p = skb_put(skb, hdr_len + pkt->pay.len + pkt->hdr.pad + SUO_ICRC_LEN);
	p += suo_hdr_put(p, &pkt->hdr);
	err = suo_payload_read(&pkt->pay, 0, p, pkt->pay.len);
	if (err)
		goto err_skb;
	memset(p + pkt->pay.len, 0, pkt->hdr.pad);

	dst = av->family == AF_INET ? route4(dev, av) : route6(dev, av);
	if (IS_ERR(dst)) {
		err = PTR_ERR(dst);
		goto err_skb;
	}
	skb_dst_set(skb, dst);
	skb->dev = dst->dev;
	put_udp(skb, sport);
	if (av->family == AF_INET)
		put_ip4(skb, av);
	else
		put_ip6(skb, av);
	put_icrc(skb);
	pkt->skb = skb;
	pkt->wire_bytes = skb->len + SUO_ETH_OVERHEAD;
	return 0;

err_skb:
	kfree_skb(skb);
	return err;
}

/**
 * suo_net_xmit() - hand a finished datagram to the stack
 * @dev: the device
 * @skb: the datagram, consumed
 */
void suo_net_xmit(struct suo_dev *dev, struct sk_buff *skb)
{
	struct net *net = dev_net(skb_dst(skb)->dev);
	int err;

	if (READ_ONCE(dev->detached)) {
		kfree_skb(skb);
		return;
	}
	suo_stat_inc(dev, sent_pkts);
	suo_stat_add(dev, tx_bytes, skb->len);
	if (skb->protocol == htons(ETH_P_IP))
		err = ip_local_out(net, NULL, skb);
	else
		err = ip6_local_out(net, NULL, skb);
	if (net_xmit_eval(err))
		suo_stat_inc(dev, send_err);
}
