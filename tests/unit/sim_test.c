// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The simulator against figures worked out by hand. 8000 Mb/s are a nanosecond a byte.
 * A full packet is 4096 + 82 bytes of the line, 16 more in a message's first and 4 more
 * in its last (contracts.rst); an acknowledgment is 86.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/cost.h"
#include "model/cluster/upfield.h"
#include "model/sim/sim_int.h"
#include "model/sim/workload.h"

#define NS	1000ull		/* picoseconds */
#define US	1000000ull
#define RATE	8000		/* Mb/s: 1 byte a nanosecond */
#define FULL	4178u		/* bytes of a full packet, gap included */
#define ACK	86u

struct result {
	struct suo_outcome	out;
	struct suo_sim_count	count;
	u64			dropped;
	u64			trimmed;
	u64			pauses;
	u64			nacks;
	u64			headroom_max;
};

static struct suo_sim_config network(void)
{
	struct suo_sim_config config;

	suo_sim_config_init(&config, RATE);
	config.hosts = 16;
	/* So that acknowledgments of all but the last do not share the links. */
	config.ack_every = 1u << 20;
	/* The default is made for 400 Gb/s. */
	config.rto_ps = 1000000 * US;
	return config;
}

static struct result run(const struct suo_sim_config *config,
			 const struct suo_workload *work, FILE *trace)
{
	struct result r = { 0 };
	struct suo_sim sim;
	char why[256] = "";

	assert_int_equal(suo_sim_config_check(config, why, sizeof(why)), 0);
	assert_int_equal(suo_workload_check(work, config, why, sizeof(why)), 0);
	assert_int_equal(suo_sim_init(&sim, config), 0);
	sim.trace.messages = trace;
	sim.trace.packets = trace;
	assert_int_equal(suo_workload_run(&sim, work, &r.out), 0);
	r.count = sim.count;
	for (u32 i = 0; i < sim.flows; i++)
		r.nacks += sim.flow[i]->count.nacks;
	for (u32 i = 0; i < sim.topo.nodes; i++) {
		const struct suo_switch *sw = &sim.topo.node[i].sw;

		/* All room has been given back. */
		assert_int_equal(sw->pool.used_bytes, 0);
		for (u32 p = 0; p < sw->nports; p++) {
			for (u32 d = 0; d < SUO_DROPS; d++)
				r.dropped += sw->port[p].count.dropped[d];
			r.trimmed += sw->port[p].count.trimmed;
			for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++) {
				r.pauses += sw->port[p].count.pause_tx[q];
				r.headroom_max = suo_max(r.headroom_max,
							 sw->port[p].pg[q].headroom_max_bytes);
			}
		}
	}
	suo_sim_free(&sim);
	return r;
}

/* Messages of n full packets: bytes of the line. */
static u64 wire(u64 packets)
{
	return packets * FULL + 16 + 4;
}

#define work_of(...)	((struct suo_workload){ .flows_per_pair = 1, .elem_bytes = 4, \
						.seed = 1, __VA_ARGS__ })

static u64 within(u64 value, u64 expected, u32 permille)
{
	u64 off = value > expected ? value - expected : expected - value;

	return off * 1000 <= expected * permille;
}

static void keep_times(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	suo_outcome_add(arg, msg);
}

/*
 * One message of 100 packets over `links` links of 500 ns with switches of 500 ns: the
 * longest packet, the first, is stored and forwarded links - 1 times, and all others follow
 * it without a gap; the acknowledgment comes back over as many links. Exact to the
 * picosecond.
 */
static void check_flow(struct suo_sim_config *config, u32 src, u32 dst, u32 links,
		       u32 permille)
{
	u64 way = links * 500 * NS + (links - 1) * 500 * NS;
	u64 data = wire(100) * NS + (links - 1) * (FULL + 16) * NS + way;
	u64 done = data + links * ACK * NS + way;
	struct suo_outcome out = { 0 };
	struct suo_sim sim;

	assert_int_equal(suo_sim_init(&sim, config), 0);
	sim.user = (struct suo_sim_user){ NULL, keep_times, &out };
	suo_sim_post(&sim, suo_sim_flow(&sim, src, dst), 100 * 4096, 0);
	assert_int_equal(suo_sim_run(&sim), 0);
	assert_true(within(out.last_data_ps, data, permille));
	assert_true(within(out.last_done_ps, done, permille));
	suo_outcome_free(&out);
	suo_sim_free(&sim);
}

