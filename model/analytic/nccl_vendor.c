// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Constants before anything is measured: the tuners' latencies (nccl_tuner.c),
 * at the clock of the accelerators they were made for, and for what a tuner
 * does not tell apart the obvious: links and NICs give nine tenths, a channel
 * moves what the tuner's ceilings allow.
 */
#include "model/analytic/nccl.h"

/* Times are us here, and the clock makes cycles of them. */
#define GEN(ghz, base, base_simple, ll, ll128, simple, peer) { \
	[SUO_NCCL_BASE]			= (base) * (ghz), \
	[SUO_NCCL_BASE_SIMPLE]		= (base_simple) * (ghz), \
	[SUO_NCCL_HOP_LL]		= (ll) * (ghz), \
	[SUO_NCCL_HOP_LL128]		= (ll128) * (ghz), \
	[SUO_NCCL_HOP_SIMPLE]		= (simple) * (ghz), \
	[SUO_NCCL_CHANNEL_LL]		= 2, \
	[SUO_NCCL_CHANNEL_LL128]	= 1, \
	[SUO_NCCL_CHANNEL_SIMPLE]	= 20, \
	[SUO_NCCL_LINK_LL]		= 1, \
	[SUO_NCCL_LINK_LL128]		= 1, \
	[SUO_NCCL_LINK_SIMPLE]		= 0.8, \
	[SUO_NCCL_EXPOSED]		= 0.5, \
	[SUO_NCCL_COPY]			= 0.4, \
	[SUO_NCCL_GATHER]		= 2, \
	[SUO_NCCL_NVLS_BASE]		= 25 * (ghz), \
	[SUO_NCCL_NVLS_LOOP]		= 20, \
	[SUO_NCCL_NVLS_LINK]		= 0.6, \
	[SUO_NCCL_P2P_BASE]		= (base) * (ghz), \
	[SUO_NCCL_P2P_PEER]		= (peer) * (ghz), \
	[SUO_NCCL_P2P_FILL]		= 8, \
	[SUO_NCCL_P2P_LL]		= 4, \
	[SUO_NCCL_P2P_SIMPLE]		= 10, \
	[SUO_NCCL_P2P_LINK]		= 0.74, \
	[SUO_NCCL_P2P_COPY]		= 0.4, \
}

#define NET(ll, ll128, simple) { \
	[SUO_NCCL_NET_LL]		= ll, \
	[SUO_NCCL_NET_LL128]		= ll128, \
	[SUO_NCCL_NET_SIMPLE]		= simple, \
	[SUO_NCCL_NET_NVLS_TREE]	= 20.9, \
	[SUO_NCCL_NET_LINK]		= 0.95, \
}

#define NCCL_GEN	GEN(1.98, 6.6, 1.8, 0.6, 1.9, 3.4, 0.6)
#define RCCL_GEN	GEN(2.1, 12, 5, 0.9, 2.2, 2.1, 0.8)
#define NCCL_NET	NET(5.0, 8.5, 14)
#define RCCL_NET	NET(10.5, 18.2, 25)

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
