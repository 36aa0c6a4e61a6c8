// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Constants before anything is measured: the tuners' latencies (nccl_tuner.c),
 * at the clock of the accelerators they were made for, and for what a tuner
 * does not tell apart the obvious: links and NICs give nine tenths, a channel
 * moves what the tuner's ceilings allow.
 */
#include "model/analytic/nccl.h"

#define NCCL_GEN { \
	[SUO_NCCL_BASE]			= 6.6 * 1.98, \
	[SUO_NCCL_BASE_SIMPLE]		= 1.8 * 1.98, \
	[SUO_NCCL_HOP_LL]		= 0.6 * 1.98, \
	[SUO_NCCL_HOP_LL128]		= 1.9 * 1.98, \
	[SUO_NCCL_HOP_SIMPLE]		= 3.4 * 1.98, \
	[SUO_NCCL_CHANNEL_LL]		= 2, \
	[SUO_NCCL_CHANNEL_LL128]	= 1, \
	[SUO_NCCL_CHANNEL_SIMPLE]	= 20, \
	[SUO_NCCL_LINK_LL]		= 1, \
	[SUO_NCCL_LINK_LL128]		= 1, \
	[SUO_NCCL_LINK_SIMPLE]		= 0.8, \
	[SUO_NCCL_EXPOSED]		= 0.5, \
	[SUO_NCCL_COPY]			= 0.4, \
	[SUO_NCCL_GATHER]		= 2, \
	[SUO_NCCL_NVLS_BASE]		= 25 * 1.98, \
	[SUO_NCCL_NVLS_LOOP]		= 20, \
	[SUO_NCCL_NVLS_LINK]		= 0.6, \
	[SUO_NCCL_P2P_BASE]		= 6.6 * 1.98, \
	[SUO_NCCL_P2P_PEER]		= 0.6 * 1.98, \
	[SUO_NCCL_P2P_FILL]		= 8, \
	[SUO_NCCL_P2P_LL]		= 4, \
	[SUO_NCCL_P2P_SIMPLE]		= 10, \
	[SUO_NCCL_P2P_LINK]		= 0.74, \
	[SUO_NCCL_P2P_COPY]		= 0.4, \
}

#define RCCL_GEN { \
	[SUO_NCCL_BASE]			= 12 * 2.1, \
	[SUO_NCCL_BASE_SIMPLE]		= 5 * 2.1, \
	[SUO_NCCL_HOP_LL]		= 0.9 * 2.1, \
	[SUO_NCCL_HOP_LL128]		= 2.2 * 2.1, \
	[SUO_NCCL_HOP_SIMPLE]		= 2.1 * 2.1, \
	[SUO_NCCL_CHANNEL_LL]		= 2, \
	[SUO_NCCL_CHANNEL_LL128]	= 1, \
	[SUO_NCCL_CHANNEL_SIMPLE]	= 20, \
	[SUO_NCCL_LINK_LL]		= 1, \
	[SUO_NCCL_LINK_LL128]		= 1, \
	[SUO_NCCL_LINK_SIMPLE]		= 0.8, \
	[SUO_NCCL_EXPOSED]		= 0.5, \
	[SUO_NCCL_COPY]			= 0.4, \
	[SUO_NCCL_GATHER]		= 2, \
	[SUO_NCCL_NVLS_BASE]		= 25 * 2.1, \
	[SUO_NCCL_NVLS_LOOP]		= 20, \
	[SUO_NCCL_NVLS_LINK]		= 0.6, \
	[SUO_NCCL_P2P_BASE]		= 12 * 2.1, \
	[SUO_NCCL_P2P_PEER]		= 0.8 * 2.1, \
	[SUO_NCCL_P2P_FILL]		= 8, \
	[SUO_NCCL_P2P_LL]		= 4, \
	[SUO_NCCL_P2P_SIMPLE]		= 10, \
	[SUO_NCCL_P2P_LINK]		= 0.74, \
	[SUO_NCCL_P2P_COPY]		= 0.4, \
}

#define NCCL_NET { \
	[SUO_NCCL_NET_LL]		= 5.0, \
	[SUO_NCCL_NET_LL128]		= 8.5, \
	[SUO_NCCL_NET_SIMPLE]		= 14, \
	[SUO_NCCL_NET_NVLS_TREE]	= 20.9, \
	[SUO_NCCL_NET_LINK]		= 0.95, \
}

#define RCCL_NET { \
	[SUO_NCCL_NET_LL]		= 10.5, \
	[SUO_NCCL_NET_LL128]		= 18.2, \
	[SUO_NCCL_NET_SIMPLE]		= 25, \
	[SUO_NCCL_NET_NVLS_TREE]	= 20.9, \
	[SUO_NCCL_NET_LINK]		= 0.95, \
}

const struct suo_nccl_constants suo_nccl_vendor = {
	.gen = {
		[SUO_NCCL_AMPERE]	= NCCL_GEN,
		[SUO_NCCL_HOPPER]	= NCCL_GEN,
		[SUO_NCCL_BLACKWELL]	= NCCL_GEN,
		[SUO_NCCL_CDNA]		= RCCL_GEN,
	},
	.net = {
		[SUO_NCCL_VERBS]	= NCCL_NET,
		[SUO_NCCL_TCPXO]	= NCCL_NET,
		[SUO_NCCL_RCCL_VERBS]	= RCCL_NET,
	},
};
