// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One piece of a message, of a multicast or of a reduced read on the link law. */
#include "model/analytic/coster.h"
#include "model/core/link_many.h"

/* windows.rst: the sender's link once, and the receiving direction of all. */
static u64 to_many(const struct suo_net *net, struct suo_coster_sender *sender,
		   u32 rank, u64 now, u64 piece)
{
	u32 first = rank / net->domain_size * net->domain_size;
	struct suo_link_result sent;
	u64 busy = 0;

	for (u32 m = first; m < first + net->domain_size; m++)
		busy = suo_max(busy, sender[suo_coster_port(m)].clock.rx_free_ps);
	suo_link_to_many(&net->up, &sender[suo_coster_port(rank)].clock, busy, now,
			 piece, &sent);
	for (u32 m = first; m < first + net->domain_size; m++)
		suo_link_take_rx(&net->up, &sender[suo_coster_port(m)].clock, &sent);
	return sent.arrival_ps;
}

/* The sending direction of all, and the reader's link once. */
static u64 from_many(const struct suo_net *net, struct suo_coster_sender *sender,
		     u32 rank, u64 now, u64 piece)
{
	u32 first = rank / net->domain_size * net->domain_size;
	struct suo_link_clock *reader = &sender[suo_coster_port(rank)].clock;
	struct suo_link_result part, sum;
	u64 start = suo_link_many_begin(&net->up, reader, now, &sum);

	for (u32 m = first; m < first + net->domain_size; m++)
		suo_link_many_add(&net->up, &sender[suo_coster_port(m)].clock, start,
				  piece, &part, &sum);
	suo_link_many_end(&net->up, reader, &sum);
	for (u32 m = first; m < first + net->domain_size; m++)
		suo_link_hold_tx(&net->up, &sender[suo_coster_port(m)].clock, &sum);
	return sum.arrival_ps;
}

u64 suo_coster_piece(const struct suo_net *net, struct suo_coster_sender *sender,
		     u32 number, u32 rank, const struct suo_plan_step *step,
		     u64 now, u64 *sent_bytes)
{
	bool up = number % 2 == 0;
	u64 bytes = step->len * net->elem_bytes;
	struct suo_link_result sent;
	u64 piece, wire;

	piece = suo_net_piece(net, up, bytes, *sent_bytes, &wire);
	*sent_bytes += piece;
	if (step->op == SUO_PLAN_MCAST_WRITE)
		return to_many(net, sender, rank, now, piece);
	if (step->op == SUO_PLAN_REDUCED_READ)
		return from_many(net, sender, rank, now, piece);
	if (!up)
		return suo_link_pace(&net->out, &sender[number].clock, now, wire);
	suo_link_reserve(&net->up, &sender[number].clock,
			 &sender[suo_coster_port(step->peer)].clock, now, piece, &sent);
	return sent.arrival_ps;
}
