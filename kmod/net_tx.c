// SPDX-License-Identifier: GPL-2.0-only
/* Sending RoCEv2. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/route.h>
#include <net/udp.h>

#include "../model/core/icrc.h"
#include "chunk.h"
#include "compat.h"
#include "copy.h"
#include "mr.h"
#include "net.h"
#include "qp.h"
#include "show.h"
#include "slice.h"

/* What stands in front of the BTH, at most */
#define NET_HDRS	(sizeof(struct ipv6hdr) + sizeof(struct udphdr))
#define NET_HEADROOM	(LL_MAX_HEADER + NET_HDRS)

/* What follows the BTH in the first packet of a chunk, and so in others of a
 * common size too, is aligned as CRC instructions like it.
 */
#define CHUNK_OFF	(16 - SUO_BTH_LEN)
/* A larger packet in linear memory would cost more to clear than a chunk costs
 * to find.
 */
#define MAX_LINEAR	512

/* To another host only by the netdev that has our address; to this one by whatever
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
		fl4.flowi4_oif = av->ifindex;
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
	struct sock *sk = suo_net_sk6(dev->net);
	struct dst_entry *dst;
	struct in6_addr saddr;

	dst = dst_cache_get_ip6(&av->cache, &saddr);
	if (dst)
		return dst;
	if (!sk)
		return ERR_PTR(-EAFNOSUPPORT);
	if (!ipv6_chk_addr(dev->net, &fl6.daddr, NULL, 0))
		fl6.flowi6_oif = av->ifindex;
	dst = ip6_dst_lookup_flow(dev->net, sk, &fl6, NULL);
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

/**
 * struct icrc_row - the packets of a datagram
 * @rows: what their ICRCs have in common, by whether they are requests
 * @hdrs: the headers of the packet at hand
 * @slice: bytes in each but the last
 * @nr: how many have theirs
 */
struct icrc_row {
	struct suo_icrc_row	*rows;
	struct suo_slice_hdrs	hdrs;
	unsigned int		slice;
	unsigned int		nr;
};

static void put_row(struct icrc_row *r, u8 *p, unsigned int left)
{
	unsigned int n;
	__le32 icrc;
	u8 *from;
	u32 crc;

	for (; left; left -= n, p += n) {
		n = min(left, r->slice);
		suo_slice_set(&r->hdrs, r->nr++, n);
		crc = suo_icrc_row_head(&r->rows[!!(suo_op_flags(p[0]) &
						    SUO_F_REQUEST)],
					r->hdrs.ip, r->hdrs.udp, p);
		from = p + SUO_ICRC_ROW_HEAD;
		crc = suo_crc32(crc, from, n - SUO_ICRC_ROW_HEAD - SUO_ICRC_LEN);
		icrc = cpu_to_le32(suo_icrc_end(crc));
		memcpy(p + n - SUO_ICRC_LEN, &icrc, sizeof(icrc));
	}
}

/* Each packet gets its own ICRC, over the headers that segmentation would give
 * it. IPv4 counts the identification up from the first one's.
 */
static void put_icrcs(struct sk_buff *skb, unsigned int slice,
		      struct suo_icrc_row *rows)
{
	u8 *p = (u8 *)(udp_hdr(skb) + 1);
	struct icrc_row r = { .rows = rows, .slice = slice };
	unsigned int i;

	suo_slice_init(&r.hdrs, skb_network_header(skb));
	put_row(&r, p, skb_tail_pointer(skb) - p);
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		put_row(&r, skb_frag_address(frag), skb_frag_size(frag));
	}
}

/* May packets share a datagram on their way to dst? Where the netdev is asked
 * to segment: "ethtool -K DEV tx-udp-segmentation off" shows each on the wire.
 * A NIC that is paced sends, and spaces, one packet at a time.
 */
static unsigned int max_slices(const struct suo_dev *dev,
			       const struct dst_entry *dst)
{
	if (READ_ONCE(dev->nic.timed) ||
	    ~dst->dev->features & (NETIF_F_GSO_UDP_L4 | NETIF_F_SG))
		return 1;
	return SUO_MAX_SLICES;
}

/* Of a small packet: from the processor's own store, which the receiver fills
 * again. Fragments of more than a page are not always to be had there.
 */
static struct sk_buff *alloc_head(unsigned int len)
{
	unsigned int size = SKB_DATA_ALIGN(NET_HEADROOM + len) +
			    SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct sk_buff *skb = NULL;
	void *data;

