// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CXL, x16, through one switch. Writes are CXL.mem's. */
#include "model/cluster/figures.h"

#define FLIT68	"CXL 1.1 and 2.0: a flit of 528 bits, four 16-byte slots and a CRC, and 2 bytes of protocol identifier"
#define FLIT256	"PCI Express 6.0 and CXL 3.0: 256-byte flits, of which CXL.mem has 15 slots of 16 bytes"
#define WRITE	"a write of a cache line is a request, in a slot of its own, and four slots of data"
#define LOAD	"half of a load of 210 ns (published ones go from 170 to 250), without the switch"
#define SWITCHED "half of what a switch adds to a load, 70-100 ns"
#define RETRY68	"CXL 2.0, 4.2.8, link layer retry: the sender goes back to the flit that the receiver asks for"
#define RETRY256 "PCI Express 6.0: a standard NAK goes back, a selective one does not (Cadence, Flit Sequence Numbers and Selective NAK Explained)"

#define CXL(number, gt, rate, flit, in_flit, flit_source, usable,	\
	    retry_source)						\
	{								\
		.name		= "cxl" #number,			\
		.title		= "CXL " #number " x16, " rate " GB/s each way", \
		.links		= ASSUMED(1, "one x16 port; set links for more"), \
		.lanes		= ASSUMED(16, "the widest port"),	\
		.lane_rate_mbps	= SPEC((gt) * 1000, #gt " GT/s, PCI Express; " usable), \
		.endpoint_ps	= ASSUMED(NS(105), LOAD),		\
		.stages		= ASSUMED(1, "one switch"),		\
		.switch_ps	= ASSUMED(42500, SWITCHED),		\
		.fec_ps		= ASSUMED(0, "part of the load that endpoint_ps is taken from"), \
		.propagation_ps	= ASSUMED(0, "part of the load that endpoint_ps is taken from"), \
		.max_payload_bytes = SPEC(64, "CXL.mem: a cache line"),	\
		.header_bytes	= ASSUMED(16, WRITE),			\
		.flit_bytes	= SPEC(16, "slots of 16 bytes"),	\
		.min_packet_bytes = ASSUMED(0, "a slot alone can be a message"), \
		.frame_bytes	= SPEC(flit, flit_source),		\
		.frame_payload_bytes = SPEC(in_flit, flit_source),	\
		.buffer_bytes	= ASSUMED(KIB(32), "no figure is published; some round trips"), \
		.credit_bytes	= ASSUMED((gt) * 450, CREDIT_SOURCE),	\
		.credit_rtt_ps	= ASSUMED(NS(150), ROUND_TRIP),		\
		NO_ERRORS,						\
		.retry		= ASSUMED(SUO_LINK_GBN, retry_source),	\
		.retry_ps	= ASSUMED(NS(150), ROUND_TRIP),		\
		.reduce		= ASSUMED(0, "CXL has no reductions"),	\
	}

const struct suo_profile suo_profiles_cxl[] = {
	CXL(2, 32, "64", 68, 64, FLIT68,
	    "CXL 2.0 at PCI Express 5.0's rate, coding of 128b/130b not counted",
	    RETRY68),
	CXL(3, 64, "128", 256, 240, FLIT256, "CXL 3.0 at PCI Express 6.0's rate",
	    RETRY256),
	{ 0 }
};
