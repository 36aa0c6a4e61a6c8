// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Do the dependencies of a rank's steps order all accesses to its buffers? Each
 * step is given the set of the steps that are done before it starts; steps are
 * then sorted by their first element, so that only neighbours are compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/bits.h"
#include "model/plan/check.h"

/* The sets of one rank: words[] of step i say which steps are before it. */
struct befores {
	const struct suo_plan_rank	*rank;
	size_t				words;
	uint64_t			*set;
};

static uint64_t *before(const struct befores *b, uint32_t i)
{
	return b->set + i * b->words;
}

static bool is_before(const struct befores *b, uint32_t first, uint32_t then)
{
	return suo_bits_has(before(b, then), first);
}

static void inherit(const struct befores *b, uint32_t i, uint32_t dep)
{
	suo_bits_merge(before(b, i), before(b, dep), b->words);
	suo_bits_put(before(b, i), dep);
}

enum visit { UNSEEN, OPEN, DONE };

/*
 * Depth first along dep[], with a stack of our own since chains are as long as
 * the plan. Return: false when step i waits for itself in the end.
 */
static bool visit(const struct befores *b, uint32_t i, uint8_t *state,
		  uint32_t *stack)
{
	uint32_t depth = 0;

	stack[depth++] = i;
	while (depth) {
		uint32_t top = stack[depth - 1];
		const struct suo_plan_step *step = &b->rank->step[top];
		bool pushed = false;

		if (state[top] == DONE) {
			depth--;
			continue;
		}
		state[top] = OPEN;
		for (int d = 0; d < SUO_PLAN_MAX_DEPS && !pushed; d++) {
			uint32_t dep = step->dep[d];

			if (dep == SUO_PLAN_NO_DEP || state[dep] == DONE)
				continue;
			if (state[dep] == OPEN)
				return false;
			stack[depth++] = dep;
			pushed = true;
		}
		if (pushed)
			continue;

		for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++)
			if (step->dep[d] != SUO_PLAN_NO_DEP)
				inherit(b, top, step->dep[d]);
		state[top] = DONE;
		depth--;
	}
	return true;
}

/* What a step touches, to be sorted by first element. */
struct span {
	uint64_t	off;
	uint64_t	end;
	uint32_t	index;
	uint8_t		buf;
	bool		writes;
};

static int compare_span(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->buf != b->buf)
		return a->buf < b->buf ? -1 : 1;
	if (a->off != b->off)
		return a->off < b->off ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static const char *const of_buffer[SUO_PLAN_NUM_BUFS] = {
	[SUO_PLAN_DATA]		= "",
	[SUO_PLAN_INPUT]	= " of the input",
	[SUO_PLAN_SCRATCH]	= " of scratch memory",
};

static int compare_overlaps(const struct befores *b, uint32_t rank,
			    const struct span *span, uint32_t n,
			    const struct suo_plan_why *why)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = i + 1; j < n && span[j].buf == span[i].buf &&
		     span[j].off < span[i].end; j++) {
			uint32_t x = span[i].index, y = span[j].index;

			if (x == y || (!span[i].writes && !span[j].writes))
				continue;
			if (is_before(b, x, y) || is_before(b, y, x))
				continue;
			return suo_plan_refuse(why, "rank %" PRIu32 ": steps %"
				PRIu32 " and %" PRIu32 " both touch element %"
				PRIu64 "%s, one writes it, and neither waits for the other",
				rank, x < y ? x : y, x < y ? y : x, span[j].off,
				of_buffer[span[j].buf]);
		}
	}
	return 0;
}

static int check_rank(const struct suo_plan *plan, uint32_t r,
		      const struct suo_plan_why *why)
{
	const struct suo_plan_rank *rank = &plan->rank[r];
	struct befores b = {
		.rank = rank,
		.words = suo_bits_words(rank->nsteps),
	};
	struct span *span;
	uint32_t *stack;
	uint8_t *state;
	uint32_t i, n = 0;
	int ret = 0;

	if (!rank->nsteps)
		return 0;

	b.set = calloc(rank->nsteps * b.words, sizeof(*b.set));
	span = calloc(rank->nsteps, SUO_PLAN_MAX_ACCESSES * sizeof(*span));
	stack = calloc(rank->nsteps, sizeof(*stack));
	state = calloc(rank->nsteps, sizeof(*state));
	if (!b.set || !span || !stack || !state) {
		ret = -ENOMEM;
		goto out;
	}

	for (i = 0; i < rank->nsteps; i++) {
		struct suo_plan_access access[SUO_PLAN_MAX_ACCESSES];
		unsigned int found = suo_plan_accesses(&rank->step[i], access);

		if (!visit(&b, i, state, stack)) {
			ret = suo_plan_refuse(why, "rank %" PRIu32 ", step %"
					      PRIu32 " waits for itself in a circle",
					      r, i);
			goto out;
		}
		for (unsigned int a = 0; a < found; a++)
			span[n++] = (struct span){
				.off = access[a].off,
				.end = access[a].off + access[a].len,
				.index = i,
				.buf = access[a].buf,
				.writes = access[a].writes,
			};
	}

	qsort(span, n, sizeof(*span), compare_span);
	ret = compare_overlaps(&b, r, span, n, why);
out:
	free(state);
	free(stack);
	free(span);
	free(b.set);
	return ret;
}

int suo_plan_check_order(const struct suo_plan *plan,
			 const struct suo_plan_why *why)
{
	int ret = 0;

	for (uint32_t r = 0; r < plan->nranks && !ret; r++)
		ret = check_rank(plan, r, why);
	return ret;
}
