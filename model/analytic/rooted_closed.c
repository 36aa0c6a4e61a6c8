// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Closed forms of the other collectives, over links of one kind. Their plans
 * begin or end with messages of no elements between the root and each other rank
 * (plan.h, "One run and the next"): h = s(0) each.
 */
#include <string.h>

#include "model/analytic/closed.h"
#include "model/analytic/forms_closed.h"

static bool one_kind(const struct suo_net *net, u32 nranks, struct suo_leg *leg)
{
	*leg = (struct suo_leg){ net, net->domain_size == nranks && nranks > 1 };
	return nranks > 1 && (leg->up || net->domain_size == 1);
}

static bool set(struct suo_cost *cost, const struct suo_leg *leg, u64 data_ps)
{
	cost->data_ps = data_ps;
	cost->done_ps = data_ps + suo_net_ack_ps(leg->net, leg->up);
	return true;
}

/* All tell the root: a port takes one after the other, a NIC all at once. */
static u64 meet(const struct suo_leg *leg, u32 nranks)
{
	return suo_leg_row_ps(leg, leg->up ? nranks - 1 : 1, 0);
}

/* The root tells all. */
static u64 release(const struct suo_leg *leg, u32 nranks)
{
	return suo_leg_row_ps(leg, nranks - 1, 0);
}

bool suo_broadcast_form(const struct suo_plan_name *name, const struct suo_net *net,
			u32 nranks, u64 count, struct suo_cost *cost)
{
	struct suo_leg leg;
	u32 chunks;

	if (!one_kind(net, nranks, &leg))
		return false;
	if (!strcmp(name->base, "binomial"))
		return set(cost, &leg, meet(&leg, nranks) +
			   suo_binomial_broadcast_ps(&leg, nranks, count));
	if (strcmp(name->base, "chain"))
		return false;
	chunks = suo_plan_chunks(name->chunks, count, nranks - 1,
				 suo_net_chunk_len(net, nranks));
	return set(cost, &leg, meet(&leg, nranks) +
		   suo_chain_ps(&leg, nranks, count, chunks));
}

bool suo_reduce_form(const struct suo_plan_name *name, const struct suo_net *net,
		     u32 nranks, u64 count, struct suo_cost *cost)
{
	struct suo_leg leg;

	if (strcmp(name->base, "binomial") || !one_kind(net, nranks, &leg))
		return false;
	return set(cost, &leg, suo_binomial_reduce_ps(&leg, nranks, count) +
		   release(&leg, nranks));
}

bool suo_scatter_form(const struct suo_plan_name *name, const struct suo_net *net,
		      u32 nranks, u64 count, struct suo_cost *cost)
{
	struct suo_leg leg;

	if (strcmp(name->base, "linear") || !one_kind(net, nranks, &leg) ||
	    count % nranks)
		return false;
	return set(cost, &leg, meet(&leg, nranks) +
		   suo_leg_row_ps(&leg, nranks - 1, count / nranks));
}

/* Hensgen, Finkel and Manber 1988: ceil(log2 n) messages of no elements. */
bool suo_barrier_form(const struct suo_plan_name *name, const struct suo_net *net,
		      u32 nranks, u64 count, struct suo_cost *cost)
{
	struct suo_leg leg;
	u64 ps = 0;

	if (strcmp(name->base, "dissemination") || !one_kind(net, nranks, &leg))
		return false;
	for (u32 d = 1; d < nranks; d *= 2)
		ps += suo_leg_message_ps(&leg, 0);
	return set(cost, &leg, ps);
}

/* (N - 1) s(n / N) + L: theory.md 11 without the software's share. */
bool suo_alltoall_form(const struct suo_plan_name *name, const struct suo_net *net,
		       u32 nranks, u64 count, struct suo_cost *cost)
{
	struct suo_leg leg;

	if (strcmp(name->base, "pairwise") || !one_kind(net, nranks, &leg))
		return false;
	return set(cost, &leg, suo_leg_row_ps(&leg, nranks - 1, count / nranks));
}
