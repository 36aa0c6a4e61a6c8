/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing plans. A generator says in one sequence who sends and receives what;
 * the builder finds out what has to wait for what: a step that touches what an
 * earlier step of its rank touches waits for it, if one of the two writes.
 *
 * Errors stick: after one, nothing is added, and suo_build_end() returns it.
 */
#ifndef SUO_PLAN_BUILD_H
#define SUO_PLAN_BUILD_H

#include "model/plan/plan.h"

/**
 * struct suo_range - elements of a buffer
 * @off: first element
 * @len: elements
 * @lo: place in an imagined buffer without an end to its divisibility
 * @hi: and where it ends: parts of a short vector may be empty, and still one
 *	of them is not another: their messages carry order, too
 */
struct suo_range {
	uint64_t	off;
	uint64_t	len;
	uint64_t	lo;
	uint64_t	hi;
};

/* A range of some buffer. */
struct suo_place {
	enum suo_plan_buf	buf;
	struct suo_range	range;
};

/* Parts @first to @first + @count - 1 of @parts nearly equal ones. */
struct suo_range suo_range_span(const struct suo_range *range, uint32_t parts,
				uint32_t first, uint32_t count);

static inline struct suo_range suo_range_part(const struct suo_range *range,
					      uint32_t parts, uint32_t i)
{
	return suo_range_span(range, parts, i, 1);
}

struct suo_build_log;

/**
 * struct suo_build - a plan in the making
 * @plan: the plan
 * @shape: what it is made for
 * @all: all of DATA
 * @err: 0, or why it fails
 * @log: of each rank, what its steps have touched
 * @after: of each rank, one more step that its next step waits for
 * @gate: see suo_build_gate()
 * @start: of each rank, its first step behind the gate
 * @dep: room for what a step waits for
 * @ndeps: how many they are
 * @cap: how many there is room for
 * @stamp: of the steps of a rank, the last search that met them
 * @stack: of that search
 * @nstamps: entries of @stamp and @stack
 * @search: number of the search
 */
struct suo_build {
	struct suo_plan			*plan;
	const struct suo_plan_shape	*shape;
	struct suo_range		all;
	int				err;
	struct suo_build_log		*log;
	uint32_t			*after;
	uint32_t			*gate;
	uint32_t			*start;
	uint32_t			*dep;
	uint32_t			ndeps;
	uint32_t			cap;
	uint32_t			*stamp;
	uint32_t			*stack;
	uint32_t			nstamps;
	uint32_t			search;
};

/* Begin to fill an empty plan. Return: 0 or -ENOMEM. */
int suo_build_begin(struct suo_build *b, struct suo_plan *plan,
		    const struct suo_plan_shape *shape);

/* Return: 0, or what went wrong. Must be called even if the begin failed. */
int suo_build_end(struct suo_build *b);

/* A shape that the algorithm cannot do. */
void suo_build_refuse(struct suo_build *b);

static inline struct suo_place suo_data(struct suo_range range)
{
	return (struct suo_place){ SUO_PLAN_DATA, range };
}

static inline struct suo_place suo_input(struct suo_range range)
{
	return (struct suo_place){ SUO_PLAN_INPUT, range };
}

/* Block of a rank. */
static inline struct suo_range suo_build_block(const struct suo_build *b,
					       uint32_t rank)
{
	return suo_range_part(&b->all, b->plan->nranks, rank);
}

/* The i-th member of a rank's domain, counted from the rank on. */
static inline uint32_t suo_build_neighbour(const struct suo_build *b, uint32_t rank,
					   uint32_t i)
{
	uint32_t g = b->plan->domain_size;

	return rank / g * g + (rank + i) % g;
}

/* New room in scratch memory of a rank. */
struct suo_place suo_build_scratch(struct suo_build *b, uint32_t rank, uint64_t len);

/*
 * Steps, each appended to the list of @rank. Return: its number, or
 * SUO_PLAN_NO_DEP after an error.
 */
uint32_t suo_build_send(struct suo_build *b, uint32_t rank, uint32_t peer,
			struct suo_place from);
uint32_t suo_build_recv(struct suo_build *b, uint32_t rank, uint32_t peer,
			struct suo_place to);
uint32_t suo_build_reduce(struct suo_build *b, uint32_t rank, uint32_t peer,
			  struct suo_range range);
uint32_t suo_build_copy(struct suo_build *b, uint32_t rank, struct suo_place to,
			struct suo_place from);
uint32_t suo_build_mcast(struct suo_build *b, uint32_t rank, struct suo_range range,
			 struct suo_place from);
uint32_t suo_build_read(struct suo_build *b, uint32_t rank, struct suo_place to,
			struct suo_range range);

/* A message: the send and its receive. */
void suo_build_message(struct suo_build *b, uint32_t from, struct suo_place source,
		       uint32_t to, struct suo_place target);

/* A message from a range of DATA to the same range there; and one that is added. */
void suo_build_move(struct suo_build *b, uint32_t from, uint32_t to,
		    struct suo_range range);
void suo_build_fold(struct suo_build *b, uint32_t from, uint32_t to,
		    struct suo_range range);

/*
 * Messages of no elements, for what others do to @range of this rank's DATA, or
 * what this rank does to theirs. By "tell" a rank says that @range is complete:
 * it waits for what has written there. By "yield" it says that @range may be
 * used, and overwritten: it waits for all that has touched it. "hear" receives
 * either, and what touches @range later waits for it. Without a range (NULL)
 * they wait for nothing.
 */
uint32_t suo_build_tell(struct suo_build *b, uint32_t rank, uint32_t peer,
			const struct suo_range *range);
uint32_t suo_build_yield(struct suo_build *b, uint32_t rank, uint32_t peer,
			 const struct suo_range *range);
uint32_t suo_build_hear(struct suo_build *b, uint32_t rank, uint32_t peer,
			const struct suo_range *range);

/* A step that does nothing when all is done that has touched a range of DATA. */
uint32_t suo_build_join(struct suo_build *b, uint32_t rank,
			const struct suo_range *range);

/* The last step of a rank. */
uint32_t suo_build_last(const struct suo_build *b, uint32_t rank);

/* The next step of a rank waits for that one, too. */
void suo_build_after(struct suo_build *b, uint32_t rank, uint32_t step);

/**
 * suo_build_gate() - from now on, begin later
 * @b: the plan
 * @gate: for each rank a step, or SUO_PLAN_NO_DEP; NULL: no gate. Sends that
 *	wait for nothing since this call wait for that step.
 *
 * So a phase works on one chunk after the other, and not on all at once.
 */
void suo_build_gate(struct suo_build *b, uint32_t *gate);

/* Store each rank's last step since then that did not send. */
void suo_build_gate_end(struct suo_build *b);

/* A gate for all ranks, open. Free it. NULL: no memory; the plan fails. */
uint32_t *suo_build_new_gate(struct suo_build *b);

#endif /* SUO_PLAN_BUILD_H */
