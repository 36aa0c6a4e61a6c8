/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Algorithms for a group of ranks, of which hierarchies are made: each is given
 * the members and what they share, and appends its steps for all of them.
 */
#ifndef SUO_PLAN_GROUP_H
#define SUO_PLAN_GROUP_H

#include "model/plan/build.h"

/**
 * struct suo_group - some ranks
 * @first: rank of member 0
 * @stride: member i is rank first + i * stride
 * @n: members
 */
struct suo_group {
	uint32_t	first;
	uint32_t	stride;
	uint32_t	n;
};

static inline uint32_t suo_group_rank(const struct suo_group *group, uint32_t member)
{
	return group->first + member * group->stride;
}

/* The i-th member, counted from the root on. */
static inline uint32_t suo_group_from(const struct suo_group *group, uint32_t root,
				      uint32_t i)
{
	return suo_group_rank(group, (root + i) % group->n);
}

/* The largest power of two below n, the first distance in a tree; 0 for n = 1. */
uint32_t suo_group_half(uint32_t n);

/* How many of @count members from @first on, counted modulo n, come before 0. */
static inline uint32_t suo_group_head(uint32_t n, uint32_t first, uint32_t count)
{
	uint32_t left = n - first % n;

	return left < count ? left : count;
}

/* All ranks; the members of a domain; the ranks of one place in each domain. */
struct suo_group suo_group_all(const struct suo_build *b);
struct suo_group suo_group_domain(const struct suo_build *b, uint32_t domain);
struct suo_group suo_group_across(const struct suo_build *b, uint32_t place);

/**
 * struct suo_parts - a part of a range for each member of a group
 * @range: the range
 * @n: parts that it is cut into
 * @first: member i's part is number first + i * stride
 * @stride: see @first
 */
struct suo_parts {
	struct suo_range	range;
	uint32_t		n;
	uint32_t		first;
	uint32_t		stride;
};

/* The range cut into as many parts as there are members. */
static inline struct suo_parts suo_parts_of(const struct suo_group *group,
					    struct suo_range range)
{
	return (struct suo_parts){ range, group->n, 0, 1 };
}

static inline struct suo_range suo_part(const struct suo_parts *parts, uint32_t i)
{
	return suo_range_part(&parts->range, parts->n,
			      parts->first + i * parts->stride);
}

/* A group's root is a member, not a rank. Chunks: 0 is the algorithm's choice. */
struct suo_group_algo {
	const char	*name;
	/* The name takes a number of chunks. */
	bool		chunked;
	/* Member i ends with the sum of part i. */
	void	(*reduce_scatter)(struct suo_build *b, const struct suo_group *group,
				  const struct suo_parts *parts);
	/* Members learn that the others are done with their vectors; or NULL. */
	void	(*reduce_scatter_end)(struct suo_build *b,
				      const struct suo_group *group,
				      const struct suo_parts *parts);
	/* Member i begins with part i; all end with all parts. */
	void	(*all_gather)(struct suo_build *b, const struct suo_group *group,
			      const struct suo_parts *parts);
	/* NULL: the two above, one after the other, if the algorithm has both. */
	void	(*allreduce)(struct suo_build *b, const struct suo_group *group,
			     struct suo_range range, uint32_t chunks);
	/* All members have begun the plan already. */
	void	(*broadcast)(struct suo_build *b, const struct suo_group *group,
			     uint32_t root, struct suo_range range, uint32_t chunks);
	/* Members need not know when the root has ended. */
	void	(*reduce)(struct suo_build *b, const struct suo_group *group,
			  uint32_t root, struct suo_range range, uint32_t chunks);
};

/* One line an algorithm: NAME is defined as suo_group_NAME in its file. */
#define SUO_GROUP_ALGOS(X)	\
	X(ring)			\
	X(biring)		\
	X(rhd)			\
	X(rd)			\
	X(direct)		\
	X(oneshot)		\
	X(dtree)		\
	X(binomial)		\
	X(chain)		\
	X(tree)			\
	X(scatter_ag)		\
	X(innet)

#define SUO_GROUP_DECLARE(name)	\
	extern const struct suo_group_algo suo_group_##name;
SUO_GROUP_ALGOS(SUO_GROUP_DECLARE)

/* Return: the algorithm of this name, or NULL. */
const struct suo_group_algo *suo_group_find(const char *name);

/* Can the algorithm do its part of this collective? */
bool suo_group_can(const struct suo_group_algo *algo, enum suo_coll coll);

/* An AllReduce by an algorithm that can. */
void suo_group_allreduce(struct suo_build *b, const struct suo_group_algo *algo,
			 const struct suo_group *group, struct suo_range range,
			 uint32_t chunks);

/* suo_plan_chunks() for the plan's shape. */
uint32_t suo_group_chunks(const struct suo_build *b, uint32_t asked, uint64_t len,
			  uint32_t links);

/**
 * suo_build_meet() - the members tell the root that they have begun
 * @b: the plan
 * @root: the rank; what it does next waits for them all
 */
void suo_build_meet(struct suo_build *b, uint32_t root);

/* The root tells all others that its @range is complete: the end of a plan. */
void suo_build_release(struct suo_build *b, uint32_t root,
		       const struct suo_range *range);

#endif /* SUO_PLAN_GROUP_H */
