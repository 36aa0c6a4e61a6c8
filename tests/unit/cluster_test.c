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

#include "model/cluster/cluster.h"
#include "model/cluster/report.h"
#include "model/cluster/units.h"

#define HEAD	"name: t\nhosts: 2\naccelerators: 4\n"	/* lines 1 to 3 */
#define UP	"scale_up:\n  profile: nvlink4\n"	/* 2 lines */
#define OUT	"scale_out:\n  profile: roce-400g\n"	/* 2 lines */

static struct suo_cluster *parse(const char *text)
{
	struct suo_cluster *cluster = NULL;
	char *errors = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&errors, &size);
	int ret = suo_cluster_parse("c.yaml", text, strlen(text), out, &cluster);

	fclose(out);
	if (ret)
		fail_msg("%s", errors);
	assert_int_equal(size, 0);
	free(errors);
	return cluster;
}

/* The text is refused with just this message. */
static void refuse_bytes(const char *text, size_t len, const char *message)
{
	struct suo_cluster *cluster = NULL;
	char *errors = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&errors, &size);
	int ret = suo_cluster_parse("c.yaml", text, len, out, &cluster);

	fclose(out);
	assert_int_equal(ret, -EINVAL);
	assert_null(cluster);
	assert_string_equal(errors, message);
	free(errors);
	assert_int_equal(suo_cluster_parse("c.yaml", text, len, NULL, &cluster),
			 -EINVAL);
}

static void refuse(const char *text, const char *message)
{
	refuse_bytes(text, strlen(text), message);
}

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
		" flit_bytes: 64, max_payload_bytes: 4KiB, header_bytes: 20}\n"
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

	refuse(HEAD UP "  links: 12\n  rate_gbps: 100\n" OUT,
	       "c.yaml:7: key 'scale_up.rate_gbps': only one of links, bandwidth and rate_gbps can be given\n");
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
		"SUO_UP_LATENCY_PS='413000'\n"
		"SUO_UP_FLIT_BYTES='16'\n"
		"SUO_UP_MAX_PAYLOAD_BYTES='256'\n"
		"SUO_UP_HEADER_BYTES='16'\n"
		"SUO_OUT_RATE_MBPS='400000'\n"
		"SUO_OUT_LATENCY_PS='2500000'\n"
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

static void test_misspelt_names(void **state)
{
	refuse(HEAD "scale_up:\n  profile: nvlink4\n  latncy_ns: 5\n" OUT,
	       "c.yaml:6: key 'scale_up.latncy_ns': unknown key; did you mean 'latency_ns'?\n");
	refuse("name: t\nhots: 2\naccelerators: 4\n" UP OUT,
	       "c.yaml:2: key 'hots': unknown key; did you mean 'hosts'?\n"
	       "c.yaml:1: key 'hosts': missing\n");
	refuse(HEAD UP OUT "colour: red\n",
	       "c.yaml:8: key 'colour': unknown key; known are name, hosts, accelerators, scale_up, scale_out, lab, bench\n");
	refuse(HEAD "scale_up:\n  profile: nvlnk4\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': unknown profile 'nvlnk4'; did you mean 'nvlink4'?\n");
	refuse(HEAD "scale_up:\n  profile: infinityfabric\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': unknown profile 'infinityfabric'; see: suo profile list\n");
	refuse(HEAD "scale_up:\n  profile: roce-400g\n" OUT,
	       "c.yaml:5: key 'scale_up.profile': 'roce-400g' is a scale-out profile\n");
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
	refuse(HEAD UP OUT "  nics_per_accelerator: 2\n",
	       "c.yaml:8: key 'scale_out.nics_per_accelerator': '2' is too much; the most is 1\n");
	refuse("name: t\nhosts: 0\naccelerators: 4\n" UP OUT,
	       "c.yaml:2: key 'hosts': '0' is too little; the least is 1\n");
	refuse("name: t\nhosts: two\naccelerators: 4\n" UP OUT,
	       "c.yaml:2: key 'hosts': 'two' is not a number\n");
	refuse("name: t\nhosts: 4096\naccelerators: 4096\n" UP OUT,
	       "c.yaml:3: key 'accelerators': 16777216 in all hosts; at most 4096 are possible\n");
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
	       "c.yaml: aliases (*name) are not supported\n");
	refuse("name: \"t\\e[31m\"\nhosts: 2\naccelerators: 4\nx\\e: 1\n" UP OUT,
	       "c.yaml:4: key 'x\\e': unknown key; known are name, hosts, accelerators, scale_up, scale_out, lab, bench\n");
	refuse("\"x\\e[31m\": 1\n" HEAD UP OUT,
	       "c.yaml:1: key 'x?[31m': unknown key; known are name, hosts, accelerators, scale_up, scale_out, lab, bench\n");
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
		suo_cluster_free(cluster);
	}
}

static void test_profiles(void **state)
{
	static const char *const wanted[] = {
		"nvlink3", "nvlink4", "nvlink5", "ualink200", "roce-100g",
		"roce-200g", "roce-400g", "roce-800g",
	};
	/* Payload rate of an accelerator, from the vendor's tables. */
	static const struct { const char *name; unsigned int GBps; } payload[] = {
		{ "nvlink3", 300 }, { "nvlink4", 450 }, { "nvlink5", 900 },
		{ "nvlink6", 1800 },
	};
	const struct suo_profile *p;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_non_null(suo_profile_find(wanted[i]));

	for (size_t i = 0; i < sizeof(payload) / sizeof(payload[0]); i++) {
		p = suo_profile_find(payload[i].name);
		assert_int_equal(p->links.value * p->link_rate_mbps.value * 16 / 17,
				 payload[i].GBps * 8000);
	}

	for (unsigned int i = 0; (p = suo_profile_get(i)); i++) {
		assert_ptr_equal(suo_profile_find(p->name), p);
		assert_true(p->links.value && p->links.source);
		assert_true(p->link_rate_mbps.value && p->link_rate_mbps.source);
		assert_true(p->latency_ps.value && p->latency_ps.source);
		if (p->kind == SUO_SCALE_OUT) {
			assert_non_null(p->mtu_bytes.source);
			continue;
		}
		assert_non_null(p->max_payload_bytes.source);
		assert_non_null(p->header_bytes.source);
		assert_non_null(p->flit_bytes.source);
	}

	/* SUE with its 10-byte header carries 88.3 % at 256 bytes, UALink 93. */
	p = suo_profile_find("sue-800g");
	assert_int_equal(2560000 / (256 + p->header_bytes.value), 8827);
	p = suo_profile_find("ualink200");
	assert_int_equal(25600 / (256 + p->header_bytes.value), 93);
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
		cmocka_unit_test(test_misspelt_names),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_bad_structure),
		cmocka_unit_test(test_several_faults),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_examples_load),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests_name("cluster", tests, NULL, NULL);
}
