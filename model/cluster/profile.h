/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The catalogue of link generations. */
#ifndef SUO_CLUSTER_PROFILE_H
#define SUO_CLUSTER_PROFILE_H

#include <stdint.h>

enum suo_profile_kind {
	SUO_SCALE_UP,
	SUO_SCALE_OUT,
};

enum suo_provenance {
	SUO_SPEC,	/* read in the named specification or vendor's page */
	SUO_MEASURED,	/* read in the named measurement */
	SUO_ASSUMED,	/* plausible, but nobody has found a source for it */
};

/**
 * struct suo_figure - a number and where it comes from
 * @value: in the unit that the field's name in struct suo_profile says
 * @provenance: enum suo_provenance
 * @source: what was read, or why this is assumed
 */
struct suo_figure {
	uint64_t		value;
	enum suo_provenance	provenance;
	const char		*source;
};

/**
 * struct suo_profile - one link generation
 * @name: as cluster files spell it
 * @title: a line for people
 * @kind: enum suo_profile_kind
 * @links: links (stations, ports, NICs) of an accelerator
 * @link_rate_mbps: raw rate of one link in one direction, Mb/s
 * @latency_ps: one way, endpoint to endpoint, through one switch, picoseconds
 * @max_payload_bytes: scale-up: payload of a link packet
 * @header_bytes: scale-up: framing of a link packet
 * @flit_bytes: scale-up: link packets are padded to multiples of this
 * @mtu_bytes: scale-out: RoCE path MTU
 */
struct suo_profile {
	const char		*name;
	const char		*title;
	enum suo_profile_kind	kind;
	struct suo_figure	links;
	struct suo_figure	link_rate_mbps;
	struct suo_figure	latency_ps;
	struct suo_figure	max_payload_bytes;
	struct suo_figure	header_bytes;
	struct suo_figure	flit_bytes;
	struct suo_figure	mtu_bytes;
};

/* Return: the i-th profile, NULL past the last one. */
const struct suo_profile *suo_profile_get(unsigned int i);

/* Return: the profile of that name, NULL if there is none. */
const struct suo_profile *suo_profile_find(const char *name);

/* For suo_nearest(): profiles of one kind (arg points to it), or all (NULL). */
const char *suo_profile_candidate(unsigned int i, const void *arg);

/* Return: "spec", "measured" or "assumed". */
const char *suo_provenance_name(enum suo_provenance provenance);

#endif /* SUO_CLUSTER_PROFILE_H */
