// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RoCEv2: the scale-out network, and Ethernet as it is, for scaling up. */
#include "model/cluster/figures.h"

#define RATE	"IEEE 802.3: what the MAC sends; FEC and line code are not counted"
#define WIRE	"preamble and gap 20, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4 (IBA annex A17, IEEE 802.3)"
#define MTU	"largest path MTU of RoCE (IBA 9.2); fits a jumbo frame"
#define RUNT	"IEEE 802.3: 64 bytes, preamble and gap 20"
#define PFC	"PFC pauses senders; there are no credits (IEEE 802.1Qbb)"
#define NO_LLR	"a bad frame is dropped, and the transport repeats it (IBA 9.7)"

#define ROCE(gbps, nlanes, lane)					\
	{								\
		.name		= "roce-" #gbps "g",			\
		.title		= "RoCEv2, one NIC of " #gbps " Gb/s",	\
		.links		= ASSUMED(1, "a NIC for each accelerator"), \
		.lanes		= ASSUMED(nlanes, "the usual number for this rate"), \
		.lane_rate_mbps	= SPEC(lane, RATE),			\
		.endpoint_ps	= ASSUMED(NS(1750), "ConnectX-7: a write takes 1.5 to 2 us one way"), \
		.stages		= ASSUMED(1, "one leaf switch"),	\
		.switch_ps	= ASSUMED(NS(700), "Tomahawk 5 and 6 600-800 ns, Spectrum-4 500-700, FEC included"), \
		.fec_ps		= ASSUMED(0, "part of the switch's and the NICs' latency"), \
		.propagation_ps	= ASSUMED(NS(25), "5 m of fibre"),	\
		.max_payload_bytes = SPEC(4096, MTU),			\
		.header_bytes	= SPEC(82, WIRE),			\
		.flit_bytes	= SPEC(1, "Ethernet frames are not padded beyond the least"), \
		.min_packet_bytes = SPEC(84, RUNT),			\
		NO_FRAMES,						\
		.buffer_bytes	= ASSUMED(KIB(1024), "what a port may take of a shared buffer before PFC pauses its senders"), \
		.credit_bytes	= SPEC(0, PFC),				\
		.credit_rtt_ps	= SPEC(0, PFC),				\
		NO_ERRORS,						\
		.retry		= SPEC(SUO_LINK_NONE, NO_LLR),		\
		.retry_ps	= SPEC(0, NO_LLR),			\
		.reduce		= ASSUMED(0, "no Ethernet switch of the catalogue's RoCE profiles does"), \
		.mtu_bytes	= SPEC(4096, MTU),			\
	}

const struct suo_profile suo_profiles_roce[] = {
	ROCE(100, 4, 25000),
	ROCE(200, 4, 50000),
	ROCE(400, 4, 100000),
	ROCE(800, 8, 100000),
	{ 0 }
};