	if (len > MAX_LINEAR) {
		skb = alloc_skb(NET_HEADROOM + len, GFP_ATOMIC);
	} else {
		data = napi_alloc_frag(size);
		if (data)
			skb = napi_build_skb(data, size);
		if (data && !skb)
			skb_free_frag(data);
	}
	if (skb)
		skb_reserve(skb, NET_HEADROOM);
	return skb;
}

static void add_chunk(struct sk_buff *skb, struct page *page)
{
	skb_fill_page_desc(skb, skb_shinfo(skb)->nr_frags, page, CHUNK_OFF, 0);
	skb->truesize += SUO_CHUNK_BYTES;
}

/* The skb of a packet's datagram, which has room for len bytes. */
static int start(struct suo_dev *dev, struct suo_pkt *pkt, struct suo_av *av,
		 unsigned int len, bool more)
{
	unsigned int slices, limit;
	struct page *page = NULL;
	struct dst_entry *dst;
	struct sk_buff *skb;

	if (READ_ONCE(dev->detached))
		return -ENODEV;
	dst = av->family == AF_INET ? route4(dev, av) : route6(dev, av);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	slices = max_slices(dev, dst);
	if (slices > 1 && (more || len + pkt->room > MAX_LINEAR))
		page = suo_chunk_get();
	limit = min_t(unsigned int, READ_ONCE(dst->dev->gso_max_size), U16_MAX);
	pkt->slice = len;
	pkt->paged = page;
	pkt->max_bytes = limit > NET_HDRS ? limit - NET_HDRS : 0;
	pkt->max_slices = 1;
	if (len < pkt->max_bytes && ((page && more) || pkt->room))
		pkt->max_slices = slices;
	skb = alloc_head(page ? 0 : len + pkt->room);
	if (!skb)
		goto err_skb;
	if (page)
		add_chunk(skb, page);
	skb_dst_set(skb, dst);
	skb->dev = dst->dev;
	skb->priority = av->priority;
	pkt->skb = skb;
	return 0;

err_skb:
	if (page)
		put_page(page);
	dst_release(dst);
	return -ENOMEM;
}

/* Where to put the next len bytes; they count once room_use() says so. */
static u8 *room_get(struct suo_pkt *pkt, unsigned int len)
{
	struct skb_shared_info *sh = skb_shinfo(pkt->skb);
	struct sk_buff *skb = pkt->skb;
	struct page *page;
	skb_frag_t *frag;

	if (!pkt->paged)
		return skb_tailroom(skb) >= len ? skb_tail_pointer(skb) : NULL;
	frag = &sh->frags[sh->nr_frags - 1];
	if (CHUNK_OFF + skb_frag_size(frag) + len > SUO_CHUNK_BYTES) {
		page = sh->nr_frags < MAX_SKB_FRAGS ? suo_chunk_get() : NULL;
		if (!page)
			return NULL;
		add_chunk(skb, page);
		frag++;
	}
	return (u8 *)skb_frag_address(frag) + skb_frag_size(frag);
}

static void room_use(struct suo_pkt *pkt, unsigned int len)
{
	struct skb_shared_info *sh = skb_shinfo(pkt->skb);
	struct sk_buff *skb = pkt->skb;

	if (!pkt->paged) {
		skb_put(skb, len);
		return;
	}
	skb_frag_size_add(&sh->frags[sh->nr_frags - 1], len);
	skb->len += len;
	skb->data_len += len;
}

/**
 * suo_net_add() - put a packet into a datagram
 * @dev: sender
 * @pkt: headers and payload are set; the first call makes the datagram
 * @av: where to
 * @more: further packets may follow
 *
 * Several packets can leave as one datagram of which the netdev, or whoever
 * needs them apart, makes as many by UDP segmentation: they are of one length
 * but for the last, which may be shorter.
 *
 * Return: 0; -E2BIG if the packet has to go into another datagram; -EACCES or
 * -EFAULT if the payload cannot be read; -ENODEV while the netdev is going
 * away; -ENOMEM; or what routing says.
 */
int suo_net_add(struct suo_dev *dev, struct suo_pkt *pkt, struct suo_av *av,
		bool more)
{
	unsigned int len = suo_hdr_len(pkt->hdr.opcode) + pkt->pay.len +
			   pkt->hdr.pad + SUO_ICRC_LEN;
	int err;
	u8 *p;

	if (!pkt->skb) {
		err = start(dev, pkt, av, len, more);
		if (err)
			return err;
	} else if (suo_pkt_full(pkt) || len > pkt->slice ||
		   pkt->skb->len + len > pkt->max_bytes) {
		return -E2BIG;
	}
	p = room_get(pkt, len);
	if (!p)
		return pkt->slices ? -E2BIG : -ENOMEM;
	p += suo_hdr_put(p, &pkt->hdr);
	err = suo_payload_read(&pkt->pay, 0, p, pkt->pay.len);
	if (err)
		return err;
	memset(p + pkt->pay.len, 0, pkt->hdr.pad);
	room_use(pkt, len);
	pkt->slices++;
	pkt->full = len < pkt->slice;
	return 0;
}

