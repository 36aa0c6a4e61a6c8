// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The command itself: what it prints, and its exit status. Run in the source
 * tree, as make check-unit does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"

#define SUO	"build/bin/suo"
#define EXAMPLE	"model/cluster/examples/2x4-nvlink4-roce400.yaml"

#define RAW_HEADER	\
	"size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong\n"
#define JOINED_HEADER	\
	"size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong,predicted_us,deviation_pct\n"

static void test_usage(void **state)
{
	expect(SUO, 2, "Usage: suo OBJECT");
	expect(SUO " help", 0, "suo predict");
	expect(SUO " --help", 0, "suo predict");
	expect(SUO " version", 0, "suo ");
	expect(SUO " nonsense", 2, "Error: no such command as 'nonsense'");
	expect(SUO " plan", 2, "suo plan show");
	expect(SUO " plan --help", 0, "suo plan show");
	expect(SUO " plan nonsense", 2, "suo plan show");
	expect(SUO " predict", 2, "which cluster file?");
	expect(SUO " predict --nonsense", 2, "unrecognized option");
	expect(SUO " predict " EXAMPLE " " EXAMPLE, 2, "one cluster file only");
	expect(SUO " plan check ring -n 0", 2, "--ranks");
	expect(SUO " plan check ring -n 8 -g 3", 2, "domains of 3");
	expect(SUO " plan check rong", 2, "did you mean ring");
	expect(SUO " profile show nvlink44", 2, "did you mean nvlink4");
	expect(SUO " profile list x", 2, "one argument too many");
	expect(SUO " cluster env", 2, "which cluster file?");
	expect(SUO " doctor nonsense", 2, "neither lab nor module");
}

/* p is plan, predict and profile. */
static void test_abbreviations(void **state)
{
	expect(SUO " p", 2, "no such command as 'p'");
	expect(SUO " pr list", 2, "no such command");
	expect(SUO " pro l", 0, "nvlink4");
	expect(SUO " pla c ring -n 4", 0, "ring: 4 ranks, 48 steps");
	expect(SUO " clu e " EXAMPLE, 0, "SUO_RANKS='8'\n");
}

static void test_bad_cluster_files(void **state)
{
	put_file("misspelt.yaml", "name: t\nhosts: 2\naccelerators: 4\n"
		 "scale_up:\n  profile: nvlink4\n  latncy_ns: 3\n"
		 "scale_out: {profile: roce-400g}\n");
	put_file("negative.yaml", "name: t\nhosts: 2\naccelerators: 4\n"
		 "scale_up:\n  profile: nvlink4\n  rate_gbps: -3\n"
		 "scale_out: {profile: roce-400g}\n");
	put_file("unknown.yaml", "name: t\nhosts: 2\naccelerators: 4\n"
		 "scale_up:\n  profile: nvlonk4\n"
		 "scale_out: {profile: roce-400g}\n");
	expect(SUO " predict $D/misspelt.yaml", 2,
	       "/misspelt.yaml:6: key 'scale_up.latncy_ns': unknown key; did you mean 'latency_ns'?\n");
	expect(SUO " cluster env $D/negative.yaml", 2,
	       "/negative.yaml:6: key 'scale_up.rate_gbps': '-3' is negative");
	expect(SUO " cluster check $D/unknown.yaml", 2,
	       "/unknown.yaml:5: key 'scale_up.profile': unknown profile 'nvlonk4'; did you mean 'nvlink4'?\n");
	expect(SUO " predict $D/nowhere.yaml", 2, "No such file");
	/* Nothing half-done on stdout. */
	expect("[ -z \"$(" SUO " cluster env $D/negative.yaml 2>/dev/null)\" ]", 0, "");
}

