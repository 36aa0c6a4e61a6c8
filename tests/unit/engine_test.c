// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Predictions by closed form: by hand, and what must hold for every cluster. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/cost.h"
#include "model/analytic/engine.h"
#include "model/cluster/upfield.h"
#include "model/core/rand.h"

/* Scale-up: 100 GB/s without framing, 1 us. */
#define UP	"scale_up: {profile: nvlink4, rate_gbps: 800, latency_ns: 1000,"	\
		" header_bytes: 0, flit_bytes: 1, max_payload_bytes: 4096,"		\
		" credit_bytes: 0, in_network_reduction: no}\n"
/* Scale-out: 10 GB/s, of which packets of 4096 + 82 leave their share; 5 us. */
#define OUT	"scale_out: {profile: roce-100g, rate_gbps: 80, latency_ns: 5000"
#define OUT_US(bytes)	(((bytes) * 4178.0 / 4096) / 1e4)

static struct suo_cluster *parse(const char *text)
{
	struct suo_cluster *cluster = NULL;

	assert_int_equal(suo_cluster_parse("c.yaml", text, strlen(text), stderr,
					   &cluster), 0);
	return cluster;
}

static void init(struct suo_machine *m, const char *text, uint32_t ranks)
{
	struct suo_cluster *c = parse(text);

	assert_int_equal(suo_machine_init(m, c, ranks, 0.5), 0);
	suo_cluster_free(c);
}

static void near(double got, double want, double share)
{
	if (!(fabs(got - want) <= share * fabs(want) + 1e-12))
		fail_msg("%.12g, expected %.12g", got, want);
}

static double total(const struct suo_estimate *est)
{
	double sum = 0;

	for (unsigned int i = 0; i < SUO_BOUNDS; i++) {
		assert_true(est->part_us[i] >= 0);
		sum += est->part_us[i];
	}
	return sum;
}

#define TWO	"name: t\nhosts: 2\naccelerators: 4\n" UP OUT "}\n"

/* One domain of four, 4 MB: two steps of 1 us, 6 MB at 100 GB/s. */
static void test_one_domain(void **state)
{
	struct suo_machine m;
	struct suo_estimate est;
	double share;

	init(&m, TWO, 4);
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 4e6, &est);
	near(est.time_us, 2 + 60, 1e-9);
	assert_string_equal(est.algorithm, "direct");
	near(est.algbw_GBps, 4e6 / 62 / 1000, 1e-9);
	near(est.busbw_GBps, 4e6 / 62 / 1000 * 1.5, 1e-9);
	assert_int_equal(suo_estimate_bound(&est, &share), SUO_BOUND_UP_RATE);
	near(share, 60 / 62.0, 1e-9);
	/* Small: everybody's vector at once, one step. 3 * 100 bytes. */
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 100, &est);
	assert_string_equal(est.algorithm, "one-shot");
	near(est.time_us, 1 + 0.003, 1e-9);
	suo_estimate(&m, SUO_WORK_REDUCE_SCATTER, 4e6, &est);
	near(est.time_us, 1 + 30, 1e-9);
	suo_estimate(&m, SUO_WORK_ALL_GATHER, 4e6, &est);
	near(est.busbw_GBps, 4e6 / 31 / 1000 * 0.75, 1e-9);
	suo_estimate(&m, SUO_WORK_ALLTOALL, 4e6, &est);
	near(est.time_us, 1 + 30, 1e-9);
	/* A switch that reduces: there and back at once, and its own part twice. */
	m.up_reduce = true;
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 4e6, &est);
	near(est.time_us, 2 + 50, 1e-9);
	assert_string_equal(est.algorithm, "in-network");
	/* One rank. */
	init(&m, TWO, 1);
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 4e6, &est);
	near(est.time_us, 0, 0);
	near(est.busbw_GBps, 0, 0);
}

/*
 * Two domains: 400 kB. Up 1 us and 300 kB, out a step of 5 us with 100 kB (and a
 * packet's header): the whole shard, as there is only one to send it to; up again. One
 * ring would be 6 steps up and 2 out.
 */
