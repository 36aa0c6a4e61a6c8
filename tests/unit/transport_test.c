// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The simulator's transports: what they do about losses, and about congestion. */
#include "tests/unit/sim_lab.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_nack),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_pull),
		cmocka_unit_test(test_selective),
		cmocka_unit_test(test_dcqcn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
