/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A collective written out as steps. One plan, three interpreters: the model
 * costs it, the simulator replays it, the executor runs it over libfabric.
 *
 * Buffers. Each rank has one vector of `count` elements (its input and, at the
 * end, its output). A step names a range of elements of that vector. What a
 * RECV_REDUCE step takes in lands in scratch memory first (the executor gives
 * each such step room of its own, at scratch_off) and is then combined into
 * the vector.
 *
 * Matching. The n-th send step of rank a towards b, in the order of a's list,
 * meets the n-th receive step of b from a, in the order of b's list. Their
 * lengths must be equal; their offsets need not be.
 *
 * Order. Steps of a rank may run in any order and at the same time, but a step
 * starts only when each step in dep[] is done. A send is done when its data
 * has been read for good; a receive, when its data is in the vector.
 */
#ifndef SUO_PLAN_H
#define SUO_PLAN_H

#include <stdint.h>
#include <stdio.h>

#define SUO_PLAN_MAX_RANKS	4096u
#define SUO_PLAN_NO_DEP		UINT32_MAX
#define SUO_PLAN_MAX_DEPS	2

enum suo_plan_op {
	SUO_PLAN_SEND,
	SUO_PLAN_RECV,
	SUO_PLAN_RECV_REDUCE,
};

/**
 * struct suo_plan_step - one step of one rank
 * @op: enum suo_plan_op
 * @peer: the other rank
 * @off: first element of the rank's vector
 * @len: elements; may be 0 (the step still synchronises)
 * @scratch_off: RECV_REDUCE: first element of its room in scratch memory
 * @dep: steps of the same rank that must be done before; SUO_PLAN_NO_DEP: none
 */
struct suo_plan_step {
	uint32_t	op;
	uint32_t	peer;
	uint64_t	off;
	uint64_t	len;
	uint64_t	scratch_off;
	uint32_t	dep[SUO_PLAN_MAX_DEPS];
};

/**
 * struct suo_plan_rank - the steps of one rank
 * @step: array of nsteps, in posting order
 * @nsteps: entries used
 * @cap: entries allocated
 * @scratch_len: elements of scratch memory that the rank needs
 */
struct suo_plan_rank {
	struct suo_plan_step	*step;
	uint32_t		nsteps;
	uint32_t		cap;
	uint64_t		scratch_len;
};

/**
 * struct suo_plan - a whole collective
 * @name: the algorithm, as FI_SUO_COLL_ALGO and suo-perf spell it
 * @nranks: ranks 0 .. nranks - 1
 * @count: elements of each rank's vector
 * @rank: array of nranks
 */
struct suo_plan {
	const char		*name;
	uint32_t		nranks;
	uint64_t		count;
	struct suo_plan_rank	*rank;
};

/**
 * struct suo_plan_shape - what a generator must know of the cluster
 * @nranks: ranks in all, numbered domain by domain
 * @domain_size: ranks in a scale-up domain; divides nranks
 * @count: elements of the vector
 */
struct suo_plan_shape {
	uint32_t	nranks;
	uint32_t	domain_size;
	uint64_t	count;
};

/**
 * suo_plan_allreduce() - generate an AllReduce
 * @algorithm: "ring" or "hierarchical" (more to come)
 * @shape: the ranks and the vector
 * @out: the plan; free it with suo_plan_free()
 *
 * Return: 0, -EINVAL for an unknown algorithm or a shape it cannot do, -ENOMEM.
 */
int suo_plan_allreduce(const char *algorithm, const struct suo_plan_shape *shape,
		       struct suo_plan **out);

/**
 * suo_plan_algorithm() - the i-th algorithm's name
 * @i: from 0
 *
 * Return: the name, or NULL past the last one.
 */
const char *suo_plan_algorithm(unsigned int i);

void suo_plan_free(struct suo_plan *plan);

/**
 * suo_plan_check() - prove that a plan is an AllReduce
 * @plan: the plan
 * @why: room for a message, or NULL
 * @why_size: its size in bytes
 *
 * Runs the plan on sets of contributors instead of numbers: every element of
 * every rank must end with each rank's contribution exactly once, every send
 * must meet a receive of the same length, no step may wait for ever, and no
 * step may write a range that another step, not ordered with it by dep[],
 * reads or writes.
 *
 * Return: 0, or -EINVAL with the reason in @why.
 */
int suo_plan_check(const struct suo_plan *plan, char *why, size_t why_size);

/* The textual form, one step a line; what `suo plan show` prints. */
void suo_plan_print(const struct suo_plan *plan, FILE *out);

#endif /* SUO_PLAN_H */
