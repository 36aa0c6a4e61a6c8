// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The section scale_out.switch of cluster files, and the lab's fabric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/pfc.h"
#include "model/sim/config_cluster.h"
#include "tests/unit/cluster_helper.h"

/* 7 lines; the next one is of scale_out */
#define START	"name: t\nhosts: 4\naccelerators: 1\nscale_up:\n  profile: nvlink4\n" \
		"scale_out:\n  profile: roce-400g\n"
#define MIB	(1ull << 20)

static void test_nothing_said(void **state)
{
	struct suo_cluster *c = parse(START);
	const struct suo_policy *p = &c->out.policy;

	assert_int_equal(p->mtu_bytes, 9100);
	assert_int_equal(p->data_prios, 0x09);
	assert_int_equal(p->strict, 0x40);
	assert_int_equal(p->dscp_prio[0], 0);
	assert_int_equal(p->dscp_prio[26], 3);
	assert_int_equal(p->dscp_prio[48], 6);
	assert_int_equal(p->dscp_prio[63], 7);
	assert_int_equal(p->trim_bytes, 0);
	assert_int_equal(p->watchdog.detection_ps, 0);
	for (uint32_t q = 0; q < SUO_POLICY_PRIOS; q++) {
		assert_int_equal(p->class[q].pfc, q == 0 || q == 3);
		assert_false(p->class[q].ecn);
		assert_int_equal(p->weight[q], 4);
	}
	assert_int_equal(c->lab_fabric, SUO_LAB_BRIDGE);
	suo_cluster_free(c);
}

static void test_all_said(void **state)
{
	struct suo_cluster *c = parse(START
		"  ecn: {kmin_bytes: 400KB, kmax_bytes: 1600KB, pmax: 0.2}\n"
		"  switch:\n"
		"    mtu_bytes: 4200\n"
		"    data_priorities: [3]\n"
		"    dscp_to_tc: [0-7=1, 26=4]\n"
		"    strict: [6, 7]\n"
		"    weights: [30, 1, 1, 70, 1, 1, 1, 1]\n"
		"    mark_at: departure\n"
		"    same_seed: true\n"
		"    trimming: {bytes: 96}\n"
		"    watchdog: {detection_ms: 100, restoration_ms: 5us, action: forward}\n"
		"    priorities:\n"
		"      - {priority: 4, pfc: true, dynamic_th: -2, headroom_bytes: 9000}\n"
		"      - {priority: 1, kmin_bytes: 1000, kmax_bytes: 2000, pmax: 1, queue_bytes: 5000}\n"
		"lab: {fabric: switch, time_scale: 10}\n");
	const struct suo_policy *p = &c->out.policy;
	struct suo_sim_config config;
	char why[100];

	assert_int_equal(p->mtu_bytes, 4200);
	assert_int_equal(p->dscp_prio[7], 1);
	assert_int_equal(p->dscp_prio[8], 1);
	assert_int_equal(p->dscp_prio[26], 4);
	assert_int_equal(p->dscp_prio[27], 3);
	assert_int_equal(p->trim_bytes, 96);
	assert_int_equal(p->trim_prio, 6);
	assert_int_equal(p->trim_dscp, 48);
	assert_int_equal(p->watchdog.detection_ps, 100000000000);
	assert_int_equal(p->watchdog.restoration_ps, 5000000);
	assert_int_equal(p->watchdog.action, SUO_PFCWD_FORWARD);
	assert_int_equal(p->watchdog_poll_ps, 50000000000);
	assert_int_equal(c->lab_fabric, SUO_LAB_SWITCH);

	suo_sim_config_init(&config, 400000);
	assert_int_equal(suo_sim_config_cluster(&config, c, why, sizeof(why)), 0);
	assert_true(config.same_seed);
	assert_true(config.sw.mark_at_exit);
	assert_int_equal(config.sw.sched.strict, 0xc0);
	assert_int_equal(config.sw.sched.weight[3], 70);
	assert_int_equal(config.sw.class[0].pfc.headroom_bytes, 0);
	assert_false(config.sw.class[0].ecn);
	assert_true(config.sw.class[3].ecn);
	assert_int_equal(config.sw.class[3].wred.kmin_bytes, 400000);
	assert_int_equal(config.sw.class[3].wred.pmax_ppm, 200000);
	assert_true(config.sw.class[3].pfc.headroom_bytes > 0);
	assert_int_equal(config.sw.class[4].pfc.headroom_bytes, 9000);
	assert_int_equal(config.sw.class[4].pfc.dynamic_th, -2);
	assert_true(config.sw.class[1].ecn);
	assert_int_equal(config.sw.class[1].wred.kmax_bytes, 2000);
	assert_int_equal(config.sw.class[1].queue_bytes, 5000);
	assert_int_equal(config.sw.class[1].pfc.headroom_bytes, 0);
	suo_cluster_free(c);
}

