/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The link law where a switch does more than pass things on: one transmission that goes
 * to many ports, and one that many ports send a part of, which the switch makes one of.
 * The ports are the caller's to go through, one by one.
 *
 * To many: find the latest rx_free_ps of all receivers; suo_link_to_many(); then
 * suo_link_take_rx() for each.
 *
 * From many: suo_link_many_begin(); suo_link_many_add() for each sender;
 * suo_link_many_end(); then suo_link_hold_tx() for each.
 */
#ifndef SUO_CORE_LINK_MANY_H
#define SUO_CORE_LINK_MANY_H

#include "link.h"

/**
 * suo_link_to_many() - take a sender's link for all receivers at once
 * @law: the links
 * @src: the sending port
 * @rx_free_ps: the latest of all receivers'
 * @ready_ps: earliest start
 * @payload_bytes: what is sent, once
 * @res: what has become of it; it has arrived when the last copy has
 *
 * As suo_link_reserve() to the receiver that is busiest.
 */
void suo_link_to_many(const struct suo_link_law *law, struct suo_link_clock *src,
		      u64 rx_free_ps, u64 ready_ps, u64 payload_bytes,
		      struct suo_link_result *res);

/**
 * suo_link_take_rx() - take one receiver's link for its copy
 * @law: the links
 * @dst: the receiving port
 * @res: from suo_link_to_many(); queue_ps and queue_bytes become this receiver's
 *
 *	rx_free' = max(start, rx_free) + S(w)
 */
void suo_link_take_rx(const struct suo_link_law *law, struct suo_link_clock *dst,
		      struct suo_link_result *res);

/**
 * suo_link_many_begin() - when senders may begin to send to one receiver
 * @law: the links
 * @dst: the receiving port
 * @ready_ps: earliest start
 * @res: to be passed on
 *
 * Return: max(ready, rx_free - S(buffer)).
 */
u64 suo_link_many_begin(const struct suo_link_law *law,
			const struct suo_link_clock *dst, u64 ready_ps,
			struct suo_link_result *res);

/**
 * suo_link_many_add() - take one sender's link for its part
 * @law: the links
 * @src: the sending port, from which it leaves as soon as that is free
 * @start_ps: from suo_link_many_begin()
 * @payload_bytes: of each part, and of what becomes of them
 * @part: what has become of it
 * @res: what has become of all so far
 */
void suo_link_many_add(const struct suo_link_law *law, struct suo_link_clock *src,
		       u64 start_ps, u64 payload_bytes,
		       struct suo_link_result *part, struct suo_link_result *res);

/**
 * suo_link_many_end() - take the receiver's link for what the parts have become
 * @law: the links
 * @dst: the receiving port
 * @res: the result
 *
 * With start the latest start of a sender and sent the time at which the last one has
 * sent,
 *
 *	rx_free' = max(start, rx_free) + S(w)
 *	out      = max(sent, rx_free')
 *	arrival  = out + latency + reduce
 */
void suo_link_many_end(const struct suo_link_law *law, struct suo_link_clock *dst,
		       struct suo_link_result *res);

/**
 * suo_link_hold_tx() - hold a sender back while the receiver is behind
 * @law: the links
 * @src: the sending port
 * @res: from suo_link_many_end()
 *
 *	tx_free' = max(tx_free, out - S(buffer))
 */
void suo_link_hold_tx(const struct suo_link_law *law, struct suo_link_clock *src,
		      const struct suo_link_result *res);

#endif /* SUO_CORE_LINK_MANY_H */
