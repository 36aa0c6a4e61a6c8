// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "model/sim/result.h"

void suo_times_add(struct suo_times *times, u64 ps)
{
	if (times->n == times->cap) {
		size_t cap = times->cap ? 2 * times->cap : 1024;
		u64 *more = realloc(times->ps, cap * sizeof(*more));

		if (!more) {
			times->full = true;
			return;
		}
		times->ps = more;
		times->cap = cap;
	}
	times->ps[times->n++] = ps;
	times->sorted = false;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

u64 suo_times_at(struct suo_times *times, double percent)
{
	double below = percent / 100 * times->n;
	size_t i = below;

	if (!times->n)
		return 0;
	if (!times->sorted)
		qsort(times->ps, times->n, sizeof(*times->ps), compare);
	times->sorted = true;
	if (i == below && i)
		i--;
	return times->ps[i < times->n ? i : times->n - 1];
}

double suo_times_mean(const struct suo_times *times)
{
	double sum = 0;

	for (size_t i = 0; i < times->n; i++)
		sum += times->ps[i];
	return times->n ? sum / times->n : 0;
}

void suo_times_free(struct suo_times *times)
{
	free(times->ps);
	*times = (struct suo_times){ 0 };
}
