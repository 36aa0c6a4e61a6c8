// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "model/analytic/engine.h"

static const char *const ops[] = {
	[SUO_WORK_ALLREDUCE]	= "allreduce",
	[SUO_WORK_REDUCE_SCATTER]	= "reduce-scatter",
	[SUO_WORK_ALL_GATHER]	= "all-gather",
	[SUO_WORK_BROADCAST]	= "broadcast",
	[SUO_WORK_REDUCE]		= "reduce",
	[SUO_WORK_ALLTOALL]	= "alltoall",
	[SUO_WORK_MOE]		= "moe",
};

static const char *const bounds[] = {
	[SUO_BOUND_SOFTWARE]	= "software",
	[SUO_BOUND_CHANNEL]	= "channels",
	[SUO_BOUND_UP_LATENCY]	= "scale-up latency",
	[SUO_BOUND_UP_RATE]	= "scale-up rate",
	[SUO_BOUND_OUT_LATENCY]	= "scale-out latency",
	[SUO_BOUND_OUT_RATE]	= "scale-out NIC",
	[SUO_BOUND_FABRIC]	= "scale-out fabric",
	[SUO_BOUND_REDUCE]	= "reduction",
	[SUO_BOUND_LOSS]	= "loss",
	[SUO_BOUND_STRAGGLER]	= "stragglers",
};

const char *suo_workload_name(enum suo_workload op)
{
	return ops[op];
}

const char *suo_bound_name(enum suo_bound bound)
{
	return bounds[bound];
}

int suo_workload_find(const char *name, enum suo_workload *op)
{
	for (unsigned int i = 0; i < SUO_WORKLOADS; i++) {
		if (!strcmp(ops[i], name)) {
			*op = i;
			return 0;
		}
	}
	return -EINVAL;
}

double suo_busbw_share(enum suo_workload op, double n)
{
	if (n <= 1)
		return 0;
	switch (op) {
	case SUO_WORK_ALLREDUCE:
		return 2 * (n - 1) / n;
	case SUO_WORK_BROADCAST:
	case SUO_WORK_REDUCE:
		return 1;
	default:
		return (n - 1) / n;
	}
}
