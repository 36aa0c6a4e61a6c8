// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Collective libraries: channels and choices against what the vendors' sources
 * give, times against the formulas, worked out by hand with round constants.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/nccl_graph.h"
#include "model/analytic/nccl_predict.h"

#define MIB	(1ull << 20)

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-6 * fabs(want))
		fail_msg("%.9g instead of %.9g", got, want);
}

static void about(double got, double want, double pct)
{
	if (fabs(got - want) > pct / 100 * fabs(want))
		fail_msg("%.9g instead of about %.9g", got, want);
}

static struct suo_nccl_system one(const char *gpu, uint32_t ranks)
{
	struct suo_nccl_system sys = {
		.gpu = suo_nccl_gpu_find(gpu),
		.ranks = ranks,
		.domain = ranks,
		.protocols = SUO_NCCL_ALL_PROTOCOLS,
		.algorithms = SUO_NCCL_ALL_ALGORITHMS,
	};

	assert_non_null(sys.gpu);
	return sys;
}

static struct suo_nccl_system two(const char *gpu, uint32_t nics, double gbps)
{
	struct suo_nccl_system sys = one(gpu, 16);

	sys.domain = 8;
	sys.nics = nics;
	sys.nic_GBps = gbps / 8;
	return sys;
}

/* 1 us to launch, half a us a step, channels and links that cost nothing. */
static struct suo_nccl_constants round_ones(const struct suo_nccl_system *sys)
{
	struct suo_nccl_constants k = suo_nccl_vendor;
	double *gen = k.gen[sys->gpu->gen], ghz = sys->gpu->clock_ghz;
	double *net = k.net[sys->transport];

	gen[SUO_NCCL_BASE] = 1 * ghz;
	gen[SUO_NCCL_BASE_SIMPLE] = 2 * ghz;
	for (int p = 0; p < SUO_NCCL_PROTOCOLS; p++) {
		gen[SUO_NCCL_HOP_LL + p] = 0.5 * ghz;
		gen[SUO_NCCL_CHANNEL_LL + p] = 1e12;
		gen[SUO_NCCL_LINK_LL + p] = 1;
		net[SUO_NCCL_NET_LL + p] = 10;
	}
	gen[SUO_NCCL_EXPOSED] = 0.25;
	gen[SUO_NCCL_COPY] = 0.4;
	gen[SUO_NCCL_GATHER] = 2;
	gen[SUO_NCCL_NVLS_BASE] = 20 * ghz;
	gen[SUO_NCCL_NVLS_LOOP] = 1 * ghz;
	gen[SUO_NCCL_NVLS_LINK] = 1;
	gen[SUO_NCCL_P2P_BASE] = 3 * ghz;
	gen[SUO_NCCL_P2P_FILL] = 4 * ghz;
	gen[SUO_NCCL_P2P_PEER] = 0.5 * ghz;
	gen[SUO_NCCL_P2P_LL] = 1e12;
	gen[SUO_NCCL_P2P_SIMPLE] = 1e12;
	gen[SUO_NCCL_P2P_LINK] = 1;
	gen[SUO_NCCL_P2P_COPY] = 0.5;
	net[SUO_NCCL_NET_NVLS_TREE] = 20;
	net[SUO_NCCL_NET_LINK] = 1;
	return k;
}

static double time_of(const struct suo_nccl_system *sys, enum suo_nccl_op op,
		      uint64_t bytes, enum suo_nccl_algorithm a,
		      enum suo_nccl_protocol p)
{
	struct suo_nccl_constants k = round_ones(sys);
	struct suo_nccl_pick pick = { .algorithm = a, .protocol = p };

	return suo_nccl_time_of(sys, &k, op, bytes, &pick);
}

