// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cluster files: what they come to, and how each fault is told. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/cluster/goodput.h"
#include "model/cluster/report.h"
#include "model/cluster/units.h"
#include "model/cluster/upfield.h"
#include "tests/unit/cluster_helper.h"

#define HEAD	"name: t\nhosts: 2\naccelerators: 4\n"	/* lines 1 to 3 */
#define UP	"scale_up:\n  profile: nvlink4\n"	/* 2 lines */
#define OUT	"scale_out:\n  profile: roce-400g\n"	/* 2 lines */
/* 256 letters */
#define L16	"aaaaaaaaaaaaaaaa"
#define L64	L16 L16 L16 L16
#define LONG	L64 L64 L64 L64

static void test_defaults(void **state)
{
	struct suo_cluster *c = parse(HEAD UP OUT);

	assert_string_equal(c->name, "t");
	assert_int_equal(c->hosts, 2);
	assert_int_equal(c->accels, 4);
	/* 450 GB/s of payload are 478.125 GB/s on the wire. */
	assert_int_equal(c->up.rate_mbps, 478125 * 8);
	assert_int_equal(c->up.flit_bytes, 16);
	assert_int_equal(c->up.header_bytes, 16);
	assert_int_equal(c->up.max_payload_bytes, 256);
	assert_int_equal(c->out.rate_mbps, 400000);
	assert_int_equal(c->out.mtu_bytes, 4096);
	assert_true(c->time_scale_auto);
	assert_int_equal(c->bench.min_bytes, 1024);
	assert_int_equal(c->bench.max_bytes, 4194304);
	assert_int_equal(c->bench.factor, 2);
	assert_int_equal(c->bench.nalgorithms, 1);
	assert_string_equal(c->bench.algorithm[0], "hierarchical");
	suo_cluster_free(c);
}

static void test_everything(void **state)
{
	struct suo_cluster *c = parse(
		"# a comment\n"
		"name: all-keys_1.0\n"
		"hosts: 16\n"
		"accelerators: 8\n"
		"scale_up: {profile: nvlink4, rate_gbps: 1.5, latency_ns: 0.25,"
		" flit_bytes: 64, max_payload_bytes: 4KiB, header_bytes: 20,"
		" min_packet_bytes: 84, frame_bytes: 640,"
		" frame_payload_bytes: 628, buffer_bytes: 1MiB,"
		" credit_bytes: 64KiB, credit_rtt_ns: 1.5us,"
		" bit_error_rate: 2.5e-9, retry: gbn, retry_ns: 350,"
		" seed: 77}\n"
		"scale_out:\n"
		"  profile: roce-100g\n"
		"  nics_per_accelerator: 1\n"
		"  rate_gbps: \"12.5 GB/s\"\n"
		"  latency_ns: 2us\n"
		"  mtu_bytes: 1024\n"
		"lab:\n"
		"  time_scale: 5000\n"
		"bench:\n"
		"  min_bytes: 4\n"
		"  max_bytes: 1GiB\n"
		"  factor: 4\n"
		"  iterations: 5\n"
		"  warmup: 0\n"
		"  algorithms: [ring, hierarchical]\n");

	assert_int_equal(c->hosts, 16);
	assert_int_equal(c->up.rate_mbps, 1500);
	assert_int_equal(suo_link_latency_ps(&c->up), 250);
	assert_int_equal(c->up.min_packet_bytes, 84);
	assert_int_equal(c->up.frame_bytes, 640);
	assert_int_equal(c->up.frame_payload_bytes, 628);
	assert_int_equal(c->up.buffer_bytes, 1 << 20);
	assert_int_equal(c->up.credit_bytes, 65536);
	assert_int_equal(c->up.credit_rtt_ps, 1500000);
	assert_int_equal(c->up.errors_per_pbit, 2500000);
	assert_int_equal(c->up.retry, SUO_LINK_GBN);
	assert_int_equal(c->up.retry_ps, 350000);
	assert_int_equal(c->up.seed, 77);
	assert_int_equal(c->up.flit_bytes, 64);
	assert_int_equal(c->up.max_payload_bytes, 4096);
	assert_int_equal(c->up.header_bytes, 20);
	assert_int_equal(c->out.rate_mbps, 100000);
	assert_int_equal(c->out.latency_ps, 2000000);
	assert_int_equal(c->out.mtu_bytes, 1024);
	assert_false(c->time_scale_auto);
	assert_int_equal(c->time_scale, 5000);
	assert_int_equal(c->bench.min_bytes, 4);
	assert_int_equal(c->bench.max_bytes, 1073741824);
	assert_int_equal(c->bench.factor, 4);
	assert_int_equal(c->bench.iterations, 5);
	assert_int_equal(c->bench.warmup, 0);
	assert_int_equal(c->bench.nalgorithms, 2);
	assert_string_equal(c->bench.algorithm[0], "ring");
	suo_cluster_free(c);
}

