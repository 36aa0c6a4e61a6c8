// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Paths through the scale-out network. */
#include "model/cluster/cluster.h"

/* The longest way round a torus: half of each dimension. */
static uint64_t torus_ps(const struct suo_fabric *fabric)
{
	uint64_t hops = 0;

	for (uint32_t i = 0; i < fabric->ndims; i++)
		hops += fabric->dim[i] / 2;
	if (!hops)
		hops = 1;
	return hops * fabric->torus_link_ps + (hops - 1) * fabric->torus_pass_ps;
}

uint64_t suo_fabric_path_ps(const struct suo_cluster *cluster, uint32_t tiers)
{
	const struct suo_cluster_out *out = &cluster->out;
	const struct suo_fabric *fabric = &out->fabric;
	uint64_t ps = out->endpoint_ps;

	if (out->latency_given)
		return out->latency_ps;
	if (fabric->topology == SUO_TOPOLOGY_TORUS)
		return ps + torus_ps(fabric);
	for (uint32_t i = 0; i < tiers && i < fabric->ntiers; i++) {
		const struct suo_tier *tier = &fabric->tier[i];

		/* Up and down again, but only once over the highest switch. */
		ps += 2 * (tier->fec_ps + tier->propagation_ps);
		ps += (i + 1 < tiers ? 2 : 1) * tier->switch_ps;
	}
	return ps;
}
