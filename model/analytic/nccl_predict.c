// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>

#include "model/analytic/nccl_predict.h"
#include "model/cluster/goodput.h"

#define MBPS_PER_GBPS	8000.0
#define PS_PER_US	1e6
#define NORMAL_P90	1.2816	/* deviations from the median to the 90th */

/* Cluster files name them by the same bits. */
_Static_assert(SUO_PROTO_LL == 1 << SUO_NCCL_LL, "LL");
_Static_assert(SUO_PROTO_LL128 == 1 << SUO_NCCL_LL128, "LL128");
_Static_assert(SUO_PROTO_SIMPLE == 1 << SUO_NCCL_SIMPLE, "Simple");
_Static_assert(SUO_SW_RING == 1 << SUO_NCCL_RING, "ring");
_Static_assert(SUO_SW_TREE == 1 << SUO_NCCL_TREE, "tree");
_Static_assert(SUO_SW_NVLS == 1 << SUO_NCCL_NVLS, "NVLS");
_Static_assert(SUO_SW_NVLS_TREE == 1 << SUO_NCCL_NVLS_TREE, "NVLSTree");

static void init_system(struct suo_nccl_system *sys, const struct suo_cluster *c)
{
	const struct suo_software *soft = &c->software;

	*sys = (struct suo_nccl_system){
		.gpu		= soft->nccl->gpu,
		.ranks		= suo_cluster_ranks(c),
		.domain		= suo_cluster_domain_size(c),
		.nics		= c->out.host_nics * c->domain_hosts,
		.nic_GBps	= c->out.rate_mbps / MBPS_PER_GBPS,
		.transport	= soft->nccl->transport,
		.protocols	= soft->protocols,
		.algorithms	= soft->algorithms | 1u << SUO_NCCL_P2P,
		.channels	= soft->channels,
		.up_GBps	= suo_goodput_mbps(&c->up, SUO_UP_SEGMENT_BYTES) /
				  MBPS_PER_GBPS,
	};
	/* What the switch cannot do, the accelerator cannot use. */
	if (!c->up_reduce)
		sys->algorithms &= ~(1u << SUO_NCCL_NVLS |
				     1u << SUO_NCCL_NVLS_TREE);
}

/* Figures of the cluster file over those of the profile. */
static void override(struct suo_nccl_constants *k, const struct suo_cluster *c)
{
	const struct suo_software *soft = &c->software;
	double ghz = soft->nccl->gpu->clock_ghz;
	double *gen = k->gen[soft->nccl->gpu->gen];

	if (soft->has_launch) {
		gen[SUO_NCCL_BASE] = soft->launch_ps / PS_PER_US * ghz;
		gen[SUO_NCCL_BASE_SIMPLE] = 0;
		gen[SUO_NCCL_P2P_BASE] = gen[SUO_NCCL_BASE];
		gen[SUO_NCCL_P2P_FILL] = 0;
	}
	if (soft->has_step) {
		gen[SUO_NCCL_HOP_LL] = soft->step_ps / PS_PER_US * ghz;
		gen[SUO_NCCL_HOP_LL128] = gen[SUO_NCCL_HOP_LL];
		gen[SUO_NCCL_HOP_SIMPLE] = gen[SUO_NCCL_HOP_LL];
		gen[SUO_NCCL_P2P_PEER] = gen[SUO_NCCL_HOP_LL];
	}
}

int suo_nccl_predict(const struct suo_cluster *cluster, enum suo_nccl_op op,
		     uint64_t bytes, struct suo_nccl_result *res)
{
	struct suo_nccl_constants k = *cluster->software.nccl->k;
	struct suo_nccl_system sys;

	*res = (struct suo_nccl_result){ 0 };
	init_system(&sys, cluster);
	if (suo_nccl_check(&sys))
		return -EINVAL;
	override(&k, cluster);
	if (suo_nccl_time_us(&sys, &k, op, bytes, &res->pick) <= 0)
		return -EOPNOTSUPP;

	res->low_us = res->pick.time_us * exp(k.log_p10);
	res->high_us = res->pick.time_us * exp(k.log_p90);
	res->sigma = (k.log_p90 - k.log_p10) / 2 / NORMAL_P90;
	return 0;
}
