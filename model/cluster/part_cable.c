// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cables, with the optics and the error correction of both ends. */
#include "model/cluster/figures.h"

#define GBPS(n)		((n) * 1000ull)

#define UNREAD	"widely quoted; no primary source was read"
#define FIBRE	"5 ns/m, as in copper"

#define CABLE(spelling, words, rate, electronics, fec, metre, reach, power) \
	{								\
		.name		= spelling,				\
		.title		= words,				\
		.kind		= SUO_PART_CABLE,			\
		.rate_mbps	= rate,					\
		.latency_ps	= electronics,				\
		.fec_ps		= fec,					\
		.ps_per_m	= metre,				\
		.reach_m	= reach,				\
		.power_mw	= power,				\
		NO_ERRORS,						\
	}

const struct suo_part suo_parts_cable[] = {
	CABLE("dac", "direct-attach copper", ASSUMED(GBPS(1600), UNREAD),
	      ASSUMED(0, "passive"), ASSUMED(NS(100), UNREAD),
	      ASSUMED(NS(5), FIBRE), ASSUMED(3, UNREAD), ASSUMED(100, UNREAD)),
	CABLE("dr", "pluggable optics with DSP, 500 m",
	      ASSUMED(GBPS(1600), UNREAD), ASSUMED(NS(100), UNREAD),
	      ASSUMED(NS(100), UNREAD), ASSUMED(NS(5), FIBRE),
	      ASSUMED(500, UNREAD), ASSUMED(28000, UNREAD)),
	{ 0 }
};
