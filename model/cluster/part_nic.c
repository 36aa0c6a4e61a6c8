// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* NICs. */
#include "model/cluster/figures.h"

#define CX7	"user manual of ConnectX-7 (docs.nvidia.com): one port of 400 Gb/s, PCI Express 5.0 x16"
#define CX8	"release notes of ConnectX-8's firmware (docs.nvidia.com): 800 Gb/s, or two ports of 400 of Ethernet"
#define POLLARA	"AMD at Hot Chips 2025 (thefilibusterblog.com): 400 Gb/s, PCI Express 5.0 x16"
#define GEN5	"32 GT/s x 16 lanes x 128/130"
#define GEN6	"64 GT/s x 16 lanes x 236/256, flits of PCI Express 6.0"
#define WRITE	"a write of ConnectX-7 takes 1.5 to 2 us one way, as quoted"

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
	    SPEC(GBPS(400), CX7), ASSUMED(NS(1750), WRITE),
	    SPEC(504123, CX7 "; " GEN5), ASSUMED(370000, UNREAD)),
	NIC("connectx-8", "NVIDIA ConnectX-8, 800 Gb/s",
	    SPEC(GBPS(800), CX8), ASSUMED(NS(1750), "as ConnectX-7"),
	    ASSUMED(944000, GEN6), ASSUMED(370000, "as ConnectX-7")),
	NIC("bluefield-3", "NVIDIA BlueField-3, 400 Gb/s",
	    ASSUMED(GBPS(400), UNREAD), ASSUMED(NS(1750), "as ConnectX-7, which is in it"),
	    ASSUMED(504123, GEN5), ASSUMED(370000, "as ConnectX-7, which is in it")),
	NIC("thor-2", "Broadcom Thor 2, 400 Gb/s",
	    ASSUMED(GBPS(400), UNREAD), ASSUMED(NS(2000), "a NIC of this generation"),
	    ASSUMED(504123, GEN5), ASSUMED(200000, UNREAD)),
	NIC("pollara-400", "AMD Pensando Pollara 400, 400 Gb/s",
	    SPEC(GBPS(400), POLLARA), ASSUMED(NS(2000), "a NIC of this generation"),
	    SPEC(504123, POLLARA "; " GEN5), ASSUMED(200000, UNREAD)),
	{ 0 }
};
