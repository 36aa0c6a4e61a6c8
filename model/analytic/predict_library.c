// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/analytic/congestion.h"
#include "model/analytic/nccl_predict.h"
#include "model/analytic/predict_library.h"

#define PS_PER_US	1e6

/* Steps in a row that stay in a domain, and that leave it. */
struct steps {
	double	in;
	double	out;
};

static bool find_op(enum suo_workload work, enum suo_nccl_op *op)
{
	switch (work) {
	case SUO_WORK_ALLREDUCE:
		*op = SUO_NCCL_ALLREDUCE;
		return true;
	case SUO_WORK_REDUCE_SCATTER:
		*op = SUO_NCCL_REDUCESCATTER;
		return true;
	case SUO_WORK_ALL_GATHER:
		*op = SUO_NCCL_ALLGATHER;
		return true;
	case SUO_WORK_BROADCAST:
		*op = SUO_NCCL_BROADCAST;
		return true;
	case SUO_WORK_REDUCE:
		*op = SUO_NCCL_REDUCE;
		return true;
	case SUO_WORK_ALLTOALL:
	case SUO_WORK_MOE:
		*op = SUO_NCCL_ALLTOALL;
		return true;
	default:
		return false;
	}
}

/* ceil(log2 x) */
static double log2_up(double x)
{
	double log = 0;

	for (double n = 1; n < x; n *= 2)
		log++;
	return log;
}

static struct steps count_steps(const struct suo_machine *m, enum suo_nccl_op op,
				enum suo_nccl_algorithm algorithm)
{
	double n = m->ranks, g = m->domain, k = m->domains;
	double times = op == SUO_NCCL_ALLREDUCE ? 2 : 1;

	switch (algorithm) {
	case SUO_NCCL_P2P:
		return (struct steps){ k <= 1, k > 1 };
	case SUO_NCCL_TREE:
		return (struct steps){ times * (g - 1), times * log2_up(k) };
	case SUO_NCCL_NVLS:
	case SUO_NCCL_NVLS_TREE:
		return (struct steps){ times, times * log2_up(k) };
	default:
		return (struct steps){ times * (n - k), times * (k - 1) };
	}
}

/* Bytes that a NIC's share of an accelerator sends, at least. */
static double out_bytes(const struct suo_machine *m, enum suo_nccl_op op, double bytes)
{
	double k = m->domains, n = m->ranks, g = m->domain;

	if (op == SUO_NCCL_ALLTOALL)
		return (n - g) / n * bytes;
	if (suo_nccl_is_rooted(op))
		return bytes / g;
	return (op == SUO_NCCL_ALLREDUCE ? 2 : 1) * (k - 1) / k * bytes / g;
}

/* What latencies other than those that the library was fitted with add. */
static void add_latency(const struct suo_cluster *c, const struct suo_machine *m,
			struct steps steps, struct suo_estimate *est)
{
	const struct suo_profile *up = suo_profile_find("nvlink4");
	double ref_up = suo_profile_latency_ps(up) / PS_PER_US;
	double ref_out = suo_profile_latency_ps(c->out.profile) / PS_PER_US;

	est->part_us[SUO_BOUND_UP_LATENCY] += steps.in * (m->up.latency_us - ref_up);
	if (m->domains > 1)
		est->part_us[SUO_BOUND_OUT_LATENCY] +=
			steps.out * (suo_machine_ring_path_us(m) - ref_out);
}

/* What NICs' bytes take longer for want of links, and for losses. */
static void add_network(const struct suo_machine *m, enum suo_nccl_op op,
			struct steps steps, double bytes, double out_us,
			struct suo_estimate *est)
{
	unsigned int top = suo_machine_level(m, m->domains - 1);
	double left = op == SUO_NCCL_ALLTOALL ? m->cross[top] : m->ring_cross[top];
	double rate_us = out_bytes(m, op, bytes) * m->out.per_byte *
			 m->goodput / m->out.rate;

	rate_us = fmin(rate_us, out_us);
	est->part_us[SUO_BOUND_OUT_RATE] += rate_us;
	est->part_us[SUO_BOUND_OUT_LATENCY] += out_us - rate_us;
	est->part_us[SUO_BOUND_LOSS] += rate_us * (1 / m->goodput - 1) +
					steps.out * m->loss_us;
	est->part_us[SUO_BOUND_FABRIC] += rate_us / m->goodput *
					  (m->out.rate / left - 1);
}

bool suo_estimate_library(const struct suo_cluster *c, const struct suo_machine *m,
			  enum suo_workload work, double bytes,
			  struct suo_estimate *est, double *sigma)
{
	struct suo_nccl_result res;
	enum suo_nccl_op op;
	struct steps steps;

	if (!find_op(work, &op) || suo_nccl_predict(c, op, bytes, &res))
		return false;
	*est = (struct suo_estimate){
		.algorithm	= suo_nccl_algorithm_name(res.pick.algorithm),
		.protocol	= suo_nccl_protocol_name(res.pick.protocol),
		.channels	= res.pick.channels,
		.parts		= 1,
	};
	*sigma = res.sigma;
	steps = count_steps(m, op, res.pick.algorithm);
	est->part_us[SUO_BOUND_SOFTWARE] = res.pick.launch_us;
	est->part_us[SUO_BOUND_CHANNEL] = res.pick.channel_us;
	est->part_us[SUO_BOUND_UP_LATENCY] = res.pick.step_us;
	est->part_us[SUO_BOUND_UP_RATE] = res.pick.up_us;
	add_latency(c, m, steps, est);
	if (m->domains > 1)
		add_network(m, op, steps, bytes, res.pick.out_us, est);
	est->part_us[SUO_BOUND_STRAGGLER] =
		suo_straggler_steps(m->jitter_us, m->ranks, steps.in + steps.out,
				    op != SUO_NCCL_ALLTOALL);
	for (unsigned int i = 0; i < SUO_BOUNDS; i++) {
		/* Links faster than those of the fit cannot take less than nothing. */
		est->part_us[i] = fmax(0, est->part_us[i]);
		est->time_us += est->part_us[i];
	}
	est->algbw_GBps = bytes / est->time_us / 1000;
	est->busbw_GBps = est->algbw_GBps * suo_busbw_share(work, m->ranks);
	return true;
}
