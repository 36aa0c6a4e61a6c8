// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The scale-out network of cluster files: what it comes to, how faults are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "model/cluster/schema.h"
#include "tests/unit/cluster_helper.h"

/* 6 lines, and two of scale_out */
#define HOSTS(n)	"name: t\nhosts: " #n "\naccelerators: 8\n"
#define UP		"scale_up:\n  profile: nvlink4\n"
#define OUT		"scale_out:\n  profile: roce-400g\n"

static void check_tier(const struct suo_cluster *c, uint32_t i, uint32_t count,
		       uint32_t down, uint32_t up, uint64_t reach)
{
	const struct suo_tier *t = &c->out.fabric.tier[i];

	assert_true(i < c->out.fabric.ntiers);
	assert_int_equal(t->count, count);
	assert_int_equal(t->down, down);
	assert_int_equal(t->up, up);
	assert_int_equal(t->reach, reach);
}

/* A file that says nothing has one switch, as large as it has to be. */
static void test_single(void **state)
{
	struct suo_cluster *c = parse(HOSTS(100) UP OUT);

	assert_int_equal(c->out.host_nics, 8);
	assert_int_equal(c->out.fabric.ntiers, 1);
	check_tier(c, 0, 1, 800, 0, 800);
	/* Both NICs 1750, the switch 700, two cables of 25. */
	assert_int_equal(c->out.latency_ps, 2500000);
	assert_null(c->lab_fault);
	assert_true(c->out.congestion.lossless);
	assert_false(c->out.congestion.ecn);
	suo_cluster_free(c);

	/* 51.2 Tb/s are 128 ports of 400 Gb/s. */
	c = parse(HOSTS(16) UP OUT "  leaf: {switch: tomahawk-5}\n");
	assert_int_equal(c->out.fabric.tier[0].radix, 128);
	suo_cluster_free(c);
	refuse(HOSTS(17) UP OUT "  leaf: {switch: tomahawk-5}\n",
	       "c.yaml:8: key 'scale_out.leaf.radix': 1 of 128 ports have no room for 136 links from below\n");
	refuse(HOSTS(2) UP OUT "  spine: {radix: 8}\n",
	       "c.yaml:8: key 'scale_out.spine': a topology 'single' has none\n");
}

/*
 * Links above that are faster than all that a leaf has left (1 port down, 2 of 400
 * Gb/s up: none of 900), and so slow that there would be more than can be counted:
 * 2048 ports of 100 Tb/s up are 2048 x 10^8 of 1 Mb/s.
 */
static void test_no_links(void **state)
{
	refuse(HOSTS(128) UP OUT "  topology: fat-tree\n  leaf: {radix: 3}\n"
	       "  spine: {rate_gbps: 900, radix: 67}\n",
	       "c.yaml:9: key 'scale_out.leaf.radix': no port of 900000 Mb/s is left for the tier above\n");
	refuse(HOSTS(128) UP OUT "  rate_gbps: 100000\n  topology: leaf-spine\n"
	       "  leaf: {radix: 4096}\n  spine: {rate_gbps: 0.001}\n",
	       "c.yaml:10: key 'scale_out.leaf.rate_gbps': comes to 204800000000 ports for the tier above; from 1 to 1073741824 are possible\n");
}

