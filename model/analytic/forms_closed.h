/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Closed forms, by collective; see suo_closed_cost(). Return: is there one? */
#ifndef SUO_ANALYTIC_FORMS_CLOSED_H
#define SUO_ANALYTIC_FORMS_CLOSED_H

#include "model/analytic/cost.h"

bool suo_allreduce_form(const struct suo_plan_name *name, const struct suo_net *net,
			u32 nranks, u64 count, struct suo_cost *cost);

/* ReduceScatter and AllGather. */
bool suo_half_form(const struct suo_plan_name *name, const struct suo_net *net,
		   u32 nranks, u64 count, struct suo_cost *cost);

/* Broadcast, Reduce, Gather, Scatter, Barrier and All-to-All. */
bool suo_broadcast_form(const struct suo_plan_name *name, const struct suo_net *net,
			u32 nranks, u64 count, struct suo_cost *cost);
bool suo_reduce_form(const struct suo_plan_name *name, const struct suo_net *net,
		     u32 nranks, u64 count, struct suo_cost *cost);
bool suo_scatter_form(const struct suo_plan_name *name, const struct suo_net *net,
		      u32 nranks, u64 count, struct suo_cost *cost);
bool suo_barrier_form(const struct suo_plan_name *name, const struct suo_net *net,
		      u32 nranks, u64 count, struct suo_cost *cost);
bool suo_alltoall_form(const struct suo_plan_name *name, const struct suo_net *net,
		       u32 nranks, u64 count, struct suo_cost *cost);

#endif /* SUO_ANALYTIC_FORMS_CLOSED_H */
