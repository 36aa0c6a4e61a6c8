/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is simulated: the network, its transport and how it is driven. */
#ifndef SUO_SIM_CONFIG_H
#define SUO_SIM_CONFIG_H

#include "model/core/cc.h"
#include "model/core/link.h"
#include "model/sim/switch.h"

#define SUO_SIM_MAX_HOSTS	65535u
#define SUO_SIM_MAX_TRAIN	1024u
#define SUO_SIM_TIERS		3
/* Timeouts of a flow, each twice as long as the one before, until it has failed. */
#define SUO_SIM_RETRIES		7u

enum suo_sim_topology {
	SUO_SIM_SINGLE,	/* one switch */
	SUO_SIM_LEAF_SPINE,
	SUO_SIM_RAIL,		/* leaf-spine; a leaf has hosts of one rail only */
	SUO_SIM_FAT_TREE,	/* three tiers of switches of k ports: k^3 / 4 hosts */
	SUO_SIM_TOPOLOGIES,
};

enum suo_sim_transport {
	SUO_SIM_ROCE,	/* RC: go-back-N, a rate or a window, one path for each flow */
	SUO_SIM_SELECTIVE,	/* RC whose receiver takes packets in any order, and
				 * whose sender repeats only what was lost */
	SUO_SIM_PULL,	/* packets sprayed, trimmed, pulled by the receiver */
	SUO_SIM_TRANSPORTS,
};

/**
 * struct suo_sim_tier - the switches of one level and the links below them
 * @rate_mbps: of a link
 * @hop_ps: latency of a link
 * @switch_ps: of a switch, from a packet's arrival until it is in its queue
 * @buffer_bytes: shared buffer of a switch for each of its ports
 */
struct suo_sim_tier {
	u64	rate_mbps;
	u64	hop_ps;
	u64	switch_ps;
	u64	buffer_bytes;
};

/**
 * struct suo_sim_config - a simulation
 * @topology: enum suo_sim_topology
 * @hosts: each with one NIC
 * @hosts_per_leaf: leaf-spine and rail
 * @spines: leaf-spine and rail
 * @spine_links: from each leaf to each of them
 * @rails: rail: host h has rail h modulo rails
 * @domain_size: hosts that share a scale-up domain; 1: there are none. Host h is in
 *	domain h / domain_size.
 * @up: law of an accelerator's port to its domain
 * @tier: from the NICs upwards
 * @nic_ps: from the arrival of a packet at a NIC until it is dealt with
 * @sw: law of all switches
 * @same_seed: all switches hash alike: polarisation
 * @transport: enum suo_sim_transport
 * @mtu_bytes: RoCE path MTU
 * @train: packets that are sent as one, cut through the switches
 * @ack_every: an acknowledgment for so many trains, and for the last of a message
 * @prio: priority of data
 * @ack_prio: of acknowledgments
 * @ctl_prio: of CNPs, credits and trimmed packets
 * @cc: algorithm of congestion control
 * @cc_law: its parameters
 * @rto_ps: a sender that hears of no progress for so long sends again
 * @seed: of all random numbers
 */
struct suo_sim_config {
	u32			topology;
	u32			hosts;
	u32			hosts_per_leaf;
	u32			spines;
	u32			spine_links;
	u32			rails;
	u32			domain_size;
	struct suo_link_law	up;
	struct suo_sim_tier	tier[SUO_SIM_TIERS];
	u64			nic_ps;
	struct suo_switch_law	sw;
	bool			same_seed;
	u32			transport;
	u32			mtu_bytes;
	u32			train;
	u32			ack_every;
	u32			prio;
	u32			ack_prio;
	u32			ctl_prio;
	const struct suo_cc_ops	*cc;
	struct suo_cc_law	cc_law;
	u64			rto_ps;
	u64			seed;
};

/**
 * suo_sim_config_init() - a plausible network
 * @config: filled in
 * @rate_mbps: of all links
 *
 * 32 hosts at one switch with RoCEv2 over lossless Ethernet: MTU 4096, links and
 * switches of 500 ns, PFC on priority 3 by dynamic thresholds with headroom after
 * suo_pfc_late_bytes(), no marking, no congestion control.
 */
void suo_sim_config_init(struct suo_sim_config *config, u64 rate_mbps);

/* Set up the classes for PFC or without, with marking or without. */
void suo_sim_config_lossless(struct suo_sim_config *config, bool lossless);
/*
 * For classes whose headroom is for single packets, as a cluster file has it: room for
 * trains, which a pause lets pass whole as it does packets.
 */
void suo_sim_config_trains(struct suo_sim_config *config);
void suo_sim_config_ecn(struct suo_sim_config *config, u64 kmin_bytes,
			u64 kmax_bytes, u32 pmax_ppm);

/* The receiver-driven transport: sprayed, trimmed, lossy. */
void suo_sim_config_pull(struct suo_sim_config *config);

/**
 * suo_sim_config_check() - is there such a network?
 * @config: the simulation
 * @why: where the reason goes
 * @size: bytes of room for it
 *
 * Return: 0 or -EINVAL.
 */
int suo_sim_config_check(const struct suo_sim_config *config, char *why, size_t size);

/* Bytes of a frame of so many payload bytes: contracts.rst, without the gap. */
u32 suo_sim_frame_bytes(u32 payload_bytes);

#endif /* SUO_SIM_CONFIG_H */
