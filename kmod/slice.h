/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets that travel as one datagram: the headers that each has once they are
 * apart, which its ICRC covers. Lengths are its own; the IPv4 identification
 * counts up from the datagram's (inet_gso_segment(), and hardware likewise).
 */
#ifndef SUO_SLICE_H
#define SUO_SLICE_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "../model/core/icrc.h"

/* As many as UDP sockets take */
#define SUO_MAX_SLICES	64

struct suo_slice_hdrs {
	union {
		u8		ip[SUO_IPV6_HDR_LEN];
		struct iphdr	ip4h;
		struct ipv6hdr	ip6h;
	};
	union {
		u8		udp[SUO_UDP_HDR_LEN];
		struct udphdr	udph;
	};
	u16	id;
};

/* Of a datagram whose UDP header follows its IP header. */
static inline void suo_slice_init(struct suo_slice_hdrs *h, const u8 *iph)
{
	unsigned int len = iph[0] >> 4 == 4 ? SUO_IPV4_HDR_LEN :
					      SUO_IPV6_HDR_LEN;

	memcpy(h->ip, iph, len);
	memcpy(h->udp, iph + len, SUO_UDP_HDR_LEN);
	h->id = len == SUO_IPV4_HDR_LEN ? ntohs(h->ip4h.id) : 0;
}

/* Packet nr, which has len bytes from its BTH to its ICRC. */
static inline void suo_slice_set(struct suo_slice_hdrs *h, unsigned int nr,
				 unsigned int len)
{
	len += SUO_UDP_HDR_LEN;
	h->udph.len = htons(len);
	if (h->ip[0] >> 4 == 4) {
		h->ip4h.id = htons(h->id + nr);
		h->ip4h.tot_len = htons(len + SUO_IPV4_HDR_LEN);
	} else {
		h->ip6h.payload_len = htons(len);
	}
}

#endif /* SUO_SLICE_H */
