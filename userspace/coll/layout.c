// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is known to have happened when a message is sent? For each step the set
 * of the steps that precede it, over all ranks, decides.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/plan/graph.h"
#include "userspace/coll/layout.h"

/* The sets take max^2 / 8 bytes. */
#define MAX_TOTAL_STEPS	32768u
#define BITS		64u

/**
 * struct past - for each step of the plan, the steps before it
 * @graph: the plan
 * @words: words of a set
 * @set: a set for each step
 * @order: the steps, each behind all before it
 */
struct past {
	struct suo_plan_graph	graph;
	size_t			words;
	uint64_t		*set;
	uint32_t		*order;
};

static uint64_t *past_set(const struct past *past, uint32_t n)
{
	return past->set + n * past->words;
}

static bool precedes(const struct past *past, uint32_t first, uint32_t then)
{
	return past_set(past, then)[first / BITS] >> (first % BITS) & 1;
}

static void inherit(struct past *past, uint32_t from, uint32_t to)
{
	uint64_t *dst = past_set(past, to);
	const uint64_t *src = past_set(past, from);

	for (size_t w = 0; w < past->words; w++)
		dst[w] |= src[w];
	dst[from / BITS] |= 1ull << (from % BITS);
}

static void past_free(struct past *past)
{
	free(past->order);
	free(past->set);
	suo_plan_graph_free(&past->graph);
}

/* Walks the steps in an order of cause and effect. */
static int past_fill(struct past *past)
{
	struct suo_plan_graph *graph = &past->graph;
	uint32_t total = graph->match.total;
	uint32_t head = 0, tail = 0;

	for (uint32_t n = 0; n < total; n++)
		if (!graph->waits[n])
			past->order[tail++] = n;
	for (; head < tail; head++) {
		uint32_t n = past->order[head];
		uint32_t mate = graph->match.mate[n];
		uint32_t rank, index;

		if (suo_plan_graph_step(graph, n, &rank, &index)->op == SUO_PLAN_SEND) {
			inherit(past, n, mate);
			if (!--graph->waits[mate])
				past->order[tail++] = mate;
		}
		for (uint32_t i = graph->first[n]; i < graph->first[n + 1]; i++) {
			inherit(past, n, graph->then[i]);
			if (!--graph->waits[graph->then[i]])
				past->order[tail++] = graph->then[i];
		}
	}
	return tail == total ? 0 : -EINVAL;
}