static void test_two_domains(void **state)
{
	struct suo_machine m;
	struct suo_estimate est;
	double out = 5 + OUT_US(100e3) + 82 / 1e4;

	init(&m, TWO, 0);
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 400e3, &est);
	near(est.time_us, 2 * (1 + 3) + out, 1e-9);
	assert_string_equal(est.algorithm, "hierarchical one-shot");
	near(total(&est), est.time_us, 1e-9);
	near(est.part_us[SUO_BOUND_OUT_LATENCY], 5, 1e-9);
	near(est.part_us[SUO_BOUND_UP_LATENCY], 2, 1e-9);
	/* AllGather: half of the shard, out first. */
	suo_estimate(&m, SUO_WORK_ALL_GATHER, 400e3, &est);
	near(est.time_us, 1 + 3 + 5 + OUT_US(50e3) + 82 / 1e4, 1e-9);
	/* Small: everybody's 4000 bytes to the four outside, at once. */
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 4000, &est);
	near(est.time_us, 5 + OUT_US(16000) + 4 * 82 / 1e4, 1e-9);
	assert_string_equal(est.algorithm, "one-shot");
	/* Large: no more than the sum, no less than what a NIC must carry. */
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 4e9, &est);
	assert_true(est.time_us > OUT_US(1e9));
	assert_true(est.time_us < OUT_US(1e9) * 1.02);
	near(total(&est), est.time_us, 1e-9);
	/*
	 * All-to-All of 8000 bytes a rank: 3000 stay, 4000 leave, to four peers:
	 * four headers. Leaving takes longer.
	 */
	suo_estimate(&m, SUO_WORK_ALLTOALL, 8000, &est);
	near(est.time_us, 5 + OUT_US(4000) + 4 * 82 / 1e4, 1e-9);
	assert_int_equal(est.algorithm[0], 'd');
}

/* Launch, 0.5 us a step of three, and 4 us of reduction where sending takes 0.03. */
static void test_software(void **state)
{
	struct suo_machine m;
	struct suo_estimate est;

	init(&m, "name: t\nhosts: 1\naccelerators: 4\n" UP OUT "}\n"
	     "software: {launch_ns: 7us, step_ns: 500, reduce_bandwidth: 1GB/s}\n", 0);
	suo_estimate(&m, SUO_WORK_REDUCE_SCATTER, 4000, &est);
	/* 3000 bytes are added up, at 1000 bytes a microsecond. */
	near(est.time_us, 7 + 1.5 + 3, 1e-9);
	near(est.part_us[SUO_BOUND_SOFTWARE], 7.5, 1e-9);
	near(est.part_us[SUO_BOUND_REDUCE], 3, 1e-9);
	/* Nothing is added up in an AllGather. */
	suo_estimate(&m, SUO_WORK_ALL_GATHER, 4000, &est);
	near(est.time_us, 7 + 1.5 + 0.03, 1e-9);
	/* Deviation of 0.1 us: the slowest of four in one step. */
	m.jitter_us = 0.1;
	suo_estimate(&m, SUO_WORK_ALL_GATHER, 4000, &est);
	near(est.part_us[SUO_BOUND_STRAGGLER], 0.1 * sqrt(2 * log(4)), 1e-9);
	near(total(&est), est.time_us, 1e-9);
}

/* What is added up inside is so once: on the way back there is nothing to add. */
static void test_reduction(void **state)
{
	struct suo_estimate est;
	struct suo_machine m;

	init(&m, "name: t\nhosts: 2\naccelerators: 4\n" UP OUT "}\n"
	     "software: {reduce_bandwidth: 1GB/s}\n", 0);
	suo_estimate(&m, SUO_WORK_ALLREDUCE, 4e6, &est);
	/* 3 MB inside, and half of 1 MB outside in part at the same time, at 1 GB/s. */
	assert_true(est.time_us >= 3000 && est.time_us <= 3500);
	suo_estimate(&m, SUO_WORK_REDUCE, 4e6, &est);
	assert_true(est.time_us >= 3000 && est.time_us <= 3500);
	suo_estimate(&m, SUO_WORK_BROADCAST, 4e6, &est);
	near(est.part_us[SUO_BOUND_REDUCE], 0, 0);
}

/*
 * 16 hosts of one accelerator, leaves of 8 ports, 4 : 1 by one spine of 4 ports.
 * Everybody sends across: 4 NICs of a leaf share 1 link.
 */
