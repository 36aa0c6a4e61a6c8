// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names, accelerators, and what a system must be. */
#include <stddef.h>
#include <string.h>

#include "model/analytic/nccl.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/*
 * Clocks: the data sheets' boost clock. NVLink and xGMI: rate of a link in one
 * direction. "assumed": widely quoted, no data sheet read.
 */
enum { A100, H100, H200, B200, B300, GB200, GB300, MI300X, MI355X };

static const struct suo_nccl_gpu gpus[] = {
	[A100] = { "a100_sxm", SUO_NCCL_AMPERE, 1.41, 12, 25, false,
	  "NVIDIA A100 data sheet; NVLink 3" },
	[H100] = { "h100_sxm", SUO_NCCL_HOPPER, 1.98, 18, 25, true,
	  "NVLink 4; clock assumed (nvidia-smi's maximum)" },
	[H200] = { "h200_sxm", SUO_NCCL_HOPPER, 1.98, 18, 25, true,
	  "NVLink 4; clock assumed (nvidia-smi's maximum)" },
	[B200] = { "b200_sxm", SUO_NCCL_BLACKWELL, 1.965, 18, 50, true,
	  "NVLink 5; clock assumed" },
	[B300] = { "b300_sxm", SUO_NCCL_BLACKWELL, 1.965, 18, 50, true,
	  "NVLink 5; clock assumed, as the B200's" },
	[GB200] = { "gb200", SUO_NCCL_BLACKWELL, 1.965, 18, 50, true,
	  "NVLink 5; clock assumed, as the B200's" },
	[GB300] = { "gb300", SUO_NCCL_BLACKWELL, 1.965, 18, 50, true,
	  "NVLink 5; clock assumed, as the B200's" },
	[MI300X] = { "mi300x", SUO_NCCL_CDNA, 2.1, 7, 64, false,
	  "AMD Instinct MI300X data sheet" },
	[MI355X] = { "mi355x", SUO_NCCL_CDNA, 2.4, 7, 76.8, false,
	  "AMD Instinct MI355X data sheet" },
};

const struct suo_nccl suo_nccl_a100 = {
	&suo_nccl_fitted, &gpus[A100], SUO_NCCL_VERBS
};

const struct suo_nccl suo_nccl_h100 = {
	&suo_nccl_fitted, &gpus[H100], SUO_NCCL_VERBS
};

const struct suo_nccl suo_nccl_b200 = {
	&suo_nccl_fitted, &gpus[B200], SUO_NCCL_VERBS
};

const struct suo_nccl suo_nccl_mi355x = {
	&suo_nccl_fitted, &gpus[MI355X], SUO_NCCL_RCCL_VERBS
};

const struct suo_nccl_gpu *suo_nccl_gpu_get(unsigned int i)
{
	return i < COUNT(gpus) ? &gpus[i] : NULL;
}

const struct suo_nccl_gpu *suo_nccl_gpu_find(const char *name)
{
	const struct suo_nccl_gpu *gpu;

	for (unsigned int i = 0; (gpu = suo_nccl_gpu_get(i)); i++)
		if (!strcmp(gpu->name, name))
			return gpu;
	return NULL;
}

static const char *const op_names[] = {
	[SUO_NCCL_ALLREDUCE]		= "all_reduce",
	[SUO_NCCL_ALLGATHER]		= "all_gather",
	[SUO_NCCL_REDUCESCATTER]	= "reduce_scatter",
	[SUO_NCCL_ALLTOALL]		= "alltoall",
	[SUO_NCCL_BROADCAST]		= "broadcast",
	[SUO_NCCL_REDUCE]		= "reduce",
};

static const char *const algorithm_names[] = {
	[SUO_NCCL_RING]		= "ring",
	[SUO_NCCL_TREE]		= "tree",
	[SUO_NCCL_NVLS]		= "nvls",
	[SUO_NCCL_NVLS_TREE]	= "nvls_tree",
	[SUO_NCCL_P2P]		= "p2p",
};

static const char *const protocol_names[] = {
	[SUO_NCCL_LL]		= "ll",
	[SUO_NCCL_LL128]	= "ll128",
	[SUO_NCCL_SIMPLE]	= "simple",
};

static const char *const gen_names[] = {
	[SUO_NCCL_AMPERE]	= "ampere",
	[SUO_NCCL_HOPPER]	= "hopper",
	[SUO_NCCL_BLACKWELL]	= "blackwell",
	[SUO_NCCL_CDNA]		= "cdna",
};

