/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long a collective takes on a cluster: the least of what the algorithms would
 * take, each by its closed form (forms.h). No plan is made, and nothing depends on
 * the number of ranks but a loop over its logarithm.
 */
#ifndef SUO_ANALYTIC_ENGINE_H
#define SUO_ANALYTIC_ENGINE_H

#include "model/analytic/machine.h"

enum suo_workload {
	SUO_WORK_ALLREDUCE,
	SUO_WORK_REDUCE_SCATTER,
	SUO_WORK_ALL_GATHER,
	SUO_WORK_BROADCAST,
	SUO_WORK_REDUCE,
	SUO_WORK_ALLTOALL,
	SUO_WORK_MOE,		/* dispatch to experts: All-to-All of what is sent */
	SUO_WORKLOADS,
};

/* What a part of the time is spent on. */
enum suo_bound {
	SUO_BOUND_SOFTWARE,	/* launch and steps */
	SUO_BOUND_CHANNEL,	/* compute units that move data */
	SUO_BOUND_UP_LATENCY,
	SUO_BOUND_UP_RATE,
	SUO_BOUND_OUT_LATENCY,
	SUO_BOUND_OUT_RATE,	/* NICs */
	SUO_BOUND_FABRIC,	/* links between switches: oversubscription, collisions */
	SUO_BOUND_REDUCE,	/* adding up */
	SUO_BOUND_LOSS,		/* timeouts */
	SUO_BOUND_STRAGGLER,
	SUO_BOUNDS,
};

/**
 * struct suo_estimate - a prediction
 * @time_us: all of it
 * @algbw_GBps: bytes / time
 * @busbw_GBps: as nccl-tests defines it
 * @part_us: what it consists of, by enum suo_bound
 * @algorithm: what was taken
 * @protocol: a library's, or NULL
 * @channels: likewise, or 0
 * @parts: in so many parts did its stages work
 */
struct suo_estimate {
	double		time_us;
	double		algbw_GBps;
	double		busbw_GBps;
	double		part_us[SUO_BOUNDS];
	const char	*algorithm;
	const char	*protocol;
	unsigned int	channels;
	double		parts;
};

/**
 * suo_estimate() - predict
 * @m: the cluster
 * @op: the collective
 * @bytes: as nccl-tests counts them: the larger of a rank's two buffers
 * @est: where the prediction goes
 */
void suo_estimate(const struct suo_machine *m, enum suo_workload op, double bytes,
		  struct suo_estimate *est);

/* The time alone, which is faster. */
double suo_estimate_us(const struct suo_machine *m, enum suo_workload op, double bytes);

/* The factor of nccl-tests from algbw to busbw. */
double suo_busbw_share(enum suo_workload op, double ranks);

/* The part that is the largest; *share: how much of the time. */
enum suo_bound suo_estimate_bound(const struct suo_estimate *est, double *share);

const char *suo_workload_name(enum suo_workload op);
const char *suo_bound_name(enum suo_bound bound);

/* Return: 0 and the collective of that name, or -EINVAL. */
int suo_workload_find(const char *name, enum suo_workload *op);

#endif /* SUO_ANALYTIC_ENGINE_H */
