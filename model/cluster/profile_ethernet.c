// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ethernet made for scaling up: SUE, ESUN and UEC, through one switch. */
#include "model/cluster/figures.h"

#define LANES	"8 lanes of 100 Gb/s, as Tomahawk Ultra has them"
#define MAC	"IEEE 802.3: what the MAC sends; FEC and line code are not counted"
#define SUE	"Broadcom's Scale Up Ethernet framework, RM100 (convergedigest.com)"
#define ULTRA	"Tomahawk Ultra: 250 ns, headers of 10 bytes for 46 (techzine.eu)"
#define BUDGET	"less than 250 ns of the latency budget in appendix A of Broadcom's SUE framework (wheelersnetwork.com, July 2025); Tomahawk Ultra: 250 ns"
#define KP4	"RS(544,514) at 100 Gb/s a lane: 50-120 ns; the low end, as latency is what this is made for"
#define FRAMING	"10 bytes of header (Tomahawk Ultra), preamble and gap 20, FCS 4"
#define RUNT	"IEEE 802.3: 64 bytes, preamble and gap 20"
#define NO_FLITS "Ethernet frames are not padded beyond the least"
#define LINE	"a transfer the size of a cache line or two, as other scale-up links carry it"
#define PROFILES "two switch profiles proposed for ESUN 1.1 in OCP's ESUN workstream, 26 March 2026: base = header forwarding and PFC, extended = LLR and CBFC besides"
#define LLR	"; that single frames are sent again (selectively: blogs.cisco.com on Ultra Ethernet's LLR) is assumed"

/* 800 Gb/s on 8 lanes. */
#define LANES_800							\
	.links		= ASSUMED(1, "one port; set links for more"),	\
	.lanes		= ASSUMED(8, LANES),				\
	.lane_rate_mbps	= SPEC(100000, MAC)

#define HOP								\
	.stages		= SPEC(1, "a domain is one switch away: " SUE),	\
	.fec_ps		= ASSUMED(NS(60), KP4),				\
	.propagation_ps	= ASSUMED(NS(10), "5 ns/m in copper or fibre, 2 m within a rack")

#define SMALL_FRAMES(header_from)					\
	.max_payload_bytes = ASSUMED(256, LINE),			\
	.header_bytes	= header_from,					\
	.flit_bytes	= SPEC(1, NO_FLITS),				\
	.min_packet_bytes = SPEC(84, RUNT),				\
	NO_FRAMES

#define LOSSLESS(credits, retry_from)					\
	.credit_bytes	= ASSUMED(credits, CREDIT_SOURCE),		\
	.credit_rtt_ps	= ASSUMED(NS(400), ROUND_TRIP),			\
	NO_ERRORS,							\
	.retry		= retry_from,					\
	.retry_ps	= ASSUMED(NS(400), ROUND_TRIP)

#define SUE_PORT(credits)						\
	HOP,								\
	.switch_ps	= SPEC(NS(250), BUDGET),			\
	SMALL_FRAMES(SPEC(34, FRAMING)),				\
	LOSSLESS(credits, ASSUMED(SUO_LINK_LLR, SUE ": LLR" LLR))

const struct suo_profile suo_profiles_ethernet[] = {
	{
		.name		= "sue",
		.title		= "Scale Up Ethernet, one port of 800 Gb/s each way",
		LANES_800,
		.endpoint_ps	= SPEC(NS(610), "half of the 2 us that " SUE " sets as the upper limit of a round trip, without the switch and two hops"),
		.buffer_bytes	= ASSUMED(KIB(256), "a port's share of a switch with some 40 MB"),
		SUE_PORT(60000),
		.reduce		= SPEC(1, "Tomahawk Ultra has in-network collectives (techzine.eu)"),
	},
	{
		.name		= "sue-lite",
		.title		= "SUE-Lite, one port of 400 Gb/s each way",
		.links		= ASSUMED(1, "one port; set links for more"),
		.lanes		= ASSUMED(4, "half of SUE: made for accelerators short of area and power (techzine.eu)"),
		.lane_rate_mbps	= SPEC(100000, MAC),
		.endpoint_ps	= ASSUMED(NS(610), "as sue: it keeps SUE's latency and lossless behaviour (techzine.eu)"),
		.buffer_bytes	= ASSUMED(KIB(128), "as sue, for half the rate"),
		SUE_PORT(30000),
		.reduce		= SPEC(1, "Tomahawk Ultra has in-network collectives (techzine.eu)"),
	},
	{
		.name		= "esun-base",
		.title		= "ESUN, base profile (PFC), one port of 800 Gb/s each way",
		LANES_800,
		HOP,
		.endpoint_ps	= ASSUMED(NS(610), "as sue"),
		.switch_ps	= ASSUMED(NS(500), "cut-through latency of today's switches, which the base profile is for: Tomahawk 5, about 500 ns (wheelersnetwork.com, July 2025)"),
		SMALL_FRAMES(ASSUMED(34, "as sue, which Broadcom gave to OCP")),
		.buffer_bytes	= ASSUMED(KIB(1024), "what a port may take of a shared buffer before PFC pauses its senders"),
		.credit_bytes	= SPEC(0, PROFILES),
		.credit_rtt_ps	= SPEC(0, PROFILES),
		NO_ERRORS,
		.retry		= SPEC(SUO_LINK_NONE, PROFILES "; the transport repeats"),
		.retry_ps	= SPEC(0, PROFILES),
		.reduce		= SPEC(0, PROFILES),
	},
	{
		.name		= "esun-extended",
		.title		= "ESUN, extended profile (LLR, CBFC), one port of 800 Gb/s each way",
		LANES_800,
		HOP,
		.endpoint_ps	= ASSUMED(NS(610), "as sue"),
		.switch_ps	= ASSUMED(NS(250), "as sue: " ULTRA),
		SMALL_FRAMES(ASSUMED(34, "as sue, which Broadcom gave to OCP")),
		.buffer_bytes	= ASSUMED(KIB(256), "as sue"),
		LOSSLESS(60000, ASSUMED(SUO_LINK_LLR, PROFILES LLR)),
		.reduce		= SPEC(0, PROFILES),
	},
	{
		.name		= "uec",
		.title		= "Ultra Ethernet 1.0, one port of 800 Gb/s each way",
		LANES_800,
		HOP,
		.endpoint_ps	= ASSUMED(NS(1000), "a NIC of this generation, both ends; RoCE's take 1750 ns"),
		.switch_ps	= ASSUMED(NS(500), "Tomahawk 5, about 500 ns (wheelersnetwork.com, July 2025)"),
		.max_payload_bytes = ASSUMED(4096, "default of the simulator uet-htsim"),
		.header_bytes	= ASSUMED(64, "default of the simulator uet-htsim: 98.5 %, preamble and gap not told apart"),
		.flit_bytes	= SPEC(1, NO_FLITS),
		.min_packet_bytes = SPEC(84, RUNT),
		NO_FRAMES,
		.buffer_bytes	= ASSUMED(KIB(1024), "what a port may take of a shared buffer"),
		LOSSLESS(60000, ASSUMED(SUO_LINK_LLR, "optional in Ultra Ethernet 1.0, as is CBFC (arXiv:2508.08906)" LLR)),
		.reduce		= ASSUMED(0, "in-network collectives are not part of Ultra Ethernet 1.0"),
	},
	{ 0 }
};
