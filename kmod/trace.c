// SPDX-License-Identifier: GPL-2.0-only
/* What tracepoints are given, computed only while they are on. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "cc.h"
#include "pkt.h"
#include "qp.h"
#include "show.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* The kind of an answer, without what depends on the kind; IBA table 46 */
u8 suo_trace_aeth(const struct suo_hdr *hdr)
{
	if (!(suo_op_flags(hdr->opcode) & SUO_F_AETH))
		return SUO_TRACE_NONE;
	switch (hdr->syndrome & SUO_SYN_KIND) {
	case SUO_SYN_RNR_NAK:
		return SUO_SYN_RNR_NAK;
	case SUO_SYN_NAK_PSN_SEQ & SUO_SYN_KIND:
		return hdr->syndrome;
	default:
		return 0;
	}
}

static void set_addrs(struct suo_trace_pkt *pkt, const u8 *iph)
{
	const struct ipv6hdr *ip6h = (const struct ipv6hdr *)iph;
	const struct iphdr *ip4h = (const struct iphdr *)iph;

	if (ip4h->version == 4) {
		ipv6_addr_set_v4mapped(ip4h->saddr, &pkt->src);
		ipv6_addr_set_v4mapped(ip4h->daddr, &pkt->dst);
	} else {
		pkt->src = ip6h->saddr;
		pkt->dst = ip6h->daddr;
	}
}

/* Each packet of a datagram, out of the datagram as it leaves. */
void __suo_trace_tx(const struct suo_dev *dev, u32 qpn,
		    const struct sk_buff *skb)
{
	unsigned int off = skb_transport_offset(skb) + sizeof(struct udphdr);
	unsigned int slice = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size :
					       skb->len - off;
	struct suo_trace_pkt pkt = {
		.qpn = qpn,
		.of = DIV_ROUND_UP(skb->len - off, slice),
	};
	struct suo_hdr hdr;

	pkt.hdr = &hdr;
	set_addrs(&pkt, skb_network_header(skb));
	for (; off < skb->len; off += slice) {
		unsigned int n, len = min(slice, skb->len - off);
		u8 buf[SUO_MAX_HDR_LEN];

		n = min_t(unsigned int, len, sizeof(buf));
		if (skb_copy_bits(skb, off, buf, n))
			return;
		n = suo_hdr_get(&hdr, buf, n);
		pkt.peer = hdr.qpn;
		pkt.psn = hdr.psn;
		pkt.len = len - n - hdr.pad - SUO_ICRC_LEN;
		pkt.nr++;
		trace_suo_tx(dev, &pkt);
	}
}

static u32 peer_of(const struct suo_qp *qp, const struct suo_hdr *hdr)
{
	return suo_qp_is_ud(qp) ? hdr->src_qpn : qp->attr.dest_qp_num;
}

/* Each packet of a row. Those after the first differ in number; what the last
 * asks for, the headers ask for already.
 */
void __suo_trace_rx(const struct suo_qp *qp, const struct suo_hdr *hdr,
		    const struct suo_payload *pay, const u8 *iph,
		    unsigned int nr, unsigned int of)
{
	struct suo_trace_pkt pkt = {
		.psn = hdr->psn,
		.len = suo_payload_pkt_len(pay),
		.qpn = qp->ibqp.qp_num,
		.peer = peer_of(qp, hdr),
		.nr = nr,
		.of = of,
	};
	unsigned int i, row = suo_payload_pkts(pay);
	struct suo_hdr each = *hdr;

	pkt.hdr = &each;
	set_addrs(&pkt, iph);
	for (i = 0; i < row; i++) {
		each.ackreq = hdr->ackreq && i == row - 1;
		pkt.nr++;
		trace_suo_rx(qp->dev, &pkt);
		pkt.psn = suo_psn_add(pkt.psn, 1);
	}
}

/* A packet of the scale-up path; the queue pair is locked. */
void __suo_trace_su(const struct suo_qp *qp, const struct suo_hdr *hdr,
		    const struct suo_payload *pay, bool tx)
{
	const struct suo_av *av = qp->av;
	struct suo_trace_pkt pkt = {
		.hdr = hdr,
		.psn = hdr->psn,
		.len = pay->len,
		.qpn = qp->ibqp.qp_num,
		.peer = qp->attr.dest_qp_num,
		.su = true,
		.nr = 1,
		.of = 1,
	};

	if (av && av->family == AF_INET) {
		ipv6_addr_set_v4mapped(av->saddr4.s_addr, &pkt.src);
		ipv6_addr_set_v4mapped(av->daddr4.s_addr, &pkt.dst);
	} else if (av) {
		pkt.src = av->saddr6;
		pkt.dst = av->daddr6;
	}
	if (tx) {
		trace_suo_tx(qp->dev, &pkt);
	} else {
		swap(pkt.src, pkt.dst);
		trace_suo_rx(qp->dev, &pkt);
	}
}
