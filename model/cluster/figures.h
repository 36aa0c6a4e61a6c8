/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the files of the catalogue write their figures. One without a primary source
 * is marked as assumed until somebody finds one; a cluster file can override every
 * figure.
 */
#ifndef SUO_CLUSTER_FIGURES_H
#define SUO_CLUSTER_FIGURES_H

#include "model/cluster/part.h"
#include "model/cluster/profile.h"
#include "model/core/link.h"

#define SPEC(v, s)	{ .value = (v), .provenance = SUO_SPEC, .source = (s) }
#define MEASURED(v, s)	{ .value = (v), .provenance = SUO_MEASURED, .source = (s) }
#define ASSUMED(v, s)	{ .value = (v), .provenance = SUO_ASSUMED, .source = (s) }

#define NS(n)		((n) * 1000ull)
#define GBPS(n)		((n) * 1000ull)
#define KIB(n)		((n) * 1024ull)

#define UNREAD		"widely quoted; no primary source was read"
#define CABLE_SOURCE	"5 ns/m in copper or fibre, 1 m within a rack"
#define CREDIT_SOURCE	"half as much again as the link carries until a credit is back, so that credits alone hold nobody up"
#define ROUND_TRIP	"there and back over one hop, FEC and cable included"

/* Errors would make figures differ from run to run for no visible reason. */
#define NO_ERRORS							\
	.errors_per_pbit = ASSUMED(0, "off: with FEC they are too rare to be seen in a measurement; set bit_error_rate")

/* A packet of its own frame. */
#define NO_FRAMES							\
	.frame_bytes	= SPEC(0, "packets are not put into larger frames"), \
	.frame_payload_bytes = SPEC(0, "packets are not put into larger frames")

/* A file's profiles, to the one without a name. */
extern const struct suo_profile suo_profiles_nvlink[];
extern const struct suo_profile suo_profiles_ualink[];
extern const struct suo_profile suo_profiles_xgmi[];
extern const struct suo_profile suo_profiles_cxl[];
extern const struct suo_profile suo_profiles_ethernet[];
extern const struct suo_profile suo_profiles_roce[];

/* Likewise parts. */
extern const struct suo_part suo_parts_switch[];
extern const struct suo_part suo_parts_nic[];
extern const struct suo_part suo_parts_cable[];

#endif /* SUO_CLUSTER_FIGURES_H */
