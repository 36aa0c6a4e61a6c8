// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/analytic/events.h"

static bool is_earlier(const struct suo_event *a, const struct suo_event *b)
{
	return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->seq < b->seq;
}

int suo_events_add(struct suo_events *events, u64 at_ps, u32 kind, u32 what)
{
	struct suo_event event = { at_ps, events->seq++, kind, what };
	size_t i;

	if (events->n == events->cap) {
		size_t cap = events->cap ? 2 * events->cap : 64;
		struct suo_event *grown;

		grown = reallocarray(events->heap, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		events->heap = grown;
		events->cap = cap;
	}

	for (i = events->n++; i; i = (i - 1) / 2) {
		if (!is_earlier(&event, &events->heap[(i - 1) / 2]))
			break;
		events->heap[i] = events->heap[(i - 1) / 2];
	}
	events->heap[i] = event;
	return 0;
}

bool suo_events_next(struct suo_events *events, struct suo_event *event)
{
	struct suo_event *heap = events->heap;
	struct suo_event last;
	size_t i, child;

	if (!events->n)
		return false;

	*event = heap[0];
	last = heap[--events->n];
	for (i = 0; (child = 2 * i + 1) < events->n; i = child) {
		if (child + 1 < events->n &&
		    is_earlier(&heap[child + 1], &heap[child]))
			child++;
		if (!is_earlier(&heap[child], &last))
			break;
		heap[i] = heap[child];
	}
	heap[i] = last;
	return true;
}

void suo_events_free(struct suo_events *events)
{
	free(events->heap);
	memset(events, 0, sizeof(*events));
}
