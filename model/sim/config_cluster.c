// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "model/sim/config_cluster.h"

static void set_tiers(const struct suo_cluster *cluster, struct suo_sim_config *config)
{
	const struct suo_cluster_out *out = &cluster->out;

	config->nic_ps = out->endpoint_ps;
	for (u32 t = 0; t < SUO_SIM_TIERS; t++) {
		const struct suo_tier *tier = &out->fabric.tier[t];

		if (t >= out->fabric.ntiers)
			continue;
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

static void set_congestion(const struct suo_congestion *from,
			   struct suo_sim_config *config)
{
	struct suo_pfc_law *pfc = &config->sw.class[config->prio].pfc;

	suo_sim_config_lossless(config, from->lossless);
	if (from->lossless && from->xoff_bytes) {
		pfc->static_bytes = from->xoff_bytes;
		pfc->xon_bytes = suo_sub_sat(from->xoff_bytes, from->xon_bytes);
		pfc->dynamic_th = SUO_PFC_NO_DYNAMIC;
	}
	if (from->lossless && from->headroom_bytes)
		pfc->headroom_bytes = from->headroom_bytes;
	if (from->ecn)
		suo_sim_config_ecn(config, from->kmin_bytes, from->kmax_bytes,
				   from->pmax_milli * 1000);
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
	set_congestion(&out->congestion, config);
	return 0;
}
