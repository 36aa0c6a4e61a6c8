// SPDX-License-Identifier: GPL-2.0-only
/* Receiving RoCEv2: every field is checked before it is used. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <rdma/ib_cache.h>

#include "../model/core/icrc.h"
#include "cc.h"
#include "mcast.h"
#include "net.h"
#include "qp.h"
#include "show.h"
#include "slice.h"

/* What this host sends to itself shows up on loopback, and what comes by a member of
 * a VRF on its master, whatever netdev has the address.
 */
static bool is_on_the_way(const struct net_device *ndev)
{
	return (ndev->flags & IFF_LOOPBACK) || netif_is_l3_master(ndev);
}

/* Does a packet come from this connection's peer, and to our address of it, and by
 * the netdev that has the address? That of a VLAN is not to be reached without tag,
 * or with another.
 */
bool suo_net_from_peer(const struct suo_av *av, const struct suo_from *from)
{
	const struct ipv6hdr *ip6h = (const struct ipv6hdr *)from->iph;
	const struct iphdr *ip4h = (const struct iphdr *)from->iph;

	if (from->ndev->ifindex != av->ifindex && !is_on_the_way(from->ndev))
		return false;
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

/* Is the address that a packet came to one of this device's, and of the netdev that
 * it came by? If so, of which VLAN?
 */
static bool addr_is_ours(struct suo_dev *dev, struct suo_from *from)
{
	const struct ib_gid_attr *attr;
	union ib_gid gid;
	int err;

	suo_net_dest_gid(from->iph, &gid);
	attr = rdma_find_gid_by_port(&dev->ibdev, &gid,
				     IB_GID_TYPE_ROCE_UDP_ENCAP, 1,
				     is_on_the_way(from->ndev) ?
				     NULL : (struct net_device *)from->ndev);
	if (IS_ERR(attr))
		return false;
	err = rdma_read_gid_l2_fields(attr, &from->vlan_id, NULL);
	rdma_put_gid_attr(attr);
	return !err;
}

/* The queue pair that a packet is for, with a reference. */
static struct suo_qp *find_qp(struct net *net, u32 qpn, struct suo_from *from,
			      bool datagram)
{
	struct suo_qp *qp;

	if (qpn == 1) {
		struct suo_dev *dev = suo_dev_get_by_addr(net, from,
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
	    (datagram && !addr_is_ours(qp->dev, from))) {
		suo_qp_put(qp);
		return NULL;
	}
	return qp;
}

/* The bytes off to off + len of the skb, if they lie in one piece. */
static const u8 *in_one_piece(const struct sk_buff *skb, unsigned int off,
			      unsigned int len)
{
	unsigned int i, size = skb_headlen(skb);

	if (off + len <= size)
		return skb->data + off;
	for (i = 0; i < skb_shinfo(skb)->nr_frags && off >= size; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		off -= size;
		size = skb_frag_size(frag);
		if (off + len <= size && !PageHighMem(skb_frag_page(frag)))
			return (u8 *)skb_frag_address(frag) + off;
	}
	return NULL;
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

/* Has it met congestion? */
static bool is_marked(const u8 *iph)
{
	u8 dsfield = iph[0] >> 4 == 4 ?
		((const struct iphdr *)iph)->tos :
		ipv6_get_dsfield((const struct ipv6hdr *)iph);

	return INET_ECN_is_ce(dsfield);
}

/* Nothing behind the datagram, nothing of it missing? The ICRC covers what the
 * headers say of their lengths, so they must be what we make of them.
 */
static bool lengths_fit(const struct sk_buff *skb, const u8 *iph)
{
	const struct udphdr *udp = (const struct udphdr *)skb->data;
	unsigned int len;

	if (iph[0] >> 4 == 4)
		len = ntohs(((const struct iphdr *)iph)->tot_len) - SUO_IPV4_HDR_LEN;
	else
		len = ntohs(((const struct ipv6hdr *)iph)->payload_len);
	return skb->len == len && skb->len == ntohs(udp->len);
}

/**
 * struct suo_rx - a datagram that is being taken apart
 * @net: namespace
 * @skb: the datagram
 * @from: how it came
 * @hdrs: the headers of the packet at hand; not if @trusted
 * @head: bytes of the IP and UDP headers, which each packet has when it is alone
 * @nr: packets before it
 * @qp: the queue pair that the last packet was for: locked, with a reference
 * @trusted: it never left this machine's memory, so that nobody has computed
 *	its UDP checksum yet either; then the ICRC is not looked at
 */
struct suo_rx {
	struct net		*net;
	struct sk_buff		*skb;
	struct suo_from		from;
	struct suo_slice_hdrs	hdrs;
	unsigned int		head;
	unsigned int		nr;
	struct suo_qp		*qp;
	bool			trusted;
};

static void rx_put_qp(struct suo_rx *rx)
{
	bool waits;

	if (!rx->qp)
		return;
	waits = suo_ack_waits(rx->qp);
	/* For sparse, which cannot know: rx_find_qp() took it. */
	__acquire(&rx->qp->lock);
	suo_qp_unlock(rx->qp);
	if (!waits)
		suo_port_kick(rx->qp->port, rx->qp);
	suo_qp_put(rx->qp);
	rx->qp = NULL;
}

/* Many packets in a row are for one queue pair. */
static struct suo_qp *rx_find_qp(struct suo_rx *rx, u32 qpn, bool datagram)
{
	if (!rx->qp || rx->qp->ibqp.qp_num != qpn || datagram) {
		rx_put_qp(rx);
		rx->qp = find_qp(rx->net, qpn, &rx->from, datagram);
		if (rx->qp) {
			suo_qp_lock(rx->qp);
			__release(&rx->qp->lock);
		}
	}
	return rx->qp;
}

/* How many packets from the middle of a message, the one at p among them, come
 * in a row? They are alike but for their numbers, which go up by one. The last
 * of them may ask for an acknowledgment, and does so for all.
 */
static unsigned int row_len(const struct sk_buff *skb, const u8 *p,
			    unsigned int off, unsigned int len,
			    struct suo_hdr *hdr)
{
	unsigned int n = 1;
	u32 psn = hdr->psn;

	while (!hdr->ackreq && in_one_piece(skb, off, (n + 1) * len)) {
		const u8 *next = p + n * len;

		psn = suo_psn_add(psn, 1);
		if (memcmp(next, p, 8) || (next[8] & 0x7f) ||
		    (u32)(next[9] << 16 | next[10] << 8 | next[11]) != psn)
			break;
		hdr->ackreq = next[8] & 0x80;
		n++;
	}
	return n;
}

/* Of the packet in bytes off to off + len of the skb, from the BTH on. */
static bool rx_icrc_ok(struct suo_rx *rx, unsigned int off, unsigned int len)
{
	unsigned int end = off + len - SUO_ICRC_LEN;
	unsigned int at = off + SUO_BTH_LEN;
	struct sk_buff *skb = rx->skb;
	struct skb_seq_state st;
	u8 bth[SUO_BTH_LEN];
	const u8 *data;
	unsigned int n;
	__le32 icrc;
	u32 crc;

	if (skb_copy_bits(skb, off, bth, sizeof(bth)) ||
	    skb_copy_bits(skb, end, &icrc, sizeof(icrc)))
		return false;
	suo_slice_set(&rx->hdrs, rx->nr, len);
	crc = suo_icrc_head(rx->hdrs.ip, rx->hdrs.udp, bth);
	skb_prepare_seq_read(skb, at, end, &st);
	while ((n = skb_seq_read(at - off - SUO_BTH_LEN, &data, &st)) != 0) {
		n = min(n, end - at);
		crc = suo_crc32(crc, data, n);
		at += n;
	}
	return le32_to_cpu(icrc) == suo_icrc_end(crc);
}

/* The device that a packet came to which is for none of its queue pairs: the one on
 * the netdev; or, if it came from this host, the one that has the address. It is
 * good until the end of the grace period.
 */
static struct suo_dev *rx_dev(struct net *net, struct suo_from *from)
{
	struct suo_dev *dev;

	suo_for_each_dev_rcu(dev)
		if (dev->ndev == from->ndev && dev->net == net &&
		    !READ_ONCE(dev->detached))
			return dev;
	dev = from->iph ? suo_dev_get_by_addr(net, from, addr_is_ours) : NULL;
	if (dev)
		ib_device_put(&dev->ibdev);
	return dev;
}

/* Count a packet that is not taken. Return: 1, as rx_packet() does. */
static __cold unsigned int rx_drop(struct net *net, struct suo_from *from,
				   struct suo_qp *qp, enum suo_drop why,
				   const struct suo_hdr *hdr, u32 len)
{
	rcu_read_lock();
	suo_drop(qp ? qp->dev : rx_dev(net, from), why, hdr, len);
	rcu_read_unlock();
	return 1;
}

static unsigned int rx_refuse(struct suo_rx *rx, struct suo_qp *qp,
			      enum suo_drop why, const struct suo_hdr *hdr,
			      u32 len)
{
	return rx_drop(rx->net, &rx->from, qp, why, hdr, len);
}

/* Packets have met a switch whose queue is long. */
static void rx_marked(struct suo_rx *rx, struct suo_qp *qp,
		      const struct suo_hdr *hdr, u32 packets)
{
	struct suo_dev *dev = qp->dev;

	if (static_branch_unlikely(&suo_paced))
		suo_flow_marked(qp, hdr, &rx->from);
	suo_stat_add(dev, np_ecn_marked_roce_packets, packets);
	if (static_branch_unlikely(&suo_ce_counted) && READ_ONCE(dev->count_ce))
		suo_stat_add(dev, cc_rx_ce_pkts, packets);
}

/* Packets, one or a row of them, at off in the skb. Return: how many. */
static unsigned int rx_packet(struct suo_rx *rx, unsigned int off,
			      unsigned int len)
{
	const u8 *p = in_one_piece(rx->skb, off, len);
	struct sk_buff *skb = rx->skb;
	struct suo_payload pay;
	struct suo_qp *qp = NULL;
	unsigned int hdr_len, row = 1;
	struct suo_hdr hdr;
	u32 flags;

	if (len < SUO_BTH_LEN + SUO_ICRC_LEN)
		return rx_refuse(rx, NULL, SUO_DROP_SHORT, NULL, len);
	if (p) {
		hdr_len = suo_hdr_get(&hdr, p, len);
		pay.kind = SUO_PAYLOAD_BUF;
		pay.buf = p;
		pay.off = hdr_len;
	} else {
		u8 buf[SUO_MAX_HDR_LEN];
		unsigned int n = min_t(unsigned int, len, sizeof(buf));

		if (skb_copy_bits(skb, off, buf, n))
			return rx_refuse(rx, NULL, SUO_DROP_SHORT, NULL, len);
		hdr_len = suo_hdr_get(&hdr, buf, n);
		pay.kind = SUO_PAYLOAD_SKB;
		pay.skb = skb;
		pay.off = off + hdr_len;
	}
	if (!hdr_len)
		return rx_refuse(rx, NULL, SUO_DROP_HEADER, NULL, len);
	flags = suo_op_flags(hdr.opcode);
	if (hdr.qpn != SUO_MCAST_QPN) {
		qp = rx_find_qp(rx, hdr.qpn, flags & SUO_F_DETH);
		if (!qp)
			return rx_refuse(rx, NULL, SUO_DROP_NO_QP, &hdr, len);
	} else if (!(flags & SUO_F_DETH)) {
		return rx_refuse(rx, NULL, SUO_DROP_SERVICE, &hdr, len);
	}
	if (len < hdr_len + hdr.pad + SUO_ICRC_LEN)
		return rx_refuse(rx, qp, SUO_DROP_LENGTH, &hdr, len);
	pay.len = len - hdr_len - hdr.pad - SUO_ICRC_LEN;
	if (!(flags & SUO_F_PAYLOAD) && pay.len)
		return rx_refuse(rx, qp, SUO_DROP_LENGTH, &hdr, len);
	if ((hdr.pkey & 0x7fff) != (SUO_DEFAULT_PKEY & 0x7fff))
		return rx_refuse(rx, qp, SUO_DROP_PKEY, &hdr, len);
	if (!rx->trusted && !rx_icrc_ok(rx, off, len))
		return rx_refuse(rx, qp, SUO_DROP_ICRC, &hdr, len);
	if (!qp) {
		rx_put_qp(rx);
		if (!suo_mcast_rx(rx->net, &hdr, &pay, &rx->from, skb, rx->nr,
				  rx->head + len))
			rx_refuse(rx, NULL, SUO_DROP_NO_QP, &hdr, len);
		return 1;
	}
	if (rx->trusted && p && pay.len && suo_qp_takes_row(qp, &hdr))
		row = row_len(skb, p, off, len, &hdr);
	if (row > 1) {
		pay.kind = SUO_PAYLOAD_ROW;
		pay.more = row - 1;
		pay.piece = pay.len;
		pay.stride = len;
		pay.len *= row;
	}
	if (is_marked(rx->from.iph))
		rx_marked(rx, qp, &hdr, row);
	suo_stat_add(qp->dev, rcvd_pkts, row);
	suo_stat_add(qp->dev, rx_bytes, row * (rx->head + len));
	suo_trace_rx(qp, &hdr, &pay, rx->from.iph, rx->nr, skb);
	suo_qp_rx(qp, &hdr, &pay, &rx->from);
	return row;
}

/**
 * suo_net_rx() - take a datagram apart
 * @net: namespace
 * @skb: consumed
 * @iph: its IP header, without options; the UDP header follows it
 * @off: of the BTH in the skb
 */
void suo_net_rx(struct net *net, struct sk_buff *skb, const u8 *iph,
		unsigned int off)
{
	struct suo_rx rx = {
		.net = net,
		.skb = skb,
		.from = {
			.iph = iph,
			.skb = skb,
			.ndev = skb->dev,
			.looped = skb->pkt_type == PACKET_LOOPBACK,
			.vlan_id = 0xffff,
		},
		.head = skb->data + off - iph,
		.trusted = skb->ip_summed == CHECKSUM_PARTIAL,
	};
	unsigned int slice = skb->len - off, n, row;

	/* To be fragmented is not to be cut into datagrams. */
	if (skb_is_gso(skb) && (skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4))
		slice = skb_shinfo(skb)->gso_size;
	if (!rx.trusted)
		suo_slice_init(&rx.hdrs, iph);
	if (off >= skb->len)
		rx_drop(net, &rx.from, NULL, SUO_DROP_SHORT, NULL, 0);
	/* Answers leave when all of it has been taken. */
	suo_ports_hold();
	while (off < skb->len) {
		n = min(slice, skb->len - off);
		row = rx_packet(&rx, off, n);
		rx.nr += row;
		off += row * n;
	}
	rx_put_qp(&rx);
	/* What is sent next takes it again. */
	napi_consume_skb(skb, 1);
	suo_ports_release();
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
	const u8 *iph = plain_ip_header(skb);
	struct suo_from from = { .iph = iph, .ndev = skb->dev };

	if (iph && lengths_fit(skb, iph)) {
		suo_net_rx(sock_net(sk), skb, iph, sizeof(struct udphdr));
		return 0;
	}
	rx_drop(sock_net(sk), &from, NULL, iph ? SUO_DROP_LENGTH : SUO_DROP_HEADER, NULL,
		skb->len - sizeof(struct udphdr));
	kfree_skb(skb);
	return 0;
}