/* 64 ports, half of them down: 1024 NICs take 32 leaves and 16 spines. */
static void test_leaf_spine(void **state)
{
	struct suo_cluster *c = parse(HOSTS(128) UP OUT "  topology: leaf-spine\n");

	check_tier(c, 0, 32, 32, 32, 32);
	check_tier(c, 1, 16, 64, 0, 1024);
	assert_int_equal(c->out.fabric.tier[0].oversub_milli, 1000);
	/*
	 * 1750 + 3 switches of 700, 2 cables of 25 below the leaves (the
	 * profile's) and 2 of 30 m.
	 */
	assert_int_equal(c->out.latency_ps, (1750 + 2100 + 50 + 300) * 1000);
	assert_int_equal(suo_fabric_path_ps(c, 1), 2500000);
	suo_cluster_free(c);

	/* 3 : 1 is 48 down and 16 up: 22 leaves, 22 * 16 / 64 = 5.5. */
	c = parse(HOSTS(128) UP OUT
		  "  topology: leaf-spine\n  leaf: {oversubscription: 3}\n");
	check_tier(c, 0, 22, 48, 16, 48);
	assert_int_equal(c->out.fabric.tier[1].count, 6);
	assert_int_equal(c->out.fabric.tier[0].oversub_milli, 3000);
	suo_cluster_free(c);

	/* Uplinks of 800 Gb/s: 128 ports of 400, 64 down and 32 up. */
	c = parse(HOSTS(128) UP OUT "  topology: leaf-spine\n"
		  "  leaf: {switch: tomahawk-5}\n"
		  "  spine: {switch: tomahawk-5, rate_gbps: 800}\n");
	check_tier(c, 0, 16, 64, 32, 64);
	/* The spine has 64 ports of 800: 16 * 32 / 64. */
	check_tier(c, 1, 8, 64, 0, 1024);
	suo_cluster_free(c);

	/* Four spines of 64 ports leave 8 links to each of 32 leaves: 4 : 1. */
	c = parse(HOSTS(128) UP OUT "  topology: leaf-spine\n  spine: {count: 4}\n");
	check_tier(c, 0, 32, 32, 8, 32);
	assert_int_equal(c->out.fabric.tier[0].oversub_milli, 4000);
	suo_cluster_free(c);

	refuse(HOSTS(128) UP OUT "  topology: leaf-spine\n"
	       "  leaf: {oversubscription: 2}\n  spine: {count: 1}\n",
	       "c.yaml:9: key 'scale_out.leaf.oversubscription': 42 links below and 2 above are 21\n");
	refuse(HOSTS(128) UP OUT "  topology: leaf-spine\n  leaf: {count: 10}\n",
	       "c.yaml:9: key 'scale_out.leaf.count': 10 of 32 ports have no room for 1024 links from below\n");
	refuse(HOSTS(512) UP OUT "  topology: leaf-spine\n",
	       "c.yaml:6: key 'scale_out.spine.radix': 128 groups of switches below do not fit on 64 ports; a further tier is needed\n");
	refuse(HOSTS(2) UP OUT "  topology: leaf-spine\n  core: {radix: 8}\n",
	       "c.yaml:9: key 'scale_out.core': a topology 'leaf-spine' has none\n");
}

/* Eight rails of 128 NICs, 4 leaves each. */
static void test_rails(void **state)
{
	struct suo_cluster *c = parse(HOSTS(128) UP OUT
				      "  topology: rail-optimised\n");

	assert_int_equal(c->out.fabric.rails, 8);
	check_tier(c, 0, 32, 32, 32, 32);
	check_tier(c, 1, 16, 64, 0, 128);
	suo_cluster_free(c);
	refuse(HOSTS(128) UP OUT "  topology: rail-optimised\n  leaf: {count: 36}\n",
	       "c.yaml:9: key 'scale_out.leaf.count': 36 leaves cannot be of 8 rails, as many of each\n");
	c = parse(HOSTS(128) UP OUT "  topology: rail-optimised\n  leaf: {count: 40}\n");
	/* Five of each rail, 26 NICs on each. */
	check_tier(c, 0, 40, 26, 38, 26);
	suo_cluster_free(c);
	/* A rail of 100 NICs takes four leaves, too. */
	c = parse(HOSTS(100) UP OUT "  topology: rail-optimised\n");
	check_tier(c, 0, 32, 32, 32, 32);
	suo_cluster_free(c);
}

/* Radix k: k^3 / 4 NICs. k = 8: 128, on 32 leaves, 32 above, 16 on top. */
static void test_fat_tree(void **state)
{
	struct suo_cluster *c = parse(HOSTS(16) UP OUT "  topology: fat-tree\n"
				      "  leaf: {radix: 8}\n  spine: {radix: 8}\n"
				      "  core: {radix: 8}\n");

	check_tier(c, 0, 32, 4, 4, 4);
	check_tier(c, 1, 32, 4, 4, 16);
	check_tier(c, 2, 16, 8, 0, 128);
	suo_cluster_free(c);
	refuse(HOSTS(17) UP OUT "  topology: fat-tree\n  leaf: {radix: 8}\n"
	       "  spine: {radix: 8}\n  core: {radix: 8}\n",
	       "c.yaml:11: key 'scale_out.core.radix': 9 groups of switches below do not fit on 8 ports; a further tier is needed\n");
}

