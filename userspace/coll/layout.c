// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is known to have happened when a message is sent? For each rank whose
 * messages matter, to itself or as a receiver of its sends, the steps that touch
 * its DATA are followed through the plan.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "userspace/coll/layout.h"
#include "userspace/coll/past.h"

/* Where a receive's message lands. */
struct landing {
	uint64_t	at;
	bool		scratch;
};

/**
 * struct work - what suo_layout_create() works with
 * @plan: the plan
 * @graph: the plan
 * @past: answers
 * @column: for each step, what it stands for in the question
 * @touch: number of the step that a column stands for
 * @ntouch: columns: first the rank's own steps, then those in the network of
 *	the others of its domain
 * @flags: enum suo_layout_flags
 * @why: where the reason of a refusal goes
 */
struct work {
	const struct suo_plan		*plan;
	struct suo_plan_graph		graph;
	struct suo_past			past;
	uint32_t			*column;
	uint32_t			*touch;
	uint32_t			ntouch;
	unsigned int			flags;
	const struct suo_plan_why	*why;
};

static const struct suo_plan_step *step_of(const struct work *work, uint32_t n)
{
	uint32_t rank, index;

	return suo_plan_graph_step(&work->graph, n, &rank, &index);
}

static int refuse_size(const struct work *work, int ret)
{
	if (ret != -E2BIG)
		return ret;
	suo_plan_refuse(work->why, "a plan of %u steps over %u ranks is too large",
			work->graph.match.total, work->plan->nranks);
	return -EOPNOTSUPP;
}