static void test_one_flow(void **state)
{
	struct suo_sim_config config = network();

	check_flow(&config, 3, 9, 2, 0);
	config.topology = SUO_SIM_LEAF_SPINE;
	config.hosts_per_leaf = 4;
	config.spines = 4;
	check_flow(&config, 0, 3, 2, 0);
	check_flow(&config, 0, 4, 4, 0);
	config.topology = SUO_SIM_RAIL;
	config.rails = 4;
	/* Rail 1 has hosts 1, 5, 9, 13 at one leaf. */
	check_flow(&config, 1, 13, 2, 0);
	check_flow(&config, 1, 2, 4, 0);
	config.topology = SUO_SIM_FAT_TREE;
	check_flow(&config, 0, 1, 2, 0);
	check_flow(&config, 0, 2, 4, 0);
	check_flow(&config, 0, 15, 6, 0);
	/* Any path is as long as any other, and a train as its packets. */
	config.sw.path = SUO_ECMP_SPRAY;
	check_flow(&config, 0, 15, 6, 0);
	config.sw.path = SUO_ECMP_ADAPTIVE;
	check_flow(&config, 0, 15, 6, 0);
	config.train = 8;
	suo_sim_config_lossless(&config, true);
	check_flow(&config, 0, 15, 6, 1);
}

/*
 * n to one: from the time at which the first packet can be sent on, the receiver's link
 * has no rest until all is there.
 */
static void test_incast(void **state)
{
	struct suo_sim_config config = network();
	struct suo_workload work = work_of(.kind = SUO_WORK_INCAST, .n = 8,
					   .bytes = 100 * 4096);
	u64 ideal = (FULL + 16) * NS + 3 * 500 * NS + 8 * wire(100) * NS;
	struct result r = run(&config, &work, NULL);

	assert_int_equal(r.out.messages, 8);
	assert_int_equal(r.dropped, 0);
	assert_int_equal(r.count.again, 0);
	assert_true(r.out.last_data_ps >= ideal);
	assert_true(within(r.out.last_data_ps, ideal, 1));
	suo_outcome_free(&r.out);

	/* The same with pauses: they must not leave the link idle. */
	config.sw.class[3].pfc.static_bytes = 4 * FULL;
	config.sw.class[3].pfc.dynamic_th = SUO_PFC_NO_DYNAMIC;
	r = run(&config, &work, NULL);
	assert_true(r.pauses > 8);
	assert_int_equal(r.dropped, 0);
	assert_true(within(r.out.last_data_ps, ideal, 1));
	suo_outcome_free(&r.out);
}

/*
 * Headroom, by hand: when a pause is asked for, its frame waits for what is being sent
 * (an acknowledgment), takes 84 bytes, and 500 ns of cable; meanwhile, and for as long
 * again, bytes come: 2 * 500 + 84 + 86, and a packet that had been begun, and the one
 * that did not fit. What was in use is no more than that; with one packet less some
 * are lost, and are sent again.
 */
static void test_headroom(void **state)
{
	struct suo_sim_config config = network();
	struct suo_workload work = work_of(.kind = SUO_WORK_INCAST, .n = 8,
					   .bytes = 200 * 4096);
	struct suo_pfc_law *pfc = &config.sw.class[3].pfc;
	struct result r;

	pfc->static_bytes = 16 * 1024;
	pfc->dynamic_th = SUO_PFC_NO_DYNAMIC;
	r = run(&config, &work, NULL);
	assert_int_equal(r.dropped, 0);
	assert_in_range(r.headroom_max, 1000, 1000 + 84 + 86 + 2 * FULL);
	suo_outcome_free(&r.out);

	pfc->headroom_bytes = r.headroom_max;
	r = run(&config, &work, NULL);
	assert_int_equal(r.dropped, 0);
	suo_outcome_free(&r.out);

	pfc->headroom_bytes = r.headroom_max - 4096;
	config.rto_ps = 1000 * US;
	r = run(&config, &work, NULL);
	assert_true(r.dropped > 0);
	assert_true(r.count.again > 0);
	assert_int_equal(r.out.messages, 8);
	suo_outcome_free(&r.out);
}