static void test_torus(void **state)
{
	struct suo_cluster *c = parse(HOSTS(8) UP OUT "  topology: torus\n"
				      "  torus: [4, 4, 4]\n");

	assert_int_equal(c->out.fabric.ndims, 3);
	/* Six hops of 25, five accelerators that pass on, and both ends. */
	assert_int_equal(c->out.latency_ps, (1750 + 6 * 25 + 5 * 700) * 1000);
	suo_cluster_free(c);
	refuse(HOSTS(8) UP OUT "  topology: torus\n  torus: [4, 4]\n",
	       "c.yaml:9: key 'scale_out.torus': its size is not that of the cluster, 64 accelerators\n");
	refuse(HOSTS(8) UP OUT "  topology: torus\n",
	       "c.yaml:6: key 'scale_out.torus': a torus has 1 to 6 dimensions\n");
	refuse(HOSTS(8) UP OUT "  topology: torus\n  torus: []\n",
	       "c.yaml:9: key 'scale_out.torus': the list is empty\n");
	refuse(HOSTS(8) UP OUT "  topology: torus\n  torus: [1000000000, 1000000000, 1000000000]\n",
	       "c.yaml:9: key 'scale_out.torus': '1000000000' is too much; the most is 1048576\n"
	       "c.yaml:9: key 'scale_out.torus': '1000000000' is too much; the most is 1048576\n"
	       "c.yaml:9: key 'scale_out.torus': '1000000000' is too much; the most is 1048576\n"
	       "c.yaml:9: key 'scale_out.torus': its size is not that of the cluster, 64 accelerators\n");
	refuse(HOSTS(8) UP OUT "  torus: [64]\n",
	       "c.yaml:8: key 'scale_out.torus': the topology is 'single'\n");
}

#define TIERS	UP OUT "  topology: tiers\n  tiers:\n"	/* to line 9 */

static void test_tiers(void **state)
{
	/* As leaf-spine, in another order. */
	struct suo_cluster *c = parse(HOSTS(128) TIERS
				      "  - {name: top}\n"
				      "  - {name: bottom, above: top}\n");

	assert_string_equal(c->out.fabric.tier[0].name, "bottom");
	check_tier(c, 0, 32, 32, 32, 32);
	check_tier(c, 1, 16, 64, 0, 1024);
	suo_cluster_free(c);

	refuse(HOSTS(2) TIERS "  - {name: a, above: b}\n  - {name: b, above: a}\n",
	       "c.yaml:10: key 'scale_out.tiers[0].above': the tiers are a circle: each is above another, 'a' too\n");
	refuse(HOSTS(2) TIERS "  - {name: a, above: a}\n",
	       "c.yaml:10: key 'scale_out.tiers[0].above': the tiers are a circle: each is above another, 'a' too\n");
	refuse(HOSTS(2) TIERS "  - {name: a, above: b}\n  - {name: b, above: c}\n"
	       "  - {name: c, above: b}\n",
	       "c.yaml:11: key 'scale_out.tiers[1].above': the tiers above 'b' are a circle\n");
	refuse(HOSTS(2) TIERS "  - {name: a}\n  - {name: b}\n",
	       "c.yaml:11: key 'scale_out.tiers[1].name': 'b' is a second tier with nothing below it\n");
	refuse(HOSTS(2) TIERS "  - {name: a, above: c}\n",
	       "c.yaml:10: key 'scale_out.tiers[0].above': there is no tier 'c'\n");
	refuse(HOSTS(2) TIERS "  - {name: a}\n  - {name: a}\n",
	       "c.yaml:11: key 'scale_out.tiers[1].name': 'a' is listed twice\n");
	refuse(HOSTS(2) UP OUT "  topology: tiers\n",
	       "c.yaml:6: key 'scale_out.tiers': missing: a topology 'tiers' lists them\n");
	refuse(HOSTS(2) UP OUT "  topology: tiers\n  tiers: []\n",
	       "c.yaml:9: key 'scale_out.tiers': the list is empty\n");
	refuse(HOSTS(2) UP OUT "  tiers:\n  - {name: a}\n",
	       "c.yaml:8: key 'scale_out.tiers': only a topology 'tiers' has such a list\n");
	refuse(HOSTS(2) TIERS "  - {name: a, count: 0}\n",
	       "c.yaml:10: key 'scale_out.tiers[0].count': '0' is too little; the least is 1\n");
	refuse(HOSTS(2) TIERS "  - {count: 1}\n",
	       "c.yaml:10: key 'scale_out.tiers[0].name': missing\n");
	refuse(HOSTS(2) TIERS "  - a\n",
	       "c.yaml:10: key 'scale_out.tiers[0]': keys and values are expected here\n");
	refuse(HOSTS(2) TIERS "  - {name: a, colour: red}\n  - {name: a, name: b}\n",
	       "c.yaml:10: key 'scale_out.tiers[0].colour': unknown key; known are name, above, switch, switch_ns, count, radix, oversubscription, rate_gbps, cable, length_m, fec_ns, propagation_ns, buffer_bytes\n"
	       "c.yaml:11: key 'scale_out.tiers[1].name': given before, on line 11\n");
}

