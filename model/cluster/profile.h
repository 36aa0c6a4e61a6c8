/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The catalogue of link generations. */
#ifndef SUO_CLUSTER_PROFILE_H
#define SUO_CLUSTER_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

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
 * @links: links (stations, ports, NICs) of an accelerator
 * @lanes: lanes of a link
 * @lane_rate_mbps: raw rate of a lane in one direction, Mb/s
 * @buffer_bytes: of a link; a port has as many times more as its rate is more
 * @credit_bytes: of a link, likewise
 * @reduce: 1 if its switches can reduce what they are sent
 * @mtu_bytes: RoCE path MTU, of those that can be a scale-out network; or no
 *	source
 *
 * The other fields are those of struct suo_link_law. Every profile can be that of
 * a scale-up domain.
 */
struct suo_profile {
	const char		*name;
	const char		*title;
	struct suo_figure	links;
	struct suo_figure	lanes;
	struct suo_figure	lane_rate_mbps;
	struct suo_figure	endpoint_ps;
	struct suo_figure	stages;
	struct suo_figure	switch_ps;
	struct suo_figure	fec_ps;
	struct suo_figure	propagation_ps;
	struct suo_figure	max_payload_bytes;
	struct suo_figure	header_bytes;
	struct suo_figure	flit_bytes;
	struct suo_figure	min_packet_bytes;
	struct suo_figure	frame_bytes;
	struct suo_figure	frame_payload_bytes;
	struct suo_figure	buffer_bytes;
	struct suo_figure	credit_bytes;
	struct suo_figure	credit_rtt_ps;
	struct suo_figure	errors_per_pbit;
	struct suo_figure	retry;
	struct suo_figure	retry_ps;
	struct suo_figure	reduce;
	struct suo_figure	mtu_bytes;
};

/* Return: the i-th profile, NULL past the last one. */
const struct suo_profile *suo_profile_get(unsigned int i);

/* Return: the profile of that name, NULL if there is none. */
const struct suo_profile *suo_profile_find(const char *name);

/* Can it be the scale-out network, too? */
static inline bool suo_profile_is_out(const struct suo_profile *profile)
{
	return profile->mtu_bytes.source;
}

/* Do its switches reduce in the network? */
static inline bool suo_profile_reduces(const struct suo_profile *profile)
{
	return profile->reduce.value;
}

/* Return: raw rate of a link, Mb/s. */
static inline uint64_t suo_profile_link_mbps(const struct suo_profile *profile)
{
	return profile->lanes.value * profile->lane_rate_mbps.value;
}

/* Return: one way from port to port, picoseconds. */
uint64_t suo_profile_latency_ps(const struct suo_profile *profile);

/* For suo_nearest(): scale-out networks (arg is not NULL), or all profiles. */
const char *suo_profile_candidate(unsigned int i, const void *arg);

/* Return: "spec", "measured" or "assumed". */
const char *suo_provenance_name(enum suo_provenance provenance);

#endif /* SUO_CLUSTER_PROFILE_H */
