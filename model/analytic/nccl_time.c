// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How long a library's choice takes.
 *
 * One shape for all: launch, then steps, each of which waits for a hop, for a
 * channel (compute units that copy), and shares the links with the others:
 *
 *	T = base + e steps hop + norm8((1 - e) steps hop + bytes / channels / r,
 *				       bytes / B)
 *
 * Below the size at which channels fill the links, a chain of steps is waited
 * for; above, the links are. norm8(a, b) = (a^8 + b^8)^(1/8) goes over from one
 * to the other. e is the share of the steps that is still seen beside a stream:
 * all of it with LL and LL128, which synchronise by each word, less with Simple,
 * where the next chunk is under way while one is waited for.
 */
#include <math.h>

#include "model/analytic/nccl_graph.h"

struct run {
	const struct suo_nccl_system	*sys;
	const double			*k;	/* of the generation */
	const double			*net;	/* of the transport */
	struct suo_nccl_graph		g;
	enum suo_nccl_op		op;
	double				bytes;
	double				us_per_kcycle;
	struct suo_nccl_pick		*pick;
};

/* How steep the change from one bound to the other is. */
static double norm8(double a, double b)
{
	double most = a > b ? a : b, x = a > b ? b / a : a / b;

	if (!(most > 0))
		return 0;
	x *= x;
	x *= x;
	x *= x;
	return most * sqrt(sqrt(sqrt(1 + x)));
}

/*
 * Channels in use: as many as have enough to do (topoGetAlgoInfo): bytes that the
 * threads of a block take at once (src/include/device.h, comm.h). Ring LL counts
 * them for each rank. Not rounded, so that a byte more never takes less time.
 */
static double used_channels(const struct run *r, enum suo_nccl_algorithm a,
			    enum suo_nccl_protocol p)
{
	static const double enough[SUO_NCCL_PROTOCOLS] = {
		512 * 8, 640 * 8, 512 * 64
	};
	double each = enough[p];

	if (a == SUO_NCCL_RING && p == SUO_NCCL_LL)
		each *= r->sys->ranks;
	return fmin(fmax(r->bytes / each, 1), r->g.channels);
}

static double nics_GBps(const struct run *r)
{
	return r->sys->nics * r->sys->nic_GBps * r->net[SUO_NCCL_NET_LINK];
}

/* What a protocol carries, by wire bytes: LL half, LL128 120 of 128. */
static double protocol_share(enum suo_nccl_protocol p)
{
	return p == SUO_NCCL_LL ? 0.5 : p == SUO_NCCL_LL128 ? 120.0 / 128 : 1;
}

/*
 * Rate of one channel, and of all. What LL and LL128 reach is the compute
 * units' affair more than the links'; the tuner's ceilings tell generations
 * apart, so constants are kept against them.
 */
#define CEILING_CHANNELS	24

static double channel_GBps(const struct run *r, enum suo_nccl_protocol p)
{
	enum suo_nccl_gen gen = r->sys->gpu->gen;
	double k = r->k[SUO_NCCL_CHANNEL_LL + p];

	if (p == SUO_NCCL_LL)
		return k * suo_nccl_ll_ceiling(gen) / CEILING_CHANNELS;
	if (p == SUO_NCCL_LL128)
		return k * suo_nccl_ll128_ceiling(gen);
	return k * r->sys->gpu->clock_ghz;
}

static double up_GBps(const struct run *r, enum suo_nccl_protocol p)
{
	enum suo_nccl_gen gen = r->sys->gpu->gen;
	double k = r->k[SUO_NCCL_LINK_LL + p];
	double links = suo_nccl_links_GBps(r->sys);

	if (p == SUO_NCCL_LL)
		return fmin(k * suo_nccl_ll_ceiling(gen), links / 2);
	if (p == SUO_NCCL_LL128)
		return k * fmin(0.92 * r->g.links_GBps,
				r->g.channels / 2 * suo_nccl_ll128_ceiling(gen));
	return k * links;
}

/* Launch; Simple's is dearer, with more to set up. */
static double base_us(const struct run *r, enum suo_nccl_protocol p)
{
	double base = r->k[SUO_NCCL_BASE];

	if (p == SUO_NCCL_SIMPLE)
		base += r->k[SUO_NCCL_BASE_SIMPLE];
	return base * r->us_per_kcycle;
}

/*
 * Put together: steps that are seen in any case, those that hide behind a stream,
 * waiting for channels, for links, for NICs; and what of it each takes.
 */
struct waits {
	double	seen_us;
	double	hidden_us;
	double	channel_us;
	double	up_us;
	double	out_us;
	double	hop_us;		/* of seen_us: hops between domains */
};