static void test_fabric(void **state)
{
	static const char text[] =
		"name: t\nhosts: 16\naccelerators: 1\n" UP
		"scale_out: {profile: roce-100g, rate_gbps: 80, endpoint_ns: 4us,"
		" topology: leaf-spine, leaf: {radix: 8, switch_ns: 100, fec_ns: 0,"
		" propagation_ns: 0}, spine: {radix: 4, count: 1, switch_ns: 300,"
		" fec_ns: 0, propagation_ns: 50}, load_balancing: %s}\n";
	struct suo_machine m;
	char file[512];

	snprintf(file, sizeof(file), text, "spray");
	init(&m, file, 0);
	assert_int_equal(m.levels, 2);
	near(m.reach[0], 4, 0);
	near(m.out.rate, 1e4, 1e-9);
	near(m.cross[1], 2500, 1e-9);
	/* A ring leaves a leaf once, which one link carries. */
	near(m.ring_cross[1], 1e4, 1e-9);
	near(m.path_us[0], 4.1, 1e-9);
	near(m.path_us[1], 4 + 2 * 0.1 + 0.3 + 2 * 0.05, 1e-9);
	/* One link leaves a hash no choice. */
	snprintf(file, sizeof(file), text, "ecmp");
	init(&m, file, 0);
	near(m.cross[1], 2500, 1e-9);
	assert_int_equal(suo_machine_level(&m, 3), 0);
	assert_int_equal(suo_machine_level(&m, 4), 1);
	/* On a torus of 4 x 4 x 4, a packet goes over 3 links on average. */
	init(&m, "name: t\nhosts: 64\naccelerators: 1\n" UP
	     "scale_out: {profile: roce-100g, rate_gbps: 80, topology: torus,"
	     " torus: [4, 4, 4]}\n", 0);
	near(m.cross[0], 1e4 / 3, 1e-9);
	near(m.ring_cross[0], 1e4, 1e-9);
}

/* A median leaf of 64 flows on 64 links has 4 or 5 on the worst; of 32 leaves, 5 or 6. */
static void test_collisions(void **state)
{
	static const char text[] =
		"name: t\nhosts: 2048\naccelerators: 1\n" UP
		"scale_out: {profile: roce-100g, rate_gbps: 80, topology: leaf-spine,"
		" leaf: {radix: 128}, spine: {radix: 128}, queue_pairs: %d}\n";
	struct suo_cluster *c;
	struct suo_machine m;
	double one, last = INFINITY;
	char file[512];

	snprintf(file, sizeof(file), text, 1);
	c = parse(file);
	/* Worse luck is never faster. */
	for (double q = 0.1; q < 1; q += 0.1) {
		suo_machine_init(&m, c, 0, q);
		assert_true(m.cross[1] <= last);
		last = m.cross[1];
	}
	suo_machine_init(&m, c, 0, 0.5);
	one = m.cross[1];
	assert_true(one <= 1e4 / 5 && one >= 1e4 / 7);
	suo_cluster_free(c);
	/* More queue pairs spread better. */
	snprintf(file, sizeof(file), text, 16);
	init(&m, file, 0);
	assert_true(m.cross[1] > 2 * one && m.cross[1] < 1e4);
}

/* One packet of 1000 is lost; 5 us there and back twice: go-back-N. */
static void test_loss(void **state)
{
	struct suo_machine m;
	double window = 1 + 10e4 / 4178.0;

	init(&m, "name: t\nhosts: 2\naccelerators: 4\n" UP OUT
	     ", flow_control: none, loss_rate: 1e-3, rto_ns: 4ms}\n", 0);
	near(m.out.rate, 1e4 * 0.999 / (0.999 + 0.001 * window), 1e-9);
	near(m.loss_us, 4, 1e-9);
	init(&m, "name: t\nhosts: 2\naccelerators: 4\n" UP OUT
	     ", flow_control: none, loss_rate: 1e-3, retry: sr}\n", 0);
	near(m.out.rate, 1e4 * 0.999, 1e-9);
}

/*
 * One part for another, and what it is worth: linear optics save 95 ns a cable, two
 * cables a path, and a small AllReduce is one step.
 */