/* bandwidth is what is left for payload: 225 GB/s x 17/16. */
static void test_bandwidth_and_links(void **state)
{
	struct suo_cluster *c = parse(HEAD UP "  bandwidth: 225GB/s\n" OUT);

	assert_int_equal(c->up.rate_mbps, 3825000 / 2);
	suo_cluster_free(c);
	c = parse(HEAD UP "  bandwidth: 3600 Gb/s\n" OUT);
	assert_int_equal(c->up.rate_mbps, 3825000);
	suo_cluster_free(c);
	/* Twelve of eighteen links. */
	c = parse(HEAD UP "  links: 12\n" OUT);
	assert_int_equal(c->up.rate_mbps, 3825000 / 18 * 12);
	suo_cluster_free(c);
	/* One lane instead of two, at half of its rate. */
	c = parse(HEAD UP "  lanes: 1\n  lane_rate_gbps: 53.125\n" OUT);
	assert_int_equal(c->up.rate_mbps, 3825000 / 4);
	suo_cluster_free(c);
	/* 256 bytes and a share of 14 in frames: 1000 * 270 / 256 * 640 / 628. */
	c = parse(HEAD "scale_up: {profile: ualink200, bandwidth: 1TB/s}\n" OUT);
	assert_in_range(c->up.rate_mbps, 8598700, 8599000);
	suo_cluster_free(c);

	refuse(HEAD UP "  links: 12\n  rate_gbps: 100\n" OUT,
	       "c.yaml:7: key 'scale_up.rate_gbps': only one of links, bandwidth and rate_gbps can be given\n");
	refuse(HEAD UP "  lanes: 2\n  bandwidth: 1TB/s\n" OUT,
	       "c.yaml:7: key 'scale_up.bandwidth': only one of links, bandwidth and rate_gbps can be given\n");
	refuse(HEAD UP "  links: 1024\n  lanes: 64\n" OUT,
	       "c.yaml:6: key 'scale_up.links': 6963200000 Mb/s on the wire; at most 100000000 are possible\n");
}

/* 203 + 150 + 2 * (25 + 5); and 203 + 2 * 150 + 3 * (50 + 5). */
static void test_latency_parts(void **state)
{
	struct suo_cluster *c = parse(HEAD UP OUT);

	assert_int_equal(suo_link_latency_ps(&c->up), 413000);
	suo_cluster_free(c);
	c = parse(HEAD UP "  stages: 2\n  fec_ns: 50\n" OUT);
	assert_int_equal(suo_link_latency_ps(&c->up), 668000);
	suo_cluster_free(c);
	c = parse(HEAD UP "  latency_ns: 500\n" OUT);
	assert_int_equal(c->up.endpoint_ps, 500000);
	assert_int_equal(c->up.stages, 0);
	assert_int_equal(suo_link_latency_ps(&c->up), 500000);
	suo_cluster_free(c);

	refuse(HEAD UP "  latency_ns: 500\n  stages: 0\n" OUT,
	       "c.yaml:7: key 'scale_up.stages': only latency_ns or its parts can be given\n");
	refuse(HEAD UP "  stages: 17\n" OUT,
	       "c.yaml:6: key 'scale_up.stages': '17' is too much; the most is 16\n");
}

/* What belongs to a link grows with the rate, unless it is given. */
static void test_per_link(void **state)
{
	struct suo_cluster *c = parse(HEAD "scale_up: {profile: sue}\n" OUT);

	assert_int_equal(c->up.credit_bytes, 60000);
	assert_int_equal(c->up.buffer_bytes, 262144);
	suo_cluster_free(c);
	c = parse(HEAD "scale_up: {profile: sue, links: 4}\n" OUT);
	assert_int_equal(c->up.credit_bytes, 240000);
	assert_int_equal(c->up.buffer_bytes, 1048576);
	suo_cluster_free(c);
	c = parse(HEAD "scale_up: {profile: sue, rate_gbps: 1200,"
		  " buffer_bytes: 0}\n" OUT);
	assert_int_equal(c->up.credit_bytes, 90000);
	assert_int_equal(c->up.buffer_bytes, 0);
	suo_cluster_free(c);
	/* 1 MiB for 800 Gb/s would be 125 MiB: as much as can be. */
	c = parse(HEAD "scale_up: {profile: uec, rate_gbps: 100Tb/s}\n" OUT);
	assert_int_equal(c->up.buffer_bytes, 67108864);
	suo_cluster_free(c);
}

