// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "model/sim/heap.h"

#define CHILDREN	4

static bool is_before(const struct suo_happening *a, const struct suo_happening *b)
{
	return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->order < b->order;
}

static bool grow(struct suo_heap *heap)
{
	size_t cap = heap->cap ? 2 * heap->cap : 4096;
	struct suo_happening *entry = realloc(heap->entry, cap * sizeof(*entry));

	if (!entry) {
		heap->full = true;
		return false;
	}
	heap->entry = entry;
	heap->cap = cap;
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
	size_t i;

	if (heap->n == heap->cap && !grow(heap))
		return;
	for (i = heap->n++; i; i = (i - 1) / CHILDREN) {
		if (!is_before(&new, &heap->entry[(i - 1) / CHILDREN]))
			break;
		heap->entry[i] = heap->entry[(i - 1) / CHILDREN];
	}
	heap->entry[i] = new;
}

bool suo_heap_next(struct suo_heap *heap, struct suo_happening *happening)
{
	struct suo_happening *entry = heap->entry, *last;
	size_t i = 0;

	if (!heap->n)
		return false;
	*happening = entry[0];
	last = &entry[--heap->n];
	for (;;) {
		size_t child = CHILDREN * i + 1, end = child + CHILDREN, best = child;

		if (child >= heap->n)
			break;
		if (end > heap->n)
			end = heap->n;
		while (++child < end)
			if (is_before(&entry[child], &entry[best]))
				best = child;
		if (!is_before(&entry[best], last))
			break;
		entry[i] = entry[best];
		i = best;
	}
	entry[i] = *last;
	return true;
}

void suo_heap_free(struct suo_heap *heap)
{
	free(heap->entry);
	*heap = (struct suo_heap){ 0 };
}