/* What switches do with each priority, where there are switches. */
static void test_priorities(void **state)
{
	put_file("switches.yaml", "name: t\nhosts: 4\naccelerators: 1\n"
		 "scale_up: {profile: nvlink4}\nscale_out:\n  profile: roce-400g\n"
		 "  ecn: {kmin_bytes: 400KB, kmax_bytes: 1600KB, pmax: 0.2}\n"
		 "  pfc: {xoff_bytes: 64KiB, xon_bytes: 32KiB, headroom_bytes: 100KB}\n"
		 "  switch:\n    data_priorities: [3]\n    dscp_to_tc: [5=3, 63=3]\n"
		 "    weights: [1, 1, 1, 50, 1, 1, 1, 1]\n"
		 "    priorities: [{priority: 1, queue_bytes: 9KB}]\n"
		 "lab: {fabric: switch}\n");
	expect(SUO " cluster check $D/switches.yaml", 0,
	       "\npriority 0 DSCP 0-4,6-7; weight 1\n"
	       "priority 1 DSCP 8-15; weight 1; queue 9000 bytes\n"
	       "priority 2 DSCP 16-23; weight 1\n"
	       "priority 3 DSCP 5,24-31,63; weight 50; PFC at 65536 bytes, until 32768, headroom 100000; ECN from 400000 to 1600000 bytes, 0.2\n"
	       "priority 4 DSCP 32-39; weight 1\n"
	       "priority 5 DSCP 40-47; weight 1\n"
	       "priority 6 DSCP 48-55; strict\n"
	       "priority 7 DSCP 56-62; weight 1\n");
	expect(SUO " cluster check -j $D/switches.yaml", 0, "\"fabric\": \"switch\"");
	expect(SUO " cluster env $D/switches.yaml", 0, "SUO_LAB_FABRIC='switch'\n");
}

/* 1 MiB by hand, in ns: the law of contracts.rst, the form of theory. */
static void test_prediction(void **state)
{
	/* 256 KiB are 16 segments of 16384 bytes, 17408 on the wire. */
	double up = 3 * (16 * 17408 * 8 / 3825.0 + 413);
	/* 128 KiB are 32 packets. */
	double out = 2 * ((131072 + 32 * 82 + 20) * 8 / 400.0 + 2500);
	/* The last send is acknowledged by one flit. */
	double ack = 413 + 16 * 8 / 3825.0;
	double us = (2 * up + out + ack) / 1000;
	json_t *root = get_json(SUO " predict -j " EXAMPLE), *line;
	size_t i;

	assert_int_equal(json_array_size(json_object_get(root, "predictions")), 13);
	json_array_foreach(json_object_get(root, "predictions"), i, line) {
		double got, busbw;

		if (json_integer_value(json_object_get(line, "size_bytes")) !=
		    1 << 20)
			continue;
		got = json_real_value(json_object_get(line, "predicted_us"));
		busbw = json_real_value(json_object_get(line, "busbw_GBps"));
		assert_true(got > us - 0.0011 && got < us + 0.0011);
		assert_true(busbw > 1048.576 / us * 1.75 - 0.02 &&
			    busbw < 1048.576 / us * 1.75 + 0.02);
	}
	json_decref(root);

	expect("x=$(" SUO " predict " EXAMPLE " | sha256sum); "
	       "y=$(" SUO " predict " EXAMPLE " | sha256sum); [ \"$x\" = \"$y\" ]",
	       0, "");
}

/* As many ranks as the lab can have: by closed form, as a replay takes hours. */
static void test_largest_prediction(void **state)
{
	expect("timeout 60 " SUO " predict model/cluster/examples/roce-4096.yaml",
	       0, " 4096 ranks,");
	/* The file names a library, which the lab does not have. */
	expect(SUO " predict model/cluster/examples/dgx-h100.yaml", 0,
	       "# links alone, as in the lab; -c, -s or -n: with software nccl-h100\n");
	expect("timeout 60 " SUO " predict model/cluster/examples/roce-4096.yaml | tail -1",
	       0, "4194304      1048576   float    sum  hierarchical   4511.662");
}

