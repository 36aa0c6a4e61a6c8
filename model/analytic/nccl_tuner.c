// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The vendors' tuners, with the vendors' constants: what the libraries choose by.
 *
 * NCCL: src/graph/tuning.cc of 2.29 (ncclTopoTuneModel, ncclTopoGetAlgoTime).
 * RCCL: the same file of RCCL 2.27, its model for gfx950, and the sizes up to
 * which it takes LL and LL128.
 */
#include "model/analytic/nccl_graph.h"

/* us: launch; rows: tree, ring; LL, LL128, Simple */
static const double nccl_base[2][SUO_NCCL_PROTOCOLS] = {
	[SUO_NCCL_RING]	= { 6.6, 14.0, 8.4 },
	[SUO_NCCL_TREE]	= { 6.8, 14.0, 8.4 },
};

/* us: a hop over NVLink, a hop over the network */
static const double nccl_up[2][SUO_NCCL_PROTOCOLS] = {
	[SUO_NCCL_RING]	= { 0.6, 1.9, 3.4 },
	[SUO_NCCL_TREE]	= { 0.6, 1.25, 4.0 },
};

static const double nccl_out[2][SUO_NCCL_PROTOCOLS] = {
	[SUO_NCCL_RING]	= { 2.7, 4.0, 14.0 },
	[SUO_NCCL_TREE]	= { 5.0, 8.5, 14.0 },
};

static const double rccl_base[2][SUO_NCCL_PROTOCOLS] = {
	[SUO_NCCL_RING]	= { 12.0, 12.0, 17.0 },
	[SUO_NCCL_TREE]	= { 12.0, 12.0, 17.0 },
};

static const double rccl_up[2][SUO_NCCL_PROTOCOLS] = {
	[SUO_NCCL_RING]	= { 0.8, 0.8, 2.1 },
	[SUO_NCCL_TREE]	= { 0.9, 0.9, 2.3 },
};

static const double rccl_out[2][SUO_NCCL_PROTOCOLS] = {
	[SUO_NCCL_RING]	= { 9.5, 9.5, 320.0 },
	[SUO_NCCL_TREE]	= { 10.5, 10.5, 25.0 },
};

#define NVLS_US			25.0	/* NVLS, and NVLSTree inside */
#define NVLS_TREE_OUT_US	20.9
#define NVLS_TREE_OUT_OLD_US	14.0	/* before 2.27 */

/* GB/s by generation; columns: 1, 2, more domains */
static const double ring_ll128_max[][3] = {
	[SUO_NCCL_AMPERE]	= { 20.0, 20.0, 20.0 },
	[SUO_NCCL_HOPPER]	= { 36.7, 36.7, 36.7 },
	[SUO_NCCL_BLACKWELL]	= { 34.5, 34.6, 34.5 },
	[SUO_NCCL_CDNA]		= { 36.7, 36.7, 36.7 },
};

static const double tree_ll128_max[][3] = {
	[SUO_NCCL_AMPERE]	= { 20.0, 20.0, 20.0 },
	[SUO_NCCL_HOPPER]	= { 36.7, 36.7, 29.0 },
	[SUO_NCCL_BLACKWELL]	= { 55.6, 31.67, 20.0 },
	[SUO_NCCL_CDNA]		= { 36.7, 36.7, 29.0 },
};

static const double tree_max[][3] = {
	[SUO_NCCL_AMPERE]	= { 24.0, 23.6, 17.8 },
	[SUO_NCCL_HOPPER]	= { 38.7, 41.4, 36.0 },
	[SUO_NCCL_BLACKWELL]	= { 70.0, 42.8, 24.0 },
	[SUO_NCCL_CDNA]		= { 38.7, 41.4, 36.0 },
};

