// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The scale-out network of a cluster file: what a NIC is. */
#include <inttypes.h>

#include "model/cluster/load.h"

static const struct suo_quantity an_mtu = { SUO_BYTES, "B", 256, 4096 };
static const struct suo_quantity a_nic_count = { SUO_NUMBER, NULL, 1, 64 };

/* Accelerators have NICs of their own, or those of a host are shared. */
static void get_count(struct suo_load *load, const struct suo_raw_out *raw)
{
	struct suo_cluster *c = load->cluster;
	struct suo_cluster_out *out = &c->out;
	uint64_t each;

	each = suo_load_get(load, "scale_out.nics_per_accelerator",
			    raw->nics_per_accelerator, &a_nic_count, 1);
	out->host_nics = suo_load_get(load, "scale_out.nics_per_host",
				      raw->nics_per_host, &a_nic_count,
				      each * c->accels);
	if (raw->nics_per_host && raw->nics_per_accelerator)
		suo_load_fault(load, "scale_out.nics_per_host",
			       "only one of nics_per_accelerator and nics_per_host can be given");
	if (out->host_nics != c->accels)
		suo_load_lab_fault(load, raw->nics_per_host ?
				   "scale_out.nics_per_host" :
				   "scale_out.nics_per_accelerator",
				   "in the lab, each accelerator has one NIC");
}

static void get_latency(struct suo_load *load, const struct suo_raw_out *raw)
{
	struct suo_cluster_out *out = &load->cluster->out;

	out->endpoint_ps = out->nic ? out->nic->latency_ps.value :
				      out->profile->endpoint_ps.value;
	out->endpoint_ps = suo_load_get(load, "scale_out.endpoint_ns",
					raw->endpoint_ns, &suo_load_latency,
					out->endpoint_ps);
	if (!raw->latency_ns) {
		out->latency_ps = suo_fabric_path_ps(load->cluster,
						     out->fabric.ntiers);
		return;
	}
	out->latency_given = true;
	out->latency_ps = suo_load_get(load, "scale_out.latency_ns",
				       raw->latency_ns, &suo_load_latency, 0);
	if (raw->nic || raw->endpoint_ns || raw->leaf || raw->spine ||
	    raw->core || raw->tiers_count)
		suo_load_fault(load, "scale_out.latency_ns",
			       "stands for the latency of NICs, switches and cables, too; give it or them");
}

void suo_load_out(struct suo_load *load, const struct suo_raw_out *raw)
{
	struct suo_cluster_out *out = &load->cluster->out;
	const struct suo_profile *p;

	p = suo_load_profile(load, "scale_out.profile", raw->profile, true);
	if (!p)
		return;

	out->profile = p;
	out->nic = suo_load_part(load, "scale_out.nic", raw->nic, SUO_PART_NIC);
	get_count(load, raw);
	out->rate_mbps = suo_load_get(load, "scale_out.rate_gbps", raw->rate_gbps,
				      &suo_load_rate, out->nic ?
				      out->nic->rate_mbps.value :
				      suo_profile_link_mbps(p));
	out->mtu_bytes = suo_load_get(load, "scale_out.mtu_bytes", raw->mtu_bytes,
				      &an_mtu, p->mtu_bytes.value);
	if (out->mtu_bytes & (out->mtu_bytes - 1))
		suo_load_fault(load, "scale_out.mtu_bytes",
			       "'%s' is no path MTU of RoCE: 256, 512, 1024, 2048 or 4096",
			       raw->mtu_bytes);
	suo_load_fabric(load, raw);
	suo_load_congestion(load, raw);
	suo_load_switch(load, raw);
	get_latency(load, raw);
}
