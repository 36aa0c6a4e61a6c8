/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets for the tracepoints suo_tx and suo_rx; a no-op while they are off. */
#ifndef SUO_SHOW_H
#define SUO_SHOW_H

#include "trace.h"

struct sk_buff;
struct suo_payload;

void __suo_trace_tx(const struct suo_dev *dev, u32 qpn,
		    const struct sk_buff *skb);
void __suo_trace_rx(const struct suo_qp *qp, const struct suo_hdr *hdr,
		    const struct suo_payload *pay, const u8 *iph,
		    unsigned int nr, unsigned int of);
void __suo_trace_su(const struct suo_qp *qp, const struct suo_hdr *hdr,
		    const struct suo_payload *pay, bool tx);

/* A datagram leaves; qpn is its sender. */
static inline void suo_trace_tx(const struct suo_dev *dev, u32 qpn,
				const struct sk_buff *skb)
{
	if (trace_suo_tx_enabled())
		__suo_trace_tx(dev, qpn, skb);
}

/* A packet, or a row of them, has come for a queue pair; nr of the skb's packets
 * came before it.
 */
static inline void suo_trace_rx(const struct suo_qp *qp,
				const struct suo_hdr *hdr,
				const struct suo_payload *pay, const u8 *iph,
				unsigned int nr, const struct sk_buff *skb)
{
	if (trace_suo_rx_enabled())
		__suo_trace_rx(qp, hdr, pay, iph, nr,
			       max_t(u16, skb_shinfo(skb)->gso_segs, 1));
}

static inline void suo_trace_su_tx(const struct suo_qp *qp,
				   const struct suo_hdr *hdr,
				   const struct suo_payload *pay)
{
	if (trace_suo_tx_enabled())
		__suo_trace_su(qp, hdr, pay, true);
}

static inline void suo_trace_su_rx(const struct suo_qp *qp,
				   const struct suo_hdr *hdr,
				   const struct suo_payload *pay)
{
	if (trace_suo_rx_enabled())
		__suo_trace_su(qp, hdr, pay, false);
}

#endif /* SUO_SHOW_H */
