// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Closed forms of AllReduce: flat ones, and hierarchies of these. */
#include <string.h>

#include "model/analytic/forms_closed.h"
#include "model/analytic/closed.h"

static u64 add(u64 a, u64 b)
{
	return a == SUO_NO_FORM || b == SUO_NO_FORM ? SUO_NO_FORM : a + b;
}

/* Half of an AllReduce, by name. */
static u64 half(const char *name, const struct suo_leg *leg, u32 n, u64 count)
{
	if (!strcmp(name, "ring"))
		return suo_ring_half_ps(leg, n, count);
	if (!strcmp(name, "rhd"))
		return suo_rhd_half_ps(leg, n, count);
	if (!strcmp(name, "direct"))
		return suo_direct_half_ps(leg, n, count);
	if (!strcmp(name, "biring"))
		return suo_biring_ps(leg, n, count, n - 1);
	return SUO_NO_FORM;
}

/* Both halves, one after the other. */
static u64 both(const char *name, const struct suo_leg *leg, u32 n, u64 count)
{
	if (!strcmp(name, "rhd"))
		return suo_rhd_both_ps(leg, n, count);
	/* One way does not wait for the other. */
	if (!strcmp(name, "biring"))
		return suo_biring_ps(leg, n, count, 2 * (n - 1));
	return add(half(name, leg, n, count), half(name, leg, n, count));
}

static u64 whole(const char *name, const struct suo_leg *leg, u32 n, u64 count)
{
	u64 ps = both(name, leg, n, count);

	if (ps != SUO_NO_FORM)
		return ps;
	if (!strcmp(name, "rd"))
		return suo_rd_ps(leg, n, count);
	if (!strcmp(name, "oneshot"))
		return n < 2 ? 0 : suo_leg_row_ps(leg, n - 1, count);
	if (!strcmp(name, "binomial"))
		return suo_binomial_reduce_ps(leg, n, count) +
		       suo_binomial_broadcast_ps(leg, n, count);
	return SUO_NO_FORM;
}

/* The inner part of a hierarchy: all its members are ready at the same time. */
static bool in_step(const char *name)
{
	return strcmp(name, "biring");
}

static bool hierarchical(const struct suo_plan_name *name, const struct suo_net *net,
			 u32 nranks, u64 count, struct suo_cost *cost)
{
	struct suo_leg up = { net, true }, out = { net, false };
	u32 g = net->domain_size, k = nranks / g;
	u64 between = whole(name->outer, &out, k, suo_leg_part(count, g));
	u64 across = add(half(name->inner, &up, g, count), between);

	/* Members that are not alike, and shards that are not: no single sum. */
	if (across == SUO_NO_FORM || !in_step(name->inner) ||
	    (!strcmp(name->inner, "rhd") && g & (g - 1) && count % g))
		return false;
	cost->data_ps = add(both(name->inner, &up, g, count), between);
	cost->done_ps = cost->data_ps;
	if (g > 1)
		cost->done_ps += suo_net_ack_ps(net, true);
	/* The last acknowledgement from afar may come after the AllGather. */
	if (k > 1)
		cost->done_ps = suo_max(cost->done_ps,
					across + suo_net_ack_ps(net, false));
	return true;
}

typedef u64 by_name_fn(const char *name, const struct suo_leg *leg, u32 n, u64 count);

/* Over links of one kind by @form; over both there is a ring only, of @steps steps. */
static bool flat(const char *name, const struct suo_net *net, u32 nranks, u64 count,
		 by_name_fn *form, u32 steps, struct suo_cost *cost)
{
	bool up = net->domain_size == nranks;
	struct suo_leg leg = { net, up };

	if (nranks > 1 && net->domain_size > 1 && !up) {
		if (strcmp(name, "ring") || count % nranks)
			return false;
		suo_mixed_ring_ps(net, nranks, count, steps, &cost->data_ps,
				  &cost->done_ps);
		return true;
	}
	cost->data_ps = form(name, &leg, nranks, count);
	if (cost->data_ps == SUO_NO_FORM)
		return false;
	cost->done_ps = cost->data_ps;
	if (nranks > 1)
		cost->done_ps += suo_net_ack_ps(net, up);
	return true;
}

bool suo_allreduce_form(const struct suo_plan_name *name, const struct suo_net *net,
			u32 nranks, u64 count, struct suo_cost *cost)
{
	if (!strcmp(name->base, "hierarchical"))
		return hierarchical(name, net, nranks, count, cost);
	return flat(name->base, net, nranks, count, whole, 2 * (nranks - 1), cost);
}

bool suo_half_form(const struct suo_plan_name *name, const struct suo_net *net,
		   u32 nranks, u64 count, struct suo_cost *cost)
{
	return flat(name->base, net, nranks, count, half, nranks - 1, cost);
}
