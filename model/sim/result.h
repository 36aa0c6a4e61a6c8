/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The times of messages, and what is read off them. */
#ifndef SUO_SIM_RESULT_H
#define SUO_SIM_RESULT_H

#include <stddef.h>

#include "model/core/types.h"

/* Times of many messages. All zero, it is empty. */
struct suo_times {
	u64	*ps;
	size_t	n;
	size_t	cap;
	bool	sorted;
	bool	full;	/* there was no memory */
};

void suo_times_add(struct suo_times *times, u64 ps);

/**
 * suo_times_at() - the time that a part of them does not exceed
 * @times: at least one, or the result is 0
 * @percent: 0: the shortest, 100: the longest
 *
 * Return: the smallest time such that at least @percent of 100 are not longer.
 */
u64 suo_times_at(struct suo_times *times, double percent);

double suo_times_mean(const struct suo_times *times);

void suo_times_free(struct suo_times *times);

#endif /* SUO_SIM_RESULT_H */
