// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A switch's ports down come first, its ports up follow. A destination below is
 * reached by one port, any other by all ports up.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/sim/topo.h"

static u16 port_number[SUO_SWITCH_MAX_PORTS];

/*
 * Give a switch its ports; those down are @width for each way. Return: 0 or -ENOMEM.
 */
static int add_ports(struct suo_topo *topo, u32 id, u32 tier, u32 ways, u32 width,
		     u32 up, const struct suo_sim_config *config)
{
	struct suo_node *node = &topo->node[id];
	const struct suo_sim_tier *t = &config->tier[tier];
	struct suo_switch *sw = &node->sw;
	u32 down = ways * width;
	u32 ports = down + up, routes;

	sw->id = id;
	sw->latency_ps = t->switch_ps;
	sw->nports = ports;
	sw->dsts = config->hosts;
	sw->seed = suo_ecmp_hash_u64(config->same_seed ? 0 : id, config->seed);
	sw->random = suo_ecmp_hash_u64(id, config->seed + 1);
	sw->pool.size_bytes = t->buffer_bytes * ports;
	sw->port = suo_arena_get(&topo->arena, ports, sizeof(*sw->port));
	sw->direct = width == 1 ? ways : 0;
	routes = ways - sw->direct + 1;
	sw->route = suo_arena_get(&topo->arena, routes, sizeof(*sw->route));
	node->route_of = suo_arena_get(&topo->arena, config->hosts,
				       sizeof(*node->route_of));
	node->peer = suo_arena_get(&topo->arena, ports, sizeof(*node->peer));
	if (!sw->port || !sw->route || !node->route_of || !node->peer)
		return -ENOMEM;

	sw->route_of = node->route_of;
	for (u32 i = 0; i < routes; i++) {
		sw->route[i].ports = i + 1 < routes ? width : up;
		sw->route[i].port = &port_number[(i + sw->direct) * width];
		sw->route[i].spray.random = suo_ecmp_hash_u64(i, sw->seed + 2);
	}
	for (u32 i = 0; i < config->hosts; i++)
		node->route_of[i] = up ? ways : UINT16_MAX;
	for (u32 i = 0; i < ports; i++)
		suo_switch_port_init(sw, i, i < down ? t->rate_mbps : t[1].rate_mbps);
	return 0;
}

static void link_host(struct suo_topo *topo, u32 host, u32 node, u32 port,
		      const struct suo_sim_config *config)
{
	struct suo_node *n = &topo->node[node];

	n->peer[port] = (struct suo_peer){ host, 0, true, config->tier[0].hop_ps };
	n->route_of[host] = port;
	topo->host[host] = (struct suo_peer){
		node, port, false, config->tier[0].hop_ps
	};
}

static void link_nodes(struct suo_topo *topo, u32 low, u32 up_port, u32 high,
		       u32 down_port, u64 hop_ps)
{
	topo->node[low].peer[up_port] =
		(struct suo_peer){ high, down_port, false, hop_ps };
	topo->node[high].peer[down_port] =
		(struct suo_peer){ low, up_port, false, hop_ps };
}

static int build_single(struct suo_topo *topo, const struct suo_sim_config *config)
{
	int ret = add_ports(topo, 0, 0, config->hosts, 1, 0, config);

	for (u32 h = 0; h < config->hosts && !ret; h++)
		link_host(topo, h, 0, h, config);
	topo->tiers = 1;
	return ret;
}

/* Leaves of one rail are numbered one after the other, rail by rail. */
static u32 leaf_of(const struct suo_sim_config *config, u32 host, u32 *port)
{
	u32 rails = config->topology == SUO_SIM_RAIL ? config->rails : 1;
	u32 of_rail = config->hosts / rails;
	u32 per_rail = (of_rail + config->hosts_per_leaf - 1) /
		       config->hosts_per_leaf;

	*port = host / rails % config->hosts_per_leaf;
	return host % rails * per_rail + host / rails / config->hosts_per_leaf;
}

static u32 count_leaves(const struct suo_sim_config *config)
{
	u32 port;

	return leaf_of(config, config->hosts - 1, &port) + 1;
}

static int build_leaf_spine(struct suo_topo *topo, const struct suo_sim_config *config)
{
	u32 spines = config->spines, leaves = topo->nodes - spines;
	u32 down = config->hosts_per_leaf, width = config->spine_links;
	int ret = 0;

	for (u32 l = 0; l < leaves && !ret; l++)
		ret = add_ports(topo, l, 0, down, 1, spines * width, config);
	for (u32 s = 0; s < spines && !ret; s++)
		ret = add_ports(topo, leaves + s, 1, leaves, width, 0, config);
	if (ret)
		return ret;

	for (u32 l = 0; l < leaves; l++)
		for (u32 i = 0; i < spines * width; i++)
			link_nodes(topo, l, down + i, leaves + i / width,
				   l * width + i % width, config->tier[1].hop_ps);
	for (u32 h = 0; h < config->hosts; h++) {
		u32 port, leaf = leaf_of(config, h, &port);

		link_host(topo, h, leaf, port, config);
		for (u32 s = 0; s < spines; s++)
			topo->node[leaves + s].route_of[h] = leaf;
	}
	topo->tiers = 2;
	return 0;
}

