// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "model/sim/config_cluster.h"

#define MAX_ROCE_MTU	4096

static void set_tiers(const struct suo_cluster *cluster, struct suo_sim_config *config)
{
	const struct suo_cluster_out *out = &cluster->out;

	config->nic_ps = out->endpoint_ps;
	for (u32 t = 0; t < SUO_SIM_TIERS; t++) {
		const struct suo_tier *tier = &out->fabric.tier[t];

		/* There is none: its cables count for nothing. */
		if (t >= out->fabric.ntiers) {
			config->tier[t].hop_ps = 0;
			continue;
		}
		config->tier[t] = (struct suo_sim_tier){
			.rate_mbps = tier->rate_mbps,
			.hop_ps = tier->fec_ps + tier->propagation_ps,
			.switch_ps = tier->switch_ps,
			.buffer_bytes = tier->radix ? tier->buffer_bytes / tier->radix :
						      tier->buffer_bytes,
		};
		/* One figure for all: nobody knows what is whose. */
		if (out->latency_given) {
			config->tier[t].hop_ps = 0;
			config->tier[t].switch_ps = 0;
		}
	}
	if (out->latency_given)
		config->nic_ps = out->latency_ps;
}

static int set_topology(const struct suo_cluster *cluster, struct suo_sim_config *config,
			char *why, size_t size)
{
	const struct suo_fabric *fabric = &cluster->out.fabric;
	const struct suo_tier *leaf = &fabric->tier[0], *spine = &fabric->tier[1];

	switch (fabric->topology) {
	case SUO_TOPOLOGY_SINGLE:
		config->topology = SUO_SIM_SINGLE;
		return 0;
	case SUO_TOPOLOGY_LEAF_SPINE:
	case SUO_TOPOLOGY_RAIL:
		config->topology = fabric->topology == SUO_TOPOLOGY_RAIL ?
				   SUO_SIM_RAIL : SUO_SIM_LEAF_SPINE;
		config->rails = fabric->rails;
		config->hosts_per_leaf = leaf->down;
		config->spines = fabric->ntiers > 1 ? spine->count : 1;
		config->spine_links = leaf->up / config->spines;
		if (config->spine_links)
			return 0;
		/* Some leaves have no link to some spines: as many as they reach. */
		config->spines = leaf->up ? leaf->up : 1;
		config->spine_links = 1;
		return 0;
	case SUO_TOPOLOGY_FAT_TREE:
		config->topology = SUO_SIM_FAT_TREE;
		return 0;
	default:
		snprintf(why, size, "key 'scale_out.topology': '%s' is not simulated",
			 suo_topology_names[fabric->topology]);
		return -EINVAL;
	}
}

static void set_class(const struct suo_policy_class *from, u64 headroom_bytes,
		      struct suo_switch_class *class)
{
	bool is_static = from->dynamic_th == SUO_PFC_NO_DYNAMIC;

	*class = (struct suo_switch_class){
		.pfc = {
			.reserved_bytes = from->reserved_bytes,
			.dynamic_th = is_static && !from->pfc ? 0 : from->dynamic_th,
		},
		.queue_bytes = from->queue_bytes,
		.ecn = from->ecn,
	};
	if (from->ecn)
		class->wred = (struct suo_wred_law){
			.kmin_bytes = from->kmin_bytes,
			.kmax_bytes = from->kmax_bytes,
			.pmax_ppm = from->pmax_milli * 1000,
			.weight = from->wred_weight,
		};
	if (!from->pfc)
		return;
	class->pfc.headroom_bytes = from->headroom_bytes ? from->headroom_bytes :
							   headroom_bytes;
	class->pfc.static_bytes = from->xoff_bytes;
	class->pfc.xon_bytes = is_static ?
			       suo_sub_sat(from->xoff_bytes, from->xon_bytes) :
			       2ull * suo_sim_frame_bytes(MAX_ROCE_MTU);
}

static void set_classes(const struct suo_policy *policy, struct suo_sim_config *config)
{
	u64 headroom_bytes;

	/* What the formula gives for the longest and fastest of the links. */
	suo_sim_config_lossless(config, true);
	headroom_bytes = config->sw.class[config->prio].pfc.headroom_bytes;
	for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++) {
		set_class(&policy->class[q], headroom_bytes, &config->sw.class[q]);
		config->sw.sched.weight[q] = policy->weight[q];
	}
	config->sw.sched.strict = policy->strict;
	config->sw.mark_at_exit = policy->mark_at_exit;
	config->sw.trim_bytes = policy->trim_bytes;
	config->sw.trim_prio = policy->trim_prio;
	config->same_seed = policy->same_seed;
}

static void set_congestion(const struct suo_congestion *from,
			   struct suo_sim_config *config)
{
	if (from->dcqcn_on) {
		config->cc_law.dcqcn = from->dcqcn;
		config->cc = &suo_cc_dcqcn;
	}
	if (from->rto_ps)
		config->rto_ps = from->rto_ps;
}

int suo_sim_config_cluster(struct suo_sim_config *config, const struct suo_cluster *cluster,
			   char *why, size_t size)
{
	const struct suo_cluster_out *out = &cluster->out;
	int ret;

	ret = set_topology(cluster, config, why, size);
	if (ret)
		return ret;
	config->hosts = cluster->hosts * out->host_nics;
	config->mtu_bytes = out->mtu_bytes;
	config->sw.path = out->fabric.balancing;
	set_tiers(cluster, config);
	/* A simulated host has one priority for its data. */
	if (out->policy.data_prios && !(out->policy.data_prios >> config->prio & 1))
		config->prio = __builtin_ctz(out->policy.data_prios);
	config->ack_prio = config->prio;
	set_classes(&out->policy, config);
	set_congestion(&out->congestion, config);
	return 0;
}
