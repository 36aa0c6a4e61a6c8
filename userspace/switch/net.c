// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The switches, their ports and the cables of a cluster file, with their names. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "model/sim/config_cluster.h"
#include "userspace/switch/switchd.h"

int swd_error(int ret, const char *fmt, ...)
{
	va_list ap;

	fputs("Error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return ret;
}

static int make_config(struct swd *s)
{
	const struct suo_policy *policy = &s->cluster->out.policy;
	const char *path = s->opts.cluster;
	char why[160];

	suo_sim_config_init(&s->config, s->cluster->out.rate_mbps);
	if (suo_sim_config_cluster(&s->config, s->cluster, why, sizeof(why)))
		return swd_error(-EINVAL, "%s: %s", path, why);
	s->config.seed = s->opts.seed_given ? s->opts.seed : s->cluster->out.fabric.seed;
	/* A fat tree may have ports that nothing is linked to. */
	if (s->config.topology != SUO_SIM_FAT_TREE &&
	    suo_sim_config_check(&s->config, why, sizeof(why)))
		return swd_error(-EINVAL, "%s: %s", path, why);
	memcpy(s->dscp_prio, policy->dscp_prio, sizeof(s->dscp_prio));
	s->mtu_bytes = policy->mtu_bytes;
	s->trim_dscp = policy->trim_dscp;
	s->watchdog = policy->watchdog;
	s->watchdog_poll_ps = policy->watchdog_poll_ps;
	return 0;
}

/* Tiers are numbered one after the other, from the NICs upwards. */
static u32 tier_of(const struct swd *s, u32 node)
{
	const struct suo_topo *topo = &s->topo;
	u32 edge = 0;

	if (topo->tiers == 1)
		return 0;
	if (topo->tiers == 2)
		return node >= topo->nodes - s->config.spines;
	/* k^2/2 edge, k^2/2 aggregation and k^2/4 core switches. */
	edge = topo->nodes * 2 / 5;
	return node < edge ? 0 : node < 2 * edge ? 1 : 2;
}

static int name_nodes(struct swd *s)
{
	u32 of_tier[SUO_SIM_TIERS] = { 0 };

	s->nodes = s->topo.nodes;
	s->node = calloc(s->nodes, sizeof(*s->node));
	if (!s->node)
		return -ENOMEM;
	for (u32 i = 0; i < s->nodes; i++) {
		struct swd_node *node = &s->node[i];
		u32 tier = tier_of(s, i);

		node->sw = &s->topo.node[i].sw;
		node->tier = s->cluster->out.fabric.tier[tier].name;
		snprintf(node->name, sizeof(node->name), "%s%u", node->tier,
			 of_tier[tier]++);
		node->ifs = calloc(node->sw->nports, sizeof(*node->ifs));
		if (!node->ifs)
			return -ENOMEM;
		for (u32 p = 0; p < node->sw->nports; p++)
			snprintf(node->ifs[p].name, sizeof(node->ifs[p].name),
				 "Ethernet%u", p);
	}
	return 0;
}

static void end_name(const struct swd *s, const struct swd_end *end, char *name,
		     size_t size)
{
	u32 nics = s->cluster->out.host_nics;

	if (end->endpoint)
		snprintf(name, size, "h%u:nic%u", end->node / nics, end->node % nics);
	else
		snprintf(name, size, "%s:%s", s->node[end->node].name,
			 s->node[end->node].ifs[end->port].name);
}

static void add_link(struct swd *s, struct swd_end a, struct swd_end b, u64 hop_ps)
{
	struct swd_link *link = &s->link[s->links];

	link->id = s->links++;
	link->hop_ps = hop_ps;
	link->end[0] = a;
	link->end[1] = b;
	for (u32 side = 0; side < 2; side++)
		end_name(s, &link->end[side], link->end_name[side],
			 sizeof(link->end_name[side]));
	snprintf(link->name, sizeof(link->name), "%s-%s", link->end_name[0],
		 link->end_name[1]);
	for (u32 side = 0; side < 2; side++) {
		const struct swd_end *end = &link->end[side];
		struct swd_if *ifp;

		if (end->endpoint)
			continue;
		ifp = &s->node[end->node].ifs[end->port];
		ifp->link = link;
		ifp->side = side;
		strcpy(ifp->peer, link->end_name[!side]);
	}
}

/* A port that nothing is linked to has a peer of zeroes: its link cannot be real. */
static bool is_linked(const struct swd *s, u32 node, u32 port)
{
	const struct suo_peer *peer = &s->topo.node[node].peer[port], *back;

	if (peer->is_host)
		return true;
	back = &s->topo.node[peer->node].peer[peer->port];
	return !back->is_host && back->node == node && back->port == port &&
	       peer->node != node;
}

static int make_links(struct swd *s)
{
	u32 most = s->topo.hosts;

	for (u32 i = 0; i < s->nodes; i++)
		most += s->node[i].sw->nports;
	s->link = calloc(most, sizeof(*s->link));
	if (!s->link)
		return -ENOMEM;
	for (u32 e = 0; e < s->topo.hosts; e++) {
		const struct suo_peer *peer = &s->topo.host[e];

		add_link(s, (struct swd_end){ true, e, 0 },
			 (struct swd_end){ false, peer->node, peer->port }, peer->hop_ps);
	}
	for (u32 i = 0; i < s->nodes; i++)
		for (u32 p = 0; p < s->node[i].sw->nports; p++) {
			const struct suo_peer *peer = &s->topo.node[i].peer[p];

			if (peer->is_host || !is_linked(s, i, p) || peer->node < i)
				continue;
			add_link(s, (struct swd_end){ false, i, p },
				 (struct swd_end){ false, peer->node, peer->port },
				 peer->hop_ps);
		}
	return 0;
}

int swd_net_init(struct swd *s)
{
	int ret;

	ret = make_config(s);
	if (ret)
		return ret;
	ret = suo_topo_build(&s->topo, &s->config, &swd_switch_ops, s);
	if (!ret)
		ret = name_nodes(s);
	if (!ret)
		ret = make_links(s);
	return ret ? swd_error(ret, "not enough memory") : 0;
}

void swd_net_free(struct swd *s)
{
	for (u32 i = 0; s->node && i < s->nodes; i++)
		free(s->node[i].ifs);
	free(s->node);
	free(s->link);
	suo_topo_free(&s->topo);
}
