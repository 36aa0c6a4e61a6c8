// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The catalogue. A figure without a primary source is marked as assumed until
 * somebody finds one; a cluster file can override every figure.
 */
#include <stddef.h>
#include <string.h>

#include "model/cluster/profile.h"

#define SPEC(v, s)	{ .value = (v), .provenance = SUO_SPEC, .source = (s) }
#define MEASURED(v, s)	{ .value = (v), .provenance = SUO_MEASURED, .source = (s) }
#define ASSUMED(v, s)	{ .value = (v), .provenance = SUO_ASSUMED, .source = (s) }

/* Rates are raw: 25 GB/s of payload are 26.5625 GB/s on the wire. */
#define NVLINK_RATE_25	212500
#define NVLINK_RATE_50	425000

#define NVLINK_TABLE	"NVIDIA's NVLink generations, as tabulated in github.com/stas00/ml-engineering, network/README.md"
#define NVLINK_RAW	NVLINK_TABLE "; raw = payload x 17/16, which nvidia-smi shows"
#define NVLINK_PACKET	"packets of 16-byte flits, up to 256 bytes of payload and one header flit: 94 %, as raw and payload rate suggest"

#define NVLINK_FRAMING						\
	.max_payload_bytes	= ASSUMED(256, NVLINK_PACKET),	\
	.header_bytes		= ASSUMED(16, NVLINK_PACKET),	\
	.flit_bytes		= ASSUMED(16, NVLINK_PACKET)

#define ROCE_LATENCY	"ConnectX-7 write 1.75 us one way, one switch 0.7 us, 10 m of fibre 0.05 us"
#define ROCE_MTU	"largest path MTU of RoCE (IBA 9.2); fits a jumbo frame"
#define ROCE_RATE	"IEEE 802.3"

#define ROCE(gbps)							\
	{								\
		.name		= "roce-" #gbps "g",			\
		.title		= "RoCEv2, one NIC of " #gbps " Gb/s",	\
		.kind		= SUO_SCALE_OUT,			\
		.links		= ASSUMED(1, "a NIC for each accelerator"), \
		.link_rate_mbps	= SPEC((gbps) * 1000ull, ROCE_RATE),	\
		.latency_ps	= ASSUMED(2500000, ROCE_LATENCY),	\
		.mtu_bytes	= SPEC(4096, ROCE_MTU),			\
	}

static const struct suo_profile profiles[] = {
	{
		.name		= "nvlink3",
		.title		= "NVLink 3 (A100), 300 GB/s each way",
		.kind		= SUO_SCALE_UP,
		.links		= SPEC(12, NVLINK_TABLE),
		.link_rate_mbps	= SPEC(NVLINK_RATE_25, NVLINK_RAW),
		.latency_ps	= ASSUMED(413000, "as measured for nvlink4"),
		NVLINK_FRAMING,
	},
	{
		.name		= "nvlink4",
		.title		= "NVLink 4 (H100, H200), 450 GB/s each way",
		.kind		= SUO_SCALE_UP,
		.links		= SPEC(18, NVLINK_TABLE),
		.link_rate_mbps	= SPEC(NVLINK_RATE_25, NVLINK_RAW),
		.latency_ps	= MEASURED(413000, "half of the 822-830 ns that nvbandwidth shows for a load (there and back) through NVSwitch on H100"),
		NVLINK_FRAMING,
	},
	{
		.name		= "nvlink5",
		.title		= "NVLink 5 (B200, GB200), 900 GB/s each way",
		.kind		= SUO_SCALE_UP,
		.links		= SPEC(18, NVLINK_TABLE),
		.link_rate_mbps	= SPEC(NVLINK_RATE_50, NVLINK_RAW),
		.latency_ps	= ASSUMED(413000, "as measured for nvlink4"),
		NVLINK_FRAMING,
	},
	{
		.name		= "nvlink6",
		.title		= "NVLink 6 (Rubin), 1800 GB/s each way",
		.kind		= SUO_SCALE_UP,
		.links		= SPEC(36, NVLINK_TABLE),
		.link_rate_mbps	= SPEC(NVLINK_RATE_50, NVLINK_RAW),
		.latency_ps	= ASSUMED(413000, "as measured for nvlink4"),
		NVLINK_FRAMING,
	},
	{
		.name		= "ualink200",
		.title		= "UALink 200G 1.0, one station of 4 lanes, 800 Gb/s each way",
		.kind		= SUO_SCALE_UP,
		.links		= ASSUMED(1, "one station; set links for more"),
		.link_rate_mbps	= SPEC(800000, "UALink 200G 1.0: 4 lanes of 200 GT/s (carried at 212.5)"),
		.latency_ps	= ASSUMED(400000, "switch at most 150 ns (25.6T, UALink consortium) and 250 ns for both ends"),
		.max_payload_bytes = SPEC(256, "UALink 200G 1.0: requests of 64 to 256 bytes"),
		.header_bytes	= ASSUMED(19, "gives the 93 % of effective peak that the UALink consortium states"),
		.flit_bytes	= ASSUMED(1, "flits are shared between requests, so that nothing is padded"),
	},
	{
		.name		= "sue-800g",
		.title		= "Scale-up Ethernet (SUE), one port of 800 Gb/s each way",
		.kind		= SUO_SCALE_UP,
		.links		= ASSUMED(1, "one port; set links for more"),
		.link_rate_mbps	= SPEC(800000, ROCE_RATE),
		.latency_ps	= SPEC(1000000, "half of the 2 us that Broadcom's SUE framework sets as upper limit for a round trip"),
		.max_payload_bytes = ASSUMED(256, "a cache-line sized transfer, as other scale-up links carry it"),
		.header_bytes	= SPEC(34, "10 bytes of header (Tomahawk Ultra), preamble and gap 20, FCS 4"),
		.flit_bytes	= SPEC(1, "Ethernet frames are not padded at this size"),
	},
	{
		.name		= "cxl3-x16",
		.title		= "CXL 3 x16, 128 GB/s each way",
		.kind		= SUO_SCALE_UP,
		.links		= ASSUMED(1, "one x16 port"),
		.link_rate_mbps	= ASSUMED(1024000, "64 GT/s on 16 lanes"),
		.latency_ps	= ASSUMED(150000, "half of a load of 210 ns plus 85 ns for a switch"),
		.max_payload_bytes = ASSUMED(240, "usable bytes of a 256-byte flit"),
		.header_bytes	= ASSUMED(16, "rest of a 256-byte flit"),
		.flit_bytes	= ASSUMED(256, "256-byte flits"),
	},
	ROCE(100),
	ROCE(200),
	ROCE(400),
	ROCE(800),
};

#define NUM_PROFILES	(sizeof(profiles) / sizeof(profiles[0]))

const struct suo_profile *suo_profile_get(unsigned int i)
{
	return i < NUM_PROFILES ? &profiles[i] : NULL;
}

const struct suo_profile *suo_profile_find(const char *name)
{
	for (size_t i = 0; i < NUM_PROFILES; i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

const char *suo_profile_candidate(unsigned int i, const void *arg)
{
	const enum suo_profile_kind *kind = arg;

	for (size_t p = 0; p < NUM_PROFILES; p++)
		if ((!kind || profiles[p].kind == *kind) && !i--)
			return profiles[p].name;
	return NULL;
}

const char *suo_provenance_name(enum suo_provenance provenance)
{
	static const char *const names[] = {
		[SUO_SPEC]	= "spec",
		[SUO_MEASURED]	= "measured",
		[SUO_ASSUMED]	= "assumed",
	};

	return names[provenance];
}