/*
 * PFC: of n senders at line rate to one link each is paused for phi = 1 - 1/n of
 * the time; here as shares of what the senders could have sent, to 5 %.
 */
static void test_pause_share(void **state)
{
	for (u32 n = 2; n <= 8; n *= 2) {
		struct suo_sim_config config = network();
		struct suo_workload work = work_of(.kind = SUO_WORK_INCAST, .n = n,
						   .bytes = 1000 * 4096);
		double paused = 0, phi = 1 - 1.0 / n;
		struct suo_outcome out;
		struct suo_sim sim;

		config.sw.class[3].pfc.static_bytes = 8 * FULL;
		config.sw.class[3].pfc.dynamic_th = SUO_PFC_NO_DYNAMIC;
		assert_int_equal(suo_sim_init(&sim, &config), 0);
		assert_int_equal(suo_workload_run(&sim, &work, &out), 0);
		for (u32 h = 1; h <= n; h++)
			paused += sim.host[h].paused_ps / (double)out.last_data_ps / n;
		assert_true(paused > 0.95 * phi && paused < 1.05 * phi);
		suo_outcome_free(&out);
		suo_sim_free(&sim);
	}
}

/* Return: picoseconds until the data of message 3 of these is there. */
static u64 victim_ps(const struct suo_sim_config *config)
{
	static const u32 src[] = { 4, 1, 2, 5 }, dst[] = { 0, 0, 0, 3 };
	struct suo_outcome out = { 0 };
	struct suo_sim sim;
	u64 last_ps;

	assert_int_equal(suo_sim_init(&sim, config), 0);
	/* Only the victim's times count: others go on for longer. */
	for (u32 i = 0; i < 4; i++)
		suo_sim_post(&sim, suo_sim_flow(&sim, src[i], dst[i]),
			     (i < 3 ? 3000 : 500) * 4096, i);
	sim.user = (struct suo_sim_user){ NULL, keep_times, &out };
	assert_int_equal(suo_sim_run(&sim), 0);
	last_ps = suo_times_at(&out.arrived, 0);
	suo_outcome_free(&out);
	suo_sim_free(&sim);
	return last_ps;
}

/*
 * Three send to host 0, one of them from the other leaf; phi = 1 - 1/3. A flow that comes
 * by the same link from there, for host 3, whose link is idle, gets at most (1 - phi) of a
 * link, and hardly less; with room for all instead of pauses it gets half, its share of
 * the link that it has in common with another.
 */
static void test_victim(void **state)
{
	struct suo_sim_config config = network();
	double link = 500.0 * FULL * NS;

	config.topology = SUO_SIM_LEAF_SPINE;
	config.hosts = 8;
	config.hosts_per_leaf = 4;
	config.spines = 1;
	config.sw.class[3].pfc.static_bytes = 8 * FULL;
	config.sw.class[3].pfc.dynamic_th = SUO_PFC_NO_DYNAMIC;
	assert_true(victim_ps(&config) > 3 * link * 0.95);
	assert_true(victim_ps(&config) < 3 * link / 0.9);

	for (u32 t = 0; t < SUO_SIM_TIERS; t++)
		config.tier[t].buffer_bytes = 1 << 30;
	suo_sim_config_lossless(&config, false);
	assert_true(victim_ps(&config) > 2 * link * 0.95);
	assert_true(victim_ps(&config) < 2 * link * 1.05);
}

