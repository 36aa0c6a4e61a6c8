/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* suo simulate: its options, and the cluster file as a network to simulate. */
#ifndef SUO_CLI_SIMULATE_H
#define SUO_CLI_SIMULATE_H

#include "model/sim/workload.h"
#include "userspace/cli/cli.h"

/**
 * struct suo_simulate - what was asked for
 * @json: -j, -p
 * @cluster: path of the cluster file, or NULL
 * @config: the network; options override the file
 * @work: the workload
 * @n: senders, hosts or ranks; 0: as many as there are
 * @coll: enum suo_coll
 * @algorithm: of the collective
 * @csv: where the summary goes, or NULL
 * @messages: where a line for each message goes, or NULL
 * @packets: where a line for each step of a packet goes, or NULL
 */
struct suo_simulate {
	struct suo_json_opts	json;
	const char		*cluster;
	struct suo_sim_config	config;
	struct suo_workload	work;
	u32			n;
	int			coll;
	const char		*algorithm;
	const char		*csv;
	const char		*messages;
	const char		*packets;
};

/* Read the options; faults end the program. */
void suo_simulate_parse(struct suo_simulate *s, int argc, char **argv);

/* Take the network from a cluster file. Return: a status. */
int suo_simulate_cluster(const char *path, struct suo_sim_config *config,
			 u32 *flows_per_pair);

/* Names as users spell them: topologies, transports, workloads. */
extern const char *const suo_sim_topology_names[];
extern const char *const suo_sim_transport_names[];
extern const char *const suo_workload_names[];

#endif /* SUO_CLI_SIMULATE_H */
