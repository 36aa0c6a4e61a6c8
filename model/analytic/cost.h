/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a collective costs: by closed form, and by replaying its plan. */
#ifndef SUO_ANALYTIC_COST_H
#define SUO_ANALYTIC_COST_H

#include "model/analytic/net.h"
#include "model/plan/plan.h"

/**
 * struct suo_cost - when a collective is over, if all ranks start at 0
 * @data_ps: the last receive is done: all ranks have their data, and know what
 *	the plan has them know of each other
 * @done_ps: the last step is done, acknowledgements of the last sends included
 *	(a rank may not give its buffer back before); never before @data_ps
 */
struct suo_cost {
	u64	data_ps;
	u64	done_ps;
};

/**
 * suo_cost_plan() - replay a plan on the link law
 * @plan: the plan, of at least one rank
 * @net: the network
 * @cost: where the result goes
 *
 * A send is an RDMA write with immediate data. It occupies the sender's
 * scale-up port and the receiver's, in segments, or the sender's NIC, packet by
 * packet; a port serves its peers in turn. A multicast occupies the sender's
 * port and those of all members; a reduced read those of all members and the
 * reader's, from when its request has come to the peer, which serves it among
 * what it sends to the reader (windows.rst). Reducing and copying take no time
 * at a rank, nor does software. Acknowledgements and requests are timed but do
 * not compete for the ports.
 *
 * Return: 0, -EINVAL if the plan does not run to its end, or has steps in the
 * network of domains that are not @net's; -ENOMEM.
 */
int suo_cost_plan(const struct suo_plan *plan, const struct suo_net *net,
		  struct suo_cost *cost);

/**
 * suo_closed_cost() - closed form of a collective
 * @coll: the collective
 * @algorithm: its algorithm
 * @net: the network
 * @nranks: ranks, a multiple of net->domain_size
 * @count: elements of DATA
 * @cost: where the result goes
 *
 * With t(m) the time of a message of m elements, latency included, and a vector
 * of n elements over N = g k ranks, g to a domain:
 *
 *	ring:		2 (N - 1) t(n / N)
 *	rhd:		2 (t(n / 2) + t(n / 4) + ... + t(n / N)); more if N is
 *			no power of two
 *	direct:		2 ((N - 1) (t(n / N) - L) + L), L the latency
 *	binomial:	about 2 log2 N t(n)
 *	rd:		log2 N t(n)
 *	chain:		(N - 1) t(n / C) + (C - 1) (t(n / C) - L), in C chunks: as
 *			many as a shape with suo_net_chunk_len() has, if the name
 *			does not say
 *	hierarchical:	2 (g - 1) t_up(n / g) + 2 (k - 1) t_out(n / (g k)), or
 *			what other inner and outer algorithms take
 *
 * Hierarchies of the other collectives: hierarchical_closed.c.
 *
 * Thakur, Rabenseifner and Gropp 2005, Patarasuk and Yuan 2009; closed.h has the
 * others. Only what suo_cost_plan() agrees with to rounding is given here. Parts
 * are rounded up to whole elements. Takes O(log N), or O(N log N) for rhd where N
 * is no power of two.
 *
 * Return: 0; -EOPNOTSUPP where there is no such form: flat algorithms over links
 * of both kinds, but for a ring with N a divisor of n; trees and hierarchies that
 * are cut into chunks (dtree, tree, scatter_ag, pipelined, chains in chains); what is
 * done in the network (innet); Gather, and the hierarchies of Scatter and All-to-All;
 * some cases of unequal parts. Their ranks do not all do the same at the same time, so
 * that no few of them stand for all: these are replayed, in O(steps log steps).
 * -EINVAL for an unknown algorithm or a shape it cannot do.
 */
int suo_closed_cost(enum suo_coll coll, const char *algorithm,
		    const struct suo_net *net, u32 nranks, u64 count,
		    struct suo_cost *cost);

/* The same of an AllReduce. */
int suo_closed_allreduce(const char *algorithm, const struct suo_net *net,
			 u32 nranks, u64 count, struct suo_cost *cost);

#endif /* SUO_ANALYTIC_COST_H */
