// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command suo calibrate: what it prints, and its exit status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"

#define SUO	"build/bin/suo calibrate "
#define TABLES	"tests/data/nccl/"
#define DGX	TABLES "ar_dgxh100_8gpu_nvidia.csv "
#define OCI	TABLES "ar_a100_16gpu_oci.csv "
#define IB	TABLES "ar_h100_16gpu_ib.csv "

static void test_usage(void **state)
{
	expect(SUO, 2, "which tables?");
	expect(SUO DGX "-P p.json -o q.json", 2, "--profile fits nothing");
	expect(SUO DGX "-l nobody", 2,
	       "Error: --leave-out: no table is of a cluster 'nobody'");
	expect(SUO DGX "-l dgx_h100", 2, "no measurement is left to fit to");
	expect(SUO "/nonexistent", 1, "Error: /nonexistent: No such file");
	expect("echo 'size_bytes,us' > $D/t; " SUO "$D/t", 2,
	       "/t:1: no column of times");
	/* No end of line, and no text. */
	expect("head -c 70000 /dev/zero | tr '\\0' x > $D/t; " SUO "$D/t", 2,
	       "/t:1: the line is too long");
	expect("timeout 10 " SUO "/dev/zero", 2, "Error: /dev/zero:1: has a null byte");
	expect(SUO DGX "-P /nonexistent", 2, "Error: /nonexistent");
	expect(SUO DGX "-o /nonexistent/p", 1, "Error: /nonexistent/p: No such");
	expect(SUO DGX "-c /nonexistent/c", 1, "Error: /nonexistent/c: No such");
	expect(SUO DGX "-S /dev/full", 1, "Error: /dev/full: cannot write");
	expect(SUO DGX "-o /dev/full", 1, "Error: /dev/full: No space left on device");
}

/* One cluster has no band; what a profile has, is had again from it. */
static void test_profile(void **state)
{
	expect(SUO DGX "-o $D/p.json > $D/a && ! grep -q '10-90' $D/a && "
	       SUO "-P $D/p.json " DGX "> $D/b && "
	       "sed s/fitted/unseen/ $D/a | diff - $D/b && echo same", 0, "same");
}

/* A cluster that is left out is told as such, and the band with it. */
static void test_leave_out(void **state)
{
	json_t *root = get_json(SUO DGX IB OCI "-l oci_a100_roce -j"), *clusters;
	double low, high;

	clusters = json_object_get(root, "clusters");
	assert_int_equal(json_array_size(clusters), 3);
	for (size_t i = 0; i < 3; i++) {
		json_t *c = json_array_get(clusters, i);
		bool left = !strcmp(json_string_value(json_object_get(c, "cluster")),
				    "oci_a100_roce");

		assert_int_equal(json_is_true(json_object_get(c, "fitted")), !left);
		/* Bound by NICs, whose headers take 5 %. */
		if (left)
			assert_true(json_real_value(json_object_get(c, "mean_pct")) <
				    5);
	}
	assert_int_equal(json_unpack(root, "{s:{s:f, s:f}}", "band", "log_p10",
				     &low, "log_p90", &high), 0);
	assert_true(low < high);
	json_decref(root);
}

#define CLUSTER(software)						\
	"name: x\nhosts: 2\naccelerators: 8\n"				\
	"scale_up: {profile: nvlink4, in_network_reduction: yes}\n"	\
	"scale_out: {profile: roce-400g}\nsoftware:\n" software

#define PREDICT	"build/bin/suo predict $D/c.yaml "

