// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo simulate: what it prints and writes, its exit status, and being interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"

#define SUO	"build/bin/suo"
#define SIM	SUO " simulate "
#define EXAMPLE	"model/cluster/examples/roce-256.yaml"
#define CLUSTER	"name: t\nhosts: 2\naccelerators: 4\n"				\
		"scale_up:\n  profile: nvlink4\nscale_out:\n  profile: roce-400g\n"

static void test_usage(void **state)
{
	expect(SIM, 2, "which workload?");
	expect(SIM "incasts", 2, "did you mean incast");
	expect(SIM "incast ring", 2, "one workload only");
	expect(SIM "incast --hosts 1", 2, "--hosts");
	expect(SIM "incast --hosts 100000", 2, "--hosts");
	expect(SIM "incast -n 32", 2, "33 hosts take part, of 32");
	expect(SIM "incast --mtu 1000", 2, "MTU 1000");
	expect(SIM "incast --rate 5", 0, "all data");
	expect(SIM "incast --rate 0", 2, "--rate");
	/* 0 is not what is left away. */
	expect(SIM "incast --xoff 0", 2, "--xoff: '0' is too little; the least is 1 bytes");
	expect(SIM "incast --xoff 1 --xon 0", 2, "--xon: '0' is too little");
	expect(SIM "incast --xoff 1 --headroom 0", 2, "--headroom: '0' is too little");
	expect(SIM "incast --lossy --queue 0", 2, "--queue: '0' is too little");
	expect(SIM "incast --rate -1", 2, "--rate");
	expect(SIM "incast --rate 5m", 2, "--rate");
	expect(SIM "incast --hop-latency 2s", 2, "--hop-latency");
	expect(SIM "incast --ecn 1,2", 2, "KMIN,KMAX,PMAX");
	expect(SIM "incast --ecn 5KB,2KB,0.1", 2, "KMIN is above KMAX");
	expect(SIM "incast --ecn 1KB,2KB,1.5", 2, "PMAX");
	expect(SIM "incast --ecn 1KB,2KB,nan", 2, "PMAX");
	expect(SIM "incast --cc bbr", 2, "none of none, dcqcn, nscc");
	expect(SIM "incast --topology fat-tree --hosts 100", 2, "k^3/4, such as 128");
	expect(SIM "incast --topology tree", 2, "unknown topology 'tree'");
	expect(SIM "incast -c /nonexistent.yaml", 2, "/nonexistent.yaml");
	expect(SIM "incast --csv /nonexistent/x", 1, "/nonexistent/x");
	expect(SIM "incast --messages /nonexistent/x", 1, "/nonexistent/x");
	expect(SIM "collective -a nonsense", 2, "nonsense");
	expect(SIM "collective --coll nonsense", 2, "unknown collective");
	expect(SIM "collective --hosts 12 -g 5", 2, "domains of 5");
	expect(SIM "collective --scale-up nvlink99 -g 4", 2, "no profile 'nvlink99'");
	expect(SUO " help", 0, "suo simulate");
	/* Nothing fits: no loop without end. */
	expect(SIM "incast --lossy --queue 1KB", 1, "no progress after 8 timeouts");
	expect(SIM "incast --transport selective --lossy --buffer 10", 1,
	       "no progress after 8 timeouts");
	expect(SIM "incast --buffer 10 --headroom 1000", 1, "no progress after 8");
	expect(SIM "incast --transport pull --buffer 10", 1, "no progress after 8");
}

/* What a cluster file can have and is not simulated is told by a key that there is. */
static void test_not_simulated(void **state)
{
	put_file("loss.yaml", CLUSTER "  loss_rate: 1e-6\n");
	put_file("nics.yaml", CLUSTER "  nics_per_accelerator: 2\n");
	put_file("torus.yaml", CLUSTER "  topology: torus\n  torus: [8]\n");
	expect(SIM "incast -c $D/loss.yaml", 2,
	       "/loss.yaml: key 'scale_out.loss_rate': losses without congestion are not");
	expect(SIM "incast -c $D/nics.yaml", 2,
	       "/nics.yaml: section 'scale_out': 8 NICs of a host for 4 accelerators");
	expect(SIM "incast -c $D/torus.yaml", 2,
	       "/torus.yaml: key 'scale_out.topology': 'torus' is not simulated");
}

/*
 * Two senders of 1 MiB to one host over 400 Gb/s: 2 (256 * 4178 + 20) bytes one after
 * the other, the first packet (4194) stored and forwarded, and 1.5 us: 44.367 us.
 */
static void test_figures(void **state)
{
	json_t *json = get_json(SIM "incast -n 2 --hosts 3 -j");

	assert_int_equal(number(json, "messages"), 2);
	assert_int_equal(number(json, "packets"), 512);
	assert_true(json_is_true(json_object_get(json, "complete")));
	assert_true(number(json, "data_us") > 44.36);
	assert_true(number(json, "data_us") < 44.39);
	json_decref(json);

	expect(SIM "incast -n 2 --hosts 3 --csv $D/a.csv && cat $D/a.csv", 0,
	       "workload,hosts,bytes,messages,min_us,p50_us,p99_us,max_us,data_us,done_us,");
	/* From a cluster file: 4 queue pairs a pair share a message. */
	json = get_json(SIM "permutation -c " EXAMPLE " -b 64KiB -j");
	assert_int_equal(number(json, "hosts"), 256);
	assert_int_equal(number(json, "messages"), 1024);
	assert_string_equal(json_string_value(json_object_get(json, "topology")),
			    "leaf-spine");
	json_decref(json);
	/* Trains do not overrun what the file's headroom is for. */
	json = get_json(SIM "collective -c " EXAMPLE " -a hierarchical:direct+direct"
			" -b 64MiB --train 64 -j");
	assert_int_equal(number(json, "dropped"), 0);
	assert_true(number(json, "data_us") < 1000);
	json_decref(json);
}

static void test_traces(void **state)
{
	/* A line for each message, and the header. */
	expect(SIM "all-to-all -n 4 -b 8192 --messages $D/m.csv --packets $D/p.csv > $D/out"
	       " && wc -l < $D/m.csv", 0, "13\n");
	/* Two packets of each message leave the hosts, pass the switch and arrive. */
	expect("grep -c 'send,host.*data' $D/p.csv", 0, "24\n");
	expect("grep -c 'send,switch.*data' $D/p.csv", 0, "24\n");
	expect("grep -c 'receive,host.*data' $D/p.csv", 0, "24\n");
	expect("cut -d, -f1 $D/p.csv | tail -n +2 | sort -nc && echo sorted", 0,
	       "sorted");
	expect(SIM "all-to-all -n 4 -b 8192 --packets $D/q.csv > $D/out && "
	       "cmp $D/p.csv $D/q.csv && echo the same", 0, "the same");
}

/* An interrupt: what is there until then is whole, and says that it is not all. */
static void test_interrupted(void **state)
{
	expect(SIM "permutation --topology fat-tree --hosts 128 -b 1GiB --csv $D/i.csv"
	       " --messages $D/i-m.csv > $D/i.out & pid=$!; sleep 1; kill -INT $pid;"
	       " wait $pid", 1, "Error: interrupted");
	expect("tail -n 1 $D/i.csv", 0, ",0\n");
	expect("awk -F, 'NF != 19 { exit 1 } END { print NR }' $D/i.csv", 0, "2");
	expect("awk -F, 'NF != 11 { exit 1 } END { print \"whole\" }' $D/i-m.csv", 0,
	       "whole");
	expect("cat $D/i.out", 0, "others are not done");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_not_simulated),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests_name("simulate", tests, make_dir, remove_dir);
}
