// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The plan coster against closed forms, and both against figures worked out by
 * hand from the link law. 8000 Mb/s are a nanosecond a byte.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/analytic/cost.h"
#include "model/cluster/upfield.h"
#include "model/plan/plan_build.h"

#define NS		1000ull		/* picoseconds */
#define RATE		8000		/* Mb/s: 1 byte a nanosecond */

/* No framing inside, RoCE's outside; both a byte a nanosecond. */
static const struct suo_net plain = {
	.domain_size = 4,
	.elem_bytes = 4,
	.up = { .rate_mbps = RATE, .endpoint_ps = 100 * NS },
	.out = { .rate_mbps = RATE, .endpoint_ps = 700 * NS },
	.mtu_bytes = 1024,
};

/* NVLink-4-like inside, 400G outside. */
static const struct suo_net real = {
	.domain_size = 4,
	.elem_bytes = 4,
	.up = {
		.rate_mbps = 3825000,
		.endpoint_ps = 413 * NS,
		.max_payload_bytes = 256,
		.header_bytes = 16,
		.flit_bytes = 16,
	},
	.out = { .rate_mbps = 400000, .endpoint_ps = 2500 * NS },
	.mtu_bytes = 4096,
};

static struct suo_cost replay(const struct suo_plan *plan,
			      const struct suo_net *net)
{
	struct suo_cost cost;

	assert_int_equal(suo_cost_plan(plan, net, &cost), 0);
	return cost;
}

static struct suo_cost cost_of(const char *algorithm, const struct suo_net *net,
			       uint32_t n, uint64_t count)
{
	struct suo_plan_shape shape = {
		.nranks = n, .domain_size = net->domain_size, .count = count,
	};
	struct suo_plan *plan;
	struct suo_cost cost;

	assert_int_equal(suo_plan_allreduce(algorithm, &shape, &plan), 0);
	cost = replay(plan, net);
	suo_plan_free(plan);
	return cost;
}

static struct suo_cost closed(const char *algorithm, const struct suo_net *net,
			      uint32_t n, uint64_t count)
{
	struct suo_cost cost;

	assert_int_equal(suo_closed_allreduce(algorithm, net, n, count, &cost), 0);
	return cost;
}

/* A step of a plan made by hand. */
static void add(struct suo_plan *plan, uint32_t rank, enum suo_plan_op op,
		uint32_t peer, uint64_t len)
{
	struct suo_plan_step step = {
		.op = op,
		.peer = peer,
		.len = len,
		.dep = { SUO_PLAN_NO_DEP, SUO_PLAN_NO_DEP },
	};

	assert_int_equal(suo_plan_add(plan, rank, &step, NULL), 0);
}