/* What NCCL prints with NCCL_DEBUG=INFO on these machines. */
static void test_channels(void **state)
{
	struct suo_nccl_system sys = one("a100_sxm", 8);
	struct suo_nccl_graph g;

	suo_nccl_graph(&sys, &g);	/* 12 links of 20: 6 of 40, doubled */
	assert_int_equal(g.ring_channels, 12);
	near(g.ring_GBps, 20);
	assert_int_equal(g.channels, 24);
	assert_int_equal(g.p2p_channels, 32);
	assert_int_equal(g.nvls_channels, 0);

	sys = one("h100_sxm", 8);	/* 18 of 20.6: 6 of 60, doubled */
	suo_nccl_graph(&sys, &g);
	assert_int_equal(g.ring_channels, 12);
	near(g.ring_GBps, 30);
	assert_int_equal(g.channels, 24);
	assert_int_equal(g.nvls_channels, 16);
	near(g.nvls_GBps, 50);		/* 8 x 60 are more than 370.8 x 8/7 */

	sys = one("b200_sxm", 8);	/* 18 of 40.1: 8 of 90, doubled */
	suo_nccl_graph(&sys, &g);
	assert_int_equal(g.ring_channels, 16);
	near(g.ring_GBps, 45);
	assert_int_equal(g.channels, 32);
	assert_int_equal(g.nvls_channels, 24);
	near(g.nvls_GBps, 90);

	sys = two("a100_sxm", 16, 100);	/* a NIC of 12 GB/s a ring */
	suo_nccl_graph(&sys, &g);
	assert_int_equal(g.ring_channels, 16);
	near(g.ring_GBps, 12);

	sys = two("h100_sxm", 8, 400);	/* 48 of a NIC, but 370.8 of links */
	suo_nccl_graph(&sys, &g);
	assert_int_equal(g.channels, 16);
	near(g.ring_GBps, 370.8 / 8);

	sys.channels = 8;
	suo_nccl_graph(&sys, &g);
	assert_int_equal(g.channels, 8);
	near(g.ring_GBps, 370.8 / 4);

	sys = one("gb200", 72);		/* no more heads than 32 */
	suo_nccl_graph(&sys, &g);
	assert_int_equal(g.nvls_heads, 32);
	near(g.nvls_GBps, 20);		/* 24 x 32 are more than 721.8 x 72/71 */
}

/* base + steps hop + bytes / rate, from the tables of tuning.cc */
static void test_tuner(void **state)
{
	struct suo_nccl_system sys = one("h100_sxm", 8);

	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, MIB, SUO_NCCL_RING,
			       SUO_NCCL_LL),
	     6.6 + 14 * 0.6 + MIB / (141e3 * 8 / 14));
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLGATHER, MIB, SUO_NCCL_RING,
			       SUO_NCCL_LL128),
	     14 + 7 * 1.9 + MIB / (0.92 * 360e3 * 8 / 7));
	/* 8 heads x 50 x 0.85 x 7/8 x 2, and 8/14 of it */
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, MIB, SUO_NCCL_NVLS,
			       SUO_NCCL_SIMPLE),
	     25 + MIB / (8 * 50e3 * 0.85 * 7 / 8 * 2 * 8 / 14));
	/* Trees: 2 (g - 1) hops, bus / 2, and at 1 MiB 0.5 of it for LL */
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, MIB, SUO_NCCL_TREE,
			       SUO_NCCL_LL),
	     6.8 + 14 * 0.6 + MIB / (0.92 * 360e3 / 3.8 / 2 * 0.5));

	sys = one("b200_sxm", 4);
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_REDUCESCATTER, MIB, SUO_NCCL_RING,
			       SUO_NCCL_SIMPLE),
	     8.4 + 3 * 3.4 + MIB / (720e3 * 4 / 3));
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_REDUCESCATTER, MIB, SUO_NCCL_RING,
			       SUO_NCCL_LL128),
	     14 + 3 * 1.9 + MIB / (16 * 34.5e3 * 4 / 3));

	sys = two("h100_sxm", 8, 400);
	/* log2(1024 / 64) = 4: 0.9; LL no faster than 39, by Intel's */
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, 1024, SUO_NCCL_TREE,
			       SUO_NCCL_LL),
	     6.8 + 2 * (7 * 0.6 + 5.0) + 1024 / (39e3 / 2 * 0.9));
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, MIB,
			       SUO_NCCL_NVLS_TREE, SUO_NCCL_SIMPLE),
	     25 + 2 * 20.9 + MIB / (57.7e3 * 8 * 16 / 30));
	sys.version = 22602;
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, MIB,
			       SUO_NCCL_NVLS_TREE, SUO_NCCL_SIMPLE),
	     25 + 2 * 14.0 + MIB / (370.8e3 * 5 / 6));
	/* Rings post each step; Simple thrice; 1.4 on the plateau. */
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, MIB, SUO_NCCL_RING,
			       SUO_NCCL_SIMPLE),
	     1.4 * (8.4 + 28 * 3.4 + 2 * 14) + MIB / (370.8e3 * 16 / 30));
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLGATHER, MIB, SUO_NCCL_RING,
			       SUO_NCCL_LL),
	     6.6 + 14 * 1.0 + 2.7 + MIB / (39e3 * 16 / 15));

	sys = two("mi355x", 8, 400);
	/* 7 x 76.8 x 48/64 are more than the NICs' 8 x 48; 0.06 for LL */
	near(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, 1024, SUO_NCCL_TREE,
			       SUO_NCCL_LL),
	     12 + 2 * (7 * 0.9 + 10.5) + 1024 / (8 * 48e3 * 0.06 * 0.9 / 2));
}

