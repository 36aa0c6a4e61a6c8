/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Closed forms, by collective; see suo_closed_cost(). Return: is there one? */
#ifndef SUO_ANALYTIC_FORMS_CLOSED_H
#define SUO_ANALYTIC_FORMS_CLOSED_H

#include "model/analytic/cost.h"

typedef bool suo_closed_fn(const struct suo_plan_name *name, const struct suo_net *net,
			   u32 nranks, u64 count, struct suo_cost *cost);

suo_closed_fn suo_allreduce_form;
suo_closed_fn suo_half_form;		/* ReduceScatter and AllGather */
suo_closed_fn suo_broadcast_form;
suo_closed_fn suo_reduce_form;
suo_closed_fn suo_scatter_form;
suo_closed_fn suo_barrier_form;
suo_closed_fn suo_alltoall_form;

/* Hierarchies. */
suo_closed_fn suo_reduce_scatter_hierarchy;
suo_closed_fn suo_all_gather_hierarchy;
suo_closed_fn suo_broadcast_hierarchy;
suo_closed_fn suo_reduce_hierarchy;
suo_closed_fn suo_barrier_hierarchy;

#endif /* SUO_ANALYTIC_FORMS_CLOSED_H */