static const double nvls_tree_max[][3] = {
	[SUO_NCCL_AMPERE]	= { 0, 0, 0 },
	[SUO_NCCL_HOPPER]	= { 0, 57.7, 45.5 },
	[SUO_NCCL_BLACKWELL]	= { 0, 96.0, 43.8 },
	[SUO_NCCL_CDNA]		= { 0, 0, 0 },
};

/* One domain: by generation. Several: by the processor, here Intel's. */
static const double ll_max[] = {
	[SUO_NCCL_AMPERE]	= 87.7,
	[SUO_NCCL_HOPPER]	= 141.0,
	[SUO_NCCL_BLACKWELL]	= 282.0,
	[SUO_NCCL_CDNA]		= 141.0,
};

static const double ll_max_out[3] = { 0, 39.0, 20.4 };

static const double nvls_share[] = {
	[SUO_NCCL_HOPPER]	= 0.85,
	[SUO_NCCL_BLACKWELL]	= 0.74,
	[SUO_NCCL_CDNA]		= 0,
};

/* Share of a tree's rate, by log2(bytes / 64). */
static const double tree_share[SUO_NCCL_PROTOCOLS][24] = {
	{ 1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5,
	  .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1 },
	{ 1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6,
	  .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1 },
	{ .9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
	  .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9 },
};

double suo_nccl_tree_share(enum suo_nccl_protocol p, unsigned int size)
{
	return size < 23 ? tree_share[p][size] : 1;
}

/* RCCL: share of the rings' rate, 2 and more domains */
static const double rccl_share[2][SUO_NCCL_PROTOCOLS] = {
	[SUO_NCCL_RING]	= { 0.08, 0.08, 1.00 },
	[SUO_NCCL_TREE]	= { 0.06, 0.06, 0.11 },
};

/* RCCL takes LL up to the first size, LL128 up to the second (AllReduce). */
#define RCCL_LL_BYTES		262144ull
#define RCCL_LL128_BYTES	70640910ull

#define PLATEAU		1.4	/* NCCL: rings between hosts, Simple */

