/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Things that will happen, taken out in the order of time. */
#ifndef SUO_ANALYTIC_EVENTS_H
#define SUO_ANALYTIC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/types.h"

/**
 * struct suo_event - something that happens
 * @at_ps: when
 * @seq: set by suo_events_add(): of what happens at the same time, what was
 *	added first comes first
 * @kind: up to the user
 * @what: up to the user
 */
struct suo_event {
	u64	at_ps;
	u64	seq;
	u32	kind;
	u32	what;
};

/* A heap. All zero, it is empty. */
struct suo_events {
	struct suo_event	*heap;
	size_t			n;
	size_t			cap;
	u64			seq;
};

/* Return: 0 or -ENOMEM. */
int suo_events_add(struct suo_events *events, u64 at_ps, u32 kind, u32 what);

/* Take out the next event. Return: false when there is none. */
bool suo_events_next(struct suo_events *events, struct suo_event *event);

void suo_events_free(struct suo_events *events);

#endif /* SUO_ANALYTIC_EVENTS_H */