static void test_bad_links(void **state)
{
	refuse(HEAD UP "  retry: maybe\n" OUT,
	       "c.yaml:6: key 'scale_up.retry': 'maybe' is none of none, llr, gbn\n");
	refuse(HEAD UP "  bit_error_rate: 1e-3\n" OUT,
	       "c.yaml:6: key 'scale_up.bit_error_rate': '1e-3' is too much; the most is 100000000000 e-15\n");
	refuse(HEAD UP "  bit_error_rate: 1e-16\n" OUT,
	       "c.yaml:6: key 'scale_up.bit_error_rate': '1e-16' is not a whole number of e-15\n");
	refuse(HEAD UP "  bit_error_rate: 1e9\n" OUT,
	       "c.yaml:6: key 'scale_up.bit_error_rate': '1e9' is not a bare number\n");
	refuse(HEAD UP "  bit_error_rate: 1e-999999999999\n" OUT,
	       "c.yaml:6: key 'scale_up.bit_error_rate': '1e-999999999999' is not a bare number\n");
	refuse(HEAD UP "  credit_bytes: 271\n" OUT,
	       "c.yaml:6: key 'scale_up.credit_bytes': 271 bytes are less than a packet takes, 272\n");
	refuse(HEAD UP "  frame_bytes: 64\n" OUT,
	       "c.yaml:4: key 'scale_up.frame_payload_bytes': 0 of a frame of 64 bytes cannot be\n");
	refuse(HEAD UP "  frame_bytes: 64\n  frame_payload_bytes: 65\n" OUT,
	       "c.yaml:7: key 'scale_up.frame_payload_bytes': 65 of a frame of 64 bytes cannot be\n");
	refuse(HEAD UP "  buffer_bytes: 1GiB\n" OUT,
	       "c.yaml:6: key 'scale_up.buffer_bytes': '1GiB' is too much; the most is 67108864 bytes\n");
	refuse(HEAD UP "  retry_ns: 2ms\n" OUT,
	       "c.yaml:6: key 'scale_up.retry_ns': '2ms' is too much; the most is 1000000000 ps\n");
	refuse(HEAD UP "  seed: -1\n" OUT,
	       "c.yaml:6: key 'scale_up.seed': '-1' is negative; the least is 0\n");
	refuse(HEAD UP "  min_packet_bytes: 5000\n" OUT,
	       "c.yaml:6: key 'scale_up.min_packet_bytes': '5000' is too much; the most is 4096 bytes\n");
}

static void test_env(void **state)
{
	struct suo_cluster *c = parse(HEAD UP OUT "lab: {time_scale: 1000}\n"
				      "bench: {algorithms: [ring, hierarchical]}\n");
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	suo_cluster_print_env(c, out);
	fclose(out);
	assert_string_equal(text,
		"SUO_NAME='t'\n"
		"SUO_HOSTS='2'\n"
		"SUO_ACCELS='4'\n"
		"SUO_RANKS='8'\n"
		"SUO_TIME_SCALE='1000'\n"
		"SUO_UP_RATE_MBPS='3825000'\n"
		"SUO_UP_ENDPOINT_PS='203000'\n"
		"SUO_UP_STAGES='1'\n"
		"SUO_UP_SWITCH_PS='150000'\n"
		"SUO_UP_FEC_PS='25000'\n"
		"SUO_UP_PROPAGATION_PS='5000'\n"
		"SUO_UP_MAX_PAYLOAD_BYTES='256'\n"
		"SUO_UP_HEADER_BYTES='16'\n"
		"SUO_UP_FLIT_BYTES='16'\n"
		"SUO_UP_MIN_PACKET_BYTES='0'\n"
		"SUO_UP_FRAME_BYTES='0'\n"
		"SUO_UP_FRAME_PAYLOAD_BYTES='0'\n"
		"SUO_UP_BUFFER_BYTES='294912'\n"
		"SUO_UP_CREDIT_BYTES='143424'\n"
		"SUO_UP_CREDIT_RTT_PS='200000'\n"
		"SUO_UP_ERRORS_PER_PBIT='0'\n"
		"SUO_UP_RETRY='llr'\n"
		"SUO_UP_RETRY_PS='200000'\n"
		"SUO_UP_SEED='1'\n"
		"SUO_OUT_RATE_MBPS='400000'\n"
		"SUO_OUT_LATENCY_PS='2500000'\n"
		"SUO_OUT_ENDPOINT_PS='1750000'\n"
		"SUO_OUT_CC='none'\n"
		"SUO_OUT_CC_PARAMS=''\n"
		"SUO_OUT_REORDER_PKTS='0'\n"
		"SUO_LAB_FABRIC='bridge'\n"
		"SUO_OUT_MTU_BYTES='4096'\n"
		"SUO_BENCH_MIN_BYTES='1024'\n"
		"SUO_BENCH_MAX_BYTES='4194304'\n"
		"SUO_BENCH_FACTOR='2'\n"
		"SUO_BENCH_ITERATIONS='2'\n"
		"SUO_BENCH_WARMUP='1'\n"
		"SUO_BENCH_ALGORITHMS='ring,hierarchical'\n");
	free(text);
	suo_cluster_free(c);
}

