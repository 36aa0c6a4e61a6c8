// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "model/sim/heap.h"

#define CHILDREN	4
#define SLOT_BITS	13		/* of picoseconds: 8.2 ns */
#define SLOTS		32768u
#define WORDS		(SLOTS / 64)

/* The next few are among the first of the heap. */
#define LOOK_AHEAD	3

#define BLOCK_ENTRIES	15
#define CHUNK_BLOCKS	128

/* Some of what a slot has, one behind the other: 512 bytes. */
struct suo_heap_block {
	struct suo_heap_block	*next;
	size_t			n;
	struct suo_happening	happening[BLOCK_ENTRIES];
} __attribute__((aligned(SUO_CACHE_LINE)));

static bool is_before(const struct suo_happening *a, const struct suo_happening *b)
{
	return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->order < b->order;
}

static bool grow_part(struct suo_heap_part *part)
{
	size_t cap = part->cap ? 2 * part->cap : 1024;
	struct suo_happening *entry = realloc(part->entry, cap * sizeof(*entry));

	if (!entry)
		return false;
	part->entry = entry;
	part->cap = cap;
	return true;
}

static bool push(struct suo_heap_part *part, const struct suo_happening *new)
{
	size_t i;

	if (part->n == part->cap && !grow_part(part))
		return false;
	for (i = part->n++; i; i = (i - 1) / CHILDREN) {
		if (!is_before(new, &part->entry[(i - 1) / CHILDREN]))
			break;
		part->entry[i] = part->entry[(i - 1) / CHILDREN];
	}
	part->entry[i] = *new;
	return true;
}

static void pop(struct suo_heap_part *part, struct suo_happening *happening)
{
	struct suo_happening *entry = part->entry, *last = &entry[--part->n];
	size_t i = 0;

	*happening = entry[0];
	for (;;) {
		size_t child = CHILDREN * i + 1, end = child + CHILDREN, best = child;

		if (child >= part->n)
			break;
		if (end > part->n)
			end = part->n;
		while (++child < end)
			if (is_before(&entry[child], &entry[best]))
				best = child;
		if (!is_before(&entry[best], last))
			break;
		entry[i] = entry[best];
		i = best;
	}
	entry[i] = *last;
}

static bool start_calendar(struct suo_heap *heap)
{
	heap->list = calloc(SLOTS, sizeof(*heap->list));
	heap->full_slots = calloc(WORDS, sizeof(*heap->full_slots));
	return heap->list && heap->full_slots;
}

static bool add_blocks(struct suo_heap *heap)
{
	struct suo_heap_block *many;

	many = suo_arena_get(&heap->arena, CHUNK_BLOCKS, sizeof(*many));
	if (!many)
		return false;
	for (int i = 0; i < CHUNK_BLOCKS; i++) {
		many[i].next = heap->free_block;
		heap->free_block = &many[i];
	}
	return true;
}

static bool list(struct suo_heap *heap, const struct suo_happening *new)
{
	u32 slot = (new->at_ps >> SLOT_BITS) % SLOTS;
	struct suo_heap_block *block = heap->list[slot];

	if (!block || block->n == BLOCK_ENTRIES) {
		if (!heap->free_block && !add_blocks(heap))
			return false;
		block = heap->free_block;
		heap->free_block = block->next;
		block->n = 0;
		block->next = heap->list[slot];
		heap->list[slot] = block;
		heap->full_slots[slot / 64] |= 1ull << slot % 64;
	}
	block->happening[block->n++] = *new;
	heap->listed++;
	return true;
}

void suo_heap_add(struct suo_heap *heap, u64 at_ps, u32 kind, void *object, u64 arg)
{
	struct suo_happening new = {
		.at_ps = at_ps,
		.order = heap->added++ << SUO_HEAP_KIND_BITS | kind,
		.object = object,
		.arg = arg,
	};
	u64 slot = at_ps >> SLOT_BITS;
	bool ok;

	if (!heap->list && !start_calendar(heap)) {
		heap->full = true;
		return;
	}
	if (slot <= heap->slot)
		ok = push(&heap->now, &new);
	else if (slot - heap->slot < SLOTS)
		ok = list(heap, &new);
	else
		ok = push(&heap->later, &new);
	if (!ok)
		heap->full = true;
}

