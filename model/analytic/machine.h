/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What closed forms have to know of a cluster: a few numbers. */
#ifndef SUO_ANALYTIC_MACHINE_H
#define SUO_ANALYTIC_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cluster/cluster.h"

/* Levels of the fabric that a path can climb to; 0: no switch above the leaf. */
#define SUO_MACHINE_LEVELS	SUO_FABRIC_MAX_TIERS

/**
 * struct suo_wire - how bytes travel, and how fast
 * @rate: raw, bytes a microsecond
 * @per_byte: bytes on the wire for one of payload, in whole packets
 * @header: more of each message, for a packet that is not whole
 * @least: of a message
 * @latency_us: one way
 */
struct suo_wire {
	double	rate;
	double	per_byte;
	double	header;
	double	least;
	double	latency_us;
};

/**
 * struct suo_machine - a cluster, for closed forms
 * @ranks: N
 * @domain: g, ranks of a scale-up domain that take part
 * @domains: k
 * @rails: of the scale-out network
 * @up: a scale-up port
 * @up_reduce: the switch reduces
 * @out: an accelerator's share of its NICs, to a peer on the same leaf
 * @level: levels that the fabric has
 * @out_reduce: all of its switches reduce
 * @path_us: latency to a peer that is so many levels up
 * @reach: domains that a level joins
 * @cross: rate that is left where all send so far up, bytes a microsecond on the
 *	wire, by level and quantile; never more than out.rate
 * @ring_cross: the same where only neighbours on a ring do
 * @nic_us: more of a message that shares its NIC: messages a second that NICs make
 * @goodput: share of the rate that is left after losses
 * @loss_us: of a message, for a timeout
 * @launch_us: software, before a collective
 * @step_us: software, of each step
 * @reduce_rate: bytes a microsecond that an accelerator reduces; 0: no limit
 * @jitter_us: deviation of a rank's step
 */
struct suo_machine {
	double		ranks;
	double		domain;
	double		domains;
	double		rails;
	struct suo_wire	up;
	bool		up_reduce;
	struct suo_wire	out;
	unsigned int	levels;
	bool		out_reduce;
	double		path_us[SUO_MACHINE_LEVELS];
	double		reach[SUO_MACHINE_LEVELS];
	double		cross[SUO_MACHINE_LEVELS];
	double		ring_cross[SUO_MACHINE_LEVELS];
	double		nic_us;
	double		goodput;
	double		loss_us;
	double		launch_us;
	double		step_us;
	double		reduce_rate;
	double		jitter_us;
};

/**
 * suo_machine_init() - reckon up a cluster
 * @machine: where it goes
 * @cluster: the cluster
 * @ranks: how many take part, whole domains or a part of one; 0: all
 * @quantile: of chance: hash collisions; 0.5 for the median
 *
 * Return: 0, or -EINVAL if so many ranks cannot take part.
 */
int suo_machine_init(struct suo_machine *machine,
		     const struct suo_cluster *cluster, uint32_t ranks,
		     double quantile);

/* The level of the fabric at which domains at a distance meet. */
unsigned int suo_machine_level(const struct suo_machine *machine, double distance);

/*
 * Mean latency of the hops of a ring of all domains, which is what a part that goes
 * all the way round sees: of as many hops as a level joins domains, one leaves it.
 */
double suo_machine_ring_path_us(const struct suo_machine *machine);

#endif /* SUO_ANALYTIC_MACHINE_H */
