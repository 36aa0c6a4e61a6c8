/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A plan made ready to be run: what waits for what. */
#ifndef SUO_PLAN_GRAPH_H
#define SUO_PLAN_GRAPH_H

#include "model/plan/match.h"

/**
 * struct suo_plan_graph - the steps of a plan, numbered through
 * @plan: the plan
 * @match: numbers, and which step meets which
 * @waits: for each step, how many events it waits for: one for each of its
 *	dependencies and, if it is a receive, one for the data. Whoever runs the
 *	plan counts down.
 * @first: the steps that wait for step n to be done are then[first[n]] to
 *	then[first[n + 1] - 1]; a receive is not among those of its send
 * @then: see @first
 */
struct suo_plan_graph {
	const struct suo_plan	*plan;
	struct suo_plan_match	match;
	uint32_t		*waits;
	uint32_t		*first;
	uint32_t		*then;
};

/**
 * suo_plan_graph_init() - make a plan ready
 * @graph: filled in; free with suo_plan_graph_free()
 * @plan: the plan; each step valid in itself. It must outlive the graph.
 * @why: where the reason for -EINVAL goes
 *
 * Return: 0, -EINVAL if sends and receives do not match, -ENOMEM.
 */
int suo_plan_graph_init(struct suo_plan_graph *graph,
			const struct suo_plan *plan,
			const struct suo_plan_why *why);

void suo_plan_graph_free(struct suo_plan_graph *graph);

/* Return: step number n; its rank and its index there are stored. */
const struct suo_plan_step *suo_plan_graph_step(const struct suo_plan_graph *graph,
						uint32_t n, uint32_t *rank,
						uint32_t *index);

#endif /* SUO_PLAN_GRAPH_H */
