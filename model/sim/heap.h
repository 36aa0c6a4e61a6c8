/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What will happen in a simulation, taken out in the order of time. Most of it will
 * soon: a calendar (Brown, "Calendar queues", 1988) has a list for each 8 ns of the next
 * 268 us, and only what happens in the present 8 ns is sorted, by a heap of four children
 * a node (LaMarca and Ladner, "The influence of caches on the performance of heaps",
 * 1996), which stays in the processor's first cache. Another such heap has what is
 * later than the calendar. model/analytic/events.h is the small one for a plan's steps.
 */
#ifndef SUO_SIM_HEAP_H
#define SUO_SIM_HEAP_H

#include <stddef.h>

#include "model/core/types.h"
#include "model/sim/arena.h"

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

/* One heap of them. */
struct suo_heap_part {
	struct suo_happening	*entry;
	size_t			n;
	size_t			cap;
};

struct suo_heap_block;

/**
 * struct suo_heap - all that will happen; all zero, it is empty
 * @prepare: told of what will happen soon, more than once perhaps, so that it can have
 *	the memory fetched that will be needed; NULL: nobody is
 * @arg: for it
 * @now: of the present slot of the calendar, and what should have been before
 * @later: behind the calendar
 * @slot: number of the present slot, from the beginning of time
 * @list: of each slot, the last of its blocks; NULL: none
 * @full_slots: bit n of word w: slot 64 w + n of @list has something
 * @listed: what is in all lists
 * @free_block: blocks that were used
 * @arena: memory for blocks
 * @added: so many were added so far
 * @full: there was no memory: entries are lost
 */
struct suo_heap {
	void			(*prepare)(void *arg, const struct suo_happening *what);
	void			*arg;
	struct suo_heap_part	now;
	struct suo_heap_part	later;
	u64			slot;
	struct suo_heap_block	**list;
	u64			*full_slots;
	size_t			listed;
	struct suo_heap_block	*free_block;
	struct suo_arena	arena;
	u64			added;
	bool			full;
};

/* Add one. Without memory, only the heap's full is set. */
void suo_heap_add(struct suo_heap *heap, u64 at_ps, u32 kind, void *object, u64 arg);

/* Take out the next. Return: false when there is none. */
bool suo_heap_next(struct suo_heap *heap, struct suo_happening *happening);

/**
 * suo_heap_soonest_ps() - when to look again, for those who run on a clock
 * @heap: the heap
 *
 * Return: a time that nothing happens before, and at most one slot of the calendar before
 * the next thing happens; U64_MAX if nothing will.
 */
u64 suo_heap_soonest_ps(const struct suo_heap *heap);

/* Take out the next, unless it is later than a time. Return: false if it is. */
bool suo_heap_next_until(struct suo_heap *heap, u64 until_ps,
			 struct suo_happening *happening);

static inline u32 suo_happening_kind(const struct suo_happening *happening)
{
	return happening->order & ((1u << SUO_HEAP_KIND_BITS) - 1);
}

void suo_heap_free(struct suo_heap *heap);

#endif /* SUO_SIM_HEAP_H */
