/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NSCC, the sender's congestion control of Ultra Ethernet (UEC specification 1.0,
 * section 3.6): a window that follows the delay in queues and ECN together.
 *
 *		delay < target			delay >= target
 *	no mark	proportional increase		fair increase
 *	mark	none				multiplicative decrease
 *
 * The constants are those of the UEC simulator's defaults; they are scaled by a, the
 * bandwidth-delay product by the reference one (100 Gb/s times 12 us), and b, the
 * target by the reference round trip.
 */
#ifndef SUO_CORE_NSCC_H
#define SUO_CORE_NSCC_H

#include "types.h"

#define SUO_NSCC_REF_RTT_PS	12000000ull
#define SUO_NSCC_REF_BDP_BYTES	150000ull

/**
 * struct suo_nscc_law - the parameters
 * @mss_bytes: payload of a packet
 * @target_percent: of the round trip without queues: the queueing delay aimed at
 * @alpha: proportional increase, in mss a b
 * @fi: fair increase, in mss a
 * @eta_percent: what is added at each adjustment, in hundredths of mss a
 * @gamma_percent: strength of the decrease
 * @adjust_mss: an adjustment comes each round trip, or with so many mss
 * @max_percent: largest window, of the bandwidth-delay product
 */
struct suo_nscc_law {
	u32	mss_bytes;
	u32	target_percent;
	u32	alpha;
	u32	fi;
	u32	eta_percent;
	u32	gamma_percent;
	u32	adjust_mss;
	u32	max_percent;
};

/* 4096, 75, 4, 5, 15, 80, 8, 150 */
void suo_nscc_default(struct suo_nscc_law *law);

/**
 * struct suo_nscc - a flow
 * @base_rtt_ps: round trip without queues
 * @target_ps: queueing delay aimed at
 * @bdp_bytes: bandwidth-delay product
 * @prop_bytes: alpha mss a b
 * @fair_bytes: fi mss a
 * @eta_bytes: eta mss a
 * @window_bytes: the window
 * @average_ps: mean queueing delay, by eighths
 * @increase: bytes times bytes, to be added by the window
 * @acked_bytes: since the last adjustment
 * @adjusted_ps: when it was
 * @decreased_ps: when the window was last decreased
 */
struct suo_nscc {
	u64	base_rtt_ps;
	u64	target_ps;
	u64	bdp_bytes;
	u64	prop_bytes;
	u64	fair_bytes;
	u64	eta_bytes;
	u64	window_bytes;
	u64	average_ps;
	u64	increase;
	u64	acked_bytes;
	u64	adjusted_ps;
	u64	decreased_ps;
};

/* A new flow; its window is the largest. */
void suo_nscc_init(const struct suo_nscc_law *law, struct suo_nscc *flow,
		   u64 line_kbps, u64 base_rtt_ps, u64 now_ps);

/**
 * suo_nscc_ack() - an acknowledgment has come
 * @law: the parameters
 * @flow: the flow
 * @bytes: newly acknowledged
 * @rtt_ps: round trip of the packet that it acknowledges
 * @marked: that packet was marked CE
 * @now_ps: when
 *
 *	proportional:	inc += alpha mss a b (1 - delay / target) bytes
 *	fair:		inc += fi mss a bytes
 *	decrease:	W *= max(1 - gamma (avg - target) / avg, 1/2), once in an RTT
 *	adjustment:	W += inc / W + eta mss a, inc = 0
 */
void suo_nscc_ack(const struct suo_nscc_law *law, struct suo_nscc *flow, u64 bytes,
		  u64 rtt_ps, bool marked, u64 now_ps);

/* A packet was lost or trimmed: the window gives it back. */
void suo_nscc_lost(const struct suo_nscc_law *law, struct suo_nscc *flow, u64 bytes);

#endif /* SUO_CORE_NSCC_H */
