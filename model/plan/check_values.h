/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the buffers of a plan hold, inside suo_plan_check(). */
#ifndef SUO_PLAN_CHECK_VALUES_H
#define SUO_PLAN_CHECK_VALUES_H

#include "model/plan/check.h"

enum suo_plan_spoilt {
	SUO_PLAN_SOUND,
	SUO_PLAN_TWICE,
	SUO_PLAN_UNLIKE,
	SUO_PLAN_UNWRITTEN,
};

/* A set of contributors; never changed once made, freed with the values. */
struct suo_plan_set {
	struct suo_plan_set	*next;
	enum suo_plan_spoilt	spoilt;
	uint32_t		rank, step;	/* which spoilt it */
	uint64_t		bits[];
};

/* Element p of the run holds contributions to element p + shift (mod 2^64). */
struct suo_plan_run {
	uint64_t			len;
	uint64_t			shift;
	const struct suo_plan_set	*set;
};

struct suo_plan_runs {
	struct suo_plan_run	*run;
	uint32_t		n;
	uint32_t		cap;
};

struct suo_plan_msg {
	struct suo_plan_runs	runs;
};

struct suo_plan_values {
	const struct suo_plan	*plan;
	size_t			words;
	struct suo_plan_set	*sets;
	struct suo_plan_runs	*of;	/* each covers one buffer of a rank */
};

#endif /* SUO_PLAN_CHECK_VALUES_H */