/* What the NICs are told of congestion control: numbers of the file, and mlx5's. */
static void test_env_control(void **state)
{
	struct suo_cluster *c = parse(HEAD UP OUT
		"  dcqcn: {rp_time_reset: 55, rp_byte_reset: 10MB, rp_ai_rate: 40Mb/s}\n");
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_null(c->lab_fault);
	suo_cluster_print_env(c, out);
	fclose(out);
	assert_non_null(strstr(text,
		"SUO_OUT_CC='dcqcn'\n"
		"SUO_OUT_CC_PARAMS='rp_time_reset=55 rp_byte_reset=10000000 rp_threshold=1 "
		"rp_ai_rate=40 rp_hai_rate=50 rp_gd=11 rp_min_dec_fac=50 rp_min_rate=1 "
		"rp_dce_tcp_g=1019 rp_dce_tcp_rtt=1 rp_rate_reduce_monitor_period=4 "
		"rp_initial_alpha_value=1023 np_min_time_between_cnps=4'\n"));
	free(text);
	suo_cluster_free(c);

	c = parse(HEAD UP OUT "  load_balancing: spray\n");
	assert_int_equal(c->out.congestion.reorder_pkts, 128);
	suo_cluster_free(c);
	c = parse(HEAD UP OUT "  load_balancing: spray\n  reorder_pkts: 0\n");
	assert_int_equal(c->out.congestion.reorder_pkts, 0);
	suo_cluster_free(c);
	refuse(HEAD UP OUT "  reorder_pkts: 1025\n",
	       "c.yaml:8: key 'scale_out.reorder_pkts': '1025' is too much; the most is 1024\n");

	c = parse(HEAD UP OUT "  dcqcn: {rp_time_reset: 1500ns}\n");
	assert_string_equal(c->lab_fault,
			    "c.yaml:8: key 'scale_out.dcqcn.rp_time_reset': the lab's devices have it in whole microseconds\n");
	suo_cluster_free(c);
}

static void test_misspelt_names(void **state)
{
	refuse(HEAD "scale_up:\n  profile: nvlink4\n  latncy_ns: 5\n" OUT,
	       "c.yaml:6: key 'scale_up.latncy_ns': unknown key; did you mean 'latency_ns'?\n");
	refuse("name: t\nhots: 2\naccelerators: 4\n" UP OUT,
	       "c.yaml:2: key 'hots': unknown key; did you mean 'hosts'?\n"
	       "c.yaml:1: key 'hosts': missing\n");
	refuse(HEAD UP OUT "colour: red\n",
	       "c.yaml:8: key 'colour': unknown key; known are name, hosts, accelerators, hosts_per_domain, scale_up, scale_out, software, lab, bench, faults\n");
	refuse(HEAD "scale_up:\n  profile: nvlnk4\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': unknown profile 'nvlnk4'; did you mean 'nvlink4'?\n");
	refuse(HEAD "scale_up:\n  profile: infinityfabric\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': unknown profile 'infinityfabric'; see: suo profile list\n");
	/* However long a name is, what is wrong with it is told. */
	refuse(HEAD "scale_up:\n  profile: " LONG "\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': unknown profile '" LONG "'; see: suo profile list\n");
	refuse(HEAD UP "scale_out:\n  profile: sue\n",
	       "c.yaml:7: key 'scale_out.profile': 'sue' is a scale-up profile\n");
	refuse(HEAD UP "scale_out:\n  profile: roce-4000g\n",
	       "c.yaml:7: key 'scale_out.profile': unknown profile 'roce-4000g'; did you mean 'roce-400g'?\n");
	refuse(HEAD UP OUT "bench:\n  algorithms: [ring, heirarchical]\n",
	       "c.yaml:9: key 'bench.algorithms': unknown algorithm 'heirarchical'; did you mean 'hierarchical'?\n");
}

