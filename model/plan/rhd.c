// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recursive halving and doubling: partners at half the distance, and half of the
 * vector, in each step of a ReduceScatter, and the other way round in an
 * AllGather. Thakur, Rabenseifner and Gropp, "Optimization of collective
 * communication operations in MPICH", 2005.
 *
 * If the members are no power of two, the first ones pair up: one of each pair
 * gives its vector to the other, which stands for both.
 */
#include <stdlib.h>

#include "model/plan/group.h"

/**
 * struct cube - the members that take part in the steps proper
 * @b: the plan
 * @group: all members
 * @parts: of all members, or of the active ones
 * @n: active members: the largest power of two that is no more than group->n
 * @pairs: the first members are paired up
 * @shared: a pair has two parts, one for each, and not one together
 */
struct cube {
	struct suo_build	*b;
	struct suo_group	group;
	struct suo_parts	parts;
	uint32_t		n;
	uint32_t		pairs;
	bool			shared;
};

static struct cube cube_of(struct suo_build *b, const struct suo_group *group,
			   const struct suo_parts *parts, bool shared)
{
	struct cube cube = { b, *group, *parts, 1, 0, shared };

	while (2 * cube.n <= group->n)
		cube.n *= 2;
	cube.pairs = group->n - cube.n;
	return cube;
}

/* Where active member i, or rather its pair, begins among all members. */
static uint32_t member_of(const struct cube *cube, uint32_t i)
{
	return i < cube->pairs ? 2 * i : i + cube->pairs;
}

static uint32_t rank_of(const struct cube *cube, uint32_t i)
{
	return suo_group_rank(&cube->group, member_of(cube, i));
}

/* The one of a pair that is not active. */
static uint32_t idle_of(const struct cube *cube, uint32_t i)
{
	return suo_group_rank(&cube->group, 2 * i + 1);
}

/*
 * Carry out @act for the parts of active members [first, first + count), if
 * they lie side by side, in one message; else in one for each.
 */
static void for_parts(const struct cube *cube, uint32_t first, uint32_t count,
		      void (*act)(struct suo_build *b, uint32_t rank,
				  uint32_t peer, struct suo_range range),
		      uint32_t rank, uint32_t peer)
{
	const struct suo_parts *parts = &cube->parts;
	uint32_t from = cube->shared ? member_of(cube, first) : first;
	uint32_t to = first + count;

	if (cube->shared)
		to = to == cube->n ? cube->group.n : member_of(cube, to);
	if (parts->stride == 1) {
		act(cube->b, rank, peer,
		    suo_range_span(&parts->range, parts->n, parts->first + from,
				   to - from));
		return;
	}
	for (uint32_t i = from; i < to; i++)
		act(cube->b, rank, peer, suo_part(parts, i));
}

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

static void halve(const struct cube *cube)
{
	for (uint32_t d = cube->n / 2; d; d /= 2) {
		for (uint32_t i = 0; i < cube->n; i++)
			for_parts(cube, (i ^ d) / d * d, d, send,
				  rank_of(cube, i), rank_of(cube, i ^ d));
		for (uint32_t i = 0; i < cube->n; i++)
			for_parts(cube, i / d * d, d, reduce,
				  rank_of(cube, i), rank_of(cube, i ^ d));
	}
}

/*
 * What a member receives waits for what it has received before, and has passed
 * on by then: so the last message stands for all.
 */
static void twice(const struct cube *cube)
{
	uint32_t *got = suo_build_new_gate(cube->b);

	for (uint32_t d = 1; d < cube->n && !cube->b->err; d *= 2) {
		for (uint32_t i = 0; i < cube->n; i++)
			for_parts(cube, i / d * d, d, send,
				  rank_of(cube, i), rank_of(cube, i ^ d));
		for (uint32_t i = 0; i < cube->n; i++) {
			suo_build_after(cube->b, rank_of(cube, i), got[i]);
			for_parts(cube, (i ^ d) / d * d, d, recv,
				  rank_of(cube, i), rank_of(cube, i ^ d));
			got[i] = suo_build_last(cube->b, rank_of(cube, i));
		}
	}
	free(got);
}

/* The idle ones give all they have. */
static void fold(const struct cube *cube)
{
	for (uint32_t i = 0; i < cube->pairs; i++) {
		for_parts(cube, 0, cube->n, send, idle_of(cube, i), rank_of(cube, i));
		for_parts(cube, 0, cube->n, reduce, rank_of(cube, i), idle_of(cube, i));
	}
}

/* The idle ones are given all. */
static void unfold(const struct cube *cube)
{
	for (uint32_t i = 0; i < cube->pairs; i++) {
		for_parts(cube, 0, cube->n, send, rank_of(cube, i), idle_of(cube, i));
		for_parts(cube, 0, cube->n, recv, idle_of(cube, i), rank_of(cube, i));
	}
}

static void reduce_scatter(struct suo_build *b, const struct suo_group *group,
			   const struct suo_parts *parts)
{
	struct cube cube = cube_of(b, group, parts, true);

	fold(&cube);
	halve(&cube);
	for (uint32_t i = 0; i < cube.pairs; i++)
		suo_build_move(b, rank_of(&cube, i), idle_of(&cube, i),
			       suo_part(parts, 2 * i + 1));
}

static void all_gather(struct suo_build *b, const struct suo_group *group,
		       const struct suo_parts *parts)
{
	struct cube cube = cube_of(b, group, parts, true);

	for (uint32_t i = 0; i < cube.pairs; i++)
		suo_build_move(b, idle_of(&cube, i), rank_of(&cube, i),
			       suo_part(parts, 2 * i + 1));
	twice(&cube);
	unfold(&cube);
}

static void allreduce(struct suo_build *b, const struct suo_group *group,
		      struct suo_range range, uint32_t chunks)
{
	struct suo_parts parts = { range, 1, 0, 1 };
	struct cube cube = cube_of(b, group, &parts, false);

	cube.parts.n = cube.n;
	fold(&cube);
	halve(&cube);
	twice(&cube);
	unfold(&cube);
}

const struct suo_group_algo suo_group_rhd = {
	.name = "rhd",
	.reduce_scatter = reduce_scatter,
	.all_gather = all_gather,
	.allreduce = allreduce,
};

/* Send what is in a range now, even if it changes before it has been sent. */
static void send_copy(struct suo_build *b, uint32_t rank, uint32_t peer,
		      struct suo_range range)
{
	struct suo_place copy = suo_build_scratch(b, rank, range.len);

	suo_build_copy(b, rank, copy, suo_data(range));
	suo_build_send(b, rank, peer, copy);
}

/*
 * Recursive doubling of the whole vector: half as many steps, for vectors so
 * short that only the number of steps counts. Both partners need the sum in the
 * place of what they send: so they send copies, and do not wait until they know
 * that it has been read.
 */
static void allreduce_whole(struct suo_build *b, const struct suo_group *group,
			    struct suo_range range, uint32_t chunks)
{
	struct suo_parts parts = { range, 1, 0, 1 };
	struct cube cube = cube_of(b, group, &parts, false);

	cube.parts.n = cube.n;
	fold(&cube);
	for (uint32_t d = 1; d < cube.n; d *= 2) {
		for (uint32_t i = 0; i < cube.n; i++)
			send_copy(b, rank_of(&cube, i), rank_of(&cube, i ^ d), range);
		for (uint32_t i = 0; i < cube.n; i++)
			reduce(b, rank_of(&cube, i), rank_of(&cube, i ^ d), range);
	}
	unfold(&cube);
}

const struct suo_group_algo suo_group_rd = {
	.name = "rd",
	.allreduce = allreduce_whole,
};