/* A tenth more and a tenth less than predicted. */
static void test_join(void **state)
{
	expect(SUO " predict " EXAMPLE " --csv $D/p.csv >/dev/null && head -2 $D/p.csv",
	       0, "size_bytes,ranks,algorithm,predicted_us,algbw_GBps,busbw_GBps\n1024,8,hierarchical,");
	put_file("raw.csv", RAW_HEADER);
	expect("awk -F, 'BEGIN { f = 1.1 } NR > 1"
	       " { printf \"%s,%s,%s,%.3f,1.000,1.750,0\\n\", $1, $2, $3, $4 * f; f = 0.9 }'"
	       " $D/p.csv >> $D/raw.csv; " SUO " predict " EXAMPLE
	       " --join $D/raw.csv --csv $D/joined.csv", 0, "deviation");
	expect("head -1 $D/joined.csv", 0, JOINED_HEADER);
	expect("wc -l < $D/joined.csv", 0, "14\n");
	expect("awk -F, 'NR == 2 && ($9 < 9.98 || $9 > 10.02) ||"
	       " NR > 2 && ($9 > -9.98 || $9 < -10.02) { exit 1 }' $D/joined.csv",
	       0, "");
	/* What was measured is left as it was. */
	expect("cut -d, -f1-7 $D/joined.csv | cmp - $D/raw.csv", 0, "");
	expect(SUO " predict " EXAMPLE " --join $D/joined.csv", 2,
	       "already has predictions");
}

