// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The arithmetic of suo_plan_check(): a run of elements is known by the set of
 * ranks that contributed to it and by how far it stands from its own place.
 * What was added up wrongly (a contribution twice, unlike elements, or what
 * nobody has written) is spoilt: no further sum can mend it, only overwriting can.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/plan/bits.h"
#include "model/plan/check_values.h"

static struct suo_plan_set *new_set(struct suo_plan_values *v)
{
	struct suo_plan_set *set;

	set = calloc(1, sizeof(*set) + v->words * sizeof(set->bits[0]));
	if (set) {
		set->next = v->sets;
		v->sets = set;
	}
	return set;
}

/* Append a run, joined to the last one if they are alike. */
static int push(struct suo_plan_runs *to, uint64_t len, uint64_t shift,
		const struct suo_plan_set *set)
{
	struct suo_plan_run *last = to->n ? &to->run[to->n - 1] : NULL;

	if (!len)
		return 0;
	if (last && last->set == set && last->shift == shift) {
		last->len += len;
		return 0;
	}
	if (to->n == to->cap) {
		uint32_t cap = to->cap ? 2 * to->cap : 4;
		struct suo_plan_run *grown;

		grown = reallocarray(to->run, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		to->run = grown;
		to->cap = cap;
	}
	to->run[to->n++] = (struct suo_plan_run){ len, shift, set };
	return 0;
}

/* Append the part [off, off + len) of other runs, their shift changed by add. */
static int push_part(struct suo_plan_runs *to, const struct suo_plan_runs *from,
		     uint64_t off, uint64_t len, uint64_t add)
{
	uint64_t at = 0;
	int ret = 0;

	for (uint32_t i = 0; i < from->n && len && !ret; i++) {
		const struct suo_plan_run *run = &from->run[i];

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
static const struct suo_plan_set *sum(struct suo_plan_values *v,
				      const struct suo_plan_run *a,
				      const struct suo_plan_run *b,
				      uint32_t rank, uint32_t step)
{
	struct suo_plan_set *set;

	if (a->set->spoilt)
		return a->set;
	if (b->set->spoilt)
		return b->set;

	set = new_set(v);
	if (!set)
		return NULL;
	if (a->shift != b->shift)
		set->spoilt = SUO_PLAN_UNLIKE;
	for (size_t w = 0; w < v->words; w++) {
		if (a->set->bits[w] & b->set->bits[w] && !set->spoilt)
			set->spoilt = SUO_PLAN_TWICE;
		set->bits[w] = a->set->bits[w] | b->set->bits[w];
	}
	set->rank = rank;
	set->step = step;
	return set;
}

/* Append the sum of two ranges of equal length. */
static int push_sum(struct suo_plan_values *v, struct suo_plan_runs *to,
		    const struct suo_plan_runs *a, const struct suo_plan_runs *b,
		    uint32_t rank, uint32_t index)
{
	uint64_t in_a = 0, in_b = 0;
	uint32_t i = 0, j = 0;
	int ret = 0;

	while (i < a->n && j < b->n && !ret) {
		const struct suo_plan_run *x = &a->run[i], *y = &b->run[j];
		const struct suo_plan_set *set = sum(v, x, y, rank, index);
		uint64_t part = x->len - in_a;

		if (!set)
			return -ENOMEM;
		if (part > y->len - in_b)
			part = y->len - in_b;
		ret = push(to, part, x->shift, set);

		in_a += part;
		in_b += part;
		if (in_a == x->len) {
			i++;
			in_a = 0;
		}
		if (in_b == y->len) {
			j++;
			in_b = 0;
		}
	}
	return ret;
}

static struct suo_plan_runs *buffer(const struct suo_plan_values *v, uint32_t rank,
				    uint32_t buf)
{
	return &v->of[rank * SUO_PLAN_NUM_BUFS + buf];
}

/* Seen from the start of a range at off, the buffer is shifted by off. */
static int slice(const struct suo_plan_values *v, uint32_t rank, uint32_t buf,
		 uint64_t off, uint64_t len, struct suo_plan_runs *out)
{
	return push_part(out, buffer(v, rank, buf), off, len, off);
}

static int overwrite(const struct suo_plan_values *v, uint32_t rank, uint32_t buf,
		     uint64_t off, uint64_t len, const struct suo_plan_runs *in)
{
	struct suo_plan_runs *to = buffer(v, rank, buf);
	struct suo_plan_runs after = { 0 };
	int ret;

	if (!len)
		return 0;
	ret = push_part(&after, to, 0, off, 0);
	if (!ret)
		ret = push_part(&after, in, 0, len, -off);
	if (!ret)
		ret = push_part(&after, to, off + len, UINT64_MAX, 0);
	if (ret) {
		free(after.run);
		return ret;
	}
	free(to->run);
	*to = after;
	return 0;
}

static int fill_rank(struct suo_plan_values *v, uint32_t r,
		     const struct suo_plan_set *own, const struct suo_plan_set *nothing)
{
	const struct suo_plan *plan = v->plan;
	struct suo_plan_runs *data = buffer(v, r, SUO_PLAN_DATA);
	uint64_t off, len;
	int ret = 0;

	switch (plan->coll) {
	case SUO_COLL_ALLREDUCE:
	case SUO_COLL_REDUCE_SCATTER:
	case SUO_COLL_REDUCE:
		ret = push(data, plan->count, 0, own);
		break;
	case SUO_COLL_ALL_GATHER:
	case SUO_COLL_GATHER:
		len = suo_plan_block(plan, r, &off);
		ret = push(data, off, 0, nothing);
		if (!ret)
			ret = push(data, len, 0, own);
		if (!ret)
			ret = push(data, plan->count - off - len, 0, nothing);
		break;
	case SUO_COLL_BROADCAST:
	case SUO_COLL_SCATTER:
		ret = push(data, plan->count, 0, r == plan->root ? own : nothing);
		break;
	case SUO_COLL_ALLTOALL:
		ret = push(buffer(v, r, SUO_PLAN_INPUT), plan->count, 0, own);
		/* fall through */
	default:
		if (!ret)
			ret = push(data, plan->count, 0, nothing);
	}
	if (!ret)
		ret = push(buffer(v, r, SUO_PLAN_SCRATCH),
			   plan->rank[r].scratch_len, 0, nothing);
	return ret;
}

struct suo_plan_values *suo_plan_values_new(const struct suo_plan *plan)
{
	struct suo_plan_values *v = calloc(1, sizeof(*v));
	struct suo_plan_set *nothing;

	if (!v)
		return NULL;
	v->plan = plan;
	v->words = suo_bits_words(plan->nranks);
	v->of = calloc(plan->nranks, SUO_PLAN_NUM_BUFS * sizeof(*v->of));
	nothing = new_set(v);
	if (!v->of || !nothing)
		goto err;
	nothing->spoilt = SUO_PLAN_UNWRITTEN;

	for (uint32_t r = 0; r < plan->nranks; r++) {
		struct suo_plan_set *set = new_set(v);

		if (!set)
			goto err;
		suo_bits_put(set->bits, r);
		if (fill_rank(v, r, set, nothing))
			goto err;
	}
	return v;
err:
	suo_plan_values_free(v);
	return NULL;
}

void suo_plan_values_free(struct suo_plan_values *v)
{
	struct suo_plan_set *set, *next;

	if (!v)
		return;
	for (uint32_t i = 0; v->of && i < SUO_PLAN_NUM_BUFS * v->plan->nranks; i++)
		free(v->of[i].run);
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
	if (slice(v, rank, step->buf, step->off, step->len, &msg->runs)) {
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

int suo_plan_values_recv(struct suo_plan_values *v, uint32_t rank,
			 uint32_t index, const struct suo_plan_msg *msg)
{
	const struct suo_plan_step *step = &v->plan->rank[rank].step[index];
	struct suo_plan_runs was = { 0 }, total = { 0 };
	int ret;

	if (step->op == SUO_PLAN_RECV)
		return overwrite(v, rank, step->buf, step->off, step->len, &msg->runs);

	ret = slice(v, rank, step->buf, step->off, step->len, &was);
	if (!ret)
		ret = push_sum(v, &total, &was, &msg->runs, rank, index);
	if (!ret)
		ret = overwrite(v, rank, step->buf, step->off, step->len, &total);
	free(total.run);
	free(was.run);
	return ret;
}

/* Add the same range of one more member. */
static int add_member(struct suo_plan_values *v, struct suo_plan_runs *total,
		      uint32_t member, uint32_t rank, uint32_t index)
{
	const struct suo_plan_step *step = &v->plan->rank[rank].step[index];
	struct suo_plan_runs part = { 0 }, after = { 0 };
	int ret;

	ret = slice(v, member, SUO_PLAN_DATA, step->src_off, step->len, &part);
	if (!ret)
		ret = push_sum(v, &after, total, &part, rank, index);
	free(part.run);
	free(total->run);
	*total = after;
	return ret;
}

int suo_plan_values_local(struct suo_plan_values *v, uint32_t rank, uint32_t index)
{
	const struct suo_plan_step *step = &v->plan->rank[rank].step[index];
	uint32_t g = v->plan->domain_size, first = rank / g * g;
	struct suo_plan_runs runs = { 0 };
	int ret;

	ret = slice(v, step->op == SUO_PLAN_REDUCED_READ ? first : rank, step->src,
		    step->src_off, step->len, &runs);
	for (uint32_t m = 0; m < g && !ret; m++) {
		if (step->op == SUO_PLAN_REDUCED_READ && m)
			ret = add_member(v, &runs, first + m, rank, index);
		else if (step->op == SUO_PLAN_MCAST_WRITE)
			ret = overwrite(v, first + m, step->buf, step->off,
					step->len, &runs);
	}
	if (!ret && step->op != SUO_PLAN_MCAST_WRITE)
		ret = overwrite(v, rank, step->buf, step->off, step->len, &runs);
	free(runs.run);
	return ret;
}
