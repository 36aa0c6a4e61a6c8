// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reduction and multicast by the switch of a scale-up domain: a member reads the
 * sum of its part of all vectors in one go, and writes it to all of them in
 * another one. Each link carries the vector once a direction, however many the
 * members are. (NVLink SHARP; multimem.ld_reduce and multimem.st in PTX.)
 *
 * A member may be read from, and written to, only when it has said that it has
 * begun and is done with the range; and it has to be told when it has been
 * written to. These messages have no elements and go straight from one to the
 * other: one latency, where a tree would take log2 of it.
 */
#include "model/plan/group.h"

/* The windows are the domain's. Return: is there something to do in this one? */
static bool in_domain(struct suo_build *b, const struct suo_group *group)
{
	if (group->stride != 1 || group->n != b->plan->domain_size ||
	    group->first % group->n)
		suo_build_refuse(b);
	return !b->err && group->n > 1;
}

/* Each member lets each other one use that one's part of its vector. */
static void yield_parts(struct suo_build *b, const struct suo_group *group,
			const struct suo_parts *parts)
{
	for (uint32_t s = 1; s < group->n; s++) {
		for (uint32_t i = 0; i < group->n; i++) {
			uint32_t to = (i + s) % group->n;
			struct suo_range part = suo_part(parts, to);

			suo_build_yield(b, suo_group_rank(group, i),
					suo_group_rank(group, to), &part);
			suo_build_hear(b, suo_group_rank(group, to),
				       suo_group_rank(group, i), &part);
		}
	}
}

/* All others let a member use a range of their vectors. */
static void yield_to(struct suo_build *b, const struct suo_group *group,
		     uint32_t member, const struct suo_range *range)
{
	uint32_t to = suo_group_rank(group, member);

	for (uint32_t i = 1; i < group->n; i++) {
		uint32_t from = suo_group_rank(group, (member + i) % group->n);

		suo_build_yield(b, from, to, range);
		suo_build_hear(b, to, from, range);
	}
}

/* A member tells the others that it has written a range of theirs. */
static void announce(struct suo_build *b, const struct suo_group *group,
		     uint32_t member, const struct suo_range *range)
{
	uint32_t rank = suo_group_rank(group, member);

	for (uint32_t i = 1; i < group->n; i++) {
		uint32_t to = suo_group_rank(group, (member + i) % group->n);

		suo_build_tell(b, rank, to, range);
		suo_build_hear(b, to, rank, range);
	}
}

/* A member writes a range to all, and tells them. */
static void spread(struct suo_build *b, const struct suo_group *group,
		   uint32_t member, const struct suo_range *range,
		   struct suo_place from)
{
	suo_build_mcast(b, suo_group_rank(group, member), *range, from);
	announce(b, group, member, range);
}

/* The sum of a range, in scratch memory of a member. */
static struct suo_place fetch(struct suo_build *b, uint32_t rank,
			      const struct suo_range *range)
{
	struct suo_place sum = suo_build_scratch(b, rank, range->len);

	suo_build_read(b, rank, sum, *range);
	return sum;
}

static void reduce_scatter(struct suo_build *b, const struct suo_group *group,
			   const struct suo_parts *parts)
{
	if (!in_domain(b, group))
		return;
	yield_parts(b, group, parts);
	for (uint32_t i = 0; i < group->n; i++) {
		struct suo_range part = suo_part(parts, i);
		uint32_t rank = suo_group_rank(group, i);

		suo_build_copy(b, rank, suo_data(part), fetch(b, rank, &part));
	}
}

/* Nobody may end, and take its vector away, while another one reads it. */
static void reduce_scatter_end(struct suo_build *b, const struct suo_group *group,
			       const struct suo_parts *parts)
{
	for (uint32_t s = 1; s < group->n; s++) {
		for (uint32_t i = 0; i < group->n; i++) {
			uint32_t from = suo_group_rank(group, i);
			uint32_t to = suo_group_rank(group, (i + s) % group->n);
			struct suo_range part = suo_part(parts, i);

			suo_build_tell(b, from, to, &part);
			suo_build_hear(b, to, from, NULL);
		}
	}
}

static void all_gather(struct suo_build *b, const struct suo_group *group,
		       const struct suo_parts *parts)
{
	if (!in_domain(b, group))
		return;
	yield_parts(b, group, parts);
	for (uint32_t i = 0; i < group->n; i++) {
		struct suo_range part = suo_part(parts, i);

		spread(b, group, i, &part, suo_data(part));
	}
}

/*
 * As both halves follow each other, what was yielded once is yielded still. In
 * chunks, one is written while the next is read: a read takes the sending
 * direction of all links and a write the receiving one.
 */
static void allreduce(struct suo_build *b, const struct suo_group *group,
		      struct suo_range range, uint32_t chunks)
{
	struct suo_parts parts = suo_parts_of(group, range);

	if (!in_domain(b, group))
		return;
	chunks = suo_group_chunks(b, chunks, range.len / group->n, 2);
	yield_parts(b, group, &parts);
	for (uint32_t c = 0; c < chunks; c++) {
		for (uint32_t i = 0; i < group->n; i++) {
			uint32_t rank = suo_group_rank(group, i);
			struct suo_range part = suo_part(&parts, i);
			struct suo_range chunk = suo_range_part(&part, chunks, c);

			suo_build_mcast(b, rank, chunk, fetch(b, rank, &chunk));
		}
	}
	for (uint32_t i = 0; i < group->n; i++) {
		struct suo_range part = suo_part(&parts, i);

		announce(b, group, i, &part);
	}
}

static void broadcast(struct suo_build *b, const struct suo_group *group,
		      uint32_t root, struct suo_range range, uint32_t chunks)
{
	/* All have begun, and have nothing in the range that is of use. */
	if (in_domain(b, group))
		spread(b, group, root, &range, suo_data(range));
}

static void reduce(struct suo_build *b, const struct suo_group *group,
		   uint32_t root, struct suo_range range, uint32_t chunks)
{
	uint32_t rank = suo_group_rank(group, root);

	if (!in_domain(b, group))
		return;
	yield_to(b, group, root, &range);
	suo_build_copy(b, rank, suo_data(range), fetch(b, rank, &range));
}

const struct suo_group_algo suo_group_innet = {
	.name = "innet",
	.chunked = true,
	.reduce_scatter = reduce_scatter,
	.reduce_scatter_end = reduce_scatter_end,
	.all_gather = all_gather,
	.allreduce = allreduce,
	.broadcast = broadcast,
	.reduce = reduce,
};
