/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The link law: how many bytes a payload becomes on a link, how long they take,
 * what holds the sender back, what bit errors cost, and when a port is free
 * again. Units are in the names: rates in megabits a second (10^6 bit/s), times
 * in picoseconds. What does not fit into 64 bits becomes U64_MAX: never.
 *
 * Documentation/design/domain.rst explains the law and its limits.
 */
#ifndef SUO_CORE_LINK_H
#define SUO_CORE_LINK_H

#include "types.h"

/* What becomes of a packet that bit errors have hit. */
enum suo_link_retry {
	SUO_LINK_NONE,	/* it is lost, and with it the transmission */
	SUO_LINK_LLR,	/* the link sends this packet again, only this one */
	SUO_LINK_GBN,	/* the link goes back to it and sends on from there */
	SUO_LINK_RETRIES,
};

/* The largest values of a law; the least is 0, except where it is said. */
#define SUO_LINK_MAX_RATE_MBPS		100000000ull	/* 100 Tb/s */
#define SUO_LINK_MAX_LATENCY_PS		1000000000000ull /* of a part: 1 s */
#define SUO_LINK_MAX_STAGES		16
#define SUO_LINK_MAX_PAYLOAD_BYTES	1073741824	/* of a packet */
#define SUO_LINK_MAX_FRAMING_BYTES	65536		/* header, flit, packet */
#define SUO_LINK_MAX_FRAME_BYTES	4096
#define SUO_LINK_MAX_BUFFER_BYTES	67108864
#define SUO_LINK_MAX_CREDIT_BYTES	1073741824
#define SUO_LINK_MAX_RTT_PS		1000000000ull	/* 1 ms */
#define SUO_LINK_MAX_ERRORS_PER_PBIT	100000000000ull	/* one in 10^4 bits */

/* What the scale-up path sends at one go: contracts.rst. */
#define SUO_UP_SEGMENT_BYTES		16384u

/* Tries of one packet, and packets hit in one transmission: more, and it is
 * lost. The second bounds what a caller may have to wait for; it takes a link
 * that hits most of its packets.
 */
#define SUO_LINK_MAX_TRIES		16
#define SUO_LINK_MAX_HITS		256

/**
 * struct suo_link_law - one direction of a port of a fabric
 * @rate_mbps: raw signalling rate; 0: infinitely fast. All links and lanes of
 *	the port together: a packet is striped over them.
 * @endpoint_ps: latency of both ends together
 * @switch_ps: latency of one switch
 * @fec_ps: latency of forward error correction, each hop
 * @propagation_ps: latency of the cable, each hop
 * @stages: switches from port to port; 0: a cable
 * @max_payload_bytes: largest payload of one link packet; 0: no limit
 * @header_bytes: framing of each link packet (headers, CRC, gaps)
 * @flit_bytes: each link packet is padded to a multiple of this; 0 or 1: not
 * @min_packet_bytes: and to this at least
 * @frame_bytes: link packets travel in frames of so many bytes, which they share
 * @frame_payload_bytes: bytes of a frame that are left for link packets; 0, or
 *	not less than @frame_bytes: no frames
 * @buffer_bytes: what a switch stores for a receiver that is busy before it
 *	holds the senders back; 0: they wait for the receiver
 * @credit_bytes: what a sender may have on the way before credits come back; 0:
 *	no credits
 * @credit_rtt_ps: from a byte's departure to the return of its credit
 * @errors_per_pbit: bit errors, of 10^15 bits from port to port
 * @retry: enum suo_link_retry
 * @retry_ps: from the end of a packet until its sender knows that it was hit
 * @seed: of the random numbers; each port's are its own
 * @reduce_ps: what a switch takes to make one of the parts of many: link_many.h
 */
struct suo_link_law {
	u64	rate_mbps;
	u64	endpoint_ps;
	u64	switch_ps;
	u64	fec_ps;
	u64	propagation_ps;
	u32	stages;
	u32	max_payload_bytes;
	u32	header_bytes;
	u32	flit_bytes;
	u32	min_packet_bytes;
	u32	frame_bytes;
	u32	frame_payload_bytes;
	u32	buffer_bytes;
	u32	credit_bytes;
	u32	retry;
	u64	credit_rtt_ps;
	u64	errors_per_pbit;
	u64	retry_ps;
	u64	seed;
	u64	reduce_ps;
};

/**
 * suo_link_latency_ps() - latency from port to port
 * @law: the link
 *
 * Return: endpoint + stages * switch + (stages + 1) * (fec + propagation): from
 * the last bit leaving the sender to the last bit usable by the receiver.
 */
u64 suo_link_latency_ps(const struct suo_link_law *law);

/**
 * suo_link_packets() - link packets of a payload
 * @law: the link
 * @payload_bytes: of one transmission; 0 is a packet of headers only
 */
u64 suo_link_packets(const struct suo_link_law *law, u64 payload_bytes);

/**
 * suo_link_wire_bytes() - bytes on the wire for a payload
 * @law: the link
 * @payload_bytes: of one transmission; 0 is a packet of headers only
 *
 * Return: the payload cut into packets of max_payload_bytes, each with its header
 * and padded to whole flits and to min_packet_bytes; these put into frames, whose
 * last one is shared with what comes next, so that only its part counts.
 */