static void choice(const struct suo_nccl_system *sys, enum suo_nccl_op op,
		   uint64_t bytes, enum suo_nccl_algorithm a,
		   enum suo_nccl_protocol p)
{
	struct suo_nccl_pick pick;

	assert_true(suo_nccl_choose(sys, op, bytes, &pick) > 0);
	assert_string_equal(suo_nccl_algorithm_name(pick.algorithm),
			    suo_nccl_algorithm_name(a));
	assert_string_equal(suo_nccl_protocol_name(pick.protocol),
			    suo_nccl_protocol_name(p));
}

/*
 * Where published times leap, the choice has changed: B200 AllGather of 8 from
 * 44 us at 8 MiB to 104 at 16, of 4 from 25 at 4 MiB to 51 at 8; its AllReduce of
 * 8 from 32 us at 2 MiB to 53 at 4 (tests/data/nccl/scaleup_aiconfigurator.csv).
 */
static void test_choices(void **state)
{
	struct suo_nccl_system sys = one("b200_sxm", 8);
	struct suo_nccl_pick pick;

	choice(&sys, SUO_NCCL_ALLGATHER, 8 * MIB, SUO_NCCL_RING, SUO_NCCL_LL);
	choice(&sys, SUO_NCCL_ALLGATHER, 16 * MIB, SUO_NCCL_RING,
	       SUO_NCCL_SIMPLE);
	choice(&sys, SUO_NCCL_ALLREDUCE, 2 * MIB, SUO_NCCL_RING, SUO_NCCL_LL);
	choice(&sys, SUO_NCCL_ALLREDUCE, 4 * MIB, SUO_NCCL_NVLS,
	       SUO_NCCL_SIMPLE);
	sys = one("b200_sxm", 4);
	choice(&sys, SUO_NCCL_ALLGATHER, 4 * MIB, SUO_NCCL_RING, SUO_NCCL_LL);
	choice(&sys, SUO_NCCL_ALLGATHER, 8 * MIB, SUO_NCCL_RING,
	       SUO_NCCL_SIMPLE);

	sys = two("h100_sxm", 8, 400);
	choice(&sys, SUO_NCCL_ALLREDUCE, 1024, SUO_NCCL_TREE, SUO_NCCL_LL);
	choice(&sys, SUO_NCCL_ALLREDUCE, 1024 * MIB, SUO_NCCL_NVLS_TREE,
	       SUO_NCCL_SIMPLE);
	/* What is forbidden is not taken. */
	sys.algorithms = 1u << SUO_NCCL_RING;
	sys.protocols = 1u << SUO_NCCL_SIMPLE;
	choice(&sys, SUO_NCCL_ALLREDUCE, 1024, SUO_NCCL_RING, SUO_NCCL_SIMPLE);
	sys.protocols = 0;
	assert_true(suo_nccl_choose(&sys, SUO_NCCL_ALLREDUCE, 1024, &pick) == 0);

	/* RCCL: LL to 256 KiB, LL128 to 67 MiB, both in trees. */
	sys = two("mi355x", 8, 400);
	choice(&sys, SUO_NCCL_ALLREDUCE, MIB / 4, SUO_NCCL_TREE, SUO_NCCL_LL);
	choice(&sys, SUO_NCCL_ALLREDUCE, MIB / 2, SUO_NCCL_TREE, SUO_NCCL_LL128);
	choice(&sys, SUO_NCCL_ALLREDUCE, 64 * MIB, SUO_NCCL_TREE,
	       SUO_NCCL_LL128);
	choice(&sys, SUO_NCCL_ALLREDUCE, 128 * MIB, SUO_NCCL_RING,
	       SUO_NCCL_SIMPLE);

	/* No multicast on Ampere. */
	sys = one("a100_sxm", 8);
	assert_true(suo_nccl_tuner_us(&sys, SUO_NCCL_ALLREDUCE, MIB,
				      SUO_NCCL_NVLS, SUO_NCCL_SIMPLE) == 0);
}

