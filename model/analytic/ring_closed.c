// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Closed forms of rings, chains and direct exchange; and what all forms share. */
#include "model/analytic/closed.h"

u64 suo_leg_message_ps(const struct suo_leg *leg, u64 count)
{
	return suo_net_message_ps(leg->net, leg->up, count * leg->net->elem_bytes);
}

u64 suo_leg_latency_ps(const struct suo_leg *leg)
{
	return suo_link_latency_ps(suo_net_law(leg->net, leg->up));
}

u64 suo_leg_busy_ps(const struct suo_leg *leg, u64 count)
{
	return suo_leg_message_ps(leg, count) - suo_leg_latency_ps(leg);
}

u64 suo_leg_row_ps(const struct suo_leg *leg, u32 messages, u64 count)
{
	return suo_leg_latency_ps(leg) + messages * suo_leg_busy_ps(leg, count);
}

u64 suo_leg_part(u64 count, u32 parts)
{
	return count / parts + (count % parts ? 1 : 0);
}

u64 suo_ring_half_ps(const struct suo_leg *leg, u32 n, u64 count)
{
	return n < 2 ? 0 : (n - 1) * suo_leg_message_ps(leg, suo_leg_part(count, n));
}

u64 suo_direct_half_ps(const struct suo_leg *leg, u32 n, u64 count)
{
	if (count % n)
		return SUO_NO_FORM;
	return n < 2 ? 0 : suo_leg_row_ps(leg, n - 1, count / n);
}

u64 suo_biring_ps(const struct suo_leg *leg, u32 n, u64 count, u32 steps)
{
	u64 first, second, bytes, wire;

	if (n < 2)
		return 0;
	if (count % (2 * n))
		return SUO_NO_FORM;
	bytes = count / (2 * n) * leg->net->elem_bytes;
	first = suo_leg_message_ps(leg, count / (2 * n));
	second = first + suo_leg_busy_ps(leg, count / (2 * n));
	/* Of several pieces, one way gets further ahead each time. */
	if (suo_net_piece(leg->net, leg->up, bytes, 0, &wire) < bytes ||
	    second - first > suo_leg_latency_ps(leg))
		return SUO_NO_FORM;
	return (steps - 1) * first + second;
}

u64 suo_chain_ps(const struct suo_leg *leg, u32 n, u64 count, u32 chunks)
{
	u64 longer = count % chunks, last = count / chunks;
	u64 ps;

	if (n < 2)
		return 0;
	/* The first chunk all the way but the last link, which all pass. */
	ps = (n - 2) * suo_leg_message_ps(leg, suo_leg_part(count, chunks));
	if (longer)
		ps += longer * suo_leg_busy_ps(leg, last + 1);
	return ps + (chunks - 1 - longer) * suo_leg_busy_ps(leg, last) +
	       suo_leg_message_ps(leg, last);
}

/* A way through the steps that moves on @moves times, and ends on a slow link. */
static u64 way(const u64 move[2], const u64 wait[2], u32 steps, u32 moves,
	       u32 slow_moves)
{
	u32 fast = moves - slow_moves;
	u64 longest = 0;

	if (slow_moves)
		longest = wait[0];
	if (fast && wait[1] > longest)
		longest = wait[1];
	return slow_moves * move[0] + fast * move[1] + (steps - moves) * longest;
}

void suo_mixed_ring_ps(const struct suo_net *net, u32 nranks, u64 count, u32 steps,
		       u64 *data_ps, u64 *done_ps)
{
	struct suo_leg out = { net, false }, up = { net, true };
	u64 m = suo_leg_part(count, nranks);
	u64 move[2] = { suo_leg_message_ps(&out, m), suo_leg_message_ps(&up, m) };
	u64 wait[2] = { suo_leg_busy_ps(&out, m), suo_leg_busy_ps(&up, m) };
	u64 ack[2] = { suo_net_ack_ps(net, false), suo_net_ack_ps(net, true) };
	u32 g = net->domain_size;
	u32 last = (steps - 1) / g * g;		/* moves - 1, of the last period */
	/* Between these, each further move adds the same. */
	u32 moves[] = { 1, g, g + 1, last, last + 1, steps };

	*data_ps = 0;
	*done_ps = 0;
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		u32 n = moves[i], slow;
		u64 to_slow, to_fast;

		if (!n || n > steps)
			continue;
		/* As many slow links as possible: begins, or ends, with one. */
		slow = (n - 1) / g + 1;
		to_slow = way(move, wait, steps, n, slow);
		if ((n - 1) % g == 0)
			slow--;
		to_fast = g > 1 ? way(move, wait, steps, n, slow) : 0;
		*data_ps = suo_max(*data_ps, suo_max(to_slow, to_fast));
		*done_ps = suo_max(*done_ps, suo_max(to_slow + ack[0],
						     g > 1 ? to_fast + ack[1] : 0));
	}
}
