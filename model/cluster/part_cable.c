// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cables, with the optics and the error correction of both ends. */
#include "model/cluster/figures.h"

#define METRE	ASSUMED(NS(5), "5 ns/m in copper or fibre: a refractive index of 1.5")
#define RATE	ASSUMED(GBPS(1600), "8 lanes of 200 Gb/s; slower ones have fewer or slower lanes")
#define KP4	ASSUMED(NS(100), "RS(544,514) at 100 Gb/s a lane: 50-120 ns are quoted for what the receiver waits for a codeword and decodes it")
#define DSP	SPEC(NS(100), "linear optics save 100 ns of DSP (chipcraft.tech on Tomahawk 5)")
#define WATTS	"800 Gb/s modules: LPO 8-9 W, DSP 14-16 W each (axiomupgrades.com)"

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
	CABLE("dac", "direct-attach copper", RATE,
	      SPEC(0, "passive: no electronics"), KP4, METRE,
	      ASSUMED(2, "2 m at 100 Gb/s a lane (IEEE 802.3ck)"),
	      ASSUMED(100, "an EEPROM at each end")),
	CABLE("dr", "pluggable optics with DSP, 500 m", RATE, DSP, KP4, METRE,
	      ASSUMED(500, "DR of IEEE 802.3"), SPEC(30000, WATTS)),
	CABLE("fr", "pluggable optics with DSP, 2 km", RATE, DSP, KP4, METRE,
	      ASSUMED(2000, "FR of IEEE 802.3"), ASSUMED(32000, "a little more than dr")),
	CABLE("lpo", "linear pluggable optics, no DSP", RATE,
	      ASSUMED(NS(5), "drivers and amplifiers"), KP4, METRE,
	      SPEC(500, "100G-DR-LPO of the LPO MSA: to 500 m, RS(544,514) in the host"),
	      SPEC(17000, WATTS)),
	CABLE("cpo", "co-packaged optics", RATE,
	      ASSUMED(NS(5), "drivers and amplifiers"), KP4, METRE,
	      ASSUMED(500, "as dr"),
	      SPEC(8800, "5.5 pJ/bit, 800 Gb/s, both ends (chipcraft.tech on Tomahawk 5)")),
	{ 0 }
};
