// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The arithmetic of suo_plan_check(): a run of elements is known by the set of
 * ranks that contributed to it and by how far it stands from its own place.
 * What was added up wrongly (a contribution twice, or unlike elements) is
 * spoilt: no further sum can mend it, only overwriting can.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/check.h"

#define BITS	64u

enum spoilt { NOT_SPOILT, TWICE, UNLIKE };

/* A set of contributors; never changed once made, freed with the values. */
struct set {
	struct set	*next;
	enum spoilt	spoilt;
	uint32_t	rank, step;	/* which spoilt it */
	uint64_t	bits[];
};

/* Element p of the run holds contributions to element p + shift (mod 2^64). */
struct run {
	uint64_t		len;
	uint64_t		shift;
	const struct set	*set;
};

struct runs {
	struct run	*run;
	uint32_t	n;
	uint32_t	cap;
};

struct suo_plan_msg {
	struct runs	runs;
};

struct suo_plan_values {
	const struct suo_plan	*plan;
	size_t			words;
	struct set		*sets;
	struct runs		*of;	/* of[rank] covers its whole vector */
};

static struct set *new_set(struct suo_plan_values *v)
{
	struct set *set = calloc(1, sizeof(*set) + v->words * sizeof(set->bits[0]));

	if (set) {
		set->next = v->sets;
		v->sets = set;
	}
	return set;
}