/* Where links cost nothing beside the steps, and where steps cost nothing. */
static void test_ring(void **state)
{
	struct suo_nccl_system sys = one("h100_sxm", 8);

	sys.up_GBps = 1e9;
	near(time_of(&sys, SUO_NCCL_ALLGATHER, 1024, SUO_NCCL_RING,
		     SUO_NCCL_SIMPLE), 1 + 2 + 7 * 0.5);
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024, SUO_NCCL_RING,
		     SUO_NCCL_SIMPLE), 1 + 2 + 14 * 0.5);

	/* 512 MiB at 450 GB/s: 7/8 are sent, 1/8 is copied at 1/0.4 */
	sys = one("h100_sxm", 8);
	near(time_of(&sys, SUO_NCCL_REDUCESCATTER, 512 * MIB, SUO_NCCL_RING,
		     SUO_NCCL_SIMPLE),
	     1 + 2 + 0.25 * 7 * 0.5 + 512 * MIB * (7 + 0.4) / 8 / 450e3);

	/* LL: at most the tuner's 141; all of the steps is seen. */
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 512 * MIB, SUO_NCCL_RING,
		     SUO_NCCL_LL),
	     1 + 14 * 0.5 + 512 * MIB * (14 + 0.4) / 8 / 141e3);

	/* Two domains: two of 30 steps are between them, and hidden no more;
	 * the NICs are slower than the links: 15/8 S through 8 x 12.5.
	 */
	sys = two("h100_sxm", 8, 100);
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024 * MIB, SUO_NCCL_RING,
		     SUO_NCCL_SIMPLE),
	     1 + 2 + 28 * 0.5 + 2 * 10 + 1024 * MIB * 15 / 8 / 100e3);
}

/*
 * A Broadcast and a Reduce: N - 1 hops, and the whole vector over each link. The tuner
 * has one hop (of launch 6.6 us and hop 0.6 us over NVLink, 2.7 us over the network for
 * LL) and S / B for it, and nothing but rings.
 */
static void test_chain(void **state)
{
	struct suo_nccl_system sys = one("h100_sxm", 8);
	static const enum suo_nccl_op ops[] = { SUO_NCCL_BROADCAST, SUO_NCCL_REDUCE };

	for (int i = 0; i < 2; i++) {
		sys = one("h100_sxm", 8);
		near(time_of(&sys, ops[i], 512 * MIB, SUO_NCCL_RING, SUO_NCCL_SIMPLE),
		     1 + 2 + 0.25 * 7 * 0.5 + 512 * MIB / 450e3);
		near(suo_nccl_tuner_us(&sys, ops[i], 0, SUO_NCCL_RING, SUO_NCCL_LL),
		     6.6 + 0.6);
		/* LL: half of what the rings have, 370.8 GB/s, but 141 at most */
		near(suo_nccl_tuner_us(&sys, ops[i], 141000, SUO_NCCL_RING, SUO_NCCL_LL),
		     6.6 + 0.6 + 1);
		assert_true(suo_nccl_tuner_us(&sys, ops[i], MIB, SUO_NCCL_TREE,
					      SUO_NCCL_LL) == 0);
		assert_true(suo_nccl_tuner_us(&sys, ops[i], MIB, SUO_NCCL_NVLS,
					      SUO_NCCL_SIMPLE) == 0);

		/* 14 hops inside, one between, S through 8 NICs of 12.5 */
		sys = two("h100_sxm", 8, 100);
		near(time_of(&sys, ops[i], 1024 * MIB, SUO_NCCL_RING, SUO_NCCL_SIMPLE),
		     1 + 2 + 14 * 0.5 + 10 + 1024 * MIB / 100e3);
		near(suo_nccl_tuner_us(&sys, ops[i], 0, SUO_NCCL_RING, SUO_NCCL_LL),
		     6.6 + 2.7);
	}
}

