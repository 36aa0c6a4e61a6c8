/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which algorithm to take: the one that the model says is over first. */
#ifndef SUO_ANALYTIC_CHOOSE_H
#define SUO_ANALYTIC_CHOOSE_H

#include "model/analytic/cost.h"

/* Ranks up to which plans are replayed if they have no closed form. */
#define SUO_CHOOSE_MAX_REPLAYED		128u

/**
 * suo_coll_cost() - cost of a collective
 * @coll: the collective
 * @algorithm: its algorithm
 * @net: the network
 * @nranks: ranks, a multiple of net->domain_size
 * @count: elements of DATA
 * @cost: where the result goes
 *
 * By suo_closed_cost() if there is a form, or else by replaying the plan, with
 * rank 0 as its root.
 *
 * Return: 0, -EINVAL for what suo_plan_make() refuses, -EOPNOTSUPP without a form
 * and beyond SUO_CHOOSE_MAX_REPLAYED ranks, -ENOMEM.
 */
int suo_coll_cost(enum suo_coll coll, const char *algorithm, const struct suo_net *net,
		  u32 nranks, u64 count, struct suo_cost *cost);

/**
 * struct suo_choice - an algorithm
 * @name: its name, for suo_plan_make()
 * @done_ps: when it is over, says the model
 */
struct suo_choice {
	char	name[SUO_PLAN_NAME_SIZE];
	u64	done_ps;
};

/* Knows a network, and remembers what it has chosen. */
struct suo_chooser;

/**
 * suo_chooser_create() - get ready to choose
 * @net: the network; copied
 * @nranks: ranks, a multiple of net->domain_size
 * @out: the chooser; free it with suo_chooser_free()
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int suo_chooser_create(const struct suo_net *net, u32 nranks, struct suo_chooser **out);

void suo_chooser_free(struct suo_chooser *chooser);

/**
 * suo_coll_choose() - the algorithm for a collective and a size
 * @chooser: the chooser; not to be used by two threads at once
 * @coll: the collective
 * @count: elements of DATA
 * @windows: may what is done in the network be taken: does the reduction exist
 *	there, and can the executor have it done?
 * @choice: where the result goes
 *
 * The candidate whose suo_cost.done_ps is least; of equals, the first one in
 * the order of suo_choose_candidate(). Sizes are looked at in steps of an eighth
 * of an octave, rounded up: so most calls find the answer remembered, and all
 * ranks that ask for the same get the same.
 *
 * Return: 0; -EINVAL if no algorithm can do this; -ENOMEM.
 */
int suo_coll_choose(struct suo_chooser *chooser, enum suo_coll coll, u64 count,
		    bool windows, struct suo_choice *choice);

/* The i-th candidate of a collective, or NULL past the last one. */
const char *suo_choose_candidate(enum suo_coll coll, unsigned int i);

#endif /* SUO_ANALYTIC_CHOOSE_H */