static void test_bad_tables(void **state)
{
	static const struct { const char *text, *message; } bad[] = {
		{ "", "no measurements" },
		{ RAW_HEADER, "no measurements" },
		{ "size,time\n", "t.csv:1: the header is not" },
		{ RAW_HEADER "1024,8,ring,1.0,1.0,1.0\n", "t.csv:2: fewer than" },
		{ RAW_HEADER "1024,8,ring,1.0,1.0,1.0,0,0\n", "t.csv:2: more than" },
		{ RAW_HEADER "-1,8,ring,1.0,1.0,1.0,0\n", "t.csv:2: bad size_bytes" },
		{ RAW_HEADER "4,8,ring,nan,1.0,1.0,0\n", "t.csv:2: bad time_us" },
		{ RAW_HEADER "4,8,ri ng,1,1.0,1.0,0\n", "t.csv:2: bad algorithm" },
		{ RAW_HEADER "4,8,ring,1,1.0,1.0,0\n4,8,ring,1,1.0,1.0,x\n",
		  "t.csv:3: bad wrong" },
		{ RAW_HEADER "4,16,ring,1,1.0,1.0,0\n", "t.csv:2: 16 ranks, but" },
		{ RAW_HEADER "4,8,star,1,1.0,1.0,0\n", "t.csv:2: unknown algorithm" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_file("t.csv", bad[i].text);
		expect(SUO " predict " EXAMPLE " --join $D/t.csv", 2,
		       bad[i].message);
	}
	expect(SUO " predict " EXAMPLE " --join $D/none.csv", 2, "No such file");
	expect(SUO " predict " EXAMPLE " --csv $D/no/where.csv", 1, "No such file");
	expect("[ ! -w /dev/full ] || " SUO " predict " EXAMPLE " > /dev/full", 1,
	       "cannot write the output");
	expect("[ ! -w /dev/full ] || " SUO " --help > /dev/full", 1,
	       "cannot write the output");
}

static void test_report(void **state)
{
	put_file("j.csv", JOINED_HEADER
		 "1024,8,ring,10.000,0.102,0.179,0,9.000,11.111\n"
		 "2048,8,ring,11.000,0.186,0.326,0,10.000,10.000\n"
		 "1024,8,hierarchical,8.000,0.128,0.224,0,9.000,-11.111\n");
	put_file("m.csv", RAW_HEADER "1024,8,ring,10.000,0.102,0.179,0\n"
		 "1024,4,ring,10.000,0.102,0.179,0\n");
	expect(SUO " report $D/j.csv", 2, "--svg is missing");
	expect(SUO " report $D/j.csv --svg $D/j.png", 2, "does not end in .svg");
	expect(SUO " report $D/m.csv --svg $D/m.svg", 2, "m.csv:3: other ranks");
	expect("PATH=/nonexistent " SUO " report $D/j.csv --svg $D/j.svg", 1,
	       "gnuplot is missing; to install it: apt-get install gnuplot-nox");
	expect("grep -c '^1024 0.179 0.199 11.111$' $D/j.gp", 0, "1\n");
	expect("command -v gnuplot >/dev/null || exit 0; " SUO
	       " report $D/j.csv --title \"It's\" --svg $D/j.svg && grep -c '</svg>' $D/j.svg",
	       0, "1\n");
}

/* Names of composed algorithms are names in tables, too. */
static void test_composed_rows(void **state)
{
	put_file("composed.csv", RAW_HEADER
		 "1048576,8,hierarchical:direct+rd,20.000,52.429,91.750,0\n"
		 "1048576,8,pipelined:ring+ring@4,20.000,52.429,91.750,0\n");
	expect(SUO " predict " EXAMPLE " --join $D/composed.csv -o $D/joined2.csv && "
	       "cut -d, -f3 $D/joined2.csv", 0,
	       "algorithm\nhierarchical:direct+rd\npipelined:ring+ring@4\n");
	put_file("composed.yaml", "name: t\nhosts: 2\naccelerators: 4\n"
		 "scale_up: {profile: nvlink4}\nscale_out: {profile: roce-400g}\n"
		 "bench: {algorithms: [ring, 'hierarchical:direct+rd', 'dtree@3']}\n");
	expect(SUO " cluster env $D/composed.yaml", 0,
	       "SUO_BENCH_ALGORITHMS='ring,hierarchical:direct+rd,dtree@3'\n");
	expect(SUO " predict $D/composed.yaml", 0, "hierarchical:direct+rd");
	put_file("unknown.csv", RAW_HEADER
		 "1048576,8,hierarchical:ring+rong,20.000,52.429,91.750,0\n");
	expect(SUO " predict " EXAMPLE " --join $D/unknown.csv", 2,
	       "unknown.csv:2: unknown algorithm 'hierarchical:ring+rong'");
}

static void test_plans(void **state)
{
	expect(SUO " plan list", 0, "alltoall:\n\tpairwise\n\thierarchical\n");
	expect(SUO " plan list barrier", 0, "dissemination\nhierarchical\n");
	expect(SUO " plan list barrier -j", 0,
	       "{\"barrier\": [\"dissemination\", \"hierarchical\"]}");
	expect(SUO " plan list barier", 2, "did you mean barrier");
	expect(SUO " plan list barrier gather", 2, "one collective only");
	expect(SUO " plan show ring -n 2 -c 4", 0,
	       "r1    s3    recv        from r0    [0, 2)  after s0\n");
	expect(SUO " plan show alltoall pairwise -n 2 -c 4", 0,
	       "r1    s1    send        to   r0    input[0, 2)\n");
	expect(SUO " plan show innet -n 2 -c 4", 0,
	       "reduced-read by   r1    scratch[0, 1) of [0, 1)");
	/* Lines without an end, and what is no text. */
	expect("timeout 10 " SUO " plan check -f /dev/zero", 2, "line 1: has a null byte");
	expect("(echo; head -c 70000 /dev/zero | tr '\\0' x) | " SUO
	       " plan check -f /dev/stdin", 2, "line 2: the line is too long");
	expect("timeout 10 " SUO " report /dev/zero --svg $D/x.svg", 2,
	       "Error: /dev/zero:1: has a null byte");
	expect(SUO " plan show ring -n 2 -c 4 -j", 0,
	       "{\"operation\": \"recv-reduce\", \"peer\": 0, \"buffer\": \"data\", "
	       "\"first\": 2, \"elements\": 2, \"after\": [], \"scratch_first\": 0}");
	expect(SUO " plan check hierarchical -n 64 -g 8 -c 1000003", 0,
	       "an AllReduce\n");
	expect(SUO " plan check hierarchical:direct+rhd -n 15 -g 5", 0,
	       "an AllReduce\n");
	expect(SUO " plan check gather binomial -n 7 -r 3", 0, "a Gather\n");
	expect(SUO " plan check barrier dissemination", 0, "a Barrier\n");
	expect(SUO " plan check alltoall pairwise -n 6", 0, "an All-to-All\n");
	expect(SUO " plan check ring -n 16 -c 3 -j", 0, "\"ok\": true");
}

static void test_plan_usage(void **state)
{
	expect(SUO " plan show ring -c 99999999999999999999", 2, "--count");
	expect(SUO " plan show", 2, "which algorithm?");
	expect(SUO " plan show brodcast tree", 2, "did you mean broadcast");
	expect(SUO " plan show broadcast ring", 2, "unknown algorithm 'ring' of broadcast");
	expect(SUO " plan show broadcast tree chain", 2,
	       "one collective and one algorithm only");
	expect(SUO " plan check ring -r 1", 2, "allreduce has no root");
	expect(SUO " plan check gather linear -r 8", 2, "there is no rank 8");
	expect(SUO " plan check barrier dissemination -c 1", 2, "no elements");
	expect(SUO " plan check alltoall pairwise -n 6 -c 8", 2, "equal blocks");
	expect(SUO " plan check ring -f x", 2, "either an algorithm or a file");
	expect(SUO " plan check -f /nonexistent/plan", 2, "/nonexistent/plan: No such");
}

/* What is shown can be read, and shown again, and is checked as it is. */
static void test_plan_files(void **state)
{
	expect(SUO " plan show hierarchical:innet+dtree@2 -n 6 -g 3 -c 31", 2,
	       "unknown algorithm");
	expect(SUO " plan show hierarchical:innet+dtree -n 6 -g 3 -c 31 >$D/a.plan && "
	       SUO " plan show -f $D/a.plan >$D/b.plan && cmp $D/a.plan $D/b.plan && "
	       SUO " plan check -f $D/b.plan", 0, "innet+dtree: 6 ranks");
	expect("sed 's/ after s0$//' $D/a.plan >$D/c.plan; "
	       SUO " plan check -f $D/c.plan", 1,
	       "not an AllReduce: rank 1, step 4 may come before");
	put_file("header.plan", "r0 s0 send to r1 [0, 2)\n");
	expect(SUO " plan check -f $D/header.plan", 2,
	       "header.plan: line 1: the first line does not begin with 'plan'");
	put_file("op.plan", "# a plan\nplan allreduce mine ranks 2 domain 2 count 4 root 0\n"
		 "r0 s0 sent to r1 [0, 2)\n");
	expect(SUO " plan check -f $D/op.plan", 2, "line 3: unknown operation");
	put_file("next.plan", "plan allreduce mine ranks 2 domain 2 count 4 root 0\n"
		 "r0 s1 send to r1 [0, 2)\n");
	expect(SUO " plan check -f $D/next.plan", 2, "line 2: this is not the rank's next step");
	put_file("empty.plan", "");
	expect(SUO " plan check -f $D/empty.plan", 2, "there is no plan");
}

static void test_doctor(void **state)
{
	char *output = malloc(OUTPUT_SIZE);
	int status = run(output, SUO " doctor");
	bool missing = strstr(output, "MISSING");

	assert_int_equal(status, missing ? 1 : 0);
	free(output);
	/* Without a PATH only /sbin is searched, and nobody has QEMU there. */
	expect("PATH=/nonexistent " SUO " doctor lab", 1,
	       "apt-get install qemu-system-x86\n");
	if (access("/sys/module/suo", F_OK))
		expect(SUO " doctor module", 1, "MISSING");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_abbreviations),
		cmocka_unit_test(test_bad_cluster_files),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_prediction),
		cmocka_unit_test(test_largest_prediction),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_bad_tables),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_composed_rows),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_plan_usage),
		cmocka_unit_test(test_plan_files),
		cmocka_unit_test(test_doctor),
	};

	return cmocka_run_group_tests_name("cli", tests, make_dir, remove_dir);
}
