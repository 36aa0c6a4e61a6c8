// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Closed forms of hierarchies but AllReduce's. Port and NIC of a rank work beside each
 * other, and all domains are alike, so that one of them and one path across tell all:
 * O(1) or O(log N), whatever their number.
 */
#include <string.h>

#include "model/analytic/closed.h"
#include "model/analytic/forms_closed.h"

struct shape {
	struct suo_leg	up;
	struct suo_leg	out;
	u32		g;
	u32		k;
};

static struct shape shape_of(const struct suo_net *net, u32 nranks)
{
	return (struct shape){
		{ net, true }, { net, false }, net->domain_size,
		nranks / net->domain_size,
	};
}

/* So many messages from or to one port; none take no time. */
static u64 row(const struct suo_leg *leg, u32 messages)
{
	return messages ? suo_leg_row_ps(leg, messages, 0) : 0;
}

/* When the acknowledgements of what arrived then have come, of those that were sent. */
static u64 done(const struct shape *s, u64 up_ps, u64 out_ps)
{
	u64 ps = 0;

	if (s->g > 1)
		ps = up_ps + suo_net_ack_ps(s->up.net, true);
	if (s->k > 1)
		ps = suo_max(ps, out_ps + suo_net_ack_ps(s->out.net, false));
	return ps;
}

/* Half of a ring, of halves or of all to all, whose members all end as one. */
static u64 inner_half(const char *name, const struct shape *s, u64 count)
{
	if (!strcmp(name, "ring"))
		return suo_ring_half_ps(&s->up, s->g, count);
	if (!strcmp(name, "rhd") && !(s->g & (s->g - 1)))
		return suo_rhd_half_ps(&s->up, s->g, count);
	if (!strcmp(name, "direct"))
		return suo_direct_half_ps(&s->up, s->g, count);
	return SUO_NO_FORM;
}

/*
 * ReduceScatter and AllGather with a ring across, of equal blocks. A domain has k
 * turns of P, one for each domain's blocks, and the ring k - 1 steps of t. The j-th
 * step of a ReduceScatter needs what the j-th turn has left and what the step before
 * has brought, and the last turn is the rank's own; in an AllGather a turn needs what
 * one step more has brought. The longest chain of both is
 *
 *	ReduceScatter:	max over j of j P + (k - j) t, j from 1 to k
 *	AllGather:	max over j of j t + (k - j) P, j from 0 to k - 1
 *
 * which are linear in j: the ends decide, but that a last turn needs no step.
 */
static bool half(enum suo_coll coll, const struct suo_plan_name *name,
		 const struct suo_net *net, u32 nranks, u64 count, struct suo_cost *cost)
{
	struct shape s = shape_of(net, nranks);
	u64 turn, step, last_turn, last_step = 0;

	if (strcmp(name->outer, "ring") || count % nranks)
		return false;
	turn = s.g > 1 ? inner_half(name->inner, &s, count / s.k) : 0;
	if (turn == SUO_NO_FORM)
		return false;
	step = suo_leg_message_ps(&s.out, count / nranks);
	last_turn = s.k * turn;
	if (s.k > 1 && coll == SUO_COLL_REDUCE_SCATTER) {
		last_step = suo_max(turn + (s.k - 1) * step, (s.k - 1) * turn + step);
	} else if (s.k > 1) {
		last_step = (s.k - 1) * step;
		last_turn = suo_max(last_turn, last_step + turn);
	}
	cost->data_ps = suo_max(last_turn, last_step);
	cost->done_ps = done(&s, last_turn, last_step);
	return true;
}

bool suo_reduce_scatter_hierarchy(const struct suo_plan_name *name,
				  const struct suo_net *net, u32 nranks, u64 count,
				  struct suo_cost *cost)
{
	return half(SUO_COLL_REDUCE_SCATTER, name, net, nranks, count, cost);
}

bool suo_all_gather_hierarchy(const struct suo_plan_name *name,
			      const struct suo_net *net, u32 nranks, u64 count,
			      struct suo_cost *cost)
{
	return half(SUO_COLL_ALL_GATHER, name, net, nranks, count, cost);
}

/* All tell one of their domain, these tell each other, and then all of theirs. */
bool suo_barrier_hierarchy(const struct suo_plan_name *name, const struct suo_net *net,
			   u32 nranks, u64 count, struct suo_cost *cost)
{
	struct shape s = shape_of(net, nranks);
	u64 across = row(&s.up, s.g - 1);

	for (u32 d = 1; d < s.k; d *= 2)
		across += suo_leg_message_ps(&s.out, 0);
	cost->data_ps = across + row(&s.up, s.g - 1);
	cost->done_ps = done(&s, cost->data_ps, across);
	return true;
}

static bool is_binomial(const struct suo_plan_name *name)
{
	return !strcmp(name->inner, "binomial") && !strcmp(name->outer, "binomial");
}

/*
 * Binomial trees across, and inside each domain from when its member has it. First all
 * tell the root: its port takes one after the other, a NIC all at once.
 */
bool suo_broadcast_hierarchy(const struct suo_plan_name *name, const struct suo_net *net,
			     u32 nranks, u64 count, struct suo_cost *cost)
{
	struct shape s = shape_of(net, nranks);
	u64 across;

	if (!is_binomial(name))
		return false;
	across = suo_max(row(&s.up, s.g - 1), row(&s.out, s.k > 1));
	if (s.k > 1)
		across += suo_binomial_broadcast_ps(&s.out, s.k, count);
	cost->data_ps = across;
	if (s.g > 1)
		cost->data_ps += suo_binomial_broadcast_ps(&s.up, s.g, count);
	cost->done_ps = done(&s, cost->data_ps, across);
	return true;
}

/* The same backwards; in the end the root tells all, by its port and by its NIC. */
bool suo_reduce_hierarchy(const struct suo_plan_name *name, const struct suo_net *net,
			  u32 nranks, u64 count, struct suo_cost *cost)
{
	struct shape s = shape_of(net, nranks);
	u64 sum = 0, up, out;

	if (!is_binomial(name))
		return false;
	if (s.g > 1)
		sum += suo_binomial_reduce_ps(&s.up, s.g, count);
	if (s.k > 1)
		sum += suo_binomial_reduce_ps(&s.out, s.k, count);
	up = sum + row(&s.up, s.g - 1);
	out = sum + row(&s.out, nranks - s.g);
	cost->data_ps = suo_max(up, out);
	cost->done_ps = done(&s, up, out);
	return true;
}
