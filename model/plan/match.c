// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pairing the sends of a plan with its receives. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/match.h"

/* One end of a message, sorted by (from, to, index). */
struct end {
	uint32_t	from;
	uint32_t	to;
	uint32_t	index;
	uint32_t	number;
};

int suo_plan_refuse(const struct suo_plan_why *why, const char *fmt, ...)
{
	va_list ap;

	if (why->text && why->size) {
		va_start(ap, fmt);
		vsnprintf(why->text, why->size, fmt, ap);
		va_end(ap);
	}
	return -EINVAL;
}

static int compare_pair(const struct end *a, const struct end *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return 0;
}

static int compare_end(const void *pa, const void *pb)
{
	const struct end *a = pa, *b = pb;
	int pair = compare_pair(a, b);

	if (pair)
		return pair;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int refuse_lonely(const struct suo_plan_why *why, const struct end *end,
			 bool is_send)
{
	uint32_t rank = is_send ? end->from : end->to;
	uint32_t peer = is_send ? end->to : end->from;

	return suo_plan_refuse(why, "rank %" PRIu32 ", step %" PRIu32
			       ": no %s of rank %" PRIu32 " meets this %s",
			       rank, end->index, is_send ? "receive" : "send",
			       peer, is_send ? "send" : "receive");
}

/* Walk both sorted lists side by side. */
static int pair_up(const struct suo_plan *plan, struct suo_plan_match *match,
		   const struct end *send, uint32_t nsend,
		   const struct end *recv, uint32_t nrecv,
		   const struct suo_plan_why *why)
{
	uint32_t i;

	for (i = 0; i < nsend && i < nrecv; i++) {
		const struct suo_plan_step *s, *r;
		int pair = compare_pair(&send[i], &recv[i]);

		if (pair)
			return refuse_lonely(why, pair < 0 ? &send[i] : &recv[i],
					     pair < 0);

		s = &plan->rank[send[i].from].step[send[i].index];
		r = &plan->rank[recv[i].to].step[recv[i].index];
		if (s->len != r->len)
			return suo_plan_refuse(why, "rank %" PRIu32 ", step %"
				PRIu32 " sends %" PRIu64 " elements, but rank %"
				PRIu32 ", step %" PRIu32 " takes %" PRIu64,
				send[i].from, send[i].index, s->len,
				recv[i].to, recv[i].index, r->len);

		match->mate[send[i].number] = recv[i].number;
		match->mate[recv[i].number] = send[i].number;
	}

	if (i < nsend)
		return refuse_lonely(why, &send[i], true);
	if (i < nrecv)
		return refuse_lonely(why, &recv[i], false);
	return 0;
}

static int number_steps(const struct suo_plan *plan,
			struct suo_plan_match *match)
{
	uint64_t total = 0;
	uint32_t r, i;

	match->base = calloc((size_t)plan->nranks + 1, sizeof(*match->base));
	if (!match->base)
		return -ENOMEM;
	for (r = 0; r < plan->nranks; r++) {
		match->base[r] = total;
		total += plan->rank[r].nsteps;
	}
	/* Numbers have 32 bits; so many steps would not fit in memory. */
	if (total >= UINT32_MAX)
		return -ENOMEM;
	match->base[r] = total;
	match->total = total;

	match->owner = calloc(total + 1, sizeof(*match->owner));
	match->mate = calloc(total + 1, sizeof(*match->mate));
	if (!match->owner || !match->mate)
		return -ENOMEM;
	for (r = 0; r < plan->nranks; r++)
		for (i = match->base[r]; i < match->base[r + 1]; i++)
			match->owner[i] = r;
	return 0;
}

int suo_plan_match(const struct suo_plan *plan, struct suo_plan_match *match,
		   const struct suo_plan_why *why)
{
	struct end *send, *recv;
	uint32_t nsend = 0, nrecv = 0;
	uint32_t n;
	int ret;

	memset(match, 0, sizeof(*match));
	ret = number_steps(plan, match);
	if (ret)
		goto err_number;

	send = calloc((size_t)match->total + 1, sizeof(*send));
	recv = calloc((size_t)match->total + 1, sizeof(*recv));
	if (!send || !recv) {
		ret = -ENOMEM;
		goto out;
	}

	for (n = 0; n < match->total; n++) {
		uint32_t rank = match->owner[n];
		uint32_t index = n - match->base[rank];
		const struct suo_plan_step *step = &plan->rank[rank].step[index];

		if (step->op == SUO_PLAN_SEND)
			send[nsend++] = (struct end){ rank, step->peer, index, n };
		else if (!suo_plan_is_receive(step))
			match->mate[n] = n;
		else
			recv[nrecv++] = (struct end){ step->peer, rank, index, n };
	}

	qsort(send, nsend, sizeof(*send), compare_end);
	qsort(recv, nrecv, sizeof(*recv), compare_end);
	ret = pair_up(plan, match, send, nsend, recv, nrecv, why);
out:
	free(recv);
	free(send);
err_number:
	if (ret)
		suo_plan_match_free(match);
	return ret;
}

void suo_plan_match_free(struct suo_plan_match *match)
{
	free(match->mate);
	free(match->owner);
	free(match->base);
	memset(match, 0, sizeof(*match));
}
