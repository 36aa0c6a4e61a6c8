/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a library's topology search finds: channels and their rates. */
#ifndef SUO_ANALYTIC_NCCL_GRAPH_H
#define SUO_ANALYTIC_NCCL_GRAPH_H

#include "model/analytic/nccl.h"

/**
 * struct suo_nccl_graph - channels, as the tuner sees them
 * @ring_channels: rings that the search finds
 * @ring_GBps: rate of one, between hosts too
 * @channels: that collectives run on
 * @p2p_channels: that sends and receives run on
 * @nvls_heads: accelerators that share a multicast group
 * @nvls_GBps: rate of a head; 0: no multicast
 * @nvls_channels: that NVLS runs on
 * @links_GBps: what the search takes an accelerator's links for
 */
struct suo_nccl_graph {
	unsigned int	ring_channels;
	double		ring_GBps;
	unsigned int	channels;
	unsigned int	p2p_channels;
	unsigned int	nvls_heads;
	double		nvls_GBps;
	unsigned int	nvls_channels;
	double		links_GBps;
};

/*
 * The search (NCCL 2.29, src/graph/search.cc, connect.cc) tries a list of rates
 * for a channel, highest first, and takes the first with which the channels
 * fill the links; what is found is doubled where a channel is fast. Here the
 * same is worked out for accelerators that all reach each other alike.
 */
void suo_nccl_graph(const struct suo_nccl_system *sys,
		    struct suo_nccl_graph *graph);

/* What is left of 1 GB/s of a NIC, as the search counts it (encoding). */
#define SUO_NCCL_NIC_SHARE	0.96

static inline uint32_t suo_nccl_domains(const struct suo_nccl_system *sys)
{
	return sys->ranks / sys->domain;
}

/* What is left of a tree's rate, by log2(bytes / 64): the vendor's table. */
double suo_nccl_tree_share(enum suo_nccl_protocol p, unsigned int size);

/* The tuner's ceilings, GB/s: LL of all channels; LL128 of a channel. */
double suo_nccl_ll_ceiling(enum suo_nccl_gen gen);
double suo_nccl_ll128_ceiling(enum suo_nccl_gen gen);
/* LL of all channels, where there are several domains; 0: none. */
double suo_nccl_ll_out_ceiling(const struct suo_nccl_system *sys);

/* Scale-up rate of an accelerator, GB/s. */
static inline double suo_nccl_links_GBps(const struct suo_nccl_system *sys)
{
	return sys->up_GBps > 0 ? sys->up_GBps :
	       sys->gpu->links * sys->gpu->link_GBps;
}

/* Steps of a ring; and those of them that leave a domain. */
static inline uint32_t suo_nccl_ring_steps(const struct suo_nccl_system *sys,
					   enum suo_nccl_op op)
{
	uint32_t once = sys->ranks - 1;

	return op == SUO_NCCL_ALLREDUCE ? 2 * once : once;
}

static inline uint32_t suo_nccl_ring_out_steps(const struct suo_nccl_system *sys,
					       enum suo_nccl_op op)
{
	uint32_t once = suo_nccl_domains(sys) - 1;

	return op == SUO_NCCL_ALLREDUCE ? 2 * once : once;
}

/* Parts of the vector, of as many as there are ranks, that a rank of a ring sends. */
static inline uint32_t suo_nccl_ring_parts(const struct suo_nccl_system *sys,
					   enum suo_nccl_op op)
{
	return suo_nccl_is_rooted(op) ? sys->ranks : suo_nccl_ring_steps(sys, op);
}

/* log2, rounded down; 0 for 0. */
static inline unsigned int suo_nccl_log2(uint64_t x)
{
	return x ? 63 - __builtin_clzll(x) : 0;
}

#endif /* SUO_ANALYTIC_NCCL_GRAPH_H */