/* A channel: one until 32 KiB a rank of LL, and as many as that fills. */
static void test_ring_channel(void **state)
{
	struct suo_nccl_system sys = one("h100_sxm", 8);
	struct suo_nccl_constants k = round_ones(&sys);
	struct suo_nccl_pick pick = {
		.algorithm = SUO_NCCL_RING,
		.protocol = SUO_NCCL_LL,
	};
	double us;

	/* 0.5 GB/s a channel, of the tuner's 141 / 24 */
	k.gen[SUO_NCCL_HOPPER][SUO_NCCL_CHANNEL_LL] = 0.5 * 24 / 141;
	us = suo_nccl_time_of(&sys, &k, SUO_NCCL_REDUCESCATTER, 32768, &pick);
	assert_int_equal(pick.channels, 1);
	near(us, 1 + 7 * 0.5 + 32768 * 7 / 8 / 0.5e3);
	us = suo_nccl_time_of(&sys, &k, SUO_NCCL_REDUCESCATTER, 4 * 32768,
			      &pick);
	assert_int_equal(pick.channels, 4);
	near(us, 1 + 7 * 0.5 + 32768 * 7 / 8 / 0.5e3);
	/* Gathering is twice the work; half of an AllReduce gathers. */
	us = suo_nccl_time_of(&sys, &k, SUO_NCCL_ALLGATHER, 32768, &pick);
	near(us, 1 + 7 * 0.5 + 2 * 32768 * 7 / 8 / 0.5e3);
	us = suo_nccl_time_of(&sys, &k, SUO_NCCL_ALLREDUCE, 32768, &pick);
	near(us, 1 + 14 * 0.5 + 1.5 * 32768 * 14 / 8 / 0.5e3);
	/* 24 and no more */
	us = suo_nccl_time_of(&sys, &k, SUO_NCCL_REDUCESCATTER, 48 * 32768,
			      &pick);
	assert_int_equal(pick.channels, 24);
	near(us, 1 + 7 * 0.5 + 2 * 32768 * 7 / 8 / 0.5e3);
}

static void test_tree(void **state)
{
	struct suo_nccl_system sys = two("h100_sxm", 8, 400);

	/* 2 x 7 steps inside, 2 outside; a tree's steps are 4.0 and 1.25 where
	 * a ring's are 3.4 and 1.9
	 */
	sys.up_GBps = 1e9;
	sys.nic_GBps = 1e9;
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024, SUO_NCCL_TREE,
		     SUO_NCCL_SIMPLE),
	     1 + 2 + 14 * 0.5 * 4.0 / 3.4 + 2 * 10);
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024, SUO_NCCL_TREE,
		     SUO_NCCL_LL128),
	     1 + 14 * 0.5 * 1.25 / 1.9 + 2 * 10 + 2 * 1024 / (8 * 36.7e3));

	/* S out of 8 x 12.5 once each way; 1 of it at 1 GiB */
	sys = two("h100_sxm", 8, 100);
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024 * MIB, SUO_NCCL_TREE,
		     SUO_NCCL_SIMPLE),
	     1 + 2 + 14 * 0.5 * 4.0 / 3.4 + 2 * 10 + 1024 * MIB / 100e3);

	/* Four domains: twice as deep, and inner nodes send twice. */
	sys.ranks = 32;
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024 * MIB, SUO_NCCL_TREE,
		     SUO_NCCL_SIMPLE),
	     1 + 2 + 14 * 0.5 * 4.0 / 3.4 + 4 * 10 + 2048 * MIB / 100e3);
}

static void test_nvls(void **state)
{
	struct suo_nccl_system sys = one("h100_sxm", 8);
	/* 16 channels x 8 heads: a round of 64 KiB chunks is 8 MiB */
	double rounds = 8, link = 64 * MIB / 450e3;

	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 64 * MIB, SUO_NCCL_NVLS,
		     SUO_NCCL_SIMPLE), 1 + 20 + hypot(rounds * 1, link));
	/* From 1 GiB on chunks are 128 KiB; from 8 MiB 32 KiB, below 16. */
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024 * MIB, SUO_NCCL_NVLS,
		     SUO_NCCL_SIMPLE), 1 + 20 + hypot(64, 16 * link));
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 4 * MIB, SUO_NCCL_NVLS,
		     SUO_NCCL_SIMPLE), 1 + 20 + hypot(2, link / 16));
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 8 * MIB, SUO_NCCL_NVLS,
		     SUO_NCCL_SIMPLE), 1 + 20 + hypot(2, link / 8));

	/* Two domains, 8 x 50: 64 rounds of 16 MiB; a chunk crosses twice. */
	sys = two("h100_sxm", 8, 400);
	link = 1024 * MIB / 450e3;
	near(time_of(&sys, SUO_NCCL_ALLREDUCE, 1024 * MIB, SUO_NCCL_NVLS_TREE,
		     SUO_NCCL_SIMPLE),
	     1 + 20 + 2 * 20 + 1024 * MIB / 400e3 * (1 + 1.0 / 64) +
	     hypot(64, link) / 64);
}

