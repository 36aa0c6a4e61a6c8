// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* NVIDIA's NVLink, through one NVSwitch. */
#include "model/cluster/figures.h"

#define TABLE	"NVIDIA's NVLink generations, as tabulated in github.com/stas00/ml-engineering, network/README.md"
#define RAW	TABLE "; raw = payload x 17/16, which nvidia-smi shows"
#define PACKET	"packets of 16-byte flits, up to 256 bytes of payload and one header flit: 94 %, as raw and payload rate suggest"
#define ENDPOINT "half of the 822-830 ns that nvbandwidth shows for a load (there and back) through NVSwitch on H100 are 413 ns; this is what the switch and two hops leave"
#define REPLAY	"NVML counts replays of the data link (NVML_NVLINK_ERROR_DL_REPLAY) and bad flits, so the link repeats; that it repeats single packets is assumed"

/* Rates are raw: 25 GB/s of payload are 26.5625 GB/s on the wire. */
#define NVLINK(number, gpu, rate, nlinks, nlanes, lane, latency_from, reducing) \
	{								\
		.name		= "nvlink" #number,			\
		.title		= "NVLink " #number " (" gpu "), " rate " GB/s each way", \
		.links		= SPEC(nlinks, TABLE),			\
		.lanes		= SPEC(nlanes, TABLE),			\
		.lane_rate_mbps	= SPEC(lane, RAW),			\
		.endpoint_ps	= latency_from,				\
		.stages		= ASSUMED(1, "all GPUs of a node or rack are one NVSwitch apart"), \
		.switch_ps	= ASSUMED(NS(150), "as UALink allows a switch of 25.6 Tb/s"), \
		.fec_ps		= ASSUMED(NS(25), "a light code; 802.3's RS(544,514) takes two to four times as long"), \
		.propagation_ps	= ASSUMED(NS(5), CABLE_SOURCE),		\
		.max_payload_bytes = ASSUMED(256, PACKET),		\
		.header_bytes	= ASSUMED(16, PACKET),			\
		.flit_bytes	= ASSUMED(16, PACKET),			\
		.min_packet_bytes = ASSUMED(0, "a header flit alone is a packet"), \
		NO_FRAMES,						\
		.buffer_bytes	= ASSUMED(KIB(16), "no figure is published; switches of this kind have some round trips of buffer"), \
		.credit_bytes	= ASSUMED(nlanes * (lane) / 8 * 3 / 10, CREDIT_SOURCE), \
		.credit_rtt_ps	= ASSUMED(NS(200), ROUND_TRIP),		\
		NO_ERRORS,						\
		.retry		= ASSUMED(SUO_LINK_LLR, REPLAY),	\
		.retry_ps	= ASSUMED(NS(200), ROUND_TRIP),		\
		.reduce		= reducing,				\
	}

#define REDUCES		MEASURED(1, "NVLS: 480 GB/s of bus bandwidth on H200 where a ring has 367, 838 to 682 on B200 (nccl-tests)")
#define AS_NVLINK4	ASSUMED(NS(203), "as measured for nvlink4")

const struct suo_profile suo_profiles_nvlink[] = {
	NVLINK(3, "A100", "300", 12, 4, 53125, AS_NVLINK4, ASSUMED(0, "NVSwitch 2 does not reduce")),
	NVLINK(4, "H100, H200", "450", 18, 2, 106250,
	       MEASURED(NS(203), ENDPOINT), REDUCES),
	NVLINK(5, "B200, GB200", "900", 18, 2, 212500, AS_NVLINK4, REDUCES),
	NVLINK(6, "Rubin", "1800", 36, 2, 212500, AS_NVLINK4, REDUCES),
	{ 0 }
};
