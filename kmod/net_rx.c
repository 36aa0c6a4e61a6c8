// SPDX-License-Identifier: GPL-2.0-only
/* Receiving RoCEv2: every field is checked before it is used. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <rdma/ib_cache.h>

#include "../model/core/icrc.h"
#include "mcast.h"
#include "net.h"
#include "qp.h"

/* Does a packet come from this connection's peer, and to our address of it? */
bool suo_net_from_peer(const struct suo_av *av, const u8 *iph)
{
	const struct ipv6hdr *ip6h = (const struct ipv6hdr *)iph;
	const struct iphdr *ip4h = (const struct iphdr *)iph;

	if (ip4h->version == 4)
		return av->family == AF_INET &&
		       ip4h->saddr == av->daddr4.s_addr &&
		       ip4h->daddr == av->saddr4.s_addr;
	return av->family == AF_INET6 &&
	       ipv6_addr_equal(&ip6h->saddr, &av->daddr6) &&
	       ipv6_addr_equal(&ip6h->daddr, &av->saddr6);
}

/* The GID that stands for the address that a packet came to. */
void suo_net_dest_gid(const u8 *iph, union ib_gid *gid)
{
	if (iph[0] >> 4 == 4)
		ipv6_addr_set_v4mapped(((const struct iphdr *)iph)->daddr,
				       (struct in6_addr *)gid->raw);
	else
		memcpy(gid->raw, &((const struct ipv6hdr *)iph)->daddr,
		       sizeof(gid->raw));
}

/* Is the address that a packet came to one of this device's? */
static bool addr_is_ours(struct suo_dev *dev, const u8 *iph)
{
	const struct ib_gid_attr *attr;
	union ib_gid gid;

	suo_net_dest_gid(iph, &gid);
	attr = rdma_find_gid_by_port(&dev->ibdev, &gid,
				     IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

/* The queue pair that a packet is for, with a reference. */
static struct suo_qp *find_qp(struct net *net, u32 qpn, const u8 *iph,
			      bool datagram)
{
	struct suo_qp *qp;

	if (qpn == 1) {
		struct suo_dev *dev = suo_dev_get_by_addr(net, iph,
							  addr_is_ours);

		if (!dev)
			return NULL;
		qp = suo_qp_lookup_gsi(dev);
		ib_device_put(&dev->ibdev);
		return qp;
	}
	qp = suo_qp_lookup(qpn);
	if (!qp)
		return NULL;
	/* A connection compares both addresses later, under its lock. */
	if (qp->dev->net != net || READ_ONCE(qp->dev->detached) ||
	    (datagram && !addr_is_ours(qp->dev, iph))) {
		suo_qp_put(qp);
		return NULL;
	}
	return qp;
}

static bool icrc_ok(struct sk_buff *skb, const u8 *iph)
{
	unsigned int off = sizeof(struct udphdr) + SUO_BTH_LEN;
	unsigned int end = skb->len - SUO_ICRC_LEN;
	struct skb_seq_state st;
	const u8 *data;
	unsigned int n;
	__le32 icrc;
	u32 crc;

	crc = suo_icrc_head(iph, skb->data, skb->data + sizeof(struct udphdr));
	skb_prepare_seq_read(skb, off, end, &st);
	while ((n = skb_seq_read(off - (sizeof(struct udphdr) + SUO_BTH_LEN),
				 &data, &st)) != 0) {
		n = min(n, end - off);
		crc = suo_crc32(crc, data, n);
		off += n;
	}
	if (skb_copy_bits(skb, end, &icrc, sizeof(icrc)))
		return false;
	return le32_to_cpu(icrc) == suo_icrc_end(crc);
}

/* The IP header, or NULL if it has options: nobody sends RoCE with any, and
 * the annex does not say what the ICRC covers then.
 */
static const u8 *plain_ip_header(const struct sk_buff *skb)
{
	const u8 *iph = skb_network_header(skb);
	int len = skb->data - iph;

	if (iph[0] >> 4 == 4)
		return len == SUO_IPV4_HDR_LEN && iph[0] == 0x45 ? iph : NULL;
	return len == SUO_IPV6_HDR_LEN ? iph : NULL;
}

/**
 * suo_net_rcv() - a datagram for the RoCEv2 port
 * @sk: our socket
 * @skb: the datagram, from the UDP header on
 *
 * Return: 0, consumed.
 */
int suo_net_rcv(struct sock *sk, struct sk_buff *skb)
{
	struct suo_payload pay = { .kind = SUO_PAYLOAD_SKB, .skb = skb };
	const unsigned int udp_len = sizeof(struct udphdr);
	unsigned int hdr_len, pull;
	struct suo_qp *qp = NULL;
	struct suo_hdr hdr;
	const u8 *iph;
	u32 flags;

	if (skb->len < udp_len + SUO_BTH_LEN + SUO_ICRC_LEN)
		goto drop;
	pull = min_t(unsigned int, skb->len, udp_len + SUO_MAX_HDR_LEN);
	if (!pskb_may_pull(skb, pull))
		goto drop;
	iph = plain_ip_header(skb);
	hdr_len = suo_hdr_get(&hdr, skb->data + udp_len, pull - udp_len);
	if (!iph || !hdr_len)
		goto drop;
	flags = suo_op_flags(hdr.opcode);
	if (hdr.qpn != SUO_MCAST_QPN) {
		qp = find_qp(sock_net(sk), hdr.qpn, iph, flags & SUO_F_DETH);
		if (!qp)
			goto drop;
	} else if (!(flags & SUO_F_DETH)) {
		goto drop;
	}
	if (skb->len < udp_len + hdr_len + hdr.pad + SUO_ICRC_LEN ||
	    (hdr.pkey & 0x7fff) != (SUO_DEFAULT_PKEY & 0x7fff))
		goto drop_qp;
	pay.off = udp_len + hdr_len;
	pay.len = skb->len - pay.off - hdr.pad - SUO_ICRC_LEN;
	if (!(flags & SUO_F_PAYLOAD) && pay.len)
		goto drop_qp;
	if (!icrc_ok(skb, iph)) {
		if (qp)
			suo_stat_inc(qp->dev, rx_icrc_encapsulated);
		goto drop_qp;
	}
	if (!qp) {
		suo_mcast_rx(sock_net(sk), skb->dev, &hdr, &pay, iph);
		consume_skb(skb);
		return 0;
	}
	suo_stat_inc(qp->dev, rcvd_pkts);
	suo_stat_add(qp->dev, rx_bytes, skb->len);
	suo_qp_rx(qp, &hdr, &pay, iph);
	suo_qp_put(qp);
	consume_skb(skb);
	return 0;

drop_qp:
	if (qp) {
		suo_stat_inc(qp->dev, rx_drops);
		suo_qp_put(qp);
	}
drop:
	kfree_skb(skb);
	return 0;
}