/* Of what comes after a gap only the first is complained of (IBA 9.7.5). */
static void test_one_nack(void **state)
{
	struct suo_sim_config config = network();
	struct suo_outcome out = { 0 };
	struct suo_flow *flow;
	struct suo_sim sim;

	assert_int_equal(suo_sim_init(&sim, &config), 0);
	sim.user = (struct suo_sim_user){ NULL, keep_times, &out };
	flow = suo_sim_flow(&sim, 0, 1);
	suo_sim_post(&sim, flow, 5 * 4096, 0);
	for (u64 n = 2; n < 5; n++)
		sim.transport->receive(&sim, suo_flow_data(&sim, flow, flow->msg_head, n));
	assert_int_equal(suo_sim_run(&sim), 0);
	assert_int_equal(flow->count.nacks, 1);
	assert_int_equal(out.messages, 1);
	suo_outcome_free(&out);
	suo_sim_free(&sim);
}

/* A chain of messages round a ring: steps times the time of one. */
static void test_ring(void **state)
{
	struct suo_sim_config config = network();
	struct suo_workload work = work_of(.kind = SUO_WORK_RING, .n = 8, .steps = 15,
					   .bytes = 100 * 4096);
	u64 data = wire(100) * NS + (FULL + 4) * NS + 1500 * NS;
	struct result r = run(&config, &work, NULL);

	assert_int_equal(r.out.messages, 8 * 15);
	assert_true(within(r.out.last_data_ps, 15 * data, 10));
	suo_outcome_free(&r.out);

	work.at_done = true;
	r = run(&config, &work, NULL);
	assert_true(within(r.out.last_done_ps, 15 * (data + 2 * ACK * NS + 1500 * NS),
			   10));
	suo_outcome_free(&r.out);
}

/*
 * Plans: 2 (N - 1) messages of a ring one after the other; and against the coster,
 * whose NIC has no switch behind it: its latency is ours, with the last packet stored
 * and forwarded once.
 */
static void test_plans(void **state)
{
	static const struct {
		const char	*algorithm;
		u32		domain;
	} cases[] = {
		{ "ring", 1 }, { "rhd", 1 }, { "rd", 1 }, { "biring", 1 },
		{ "ring", 4 }, { "hierarchical", 4 }, { "hierarchical:innet+ring", 4 },
		{ "hierarchical:innet+rhd", 8 }, { "innet", 16 }, { "ring", 16 },
		{ "dtree", 16 }, { "pipelined:ring+ring@4", 4 },
	};
	struct suo_sim_config config = network();
	struct suo_net net = {
		.elem_bytes = 4, .mtu_bytes = 4096,
		.out = { .rate_mbps = RATE, .endpoint_ps = 1500 * NS + FULL * NS },
	};

	suo_up_law(suo_profile_find("nvlink4"), &net.up);
	config.up = net.up;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct suo_workload work = work_of(.kind = SUO_WORK_PLAN);
		struct suo_plan_shape shape = {
			.nranks = 16, .domain_size = cases[i].domain,
			.count = 16 * 50 * 1024,
		};
		struct suo_plan *plan;
		struct suo_cost cost;
		struct result r;

		assert_int_equal(suo_plan_allreduce(cases[i].algorithm, &shape, &plan),
				 0);
		work.plan = plan;
		config.domain_size = cases[i].domain;
		net.domain_size = cases[i].domain;
		assert_int_equal(suo_cost_plan(plan, &net, &cost), 0);
		r = run(&config, &work, NULL);
		if (!within(r.out.last_data_ps, cost.data_ps, 10))
			fail_msg("%s in domains of %u: %llu ps, the coster says %llu",
				 cases[i].algorithm, cases[i].domain,
				 (unsigned long long)r.out.last_data_ps,
				 (unsigned long long)cost.data_ps);
		if (!i)
			/* 50 packets a message */
			assert_true(within(r.out.last_data_ps,
					   30 * (wire(50) + FULL + 16 + 1500) * NS, 1));
		suo_outcome_free(&r.out);
		suo_plan_free(plan);
	}
}