/* What the executor cannot do yet. */
static int check_steps(const struct suo_plan *plan, const struct suo_plan_why *why)
{
	for (uint32_t r = 0; r < plan->nranks; r++) {
		for (uint32_t i = 0; i < plan->rank[r].nsteps; i++) {
			const struct suo_plan_step *step = &plan->rank[r].step[i];

			if (step->op <= SUO_PLAN_RECV_REDUCE && step->buf == SUO_PLAN_DATA)
				continue;
			suo_plan_refuse(why, "rank %u, step %u: the executor cannot run such steps",
					r, i);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static int past_create(struct past *past, const struct suo_plan *plan,
		       const struct suo_plan_why *why)
{
	uint32_t total;
	int ret;

	ret = suo_plan_graph_init(&past->graph, plan, why);
	if (ret)
		return ret;
	total = past->graph.match.total;
	if (total > MAX_TOTAL_STEPS) {
		suo_plan_refuse(why, "a plan of %u steps is too large: at most %u",
				total, MAX_TOTAL_STEPS);
		ret = -EOPNOTSUPP;
		goto total;
	}
	past->words = (total + BITS - 1) / BITS;
	past->set = calloc(total * past->words + 1, sizeof(*past->set));
	past->order = calloc(total + 1, sizeof(*past->order));
	ret = past->set && past->order ? past_fill(past) : -ENOMEM;
	if (ret == -EINVAL)
		suo_plan_refuse(why, "a step waits for ever");
	if (ret)
		goto fill;
	return 0;

fill:
	free(past->order);
	free(past->set);
total:
	suo_plan_graph_free(&past->graph);
	return ret;
}

/* Does any step of a rank belong to the set? */
static bool meets_rank(const struct past *past, const uint64_t *set, uint32_t rank)
{
	const struct suo_plan_match *match = &past->graph.match;

	for (uint32_t n = match->base[rank]; n < match->base[rank + 1]; n++)
		if (set[n / BITS] >> (n % BITS) & 1)
			return true;
	return false;
}

/* A rank that has ended must know that all others have begun. */
static int check_synchronises(const struct past *past, const struct suo_plan_why *why)
{
	const struct suo_plan *plan = past->graph.plan;
	const struct suo_plan_match *match = &past->graph.match;
	uint64_t *all = calloc(past->words + 1, sizeof(*all));
	int ret = 0;

	if (!all)
		return -ENOMEM;
	for (uint32_t r = 0; r < plan->nranks && !ret; r++) {
		for (size_t w = 0; w < past->words; w++)
			all[w] = 0;
		for (uint32_t n = match->base[r]; n < match->base[r + 1]; n++)
			for (size_t w = 0; w < past->words; w++)
				all[w] |= past_set(past, n)[w];
		for (uint32_t s = 0; s < plan->nranks && !ret; s++) {
			if (s == r || meets_rank(past, all, s))
				continue;
			suo_plan_refuse(why, "rank %u may end before rank %u begins", r, s);
			ret = -EOPNOTSUPP;
		}
	}
	free(all);
	return ret;
}

/* Does the sending of a receive's message prove that another step is done? */
static bool proven(const struct past *past, uint32_t recv, uint32_t step)
{
	return precedes(past, step, past->graph.match.mate[recv]);
}

static bool overlap(const struct suo_plan_step *a, const struct suo_plan_step *b)
{
	return a->len && b->len &&
	       a->off < b->off + b->len && b->off < a->off + a->len;
}

/*
 * May the message land in the vector? Its sender must know that the rank has
 * begun, and that each step which touches the place before the receive does is
 * done. (A plan has no steps that touch a place in either order.)
 */
static bool lands_direct(const struct past *past, uint32_t n)
{
	const struct suo_plan_match *match = &past->graph.match;
	const struct suo_plan_step *step, *other;
	uint32_t rank, index;

	step = suo_plan_graph_step(&past->graph, n, &rank, &index);
	if (!step->len)
		return true;
	if (!meets_rank(past, past_set(past, match->mate[n]), rank))
		return false;
	for (uint32_t i = match->base[rank]; i < match->base[rank + 1]; i++) {
		other = &past->graph.plan->rank[rank].step[i - match->base[rank]];
		if (overlap(step, other) && precedes(past, i, n) && !proven(past, n, i))
			return false;
	}
	return true;
}

/* Where each receive's message lands, for all ranks, by number of the step. */
struct landing {
	uint64_t	at;
	bool		scratch;
};

static uint64_t place_rank(const struct past *past, uint32_t rank, struct landing *landing)
{
	const struct suo_plan_rank *steps = &past->graph.plan->rank[rank];
	uint32_t base = past->graph.match.base[rank];
	uint64_t scratch_len = steps->scratch_len;

	for (uint32_t i = 0; i < steps->nsteps; i++) {
		const struct suo_plan_step *step = &steps->step[i];
		struct landing *l = &landing[base + i];

		if (step->op == SUO_PLAN_SEND)
			continue;
		l->scratch = true;
		if (step->op == SUO_PLAN_RECV_REDUCE) {
			l->at = step->scratch_off;
		} else if (lands_direct(past, base + i)) {
			l->scratch = false;
			l->at = step->off;
		} else {
			l->at = scratch_len;
			scratch_len += step->len;
		}
	}
	return scratch_len;
}

static void fill_step(struct suo_layout *layout, const struct past *past, uint32_t rank,
		      uint32_t i, const struct landing *landing)
{
	const struct suo_plan_match *match = &past->graph.match;
	const struct suo_plan_step *step = &past->graph.plan->rank[rank].step[i];
	struct suo_layout_step *to = &layout->step[i];
	uint32_t n = match->base[rank] + i;
	uint32_t mate = match->mate[n];
	const struct landing *l = &landing[step->op == SUO_PLAN_SEND ? mate : n];

	to->op = step->op;
	to->peer = step->peer;
	to->off = step->off;
	to->len = step->len;
	to->at = l->at;
	to->scratch = l->scratch;
	if (step->op == SUO_PLAN_SEND) {
		to->peer_step = mate - match->base[step->peer];
	} else {
		to->waits = 1;
		layout->nrecvs++;
	}
}

/* The dependencies that are left, from both ends. */
static void link_steps(struct suo_layout *layout, const struct past *past, uint32_t rank)
{
	const struct suo_plan_graph *graph = &past->graph;
	uint32_t base = graph->match.base[rank];
	uint32_t fill = 0;

	for (uint32_t i = 0; i < layout->nsteps; i++) {
		struct suo_layout_step *step = &layout->step[i];

		step->first = fill;
		for (uint32_t j = graph->first[base + i]; j < graph->first[base + i + 1]; j++) {
			uint32_t then = graph->then[j];

			if (layout->step[then - base].op != SUO_PLAN_SEND &&
			    proven(past, then, base + i))
				continue;
			layout->step[then - base].waits++;
			layout->then[fill++] = then - base;
		}
		step->nthen = fill - step->first;
	}
}

static int layout_fill(struct suo_layout *layout, const struct past *past, uint32_t rank)
{
	const struct suo_plan *plan = past->graph.plan;
	struct landing *landing = calloc(past->graph.match.total + 1, sizeof(*landing));

	if (!landing)
		return -ENOMEM;
	layout->nsteps = plan->rank[rank].nsteps;
	layout->step = calloc(layout->nsteps + 1, sizeof(*layout->step));
	layout->then = calloc(layout->nsteps + 1, SUO_PLAN_MAX_DEPS * sizeof(*layout->then));
	if (!layout->step || !layout->then) {
		free(landing);
		return -ENOMEM;
	}
	for (uint32_t r = 0; r < plan->nranks; r++) {
		uint64_t len = place_rank(past, r, landing);

		if (r == rank)
			layout->scratch_len = len;
	}
	for (uint32_t i = 0; i < layout->nsteps; i++)
		fill_step(layout, past, rank, i, landing);
	link_steps(layout, past, rank);
	free(landing);
	return 0;
}

int suo_layout_create(const struct suo_plan *plan, uint32_t rank,
		      struct suo_layout **out, char *why_text, size_t why_size)
{
	struct suo_plan_why why = { why_text, why_size };
	struct suo_layout *layout;
	struct past past = { 0 };
	int ret;

	layout = calloc(1, sizeof(*layout));
	if (!layout)
		return -ENOMEM;
	ret = check_steps(plan, &why);
	if (ret)
		goto past;
	ret = past_create(&past, plan, &why);
	if (ret)
		goto past;
	ret = check_synchronises(&past, &why);
	if (!ret)
		ret = layout_fill(layout, &past, rank);
	past_free(&past);
	if (ret)
		goto past;
	*out = layout;
	return 0;

past:
	suo_layout_free(layout);
	return ret;
}

void suo_layout_free(struct suo_layout *layout)
{
	if (!layout)
		return;
	free(layout->then);
	free(layout->step);
	free(layout);
}
