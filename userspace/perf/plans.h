/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which plans a benchmark runs, and how they are made. */
#ifndef SUO_PERF_PLANS_H
#define SUO_PERF_PLANS_H

#include "userspace/coll/layout.h"
#include "userspace/perf/opts.h"

/* Stands for every algorithm that the model would choose from. */
#define PLANS_ALL	"all"

/* Is there such an algorithm, of one of the collectives? */
bool plans_known(const enum collective *coll, unsigned int ncolls, const char *algorithm);

/**
 * plans_algorithm() - the i-th algorithm to run a collective with
 * @opts: what was asked for
 * @coll: the collective
 * @i: from 0
 *
 * Return: its name, or NULL past the last one.
 */
const char *plans_algorithm(const struct opts *opts, enum collective coll, unsigned int i);

/* May an algorithm be passed over if it cannot do the ranks? It was not named. */
bool plans_optional(const struct opts *opts);

/**
 * plans_layout() - make a plan and get it ready
 * @opts: what was asked for
 * @c: the collective
 * @algorithm: its algorithm
 * @layout: where to store it; free it with suo_layout_free()
 * @why: room for the reason of a failure
 * @size: its size in bytes
 *
 * Return: 0, -EINVAL if the algorithm cannot do this, or another -errno.
 */
int plans_layout(const struct opts *opts, const struct collective_case *c,
		 const char *algorithm, struct suo_layout **layout, char *why, size_t size);

/* Does the network have the reduction, if the plan leaves it to the network? */
bool plans_possible(const struct suo_layout *layout, const struct collective_case *c);

#endif /* SUO_PERF_PLANS_H */
