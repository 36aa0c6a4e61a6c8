/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which send of a plan meets which receive. */
#ifndef SUO_PLAN_MATCH_H
#define SUO_PLAN_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "model/plan/plan.h"

/**
 * struct suo_plan_why - where the reason for a refusal goes
 * @text: room for it, or NULL
 * @size: bytes of room
 */
struct suo_plan_why {
	char	*text;
	size_t	size;
};

/* Store the reason. Return: -EINVAL, for the caller to pass on. */
int suo_plan_refuse(const struct suo_plan_why *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * struct suo_plan_match - the steps of a plan, numbered through, and their mates
 * @total: steps of all ranks
 * @base: step i of rank r has number base[r] + i; base[nranks] is total
 * @owner: number to rank
 * @mate: number of a step to that of the peer's step that it meets; to its own
 *	if it has no message
 */
struct suo_plan_match {
	uint32_t	total;
	uint32_t	*base;
	uint32_t	*owner;
	uint32_t	*mate;
};

/**
 * suo_plan_match() - pair sends and receives as plan.h says
 * @plan: the plan; its peers must be valid
 * @match: filled in; free it with suo_plan_match_free()
 * @why: where the reason goes
 *
 * Return: 0, -EINVAL if a step meets nothing or another length, -ENOMEM.
 */
int suo_plan_match(const struct suo_plan *plan, struct suo_plan_match *match,
		   const struct suo_plan_why *why);

void suo_plan_match_free(struct suo_plan_match *match);

#endif /* SUO_PLAN_MATCH_H */
