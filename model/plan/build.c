// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Steps for plans: appending them, and finding out what they wait for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/build.h"
#include "model/plan/plan_build.h"

#define WIDTH		(1ull << 62)	/* of the imagined buffer */
#define SCRATCH_WIDTH	(1ull << 40)	/* of a piece of scratch memory */
#define MAX_CLAIMS	2

/* What a step claims: to read or to write a range. */
struct claim {
	struct suo_place	place;
	bool			writes;
};

struct entry {
	struct claim	claim;
	uint32_t	step;
};

/* Claims of a rank's steps, without those that a later write has covered. */
struct suo_build_log {
	struct entry	*entry;
	uint32_t	n;
	uint32_t	cap;
	uint64_t	next_scratch;
};

struct suo_range suo_range_span(const struct suo_range *range, uint32_t parts,
				uint32_t first, uint32_t count)
{
	uint64_t width = (range->hi - range->lo) / parts;
	struct suo_range span = { 0 };
	uint64_t last, len;

	if (!count)
		return span;
	suo_plan_chunk(range->len, parts, first, &span.off);
	len = suo_plan_chunk(range->len, parts, first + count - 1, &last);
	span.len = last + len - span.off;
	span.off += range->off;
	span.lo = range->lo + first * width;
	span.hi = first + count == parts ? range->hi : span.lo + count * width;
	return span;
}

int suo_build_begin(struct suo_build *b, struct suo_plan *plan,
		    const struct suo_plan_shape *shape)
{
	*b = (struct suo_build){
		.plan = plan,
		.shape = shape,
		.all = { 0, plan->count, 0, WIDTH },
	};
	b->log = calloc(plan->nranks, sizeof(*b->log));
	b->start = calloc(plan->nranks, sizeof(*b->start));
	b->after = suo_build_new_gate(b);
	if (!b->log || !b->start)
		b->err = -ENOMEM;
	return b->err;
}

int suo_build_end(struct suo_build *b)
{
	for (uint32_t r = 0; b->log && r < b->plan->nranks; r++)
		free(b->log[r].entry);
	free(b->stack);
	free(b->stamp);
	free(b->dep);
	free(b->after);
	free(b->start);
	free(b->log);
	return b->err;
}

void suo_build_refuse(struct suo_build *b)
{
	if (!b->err)
		b->err = -EINVAL;
}

static bool overlap(const struct suo_range *a, const struct suo_range *b)
{
	if (a->lo < b->hi && b->lo < a->hi)
		return true;
	return a->off < b->off + b->len && b->off < a->off + a->len;
}

static bool covers(const struct suo_range *a, const struct suo_range *b)
{
	if (a->lo > b->lo || a->hi < b->hi)
		return false;
	return !b->len ||
	       (a->off <= b->off && a->off + a->len >= b->off + b->len);
}

static void add_dep(struct suo_build *b, uint32_t step)
{
	if (b->ndeps == b->cap) {
		uint32_t cap = b->cap ? 2 * b->cap : 16;
		uint32_t *grown = reallocarray(b->dep, cap, sizeof(*grown));

		if (!grown) {
			b->err = -ENOMEM;
			return;
		}
		b->dep = grown;
		b->cap = cap;
	}
	b->dep[b->ndeps++] = step;
}

static void collect(struct suo_build *b, uint32_t rank, const struct claim *claim)
{
	const struct suo_build_log *log = &b->log[rank];

	for (uint32_t i = 0; i < log->n && !b->err; i++) {
		const struct claim *other = &log->entry[i].claim;

		if (other->place.buf == claim->place.buf &&
		    (other->writes || claim->writes) &&
		    overlap(&other->place.range, &claim->place.range))
			add_dep(b, log->entry[i].step);
	}
}