/* The same seed gives the same bytes; another one does not. */
static void test_deterministic(void **state)
{
	struct suo_sim_config config = network();
	struct suo_workload work = work_of(.kind = SUO_WORK_PERMUTATION, .n = 16,
					   .bytes = 20 * 4096);
	char *text[3];
	size_t size[3];

	config.topology = SUO_SIM_FAT_TREE;
	config.cc = &suo_cc_dcqcn;
	suo_sim_config_ecn(&config, 4096, 65536, 500000);
	for (int i = 0; i < 3; i++) {
		FILE *trace = open_memstream(&text[i], &size[i]);
		struct result r;

		config.seed = 1 + i / 2;
		r = run(&config, &work, trace);
		suo_outcome_free(&r.out);
		fclose(trace);
	}
	assert_true(size[0] > 10000);
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(text[0], text[1], size[0]);
	assert_true(size[0] != size[2] || memcmp(text[0], text[2], size[0]));
	for (int i = 0; i < 3; i++)
		free(text[i]);
}

/* A lossy network loses, and go-back-N gets all there in spite of it. */
static void test_lossy(void **state)
{
	struct suo_sim_config config = network();
	struct suo_workload work = work_of(.kind = SUO_WORK_INCAST, .n = 15,
					   .bytes = 100 * 4096);
	struct result r;

	suo_sim_config_lossless(&config, false);
	config.sw.class[3].queue_bytes = 20 * FULL;
	config.rto_ps = 200 * US;
	r = run(&config, &work, NULL);
	assert_int_equal(r.out.messages, 15);
	assert_true(r.dropped > 0);
	/* A complaint for each gap, which may be of several packets. */
	assert_in_range(r.nacks, 1, r.dropped);
	/* What is sent again was lost, or came after something that was. */
	assert_true(r.count.again >= r.dropped);
	assert_int_equal(r.count.sent, 15 * 100 + r.count.again);
	suo_outcome_free(&r.out);
}

/* Pulled: n to one takes what it must, whatever is trimmed at first. */
static void test_pull(void **state)
{
	struct suo_sim_config config = network();
	struct suo_workload work = work_of(.kind = SUO_WORK_INCAST, .n = 15,
					   .bytes = 100 * 4096);
	u64 ideal = 15 * wire(100) * NS;
	struct result r;

	suo_sim_config_pull(&config);
	config.sw.class[3].queue_bytes = 4 * FULL;
	r = run(&config, &work, NULL);
	assert_int_equal(r.out.messages, 15);
	assert_int_equal(r.dropped, 0);
	assert_true(r.trimmed > 0);
	assert_int_equal(r.trimmed, r.count.again);
	assert_true(r.out.last_data_ps > ideal);
	assert_true(within(r.out.last_data_ps, ideal, 20));
	suo_outcome_free(&r.out);

	config.topology = SUO_SIM_FAT_TREE;
	work.kind = SUO_WORK_ALL_TO_ALL;
	work.n = 16;
	work.bytes = 20 * 4096;
	r = run(&config, &work, NULL);
	assert_int_equal(r.out.messages, 16 * 15);
	suo_outcome_free(&r.out);
}

/*
 * Selective repeat, sprayed: in a tree with as many links up as hosts a permutation
 * takes hardly longer than the fullest link must; and what is lost goes again, alone.
 */
static void test_selective(void **state)
{
	struct suo_sim_config config = network();
	struct suo_workload work = work_of(.kind = SUO_WORK_PERMUTATION, .n = 16,
					   .bytes = 1000 * 4096);
	/* An acknowledgment for each packet goes the same ways. */
	u64 ideal = (wire(1000) + 1000 * ACK + 5 * (FULL + 16) + 11 * 500) * NS;
	struct result r;

	config.topology = SUO_SIM_FAT_TREE;
	config.transport = SUO_SIM_SELECTIVE;
	config.sw.path = SUO_ECMP_SPRAY;
	r = run(&config, &work, NULL);
	assert_int_equal(r.dropped, 0);
	assert_int_equal(r.count.again, 0);
	assert_true(r.out.last_data_ps > wire(1000) * NS);
	assert_true(within(r.out.last_data_ps, ideal, 50));
	suo_outcome_free(&r.out);

	suo_sim_config_lossless(&config, false);
	config.topology = SUO_SIM_SINGLE;
	config.sw.class[3].queue_bytes = 20 * FULL;
	config.rto_ps = 500 * US;
	work = work_of(.kind = SUO_WORK_INCAST, .n = 2, .bytes = 100 * 4096);
	r = run(&config, &work, NULL);
	assert_int_equal(r.out.messages, 2);
	assert_true(r.dropped > 0);
	/* Each acknowledgment that is lost makes a packet go again, too. */
	assert_int_equal(r.count.again, r.dropped);
	suo_outcome_free(&r.out);
}

