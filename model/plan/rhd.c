// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recursive halving and doubling: half of the vector, then a quarter, and so on,
 * in each step of a ReduceScatter, and the other way round in an AllGather, so
 * that ceil(log2 n) steps send (n - 1)/n of the vector.
 *
 * Powers of two: partners at half the distance each time; Thakur, Rabenseifner and
 * Gropp, "Optimization of collective communication operations in MPICH", 2005.
 *
 * Other numbers: that paper folds the vectors of some members into those of
 * others first, which sends the vector once more. We send to the one at half the
 * distance, rounded up, and take from the one before, as on a circulant graph:
 * one step more and no byte more. Traeff, "Optimal, non-pipelined reduce-scatter
 * and allreduce algorithms", 2024. One step follows the other, even where a part
 * could go earlier: it would share its port with what others wait for.
 */
#include <stdlib.h>

#include "model/plan/group.h"

/**
 * struct halving - the members and their parts
 * @b: the plan
 * @group: the members
 * @parts: of each a part
 * @got: by rank, the last message that it has received
 */
struct halving {
	struct suo_build	*b;
	struct suo_group	group;
	struct suo_parts	parts;
	uint32_t		*got;
};

typedef void act_fn(struct suo_build *b, uint32_t rank, uint32_t peer,
		    struct suo_range range);

static void send(struct suo_build *b, uint32_t rank, uint32_t peer,
		 struct suo_range range)
{
	suo_build_send(b, rank, peer, suo_data(range));
}

static void recv(struct suo_build *b, uint32_t rank, uint32_t peer,
		 struct suo_range range)
{
	suo_build_recv(b, rank, peer, suo_data(range));
}

static void reduce(struct suo_build *b, uint32_t rank, uint32_t peer,
		   struct suo_range range)
{
	suo_build_reduce(b, rank, peer, range);
}

/* Parts first to first + count - 1: in one message if they lie side by side. */
static void span(const struct halving *h, uint32_t first, uint32_t count, act_fn *act,
		 uint32_t rank, uint32_t peer)
{
	const struct suo_parts *parts = &h->parts;

	if (parts->stride == 1) {
		act(h->b, rank, peer,
		    suo_range_span(&parts->range, parts->n, parts->first + first,
				   count));
		return;
	}
	for (uint32_t i = first; i < first + count; i++)
		act(h->b, rank, peer, suo_part(parts, i));
}

/* The same, counted modulo n: part 0 comes behind the last one. */
static void span_around(const struct halving *h, uint32_t first, uint32_t count,
			act_fn *act, uint32_t rank, uint32_t peer)
{
	uint32_t n = h->group.n, head = suo_group_head(n, first, count);

	span(h, first % n, head, act, rank, peer);
	if (count > head)
		span(h, 0, count - head, act, rank, peer);
}

static void send_around(const struct halving *h, uint32_t first, uint32_t count,
			uint32_t rank, uint32_t peer)
{
	uint32_t n = h->group.n, head = suo_group_head(n, first, count);

	suo_build_after(h->b, rank, h->got[rank]);
	span(h, first % n, head, send, rank, peer);
	if (count == head)
		return;
	suo_build_after(h->b, rank, h->got[rank]);
	span(h, 0, count - head, send, rank, peer);
}

static uint32_t rank_of(const struct halving *h, uint32_t member)
{
	return suo_group_rank(&h->group, member % h->group.n);
}

static void halve(const struct halving *h)
{
	for (uint32_t d = h->group.n / 2; d; d /= 2) {
		for (uint32_t i = 0; i < h->group.n; i++)
			span(h, (i ^ d) / d * d, d, send, rank_of(h, i),
			     rank_of(h, i ^ d));
		for (uint32_t i = 0; i < h->group.n; i++)
			span(h, i / d * d, d, reduce, rank_of(h, i),
			     rank_of(h, i ^ d));
	}
}

/* What a member receives waits for what came before: the last stands for all. */
static void receive(const struct halving *h, uint32_t member, uint32_t from,
		    uint32_t first, uint32_t count)
{
	uint32_t rank = rank_of(h, member);

	suo_build_after(h->b, rank, h->got[rank]);
	span_around(h, first, count, recv, rank, from);
	if (!h->b->err)
		h->got[rank] = suo_build_last(h->b, rank);
}

static void twice(const struct halving *h)
{
	for (uint32_t d = 1; d < h->group.n; d *= 2) {
		for (uint32_t i = 0; i < h->group.n; i++)
			span(h, i / d * d, d, send, rank_of(h, i), rank_of(h, i ^ d));
		for (uint32_t i = 0; i < h->group.n; i++)
			receive(h, i, rank_of(h, i ^ d), (i ^ d) / d * d, d);
	}
}

/*
 * Seen from member i, the parts that it still adds up are i to i + last - 1; it
 * gives the ones from i + d on to the member for whom they are the first.
 */
static void halve_around(const struct halving *h)
{
	uint32_t n = h->group.n;

	for (uint32_t last = n, d; last > 1; last = d) {
		d = last - last / 2;
		for (uint32_t i = 0; i < n; i++)
			send_around(h, i + d, last - d, rank_of(h, i),
				    rank_of(h, i + d));
		for (uint32_t i = 0; i < n; i++) {
			span_around(h, i, last - d, reduce, rank_of(h, i),
				    rank_of(h, i + n - d));
			if (!h->b->err)
				h->got[rank_of(h, i)] =
					suo_build_last(h->b, rank_of(h, i));
		}
	}
}

/* Backwards: from @last parts, which are all at the first call, down to one. */
static void twice_around(const struct halving *h, uint32_t last)
{
	uint32_t n = h->group.n, d = last - last / 2;

	if (last < 2)
		return;
	twice_around(h, d);
	for (uint32_t i = 0; i < n; i++)
		send_around(h, i, last - d, rank_of(h, i), rank_of(h, i + n - d));
	for (uint32_t i = 0; i < n; i++)
		receive(h, i, rank_of(h, i + d), i + d, last - d);
}

static bool is_power(uint32_t n)
{
	return !(n & (n - 1));
}

static void reduce_scatter(struct suo_build *b, const struct suo_group *group,
			   const struct suo_parts *parts)
{
	struct halving h = { b, *group, *parts, suo_build_new_gate(b) };

	if (!b->err && is_power(group->n))
		halve(&h);
	else if (!b->err)
		halve_around(&h);
	free(h.got);
}

static void all_gather(struct suo_build *b, const struct suo_group *group,
		       const struct suo_parts *parts)
{
	struct halving h = { b, *group, *parts, suo_build_new_gate(b) };

	if (!b->err && is_power(group->n))
		twice(&h);
	else if (!b->err)
		twice_around(&h, group->n);
	free(h.got);
}

const struct suo_group_algo suo_group_rhd = {
	.name = "rhd",
	.reduce_scatter = reduce_scatter,
	.all_gather = all_gather,
};