static void record(struct suo_build *b, uint32_t rank, const struct claim *claim,
		   uint32_t step)
{
	struct suo_build_log *log = &b->log[rank];
	uint32_t kept = 0;

	if (claim->writes) {
		for (uint32_t i = 0; i < log->n; i++) {
			const struct claim *other = &log->entry[i].claim;

			if (other->place.buf != claim->place.buf ||
			    !covers(&claim->place.range, &other->place.range))
				log->entry[kept++] = log->entry[i];
		}
		log->n = kept;
	}
	if (log->n == log->cap) {
		uint32_t cap = log->cap ? 2 * log->cap : 16;
		struct entry *grown = reallocarray(log->entry, cap, sizeof(*grown));

		if (!grown) {
			b->err = -ENOMEM;
			return;
		}
		log->entry = grown;
		log->cap = cap;
	}
	log->entry[log->n++] = (struct entry){ *claim, step };
}

static int later_first(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a > b ? -1 : a < b;
}

static bool make_stamps(struct suo_build *b, uint32_t nsteps)
{
	uint32_t *stamp, *stack;

	if (nsteps <= b->nstamps)
		return true;
	nsteps *= 2;
	free(b->stamp);
	free(b->stack);
	stamp = calloc(nsteps, sizeof(*stamp));
	stack = calloc(nsteps, SUO_PLAN_MAX_DEPS * sizeof(*stack));
	b->stamp = stamp;
	b->stack = stack;
	b->nstamps = stamp && stack ? nsteps : 0;
	b->search = 0;
	return b->nstamps;
}

/* Stamp what a step waits for in the end, down to the step @oldest. */
static void stamp_before(struct suo_build *b, const struct suo_plan_rank *rank,
			 uint32_t step, uint32_t oldest)
{
	uint32_t depth = 0;

	b->stack[depth++] = step;
	while (depth) {
		const struct suo_plan_step *top = &rank->step[b->stack[--depth]];

		for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++) {
			uint32_t dep = top->dep[d];

			if (dep == SUO_PLAN_NO_DEP || dep < oldest ||
			    b->stamp[dep] == b->search)
				continue;
			b->stamp[dep] = b->search;
			b->stack[depth++] = dep;
		}
	}
}

/* Drop what other dependencies imply; dependencies are on earlier steps. */
static void reduce_deps(struct suo_build *b, uint32_t r)
{
	const struct suo_plan_rank *rank = &b->plan->rank[r];
	uint32_t kept = 0, oldest;

	if (b->ndeps < 2)
		return;
	if (!make_stamps(b, rank->nsteps)) {
		b->err = -ENOMEM;
		return;
	}
	qsort(b->dep, b->ndeps, sizeof(*b->dep), later_first);
	oldest = b->dep[b->ndeps - 1];
	b->search++;
	for (uint32_t i = 0; i < b->ndeps; i++) {
		uint32_t dep = b->dep[i];

		if (b->stamp[dep] == b->search)
			continue;
		b->stamp[dep] = b->search;
		b->dep[kept++] = dep;
		stamp_before(b, rank, dep, oldest);
	}
	b->ndeps = kept;
}

static uint32_t append(struct suo_build *b, uint32_t rank, struct suo_plan_step *step)
{
	uint32_t index = SUO_PLAN_NO_DEP;

	if (!b->err)
		b->err = suo_plan_add(b->plan, rank, step, &index);
	return b->err ? SUO_PLAN_NO_DEP : index;
}

/* If there are more than a step can have, steps that do nothing join them. */
static void store_deps(struct suo_build *b, uint32_t rank, struct suo_plan_step *step)
{
	struct suo_plan_step join = { .op = SUO_PLAN_COPY, .peer = rank };

	while (b->ndeps > SUO_PLAN_MAX_DEPS && !b->err) {
		for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++)
			join.dep[d] = b->dep[--b->ndeps];
		b->dep[b->ndeps++] = append(b, rank, &join);
	}
	for (uint32_t d = 0; d < SUO_PLAN_MAX_DEPS; d++)
		step->dep[d] = d < b->ndeps ? b->dep[d] : SUO_PLAN_NO_DEP;
}