/* What a part says replaces the profile's figure, and the file's own replaces both. */
static void test_parts(void **state)
{
	const struct suo_part *sw = suo_part_find("tomahawk-5");
	const struct suo_part *nic = suo_part_find("connectx-8");
	const struct suo_part *dr = suo_part_find("dr");
	struct suo_cluster *c = parse(HOSTS(4) UP OUT "  nic: connectx-8\n"
		"  leaf: {switch: tomahawk-5, cable: dr, length_m: 100}\n");
	struct suo_tier *t = &c->out.fabric.tier[0];

	assert_int_equal(c->out.rate_mbps, nic->rate_mbps.value);
	assert_int_equal(t->switch_ps, sw->latency_ps.value);
	assert_int_equal(t->buffer_bytes, sw->buffer_bytes.value);
	assert_int_equal(t->fec_ps, dr->fec_ps.value);
	assert_int_equal(t->propagation_ps, dr->latency_ps.value + 500000);
	assert_int_equal(c->out.latency_ps, nic->latency_ps.value +
			 sw->latency_ps.value + 2 * (dr->fec_ps.value +
			 dr->latency_ps.value + 500000));
	suo_cluster_free(c);

	c = parse(HOSTS(4) UP OUT "  nic: connectx-8\n  rate_gbps: 200\n"
		  "  endpoint_ns: 1us\n"
		  "  leaf: {switch: tomahawk-5, switch_ns: 10, cable: dr, fec_ns: 1, propagation_ns: 2}\n");
	assert_int_equal(c->out.rate_mbps, 200000);
	assert_int_equal(c->out.latency_ps, (1000 + 10 + 2 * 3) * 1000);
	suo_cluster_free(c);

	refuse(HOSTS(4) UP OUT "  nic: tomahawk-5\n",
	       "c.yaml:8: key 'scale_out.nic': 'tomahawk-5' is a switch, not a nic\n");
	refuse(HOSTS(4) UP OUT "  nic: conectx-8\n",
	       "c.yaml:8: key 'scale_out.nic': unknown nic 'conectx-8'; did you mean 'connectx-8'?\n");
	refuse(HOSTS(4) UP OUT "  leaf: {cable: dac, length_m: 50}\n",
	       "c.yaml:8: key 'scale_out.leaf.length_m': 'dac' reaches 2 m, not 50 m\n");
	refuse(HOSTS(4) UP OUT "  leaf: {cable: dr, length_m: 2 furlongs}\n",
	       "c.yaml:8: key 'scale_out.leaf.length_m': '2 furlongs': no such unit as 'furlongs'; possible are m, km and their like\n");
	refuse(HOSTS(4) UP OUT "  leaf: {switch: tomahawk-5, radix: 512}\n",
	       "c.yaml:8: key 'scale_out.leaf.radix': 'tomahawk-5' has at most 128 ports of 400000 Mb/s\n");
	refuse(HOSTS(4) UP OUT "  nic: connectx-7\n  latency_ns: 2000\n",
	       "c.yaml:9: key 'scale_out.latency_ns': stands for the latency of NICs, switches and cables, too; give it or them\n");
	refuse(HOSTS(4) UP OUT "  leaf: {rate_gbps: 800}\n",
	       "c.yaml:8: key 'scale_out.leaf.rate_gbps': links of the lowest tier are as fast as NICs: scale_out.rate_gbps\n");
	refuse(HOSTS(4) UP OUT "  leaf: {oversubscription: 2}\n",
	       "c.yaml:8: key 'scale_out.leaf.oversubscription': there is no tier above\n");
}