static void put_together(struct suo_nccl_pick *pick, const struct waits *w)
{
	double chain = w->hidden_us + w->channel_us;
	double stream = fmax(w->up_us, w->out_us);
	double both = norm8(chain, stream);
	double of_chain = both > 0 ? pow(chain / both, 8) : 0;
	double waited = both * of_chain;

	pick->step_us = w->seen_us - w->hop_us;
	pick->channel_us = 0;
	if (chain > 0) {
		pick->step_us += waited * w->hidden_us / chain;
		pick->channel_us = waited * w->channel_us / chain;
	}
	pick->up_us = w->up_us >= w->out_us ? both - waited : 0;
	pick->out_us = w->hop_us + (w->up_us < w->out_us ? both - waited : 0);
	pick->time_us = pick->launch_us + w->seen_us + both;
}

/* Rings hide part of a hop between hosts that trees see: the tuner's ratio. */
static const double ring_hop_ratio[SUO_NCCL_PROTOCOLS] = {
	2.7 / 5.0, 4.0 / 8.5, 1
};

/* Gathering writes twice, to memory and on; half of an AllReduce gathers. */
static double gather_work(const struct run *r)
{
	double gather = r->k[SUO_NCCL_GATHER];

	if (r->op == SUO_NCCL_REDUCESCATTER || r->op == SUO_NCCL_REDUCE ||
	    r->pick->protocol == SUO_NCCL_SIMPLE)
		return 1;
	if (r->op == SUO_NCCL_ALLGATHER || r->op == SUO_NCCL_BROADCAST)
		return gather;
	return (1 + gather) / 2;
}

/*
 * A rooted collective is a chain: the whole vector passes each rank but the last, in
 * chunks that follow each other, so that the way is waited for once: N - 1 hops and
 * S / B (the pipeline of cost.h with chunks that are small against S). A rank has no
 * part of its own to copy.
 */
static void ring_us(struct run *r)
{
	struct suo_nccl_pick *pick = r->pick;
	enum suo_nccl_protocol p = pick->protocol;
	uint32_t n = r->sys->ranks, k = suo_nccl_domains(r->sys);
	uint32_t steps = suo_nccl_ring_steps(r->sys, r->op);
	uint32_t out_steps = suo_nccl_ring_out_steps(r->sys, r->op);
	double hop = r->k[SUO_NCCL_HOP_LL + p] * r->us_per_kcycle;
	/* Chunks between hosts are too large to hide the way round. */
	double e = p == SUO_NCCL_SIMPLE && k == 1 ? r->k[SUO_NCCL_EXPOSED] : 1;
	double sent = r->bytes / n * suo_nccl_ring_parts(r->sys, r->op) / 1e3;
	double own = suo_nccl_is_rooted(r->op) ? 0 :
		     r->bytes / n * r->k[SUO_NCCL_COPY] / 1e3;
	double channels = used_channels(r, SUO_NCCL_RING, p);
	struct waits w = { 0 };

	pick->channels = ceil(channels);
	pick->launch_us = base_us(r, p);
	w.hop_us = out_steps * r->net[SUO_NCCL_NET_LL + p] * ring_hop_ratio[p];
	w.seen_us = e * (steps - out_steps) * hop + w.hop_us;
	w.hidden_us = (1 - e) * (steps - out_steps) * hop;
	w.channel_us = sent * gather_work(r) / channels / channel_GBps(r, p);
	w.up_us = (sent + own) / up_GBps(r, p);
	if (k > 1)
		w.out_us = sent / nics_GBps(r) / protocol_share(p);
	put_together(pick, &w);
}

/*
 * Trees: up a chain inside the domain, over log2 k hops, down again. Chunks are
 * small and the tree's rate suffers at middle sizes: the vendor's correction.
 */
static void tree_us(struct run *r)
{
	static const double hop_ratio[SUO_NCCL_PROTOCOLS] = {
		1, 1.25 / 1.9, 4.0 / 3.4
	};
	struct suo_nccl_pick *pick = r->pick;
	enum suo_nccl_protocol p = pick->protocol;
	uint32_t k = suo_nccl_domains(r->sys);
	double hop = r->k[SUO_NCCL_HOP_LL + p] * r->us_per_kcycle * hop_ratio[p];
	double share = suo_nccl_tree_share(p, suo_nccl_log2((uint64_t)r->bytes >> 6));
	double ceiling = suo_nccl_ll_out_ceiling(r->sys);
	double channels = used_channels(r, SUO_NCCL_TREE, p);
	double kbytes = r->bytes / 1e3;
	struct waits w = { 0 };

	pick->channels = ceil(channels);
	pick->launch_us = base_us(r, p);
	w.hop_us = 2 * suo_nccl_log2(k) * r->net[SUO_NCCL_NET_LL + p];
	w.seen_us = 2 * (r->sys->domain - 1) * hop + w.hop_us;
	/* A channel's bytes go up and come down. */
	w.channel_us = 2 * kbytes / channels / channel_GBps(r, p);
	w.up_us = 2 * kbytes / up_GBps(r, p) / share;
	if (k > 1 && p == SUO_NCCL_LL && ceiling > 0)
		w.up_us = fmax(w.up_us, 2 * kbytes / ceiling / share);
	if (k > 1)
		w.out_us = (k > 2 ? 2 : 1) * kbytes / nics_GBps(r) /
			   protocol_share(p) / share;
	put_together(pick, &w);
}

