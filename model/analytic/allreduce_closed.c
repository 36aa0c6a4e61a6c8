// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Closed forms of the AllReduce algorithms. */
#include <errno.h>
#include <string.h>

#include "model/analytic/cost.h"

static u64 most(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 part(u64 count, u32 parts)
{
	return count / parts + (count % parts ? 1 : 0);
}

static void ring(const struct suo_net *net, u32 nranks, u64 count,
		 struct suo_cost *cost)
{
	u64 bytes = part(count, nranks) * net->elem_bytes;
	u64 step = 0, ack = 0;

	if (net->domain_size > 1) {
		step = suo_net_message_ps(net, true, bytes);
		ack = suo_net_ack_ps(net, true);
	}
	if (net->domain_size < nranks) {
		step = most(step, suo_net_message_ps(net, false, bytes));
		ack = most(ack, suo_net_ack_ps(net, false));
	}
	cost->data_ps = 2ull * (nranks - 1) * step;
	cost->done_ps = cost->data_ps + ack;
}

static void hierarchical(const struct suo_net *net, u32 nranks, u64 count,
			 struct suo_cost *cost)
{
	u32 g = net->domain_size, k = nranks / g;
	u64 shard = part(count, g);
	u64 up, out, across;

	up = (g - 1) * suo_net_message_ps(net, true, shard * net->elem_bytes);
	out = 2ull * (k - 1) *
	      suo_net_message_ps(net, false, part(shard, k) * net->elem_bytes);
	across = up + out;

	cost->data_ps = across + up;
	cost->done_ps = cost->data_ps;
	if (g > 1)
		cost->done_ps += suo_net_ack_ps(net, true);
	/* The last acknowledgement from afar may come after the AllGather. */
	if (k > 1)
		cost->done_ps = most(cost->done_ps,
				     across + suo_net_ack_ps(net, false));
}

int suo_closed_allreduce(const char *algorithm, const struct suo_net *net,
			 u32 nranks, u64 count, struct suo_cost *cost)
{
	if (!nranks || !net->domain_size || nranks % net->domain_size)
		return -EINVAL;

	memset(cost, 0, sizeof(*cost));
	if (!strcmp(algorithm, "ring")) {
		if (nranks > 1)
			ring(net, nranks, count, cost);
	} else if (!strcmp(algorithm, "hierarchical")) {
		hierarchical(net, nranks, count, cost);
	} else {
		return -EINVAL;
	}
	return 0;
}
