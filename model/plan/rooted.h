/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What Gather and Scatter share: the binomial tree, with places counted from the
 * root on, and blocks of neighbouring places kept together in scratch memory; and
 * the scratch memory of who acts for a domain.
 */
#ifndef SUO_PLAN_ROOTED_H
#define SUO_PLAN_ROOTED_H

#include "model/plan/group.h"

/* The rank in a place: the root is in place 0. */
uint32_t suo_rooted_rank(const struct suo_build *b, uint32_t place);

/* Places of the subtree whose root is in this one. */
uint32_t suo_rooted_size(const struct suo_build *b, uint32_t place);

/* Scratch memory of the rank in a place for the blocks of its subtree. */
struct suo_place suo_rooted_scratch(struct suo_build *b, uint32_t place);

/* The blocks of places [first, first + count) in the scratch memory of @place. */
struct suo_place suo_rooted_piece(const struct suo_build *b,
				  const struct suo_place *scratch, uint32_t place,
				  uint32_t first, uint32_t count);

/* A rank's block in scratch memory that has those of its domain. */
struct suo_place suo_rooted_block(const struct suo_build *b,
				  const struct suo_place *scratch, uint32_t rank);

/*
 * How many of the places [first, first + count) have blocks that follow each
 * other in DATA: behind the last rank comes rank 0.
 */
uint32_t suo_rooted_head(const struct suo_build *b, uint32_t first, uint32_t count);

/* The blocks of places in DATA; @count as suo_rooted_head() allows. */
struct suo_place suo_rooted_data(const struct suo_build *b, uint32_t first,
				 uint32_t count);

#endif /* SUO_PLAN_ROOTED_H */