static const char *const transport_names[] = {
	[SUO_NCCL_VERBS]	= "verbs",
	[SUO_NCCL_TCPXO]	= "tcpxo",
	[SUO_NCCL_RCCL_VERBS]	= "rccl_verbs",
};

static const char *const gen_constant_names[] = {
	[SUO_NCCL_BASE]			= "base_kcycles",
	[SUO_NCCL_BASE_SIMPLE]		= "base_simple_kcycles",
	[SUO_NCCL_HOP_LL]		= "hop_ll_kcycles",
	[SUO_NCCL_HOP_LL128]		= "hop_ll128_kcycles",
	[SUO_NCCL_HOP_SIMPLE]		= "hop_simple_kcycles",
	[SUO_NCCL_CHANNEL_LL]		= "channel_ll_ratio",
	[SUO_NCCL_CHANNEL_LL128]	= "channel_ll128_ratio",
	[SUO_NCCL_CHANNEL_SIMPLE]	= "channel_simple_bytes_per_cycle",
	[SUO_NCCL_LINK_LL]		= "link_ll_ratio",
	[SUO_NCCL_LINK_LL128]		= "link_ll128_ratio",
	[SUO_NCCL_LINK_SIMPLE]		= "link_simple_share",
	[SUO_NCCL_EXPOSED]		= "exposed_share",
	[SUO_NCCL_COPY]			= "own_copy",
	[SUO_NCCL_GATHER]		= "gather_work",
	[SUO_NCCL_NVLS_BASE]		= "nvls_base_kcycles",
	[SUO_NCCL_NVLS_LOOP]		= "nvls_round_kcycles",
	[SUO_NCCL_NVLS_LINK]		= "nvls_link_share",
	[SUO_NCCL_P2P_BASE]		= "p2p_base_kcycles",
	[SUO_NCCL_P2P_PEER]		= "p2p_peer_kcycles",
	[SUO_NCCL_P2P_FILL]		= "p2p_simple_kcycles",
	[SUO_NCCL_P2P_LL]		= "p2p_channel_ll_bytes_per_cycle",
	[SUO_NCCL_P2P_SIMPLE]		= "p2p_channel_simple_bytes_per_cycle",
	[SUO_NCCL_P2P_LINK]		= "p2p_link_share",
	[SUO_NCCL_P2P_COPY]		= "p2p_own_copy",
};

static const char *const net_constant_names[] = {
	[SUO_NCCL_NET_LL]		= "hop_ll_us",
	[SUO_NCCL_NET_LL128]		= "hop_ll128_us",
	[SUO_NCCL_NET_SIMPLE]		= "hop_simple_us",
	[SUO_NCCL_NET_NVLS_TREE]	= "hop_nvls_tree_us",
	[SUO_NCCL_NET_LINK]		= "nic_share",
};

const char *suo_nccl_op_name(enum suo_nccl_op op)
{
	return op_names[op];
}

const char *suo_nccl_algorithm_name(enum suo_nccl_algorithm a)
{
	return algorithm_names[a];
}

const char *suo_nccl_protocol_name(enum suo_nccl_protocol p)
{
	return protocol_names[p];
}

const char *suo_nccl_gen_name(enum suo_nccl_gen gen)
{
	return gen_names[gen];
}

const char *suo_nccl_transport_name(enum suo_nccl_transport t)
{
	return transport_names[t];
}

const char *suo_nccl_gen_constant_name(enum suo_nccl_gen_constant c)
{
	return gen_constant_names[c];
}

const char *suo_nccl_net_constant_name(enum suo_nccl_net_constant c)
{
	return net_constant_names[c];
}

const char *suo_nccl_check(const struct suo_nccl_system *sys)
{
	if (!sys->gpu)
		return "no accelerator is named";
	if (sys->ranks < 2)
		return "a collective needs two ranks";
	if (!sys->domain || sys->ranks % sys->domain)
		return "the ranks are not a multiple of the domain's size";
	if (sys->ranks > sys->domain && !sys->nics)
		return "several domains, but no NICs";
	if (sys->ranks > sys->domain && !(sys->nic_GBps > 0))
		return "several domains, but the NICs have no rate";
	if (!(sys->up_GBps >= 0))
		return "a scale-up rate below zero";
	return NULL;
}