static void test_swap(void **state)
{
	static const char text[] = "name: t\nhosts: 2\naccelerators: 4\n" UP
		"scale_out: {profile: roce-400g, nic: connectx-7,"
		" leaf: {switch: %s, cable: %s}}\n";
	const struct suo_part *th5 = suo_part_find("tomahawk-5");
	const struct suo_part *sp4 = suo_part_find("spectrum-4");
	const struct suo_part *dr = suo_part_find("dr"), *lpo = suo_part_find("lpo");
	struct suo_machine m;
	char file[512];
	double us[3];

	snprintf(file, sizeof(file), text, "tomahawk-5", "dr");
	init(&m, file, 0);
	us[0] = suo_estimate_us(&m, SUO_WORK_ALLREDUCE, 1024);
	snprintf(file, sizeof(file), text, "tomahawk-5", "lpo");
	init(&m, file, 0);
	us[1] = suo_estimate_us(&m, SUO_WORK_ALLREDUCE, 1024);
	snprintf(file, sizeof(file), text, "spectrum-4", "lpo");
	init(&m, file, 0);
	us[2] = suo_estimate_us(&m, SUO_WORK_ALLREDUCE, 1024);
	near(us[0] - us[1], 2e-6 * (dr->latency_ps.value - lpo->latency_ps.value), 1e-6);
	near(us[2] - us[1], 1e-6 * (sp4->latency_ps.value - th5->latency_ps.value),
	     1e-6);
}

/* The least time of all plans, replayed message by message on the link law. */
static double best_plan_us(const struct suo_cluster *c, double bytes)
{
	double best = INFINITY;
	struct suo_net net;
	const char *name;

	suo_net_init(&net, c);
	for (unsigned int i = 0; (name = suo_plan_algorithm(i)); i++) {
		struct suo_plan_shape shape = {
			.nranks = suo_cluster_ranks(c),
			.domain_size = suo_cluster_domain_size(c),
			.count = bytes / net.elem_bytes,
		};
		struct suo_plan *plan;
		struct suo_cost cost;

		if (suo_plan_allreduce(name, &shape, &plan))
			continue;
		assert_int_equal(suo_cost_plan(plan, &net, &cost), 0);
		best = fmin(best, cost.data_ps / 1e6);
		suo_plan_free(plan);
	}
	return best;
}

/*
 * No plan of the lab's is faster than what the closed forms think possible, but for the
 * few percent that two rings at once save.
 */
static void test_plans(void **state)
{
	static const unsigned int shape[][2] = { { 1, 2 }, { 1, 8 }, { 2, 2 }, { 4, 2 }, { 4, 4 } };
	static const double sizes[] = { 1024, 262144, 4194304 };

	for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); i++) {
		struct suo_cluster *c;
		struct suo_machine m;
		char file[256];

		snprintf(file, sizeof(file), "name: t\nhosts: %u\naccelerators: %u\n"
			 "scale_up: {profile: nvlink4}\nscale_out: {profile: roce-400g}\n",
			 shape[i][0], shape[i][1]);
		c = parse(file);
		assert_int_equal(suo_machine_init(&m, c, 0, 0.5), 0);
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			double us = suo_estimate_us(&m, SUO_WORK_ALLREDUCE, sizes[s]);
			double plan = best_plan_us(c, sizes[s]);

			if (plan < 0.97 * us)
				fail_msg("%u x %u, %g bytes: %g us, but a plan takes %g",
					 shape[i][0], shape[i][1], sizes[s], us, plan);
		}
		suo_cluster_free(c);
	}
}

static void test_ranks(void **state)
{
	struct suo_cluster *c = parse(TWO);
	struct suo_machine m;

	assert_int_equal(suo_machine_init(&m, c, 9, 0.5), -EINVAL);
	assert_int_equal(suo_machine_init(&m, c, 5, 0.5), -EINVAL);
	assert_int_equal(suo_machine_init(&m, c, 3, 0.5), 0);
	near(m.domain, 3, 0);
	assert_int_equal(suo_machine_init(&m, c, 8, 0.5), 0);
	near(m.domains, 2, 0);
	suo_cluster_free(c);
}

static u64 below(u64 *random, u64 n)
{
	return suo_rand(random) % n;
}