/* A round moves a chunk for each head on each channel (src/enqueue.cc). */
static double nvls_round(double bytes, double heads_channels)
{
	double chunk = 131072;

	if (bytes < 64 * heads_channels * chunk)
		chunk = 65536;
	if (bytes < 8 * heads_channels * chunk && chunk > 32768)
		chunk = 32768;
	if (bytes < 2 * heads_channels * chunk && chunk > 16384)
		chunk = 16384;
	return heads_channels * chunk;
}

static double nvls_tree_round(double bytes, double heads_channels)
{
	double chunk = 131072;

	if (bytes < 4 * heads_channels * chunk)
		chunk = 65536;
	if (bytes < heads_channels * chunk)
		chunk = 32768;
	return heads_channels * chunk;
}

static void nvls_us(struct run *r)
{
	struct suo_nccl_pick *pick = r->pick;
	double n = r->sys->domain;
	double hc = (double)r->g.nvls_heads * r->g.nvls_channels;
	double round = nvls_round(r->bytes, hc);
	double loop = r->k[SUO_NCCL_NVLS_LOOP] * r->us_per_kcycle;
	double rate = suo_nccl_links_GBps(r->sys) * r->k[SUO_NCCL_NVLS_LINK];
	double factor = r->op == SUO_NCCL_ALLREDUCE ? 1 : (n - 1) / n;

	pick->channels = r->g.nvls_channels;
	pick->launch_us = r->k[SUO_NCCL_BASE] * r->us_per_kcycle;
	pick->step_us = r->k[SUO_NCCL_NVLS_BASE] * r->us_per_kcycle;
	/* One round's chunks are under way while the last one's are reduced. */
	pick->up_us = factor * r->bytes / 1e3 / rate;
	pick->channel_us = r->bytes / round * loop;
	pick->channel_us = hypot(pick->up_us, pick->channel_us) - pick->up_us;
	pick->out_us = 0;
	pick->time_us = pick->launch_us + pick->step_us + pick->channel_us +
			pick->up_us;
}

/*
 * NVLS inside, a tree between the domains' heads: theory's formula of a chunked
 * pipeline, T = sum t_i(S / C) + (C - 1) max t_i(S / C), over C rounds. A
 * chunk crosses between hosts twice, up the tree and down again.
 */
static void nvls_tree_us(struct run *r)
{
	struct suo_nccl_pick *pick = r->pick;
	uint32_t k = suo_nccl_domains(r->sys);
	double hc = (double)r->g.nvls_heads * r->g.nvls_channels;
	double round = nvls_tree_round(r->bytes, hc);
	double rounds = fmax(1, r->bytes / round);
	double loop = r->k[SUO_NCCL_NVLS_LOOP] * r->us_per_kcycle;
	double rate = suo_nccl_links_GBps(r->sys) * r->k[SUO_NCCL_NVLS_LINK];
	double up = hypot(r->bytes / round * loop, r->bytes / 1e3 / rate);
	double out = (k > 2 ? 2 : 1) * r->bytes / 1e3 / nics_GBps(r);
	double most = fmax(up, out), least = fmin(up, out);

	pick->channels = r->g.nvls_channels;
	pick->launch_us = r->k[SUO_NCCL_BASE] * r->us_per_kcycle;
	pick->step_us = r->k[SUO_NCCL_NVLS_BASE] * r->us_per_kcycle;
	pick->channel_us = 0;
	if (up >= out) {
		pick->up_us = most;
		pick->out_us = 2 * least / rounds;
	} else {
		pick->up_us = least / rounds;
		pick->out_us = most + most / rounds;
	}
	pick->out_us += 2 * suo_nccl_log2(k) * r->net[SUO_NCCL_NET_NVLS_TREE];
	pick->time_us = pick->launch_us + pick->step_us + pick->up_us +
			pick->out_us;
}

