/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bit errors and credits leave of a link's rate, on average. */
#ifndef SUO_CLUSTER_GOODPUT_H
#define SUO_CLUSTER_GOODPUT_H

#include "model/core/link.h"

/**
 * suo_packet_error_rate() - chance that a packet is hit
 * @law: the link
 * @wire_bytes: bytes of the packet on the wire
 *
 * Return: 1 - exp(-b n) for n bits and b errors a bit; b n for small ones.
 */
double suo_packet_error_rate(const struct suo_link_law *law, u64 wire_bytes);

/**
 * suo_retry_share() - what is left of a link's rate once errors are repaired
 * @law: the link
 * @segment_bytes: payload that the transport sends, and repeats, at one go
 *
 * Of a sender that always has something to send. With p the chance that a packet
 * is hit, S its serialisation time and T the time until the sender knows of it:
 *
 *	llr:	1 - p
 *	gbn:	(1 - p) / (1 + p T / S), T = retry_ps
 *	none:	the same with p and S of a whole segment, which the transport goes
 *		back to when the next one arrives out of its turn: T is the
 *		segment, the latency, and the latency and serialisation of the
 *		acknowledgment that tells it
 *
 * Selective repeat and go-back-N with a window of 1 + T / S packets: Bertsekas
 * and Gallager, "Data Networks", 2nd edition, 1992, section 2.4. What is left out:
 * the transport's timeout after the loss of a message's last segment or of an
 * acknowledgment, and packets that are lost although the link repeats them.
 *
 * Return: from 0 to 1.
 */
double suo_retry_share(const struct suo_link_law *law, u64 segment_bytes);

/**
 * suo_goodput_mbps() - payload rate of a flow that never ends
 * @law: the link
 * @segment_bytes: as above
 *
 * Return: the rate, Mb/s: the raw rate times what framing and errors leave of it;
 * or, if that is less, what the credit window allows, credit_bytes on the wire in
 * credit_rtt_ps. 0 for an infinitely fast link.
 */
double suo_goodput_mbps(const struct suo_link_law *law, u64 segment_bytes);

/**
 * suo_link_on_average() - a law without chance
 * @law: the link
 * @segment_bytes: as above
 * @average: where to store the law: without errors, and slower by what they cost.
 *	May be @law.
 */
void suo_link_on_average(const struct suo_link_law *law, u64 segment_bytes,
			 struct suo_link_law *average);

/**
 * suo_credit_end_ps() - when credits let a transmission from idle end
 * @law: the link
 * @wire_bytes: bytes on the wire
 *
 * Return: S(credit) + (wire_bytes - credit) credit_rtt / credit, from its start;
 * 0 if credits do not hold it back. See suo_link_reserve().
 */
u64 suo_credit_end_ps(const struct suo_link_law *law, u64 wire_bytes);

#endif /* SUO_CLUSTER_GOODPUT_H */
