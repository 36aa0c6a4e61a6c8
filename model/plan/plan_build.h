/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the generators of plans share: building blocks, and the registry. */
#ifndef SUO_PLAN_BUILD_H
#define SUO_PLAN_BUILD_H

#include "model/plan/plan.h"

/**
 * struct suo_plan_algo - an algorithm in the registry
 * @name: as FI_SUO_COLL_ALGO and suo-perf spell it
 * @coll: what it does
 * @generate: append the steps of all ranks to an empty plan; 0 or -errno
 */
struct suo_plan_algo {
	const char	*name;
	enum suo_coll	coll;
	int		(*generate)(struct suo_plan *plan,
				    const struct suo_plan_shape *shape);
};

/* One line an algorithm: NAME is defined as suo_plan_algo_NAME in its file. */
#define SUO_PLAN_ALGOS(X)	\
	X(ring)			\
	X(hierarchical)

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
 * Return: 0 or -ENOMEM.
 */
int suo_plan_add(struct suo_plan *plan, uint32_t rank,
		 const struct suo_plan_step *step, uint32_t *index);

/**
 * struct suo_plan_ring - some ranks in a ring that share a range of the vector
 * @first: rank of member 0
 * @stride: member i is rank first + i * stride
 * @n: members
 * @off: first element of the range
 * @len: elements of the range; member i is in charge of the i-th of n parts
 */
struct suo_plan_ring {
	uint32_t	first;
	uint32_t	stride;
	uint32_t	n;
	uint64_t	off;
	uint64_t	len;
};

/**
 * struct suo_plan_mark - steps that the next phase of a rank has to wait for
 * @dep: as in struct suo_plan_step
 */
struct suo_plan_mark {
	uint32_t	dep[SUO_PLAN_MAX_DEPS];
};

#define SUO_PLAN_START	\
	((struct suo_plan_mark){ { SUO_PLAN_NO_DEP, SUO_PLAN_NO_DEP } })

/**
 * suo_plan_ring_reduce_scatter() - one member's n - 1 steps of a ReduceScatter
 * @plan: the plan
 * @ring: the ring
 * @member: which member
 * @mark: in: when the range is ready; out: when member's own part is reduced
 * @sent: room for n - 1 step numbers: sent[s] sends part member - 1 - s
 *
 * Return: 0 or -ENOMEM.
 */
int suo_plan_ring_reduce_scatter(struct suo_plan *plan,
				 const struct suo_plan_ring *ring,
				 uint32_t member, struct suo_plan_mark *mark,
				 uint32_t *sent);

/**
 * suo_plan_ring_all_gather() - one member's n - 1 steps of an AllGather
 * @plan: the plan
 * @ring: the ring
 * @member: which member
 * @mark: in: when member's own part is ready; out: when the range is complete
 * @sent: what suo_plan_ring_reduce_scatter() stored for the same ring: a part
 *	may be overwritten only when it has been sent off
 *
 * Return: 0 or -ENOMEM.
 */
int suo_plan_ring_all_gather(struct suo_plan *plan,
			     const struct suo_plan_ring *ring, uint32_t member,
			     struct suo_plan_mark *mark, const uint32_t *sent);

#endif /* SUO_PLAN_BUILD_H */
