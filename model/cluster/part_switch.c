// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Switch chips. */
#include "model/cluster/figures.h"

#define MB(n)		((n) * 1000000ull)

#define TH5	"Broadcom's announcement of Tomahawk 5 (convergedigest, 21 August 2022): 51.2 Tb/s, 64 ports of 800 Gb/s, 256 of 200"
#define TH6	"Broadcom Tomahawk 6 launch (servethehome.com): 102.4 Tb/s, 64 ports of 1.6 Tb/s, 512 of 200 Gb/s"
#define ULTRA	"Tomahawk Ultra: 250 ns at 51.2 Tb/s, collectives in the switch (techzine.eu)"
#define ULTRA_PORTS "Tomahawk Ultra at Hot Chips 2025 (servethehome.com): 512 ports of 100 Gb/s"
#define SP4	"NVIDIA's announcement of Spectrum-4 (convergedigest, March 2022; techinsights.com): 51.2 Tb/s, 64 ports of 800 Gb/s, 256 of 200"
#define NO_SHARP "no Ethernet switch of this family is known to reduce"

#define SWITCH(spelling, words, capacity, port, most, buffer, latency, reducing) \
	{								\
		.name		= spelling,				\
		.title		= words,				\
		.kind		= SUO_PART_SWITCH,			\
		.capacity_mbps	= capacity,				\
		.rate_mbps	= port,					\
		.ports		= most,					\
		.buffer_bytes	= buffer,				\
		.latency_ps	= latency,				\
		.reduce		= reducing,				\
	}

/* Latencies are without error correction, which is the cable's: part_cable.c. */
const struct suo_part suo_parts_switch[] = {
	SWITCH("tomahawk-5", "Broadcom Tomahawk 5, 51.2 Tb/s",
	       SPEC(GBPS(51200), TH5), SPEC(GBPS(800), TH5), SPEC(256, TH5),
	       ASSUMED(MB(165), UNREAD),
	       SPEC(NS(500), "cut-through, about 500 ns (wheelersnetwork.com, July 2025)"),
	       ASSUMED(0, NO_SHARP)),
	SWITCH("tomahawk-6", "Broadcom Tomahawk 6, 102.4 Tb/s",
	       SPEC(GBPS(102400), TH6), SPEC(GBPS(1600), TH6), SPEC(512, TH6),
	       ASSUMED(MB(330), "twice that of Tomahawk 5, as the capacity is"),
	       ASSUMED(NS(600), "Tomahawk 5 and a crossing between chiplets"),
	       ASSUMED(0, NO_SHARP)),
	SWITCH("tomahawk-ultra", "Broadcom Tomahawk Ultra, 51.2 Tb/s",
	       SPEC(GBPS(51200), ULTRA), ASSUMED(GBPS(800), "as Tomahawk 5, whose pins it has"),
	       SPEC(512, ULTRA_PORTS),
	       ASSUMED(MB(40), "small: made for latency"),
	       SPEC(NS(250), ULTRA), SPEC(1, ULTRA)),
	SWITCH("spectrum-4", "NVIDIA Spectrum-4, 51.2 Tb/s",
	       SPEC(GBPS(51200), SP4), SPEC(GBPS(800), SP4), SPEC(256, SP4),
	       ASSUMED(MB(160), UNREAD ", and 128 MB are quoted, too"),
	       ASSUMED(NS(600), "500 to 700 ns are quoted"),
	       ASSUMED(0, NO_SHARP)),
	SWITCH("jericho-3-ai", "Broadcom Jericho3-AI, 14.4 Tb/s, deep buffers",
	       ASSUMED(GBPS(14400), UNREAD), ASSUMED(GBPS(800), UNREAD),
	       ASSUMED(144, "144 SerDes: " UNREAD),
	       ASSUMED(MB(8000), "external memory of gigabytes (yobitel.com); how many is assumed"),
	       ASSUMED(NS(2000), "higher than Tomahawk's: credits are asked for before a packet goes"),
	       ASSUMED(0, NO_SHARP)),
	{ 0 }
};
