/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What will happen in a simulation, taken out in the order of time: a heap of four
 * children a node (LaMarca and Ladner, "The influence of caches on the performance of
 * heaps", 1996). model/analytic/events.h is the small one for a plan's steps.
 */
#ifndef SUO_SIM_HEAP_H
#define SUO_SIM_HEAP_H

#include <stddef.h>

#include "model/core/types.h"

#define SUO_HEAP_KIND_BITS	5

/**
 * struct suo_happening - something that will happen
 * @at_ps: when
 * @order: of what happens at the same time, what was added first comes first; the
 *	low SUO_HEAP_KIND_BITS say what happens
 * @object: to whom
 * @arg: up to the kind
 */
struct suo_happening {
	u64	at_ps;
	u64	order;
	void	*object;
	u64	arg;
};

/* All zero, it is empty. */
struct suo_heap {
	struct suo_happening	*entry;
	size_t			n;
	size_t			cap;
	u64			added;
	bool			full;	/* there was no memory: entries are lost */
};

/* Add one. Without memory, only the heap's full is set. */
void suo_heap_add(struct suo_heap *heap, u64 at_ps, u32 kind, void *object, u64 arg);

/* Take out the next. Return: false when there is none. */
bool suo_heap_next(struct suo_heap *heap, struct suo_happening *happening);

static inline u32 suo_happening_kind(const struct suo_happening *happening)
{
	return happening->order & ((1u << SUO_HEAP_KIND_BITS) - 1);
}

void suo_heap_free(struct suo_heap *heap);

#endif /* SUO_SIM_HEAP_H */