/* Return: the next slot that has nodes; there are some. */
static u64 next_listed(const struct suo_heap *heap)
{
	u32 at = (heap->slot + 1) % SLOTS, word = at / 64;
	u64 bits = heap->full_slots[word] & U64_MAX << at % 64;
	u32 found;

	while (!bits) {
		word = (word + 1) % WORDS;
		bits = heap->full_slots[word];
	}
	found = word * 64 + __builtin_ctzll(bits);
	return heap->slot + 1 + (found + SLOTS - at) % SLOTS;
}

/* What is listed for a slot is what happens now. */
static bool take_slot(struct suo_heap *heap)
{
	u32 slot = heap->slot % SLOTS;
	struct suo_heap_block *block = heap->list[slot], *next;

	heap->list[slot] = NULL;
	heap->full_slots[slot / 64] &= ~(1ull << slot % 64);
	for (; block; block = next) {
		next = block->next;
		if (next)
			__builtin_prefetch(next);
		for (size_t i = 0; i < block->n; i++)
			if (!push(&heap->now, &block->happening[i]))
				return false;
		heap->listed -= block->n;
		block->next = heap->free_block;
		heap->free_block = block;
	}
	return true;
}

/* Go on to the next slot in which something happens. */
static bool turn_page(struct suo_heap *heap)
{
	u64 slot = heap->listed ? next_listed(heap) : U64_MAX;
	struct suo_happening late;

	if (heap->later.n && heap->later.entry[0].at_ps >> SLOT_BITS < slot)
		slot = heap->later.entry[0].at_ps >> SLOT_BITS;
	heap->slot = slot;
	if (!take_slot(heap))
		return false;
	while (heap->later.n && heap->later.entry[0].at_ps >> SLOT_BITS == slot) {
		pop(&heap->later, &late);
		if (!push(&heap->now, &late))
			return false;
	}
	return true;
}

/* What happens next is in the present slot from then on. Return: false if nothing does. */
static bool find_next(struct suo_heap *heap)
{
	if (heap->now.n)
		return true;
	if (!heap->listed && !heap->later.n)
		return false;
	if (!turn_page(heap)) {
		heap->full = true;
		return false;
	}
	return true;
}

bool suo_heap_next(struct suo_heap *heap, struct suo_happening *happening)
{
	if (!find_next(heap))
		return false;
	pop(&heap->now, happening);
	if (heap->prepare)
		for (size_t i = 0; i < LOOK_AHEAD && i < heap->now.n; i++)
			heap->prepare(heap->arg, &heap->now.entry[i]);
	return true;
}

u64 suo_heap_soonest_ps(const struct suo_heap *heap)
{
	u64 at_ps = U64_MAX;

	if (heap->now.n)
		return heap->now.entry[0].at_ps;
	if (heap->listed)
		at_ps = next_listed(heap) << SLOT_BITS;
	if (heap->later.n && heap->later.entry[0].at_ps < at_ps)
		at_ps = heap->later.entry[0].at_ps;
	return at_ps;
}

bool suo_heap_next_until(struct suo_heap *heap, u64 until_ps,
			 struct suo_happening *happening)
{
	/* Behind a page that is turned too soon, all that is added would have to be sorted. */
	if (suo_heap_soonest_ps(heap) > until_ps || !find_next(heap) ||
	    heap->now.entry[0].at_ps > until_ps)
		return false;
	pop(&heap->now, happening);
	return true;
}

void suo_heap_free(struct suo_heap *heap)
{
	free(heap->now.entry);
	free(heap->later.entry);
	free(heap->list);
	free(heap->full_slots);
	suo_arena_free(&heap->arena);
	*heap = (struct suo_heap){ 0 };
}
