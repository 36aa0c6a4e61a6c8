/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The link law: how many bytes a payload becomes on a link, how long they take
 * and when a port is free again. Units are in the names: rates in megabits a
 * second (10^6 bit/s), times in picoseconds.
 */
#ifndef SUO_CORE_LINK_H
#define SUO_CORE_LINK_H

#include "types.h"

/**
 * struct suo_link_law - one direction of a link, lanes already summed
 * @rate_mbps: raw signalling rate, megabit/s; 0 means infinitely fast
 * @latency_ps: from the last bit leaving the sender to the last bit usable by
 *	the receiver: FEC, propagation and switch stages together
 * @max_payload_bytes: largest payload of one link packet; 0 means no limit
 * @header_bytes: framing of each link packet (headers, CRC, gaps)
 * @flit_bytes: each link packet is padded to a multiple of this; 0 or 1: none
 */
struct suo_link_law {
	u64	rate_mbps;
	u64	latency_ps;
	u32	max_payload_bytes;
	u32	header_bytes;
	u32	flit_bytes;
};

/**
 * suo_link_wire_bytes() - bytes on the wire for a payload
 * @law: the link
 * @payload_bytes: payload of one message; 0 is a message of headers only
 *
 * Return: payload cut into packets of max_payload_bytes, each with its header
 * and rounded up to whole flits.
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
 * struct suo_link_clock - when a port's two directions are free again
 * @tx_free_ps: modelled time at which the next bit may leave
 * @rx_free_ps: modelled time, at the sender's end of the link, from which the
 *	receiving direction can take the next bit
 */
struct suo_link_clock {
	u64	tx_free_ps;
	u64	rx_free_ps;
};

/**
 * suo_link_reserve() - take both ends of a path for one transmission
 * @law: the link
 * @src: the sending port; its tx direction is taken
 * @dst: the receiving port, whose rx direction is taken; NULL if unmodelled
 * @ready_ps: earliest start
 * @wire_bytes: bytes on the wire
 *
 * The transmission starts when it is ready and both directions are free, and
 * holds both until the last bit has left: a crossbar without internal queues.
 *
 * Return: the modelled time at which the last bit has arrived.
 */
u64 suo_link_reserve(const struct suo_link_law *law, struct suo_link_clock *src,
		     struct suo_link_clock *dst, u64 ready_ps, u64 wire_bytes);

#endif /* SUO_CORE_LINK_H */