/* What a cluster file can name, and what it says when it cannot. */
static void test_named(void **state)
{
	json_t *root;

	put_file("c.yaml", CLUSTER("  profile: nccl-h100\n"));
	expect(PREDICT "-j > $D/built-in", 0, "");

	/* The fitted constants, written to a file: the same figures. */
	expect(SUO TABLES "*.csv -o $D/all.json > $D/log", 0, "");
	put_file("c.yaml", CLUSTER("  profile: all.json\n  accelerator: h100_sxm\n"));
	put_file("near.py",
		 "import json, math, sys\n"
		 "def near(a, b):\n"
		 "    if isinstance(a, dict):\n"
		 "        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)\n"
		 "    if isinstance(a, list):\n"
		 "        return len(a) == len(b) and all(map(near, a, b))\n"
		 "    if isinstance(a, float):\n"
		 "        return math.isclose(a, b, rel_tol=1e-3, abs_tol=0.02)\n"
		 "    return a == b\n"
		 "print('near' if near(*(json.load(open(f)) for f in sys.argv[1:])) else 'off')\n");
	expect(PREDICT "-j > $D/file && sed 's/nccl-h100/all.json/' $D/built-in > $D/b && "
	       "python3 $D/near.py $D/file $D/b", 0, "near");
	expect("build/bin/suo sweep $D/c.yaml -k hosts=2,4 -s 1MiB", 0, ",tree,scale-out latency,");
	expect("build/bin/suo compare $D/c.yaml $D/c.yaml -S inputs", 0, "all.json");
	/* An hour for a step shows: it is the file's constants that count. */
	expect("sed '/\"hop_/,/value/s/\"value\": [0-9.]*/\"value\": 5e8/' "
	       "$D/all.json > $D/slow.json", 0, "");
	put_file("c.yaml", CLUSTER("  profile: ./slow.json\n  accelerator: h100_sxm\n"
				   "  algorithms: [ring]\n"));
	root = get_json(PREDICT "-s 1KiB -c allreduce -j");
	assert_true(number(json_array_get(json_object_get(root, "predictions"), 0),
			   "time_us") > 1e6);
	json_decref(root);

	put_file("c.yaml", CLUSTER("  profile: all.json\n"));
	expect(PREDICT, 2, "c.yaml:7: key 'software.profile': a profile's file is for all");
	put_file("c.yaml", CLUSTER("  profile: all.json\n  accelerator: h100\n"));
	expect(PREDICT, 2, "c.yaml:8: key 'software.accelerator': unknown accelerator 'h100'");
	put_file("c.yaml", CLUSTER("  profile: all.json\n  accelerator: gb200\n"
				   "  transport: pigeon\n"));
	expect(PREDICT, 2, "c.yaml:9: key 'software.transport': 'pigeon' is none of verbs,");
	put_file("c.yaml", CLUSTER("  profile: nccl-h100\n  accelerator: h100_sxm\n"));
	expect(PREDICT, 2, "c.yaml:8: key 'software.accelerator': only with a profile that is");
	put_file("c.yaml", CLUSTER("  profile: none.json\n  accelerator: h100_sxm\n"));
	expect(PREDICT, 2, "c.yaml:7: key 'software.profile': ");
	expect(PREDICT, 2, "none.json");
	put_file("c.yaml", CLUSTER("  profile: bad.json\n  accelerator: h100_sxm\n"));
	expect("sed '0,/value/s/\"value\": [0-9.]*/\"value\": -1/' "
	       "$D/all.json > $D/bad.json; " PREDICT, 2, "bad.json: constants.ampere.base_kcycles.value: not a number from");
	expect("echo '{' > $D/bad.json; " PREDICT, 2, "/bad.json:2: ");
}

static void test_rows(void **state)
{
	expect(SUO OCI "-c $D/r.csv > /dev/null; head -n 1 $D/r.csv", 0,
	       "table,op,gpus,size_bytes,measured_us,predicted_us,error_pct,"
	       "band_low_us,band_high_us,algorithm,protocol,channels,");
	expect("cat $D/r.csv", 0,
	       "oci_a100_roce,all_reduce,16,1073741824,10867.500,");
	expect("cut -d, -f10,11 $D/r.csv", 0, "ring,simple");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_leave_out),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
