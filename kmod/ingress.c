// SPDX-License-Identifier: GPL-2.0-only
/*
 * The short way in. What is plainly RoCEv2 for the netdev's own address is taken
 * where the netdev hands it in, before IP and UDP look at it: as whole datagrams
 * of many packets, which a socket would get one by one. Everything else, and
 * everything as long as the namespace filters or encrypts what comes in, takes
 * the usual way, to the socket. So does what comes by the loopback netdev.
 */
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ip.h>

#include "../model/core/wire.h"
#include "net.h"
#include "suo.h"

#if IS_ENABLED(CONFIG_NETFILTER_INGRESS)

/* Does anybody in the namespace want to see incoming packets first? */
static bool watched(const struct net *net,
		    struct nf_hook_entries __rcu *const *hooks)
{
#ifdef CONFIG_XFRM
	if (net->xfrm.policy_count[XFRM_POLICY_IN] ||
	    net->xfrm.policy_default[XFRM_POLICY_IN] != XFRM_USERPOLICY_ACCEPT)
		return true;
#endif
	return rcu_access_pointer(hooks[NF_INET_PRE_ROUTING]) ||
	       rcu_access_pointer(hooks[NF_INET_LOCAL_IN]);
}

/* Nobody's own address: what the stack takes for a martian. */
static bool is_odd_source4(__be32 addr)
{
	return ipv4_is_zeronet(addr) || ipv4_is_loopback(addr) ||
	       ipv4_is_multicast(addr) || ipv4_is_lbcast(addr);
}

static bool is_own_addr4(const struct net_device *ndev, __be32 addr)
{
	const struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (ifa->ifa_local == addr)
			return true;
	return false;
}

/* The length of the IP header if this is for us, else 0. */
static unsigned int plain_ip4(const struct net *net, const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);

	if (skb_headlen(skb) < sizeof(*iph) + sizeof(struct udphdr) ||
	    iph->version != 4 || iph->ihl != 5 ||
	    iph->protocol != IPPROTO_UDP || ip_is_fragment(iph) ||
	    ntohs(iph->tot_len) != skb->len || ip_fast_csum(iph, iph->ihl) ||
	    is_odd_source4(iph->saddr) ||
	    watched(net, net->nf.hooks_ipv4) ||
	    !is_own_addr4(skb->dev, iph->daddr))
		return 0;
	return sizeof(*iph);
}

#if IS_ENABLED(CONFIG_IPV6)
static unsigned int plain_ip6(struct net *net, const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	if (skb_headlen(skb) < sizeof(*ip6h) + sizeof(struct udphdr) ||
	    ip6h->version != 6 || ip6h->nexthdr != IPPROTO_UDP ||
	    ntohs(ip6h->payload_len) + sizeof(*ip6h) != skb->len ||
	    !(ipv6_addr_type(&ip6h->saddr) & IPV6_ADDR_UNICAST) ||
	    (ipv6_addr_type(&ip6h->saddr) & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_MAPPED)) ||
	    watched(net, net->nf.hooks_ipv6) ||
	    !ipv6_chk_addr(net, &ip6h->daddr, skb->dev, 1))
		return 0;
	return sizeof(*ip6h);
}
#else
static unsigned int plain_ip6(struct net *net, const struct sk_buff *skb)
{
	return 0;
}
#endif

static unsigned int suo_ingress(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state)
{
	struct net *net = dev_net(skb->dev);
	const struct udphdr *udp;
	unsigned int len;

	/* What has a tag is for another netdev, which will see it next. So may be
	 * anything on a netdev that is a bridge's port or has macvlans.
	 */
	if (skb->pkt_type != PACKET_HOST || skb_vlan_tag_present(skb) ||
	    rcu_access_pointer(skb->dev->rx_handler))
		return NF_ACCEPT;
	if (skb->protocol == htons(ETH_P_IP))
		len = plain_ip4(net, skb);
	else if (skb->protocol == htons(ETH_P_IPV6))
		len = plain_ip6(net, skb);
	else
		len = 0;
	if (!len)
		return NF_ACCEPT;
	udp = (const struct udphdr *)(skb->data + len);
	if (udp->dest != htons(SUO_ROCE_PORT) ||
	    ntohs(udp->len) != skb->len - len ||
	    (udp->check && !skb_csum_unnecessary(skb)))
		return NF_ACCEPT;
	if (skb_is_gso(skb) && !(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4))
		return NF_ACCEPT;
	suo_net_rx(net, skb, skb->data, len + sizeof(*udp));
	return NF_STOLEN;
}

/**
 * suo_ingress_add() - open the short way into a device
 * @dev: device
 *
 * Return: 0 or what netfilter says.
 */
int suo_ingress_add(struct suo_dev *dev)
{
	int err;

	dev->ingress = (struct nf_hook_ops){
		.hook		= suo_ingress,
		.dev		= dev->ndev,
		.pf		= NFPROTO_NETDEV,
		.hooknum	= NF_NETDEV_INGRESS,
		/* After whatever the user has put there. */
		.priority	= INT_MAX,
	};
	err = nf_register_net_hook(dev->net, &dev->ingress);
	if (err)
		dev->ingress.hook = NULL;
	return err;
}

/* Close it; it may still be in use until a grace period has passed. */
void suo_ingress_del(struct suo_dev *dev)
{
	if (dev->ingress.hook)
		nf_unregister_net_hook(dev->net, &dev->ingress);
	dev->ingress.hook = NULL;
}

#else

int suo_ingress_add(struct suo_dev *dev)
{
	return 0;
}

void suo_ingress_del(struct suo_dev *dev)
{
}

#endif
