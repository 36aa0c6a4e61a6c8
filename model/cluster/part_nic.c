// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* NICs. */
#include "model/cluster/figures.h"

#define GBPS(n)		((n) * 1000ull)

#define UNREAD	"widely quoted; no primary source was read"

#define NIC(spelling, words, rate, latency, host, messages)		\
	{								\
		.name		= spelling,				\
		.title		= words,				\
		.kind		= SUO_PART_NIC,				\
		.rate_mbps	= rate,					\
		.latency_ps	= latency,				\
		.host_mbps	= host,					\
		.kmessages	= messages,				\
	}

const struct suo_part suo_parts_nic[] = {
	NIC("connectx-7", "NVIDIA ConnectX-7, 400 Gb/s",
	    ASSUMED(GBPS(400), UNREAD), ASSUMED(NS(1750), UNREAD),
	    ASSUMED(GBPS(504), UNREAD), ASSUMED(370000, UNREAD)),
	NIC("connectx-8", "NVIDIA ConnectX-8, 800 Gb/s",
	    ASSUMED(GBPS(800), UNREAD), ASSUMED(NS(1750), UNREAD),
	    ASSUMED(GBPS(1008), UNREAD), ASSUMED(740000, UNREAD)),
	NIC("bluefield-3", "NVIDIA BlueField-3, 400 Gb/s",
	    ASSUMED(GBPS(400), UNREAD), ASSUMED(NS(1750), UNREAD),
	    ASSUMED(GBPS(504), UNREAD), ASSUMED(370000, UNREAD)),
	NIC("thor-2", "Broadcom Thor 2, 400 Gb/s",
	    ASSUMED(GBPS(400), UNREAD), ASSUMED(NS(1750), UNREAD),
	    ASSUMED(GBPS(504), UNREAD), ASSUMED(200000, UNREAD)),
	NIC("pollara-400", "AMD Pensando Pollara 400, 400 Gb/s",
	    ASSUMED(GBPS(400), UNREAD), ASSUMED(NS(1750), UNREAD),
	    ASSUMED(GBPS(504), UNREAD), ASSUMED(200000, UNREAD)),
	{ 0 }
};
