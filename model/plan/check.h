/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of suo_plan_check(). */
#ifndef SUO_PLAN_CHECK_H
#define SUO_PLAN_CHECK_H

#include "model/plan/graph.h"

/* What a step does to a range of a buffer of its own rank. */
struct suo_plan_access {
	uint8_t		buf;
	bool		writes;
	uint64_t	off;
	uint64_t	len;
};

#define SUO_PLAN_MAX_ACCESSES	2

/*
 * The ranges that a step touches at its own rank; a RECV_REDUCE's room is not
 * among them. Return: how many.
 */
unsigned int suo_plan_accesses(const struct suo_plan_step *step,
			       struct suo_plan_access access[SUO_PLAN_MAX_ACCESSES]);

/**
 * suo_plan_check_steps() - is each step possible, taken by itself?
 * @plan: the plan
 * @why: where the reason goes
 *
 * Return: 0, -EINVAL if a step names what does not exist or what its kind may
 * not touch, or if two steps write the same element of scratch memory; -ENOMEM.
 */
int suo_plan_check_steps(const struct suo_plan *plan,
			 const struct suo_plan_why *why);

/**
 * suo_plan_check_order() - no elements touched in an undefined order
 * @plan: the plan, its steps valid
 * @why: where the reason goes
 *
 * What other members of a domain do by steps in the network is left to
 * suo_plan_check_domain().
 *
 * Return: 0, -EINVAL when two steps of a rank overlap, one of them writes, and
 * dep[] orders them in neither way, or when dep[] runs in a circle; -ENOMEM.
 */
int suo_plan_check_order(const struct suo_plan *plan,
			 const struct suo_plan_why *why);

/**
 * suo_plan_check_domain() - are steps in the network framed as plan.h says?
 * @graph: the plan, its steps valid, without circles
 * @why: where the reason goes
 *
 * Return: 0, -EINVAL when such a step may come before a member has begun or
 * after it has ended, or is not ordered with another step that touches the same
 * elements; -ENOMEM.
 */
int suo_plan_check_domain(const struct suo_plan_graph *graph,
			  const struct suo_plan_why *why);

/**
 * struct suo_plan_values - who has contributed to which elements
 *
 * What the buffers hold while a plan runs: for each of a rank, runs of
 * neighbouring elements that have the same contributors.
 */
struct suo_plan_values;

/* A copy of elements on their way: runs, counted from the message's start. */
struct suo_plan_msg;

/* The buffers as the collective finds them. Return: NULL: no memory. */
struct suo_plan_values *suo_plan_values_new(const struct suo_plan *plan);

void suo_plan_values_free(struct suo_plan_values *values);

/* Return: a copy of what step @index of @rank sends; NULL: no memory. */
struct suo_plan_msg *suo_plan_values_send(const struct suo_plan_values *values,
					  uint32_t rank, uint32_t index);

/* Put a message where step @index of @rank says. Return: 0 or -ENOMEM. */
int suo_plan_values_recv(struct suo_plan_values *values, uint32_t rank,
			 uint32_t index, const struct suo_plan_msg *msg);

/* Carry out a step that has no message. Return: 0 or -ENOMEM. */
int suo_plan_values_local(struct suo_plan_values *values, uint32_t rank,
			  uint32_t index);

void suo_plan_msg_free(struct suo_plan_msg *msg);

/**
 * suo_plan_values_final() - is this the result of the collective?
 * @values: after the last step
 * @why: where the reason goes
 *
 * Return: 0, or -EINVAL unless every element of every rank's output has the
 * contributions that enum suo_coll says, each exactly once.
 */
int suo_plan_values_final(const struct suo_plan_values *values,
			  const struct suo_plan_why *why);

#endif /* SUO_PLAN_CHECK_H */