static void test_p2p(void **state)
{
	struct suo_nccl_system sys = one("h100_sxm", 8);

	/* LL up to 16 KiB a channel, then Simple: 4 more; log2 8 peers */
	sys.up_GBps = 1e9;
	near(time_of(&sys, SUO_NCCL_ALLTOALL, 8 * 16384, SUO_NCCL_P2P, 0),
	     3 + 3 * 0.5);
	near(time_of(&sys, SUO_NCCL_ALLTOALL, 8 * 16400, SUO_NCCL_P2P, 0),
	     3 + 4 + 3 * 0.5);

	sys = one("h100_sxm", 8);	/* 7 parts out, one copied at twice */
	near(time_of(&sys, SUO_NCCL_ALLTOALL, 512 * MIB, SUO_NCCL_P2P, 0),
	     3 + 4 + 3 * 0.5 + 64 * MIB * 7.5 / 450e3);

	/* Before 2.29 LL up to 16 KiB for each of 32 channels, at half the rate */
	sys.version = 22703;
	near(time_of(&sys, SUO_NCCL_ALLTOALL, 4 * MIB, SUO_NCCL_P2P, 0),
	     3 + 3 * 0.5 + MIB / 2 * 7.5 / 225e3);
	near(time_of(&sys, SUO_NCCL_ALLTOALL, 8 * MIB, SUO_NCCL_P2P, 0),
	     3 + 4 + 3 * 0.5 + MIB * 7.5 / 450e3);

	sys = two("h100_sxm", 8, 100);	/* 8 ranks x 8 parts through 8 NICs */
	near(time_of(&sys, SUO_NCCL_ALLTOALL, 1024 * MIB, SUO_NCCL_P2P, 0),
	     3 + 4 + 4 * 0.5 + 10 + 64 * MIB * 64 / 100e3);
}

static uint64_t next(uint64_t *x)
{
	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	return *x >> 33;
}

/* A system, a collective and a choice that exists for it. */
static void random_case(uint64_t *x, struct suo_nccl_system *sys,
			enum suo_nccl_op *op, struct suo_nccl_pick *pick)
{
	static const char *const gpu[] = {
		"a100_sxm", "h100_sxm", "b200_sxm", "gb200", "mi355x"
	};

	do {
		*sys = one(gpu[next(x) % 5], 1u << (1 + next(x) % 6));
		sys->ranks *= 1 + next(x) % 40;
		sys->nics = 1 + next(x) % 16;
		sys->nic_GBps = 1 + next(x) % 200;
		sys->up_GBps = 10 + next(x) % 2000;
		sys->channels = 2 + next(x) % 62;
		sys->transport = next(x) % SUO_NCCL_TRANSPORTS;
		*op = next(x) % SUO_NCCL_OPS;
		pick->algorithm = next(x) % SUO_NCCL_ALGORITHMS;
		pick->protocol = next(x) % SUO_NCCL_PROTOCOLS;
	} while (!(*op == SUO_NCCL_ALLTOALL &&
		   pick->algorithm == SUO_NCCL_P2P) &&
		 !(suo_nccl_tuner_us(sys, *op, MIB, pick->algorithm,
				     pick->protocol) > 0));
}

/*
 * For a given choice: what it consists of adds up; more bytes, slower links or NICs
 * never give a shorter time. Channels are given: for some slower links the search
 * finds more of them. NVLS takes larger chunks from some sizes on, so that it may
 * take less time for more bytes.
 */