/* The formula of sonic-mgmt's headroom, by hand: 5 m at 400 Gb/s, cells of 256 bytes. */
static void test_headroom(void **state)
{
	struct suo_cluster *c = parse(START "  pfc: {xoff_bytes: 1MiB}\n"
				      "  leaf: {propagation_ns: 25, fec_ns: 0}\n");
	struct suo_sim_config config;
	char why[100];

	suo_sim_config_init(&config, 400000);
	assert_int_equal(suo_sim_config_cluster(&config, c, why, sizeof(why)), 0);
	/*
	 * Frames of 4096 + 62 = 4158 bytes. 2 * 5 m * 400000 * 625 / 1013760 = 2466.1;
	 * + 4158 + 905 quanta of 64 bytes = 64544; + 1; + 4158 = 68703: 68 KiB, rounded up.
	 */
	assert_int_equal(config.sw.class[3].pfc.headroom_bytes, 68 << 10);
	assert_int_equal(config.sw.class[3].pfc.static_bytes, MIB);
	/* It goes on below half of it. */
	assert_int_equal(config.sw.class[3].pfc.xon_bytes, MIB - (MIB / 2 + 1));
	suo_cluster_free(c);
}

static void test_lab(void **state)
{
	struct suo_cluster *c = parse(START "  topology: leaf-spine\n");

	assert_null(c->lab_fault);
	assert_int_equal(c->lab_fabric, SUO_LAB_SWITCH);
	suo_cluster_free(c);
	c = parse(START "  topology: torus\n  torus: [2, 2]\n");
	assert_string_equal(c->lab_fault,
			    "c.yaml:8: key 'scale_out.topology': the lab's scale-out network is no 'torus'\n");
	suo_cluster_free(c);
	refuse(START "  topology: leaf-spine\nlab: {fabric: bridge}\n",
	       "c.yaml:9: key 'lab.fabric': a bridge is a single switch, and the topology is 'leaf-spine'\n");
	refuse(START "lab: {fabric: hub}\n",
	       "c.yaml:8: key 'lab.fabric': 'hub' is none of bridge, switch\n");
}

#define SWITCH(text)	START "  switch: {" text "}\n"
#define KEY(key)	"c.yaml:8: key 'scale_out.switch." key "': "

static void test_faults(void **state)
{
	refuse(SWITCH("mtu_bytes: 9601"), KEY("mtu_bytes") "'9601' is too much; the most is 9600 bytes\n");
	refuse(SWITCH("dscp_to_tc: [26:3]"), KEY("dscp_to_tc")
	       "'26:3' is not DSCP=PRIORITY or DSCP-DSCP=PRIORITY\n");
	refuse(SWITCH("dscp_to_tc: [64=3]"), KEY("dscp_to_tc")
	       "'64=3': '64' is too much; the most is 63\n");
	refuse(SWITCH("dscp_to_tc: [8-7=3]"), KEY("dscp_to_tc") "'8-7=3': 7 is less than 8\n");
	refuse(SWITCH("strict: [8]"), KEY("strict") "'8' is too much; the most is 7\n");
	refuse(SWITCH("strict: [5, 5]"), KEY("strict") "'5' is listed twice\n");
	/* What is no priority is not one that is listed twice. */
	refuse(SWITCH("data_priorities: [0, 8]"), KEY("data_priorities")
	       "'8' is too much; the most is 7\n");
	refuse(SWITCH("weights: [1, 2]"), KEY("weights") "2 weights; there are 8 priorities\n");
	refuse(SWITCH("mark_at: noon"), KEY("mark_at") "'noon' is none of arrival, departure\n");
	refuse(SWITCH("trimming: {bytes: 85}"), KEY("trimming.bytes")
	       "'85' is too little; the least is 86 bytes\n");
	refuse(SWITCH("watchdog: {poll_ms: 300}"), KEY("watchdog.poll_ms")
	       "is longer than detection_ms\n");
	refuse(SWITCH("priorities: [{pfc: true}]"), KEY("priorities[0].priority") "missing\n");
	refuse(SWITCH("priorities: [{priority: 1}, {priority: 1}]"),
	       KEY("priorities[1].priority") "'1' is listed twice\n");
	refuse(SWITCH("priorities: [{priority: 0}, {priority: 8}]"),
	       KEY("priorities[1].priority") "'8' is too much; the most is 7\n");
	refuse(SWITCH("priorities: [{priority: 1, dynamic_th: 17}]"),
	       KEY("priorities[0].dynamic_th") "'17' is not a whole number from -16 to 16\n");
	refuse(SWITCH("priorities: [{priority: 3, queue_bytes: 17}]"),
	       KEY("priorities[0].queue_bytes") "a priority with PFC drops nothing\n");
	refuse(SWITCH("priorities: [{priority: 1, headroom_bytes: 17}]"),
	       KEY("priorities[0].headroom_bytes") "only a priority with PFC needs headroom\n");
	refuse(SWITCH("priorities: [{priority: 1, kmin_bytes: 17, kmax_bytes: 17}]"),
	       KEY("priorities[0].kmax_bytes")
	       "kmax_bytes (17) is not more than kmin_bytes (17)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_said),
		cmocka_unit_test(test_all_said),
		cmocka_unit_test(test_headroom),
		cmocka_unit_test(test_lab),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