/* Append a run, joined to the last one if they are alike. */
static int push(struct runs *to, uint64_t len, uint64_t shift,
		const struct set *set)
{
	struct run *last = to->n ? &to->run[to->n - 1] : NULL;

	if (!len)
		return 0;
	if (last && last->set == set && last->shift == shift) {
		last->len += len;
		return 0;
	}
	if (to->n == to->cap) {
		uint32_t cap = to->cap ? 2 * to->cap : 4;
		struct run *grown = reallocarray(to->run, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		to->run = grown;
		to->cap = cap;
	}
	to->run[to->n++] = (struct run){ len, shift, set };
	return 0;
}

/* Append the part [off, off + len) of other runs, their shift changed by add. */
static int push_part(struct runs *to, const struct runs *from, uint64_t off,
		     uint64_t len, uint64_t add)
{
	uint64_t at = 0;
	int ret = 0;

	for (uint32_t i = 0; i < from->n && len && !ret; i++) {
		const struct run *run = &from->run[i];

		if (off < at + run->len) {
			uint64_t part = at + run->len - off;

			if (part > len)
				part = len;
			ret = push(to, part, run->shift + add, run->set);
			off += part;
			len -= part;
		}
		at += run->len;
	}
	return ret;
}

/* The sum of two runs, computed by a step of a rank. */
static const struct set *sum(struct suo_plan_values *v, const struct run *a,
			     const struct run *b, uint64_t b_shift,
			     uint32_t rank, uint32_t step)
{
	struct set *set;

	if (a->set->spoilt)
		return a->set;
	if (b->set->spoilt)
		return b->set;

	set = new_set(v);
	if (!set)
		return NULL;
	if (a->shift != b_shift)
		set->spoilt = UNLIKE;
	for (size_t w = 0; w < v->words; w++) {
		if (a->set->bits[w] & b->set->bits[w] && !set->spoilt)
			set->spoilt = TWICE;
		set->bits[w] = a->set->bits[w] | b->set->bits[w];
	}
	set->rank = rank;
	set->step = step;
	return set;
}

struct suo_plan_values *suo_plan_values_new(const struct suo_plan *plan)
{
	struct suo_plan_values *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->plan = plan;
	v->words = (plan->nranks + BITS - 1) / BITS;
	v->of = calloc(plan->nranks, sizeof(*v->of));
	if (!v->of)
		goto err;

	for (uint32_t r = 0; r < plan->nranks; r++) {
		struct set *set = new_set(v);

		if (!set)
			goto err;
		set->bits[r / BITS] = 1ull << (r % BITS);
		if (push(&v->of[r], plan->count, 0, set))
			goto err;
	}
	return v;
err:
	suo_plan_values_free(v);
	return NULL;
}

void suo_plan_values_free(struct suo_plan_values *v)
{
	struct set *set, *next;

	if (!v)
		return;
	for (uint32_t r = 0; v->of && r < v->plan->nranks; r++)
		free(v->of[r].run);
	free(v->of);
	for (set = v->sets; set; set = next) {
		next = set->next;
		free(set);
	}
	free(v);
}

struct suo_plan_msg *suo_plan_values_send(const struct suo_plan_values *v,
					  uint32_t rank, uint32_t index)
{
	const struct suo_plan_step *step = &v->plan->rank[rank].step[index];
	struct suo_plan_msg *msg = calloc(1, sizeof(*msg));

	if (!msg)
		return NULL;
	/* Seen from the message's start, the vector is shifted by off. */
	if (push_part(&msg->runs, &v->of[rank], step->off, step->len, step->off)) {
		suo_plan_msg_free(msg);
		return NULL;
	}
	return msg;
}

void suo_plan_msg_free(struct suo_plan_msg *msg)
{
	if (!msg)
		return;
	free(msg->runs.run);
	free(msg);
}

/* Append the sum of a message and of the vector at step->off, run by run. */
static int push_sum(struct suo_plan_values *v, struct runs *to,
		    const struct runs *vec, const struct suo_plan_step *step,
		    const struct runs *msg, uint32_t rank, uint32_t index)
{
	uint32_t i = 0, j = 0;
	uint64_t skip = step->off, in_msg = 0;
	int ret = 0;

	while (j < msg->n && !ret) {
		const struct run *a = &vec->run[i];
		const struct run *b = &msg->run[j];
		uint64_t b_shift = b->shift - step->off;
		const struct set *set;
		uint64_t part;

		if (skip >= a->len) {
			skip -= a->len;
			i++;
			continue;
		}
		part = a->len - skip;
		if (part > b->len - in_msg)
			part = b->len - in_msg;

		set = sum(v, a, b, b_shift, rank, index);
		if (!set)
			return -ENOMEM;
		ret = push(to, part, a->shift, set);

		skip += part;
		in_msg += part;
		if (in_msg == b->len) {
			j++;
			in_msg = 0;
		}
	}
	return ret;
}

int suo_plan_values_recv(struct suo_plan_values *v, uint32_t rank,
			 uint32_t index, const struct suo_plan_msg *msg)
{
	const struct suo_plan_step *step = &v->plan->rank[rank].step[index];
	uint64_t end = step->off + step->len;
	struct runs *vec = &v->of[rank];
	struct runs after = { 0 };
	int ret;

	ret = push_part(&after, vec, 0, step->off, 0);
	if (!ret && step->op == SUO_PLAN_RECV)
		ret = push_part(&after, &msg->runs, 0, step->len, -step->off);
	else if (!ret)
		ret = push_sum(v, &after, vec, step, &msg->runs, rank, index);
	if (!ret)
		ret = push_part(&after, vec, end, v->plan->count - end, 0);
	if (ret) {
		free(after.run);
		return ret;
	}

	free(vec->run);
	*vec = after;
	return 0;
}

static int refuse_run(const struct suo_plan_values *v, uint32_t rank,
		      uint64_t off, const struct run *run,
		      const struct suo_plan_why *why)
{
	const struct set *set = run->set;
	uint64_t end = off + run->len;
	uint32_t missing;

	if (set->spoilt)
		return suo_plan_refuse(why, "rank %" PRIu32 ": elements [%" PRIu64
			", %" PRIu64 ") are wrong: step %" PRIu32 " of rank %"
			PRIu32 " added %s", rank, off, end, set->step, set->rank,
			set->spoilt == TWICE ? "a contribution a second time" :
					       "unlike elements");
	if (run->shift)
		return suo_plan_refuse(why, "rank %" PRIu32 ": elements [%" PRIu64
			", %" PRIu64 ") end with what belongs to [%" PRIu64
			", %" PRIu64 ")", rank, off, end, off + run->shift,
			end + run->shift);

	for (missing = 0; missing < v->plan->nranks; missing++)
		if (!(set->bits[missing / BITS] >> (missing % BITS) & 1))
			return suo_plan_refuse(why, "rank %" PRIu32
				": elements [%" PRIu64 ", %" PRIu64
				") lack the contribution of rank %" PRIu32,
				rank, off, end, missing);
	return 0;
}

int suo_plan_values_final(const struct suo_plan_values *v,
			  const struct suo_plan_why *why)
{
	for (uint32_t r = 0; r < v->plan->nranks; r++) {
		uint64_t off = 0;

		for (uint32_t i = 0; i < v->of[r].n; i++) {
			const struct run *run = &v->of[r].run[i];
			int ret = refuse_run(v, r, off, run, why);

			if (ret)
				return ret;
			off += run->len;
		}
	}
	return 0;
}
