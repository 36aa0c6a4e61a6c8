/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scale-out network of a cluster file, as the simulator and suo-switch have it. */
#ifndef SUO_SIM_CONFIG_CLUSTER_H
#define SUO_SIM_CONFIG_CLUSTER_H

#include "model/cluster/cluster.h"
#include "model/sim/config.h"

/**
 * suo_sim_config_cluster() - take switches, links and classes from a cluster
 * @config: has been through suo_sim_config_init(); host h is NIC h, numbered host by host
 * @cluster: the cluster
 * @why: where the reason goes
 * @size: bytes of room for it
 *
 * What is left is how hosts work together: domains, transport.
 *
 * Return: 0, or -EINVAL when there is no such network here.
 */
int suo_sim_config_cluster(struct suo_sim_config *config, const struct suo_cluster *cluster,
			   char *why, size_t size);

#endif /* SUO_SIM_CONFIG_CLUSTER_H */