/* From one to 10^magnitudes, as many of each magnitude. */
static double spread(u64 *random, double magnitudes)
{
	return pow(10, magnitudes * (suo_rand(random) >> 11) / 0x1p53);
}

static void random_tier(u64 *random, struct suo_tier *tier, uint64_t rate_mbps)
{
	tier->count = 1 + below(random, 300);
	tier->down = 1 + below(random, 64);
	tier->up = 1 + below(random, 64);
	tier->radix = tier->down + tier->up;
	tier->rate_mbps = rate_mbps;
	tier->up_rate_mbps = rate_mbps * (1 + below(random, 4));
	tier->switch_ps = below(random, 2000000);
	tier->fec_ps = below(random, 200000);
	tier->propagation_ps = below(random, 1000000);
	tier->reach = 1 + below(random, 4096);
	tier->reduce = below(random, 2);
}

/* A cluster as none is built: whatever the fields can hold together. */
static void random_cluster(u64 *random, struct suo_cluster *c)
{
	static const uint32_t mtu[] = { 256, 1024, 4096 };
	struct suo_cluster_out *out = &c->out;
	const struct suo_profile *p;
	unsigned int n = 0;

	memset(c, 0, sizeof(*c));
	while (suo_profile_get(n))
		n++;
	p = suo_profile_get(below(random, n));
	suo_up_law(p, &c->up);
	c->up.rate_mbps = 1 + 1000 * spread(random, 5);
	if (below(random, 2))
		c->up.errors_per_pbit = spread(random, 9);
	c->domain_hosts = 1 + below(random, 4);
	c->accels = 1 + below(random, 16);
	c->hosts = c->domain_hosts * (uint32_t)(1 + spread(random, 3));
	c->up_reduce = below(random, 2);
	out->host_nics = 1 + below(random, 16);
	out->fabric.endpoints = (uint64_t)c->hosts * out->host_nics;
	out->rate_mbps = 1000 * spread(random, 3);
	out->endpoint_ps = below(random, 5000000);
	out->mtu_bytes = mtu[below(random, 3)];
	out->congestion.loss_per_peta = below(random, 2) ? spread(random, 13) : 0;
	out->congestion.retry = below(random, 2);
	out->congestion.rto_ps = 1000000 * spread(random, 4);
	out->fabric.ntiers = 1 + below(random, 3);
	out->fabric.rails = below(random, 2) ? out->host_nics : 1;
	out->fabric.balancing = below(random, SUO_BALANCES);
	out->fabric.queue_pairs = 1 + below(random, 8);
	for (uint32_t i = 0; i < out->fabric.ntiers; i++)
		random_tier(random, &out->fabric.tier[i], out->rate_mbps);
	out->fabric.tier[out->fabric.ntiers - 1].up = 0;
	out->latency_ps = suo_fabric_path_ps(c, out->fabric.ntiers);
	c->software.launch_ps = below(random, 10000000);
	c->software.step_ps = below(random, 3000000);
	c->software.jitter_ps = below(random, 2) ? below(random, 100000) : 0;
	c->software.reduce_mbps = below(random, 2) ? 1e5 * spread(random, 3) : 0;
}

/* More of one rate or of all of them. */
static void make_faster(u64 *random, struct suo_cluster *c)
{
	double factor = 1 + spread(random, 1.5) / 10;
	u64 which = below(random, 4);

	if (which == 0 || which == 3)
		c->up.rate_mbps = ceil(c->up.rate_mbps * factor);
	if (which == 1 || which == 3)
		c->out.rate_mbps = ceil(c->out.rate_mbps * factor);
	if (which >= 2)
		for (uint32_t i = 0; i < c->out.fabric.ntiers; i++)
			c->out.fabric.tier[i].up_rate_mbps *= 1 + below(random, 3);
	if (which == 3)
		c->software.reduce_mbps = ceil(c->software.reduce_mbps * factor);
}

static void make_later(u64 *random, struct suo_cluster *c)
{
	u64 more = 1 + below(random, 3000000);
	struct suo_cluster_out *out = &c->out;

	switch (below(random, 6)) {
	case 0:
		c->up.endpoint_ps += more;
		break;
	case 1:
		c->up.fec_ps += more;
		break;
	case 2:
		out->endpoint_ps += more;
		break;
	case 3:
		out->fabric.tier[below(random, out->fabric.ntiers)].switch_ps += more;
		break;
	case 4:
		out->fabric.tier[below(random, out->fabric.ntiers)].propagation_ps += more;
		break;
	default:
		c->software.step_ps += more;
		break;
	}
	out->latency_ps = suo_fabric_path_ps(c, out->fabric.ntiers);
}