static void test_bad_values(void **state)
{
	refuse(HEAD UP "  rate_gbps: -450\n" OUT,
	       "c.yaml:6: key 'scale_up.rate_gbps': '-450' is negative; the least is 1 Mb/s\n");
	refuse(HEAD UP "  bandwidth: 0GB/s\n" OUT,
	       "c.yaml:6: key 'scale_up.bandwidth': '0GB/s' is too little; the least is 1 Mb/s\n");
	refuse(HEAD UP "  bandwidth: 450\n" OUT,
	       "c.yaml:6: key 'scale_up.bandwidth': '450' needs a unit, such as Gb/s, GB/s\n");
	refuse(HEAD UP OUT "  rate_gbps: 400ns\n",
	       "c.yaml:8: key 'scale_out.rate_gbps': '400ns' is a time, not a rate\n");
	refuse(HEAD UP OUT "  latency_ns: 2 furlongs\n",
	       "c.yaml:8: key 'scale_out.latency_ns': '2 furlongs': no such unit as 'furlongs'; possible are ns, us and their like\n");
	refuse(HEAD UP OUT "  latency_ns: fast\n",
	       "c.yaml:8: key 'scale_out.latency_ns': 'fast' is not a time\n");
	refuse(HEAD UP OUT "  latency_ns: 0.0001\n",
	       "c.yaml:8: key 'scale_out.latency_ns': '0.0001' is not a whole number of ps\n");
	refuse(HEAD UP OUT "  rate_gbps: 99999999999999999999\n",
	       "c.yaml:8: key 'scale_out.rate_gbps': '99999999999999999999' is not a number of at most 18 digits\n");
	refuse(HEAD UP OUT "  rate_gbps: 999999999999999999\n",
	       "c.yaml:8: key 'scale_out.rate_gbps': '999999999999999999' is too much; the most is 100000000 Mb/s\n");
	refuse(HEAD UP OUT "  mtu_bytes: 1500\n",
	       "c.yaml:8: key 'scale_out.mtu_bytes': '1500' is no path MTU of RoCE: 256, 512, 1024, 2048 or 4096\n");
	refuse(HEAD UP OUT "  nics_per_accelerator: 65\n",
	       "c.yaml:8: key 'scale_out.nics_per_accelerator': '65' is too much; the most is 64\n");
	refuse("name: t\nhosts: 0\naccelerators: 4\n" UP OUT,
	       "c.yaml:2: key 'hosts': '0' is too little; the least is 1\n");
	refuse("name: t\nhosts: two\naccelerators: 4\n" UP OUT,
	       "c.yaml:2: key 'hosts': 'two' is not a number\n");
	refuse("name: t\nhosts: 4096\naccelerators: 4096\n" UP OUT,
	       "c.yaml:3: key 'accelerators': 16777216 in all hosts; at most 1048576 are possible\n");
	refuse("name: a$(reboot)\nhosts: 2\naccelerators: 4\n" UP OUT,
	       "c.yaml:1: key 'name': only letters, digits, '.', '_' and '-' are possible\n");
	refuse(HEAD UP OUT "lab: {time_scale: 0}\n",
	       "c.yaml:8: key 'lab.time_scale': '0' is too little; the least is 1\n");
	refuse(HEAD UP OUT "bench: {min_bytes: 1MiB, max_bytes: 1KiB}\n",
	       "c.yaml:8: key 'bench.max_bytes': max_bytes (1024) is less than min_bytes (1048576)\n");
	refuse(HEAD UP OUT "  rate_gbps: 1Mb/s\nbench: {max_bytes: 1024GiB}\n",
	       "c.yaml:9: key 'bench.max_bytes': would take 26388279 s over these links; at most 1000000 s are possible\n");
	refuse(HEAD UP OUT "bench: {min_bytes: 1026}\n",
	       "c.yaml:8: key 'bench.min_bytes': '1026' is not a multiple of 4 bytes (float32)\n");
	refuse(HEAD UP OUT "bench: {algorithms: [ring, ring]}\n",
	       "c.yaml:8: key 'bench.algorithms': 'ring' is listed twice\n");
}