static void test_properties(void **state)
{
	uint64_t x = 1;

	for (int i = 0; i < 20000; i++) {
		struct suo_nccl_system sys, slow;
		struct suo_nccl_pick pick, other;
		uint64_t bytes = 1ull << (10 + next(&x) % 25);
		enum suo_nccl_op op;
		double us, sum;

		random_case(&x, &sys, &op, &pick);
		other = pick;
		us = suo_nccl_time_of(&sys, &suo_nccl_fitted, op, bytes, &pick);
		assert_true(us > 0 && isfinite(us));
		sum = pick.launch_us + pick.step_us + pick.channel_us +
		      pick.up_us + pick.out_us;
		about(sum, us, 1e-6);
		assert_true(pick.step_us >= 0 && pick.channel_us >= 0 &&
			    pick.up_us >= 0 && pick.out_us >= 0);

		slow = sys;
		slow.up_GBps /= 2;
		assert_true(suo_nccl_time_of(&slow, &suo_nccl_fitted, op, bytes,
					     &other) >= us * (1 - 1e-12));
		slow = sys;
		slow.nic_GBps /= 2;
		assert_true(suo_nccl_time_of(&slow, &suo_nccl_fitted, op, bytes,
					     &other) >= us * (1 - 1e-12));
		if (pick.algorithm != SUO_NCCL_NVLS &&
		    pick.algorithm != SUO_NCCL_NVLS_TREE)
			assert_true(suo_nccl_time_of(&sys, &suo_nccl_fitted, op,
						     4 * bytes, &other) >=
				    us * (1 - 1e-12));
	}
}

static void test_refused(void **state)
{
	struct suo_nccl_system sys = one("h100_sxm", 8);

	assert_null(suo_nccl_check(&sys));
	sys.domain = 3;
	assert_non_null(suo_nccl_check(&sys));
	sys.domain = 4;
	assert_string_equal(suo_nccl_check(&sys), "several domains, but no NICs");
	sys.nics = 4;
	assert_non_null(suo_nccl_check(&sys));
	sys.nic_GBps = 50;
	assert_null(suo_nccl_check(&sys));
	sys.ranks = 1;
	assert_string_equal(suo_nccl_check(&sys),
			    "a collective needs two ranks");
	assert_null(suo_nccl_gpu_find("h100"));
}

static const char cluster_text[] =
	"name: two\n"
	"hosts: 2\n"
	"accelerators: 8\n"
	"scale_up:\n"
	"  profile: nvlink4\n"
	"scale_out:\n"
	"  profile: roce-400g\n"
	"software:\n"
	"  profile: nccl-h100\n"
	"%s"
	"bench:\n"
	"  algorithms: [ring]\n"
	"  min_bytes: 1KiB\n"
	"  max_bytes: 1MiB\n";

static struct suo_cluster *load(const char *software)
{
	char text[1024];
	struct suo_cluster *c;

	snprintf(text, sizeof(text), cluster_text, software);
	assert_int_equal(suo_cluster_parse("two.yaml", text, strlen(text), stderr,
					   &c), 0);
	return c;
}

/* A cluster file of the machine whose AllReduce of 1 GiB took 4470 us. */
static void test_predict(void **state)
{
	struct suo_cluster *c = load("");
	struct suo_nccl_result res;
	struct suo_nccl_system sys = two("h100_sxm", 8, 400);
	struct suo_nccl_pick pick;
	double us;

	sys.algorithms &= c->up_reduce ? ~0u : ~(1u << SUO_NCCL_NVLS_TREE);
	assert_int_equal(suo_nccl_predict(c, SUO_NCCL_ALLREDUCE, 1024 * MIB,
					  &res), 0);
	us = suo_nccl_time_us(&sys, &suo_nccl_fitted, SUO_NCCL_ALLREDUCE,
			      1024 * MIB, &pick);
	near(res.pick.time_us, us);
	about(res.pick.time_us, 4470, 15);
	assert_string_equal(suo_nccl_algorithm_name(res.pick.algorithm), "nvls_tree");
	assert_true(res.low_us < us && us < res.high_us);
	suo_cluster_free(c);

	/* Launch and steps of the file: 5 + 30 - 2 steps of 1 us and the rest */
	c = load("  protocols: [Simple]\n  algorithms: [ring]\n"
		 "  launch_ns: 5000\n  step_ns: 1000\n");
	assert_int_equal(suo_nccl_predict(c, SUO_NCCL_ALLREDUCE, 1024, &res), 0);
	near(res.pick.launch_us, 5);
	near(res.pick.step_us, 28);
	assert_string_equal(suo_nccl_protocol_name(res.pick.protocol), "simple");
	suo_cluster_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_channels),
		cmocka_unit_test(test_tuner),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_ring_channel),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_nvls),
		cmocka_unit_test(test_p2p),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_predict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