static double time_of(const struct suo_cluster *c, enum suo_workload work, double bytes)
{
	struct suo_machine m;

	assert_int_equal(suo_machine_init(&m, c, 0, 0.5), 0);
	return suo_estimate_us(&m, work, bytes);
}

/* More bandwidth never takes longer, more latency is never faster. */
static void test_monotone(void **state)
{
	const char *many = getenv("SUO_MONOTONE_ROUNDS");
	long rounds = many ? atol(many) : 100000;
	u64 random = 20, seed;
	struct suo_cluster c;

	for (long i = 0; i < rounds; i++) {
		enum suo_workload work = below(&random, SUO_WORKLOADS);
		double bytes = spread(&random, 11), us, then;

		seed = random;
		random_cluster(&random, &c);
		us = time_of(&c, work, bytes);
		assert_true(isfinite(us) && us >= 0);
		if (i % 2)
			make_faster(&random, &c);
		else
			make_later(&random, &c);
		then = time_of(&c, work, bytes);
		if (i % 2 ? then > us * (1 + 1e-9) : then < us * (1 - 1e-9))
			fail_msg("round %ld, state %#llx, %s of %g bytes: %.12g us, then %.12g",
				 i, (unsigned long long)seed,
				 suo_workload_name(work), bytes, us, then);
	}
}

/* An AllReduce of what one rank has, or that one rank looks at, does these as well. */
static void test_rooted(void **state)
{
	struct suo_cluster c;
	u64 random = 22;

	for (int i = 0; i < 5000; i++) {
		double bytes = spread(&random, 11), all;

		random_cluster(&random, &c);
		all = time_of(&c, SUO_WORK_ALLREDUCE, bytes) * (1 + 1e-9);
		assert_true(time_of(&c, SUO_WORK_BROADCAST, bytes) <= all);
		assert_true(time_of(&c, SUO_WORK_REDUCE, bytes) <= all);
	}
}

/* What the time consists of is all of it, whatever the cluster; more bytes take longer. */
static void test_parts_of_time(void **state)
{
	struct suo_cluster c;
	u64 random = 21;

	for (int i = 0; i < 5000; i++) {
		enum suo_workload work = below(&random, SUO_WORKLOADS);
		double bytes = spread(&random, 11);
		struct suo_estimate est;
		struct suo_machine m;

		random_cluster(&random, &c);
		suo_machine_init(&m, &c, 0, 0.5);
		suo_estimate(&m, work, bytes, &est);
		near(total(&est), est.time_us, 1e-9);
		near(suo_estimate_us(&m, work, bytes), est.time_us, 1e-12);
		assert_true(suo_estimate_us(&m, work, 2 * bytes) >=
			    est.time_us * (1 - 1e-9));
	}
}

static void test_names(void **state)
{
	enum suo_workload work;

	for (unsigned int i = 0; i < SUO_WORKLOADS; i++) {
		assert_int_equal(suo_workload_find(suo_workload_name(i), &work), 0);
		assert_int_equal(work, i);
	}
	assert_int_equal(suo_workload_find("gossip", &work), -EINVAL);
	/* nccl-tests, PERFORMANCE.md */
	near(suo_busbw_share(SUO_WORK_ALLREDUCE, 8), 1.75, 1e-12);
	near(suo_busbw_share(SUO_WORK_ALL_GATHER, 8), 0.875, 1e-12);
	near(suo_busbw_share(SUO_WORK_ALLTOALL, 8), 0.875, 1e-12);
	near(suo_busbw_share(SUO_WORK_BROADCAST, 8), 1, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_domain),
		cmocka_unit_test(test_two_domains),
		cmocka_unit_test(test_software),
		cmocka_unit_test(test_reduction),
		cmocka_unit_test(test_fabric),
		cmocka_unit_test(test_collisions),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_monotone),
		cmocka_unit_test(test_rooted),
		cmocka_unit_test(test_parts_of_time),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