static bool behind_gate(const struct suo_build *b, uint32_t rank,
			const struct suo_plan_step *step)
{
	if (!b->gate || b->gate[rank] == SUO_PLAN_NO_DEP ||
	    suo_plan_is_receive(step))
		return false;
	for (uint32_t i = 0; i < b->ndeps; i++)
		if (b->dep[i] >= b->start[rank])
			return false;
	return true;
}

static uint32_t add(struct suo_build *b, uint32_t rank, struct suo_plan_step *step,
		    const struct claim *claim, unsigned int nclaims, bool is_signal)
{
	uint32_t index;

	if (b->err)
		return SUO_PLAN_NO_DEP;
	b->ndeps = 0;
	for (unsigned int i = 0; i < nclaims; i++)
		collect(b, rank, &claim[i]);
	if (b->after[rank] != SUO_PLAN_NO_DEP)
		add_dep(b, b->after[rank]);
	b->after[rank] = SUO_PLAN_NO_DEP;
	if (!is_signal && behind_gate(b, rank, step))
		add_dep(b, b->gate[rank]);
	if (!b->err)
		reduce_deps(b, rank);
	store_deps(b, rank, step);
	index = append(b, rank, step);
	for (unsigned int i = 0; i < nclaims && !b->err; i++)
		record(b, rank, &claim[i], index);
	return index;
}

struct suo_place suo_build_scratch(struct suo_build *b, uint32_t rank, uint64_t len)
{
	struct suo_plan_rank *to = &b->plan->rank[rank];
	struct suo_place place = { SUO_PLAN_SCRATCH, { .len = len } };

	if (b->err)
		return place;
	if (to->scratch_len + len < len)
		suo_build_refuse(b);
	place.range.off = to->scratch_len;
	place.range.lo = b->log[rank].next_scratch++ * SCRATCH_WIDTH;
	place.range.hi = place.range.lo + SCRATCH_WIDTH;
	to->scratch_len += len;
	return place;
}

uint32_t suo_build_send(struct suo_build *b, uint32_t rank, uint32_t peer,
			struct suo_place from)
{
	struct suo_plan_step step = {
		.op = SUO_PLAN_SEND,
		.peer = peer,
		.buf = from.buf,
		.off = from.range.off,
		.len = from.range.len,
	};
	struct claim claim = { from, false };

	return add(b, rank, &step, &claim, 1, false);
}

uint32_t suo_build_recv(struct suo_build *b, uint32_t rank, uint32_t peer,
			struct suo_place to)
{
	struct suo_plan_step step = {
		.op = SUO_PLAN_RECV,
		.peer = peer,
		.buf = to.buf,
		.off = to.range.off,
		.len = to.range.len,
	};
	struct claim claim = { to, true };

	return add(b, rank, &step, &claim, 1, false);
}

uint32_t suo_build_reduce(struct suo_build *b, uint32_t rank, uint32_t peer,
			  struct suo_range range)
{
	struct suo_plan_step step = {
		.op = SUO_PLAN_RECV_REDUCE,
		.peer = peer,
		.off = range.off,
		.len = range.len,
	};
	struct claim claim = { suo_data(range), true };

	return add(b, rank, &step, &claim, 1, false);
}

/* A step with a source: COPY, MCAST_WRITE or REDUCED_READ. */
static uint32_t transfer(struct suo_build *b, enum suo_plan_op op, uint32_t rank,
			 uint32_t peer, struct suo_place to, struct suo_place from)
{
	struct suo_plan_step step = {
		.op = op,
		.peer = peer,
		.buf = to.buf,
		.src = from.buf,
		.off = to.range.off,
		.len = to.range.len,
		.src_off = from.range.off,
	};
	struct claim claim[MAX_CLAIMS] = { { to, true }, { from, false } };

	return add(b, rank, &step, claim, MAX_CLAIMS, false);
}