/* A rank that has ended must know that all others have begun. */
static int check_synchronises(struct work *work)
{
	const struct suo_plan_match *match = &work->graph.match;
	uint32_t nranks = work->plan->nranks;
	int ret;

	for (uint32_t n = 0; n < match->total; n++)
		work->column[n] = match->owner[n];
	ret = suo_past_ask(&work->past, work->column, nranks);
	if (ret)
		return refuse_size(work, ret);
	for (uint32_t r = 0; r < nranks; r++) {
		for (uint32_t s = 0; s < nranks; s++) {
			uint32_t n = match->base[r];

			while (n < match->base[r + 1] && !suo_past_has(&work->past, n, s))
				n++;
			if (s == r || n < match->base[r + 1])
				continue;
			suo_plan_refuse(work->why, "rank %u may end before rank %u begins", r, s);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* Follow the steps that touch a rank's DATA. */
static int follow(struct work *work, uint32_t rank)
{
	const struct suo_plan_match *match = &work->graph.match;
	uint32_t domain = rank / work->plan->domain_size;

	work->ntouch = 0;
	for (uint32_t n = 0; n < match->total; n++)
		work->column[n] = SUO_PAST_NONE;
	for (uint32_t n = match->base[rank]; n < match->base[rank + 1]; n++) {
		work->column[n] = work->ntouch;
		work->touch[work->ntouch++] = n;
	}
	for (uint32_t n = 0; n < match->total; n++) {
		if (match->owner[n] == rank || !suo_plan_in_network(step_of(work, n)) ||
		    match->owner[n] / work->plan->domain_size != domain)
			continue;
		work->column[n] = work->ntouch;
		work->touch[work->ntouch++] = n;
	}
	return refuse_size(work, suo_past_ask(&work->past, work->column, work->ntouch));
}

/* Do two ranges of elements meet? */
static bool overlap(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a_len && b_len && a < b + b_len && b < a + a_len;
}

/* Does a step read or write some of these elements of DATA? */
static bool touches(const struct suo_plan_step *step, const struct suo_plan_step *place)
{
	if (step->op != SUO_PLAN_REDUCED_READ && step->buf == SUO_PLAN_DATA &&
	    overlap(place->off, place->len, step->off, step->len))
		return true;
	return step->op >= SUO_PLAN_COPY && step->src == SUO_PLAN_DATA &&
	       overlap(place->off, place->len, step->src_off, step->len);
}

/*
 * May the message of receive n land in DATA? Its sender must know that the rank
 * has begun, and that each step which touches the place before the receive does
 * is done. (A plan has no steps that touch a place in either order.)
 */
static bool lands_direct(const struct work *work, uint32_t n)
{
	const struct suo_plan_match *match = &work->graph.match;
	const struct suo_plan_step *step = step_of(work, n);
	uint32_t rank = match->owner[n], mate = match->mate[n];
	uint32_t own = match->base[rank + 1] - match->base[rank];

	if (!step->len)
		return true;
	if (!(work->flags & SUO_LAYOUT_APART) && !suo_past_any(&work->past, mate, 0, own))
		return false;
	for (uint32_t c = 0; c < work->ntouch; c++) {
		if (touches(step_of(work, work->touch[c]), step) &&
		    suo_past_has(&work->past, n, c) && !suo_past_has(&work->past, mate, c))
			return false;
	}
	return true;
}

/* Where each receive of a rank lands. Return: elements of scratch memory. */
static uint64_t place_rank(const struct work *work, uint32_t rank, struct landing *landing)
{
	const struct suo_plan_rank *steps = &work->plan->rank[rank];
	uint32_t base = work->graph.match.base[rank];
	uint64_t scratch_len = steps->scratch_len;

	for (uint32_t i = 0; i < steps->nsteps; i++) {
		const struct suo_plan_step *step = &steps->step[i];
		struct landing *l = &landing[base + i];

		if (!suo_plan_is_receive(step))
			continue;
		l->scratch = true;
		if (step->op == SUO_PLAN_RECV_REDUCE) {
			l->at = step->scratch_off;
		} else if (step->buf == SUO_PLAN_SCRATCH) {
			l->at = step->off;
		} else if (lands_direct(work, base + i)) {
			l->scratch = false;
			l->at = step->off;
		} else {
			l->at = scratch_len;
			scratch_len += step->len;
		}
	}
	return scratch_len;
}

static void fill_step(struct suo_layout *layout, const struct work *work, uint32_t rank,
		      uint32_t i, const struct landing *landing)
{
	const struct suo_plan_match *match = &work->graph.match;
	const struct suo_plan_step *step = &work->plan->rank[rank].step[i];
	struct suo_layout_step *to = &layout->step[i];
	uint32_t n = match->base[rank] + i;
	const struct landing *l = &landing[match->mate[n]];

	if (suo_plan_is_receive(step))
		l = &landing[n];
	to->op = step->op;
	to->peer = step->peer;
	to->buf = step->buf;
	to->src = step->src;
	to->off = step->off;
	to->len = step->len;
	if (step->op >= SUO_PLAN_COPY)
		to->src_off = step->src_off;
	to->at = l->at;
	to->scratch = l->scratch;
	if (step->op == SUO_PLAN_SEND) {
		to->peer_step = match->mate[n] - match->base[step->peer];
	} else if (suo_plan_is_receive(step)) {
		to->waits = 1;
		layout->nrecvs++;
	}
}

/*
 * The dependencies that are left, from both ends. A receive need not wait for
 * what its message proves to be done: that is asked for the rank itself.
 */
static void link_steps(struct suo_layout *layout, const struct work *work, uint32_t rank)
{
	const struct suo_plan_graph *graph = &work->graph;
	uint32_t base = graph->match.base[rank];
	uint32_t fill = 0;

	for (uint32_t i = 0; i < layout->nsteps; i++) {
		struct suo_layout_step *step = &layout->step[i];

		step->first = fill;
		for (uint32_t j = graph->first[base + i]; j < graph->first[base + i + 1]; j++) {
			uint32_t then = graph->then[j];

			if (suo_plan_is_receive(step_of(work, then)) &&
			    suo_past_has(&work->past, graph->match.mate[then], i))
				continue;
			layout->step[then - base].waits++;
			layout->then[fill++] = then - base;
		}
		step->nthen = fill - step->first;
	}
}

/* Where the messages to one's peers land; each peer is asked for once. */
static int place_peers(const struct suo_layout *layout, struct work *work, uint32_t rank,
		       struct landing *landing)
{
	const struct suo_plan_rank *steps = &work->plan->rank[rank];
	bool *placed = calloc(work->plan->nranks, sizeof(*placed));
	int ret = 0;

	if (!placed)
		return -ENOMEM;
	for (uint32_t i = 0; i < layout->nsteps && !ret; i++) {
		uint32_t peer = steps->step[i].peer;

		if (steps->step[i].op != SUO_PLAN_SEND || placed[peer])
			continue;
		placed[peer] = true;
		ret = follow(work, peer);
		if (!ret)
			place_rank(work, peer, landing);
	}
	free(placed);
	return ret;
}

static int layout_fill(struct suo_layout *layout, struct work *work, uint32_t rank)
{
	struct landing *landing = calloc(work->graph.match.total + 1, sizeof(*landing));
	int ret = -ENOMEM;

	layout->coll = work->plan->coll;
	layout->nranks = work->plan->nranks;
	layout->domain_size = work->plan->domain_size;
	layout->count = work->plan->count;
	layout->uses = work->plan->uses;
	layout->nsteps = work->plan->rank[rank].nsteps;
	layout->step = calloc(layout->nsteps + 1, sizeof(*layout->step));
	layout->then = calloc(layout->nsteps + 1, SUO_PLAN_MAX_DEPS * sizeof(*layout->then));
	if (!landing || !layout->step || !layout->then)
		goto out;
	ret = place_peers(layout, work, rank, landing);
	if (!ret)
		ret = follow(work, rank);
	if (ret)
		goto out;
	layout->scratch_len = place_rank(work, rank, landing);
	for (uint32_t i = 0; i < layout->nsteps; i++)
		fill_step(layout, work, rank, i, landing);
	link_steps(layout, work, rank);
out:
	free(landing);
	return ret;
}

static int work_init(struct work *work)
{
	const struct suo_plan *plan = work->plan;
	uint32_t total;
	int ret;

	ret = suo_plan_graph_init(&work->graph, plan, work->why);
	if (ret)
		return ret;
	for (uint32_t r = 0; r < plan->nranks; r++) {
		if (plan->rank[r].nsteps <= SUO_LAYOUT_MAX_STEPS)
			continue;
		suo_plan_refuse(work->why, "rank %u has %u steps: at most %u", r,
				plan->rank[r].nsteps, SUO_LAYOUT_MAX_STEPS);
		ret = -EOPNOTSUPP;
		goto steps;
	}
	total = work->graph.match.total;
	work->column = calloc(total + 1, sizeof(*work->column));
	work->touch = calloc(total + 1, sizeof(*work->touch));
	if (!work->column || !work->touch) {
		ret = -ENOMEM;
		goto mem;
	}
	ret = suo_past_init(&work->past, &work->graph);
	if (ret == -EINVAL)
		suo_plan_refuse(work->why, "a step waits for ever");
	if (ret)
		goto past;
	return 0;

past:
	suo_past_free(&work->past);
mem:
	free(work->touch);
	free(work->column);
steps:
	suo_plan_graph_free(&work->graph);
	return ret;
}

static void work_free(struct work *work)
{
	suo_past_free(&work->past);
	free(work->touch);
	free(work->column);
	suo_plan_graph_free(&work->graph);
}

int suo_layout_create(const struct suo_plan *plan, uint32_t rank, unsigned int flags,
		      struct suo_layout **out, char *why_text, size_t why_size)
{
	struct suo_plan_why why = { why_text, why_size };
	struct work work = { .plan = plan, .flags = flags, .why = &why };
	struct suo_layout *layout;
	int ret;

	layout = calloc(1, sizeof(*layout));
	if (!layout)
		return -ENOMEM;
	ret = work_init(&work);
	if (ret)
		goto work;
	ret = flags & SUO_LAYOUT_APART ? 0 : check_synchronises(&work);
	if (!ret)
		ret = layout_fill(layout, &work, rank);
	work_free(&work);
	if (ret)
		goto work;
	*out = layout;
	return 0;

work:
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