/**
 * suo_net_add_run() - more packets like the last one
 * @pkt: its last packet is as long as the first; the headers and payload of
 *	those that follow differ in number and place only
 * @max: how many, at most
 *
 * Return: how many there are more now.
 */
u32 suo_net_add_run(struct suo_pkt *pkt, u32 max)
{
	struct suo_payload *pay = &pkt->pay;
	u32 n = 0, len = pay->len;
	struct suo_mr *mr;
	int err;
	u64 va = 0;
	u8 *p;

	max = min3(max, pkt->max_slices - pkt->slices,
		   (pkt->max_bytes - pkt->skb->len) / pkt->slice);
	pay->off += len;
	mr = suo_payload_region(pay, max * len, &va);
	for (; n < max; n++) {
		p = room_get(pkt, pkt->slice);
		if (!p)
			break;
		pkt->hdr.psn = suo_psn_add(pkt->hdr.psn, 1);
		p += suo_hdr_put(p, &pkt->hdr);
		err = 0;
		if (mr)
			suo_mr_read(mr, va, p, len);
		else
			err = suo_payload_read(pay, 0, p, len);
		/* What is wrong shows when it is tried by itself. */
		if (err)
			break;
		va += len;
		pay->off += len;
		room_use(pkt, pkt->slice);
		pkt->slices++;
	}
	if (mr)
		suo_mr_put(mr);
	return n;
}

static void put_udp_check(struct sk_buff *skb, const struct suo_av *av)
{
	struct udphdr *udp = udp_hdr(skb);

	if (av->family == AF_INET)
		udp->check = ~udp_v4_check(skb->len, av->saddr4.s_addr,
					   av->daddr4.s_addr, 0);
	else
		udp->check = ~udp_v6_check(skb->len, &av->saddr6, &av->daddr6,
					   0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

/**
 * suo_net_end() - finish a datagram
 * @pkt: has one packet or more
 * @av: where to
 * @sport: UDP source port
 * @rows: SUO_ICRC_ROWS of them, for packets to one place from one port
 */
void suo_net_end(struct suo_pkt *pkt, struct suo_av *av, u16 sport,
		 struct suo_icrc_row *rows)
{
	struct sk_buff *skb = pkt->skb;

	put_udp(skb, sport);
	/* Segmentation needs a checksum to adjust; one packet goes without, as
	 * from other implementations.
	 */
	if (pkt->slices > 1) {
		skb_shinfo(skb)->gso_size = pkt->slice;
		skb_shinfo(skb)->gso_segs = pkt->slices;
		skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
		put_udp_check(skb, av);
	}
	if (av->family == AF_INET)
		put_ip4(skb, av);
	else
		put_ip6(skb, av);
	put_icrcs(skb, pkt->slice, rows);
	pkt->wire_bytes = skb->len + SUO_ETH_OVERHEAD;
}

/**
 * suo_net_xmit() - hand a finished datagram to the stack
 * @dev: the device
 * @skb: the datagram, consumed
 * @qpn: its sender
 */
void suo_net_xmit(struct suo_dev *dev, struct sk_buff *skb, u32 qpn)
{
	struct net *net = dev_net(skb_dst(skb)->dev);
	u32 packets = 1, bytes = skb->len;
	int err;

	if (READ_ONCE(dev->detached)) {
		kfree_skb(skb);
		return;
	}
	suo_trace_tx(dev, qpn, skb);
	if (skb_is_gso(skb)) {
		/* Each packet has its headers once they are apart. */
		packets = skb_shinfo(skb)->gso_segs;
		bytes += (packets - 1) * (skb_transport_offset(skb) +
					  sizeof(struct udphdr));
	}
	suo_stat_add(dev, sent_pkts, packets);
	suo_stat_add(dev, tx_bytes, bytes);
	if (skb->protocol == htons(ETH_P_IP))
		err = ip_local_out(net, NULL, skb);
	else
		err = ip6_local_out(net, NULL, skb);
	if (net_xmit_eval(err))
		suo_send_err(dev, qpn, err);
}
