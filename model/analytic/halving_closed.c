// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Closed forms of halving and doubling. For powers of two all members take the
 * same time. Otherwise a member whose parts go past the last one sends two
 * messages in place of one, so that the times are those of the slowest way that a
 * part can go: each member has one predecessor in each step.
 */
#include "model/analytic/closed.h"

#define MAX_STEPS	32

static bool is_power(u32 n)
{
	return !(n & (n - 1));
}

/* Elements of the parts before number @parts. */
static u64 before(u64 count, u32 n, u32 parts)
{
	u64 longer = count % n;

	return count / n * parts + (longer < parts ? longer : parts);
}

/**
 * struct around - steps on a circulant graph
 * @leg: the links
 * @n: members
 * @count: elements of all parts
 * @steps: how many there are
 * @last: parts that are left before a step of the ReduceScatter
 * @far: how far away its partner is; last - far parts are sent
 */
struct around {
	const struct suo_leg	*leg;
	u32			n;
	u64			count;
	u32			steps;
	u32			last[MAX_STEPS];
	u32			far[MAX_STEPS];
};

static struct around around_of(const struct suo_leg *leg, u32 n, u64 count)
{
	struct around a = { .leg = leg, .n = n, .count = count };

	for (u32 last = n; last > 1; last -= last / 2) {
		a.last[a.steps] = last;
		a.far[a.steps++] = last - last / 2;
	}
	return a;
}

/* One step: parts from @first on, in one message or two, and the latency. */
static u64 step_ps(const struct around *a, u32 first, u32 parts)
{
	u32 end = first + parts;
	u64 from = before(a->count, a->n, first);

	if (end <= a->n)
		return suo_leg_message_ps(a->leg, before(a->count, a->n, end) - from);
	return suo_leg_busy_ps(a->leg, a->count - from) +
	       suo_leg_message_ps(a->leg, before(a->count, a->n, end - a->n));
}

/* When member r has the sum of its part. */
static u64 scatter_ps(const struct around *a, u32 r)
{
	u64 ps = 0;

	for (u32 s = a->steps; s--;) {
		ps += step_ps(a, r, a->last[s] - a->far[s]);
		r = (r + a->n - a->far[s]) % a->n;
	}
	return ps;
}

/* When member r has all parts; *r becomes the member on whose part it waited. */
static u64 gather_ps(const struct around *a, u32 *r)
{
	u64 ps = 0;

	for (u32 s = 0; s < a->steps; s++) {
		*r = (*r + a->far[s]) % a->n;
		ps += step_ps(a, *r, a->last[s] - a->far[s]);
	}
	return ps;
}

u64 suo_rhd_half_ps(const struct suo_leg *leg, u32 n, u64 count)
{
	struct around a;
	u64 ps = 0;

	if (is_power(n)) {
		/* The first half is no shorter than the second. */
		for (u32 d = n / 2; d; d /= 2)
			ps += suo_leg_message_ps(leg, before(count, n, d));
		return ps;
	}
	a = around_of(leg, n, count);
	for (u32 r = 0; r < n; r++)
		ps = suo_max(ps, scatter_ps(&a, r));
	return ps;
}

u64 suo_rhd_both_ps(const struct suo_leg *leg, u32 n, u64 count)
{
	struct around a;
	u64 ps = 0;

	if (is_power(n))
		return 2 * suo_rhd_half_ps(leg, n, count);
	a = around_of(leg, n, count);
	for (u32 r = 0; r < n; r++) {
		u32 from = r;
		u64 gather = gather_ps(&a, &from);

		ps = suo_max(ps, gather + scatter_ps(&a, from));
	}
	return ps;
}

/* Recursive doubling of the whole vector. */
u64 suo_rd_ps(const struct suo_leg *leg, u32 n, u64 count)
{
	u64 ps = 0;

	if (!is_power(n))
		return SUO_NO_FORM;
	for (u32 d = n / 2; d; d /= 2)
		ps += suo_leg_message_ps(leg, count);
	return ps;
}