/* contracts.rst: P + 82 a packet, 16 in the first one, 4 in the last one. */
static void test_roce_message(void **state)
{
	static const struct {
		u64	bytes;
		u64	wire;
	} cases[] = {
		{ 0, 82 + 20 },
		{ 1, 1 + 82 + 20 },
		{ 1024, 1024 + 82 + 20 },
		{ 1025, 1025 + 2 * 82 + 20 },
		{ 4096, 4096 + 4 * 82 + 20 },
		{ 4097, 4097 + 5 * 82 + 20 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(suo_net_message_ps(&plain, false, cases[i].bytes),
				 (cases[i].wire + 700) * NS);
	/* An acknowledgement: 82 and the AETH of 4 bytes. */
	assert_int_equal(suo_net_ack_ps(&plain, false), (86 + 700) * NS);
}

/* 256 bytes take 17 flits of 16 bytes; 450 GB/s of 478.125 are payload. */
static void test_scale_up_message(void **state)
{
	assert_int_equal(suo_net_message_ps(&plain, true, 1 << 20),
			 ((1 << 20) + 100) * NS);
	assert_int_equal(suo_net_message_ps(&plain, true, 0), 100 * NS);

	/*
	 * 9000 whole packets at 450 GB/s are 5.12 us; each of the 141 segments
	 * is rounded up by less than a picosecond.
	 */
	assert_in_range(suo_net_message_ps(&real, true, 9000 * 256),
			(5120 + 413) * NS, (5120 + 413) * NS + 141);
	/* One header flit: 16 * 8 / 3.825 ps = 33.46. */
	assert_int_equal(suo_net_message_ps(&real, true, 0), 413 * NS + 34);
	/* A byte needs a flit more. */
	assert_int_equal(suo_net_message_ps(&real, true, 1), 413 * NS + 67);
}

/* Thakur et al.: 2 (N - 1) alpha + 2 (N - 1) / N S / B, to the picosecond. */
static void test_ring_textbook(void **state)
{
	for (uint32_t n = 2; n <= 64; n++) {
		struct suo_net net = plain;
		u64 bytes = 4ull * n * 5000;

		net.domain_size = n;
		assert_int_equal(cost_of("ring", &net, n, bytes / 4).data_ps,
				 2 * (n - 1) * 100 * NS +
				 2 * (n - 1) * (bytes / n) * NS);
	}
}

/*
 * 2 x 4 ranks, 32000 bytes, by hand. Inside: 3 steps of 8000 bytes and 100 ns,
 * twice. Across: 2 steps of 4000 bytes in 4 packets, 700 ns.
 */
static void test_hierarchical_by_hand(void **state)
{
	u64 up = 3 * (8000 + 100);
	u64 out = 2 * (4000 + 4 * 82 + 20 + 700);
	struct suo_cost cost = cost_of("hierarchical", &plain, 8, 8000);

	assert_int_equal(cost.data_ps, (up + out + up) * NS);
	assert_int_equal(cost.done_ps, (up + out + up + 100) * NS);
}

static void compare(const char *algorithm, const struct suo_net *net,
		    uint32_t n, uint64_t count)
{
	struct suo_cost a = cost_of(algorithm, net, n, count);
	struct suo_cost b = closed(algorithm, net, n, count);

	if (a.data_ps != b.data_ps || a.done_ps != b.done_ps)
		fail_msg("%s, %u ranks, domains of %u, %" PRIu64
			 " elements: replay %" PRIu64 "/%" PRIu64
			 " ps, closed form %" PRIu64 "/%" PRIu64,
			 algorithm, n, net->domain_size, count, a.data_ps,
			 a.done_ps, b.data_ps, b.done_ps);
}

static const uint64_t counts[] = { 0, 1, 7, 64, 1000, 65536, 100003 };

#define NUM_COUNTS	(sizeof(counts) / sizeof(counts[0]))

static void test_ring_is_closed_form(void **state)
{
	for (uint32_t n = 2; n <= 64; n++) {
		for (size_t c = 0; c < NUM_COUNTS; c++) {
			struct suo_net up = real, out = real;

			up.domain_size = n;
			compare("ring", &up, n, counts[c]);
			out.domain_size = 1;
			compare("ring", &out, n, counts[c]);
		}
	}
}

static void test_hierarchical_is_closed_form(void **state)
{
	for (uint32_t n = 2; n <= 64; n++) {
		for (uint32_t g = 1; g <= n; g++) {
			struct suo_net net = real;

			net.domain_size = g;
			for (size_t c = 0; c < NUM_COUNTS && n % g == 0; c++)
				compare("hierarchical", &net, n, counts[c]);
		}
	}
}

/* Both agree on every profile: nobody contends, and credits hold nobody up. */
static void test_profiles_are_closed_form(void **state)
{
	const struct suo_profile *profile;

	for (unsigned int i = 0; (profile = suo_profile_get(i)); i++) {
		struct suo_net net = real;

		suo_up_law(profile, &net.up);
		for (size_t c = 0; c < NUM_COUNTS; c++) {
			net.domain_size = 4;
			compare("hierarchical", &net, 8, counts[c]);
			net.domain_size = 8;
			compare("ring", &net, 8, counts[c]);
		}
	}
}

/*
 * A window of 4096 bytes whose credits take 10.24 us, at a byte a nanosecond: 64
 * KiB take 4096 + 61440 * 2.5 ns, in segments or not.
 */
static void test_credits(void **state)
{
	struct suo_plan_shape shape = {
		.nranks = 2, .domain_size = 2, .count = 16384,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "one", &shape);
	struct suo_net net = plain;

	net.up.credit_bytes = 4096;
	net.up.credit_rtt_ps = 10240 * NS;
	add(plan, 0, SUO_PLAN_SEND, 1, 16384);
	add(plan, 1, SUO_PLAN_RECV, 0, 16384);
	assert_int_equal(suo_net_message_ps(&net, true, 65536),
			 (4096 + 153600 + 100) * NS);
	assert_int_equal(replay(plan, &net).data_ps, (4096 + 153600 + 100) * NS);
	suo_plan_free(plan);
}

/* Bit errors make links slower, on average, and nothing is left to chance. */
static void test_errors_on_average(void **state)
{
	struct suo_cluster cluster = { .accels = 2, .domain_hosts = 1,
				       .up = real.up };
	struct suo_net net;

	suo_net_init(&net, &cluster);
	assert_int_equal(net.up.rate_mbps, 3825000);
	/* 2176 bits at 1e-6: 1 - p = exp(-0.002176) */
	cluster.up.errors_per_pbit = 1000000000;
	cluster.up.retry = SUO_LINK_LLR;
	suo_net_init(&net, &cluster);
	assert_int_equal(net.up.rate_mbps, 3816686);
	assert_int_equal(net.up.errors_per_pbit, 0);
}

/*
 * A ring over both kinds of hop: no slower than if all hops were the slower
 * kind, and no faster than either what a slow hop has to carry or the longest
 * way of one part round the ring, which meets at least 2 k - 1 slow hops.
 */
static void test_ring_over_mixed_hops(void **state)
{
	for (uint32_t g = 2; g <= 8; g++) {
		for (uint32_t k = 2; k <= 8; k++) {
			struct suo_net net = real;
			uint32_t n = g * k, hops = 2 * (n - 1);

			net.domain_size = g;
			for (size_t c = 0; c < NUM_COUNTS; c++) {
				u64 count = counts[c] / n * n;
				u64 bytes = count / n * 4;
				u64 out = suo_net_message_ps(&net, false, bytes);
				u64 up = suo_net_message_ps(&net, true, bytes);
				u64 t = cost_of("ring", &net, n, count).data_ps;
				u64 busy = hops * (out - net.out.endpoint_ps);
				u64 way = (2 * k - 1) * out +
					  (hops - 2 * k + 1) * up;

				assert_true(t >= busy);
				assert_true(t >= way);
				assert_true(t <= closed("ring", &net, n,
							count).data_ps);
			}
		}
	}
}

/* Three ranks send to one: its port takes them one after another. */
static void test_incast(void **state)
{
	struct suo_plan_shape shape = {
		.nranks = 4, .domain_size = 4, .count = 1000,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "incast", &shape);

	for (uint32_t r = 1; r < 4; r++) {
		add(plan, r, SUO_PLAN_SEND, 0, 1000);
		add(plan, 0, SUO_PLAN_RECV, r, 1000);
	}
	assert_int_equal(replay(plan, &plain).data_ps, (3 * 4000 + 100) * NS);
	suo_plan_free(plan);
}

/*
 * One rank sends 64 KiB to a second and 4 KiB to a third one, which then sends
 * 40 KiB to a fourth. A port sends 16 KiB to each peer in turn. The long message
 * is being sent, and waiting for its next turn, when the short one comes: which
 * thus waits for two segments, and not for all four.
 */
static void test_ports_serve_in_turn(void **state)
{
	struct suo_plan_shape shape = {
		.nranks = 4, .domain_size = 4, .count = 16384,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "outcast", &shape);

	add(plan, 0, SUO_PLAN_SEND, 1, 16384);
	add(plan, 1, SUO_PLAN_RECV, 0, 16384);
	add(plan, 0, SUO_PLAN_SEND, 2, 1024);
	add(plan, 2, SUO_PLAN_RECV, 0, 1024);
	assert_int_equal(replay(plan, &plain).data_ps,
			 (65536 + 4096 + 100) * NS);

	add(plan, 2, SUO_PLAN_SEND, 3, 10240);
	plan->rank[2].step[1].dep[0] = 0;
	add(plan, 3, SUO_PLAN_RECV, 2, 10240);
	assert_int_equal(replay(plan, &plain).data_ps,
			 (2 * 16384 + 4096 + 100 + 40960 + 100) * NS);
	suo_plan_free(plan);
}

/* A NIC is one for all peers; the receiver's end is not modelled. */
static void test_nic_is_shared(void **state)
{
	struct suo_plan_shape shape = {
		.nranks = 3, .domain_size = 1, .count = 250,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "outcast", &shape);
	struct suo_net net = plain;

	net.domain_size = 1;
	add(plan, 0, SUO_PLAN_SEND, 1, 250);
	add(plan, 1, SUO_PLAN_RECV, 0, 250);
	add(plan, 0, SUO_PLAN_SEND, 2, 250);
	add(plan, 2, SUO_PLAN_RECV, 0, 250);
	assert_int_equal(replay(plan, &net).data_ps,
			 (2 * (1000 + 82 + 20) + 700) * NS);
	assert_int_equal(replay(plan, &net).done_ps,
			 (2 * (1000 + 82 + 20) + 700 + 86 + 700) * NS);
	suo_plan_free(plan);
}

static void test_endless_plan(void **state)
{
	struct suo_plan_shape shape = {
		.nranks = 2, .domain_size = 2, .count = 1,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "endless", &shape);
	struct suo_cost cost;

	add(plan, 0, SUO_PLAN_SEND, 1, 1);
	add(plan, 1, SUO_PLAN_RECV, 0, 1);
	plan->rank[0].step[0].dep[0] = 0;
	assert_int_not_equal(suo_cost_plan(plan, &plain, &cost), 0);
	plan->rank[0].step[0].dep[0] = SUO_PLAN_NO_DEP;
	plan->rank[0].nsteps = 0;
	assert_int_not_equal(suo_cost_plan(plan, &plain, &cost), 0);
	suo_plan_free(plan);
}

/* With infinitely fast links only latency is left. */
static void test_latency_only(void **state)
{
	struct suo_net net = plain;

	net.up.rate_mbps = 0;
	net.out.rate_mbps = 0;
	assert_int_equal(cost_of("hierarchical", &net, 8, 1 << 20).data_ps,
			 (6 * 100 + 2 * 700) * NS);
}

static void test_one_rank(void **state)
{
	struct suo_net net = plain;

	net.domain_size = 1;
	assert_int_equal(cost_of("ring", &net, 1, 100).done_ps, 0);
	assert_int_equal(closed("ring", &net, 1, 100).done_ps, 0);
	assert_int_equal(closed("hierarchical", &net, 1, 100).done_ps, 0);
}

static void test_closed_form_refuses(void **state)
{
	struct suo_cost cost;

	assert_int_not_equal(suo_closed_allreduce("tree", &plain, 8, 8, &cost), 0);
	assert_int_not_equal(suo_closed_allreduce("ring", &plain, 6, 8, &cost), 0);
	assert_int_not_equal(suo_closed_allreduce("ring", &plain, 0, 8, &cost), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roce_message),
		cmocka_unit_test(test_scale_up_message),
		cmocka_unit_test(test_ring_textbook),
		cmocka_unit_test(test_hierarchical_by_hand),
		cmocka_unit_test(test_ring_is_closed_form),
		cmocka_unit_test(test_hierarchical_is_closed_form),
		cmocka_unit_test(test_profiles_are_closed_form),
		cmocka_unit_test(test_credits),
		cmocka_unit_test(test_errors_on_average),
		cmocka_unit_test(test_ring_over_mixed_hops),
		cmocka_unit_test(test_incast),
		cmocka_unit_test(test_ports_serve_in_turn),
		cmocka_unit_test(test_nic_is_shared),
		cmocka_unit_test(test_endless_plan),
		cmocka_unit_test(test_latency_only),
		cmocka_unit_test(test_one_rank),
		cmocka_unit_test(test_closed_form_refuses),
	};

	return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