static void test_congestion(void **state)
{
	struct suo_cluster *c = parse(HOSTS(4) UP OUT
		"  load_balancing: spray\n  queue_pairs: 4\n  flow_control: none\n"
		"  ecn: {kmin_bytes: 400KB, kmax_bytes: 1600KB, pmax: 0.2}\n"
		"  congestion_control: dcqcn\n"
		"  dcqcn: {rp_time_reset: 55, rp_ai_rate: 40Mb/s, rp_gd: 10}\n"
		"  loss_rate: 1e-6\n  retry: sr\n  rto_ns: 4ms\n");
	const struct suo_congestion *con = &c->out.congestion;

	assert_int_equal(c->out.fabric.balancing, SUO_BALANCE_SPRAY);
	assert_int_equal(c->out.fabric.queue_pairs, 4);
	assert_false(con->lossless);
	assert_true(con->ecn && con->dcqcn_on);
	assert_int_equal(con->kmin_bytes, 400000);
	assert_int_equal(con->kmax_bytes, 1600000);
	assert_int_equal(con->pmax_milli, 200);
	assert_int_equal(con->dcqcn.rp_time_reset_ps, 55000000);
	assert_int_equal(con->dcqcn.rp_ai_rate_kbps, 40000);
	assert_int_equal(con->dcqcn.rp_hai_rate_kbps, 50000);
	assert_int_equal(con->dcqcn.rp_gd, 10);
	assert_int_equal(con->loss_per_peta, 1000000000);
	assert_int_equal(con->retry, SUO_RETRY_SR);
	assert_int_equal(con->rto_ps, 4000000000ull);
	suo_cluster_free(c);

	refuse(HOSTS(4) UP OUT "  load_balancing: luck\n",
	       "c.yaml:8: key 'scale_out.load_balancing': 'luck' is none of ecmp, spray, adaptive\n");
	refuse(HOSTS(4) UP OUT "  ecn: {kmin_bytes: 3MiB}\n",
	       "c.yaml:8: key 'scale_out.ecn.kmin_bytes': kmax_bytes (2097152) is not more than kmin_bytes (3145728)\n");
	refuse(HOSTS(4) UP OUT "  ecn: {pmax: 1.5}\n",
	       "c.yaml:8: key 'scale_out.ecn.pmax': '1.5' is too much; the most is 1000 thousandths\n");
	refuse(HOSTS(4) UP OUT "  ecn: {kmin_bytes: 3us}\n",
	       "c.yaml:8: key 'scale_out.ecn.kmin_bytes': '3us' is a time, not a number of bytes\n");
	refuse(HOSTS(4) UP OUT "  flow_control: none\n  pfc: {xoff_bytes: 1MiB}\n",
	       "c.yaml:9: key 'scale_out.pfc': flow_control is none: nothing is paused\n");
	refuse(HOSTS(4) UP OUT "  pfc: {xoff_bytes: 1KiB, xon_bytes: 2KiB}\n",
	       "c.yaml:8: key 'scale_out.pfc.xon_bytes': xon_bytes (2048) is more than xoff_bytes (1024)\n");
	refuse(HOSTS(4) UP OUT "  congestion_control: none\n  dcqcn: {rp_gd: 11}\n",
	       "c.yaml:9: key 'scale_out.dcqcn': congestion_control is none: nobody reacts\n");
	refuse(HOSTS(4) UP OUT "  dcqcn: {rp_dce_tcp_g: 1024}\n",
	       "c.yaml:8: key 'scale_out.dcqcn.rp_dce_tcp_g': '1024' is too much; the most is 1023\n");
	/* In per cent, the same */
	c = parse(HOSTS(4) UP OUT "  loss_rate: 0.25%\n");
	assert_int_equal(c->out.congestion.loss_per_peta, 2500000000000);
	suo_cluster_free(c);
	refuse(HOSTS(4) UP OUT "  loss_rate: 1%%\n",
	       "c.yaml:8: key 'scale_out.loss_rate': '1%%' is not a bare number\n");
	refuse(HOSTS(4) UP OUT "  loss_rate: 0.6\n",
	       "c.yaml:8: key 'scale_out.loss_rate': '0.6' is too much; the most is 500000000000000 e-15\n");
}

