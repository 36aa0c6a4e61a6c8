// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A cluster file as a network to simulate: each accelerator is a host with its NIC. */
#include <inttypes.h>

#include "model/sim/config_cluster.h"
#include "userspace/cli/simulate.h"

static int set_all(const char *path, const struct suo_cluster *cluster,
		   struct suo_sim_config *config, u32 *flows_per_pair)
{
	const struct suo_cluster_out *out = &cluster->out;
	char why[160];

	if (out->host_nics != cluster->accels)
		return suo_error(SUO_USAGE, "%s: section 'scale_out': %" PRIu32
				 " NICs of a host for %" PRIu32
				 " accelerators: only one for each is simulated",
				 path, out->host_nics, cluster->accels);
	if (out->congestion.loss_per_peta)
		return suo_error(SUO_USAGE, "%s: key 'scale_out.loss_rate': losses without congestion are not simulated",
				 path);
	if (suo_sim_config_cluster(config, cluster, why, sizeof(why)))
		return suo_error(SUO_USAGE, "%s: %s", path, why);
	config->domain_size = suo_cluster_domain_size(cluster);
	config->up = cluster->up;
	config->transport = out->congestion.retry == SUO_RETRY_SR ? SUO_SIM_SELECTIVE :
								    SUO_SIM_ROCE;
	*flows_per_pair = out->fabric.queue_pairs ? out->fabric.queue_pairs : 1;
	return SUO_OK;
}

int suo_simulate_cluster(const char *path, struct suo_sim_config *config,
			 u32 *flows_per_pair)
{
	struct suo_cluster *cluster;
	int status;

	status = suo_load_cluster(path, &cluster);
	if (status)
		return status;
	status = set_all(path, cluster, config, flows_per_pair);
	suo_cluster_free(cluster);
	return status;
}
