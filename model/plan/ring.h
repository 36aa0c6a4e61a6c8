/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Steps of a ring, for all of its members. */
#ifndef SUO_PLAN_RING_H
#define SUO_PLAN_RING_H

#include "model/plan/group.h"

/**
 * struct suo_ring - a ring and what its members share
 * @group: the members
 * @parts: a part for each
 * @backwards: member i sends to member i - 1, and not to i + 1
 * @half: 0: each part is taken as a whole; 1, 2: the first or second half of it
 */
struct suo_ring {
	struct suo_group	group;
	struct suo_parts	parts;
	bool			backwards;
	uint32_t		half;
};

/* Step number @step of n - 1. */
void suo_ring_reduce_scatter_step(struct suo_build *b, const struct suo_ring *ring,
				  uint32_t step);

/* @got: room for n step numbers, kept from one step to the next */
void suo_ring_all_gather_step(struct suo_build *b, const struct suo_ring *ring,
			      uint32_t step, uint32_t *got);

#endif /* SUO_PLAN_RING_H */
