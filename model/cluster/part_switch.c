// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Switch chips. */
#include "model/cluster/figures.h"

#define GBPS(n)		((n) * 1000ull)
#define MB(n)		((n) * 1000000ull)

#define UNREAD	"widely quoted; no primary source was read"

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

const struct suo_part suo_parts_switch[] = {
	SWITCH("tomahawk-5", "Broadcom Tomahawk 5, 51.2 Tb/s",
	       ASSUMED(GBPS(51200), UNREAD), ASSUMED(GBPS(800), UNREAD),
	       ASSUMED(256, UNREAD), ASSUMED(MB(165), UNREAD),
	       ASSUMED(NS(700), UNREAD), ASSUMED(0, UNREAD)),
	SWITCH("tomahawk-6", "Broadcom Tomahawk 6, 102.4 Tb/s",
	       ASSUMED(GBPS(102400), UNREAD), ASSUMED(GBPS(1600), UNREAD),
	       ASSUMED(512, UNREAD), ASSUMED(MB(200), UNREAD),
	       ASSUMED(NS(700), UNREAD), ASSUMED(0, UNREAD)),
	SWITCH("tomahawk-ultra", "Broadcom Tomahawk Ultra, 51.2 Tb/s",
	       ASSUMED(GBPS(51200), UNREAD), ASSUMED(GBPS(800), UNREAD),
	       ASSUMED(256, UNREAD), ASSUMED(MB(40), UNREAD),
	       ASSUMED(NS(250), UNREAD), ASSUMED(1, UNREAD)),
	SWITCH("spectrum-4", "NVIDIA Spectrum-4, 51.2 Tb/s",
	       ASSUMED(GBPS(51200), UNREAD), ASSUMED(GBPS(800), UNREAD),
	       ASSUMED(256, UNREAD), ASSUMED(MB(160), UNREAD),
	       ASSUMED(NS(600), UNREAD), ASSUMED(0, UNREAD)),
	SWITCH("jericho-3", "Broadcom Jericho3-AI, 14.4 Tb/s, deep buffers",
	       ASSUMED(GBPS(14400), UNREAD), ASSUMED(GBPS(800), UNREAD),
	       ASSUMED(144, UNREAD), ASSUMED(MB(8000), UNREAD),
	       ASSUMED(NS(2000), UNREAD), ASSUMED(0, UNREAD)),
	{ 0 }
};