static void test_bad_structure(void **state)
{
	refuse("", "c.yaml: the file is empty\n");
	refuse("# nothing\n", "c.yaml: the file is empty\n");
	refuse("just a text\n", "c.yaml:1: keys and values are expected here\n");
	refuse("- a\n- b\n", "c.yaml:1: keys and values are expected here\n");
	refuse(HEAD UP, "c.yaml:1: key 'scale_out': missing\n");
	refuse(HEAD "scale_up:\n  links: 4\n" OUT,
	       "c.yaml:4: key 'scale_up.profile': missing\n");
	refuse(HEAD "scale_up: nvlink4\n" OUT,
	       "c.yaml:4: key 'scale_up': keys and values are expected here\n");
	refuse(HEAD "scale_up:\n  profile: [nvlink4]\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': one value is expected here\n");
	refuse(HEAD "scale_up:\n  profile:\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': has no value\n");
	refuse(HEAD UP OUT "bench:\n  algorithms: ring\n",
	       "c.yaml:9: key 'bench.algorithms': a list is expected here, as in [a, b]\n");
	refuse(HEAD UP OUT "bench:\n  algorithms: []\n",
	       "c.yaml:9: key 'bench.algorithms': the list is empty\n");
	refuse(HEAD UP OUT "hosts: 3\n",
	       "c.yaml:8: key 'hosts': given before, on line 2\n");
	refuse(HEAD UP OUT "? [a]\n: b\n", "c.yaml:8: a key must be a word\n");
	refuse(HEAD UP OUT "---\nname: u\n",
	       "c.yaml:9: a second document begins here\n");
	refuse("name: t\n\thosts: 2\n",
	       "c.yaml:2: not YAML: found a tab character that violates indentation\n");
	refuse("name: &n t\nhosts: 2\naccelerators: 4\n" UP
	       "scale_out: {profile: *n}\n",
	       "c.yaml:6: key 'scale_out.profile': aliases (*name) are not supported\n");
	refuse("name: &n t\nhosts: &h 2\naccelerators:\n  *h\n" UP OUT,
	       "c.yaml:3: key 'accelerators': aliases (*name) are not supported\n");
	refuse(HEAD UP OUT "bench:\n  algorithms: [&r ring, *r]\n",
	       "c.yaml:9: key 'bench.algorithms': aliases (*name) are not supported\n");
	refuse("&n name: t\nhosts: 2\naccelerators: 4\n" UP OUT "bench: &b\n  *n : 3\n",
	       "c.yaml:8: key 'bench': aliases (*name) are not supported\n");
	refuse("name: \"t\\e[31m\"\nhosts: 2\naccelerators: 4\nx\\e: 1\n" UP OUT,
	       "c.yaml:4: key 'x\\e': unknown key; known are name, hosts, accelerators, hosts_per_domain, scale_up, scale_out, software, lab, bench, faults\n");
	refuse("\"x\\e[31m\": 1\n" HEAD UP OUT,
	       "c.yaml:1: key 'x?[31m': unknown key; known are name, hosts, accelerators, hosts_per_domain, scale_up, scale_out, software, lab, bench, faults\n");
	refuse("name: \"a\\0b\"\nhosts: 2\naccelerators: 4\n" UP OUT,
	       "c.yaml:1: key 'name': has a null byte in its value\n");
	refuse_bytes("name: \xff\xfe\n", 9,
		     "c.yaml: not a text in UTF-8: invalid leading UTF-8 octet, at byte 6\n");
}

/* All faults of a file are told at once. */
static void test_several_faults(void **state)
{
	refuse("name: t\nhosts: -2\naccelerators: none\n" UP "  latency_ns: -1\n" OUT,
	       "c.yaml:2: key 'hosts': '-2' is negative; the least is 1\n"
	       "c.yaml:3: key 'accelerators': 'none' is not a number\n"
	       "c.yaml:6: key 'scale_up.latency_ns': '-1' is negative; the least is 0 ps\n");
}

static void test_unreadable(void **state)
{
	struct suo_cluster *cluster;
	char *errors = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&errors, &size);

	assert_int_equal(suo_cluster_load("/nonexistent.yaml", out, &cluster),
			 -EINVAL);
	assert_int_equal(suo_cluster_load("/", out, &cluster), -EINVAL);
	fclose(out);
	assert_string_equal(errors,
			    "/nonexistent.yaml: No such file or directory\n"
			    "/: Is a directory\n");
	free(errors);
}

static void test_examples_load(void **state)
{
	static const char *const files[] = {
		"model/cluster/examples/2x4-nvlink4-roce400.yaml",
		"model/cluster/examples/2x4-ualink-roce400.yaml",
		"model/cluster/examples/2x4-sue-roce400.yaml",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct suo_cluster *cluster;

		assert_int_equal(suo_cluster_load(files[i], stderr, &cluster), 0);
		assert_int_equal(cluster->hosts * cluster->accels, 8);
		assert_null(cluster->lab_fault);
		suo_cluster_free(cluster);
	}
}

/* Clusters as they are built: accelerators, and those of a domain. */
static void test_built_examples(void **state)
{
	static const struct {
		const char	*name;
		uint32_t	ranks;
		uint32_t	domain;
	} built[] = {
		{ "dgx-a100", 32, 8 },
		{ "dgx-h100", 32, 8 },
		{ "dgx-h200", 32, 8 },
		{ "dgx-b200", 32, 8 },
		{ "gb200-nvl72", 576, 72 },
		{ "mi300x", 32, 8 },
		{ "ualink-pod", 256, 64 },
		{ "sue-pod", 256, 64 },
		{ "esun-pod", 256, 64 },
		{ "roce-256", 256, 8 },
		{ "roce-4096", 4096, 8 },
		{ "roce-131072", 131072, 8 },
	};

	for (size_t i = 0; i < sizeof(built) / sizeof(built[0]); i++) {
		struct suo_cluster *cluster;
		char path[128];

		snprintf(path, sizeof(path), "model/cluster/examples/%s.yaml",
			 built[i].name);
		assert_int_equal(suo_cluster_load(path, stderr, &cluster), 0);
		assert_string_equal(cluster->name, built[i].name);
		assert_int_equal(suo_cluster_ranks(cluster), built[i].ranks);
		assert_int_equal(suo_cluster_domain_size(cluster), built[i].domain);
		suo_cluster_free(cluster);
	}
}

