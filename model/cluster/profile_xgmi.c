// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * AMD's Infinity Fabric between accelerators (XGMI). There is no switch: each
 * accelerator has a link to each other one, and only all of them together have the
 * rate, which collectives spread their data over.
 */
#include "model/cluster/figures.h"

#define MI300	"MI300X: up to seven links of 16 lanes at 32 Gb/s, 128 GB/s both ways a link (wheelersnetwork.com, January 2024)"
#define PACKET	"no figure is published; a request's header for each cache line, as on PCI Express"

const struct suo_profile suo_profiles_xgmi[] = {
	{
		.name		= "xgmi4",
		.title		= "Infinity Fabric 4 (MI300X), seven links, 448 GB/s each way",
		.links		= SPEC(7, MI300),
		.lanes		= SPEC(16, MI300),
		.lane_rate_mbps	= SPEC(32000, MI300),
		.endpoint_ps	= ASSUMED(NS(400), "no figure is published; as nvlink4 with its switch"),
		.stages		= SPEC(0, "links between accelerators, without a switch: " MI300),
		.switch_ps	= SPEC(0, "links between accelerators, without a switch: " MI300),
		.fec_ps		= ASSUMED(0, "NRZ signals, as PCI Express 5.0's, need none"),
		.propagation_ps	= ASSUMED(NS(2), "5 ns/m on a board"),
		.max_payload_bytes = ASSUMED(64, PACKET),
		.header_bytes	= ASSUMED(12, PACKET),
		.flit_bytes	= ASSUMED(4, PACKET),
		.min_packet_bytes = ASSUMED(0, PACKET),
		NO_FRAMES,
		.buffer_bytes	= ASSUMED(KIB(16), "no figure is published; some round trips"),
		.credit_bytes	= ASSUMED(20000, CREDIT_SOURCE),
		.credit_rtt_ps	= ASSUMED(NS(200), ROUND_TRIP),
		NO_ERRORS,
		.retry		= ASSUMED(SUO_LINK_GBN, "a replay from the bad packet on, as in PCI Express"),
		.retry_ps	= ASSUMED(NS(200), ROUND_TRIP),
		.reduce		= SPEC(0, "there is no switch that could: " MI300),
	},
	{ 0 }
};