uint32_t suo_build_copy(struct suo_build *b, uint32_t rank, struct suo_place to,
			struct suo_place from)
{
	return transfer(b, SUO_PLAN_COPY, rank, rank, to, from);
}

/* A request goes over the connection to the next member. */
uint32_t suo_build_mcast(struct suo_build *b, uint32_t rank, struct suo_range range,
			 struct suo_place from)
{
	return transfer(b, SUO_PLAN_MCAST_WRITE, rank, suo_build_neighbour(b, rank, 1),
			suo_data(range), from);
}

uint32_t suo_build_read(struct suo_build *b, uint32_t rank, struct suo_place to,
			struct suo_range range)
{
	return transfer(b, SUO_PLAN_REDUCED_READ, rank,
			suo_build_neighbour(b, rank, 1), to, suo_data(range));
}

void suo_build_message(struct suo_build *b, uint32_t from, struct suo_place source,
		       uint32_t to, struct suo_place target)
{
	suo_build_send(b, from, to, source);
	suo_build_recv(b, to, from, target);
}

void suo_build_move(struct suo_build *b, uint32_t from, uint32_t to,
		    struct suo_range range)
{
	suo_build_message(b, from, suo_data(range), to, suo_data(range));
}

void suo_build_fold(struct suo_build *b, uint32_t from, uint32_t to,
		    struct suo_range range)
{
	suo_build_send(b, from, to, suo_data(range));
	suo_build_reduce(b, to, from, range);
}

static uint32_t signal(struct suo_build *b, enum suo_plan_op op, uint32_t rank,
		       uint32_t peer, const struct suo_range *range, bool writes)
{
	struct suo_plan_step step = { .op = op, .peer = peer };
	struct claim claim = { .writes = writes };

	if (range)
		claim.place.range = *range;
	return add(b, rank, &step, &claim, !!range, true);
}

uint32_t suo_build_tell(struct suo_build *b, uint32_t rank, uint32_t peer,
			const struct suo_range *range)
{
	return signal(b, SUO_PLAN_SEND, rank, peer, range, false);
}

uint32_t suo_build_yield(struct suo_build *b, uint32_t rank, uint32_t peer,
			 const struct suo_range *range)
{
	return signal(b, SUO_PLAN_SEND, rank, peer, range, true);
}

uint32_t suo_build_hear(struct suo_build *b, uint32_t rank, uint32_t peer,
			const struct suo_range *range)
{
	return signal(b, SUO_PLAN_RECV, rank, peer, range, true);
}

uint32_t suo_build_join(struct suo_build *b, uint32_t rank,
			const struct suo_range *range)
{
	return signal(b, SUO_PLAN_COPY, rank, rank, range, true);
}

uint32_t suo_build_last(const struct suo_build *b, uint32_t rank)
{
	return b->plan->rank[rank].nsteps - 1;
}

void suo_build_after(struct suo_build *b, uint32_t rank, uint32_t step)
{
	if (!b->err)
		b->after[rank] = step;
}

void suo_build_gate(struct suo_build *b, uint32_t *gate)
{
	b->gate = gate;
	for (uint32_t r = 0; r < b->plan->nranks && !b->err; r++)
		b->start[r] = b->plan->rank[r].nsteps;
}

void suo_build_gate_end(struct suo_build *b)
{
	for (uint32_t r = 0; r < b->plan->nranks && b->gate && !b->err; r++) {
		const struct suo_plan_rank *rank = &b->plan->rank[r];

		for (uint32_t i = rank->nsteps; i-- > b->start[r];) {
			if (rank->step[i].op != SUO_PLAN_SEND) {
				b->gate[r] = i;
				break;
			}
		}
	}
	b->gate = NULL;
}

uint32_t *suo_build_new_gate(struct suo_build *b)
{
	uint32_t *gate = calloc(b->plan->nranks, sizeof(*gate));

	if (!gate)
		b->err = -ENOMEM;
	else
		memset(gate, 0xff, b->plan->nranks * sizeof(*gate));
	return gate;
}
