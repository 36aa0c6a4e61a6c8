// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Closed forms by the names of collectives and algorithms. */
#include <errno.h>
#include <string.h>

#include "model/analytic/closed.h"
#include "model/analytic/forms_closed.h"

static suo_closed_fn *const forms[SUO_NUM_COLLS] = {
	[SUO_COLL_ALLREDUCE]		= suo_allreduce_form,
	[SUO_COLL_REDUCE_SCATTER]	= suo_half_form,
	[SUO_COLL_ALL_GATHER]		= suo_half_form,
	[SUO_COLL_BROADCAST]		= suo_broadcast_form,
	[SUO_COLL_REDUCE]		= suo_reduce_form,
	[SUO_COLL_SCATTER]		= suo_scatter_form,
	[SUO_COLL_BARRIER]		= suo_barrier_form,
	[SUO_COLL_ALLTOALL]		= suo_alltoall_form,
};

static suo_closed_fn *const hierarchies[SUO_NUM_COLLS] = {
	[SUO_COLL_ALLREDUCE]		= suo_allreduce_form,
	[SUO_COLL_REDUCE_SCATTER]	= suo_reduce_scatter_hierarchy,
	[SUO_COLL_ALL_GATHER]		= suo_all_gather_hierarchy,
	[SUO_COLL_BROADCAST]		= suo_broadcast_hierarchy,
	[SUO_COLL_REDUCE]		= suo_reduce_hierarchy,
	[SUO_COLL_BARRIER]		= suo_barrier_hierarchy,
};

int suo_closed_cost(enum suo_coll coll, const char *algorithm,
		    const struct suo_net *net, u32 nranks, u64 count,
		    struct suo_cost *cost)
{
	struct suo_plan_name name;
	suo_closed_fn *form;
	int ret = suo_plan_read_name(coll, algorithm, &name);

	*cost = (struct suo_cost){ 0 };
	if (ret)
		return ret;
	if (!nranks || !net->domain_size || nranks % net->domain_size)
		return -EINVAL;
	form = strcmp(name.base, "hierarchical") ? forms[coll] : hierarchies[coll];
	if (!form || !form(&name, net, nranks, count, cost))
		return -EOPNOTSUPP;
	return 0;
}

int suo_closed_allreduce(const char *algorithm, const struct suo_net *net,
			 u32 nranks, u64 count, struct suo_cost *cost)
{
	return suo_closed_cost(SUO_COLL_ALLREDUCE, algorithm, net, nranks, count,
			       cost);
}