u64 suo_link_wire_bytes(const struct suo_link_law *law, u64 payload_bytes);

/**
 * suo_link_ser_ps() - serialisation time
 * @law: the link
 * @wire_bytes: bytes on the wire
 *
 * Return: wire_bytes * 8 * 10^6 / rate_mbps, rounded up; 0 for an infinitely
 * fast link.
 */
u64 suo_link_ser_ps(const struct suo_link_law *law, u64 wire_bytes);

/**
 * struct suo_link_clock - the state of a port's two directions
 * @tx_free_ps: modelled time at which the next bit may leave
 * @rx_free_ps: modelled time, at the sender's end of the link, at which the
 *	receiving direction has worked off all that it was given
 * @held_ps: what left later does not come out of the first link before this:
 *	a packet before it is being sent again
 * @credit_ps: when the window would be full if nothing more was sent
 * @error_bits: bits that still leave unhurt, and the one that does not
 * @random: state of the generator
 * @errors_per_pbit: that @error_bits was drawn by; 0: it was not
 * @seed: that @random began with
 * @id: tells this port from others with the same seed; set by the owner
 */
struct suo_link_clock {
	u64	tx_free_ps;
	u64	rx_free_ps;
	u64	held_ps;
	u64	credit_ps;
	u64	error_bits;
	u64	random;
	u64	errors_per_pbit;
	u64	seed;
	u32	id;
};

/**
 * struct suo_link_result - what became of one transmission
 * @start_ps: its first bit leaves
 * @arrival_ps: its last bit has arrived
 * @queue_ps: it waited for the receiving port, in the switch or before it
 * @queue_bytes: which had so many to pass on first
 * @stall_ps: the sender was held back, by the switch or for want of credits
 * @wire_bytes: bytes on the wire, without those that were sent again
 * @packets: link packets
 * @retries: packets sent again, each time counted
 * @lost: it does not arrive; at arrival_ps it would have
 */
struct suo_link_result {
	u64	start_ps;
	u64	arrival_ps;
	u64	queue_ps;
	u64	queue_bytes;
	u64	stall_ps;
	u64	wire_bytes;
	u32	packets;
	u32	retries;
	bool	lost;
};

/**
 * suo_link_pace() - take a link on which nothing but time counts
 * @law: the link, of which rate and latency are used
 * @src: the sending port; its tx direction is taken
 * @ready_ps: earliest start
 * @wire_bytes: bytes on the wire
 *
 * Return: the modelled time at which the last bit has arrived.
 */
u64 suo_link_pace(const struct suo_link_law *law, struct suo_link_clock *src,
		  u64 ready_ps, u64 wire_bytes);

/**
 * suo_link_reserve() - take both ends of a path for one transmission
 * @law: the link
 * @src: the sending port; its tx direction is taken
 * @dst: the receiving port, whose rx direction is taken; NULL if unmodelled
 * @ready_ps: earliest start
 * @payload_bytes: what is sent, in one or more link packets
 * @res: where the result goes
 *
 * With S(b) the serialisation time of b bytes and w those of this transmission,
 * the sender starts at
 *
 *	start = max(ready, tx_free, rx_free - S(buffer))
 *
 * and has sent at sent = start + S(w), or later where credits or errors say so.
 * The receiving port passes the bytes on as they come (cut-through), in the order
 * in which they were taken, and each takes its time once:
 *
 *	rx_free' = max(start, rx_free) + S(w)
 *	out      = max(sent, rx_free')
 *	tx_free' = max(sent, out - S(buffer))
 *	arrival  = out + latency
 *
 * Credits are a leaky bucket (the virtual scheduling form of GCRA, ITU-T I.371):
 * where credit_rtt > S(credit), one flow from idle of w >= credit bytes has sent
 * at S(credit) + (w - credit) * credit_rtt / credit, and time without sending
 * refills the window.
 *
 * Errors: with p the chance that a packet is hit and S its serialisation time,
 * of a sender that always has something to send the link carries
 *
 *	llr:	1 - p				of what it would carry,
 *	gbn:	(1 - p) / (1 + p retry_ps / S)
 *
 * (selective repeat; go-back-N with a window of W = 1 + retry_ps / S packets:
 * (1 - p) / (1 - p + p W). Bertsekas and Gallager, "Data Networks", 1992, 2.4).
 * With llr, what was sent behind a packet that was hit waits for it.
 */
void suo_link_reserve(const struct suo_link_law *law,
		      struct suo_link_clock *src, struct suo_link_clock *dst,
		      u64 ready_ps, u64 payload_bytes,
		      struct suo_link_result *res);

/**
 * suo_link_errors() - let bit errors hit a transmission
 * @law: the link; errors_per_pbit is not 0
 * @src: the sending port
 * @start_ps: when its first bit leaves
 * @packet_bytes: bytes on the wire of each packet but the last
 * @res: wire_bytes is set; retries and lost are filled in
 *
 * Return: for how much longer than without errors it takes the sender.
 */
u64 suo_link_errors(const struct suo_link_law *law, struct suo_link_clock *src,
		    u64 start_ps, u64 packet_bytes, struct suo_link_result *res);

#endif /* SUO_CORE_LINK_H */