/*
 * Sends and receives (addP2pToPlan): bytes for a peer are cut into parts, a channel
 * each, none smaller than an eighth of a step. Since 2.29 a part goes by LL up to
 * 16 KiB, of steps of 512 KiB; before, all up to 16 KiB for each channel a peer may
 * have went by LL, whose steps are of 64 KiB (NCCL_P2P_LL_THRESHOLD).
 */
#define P2P_LL_BYTES		16384.0
#define P2P_PART_BYTES		(524288.0 / 8)
#define P2P_LL_PART_BYTES	(65536.0 / 8)
#define P2P_LL_BY_PART		22900

static bool p2p_is_old(const struct run *r)
{
	return r->sys->version && r->sys->version < P2P_LL_BY_PART;
}

static enum suo_nccl_protocol p2p_protocol(const struct run *r, double each)
{
	double most = P2P_LL_BYTES;

	if (!(r->sys->protocols & 1u << SUO_NCCL_LL))
		return SUO_NCCL_SIMPLE;
	if (p2p_is_old(r))
		most *= r->g.p2p_channels;
	return each <= most ? SUO_NCCL_LL : SUO_NCCL_SIMPLE;
}

static void p2p_us(struct run *r)
{
	struct suo_nccl_pick *pick = r->pick;
	uint32_t n = r->sys->ranks, k = suo_nccl_domains(r->sys);
	double each = r->bytes / n, most = r->g.p2p_channels, parts, rate;
	double near = r->sys->domain - 1, far = n - r->sys->domain;
	struct waits w = { 0 };

	pick->protocol = p2p_protocol(r, each);
	while (most > 1 && most * n > r->g.p2p_channels)
		most /= 2;
	parts = each / (p2p_is_old(r) && pick->protocol == SUO_NCCL_LL ?
			P2P_LL_PART_BYTES : P2P_PART_BYTES);
	parts = fmax(1, fmin(most, parts));

	pick->channels = fmin(ceil(parts) * (n - 1), r->g.p2p_channels);
	pick->launch_us = r->k[SUO_NCCL_P2P_BASE] * r->us_per_kcycle;
	rate = r->k[SUO_NCCL_P2P_LL];
	if (pick->protocol == SUO_NCCL_SIMPLE) {
		pick->launch_us += r->k[SUO_NCCL_P2P_FILL] * r->us_per_kcycle;
		rate = r->k[SUO_NCCL_P2P_SIMPLE];
	}

	if (k > 1)
		w.hop_us = r->net[SUO_NCCL_NET_LL + pick->protocol];
	w.seen_us = r->k[SUO_NCCL_P2P_PEER] * r->us_per_kcycle * log2(n) +
		    w.hop_us;
	w.channel_us = each / 1e3 / parts / (rate * r->sys->gpu->clock_ghz);
	w.up_us = each / 1e3 * (near + r->k[SUO_NCCL_P2P_COPY]) /
		  (suo_nccl_links_GBps(r->sys) * r->k[SUO_NCCL_P2P_LINK]) /
		  protocol_share(pick->protocol);
	if (k > 1)
		w.out_us = each / 1e3 * far * r->sys->domain / nics_GBps(r) /
			   protocol_share(pick->protocol);
	put_together(pick, &w);
}

double suo_nccl_time_of(const struct suo_nccl_system *sys,
			const struct suo_nccl_constants *k, enum suo_nccl_op op,
			uint64_t bytes, struct suo_nccl_pick *pick)
{
	struct run r = {
		.sys = sys,
		.k = k->gen[sys->gpu->gen],
		.net = k->net[sys->transport],
		.op = op,
		.bytes = bytes,
		.us_per_kcycle = 1 / sys->gpu->clock_ghz,
		.pick = pick,
	};

	suo_nccl_graph(sys, &r.g);
	switch (pick->algorithm) {
	case SUO_NCCL_RING:
		ring_us(&r);
		break;
	case SUO_NCCL_TREE:
		tree_us(&r);
		break;
	case SUO_NCCL_NVLS:
		nvls_us(&r);
		break;
	case SUO_NCCL_NVLS_TREE:
		nvls_tree_us(&r);
		break;
	default:
		p2p_us(&r);
	}
	return pick->time_us;
}

double suo_nccl_time_us(const struct suo_nccl_system *sys,
			const struct suo_nccl_constants *k, enum suo_nccl_op op,
			uint64_t bytes, struct suo_nccl_pick *pick)
{
	if (op == SUO_NCCL_ALLTOALL) {
		if (!(sys->algorithms & 1u << SUO_NCCL_P2P))
			return 0;
		pick->algorithm = SUO_NCCL_P2P;
	} else if (suo_nccl_choose(sys, op, bytes, pick) <= 0) {
		return 0;
	}
	return suo_nccl_time_of(sys, k, op, bytes, pick);
}
