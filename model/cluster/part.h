/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The catalogue of parts: switch chips, NICs, cables with their optics. */
#ifndef SUO_CLUSTER_PART_H
#define SUO_CLUSTER_PART_H

#include "model/cluster/profile.h"

enum suo_part_kind {
	SUO_PART_SWITCH,
	SUO_PART_NIC,
	SUO_PART_CABLE,
	SUO_PART_KINDS,
};

/**
 * struct suo_part - a part that can be bought
 * @name: as cluster files spell it
 * @title: a line for people
 * @kind: enum suo_part_kind; it decides which figures are there
 * @capacity_mbps: switch: all ports together, one direction
 * @rate_mbps: fastest port of a switch; a NIC, all its ports together; what a
 *	cable carries; one direction
 * @ports: switch: most ports of any rate
 * @buffer_bytes: switch: packet memory, shared by its ports
 * @latency_ps: switch: port to port, cut-through; NIC: both ends of a path
 *	together, from a send posted to its completion seen, without the wire; cable:
 *	electronics and optics of both ends together
 * @reduce: switch: 1 if it can reduce in the network
 * @host_mbps: NIC: of its host interface, one direction
 * @kmessages: NIC: messages a second, in thousands
 * @fec_ps: cable: error correction, both ends together
 * @ps_per_m: cable: propagation, a metre
 * @reach_m: cable: the longest one
 * @errors_per_pbit: cable: bit errors that are left after error correction
 * @power_mw: cable: both ends together
 */
struct suo_part {
	const char		*name;
	const char		*title;
	enum suo_part_kind	kind;
	struct suo_figure	capacity_mbps;
	struct suo_figure	rate_mbps;
	struct suo_figure	ports;
	struct suo_figure	buffer_bytes;
	struct suo_figure	latency_ps;
	struct suo_figure	reduce;
	struct suo_figure	host_mbps;
	struct suo_figure	kmessages;
	struct suo_figure	fec_ps;
	struct suo_figure	ps_per_m;
	struct suo_figure	reach_m;
	struct suo_figure	errors_per_pbit;
	struct suo_figure	power_mw;
};

/* Return: the i-th part, NULL past the last one. */
const struct suo_part *suo_part_get(unsigned int i);

/* Return: the part of that name, NULL if there is none. */
const struct suo_part *suo_part_find(const char *name);

/**
 * suo_part_figure() - the figures that a part has
 * @part: the part
 * @i: which one, from 0
 * @name: where its name goes
 *
 * Return: the figure, NULL past the last one.
 */
const struct suo_figure *suo_part_figure(const struct suo_part *part,
					 unsigned int i, const char **name);

/* The longest cable that a cluster file can have: 100 km. */
#define SUO_MAX_LENGTH_MM	100000000ull

/* Latency of a cable with its electronics, without FEC; NULL: a bare one, 5 ns/m. */
uint64_t suo_cable_ps(const struct suo_part *cable, uint64_t length_mm);

/* For suo_nearest(): parts of *(enum suo_part_kind *)arg; of any kind if NULL. */
const char *suo_part_candidate(unsigned int i, const void *arg);

/* Return: "switch", "nic" or "cable". */
const char *suo_part_kind_name(enum suo_part_kind kind);

#endif /* SUO_CLUSTER_PART_H */