static void test_software(void **state)
{
	struct suo_cluster *c = parse(HOSTS(4) UP OUT
		"software:\n  profile: ideal\n  launch_ns: 6us\n  step_ns: 500\n"
		"  channels: 16\n  protocols: [Simple, LL]\n  algorithms: [ring]\n"
		"  jitter_ns: 20\n  reduce_bandwidth: 1TB/s\n");

	assert_string_equal(c->software.profile, "ideal");
	assert_null(c->software.nccl);
	assert_int_equal(c->software.launch_ps, 6000000);
	assert_int_equal(c->software.step_ps, 500000);
	assert_int_equal(c->software.channels, 16);
	assert_int_equal(c->software.protocols, SUO_PROTO_SIMPLE | SUO_PROTO_LL);
	assert_int_equal(c->software.algorithms, SUO_SW_RING);
	assert_int_equal(c->software.jitter_ps, 20000);
	assert_int_equal(c->software.reduce_mbps, 8000000);
	suo_cluster_free(c);
	c = parse(HOSTS(4) UP OUT);
	assert_string_equal(c->software.profile, "ideal");
	assert_int_equal(c->software.protocols, SUO_PROTO_ALL);
	assert_int_equal(c->software.launch_ps, 0);
	suo_cluster_free(c);
	refuse(HOSTS(4) UP OUT "software: {profile: idael}\n",
	       "c.yaml:8: key 'software.profile': unknown software profile 'idael'; did you mean 'ideal'?\n");
	refuse(HOSTS(4) UP OUT "software: {protocols: [LL, LL64]}\n",
	       "c.yaml:8: key 'software.protocols': 'LL64' is none of LL, LL128, Simple\n");
	refuse(HOSTS(4) UP OUT "software: {channels: 0}\n",
	       "c.yaml:8: key 'software.channels': '0' is too little; the least is 1\n");
}

/* What can be predicted and what the lab can do are different things. */
static void test_size(void **state)
{
	struct suo_cluster *c = parse(HOSTS(131072) UP OUT);

	assert_int_equal(suo_cluster_ranks(c), 1048576);
	assert_string_equal(c->lab_fault,
			    "c.yaml:2: key 'hosts': 1048576 accelerators; the lab has at most 4096\n");
	suo_cluster_free(c);
	c = parse(HOSTS(18) "hosts_per_domain: 9\n" UP OUT "  nics_per_host: 4\n");
	assert_int_equal(suo_cluster_domain_size(c), 72);
	assert_int_equal(c->out.fabric.endpoints, 72);
	assert_string_equal(c->lab_fault,
			    "c.yaml:4: key 'hosts_per_domain': in the lab, each host is a domain of its own\n"
			    "c.yaml:9: key 'scale_out.nics_per_host': in the lab, each accelerator has one NIC\n");
	suo_cluster_free(c);

	refuse(HOSTS(131073) UP OUT,
	       "c.yaml:3: key 'accelerators': 1048584 in all hosts; at most 1048576 are possible\n");
	refuse(HOSTS(1000000000) UP OUT,
	       "c.yaml:2: key 'hosts': '1000000000' is too much; the most is 1048576\n");
	refuse(HOSTS(18) "hosts_per_domain: 4\n" UP OUT,
	       "c.yaml:4: key 'hosts_per_domain': 18 hosts cannot be split into domains of 4\n");
	refuse(HOSTS(18) "hosts_per_domain: 0\n" UP OUT,
	       "c.yaml:4: key 'hosts_per_domain': '0' is too little; the least is 1\n");
	refuse(HOSTS(2) UP OUT "  nics_per_host: 4\n  nics_per_accelerator: 1\n",
	       "c.yaml:8: key 'scale_out.nics_per_host': only one of nics_per_accelerator and nics_per_host can be given\n");
	refuse(HOSTS(2) UP OUT "  nics_per_host: -4\n",
	       "c.yaml:8: key 'scale_out.nics_per_host': '-4' is negative; the least is 1\n");
}

