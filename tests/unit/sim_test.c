// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The simulator against figures worked out by hand. */
#include "model/analytic/congestion.h"
#include "model/analytic/cost.h"
#include "model/cluster/upfield.h"
#include "tests/unit/sim_lab.h"

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
		double model = suo_pfc_pause_share(1, n);
		struct suo_outcome out;
		struct suo_sim sim;

		config.sw.class[3].pfc.static_bytes = 8 * FULL;
		config.sw.class[3].pfc.dynamic_th = SUO_PFC_NO_DYNAMIC;
		assert_int_equal(suo_sim_init(&sim, &config), 0);
		assert_int_equal(suo_workload_run(&sim, &work, &out), 0);
		for (u32 h = 1; h <= n; h++)
			paused += sim.host[h].paused_ps / (double)out.last_data_ps / n;
		assert_true(paused > 0.95 * phi && paused < 1.05 * phi);
		assert_true(paused > 0.95 * model && paused < 1.05 * model);
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
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