static int node_column(const struct suo_nccl_system *sys)
{
	uint32_t k = suo_nccl_domains(sys);

	return k > 2 ? 2 : k - 1;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static bool exists(const struct suo_nccl_system *sys, enum suo_nccl_op op,
		   enum suo_nccl_algorithm a, enum suo_nccl_protocol p)
{
	uint32_t k = suo_nccl_domains(sys);

	if (!(sys->algorithms & 1u << a) || !(sys->protocols & 1u << p))
		return false;

	switch (a) {
	case SUO_NCCL_RING:
		return op != SUO_NCCL_ALLTOALL;
	case SUO_NCCL_TREE:
		return op == SUO_NCCL_ALLREDUCE;
	case SUO_NCCL_NVLS:
		return op != SUO_NCCL_ALLTOALL && !suo_nccl_is_rooted(op) &&
		       sys->gpu->multicast &&
		       k == 1 && sys->domain > 2 && p == SUO_NCCL_SIMPLE;
	case SUO_NCCL_NVLS_TREE:
		return op == SUO_NCCL_ALLREDUCE && sys->gpu->multicast &&
		       k > 1 && sys->domain > 1 && p == SUO_NCCL_SIMPLE;
	default:
		return false;
	}
}

double suo_nccl_ll_ceiling(enum suo_nccl_gen gen)
{
	return ll_max[gen];
}

double suo_nccl_ll128_ceiling(enum suo_nccl_gen gen)
{
	return ring_ll128_max[gen][0];
}

double suo_nccl_ll_out_ceiling(const struct suo_nccl_system *sys)
{
	return sys->gpu->gen == SUO_NCCL_CDNA ? 0 : ll_max_out[node_column(sys)];
}

/* Latency of rings and trees. */
static double latency_us(const struct suo_nccl_system *sys, enum suo_nccl_op op,
			 enum suo_nccl_algorithm a, enum suo_nccl_protocol p)
{
	bool rccl = sys->gpu->gen == SUO_NCCL_CDNA;
	double base = (rccl ? rccl_base : nccl_base)[a][p];
	double up = (rccl ? rccl_up : nccl_up)[a][p];
	double out = (rccl ? rccl_out : nccl_out)[a][p];
	uint32_t k = suo_nccl_domains(sys);
	uint32_t steps, out_steps;

	if (a == SUO_NCCL_TREE)
		return base + 2 * ((sys->domain - 1) * up +
				   suo_nccl_log2(k) * out);

	/* Where all channels go the same way, a chain counts one hop, of any length. */
	if (suo_nccl_is_rooted(op))
		return base + (k > 1 ? out : up);

	steps = suo_nccl_ring_steps(sys, op);
	out_steps = suo_nccl_ring_out_steps(sys, op);
	if (k > 1) {
		double post = p == SUO_NCCL_SIMPLE ? 3.0 : 1.0;

		up = up > post ? up : post;
	}
	return base + (steps - out_steps) * up + out_steps * out;
}

/* Rate of rings and trees, of bytes as nccl-tests counts them. */
static double rate_GBps(const struct suo_nccl_system *sys,
			const struct suo_nccl_graph *g, enum suo_nccl_op op,
			enum suo_nccl_algorithm a, enum suo_nccl_protocol p,
			unsigned int size)
{
	enum suo_nccl_gen gen = sys->gpu->gen;
	int column = node_column(sys);
	double n = g->ring_channels;
	double bus = n * g->ring_GBps;
	double ll = column ? ll_max_out[column] : ll_max[gen];

	if (gen == SUO_NCCL_CDNA)
		bus *= rccl_share[a][p];
	else if (a == SUO_NCCL_RING && p == SUO_NCCL_LL)
		bus = least(ll, bus / 2);
	else if (a == SUO_NCCL_RING && p == SUO_NCCL_LL128)
		bus = least(bus * 0.92, n * ring_ll128_max[gen][column]);

	if (a == SUO_NCCL_RING)
		return bus * sys->ranks / suo_nccl_ring_parts(sys, op);

	if (gen != SUO_NCCL_CDNA) {
		bus = least(bus * 0.92, n * tree_max[gen][column]);
		if (p == SUO_NCCL_LL)
			bus = least(bus / 3.8, ll);
		if (p == SUO_NCCL_LL128)
			bus = least(bus * (column ? 120.0 / 128 : 7.0 / 9),
				    n * tree_ll128_max[gen][column]);
	}
	return bus * suo_nccl_tree_share(p, size) / 2;
}

static double nvls_us(const struct suo_nccl_system *sys,
		      const struct suo_nccl_graph *g, enum suo_nccl_op op,
		      uint64_t bytes)
{
	double heads = g->nvls_heads;
	double up = g->nvls_GBps * nvls_share[sys->gpu->gen];

	up *= (heads - 1) / heads;
	if (op == SUO_NCCL_ALLREDUCE)
		return NVLS_US + bytes / 1e3 / (2 * up * heads * sys->ranks /
						suo_nccl_ring_steps(sys, op));
	up *= (sys->domain - 1.0) / sys->domain;
	return NVLS_US + bytes / 1e3 / (up * heads);
}

static double nvls_tree_us(const struct suo_nccl_system *sys,
			   const struct suo_nccl_graph *g, uint64_t bytes)
{
	uint32_t k = suo_nccl_domains(sys);
	double heads = g->nvls_heads;
	double up = 2 * g->nvls_GBps * nvls_share[sys->gpu->gen];
	double out = g->ring_GBps * g->ring_channels / heads * (k == 2 ? 2 : 1);
	double bus;

	if (sys->version && sys->version < 22700) {
		bus = least(g->nvls_GBps, out) * heads * 5 / 6;
		return NVLS_US + 2 * suo_nccl_log2(k) * NVLS_TREE_OUT_OLD_US +
		       bytes / 1e3 / bus;
	}

	up *= (heads - 1) / heads;
	bus = least(up, out);
	bus = least(bus, nvls_tree_max[sys->gpu->gen][node_column(sys)]);
	bus *= heads * sys->ranks /
	       suo_nccl_ring_steps(sys, SUO_NCCL_ALLREDUCE);
	return NVLS_US + 2 * suo_nccl_log2(k) * NVLS_TREE_OUT_US +
	       bytes / 1e3 / bus;
}

static double tuner_us(const struct suo_nccl_system *sys,
		       const struct suo_nccl_graph *g, enum suo_nccl_op op,
		       uint64_t bytes, enum suo_nccl_algorithm a,
		       enum suo_nccl_protocol p)
{
	double latency;

	if (!exists(sys, op, a, p))
		return 0;
	if (a == SUO_NCCL_NVLS)
		return nvls_us(sys, g, op, bytes);
	if (a == SUO_NCCL_NVLS_TREE)
		return nvls_tree_us(sys, g, bytes);

	latency = latency_us(sys, op, a, p);
	if (a == SUO_NCCL_RING && p == SUO_NCCL_SIMPLE &&
	    op == SUO_NCCL_ALLREDUCE && suo_nccl_domains(sys) > 1 &&
	    sys->gpu->gen != SUO_NCCL_CDNA &&
	    bytes / (g->channels * (uint64_t)sys->ranks) >= 64)
		latency *= PLATEAU;

	return latency + bytes / 1e3 / rate_GBps(sys, g, op, a, p,
						 suo_nccl_log2(bytes >> 6));
}

double suo_nccl_tuner_us(const struct suo_nccl_system *sys, enum suo_nccl_op op,
			 uint64_t bytes, enum suo_nccl_algorithm a,
			 enum suo_nccl_protocol p)
{
	struct suo_nccl_graph g;

	suo_nccl_graph(sys, &g);
	return tuner_us(sys, &g, op, bytes, a, p);
}

/*
 * RCCL between hosts takes the protocol by size, where more than one is allowed,
 * and with LL and LL128 trees: its table has nothing better for them.
 */
static bool rccl_skips(const struct suo_nccl_system *sys, enum suo_nccl_op op,
		       uint64_t bytes, enum suo_nccl_algorithm a,
		       enum suo_nccl_protocol p)
{
	enum suo_nccl_protocol want = SUO_NCCL_SIMPLE;

	if (sys->gpu->gen != SUO_NCCL_CDNA || op != SUO_NCCL_ALLREDUCE ||
	    suo_nccl_domains(sys) == 1)
		return false;

	if (bytes <= RCCL_LL_BYTES)
		want = SUO_NCCL_LL;
	else if (bytes <= RCCL_LL128_BYTES)
		want = SUO_NCCL_LL128;
	if (!(sys->protocols & 1u << want))
		return false;
	return p != want || (a == SUO_NCCL_RING && p != SUO_NCCL_SIMPLE &&
			     sys->algorithms & 1u << SUO_NCCL_TREE) ||
	       (a == SUO_NCCL_TREE && p == SUO_NCCL_SIMPLE &&
		sys->algorithms & 1u << SUO_NCCL_RING);
}

double suo_nccl_choose(const struct suo_nccl_system *sys, enum suo_nccl_op op,
		       uint64_t bytes, struct suo_nccl_pick *pick)
{
	struct suo_nccl_graph g;
	double best = 0;

	suo_nccl_graph(sys, &g);
	for (unsigned int a = 0; a < SUO_NCCL_ALGORITHMS; a++)
		for (unsigned int p = 0; p < SUO_NCCL_PROTOCOLS; p++) {
			double us = tuner_us(sys, &g, op, bytes, a, p);

			if (us <= 0 || (best > 0 && us >= best) ||
			    rccl_skips(sys, op, bytes, a, p))
				continue;
			best = us;
			pick->algorithm = a;
			pick->protocol = p;
		}
	return best;
}
