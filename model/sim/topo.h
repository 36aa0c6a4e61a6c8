/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Switches and links, and the ways through them. */
#ifndef SUO_SIM_TOPO_H
#define SUO_SIM_TOPO_H

#include "model/sim/arena.h"
#include "model/sim/config.h"

/* The other end of a link. */
struct suo_peer {
	u32	node;		/* a switch, or a host */
	u16	port;
	bool	is_host;
	u64	hop_ps;
};

/* A switch with its links. */
struct suo_node {
	struct suo_switch	sw;
	struct suo_peer		*peer;
	u16			*route_of;
};

/**
 * struct suo_topo - the network
 * @nodes: switches
 * @node: the switches
 * @hosts: NICs
 * @host: what each NIC is linked to
 * @tiers: of switches
 * @arena: memory of all switches
 */
struct suo_topo {
	u32		nodes;
	struct suo_node	*node;
	u32		hosts;
	struct suo_peer	*host;
	u32		tiers;
	struct suo_arena arena;
};

/**
 * suo_topo_build() - make the switches and links of a simulation
 * @topo: filled in; free it with suo_topo_free(), also after a failure
 * @config: checked; it must outlive the topology
 * @ops: of the switches
 * @owner: of the switches
 *
 * Return: 0 or -ENOMEM.
 */
int suo_topo_build(struct suo_topo *topo, const struct suo_sim_config *config,
		   const struct suo_switch_ops *ops, void *owner);

void suo_topo_free(struct suo_topo *topo);

/* A packet of the largest size there, and its acknowledgment back, all idle. */
u64 suo_topo_rtt_ps(const struct suo_topo *topo, const struct suo_sim_config *config);

#endif /* SUO_SIM_TOPO_H */