/* A switch and a cable of a scale-up domain, instead of the profile's. */
static void test_up_parts(void **state)
{
	const struct suo_part *sw = suo_part_find("tomahawk-ultra");
	struct suo_cluster *c = parse(HOSTS(4)
		"scale_up: {profile: sue, switch: tomahawk-ultra, cable: dac, length_m: 2}\n"
		OUT);

	assert_int_equal(c->up.switch_ps, sw->latency_ps.value);
	assert_int_equal(c->up.propagation_ps, 10000);
	assert_true(c->up_reduce);
	suo_cluster_free(c);
	c = parse(HOSTS(4) "scale_up: {profile: sue, switch: tomahawk-5}\n" OUT);
	assert_false(c->up_reduce);
	suo_cluster_free(c);
	c = parse(HOSTS(4) "scale_up: {profile: nvlink4, in_network_reduction: no}\n" OUT);
	assert_false(c->up_reduce);
	suo_cluster_free(c);
	refuse(HOSTS(4) "scale_up: {profile: sue, cable: dac, latency_ns: 5}\n" OUT,
	       "c.yaml:4: key 'scale_up.latency_ns': stands for the latency of switch and cable, too; give it or them\n");
	refuse(HOSTS(4) "scale_up: {profile: sue, cable: dac, length_m: 3}\n" OUT,
	       "c.yaml:4: key 'scale_up.length_m': 'dac' reaches 2 m, not 3 m\n");
	refuse(HOSTS(4) "scale_up: {profile: nvlink4, in_network_reduction: maybe}\n" OUT,
	       "c.yaml:4: key 'scale_up.in_network_reduction': 'maybe' is none of no, yes\n");
}

/* Every figure of a part says where it comes from; names are told apart. */
static void test_catalogue(void **state)
{
	const struct suo_part *part;
	const struct suo_figure *f;
	unsigned int kinds = 0;
	const char *name;

	for (unsigned int i = 0; (part = suo_part_get(i)); i++) {
		unsigned int n = 0;

		assert_ptr_equal(suo_part_find(part->name), part);
		assert_null(suo_profile_find(part->name));
		kinds |= 1 << part->kind;
		while ((f = suo_part_figure(part, n, &name))) {
			if (!f->source || strlen(f->source) < 5)
				fail_msg("%s of %s has no source", name, part->name);
			n++;
		}
		assert_true(n >= 4 && part->rate_mbps.value);
	}
	assert_int_equal(kinds, 7);
	/* PCI Express 5.0 x16, and a switch's ports share its capacity. */
	assert_int_equal(suo_part_find("connectx-7")->host_mbps.value,
			 32000 * 16 * 128 / 130);
	assert_int_equal(suo_part_find("tomahawk-5")->capacity_mbps.value, 64 * 800000);
	assert_int_equal(suo_part_find("tomahawk-6")->capacity_mbps.value, 64 * 1600000);
	assert_int_equal(suo_cable_ps(NULL, 2000), 10000);
	assert_int_equal(suo_cable_ps(suo_part_find("dr"), 2000), 110000);
}

/* Does a text name a key: `` KEY`` or ``.KEY``, before a quote or a full stop? */
static bool has_key(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = strstr(text, key); at; at = strstr(at + 1, key))
		if ((at[-1] == '.' || at[-1] == '`') &&
		    (at[len] == '`' || at[len] == '.'))
			return true;
	return false;
}

static void check_keys(const char *text, const cyaml_schema_value_t *schema)
{
	if (schema->type == CYAML_SEQUENCE) {
		check_keys(text, schema->sequence.entry);
		return;
	}
	if (schema->type != CYAML_MAPPING)
		return;
	for (const cyaml_schema_field_t *f = schema->mapping.fields; f->key; f++) {
		if (!has_key(text, f->key))
			fail_msg("Documentation/cluster-file.rst does not have '%s'", f->key);
		check_keys(text, &f->value);
	}
}

/* Every key that a file can have is in the manual. */
static void test_documented(void **state)
{
	static char text[1 << 17];
	FILE *file = fopen("Documentation/cluster-file.rst", "r");

	assert_non_null(file);
	assert_in_range(fread(text, 1, sizeof(text) - 1, file), 1000, sizeof(text) - 2);
	fclose(file);
	check_keys(text, &suo_raw_cluster_schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_no_links),
		cmocka_unit_test(test_leaf_spine),
		cmocka_unit_test(test_rails),
		cmocka_unit_test(test_fat_tree),
		cmocka_unit_test(test_torus),
		cmocka_unit_test(test_tiers),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_congestion),
		cmocka_unit_test(test_software),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_up_parts),
		cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_documented),
	};

	return cmocka_run_group_tests_name("cluster-fabric", tests, NULL, NULL);
}
