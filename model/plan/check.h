/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of suo_plan_check(). */
#ifndef SUO_PLAN_CHECK_H
#define SUO_PLAN_CHECK_H

#include "model/plan/match.h"

/**
 * suo_plan_check_order() - no elements touched in an undefined order
 * @plan: the plan, its steps valid
 * @why: where the reason goes
 *
 * Return: 0, -EINVAL when two steps of a rank overlap, one of them writes, and
 * dep[] orders them in neither way, or when dep[] runs in a circle; -ENOMEM.
 */
int suo_plan_check_order(const struct suo_plan *plan,
			 const struct suo_plan_why *why);

/**
 * struct suo_plan_values - who has contributed to which elements
 *
 * What the vectors are made of while a plan runs: for each rank, runs of
 * neighbouring elements that have the same contributors.
 */
struct suo_plan_values;

/* A copy of elements on their way: runs, counted from the message's start. */
struct suo_plan_msg;

/* Each rank's vector holds its own contribution. Return: NULL: no memory. */
struct suo_plan_values *suo_plan_values_new(const struct suo_plan *plan);

void suo_plan_values_free(struct suo_plan_values *values);

/* Return: a copy of what step @index of @rank sends; NULL: no memory. */
struct suo_plan_msg *suo_plan_values_send(const struct suo_plan_values *values,
					  uint32_t rank, uint32_t index);

/* Put a message where step @index of @rank says. Return: 0 or -ENOMEM. */
int suo_plan_values_recv(struct suo_plan_values *values, uint32_t rank,
			 uint32_t index, const struct suo_plan_msg *msg);

void suo_plan_msg_free(struct suo_plan_msg *msg);

/**
 * suo_plan_values_final() - is this the result of an AllReduce?
 * @values: after the last step
 * @why: where the reason goes
 *
 * Return: 0, or -EINVAL unless every element of every rank has each rank's
 * contribution exactly once.
 */
int suo_plan_values_final(const struct suo_plan_values *values,
			  const struct suo_plan_why *why);

#endif /* SUO_PLAN_CHECK_H */
