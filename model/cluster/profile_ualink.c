// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* UALink 200G 1.0, through one switch. */
#include "model/cluster/figures.h"

#define CONSORTIUM	"UALink 200G 1.0 as the consortium describes it (ualinkconsortium.org, specification overview)"
#define LECROY		"640-byte data link flits of 64-byte transaction flits, with link level replay: teledynelecroy.com, UALink 1.0 Fundamentals"

const struct suo_profile suo_profiles_ualink[] = {
	{
		.name		= "ualink200",
		.title		= "UALink 200G 1.0, one station of 4 lanes, 800 Gb/s each way",
		.links		= ASSUMED(1, "one station; set links for more"),
		.lanes		= SPEC(4, CONSORTIUM ": x1, x2 and x4 lanes make a station of 800 Gb/s"),
		.lane_rate_mbps	= SPEC(200000, "200 GT/s; 802.3dj's FEC carries it at 212.5, 640 bytes in 680"),
		.endpoint_ps	= ASSUMED(NS(160), "both ends; with the switch and two hops 400 ns, for a read there and back in less than a microsecond"),
		.stages		= SPEC(1, CONSORTIUM ": single-tier switching"),
		.switch_ps	= SPEC(NS(150), "port to port at most 150 ns for a switch of 25.6 Tb/s, 200 for 51.2, 250 for 102.4: consortium's questions and answers"),
		.fec_ps		= ASSUMED(NS(40), "802.3's code with one-way or two-way interleaving, less than the 50-120 ns of Ethernet's four-way"),
		.propagation_ps	= ASSUMED(NS(5), CABLE_SOURCE),
		.max_payload_bytes = SPEC(256, CONSORTIUM ": transactions of 64 to 256 bytes"),
		.header_bytes	= ASSUMED(14, "a request's share of control flits; with frames it gives the 93 % of effective peak that the consortium states"),
		.flit_bytes	= ASSUMED(1, "requests share 64-byte transaction flits"),
		.min_packet_bytes = ASSUMED(0, "requests share 64-byte transaction flits"),
		.frame_bytes	= SPEC(640, LECROY),
		.frame_payload_bytes = ASSUMED(628, "12 bytes for flit header, segment headers and CRC"),
		.buffer_bytes	= ASSUMED(KIB(64), "no figure is published; two round trips of a station"),
		.credit_bytes	= ASSUMED(45000, CREDIT_SOURCE),
		.credit_rtt_ps	= ASSUMED(NS(300), ROUND_TRIP),
		NO_ERRORS,
		.retry		= ASSUMED(SUO_LINK_GBN, LECROY "; that the replay begins at the bad flit and goes on from there, as in PCI Express, is assumed"),
		.retry_ps	= ASSUMED(NS(300), ROUND_TRIP),
		.reduce		= ASSUMED(0, "not part of UALink 200G 1.0"),
	},
	{ 0 }
};