/*
 * Four senders with DCQCN and marks, and no PFC: fair, no loss, nine tenths of the line
 * at least. Rates are those of the paper, 40 Gb/s.
 */
static void test_dcqcn(void **state)
{
	struct suo_sim_config config;
	struct suo_workload work = work_of(.kind = SUO_WORK_INCAST, .n = 4,
					   .bytes = 250000000);
	double sum = 0, square = 0;
	struct result r;
	u64 line;

	suo_sim_config_init(&config, 40000);
	suo_sim_config_lossless(&config, false);
	suo_sim_config_ecn(&config, 5000, 200000, 10000);
	suo_dcqcn_paper(&config.cc_law.dcqcn);
	config.cc = &suo_cc_dcqcn;
	r = run(&config, &work, NULL);
	assert_int_equal(r.dropped, 0);
	assert_int_equal(r.pauses, 0);
	assert_true(r.count.cnps > 0);
	line = 4 * 250000000ull * 4178 / 4096 * 8000000 / 40000;
	assert_true(r.out.last_data_ps > line);
	assert_true(r.out.last_data_ps < line / 9 * 10);
	for (size_t i = 0; i < 4; i++) {
		double rate = 1e15 / r.out.arrived.ps[i];

		sum += rate;
		square += rate * rate;
	}
	assert_true(sum * sum / (4 * square) > 0.95);
	suo_outcome_free(&r.out);

	/* NSCC on the same: a window by delay and marks. */
	config.cc = &suo_cc_nscc;
	config.ack_every = 1;
	work.bytes = 25000000;
	r = run(&config, &work, NULL);
	assert_int_equal(r.dropped, 0);
	assert_true(r.out.last_data_ps < line / 10 / 9 * 10);
	suo_outcome_free(&r.out);
}

static void test_refused(void **state)
{
	struct suo_sim_config config = network();
	char why[256];

#define REFUSED(change)	do {							\
		struct suo_sim_config bad = config;				\
		bad.change;							\
		why[0] = '\0';							\
		assert_int_not_equal(suo_sim_config_check(&bad, why, sizeof(why)), 0);	\
		assert_true(why[0]);						\
	} while (0)
	REFUSED(hosts = 1);
	REFUSED(hosts = 70000);
	REFUSED(hosts = 2000);
	REFUSED(mtu_bytes = 1000);
	REFUSED(train = 0);
	REFUSED(ack_every = 0);
	REFUSED(domain_size = 3);
	REFUSED(tier[2].rate_mbps = 0);
	REFUSED(tier[0].hop_ps = U64_MAX);
	REFUSED(nic_ps = U64_MAX);
	REFUSED(rto_ps = 0);
	config.topology = SUO_SIM_FAT_TREE;
	REFUSED(hosts = 17);
	config.topology = SUO_SIM_LEAF_SPINE;
	REFUSED(spines = 0);
	REFUSED(spines = 300);
	REFUSED(hosts_per_leaf = 0);
	config.topology = SUO_SIM_RAIL;
	REFUSED(rails = 3);
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_flow),
		cmocka_unit_test(test_incast),
		cmocka_unit_test(test_headroom),
		cmocka_unit_test(test_pause_share),
		cmocka_unit_test(test_victim),
		cmocka_unit_test(test_one_nack),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_pull),
		cmocka_unit_test(test_selective),
		cmocka_unit_test(test_dcqcn),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
