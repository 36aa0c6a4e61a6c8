// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/analytic/nccl_graph.h"

/* Heads of a multicast group (NCCL_MAX_NVLS_ARITY). */
#define MAX_HEADS	32

/* MAXCHANNELS / 2: a search never finds more rings (src/include/device.h). */
#define MAX_RINGS	32

/*
 * Rates that are tried, highest first, by generation (speedArrayIntra,
 * sm90SpeedArrayIntra, sm100SpeedArrayIntra). RCCL takes its own way; its rings
 * are given by what an accelerator's links are.
 */
static const double ampere_speeds[] = {
	40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 0
};

static const double hopper_speeds[] = {
	60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3, 0
};

static const double blackwell_speeds[] = {
	90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18, 0
};

static const double *speeds_of(enum suo_nccl_gen gen)
{
	switch (gen) {
	case SUO_NCCL_AMPERE:
		return ampere_speeds;
	case SUO_NCCL_HOPPER:
		return hopper_speeds;
	default:
		return blackwell_speeds;
	}
}

/* SM80_NVLINK_BW, SM90_NVLINK_BW, SM100_NVLINK_BW (src/graph/topo.h): 0.80 to
 * 0.824 of a link's rate. For xGMI 48 of 64 GB/s (RCCL, GFX94X_XGMI_WIDTH).
 */
static double link_share(enum suo_nccl_gen gen)
{
	switch (gen) {
	case SUO_NCCL_AMPERE:
		return 20.0 / 25;
	case SUO_NCCL_HOPPER:
		return 20.6 / 25;
	case SUO_NCCL_BLACKWELL:
		return 40.1 / 50;
	default:
		return 48.0 / 64;
	}
}

static unsigned int pow2_up(unsigned int x)
{
	unsigned int p = 1;

	while (p < x)
		p *= 2;
	return p;
}

/* One host: channels that fill the links (ncclTopoCompute). */
static void search_up(const struct suo_nccl_system *sys,
		      struct suo_nccl_graph *g)
{
	enum suo_nccl_gen gen = sys->gpu->gen;
	const double *speed = speeds_of(gen);
	double best = 0;

	for (; *speed > 0; speed++) {
		unsigned int n = g->links_GBps / *speed;

		if (n > MAX_RINGS)
			n = MAX_RINGS;
		/* A lower rate is taken if it fills the links better. */
		if (n * *speed <= best)
			continue;
		best = n * *speed;
		g->ring_channels = n;
		g->ring_GBps = *speed;
		/* The first that comes close enough ends the search. */
		if (best > 0.95 * g->links_GBps)
			break;
	}
	if (!g->ring_channels) {
		g->ring_channels = 1;
		g->ring_GBps = g->links_GBps;
	}

	/* ncclTopoDupChannels */
	if (g->ring_GBps >= (gen == SUO_NCCL_AMPERE ? 25 : 50) ||
	    (g->ring_GBps >= 25 && g->ring_channels <= 4)) {
		unsigned int n = 2 * g->ring_channels;

		n = n > MAX_RINGS ? MAX_RINGS : n;
		g->ring_GBps *= g->ring_channels;
		g->ring_GBps /= n;
		g->ring_channels = n;
	}
}

/* Several hosts: a channel or two for each NIC, no faster than links allow. */
static void search_out(const struct suo_nccl_system *sys,
		       struct suo_nccl_graph *g)
{
	double nic = sys->nic_GBps * SUO_NCCL_NIC_SHARE;
	double most = g->links_GBps / sys->nics;

	g->ring_channels = sys->nics > MAX_RINGS ? MAX_RINGS : sys->nics;
	g->ring_GBps = nic < most ? nic : most;
}

static void search_nvls(const struct suo_nccl_system *sys,
			struct suo_nccl_graph *g)
{
	const double *speed = speeds_of(sys->gpu->gen);
	double links = g->links_GBps;

	if (!sys->gpu->multicast || sys->domain < 2)
		return;

	/* Heads pull evenly; a head's own part crosses no link. */
	links *= sys->domain / (sys->domain - 1.0);
	g->nvls_heads = sys->domain > MAX_HEADS ? MAX_HEADS : sys->domain;
	while (*speed > 0 && *speed * g->nvls_heads > links)
		speed++;
	/* Between hosts heads are NICs' neighbours, and share the links alike. */
	g->nvls_GBps = *speed;
	if (!(*speed > 0) || suo_nccl_domains(sys) > 1)
		g->nvls_GBps = g->links_GBps / g->nvls_heads;

	/* NVLS_NCHANNELS_SM90, SM100, SM100_NVL (src/transport/nvls.cc) */
	if (sys->gpu->gen == SUO_NCCL_HOPPER)
		g->nvls_channels = 16;
	else
		g->nvls_channels = suo_nccl_domains(sys) > 1 ? 32 : 24;
}

void suo_nccl_graph(const struct suo_nccl_system *sys,
		    struct suo_nccl_graph *graph)
{
	const struct suo_nccl_gpu *gpu = sys->gpu;

	*graph = (struct suo_nccl_graph){
		.links_GBps = suo_nccl_links_GBps(sys) * link_share(gpu->gen),
	};

	if (suo_nccl_domains(sys) > 1)
		search_out(sys, graph);
	else
		search_up(sys, graph);
	graph->channels = 2 * graph->ring_channels;
	if (gpu->gen == SUO_NCCL_CDNA && graph->channels < 32)
		graph->channels = 32;
	if (sys->channels) {
		graph->channels = sys->channels;
		graph->ring_GBps *= graph->ring_channels;
		graph->ring_channels = sys->channels > 1 ? sys->channels / 2 : 1;
		graph->ring_GBps /= graph->ring_channels;
	}
	graph->p2p_channels = pow2_up(graph->channels);

	search_nvls(sys, graph);
}
