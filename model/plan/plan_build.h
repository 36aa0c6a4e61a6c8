/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registry of algorithms, and what lies under the builder. */
#ifndef SUO_PLAN_PLAN_BUILD_H
#define SUO_PLAN_PLAN_BUILD_H

#include "model/plan/group.h"

/**
 * struct suo_plan_opts - what an algorithm's name says behind its own
 * @inner: what is done in a domain, or NULL
 * @outer: what is done across domains, or NULL
 * @chunks: how many, or 0
 */
struct suo_plan_opts {
	const struct suo_group_algo	*inner;
	const struct suo_group_algo	*outer;
	uint32_t			chunks;
};

/**
 * struct suo_plan_algo - an algorithm that is more than one for a group
 * @name: as FI_SUO_COLL_ALGO and suo-perf spell it
 * @coll: what it does
 * @inner: default of suo_plan_opts; NULL: the name takes no others
 * @outer: likewise
 * @chunked: the name takes a number of chunks
 * @generate: append the steps of all ranks
 */
struct suo_plan_algo {
	const char			*name;
	enum suo_coll			coll;
	const struct suo_group_algo	*inner;
	const struct suo_group_algo	*outer;
	bool				chunked;
	void	(*generate)(struct suo_build *b, const struct suo_plan_opts *opts);
};

/* One line an algorithm: NAME is defined as suo_plan_algo_NAME in its file. */
#define SUO_PLAN_ALGOS(X)		\
	X(allreduce_hierarchical)	\
	X(allreduce_pipelined)		\
	X(reduce_scatter_hierarchical)	\
	X(all_gather_hierarchical)	\
	X(broadcast_hierarchical)	\
	X(reduce_hierarchical)		\
	X(gather_linear)		\
	X(gather_binomial)		\
	X(gather_hierarchical)		\
	X(scatter_linear)		\
	X(scatter_binomial)		\
	X(scatter_hierarchical)		\
	X(barrier_dissemination)	\
	X(barrier_hierarchical)		\
	X(alltoall_pairwise)		\
	X(alltoall_hierarchical)

#define SUO_PLAN_DECLARE(name)	\
	extern const struct suo_plan_algo suo_plan_algo_##name;
SUO_PLAN_ALGOS(SUO_PLAN_DECLARE)

/**
 * suo_plan_alloc() - an empty plan
 * @coll: what it is to do
 * @name: the algorithm
 * @shape: nranks, domain_size, count and root are taken from here
 *
 * Return: the plan, or NULL when there is no memory.
 */
struct suo_plan *suo_plan_alloc(enum suo_coll coll, const char *name,
				const struct suo_plan_shape *shape);

/**
 * suo_plan_add() - append a step
 * @plan: the plan
 * @rank: whose step it is
 * @step: copied; a RECV_REDUCE step is given room in scratch memory
 * @index: where to store the new step's number, for dep[]; or NULL
 *
 * Return: 0, -ENOMEM, or -EINVAL when scratch memory has no end.
 */
int suo_plan_add(struct suo_plan *plan, uint32_t rank,
		 const struct suo_plan_step *step, uint32_t *index);

#endif /* SUO_PLAN_PLAN_BUILD_H */