/*
 * Payload rate of an accelerator in large messages, GB/s, by hand: the rate of the
 * vendor's tables or the raw rate, and what framing leaves of it; and the latency.
 */
static const struct catalogue {
	const char	*name;
	double		payload_GBps;
	uint64_t	latency_ns;
	enum suo_link_retry	retry;
} catalogue[] = {
	/* Raw rates are 17/16 of these, and 256 of 272 bytes are payload. */
	{ "nvlink3", 300, 413, SUO_LINK_LLR },
	{ "nvlink4", 450, 413, SUO_LINK_LLR },
	{ "nvlink5", 900, 413, SUO_LINK_LLR },
	{ "nvlink6", 1800, 413, SUO_LINK_LLR },
	/* The consortium says 93 % */
	{ "ualink200", 100 * 256 / 270.0 * 628 / 640, 400, SUO_LINK_GBN },
	/* 64 bytes of 76 */
	{ "xgmi4", 448 * 64 / 76.0, 402, SUO_LINK_GBN },
	/* Four of five slots; 64 bytes of 68, 240 of 256 */
	{ "cxl2", 64 * 0.8 * 64 / 68, 147, SUO_LINK_GBN },
	{ "cxl3", 128 * 0.8 * 240 / 256, 147, SUO_LINK_GBN },
	/* 88.3 %, and half of a round trip of 2 us */
	{ "sue", 100 * 256 / 290.0, 1000, SUO_LINK_LLR },
	{ "sue-lite", 50 * 256 / 290.0, 1000, SUO_LINK_LLR },
	{ "esun-base", 100 * 256 / 290.0, 1250, SUO_LINK_NONE },
	{ "esun-extended", 100 * 256 / 290.0, 1000, SUO_LINK_LLR },
	/* 98.5 %, 98.0 % */
	{ "uec", 100 * 4096 / 4160.0, 1640, SUO_LINK_LLR },
	{ "roce-100g", 12.5 * 4096 / 4178.0, 2500, SUO_LINK_NONE },
	{ "roce-200g", 25 * 4096 / 4178.0, 2500, SUO_LINK_NONE },
	{ "roce-400g", 50 * 4096 / 4178.0, 2500, SUO_LINK_NONE },
	{ "roce-800g", 100 * 4096 / 4178.0, 2500, SUO_LINK_NONE },
};

#define NUM_CATALOGUE	(sizeof(catalogue) / sizeof(catalogue[0]))

static void test_catalogue(void **state)
{
	for (size_t i = 0; i < NUM_CATALOGUE; i++) {
		const struct catalogue *want = &catalogue[i];
		const struct suo_profile *p = suo_profile_find(want->name);
		struct suo_link_law law;
		double rate;

		assert_non_null(p);
		suo_up_law(p, &law);
		rate = suo_goodput_mbps(&law, 16384) / 8000;
		/* A byte of a segment is rounded up at most. */
		if (rate > want->payload_GBps * 1.00001 ||
		    rate < want->payload_GBps * 0.9998)
			fail_msg("%s: %f GB/s, not %f", p->name, rate,
				 want->payload_GBps);
		assert_int_equal(suo_profile_latency_ps(p) / 1000,
				 want->latency_ns);
		assert_int_equal(law.retry, want->retry);
		/* Who has PFC only has no credits, and leaves errors to others. */
		assert_int_equal(!law.credit_bytes, law.retry == SUO_LINK_NONE);
		assert_int_equal(suo_profile_is_out(p),
				 !strncmp(p->name, "roce-", 5));
	}
}

static void check_figure(const struct suo_profile *p,
			 const struct suo_figure *figure,
			 const struct suo_quantity *what, const char *name)
{
	if (!figure->source || strlen(figure->source) < 5)
		fail_msg("%s of %s has no source", name, p->name);
	if (figure->value < what->min || figure->value > what->max)
		fail_msg("%s of %s is out of range", name, p->name);
	assert_non_null(suo_provenance_name(figure->provenance));
}

