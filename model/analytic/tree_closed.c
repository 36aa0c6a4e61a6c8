// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Closed forms of binomial trees. In a tree over n nodes the root's children are
 * the roots of trees over 1, 2, 4, ... nodes and of one over what is left of n.
 */
#include "model/analytic/closed.h"

#define MAX_CHILDREN	32

/* Children of a tree's root, largest distance first. Return: how many. */
static u32 children(u32 n, u32 size[MAX_CHILDREN])
{
	u32 d = 1, k = 0;

	while (d < n)
		d *= 2;
	for (d /= 2; d; d /= 2)
		size[k++] = n - d < d ? n - d : d;
	return k;
}

/**
 * struct serve - how a sender serves several children with the same message
 * @leg: the links
 * @s: the time of a message
 * @last: the time of its last piece
 * @before: that of the piece before the last; 0: there is none
 * @full: the times of trees over 2^i nodes, filled in from the smallest on
 */
struct serve {
	const struct suo_leg	*leg;
	u64			s;
	u64			last;
	u64			before;
	u64			full[MAX_CHILDREN];
};

static u64 piece_ps(const struct suo_leg *leg, u64 bytes, u64 done, u64 *len)
{
	u64 wire;

	*len = suo_net_piece(leg->net, leg->up, bytes, done, &wire);
	return suo_link_ser_ps(suo_net_law(leg->net, leg->up), wire);
}

static void serve_init(struct serve *serve, const struct suo_leg *leg, u64 count)
{
	u64 bytes = count * leg->net->elem_bytes, most, len, done = 0;

	*serve = (struct serve){ .leg = leg, .s = suo_leg_busy_ps(leg, count) };
	piece_ps(leg, bytes, 0, &most);
	if (most < bytes)
		done = (bytes - 1) / most * most;
	serve->last = piece_ps(leg, bytes, done, &len);
	if (done)
		serve->before = piece_ps(leg, bytes, done - most, &len);
}

/*
 * When child i of k has it. The first one is a piece ahead, as its second piece
 * waits for its turn already when the others come.
 */
static u64 served_ps(const struct serve *serve, u32 k, u32 i)
{
	u64 ps = serve->s;

	if (i)
		ps += (k - 1) * (serve->s - serve->last) + i * serve->last;
	else
		ps += (k - 1) * (serve->s - serve->last - serve->before);
	return ps + suo_leg_latency_ps(serve->leg);
}

/* Only the first child of a node can be the root of a tree that is not full. */
static u64 broadcast(const struct serve *serve, u32 n)
{
	u32 size[MAX_CHILDREN], k = children(n, size);
	u64 longest = 0;

	for (u32 i = 0; i < k; i++) {
		u32 log = k - 1 - i;
		u64 rest = size[i] == 1u << log ? serve->full[log] :
			   broadcast(serve, size[i]);

		longest = suo_max(longest, served_ps(serve, k, i) + rest);
	}
	return longest;
}

u64 suo_binomial_broadcast_ps(const struct suo_leg *leg, u32 n, u64 count)
{
	struct serve serve;

	serve_init(&serve, leg, count);
	for (u32 i = 1; i < MAX_CHILDREN && 1ull << i < n; i++)
		serve.full[i] = broadcast(&serve, 1u << i);
	return broadcast(&serve, n);
}

/*
 * When they have all come, if they begin to come at start[] and share a port:
 * the last of those that follow each other without a pause.
 */
static u64 all_arrive(u64 *start, u32 k, u64 s)
{
	u64 end = 0;

	for (u32 i = 1; i < k; i++) {
		u64 moved = start[i];
		u32 j = i;

		for (; j && start[j - 1] > moved; j--)
			start[j] = start[j - 1];
		start[j] = moved;
	}
	for (u32 i = 0; i < k; i++)
		end = suo_max(end, start[i]) + s;
	return end;
}

static u64 reduce(const struct suo_leg *leg, u64 s, u32 n, u64 full[MAX_CHILDREN])
{
	u32 size[MAX_CHILDREN], k = children(n, size);
	u64 start[MAX_CHILDREN], latest = 0;

	if (!k)
		return 0;
	for (u32 i = 0; i < k; i++) {
		u32 log = k - 1 - i;

		start[i] = size[i] == 1u << log ? full[log] :
			   reduce(leg, s, size[i], full);
		latest = suo_max(latest, start[i]);
	}
	/* A NIC's receiving side is not modelled. */
	return (leg->up ? all_arrive(start, k, s) : latest + s) +
	       suo_leg_latency_ps(leg);
}

u64 suo_binomial_reduce_ps(const struct suo_leg *leg, u32 n, u64 count)
{
	u64 s = suo_leg_busy_ps(leg, count), full[MAX_CHILDREN] = { 0 };

	for (u32 i = 1; i < MAX_CHILDREN && 1ull << i < n; i++)
		full[i] = reduce(leg, s, 1u << i, full);
	return reduce(leg, s, n, full);
}
