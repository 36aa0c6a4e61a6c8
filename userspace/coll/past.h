/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known to have happened when a step of a plan is carried out: which of
 * some chosen things precede it. Step X precedes step Y if Y depends on X, or X
 * is a send and Y its receive, or by a chain of such pairs.
 */
#ifndef SUO_COLL_PAST_H
#define SUO_COLL_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/graph.h"

#define SUO_PAST_NONE	UINT32_MAX

/* The sets of one question take at most so many bytes. */
#define SUO_PAST_MAX_BYTES	(1ull << 30)

/**
 * struct suo_past - the sets of all steps
 * @graph: the plan
 * @order: its steps, each behind all before it
 * @words: words of a set
 * @set: a set for each step
 */
struct suo_past {
	const struct suo_plan_graph	*graph;
	uint32_t			*order;
	uint64_t			words;
	uint64_t			*set;
};

/**
 * suo_past_init() - put the steps in order
 * @past: filled in; free it with suo_past_free()
 * @graph: the plan; its waits[] are used up
 *
 * Return: 0, -EINVAL if a step waits for ever, -ENOMEM.
 */
int suo_past_init(struct suo_past *past, const struct suo_plan_graph *graph);

/**
 * suo_past_ask() - find out what precedes each step
 * @past: the steps
 * @column: for each step, what it stands for, below @ncolumns, or SUO_PAST_NONE
 * @ncolumns: things to ask for
 *
 * Return: 0, -E2BIG if the sets would take more than SUO_PAST_MAX_BYTES,
 * -ENOMEM.
 */
int suo_past_ask(struct suo_past *past, const uint32_t *column, uint32_t ncolumns);

/* Does a thing precede step n? */
static inline bool suo_past_has(const struct suo_past *past, uint32_t n, uint32_t column)
{
	return past->set[n * past->words + column / 64] >> (column % 64) & 1;
}

/* Does any of the things @first to @first + @count - 1? */
bool suo_past_any(const struct suo_past *past, uint32_t n, uint32_t first, uint32_t count);

void suo_past_free(struct suo_past *past);

#endif /* SUO_COLL_PAST_H */