static u32 fat_tree_ports(const struct suo_sim_config *config)
{
	u32 k = 2;

	while (k * k * k / 4 < config->hosts)
		k += 2;
	return k;
}

/*
 * Al-Fares, Loukissas and Vahdat, "A scalable, commodity data center network
 * architecture", 2008: k pods of k/2 edge and k/2 aggregation switches; aggregation
 * switch a of each pod is linked to cores a k/2 ... a k/2 + k/2 - 1.
 */
static int build_fat_tree(struct suo_topo *topo, const struct suo_sim_config *config)
{
	u32 k = fat_tree_ports(config), half = k / 2;
	u32 aggs = k * half, cores = 2 * aggs;
	int ret = 0;

	for (u32 i = 0; i < topo->nodes && !ret; i++)
		ret = add_ports(topo, i, i < aggs ? 0 : i < cores ? 1 : 2,
				i < cores ? half : k, 1, i < cores ? half : 0, config);
	if (ret)
		return ret;

	for (u32 pod = 0; pod < k; pod++)
		for (u32 a = 0; a < half; a++)
			for (u32 i = 0; i < half; i++) {
				link_nodes(topo, pod * half + i, half + a,
					   aggs + pod * half + a, i,
					   config->tier[1].hop_ps);
				link_nodes(topo, aggs + pod * half + a, half + i,
					   cores + a * half + i, pod,
					   config->tier[2].hop_ps);
			}
	for (u32 h = 0; h < config->hosts; h++) {
		u32 edge = h / half, pod = edge / half;

		link_host(topo, h, edge, h % half, config);
		for (u32 a = 0; a < half; a++)
			topo->node[aggs + pod * half + a].route_of[h] = edge % half;
		for (u32 c = cores; c < topo->nodes; c++)
			topo->node[c].route_of[h] = pod;
	}
	topo->tiers = 3;
	return 0;
}

int suo_topo_build(struct suo_topo *topo, const struct suo_sim_config *config,
		   const struct suo_switch_ops *ops, void *owner)
{
	u32 k = fat_tree_ports(config);

	for (u32 i = 0; i < SUO_SWITCH_MAX_PORTS; i++)
		port_number[i] = i;
	*topo = (struct suo_topo){ .hosts = config->hosts };
	switch (config->topology) {
	case SUO_SIM_SINGLE:
		topo->nodes = 1;
		break;
	case SUO_SIM_FAT_TREE:
		topo->nodes = k * k + k * k / 4;
		break;
	default:
		topo->nodes = count_leaves(config) + config->spines;
		break;
	}

	topo->host = calloc(config->hosts, sizeof(*topo->host));
	topo->node = calloc(topo->nodes, sizeof(*topo->node));
	if (!topo->host || !topo->node)
		return -ENOMEM;
	for (u32 i = 0; i < topo->nodes; i++) {
		topo->node[i].sw.law = &config->sw;
		topo->node[i].sw.ops = ops;
		topo->node[i].sw.owner = owner;
	}
	switch (config->topology) {
	case SUO_SIM_SINGLE:
		return build_single(topo, config);
	case SUO_SIM_FAT_TREE:
		return build_fat_tree(topo, config);
	default:
		return build_leaf_spine(topo, config);
	}
}

void suo_topo_free(struct suo_topo *topo)
{
	suo_arena_free(&topo->arena);
	free(topo->node);
	free(topo->host);
	*topo = (struct suo_topo){ 0 };
}

u64 suo_topo_rtt_ps(const struct suo_topo *topo, const struct suo_sim_config *config)
{
	u64 both = suo_sim_frame_bytes(config->mtu_bytes) + suo_sim_frame_bytes(4) +
		   2 * SUO_SWITCH_GAP_BYTES;
	u64 rtt_ps = 2 * config->nic_ps;

	/* Up and down again; the switch at the top is passed once. */
	for (u32 t = 0; t < topo->tiers; t++) {
		const struct suo_sim_tier *tier = &config->tier[t];

		rtt_ps += 4 * tier->hop_ps + 2 * both * 8000000 / tier->rate_mbps;
		rtt_ps += (t + 1 < topo->tiers ? 4 : 2) * tier->switch_ps;
	}
	return rtt_ps;
}
