/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scale-out network: tiers of switches, cables, and what they do under load. */
#ifndef SUO_CLUSTER_FABRIC_H
#define SUO_CLUSTER_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cluster/part.h"
#include "model/core/dcqcn.h"
#include "model/core/ecmp.h"

#define SUO_FABRIC_MAX_TIERS	4
#define SUO_FABRIC_MAX_DIMS	6

enum suo_topology {
	SUO_TOPOLOGY_SINGLE,		/* one switch, large enough */
	SUO_TOPOLOGY_LEAF_SPINE,
	SUO_TOPOLOGY_RAIL,		/* rail-optimised leaf-spine */
	SUO_TOPOLOGY_FAT_TREE,		/* three tiers */
	SUO_TOPOLOGY_TORUS,		/* no switches; endpoints pass on */
	SUO_TOPOLOGY_TIERS,		/* as the file lists them */
	SUO_TOPOLOGIES,
};

/* As the switches of model/sim take them. */
enum suo_balancing {
	SUO_BALANCE_ECMP	= SUO_ECMP_HASH,	/* a path for each flow, by its hash */
	SUO_BALANCE_SPRAY	= SUO_ECMP_SPRAY,	/* a path for each packet, in turn */
	SUO_BALANCE_ADAPTIVE	= SUO_ECMP_ADAPTIVE,	/* for each packet, the emptiest */
	SUO_BALANCES		= SUO_ECMP_MODES,
};

enum suo_transport_retry {
	SUO_RETRY_GBN,		/* go back to the lost packet: RoCE */
	SUO_RETRY_SR,		/* repeat it alone */
	SUO_TRANSPORT_RETRIES,
};

/**
 * struct suo_tier - the switches of one level, all the same
 * @name: "leaf", "spine", "core" or as in the file
 * @sw: the chip, or NULL: the profile's figures
 * @cable: below these switches, or NULL
 * @count: number of switches
 * @radix: ports of each, at the rate of the links below
 * @down: of these, to the tier below (of the first tier: to NICs)
 * @up: to the tier above; 0 in the last one
 * @oversub_milli: rate from below over rate to above, in thousandths; 1000 where
 *	there is no tier above
 * @rate_mbps: of a link to the tier below
 * @up_rate_mbps: of a link to the tier above
 * @switch_ps: latency of a switch
 * @fec_ps: of error correction on a link below
 * @propagation_ps: cable and optics of a link below
 * @length_mm: of that cable
 * @buffer_bytes: of a switch, all ports
 * @reach: NICs of a rail that reach each other without a tier above
 * @reduce: it can reduce in the network
 */
struct suo_tier {
	char			name[32];
	const struct suo_part	*sw;
	const struct suo_part	*cable;
	uint32_t		count;
	uint32_t		radix;
	uint32_t		down;
	uint32_t		up;
	uint32_t		oversub_milli;
	uint64_t		rate_mbps;
	uint64_t		up_rate_mbps;
	uint64_t		switch_ps;
	uint64_t		fec_ps;
	uint64_t		propagation_ps;
	uint64_t		length_mm;
	uint64_t		buffer_bytes;
	uint64_t		reach;
	bool			reduce;
};

/**
 * struct suo_fabric - switches and cables
 * @topology: enum suo_topology
 * @tier: from the NICs upwards
 * @ntiers: 0 for a torus
 * @endpoints: NIC ports in all
 * @rails: leaf groups, each with one NIC of each host; 1 if not rail-optimised
 * @dim: torus: accelerators in each dimension
 * @ndims: of a torus
 * @torus_link_ps: torus: FEC and cable of a hop
 * @torus_pass_ps: torus: an accelerator passes a packet on
 * @balancing: enum suo_balancing
 * @queue_pairs: flows of each pair of ranks
 * @seed: of ECMP's hashes
 */
struct suo_fabric {
	enum suo_topology	topology;
	struct suo_tier		tier[SUO_FABRIC_MAX_TIERS];
	uint32_t		ntiers;
	uint64_t		endpoints;
	uint32_t		rails;
	uint32_t		dim[SUO_FABRIC_MAX_DIMS];
	uint32_t		ndims;
	uint64_t		torus_link_ps;
	uint64_t		torus_pass_ps;
	enum suo_balancing	balancing;
	uint32_t		queue_pairs;
	uint64_t		seed;
};

/**
 * struct suo_congestion - what happens when more is sent than a link can carry
 * @lossless: PFC pauses senders; or else a full queue drops
 * @ecn: queues mark
 * @kmin_bytes: no packet is marked below
 * @kmax_bytes: every packet is marked above
 * @pmax_milli: share of packets marked at kmax, in thousandths
 * @xoff_bytes: queue of an ingress port that pauses its sender
 * @xon_bytes: and lets it go on
 * @headroom_bytes: room for what is on its way after a pause; 0: by the formula of
 *	suo_pfc_late_bytes()
 * @dcqcn_on: senders react to marks
 * @dcqcn: how
 * @loss_per_peta: packets that are lost without congestion, of 10^15
 * @reorder_pkts: so many packets that have overtaken others are kept by a NIC
 * @retry: enum suo_transport_retry
 * @rto_ps: the transport's timeout
 */
struct suo_congestion {
	bool				lossless;
	bool				ecn;
	uint64_t			kmin_bytes;
	uint64_t			kmax_bytes;
	uint32_t			pmax_milli;
	uint64_t			xoff_bytes;
	uint64_t			xon_bytes;
	uint64_t			headroom_bytes;
	bool				dcqcn_on;
	struct suo_dcqcn_law		dcqcn;
	uint64_t			loss_per_peta;
	uint32_t			reorder_pkts;
	enum suo_transport_retry	retry;
	uint64_t			rto_ps;
};

struct suo_cluster;

/**
 * suo_fabric_path_ps() - latency over part of the fabric
 * @cluster: the cluster
 * @tiers: levels that the path climbs, 1 to fabric.ntiers
 *
 * Return: picoseconds from NIC to NIC over 2 tiers - 1 switches, both NICs
 * included; the whole latency where the file gives one, or it is a torus.
 */
uint64_t suo_fabric_path_ps(const struct suo_cluster *cluster, uint32_t tiers);

/* "leaf-spine" and so on; "ecmp" and so on; "gbn" or "sr". */
extern const char *const suo_topology_names[];
extern const char *const suo_balancing_names[];
extern const char *const suo_transport_retry_names[];

#endif /* SUO_CLUSTER_FABRIC_H */