/* Every profile is in the catalogue above, and every figure has a source. */
static void test_profiles(void **state)
{
	static const struct suo_quantity some = { SUO_NUMBER, NULL, 1, UINT64_MAX };
	const struct suo_profile *p;
	unsigned int i;

	for (i = 0; (p = suo_profile_get(i)); i++) {
		const struct suo_up_field *field;
		struct suo_link_law law;

		assert_string_equal(p->name, catalogue[i].name);
		assert_ptr_equal(suo_profile_find(p->name), p);
		check_figure(p, &p->links, &some, "links");
		check_figure(p, &p->lanes, &some, "lanes");
		check_figure(p, &p->lane_rate_mbps, &some, "lane_rate_mbps");
		if (suo_profile_is_out(p))
			check_figure(p, &p->mtu_bytes, &some, "mtu_bytes");
		for (unsigned int f = 0; (field = suo_up_field(f)); f++)
			if (field->figure)
				check_figure(p, suo_up_figure(field, p),
					     &field->what, field->name);
		/* Credits hold nobody up, unless somebody wants them to. */
		suo_up_law(p, &law);
		assert_int_equal(suo_credit_end_ps(&law, 1 << 24), 0);
	}
	assert_int_equal(i, NUM_CATALOGUE);
}

/* Every profile can be that of a domain, and its own text is taken back. */
static void test_profiles_scale_up(void **state)
{
	for (size_t i = 0; i < NUM_CATALOGUE; i++) {
		char text[256];
		struct suo_cluster *c;
		struct suo_link_law law;

		snprintf(text, sizeof(text), HEAD "scale_up: {profile: %s}\n" OUT,
			 catalogue[i].name);
		c = parse(text);
		suo_up_law(suo_profile_find(catalogue[i].name), &law);
		law.seed = 1;
		assert_memory_equal(&c->up, &law, sizeof(law));
		suo_cluster_free(c);
	}
}

static void test_units(void **state)
{
	static const struct suo_quantity rate = { SUO_RATE, "Gb/s", 0, UINT64_MAX };
	static const struct {
		const char	*text;
		uint64_t	mbps;
	} good[] = {
		{ "0", 0 }, { "1", 1000 }, { "0.001", 1 }, { "1.", 1000 },
		{ ".5", 500 }, { "1Mb/s", 1 }, { "1 Tbps", 1000000 },
		{ "1MB/s", 8 }, { "478.125GB/s", 3825000 }, { "1TB/s", 8000000 },
	};
	static const char *const bad[] = {
		"", ".", " 1", "1..2", "1.2.3", "+1", "0x10", "1e3", "1 gb/s",
		"1 GB", "1 Gb/s x", "NaN", "inf", "--1",
	};
	uint64_t value;
	char why[200];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(suo_quantity_parse(good[i].text, &rate, &value,
						    why, sizeof(why)), 0);
		assert_int_equal(value, good[i].mbps);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!suo_quantity_parse(bad[i], &rate, &value, why, sizeof(why)))
			fail_msg("'%s' was taken for a rate", bad[i]);
}

/* Bytes of a good file are changed, left out and doubled; nothing may break. */
static void test_mutations(void **state)
{
	static const char good[] = HEAD UP OUT
		"bench: {min_bytes: 4KiB, algorithms: [ring, hierarchical]}\n";
	static const char salt[] = "\n\t :-{}[],&*!|>'\"%@`#\\0x\xff";
	char text[sizeof(good) + 1];
	uint32_t random = 1;

	for (int round = 0; round < 20000; round++) {
		struct suo_cluster *cluster = NULL;
		size_t len = sizeof(good) - 1;

		memcpy(text, good, sizeof(good));
		for (int n = 0; n < 1 + round % 3; n++) {
			size_t at, how;

			random = random * 1664525 + 1013904223;
			at = (random >> 8) % len;
			how = (random >> 4) % 3;
			if (how == 0) {
				text[at] = salt[(random >> 20) % (sizeof(salt) - 1)];
			} else if (how == 1) {
				memmove(text + at, text + at + 1, len - at - 1);
				len--;
			} else if (len < sizeof(text)) {
				memmove(text + at + 1, text + at, len - at);
				len++;
			}
		}
		if (!suo_cluster_parse("c.yaml", text, len, NULL, &cluster))
			suo_cluster_free(cluster);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_bandwidth_and_links),
		cmocka_unit_test(test_env),
		cmocka_unit_test(test_env_control),
		cmocka_unit_test(test_misspelt_names),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_bad_structure),
		cmocka_unit_test(test_several_faults),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_examples_load),
		cmocka_unit_test(test_built_examples),
		cmocka_unit_test(test_latency_parts),
		cmocka_unit_test(test_per_link),
		cmocka_unit_test(test_bad_links),
		cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_profiles_scale_up),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests_name("cluster", tests, NULL, NULL);
}
