// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The commands that help to decide: predict by closed forms, sweep, compare. Run in
 * the source tree, as make check-unit does.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"

#define SUO	"build/bin/suo"
#define EX	"model/cluster/examples/"

/* 100 GB/s and 1 us in a domain of four, 10 GB/s and 5 us between two. */
#define TWO	"name: two\nhosts: 2\naccelerators: 4\n"			\
		"scale_up: {profile: nvlink4, rate_gbps: 800, latency_ns: 1000,"	\
		" header_bytes: 0, flit_bytes: 1, max_payload_bytes: 4096,"	\
		" credit_bytes: 0, in_network_reduction: no}\n"			\
		"scale_out: {profile: roce-100g, rate_gbps: 80, latency_ns: 5000}\n"

static void near(double got, double want, double share)
{
	if (!(fabs(got - want) <= share * fabs(want)))
		fail_msg("%.12g, expected %.12g", got, want);
}

/* Four ranks, 4 MB: 2 us and 6 MB at 100 GB/s, as engine_test.c has it. */
static void test_predict(void **state)
{
	json_t *root, *p;
	double sum = 0;
	const char *key;
	json_t *part;

	root = get_json(SUO " predict $D/two.yaml -j -n 4 -s 4MB");
	p = json_array_get(json_object_get(root, "predictions"), 0);
	near(number(p, "time_us"), 62, 1e-9);
	near(number(p, "busbw_GBps"), 4e6 / 62e3 * 1.5, 1e-9);
	assert_true(number(p, "band_low_us") < 62 && number(p, "band_high_us") > 62);
	assert_string_equal(json_string_value(json_object_get(p, "bound")),
			    "scale-up rate");
	near(number(p, "bound_share"), 60 / 62.0, 1e-9);
	json_object_foreach(json_object_get(p, "parts_us"), key, part)
		sum += json_real_value(part);
	near(sum, 62, 1e-9);
	json_decref(root);

	/* 1000 tokens to at most 4 of 8 nodes, 7168 bytes each. */
	root = get_json(SUO " predict $D/two.yaml -j -c moe --tokens 1000 --node-limit 4");
	p = json_array_get(json_object_get(root, "predictions"), 0);
	near(number(p, "size_bytes"), 28672000, 1e-12);
	json_decref(root);

	expect(SUO " predict $D/two.yaml -n 4 -s 4MB", 0, "scale-up rate 97 %, scale-up latency 3 %");
	expect(SUO " predict " EX "roce-131072.yaml -s 1GiB", 0, " 131072 ");
	expect(SUO " predict $D/two.yaml -s 1KiB:1MiB:4 -o $D/p.csv >/dev/null && wc -l < $D/p.csv",
	       0, "7\n");
	expect("head -1 $D/p.csv", 0,
	       "collective,size_bytes,ranks,time_us,band_low_us,band_high_us,algbw_GBps,busbw_GBps,algorithm,bound,bound_share\n");
	/* What was there stays: the plans of bench, step by step. */
	expect(SUO " predict $D/two.yaml", 0, "hierarchical");
}

static void test_predict_faults(void **state)
{
	expect(SUO " predict $D/two.yaml -c alreduce", 2, "did you mean allreduce");
	expect(SUO " predict $D/two.yaml -c moe,moe", 2, "listed twice");
	expect(SUO " predict $D/two.yaml -s 0", 2, "--size: '0' is too little");
	expect(SUO " predict $D/two.yaml -s 1GiB:1MiB", 2, "'1MiB' is less than '1GiB'");
	expect(SUO " predict $D/two.yaml -s 3us", 2, "is a time, not a number of bytes");
	expect(SUO " predict $D/two.yaml -s 1B:1GiB:2,1B:1PB:2", 2, "no such unit as 'PB'");
	expect(SUO " predict $D/two.yaml -n 5", 2, "--ranks: 5 of 8");
	expect(SUO " predict $D/two.yaml -n 1000000000", 2, "--ranks: '1000000000' is too much");
	expect(SUO " predict $D/two.yaml --tokens -4", 2, "--tokens");
	expect(SUO " predict $D/two.yaml --imbalance 0.5", 2, "--imbalance");
	expect(SUO " predict $D/two.yaml -s 1 --join $D/two.yaml", 2, "--join");
	/* Nothing half-done on stdout. */
	expect("[ -z \"$(" SUO " predict $D/two.yaml -n 4,5 2>/dev/null)\" ]", 0, "");
	/* The lab's own commands refuse what only the model can have. */
	expect(SUO " cluster env " EX "roce-131072.yaml", 2,
	       "roce-131072.yaml:5: key 'hosts': 131072 accelerators; the lab has at most 4096\n");
	expect(SUO " cluster check " EX "roce-131072.yaml", 0, "fat-tree");
}

/* Twice the NIC: the lines of both, in the order of the grid, the last key first. */
static void test_sweep(void **state)
{
	expect(SUO " sweep $D/two.yaml -k hosts=2 -n 0", 2, "--ranks: '0' is too little");
	expect(SUO " sweep $D/two.yaml -k scale_out.rate_gbps=80,160"
	       " -k scale_out.mtu_bytes=1024,4096 -s 1MiB | cut -d, -f1-5", 0,
	       "scale_out.rate_gbps,scale_out.mtu_bytes,collective,size_bytes,ranks\n"
	       "80,1024,allreduce,1048576,8\n"
	       "80,4096,allreduce,1048576,8\n"
	       "160,1024,allreduce,1048576,8\n"
	       "160,4096,allreduce,1048576,8\n");
	/* A point is what the file with that value would be. */
	expect("sed 's/rate_gbps: 80,/rate_gbps: 160,/' $D/two.yaml > $D/fast.yaml; "
	       "x=$(" SUO " predict $D/fast.yaml -s 1MiB -o /dev/stdout | sed -n 's/^allreduce,//p' | head -1); "
	       "y=$(" SUO " sweep $D/two.yaml -k scale_out.rate_gbps=160 -s 1MiB | sed -n 's/^160,allreduce,//p'); "
	       "[ \"$x,\" = \"$y\" ] && [ -n \"$x\" ]", 0, "");
	/* However many processes there are. */
	expect("for j in 1 2 7; do " SUO " sweep $D/two.yaml -J $j -s 1KiB:1MiB"
	       " -k scale_up.latency_ns=1,10,100,1000 -k scale_out.rate_gbps=1,2,3 | sha256sum;"
	       " done | sort -u | wc -l", 0, "1\n");
	expect(SUO " sweep $D/two.yaml -j -k scale_out.rate_gbps=80 -s 1MiB", 0,
	       "{\"scale_out.rate_gbps\": \"80\", \"collective\": \"allreduce\", ");
	/* New sections, and lists. */
	expect(SUO " sweep $D/two.yaml -k software.launch_ns=5000 -k scale_out.topology=torus"
	       " -k 'scale_out.torus=[2, 4],[8]' -s 1MiB | grep -c '\"\\[2, 4\\]\"\\|,\\[8\\]'", 0, "2\n");
	/* Points that cannot be are told, and the others are done. */
	expect(SUO " sweep $D/two.yaml -k hosts=0,1 -s 1MiB", 0,
	       "with hosts=0:2: key 'hosts': '0' is too little; the least is 1\"\n1,allreduce");
	expect(SUO " sweep $D/two.yaml -k hots=1,2 -s 1MiB", 2, "key 'hots': unknown key");
	expect(SUO " sweep $D/two.yaml -k name.x=1 -s 1MiB", 2, "cannot be set");
	expect(SUO " sweep $D/two.yaml -k hosts", 2, "is not KEY=VALUE");
	expect(SUO " sweep $D/two.yaml -k hosts=1,,2", 2, "has an empty value");
	expect(SUO " sweep $D/two.yaml -k hosts=1 -k hosts=2", 2, "'hosts' is given twice");
	expect(SUO " sweep $D/none.yaml -k hosts=1", 2, "No such file");
	expect(SUO " sweep $D/two.yaml -k hosts=1 -o $D/no/where", 1, "No such file");
	expect(SUO " sweep $D/two.yaml -k hosts=1 -r", 2, "--resume: needs --output");
}

#define GRID	" -s 1KiB,1MiB -k scale_up.latency_ns=1,2,3,4,5 -k scale_out.rate_gbps=10,20,30 "

static void test_resume(void **state)
{
	expect(SUO " sweep $D/two.yaml" GRID "-o $D/whole.csv && wc -l < $D/whole.csv", 0,
	       "31\n");
	/* Cut within a line, within a point, after the heading, in it, everywhere. */
	expect("for n in 0 20 100 120 121 300 700 1000 99999; do "
	       "head -c $n $D/whole.csv > $D/part.csv; "
	       SUO " sweep $D/two.yaml" GRID "-r -o $D/part.csv || exit; "
	       "cmp $D/whole.csv $D/part.csv || exit; done", 0, "");
	expect(SUO " sweep $D/two.yaml -j" GRID "-o $D/whole.json; head -c 1000 $D/whole.json > $D/part.json; "
	       SUO " sweep $D/two.yaml -j" GRID "-r -o $D/part.json; cmp $D/whole.json $D/part.json",
	       0, "");
	/* Of another sweep: left as it is. */
	expect("cp $D/whole.csv $D/other.csv; " SUO " sweep $D/two.yaml -r -o $D/other.csv"
	       " -k scale_up.latency_ns=7 -k scale_out.rate_gbps=10 -s 1KiB", 2,
	       "other.csv: is not of this sweep, see line 2");
	expect("cmp $D/whole.csv $D/other.csv", 0, "");
	/* Of another cluster file, or of what this one was. */
	expect("sed 's/^hosts: .*/hosts: 4/' $D/two.yaml > $D/four.yaml; "
	       "head -30 $D/whole.csv > $D/other.csv; "
	       SUO " sweep $D/four.yaml" GRID "-r -o $D/other.csv", 2,
	       "other.csv: is not of this sweep, see line 2");
	expect("head -1 $D/whole.csv > $D/other.csv; "
	       SUO " sweep $D/four.yaml" GRID "-r -o $D/other.csv", 0, "");
	/* Being written by another one. */
	expect("cp $D/whole.csv $D/other.csv; flock $D/other.csv " SUO " sweep $D/two.yaml"
	       GRID "-o $D/other.csv", 1, "other.csv: another sweep is writing it");
	expect("flock $D/other.csv " SUO " sweep $D/two.yaml" GRID "-r -o $D/other.csv", 1,
	       "other.csv: another sweep is writing it");
	expect("cmp $D/whole.csv $D/other.csv", 0, "");
	expect("echo x > $D/text; " SUO " sweep $D/two.yaml" GRID "-r -o $D/text", 2,
	       "is not of this sweep, see line 1");
	/* As mpirun starts them: together they are the whole. */
	expect("for r in 0 1 2; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=3 "
	       SUO " sweep $D/two.yaml" GRID "-o $D/m.csv || exit; done; "
	       "cat $D/m.csv.? | sort -u > $D/m.all; sort -u $D/whole.csv | cmp - $D/m.all",
	       0, "");
}

/* An interrupt leaves whole points, and the rest can be done later. */
static void test_interrupt(void **state)
{
	expect("v=$(seq -s, 1 800); "
	       SUO " sweep $D/two.yaml -k scale_up.latency_ns=$v -k scale_out.latency_ns=$v -s 1KiB:1MiB -o $D/i.csv & p=$!; "
	       "while [ ! -s $D/i.csv ]; do sleep 0.1; done; kill -INT $p; wait $p", 1,
	       "go on with --resume");
	expect("[ $(( ($(wc -l < $D/i.csv) - 1) % 11 )) = 0 ] && tail -c 1 $D/i.csv | od -c", 0,
	       "\\n");
}

static const json_t *section(const json_t *root, const char *name)
{
	json_t *sheet;
	size_t i;

	json_array_foreach(json_object_get(root, "sections"), i, sheet)
		if (!strcmp(json_string_value(json_object_get(sheet, "section")), name))
			return json_object_get(sheet, "rows");
	fail_msg("no section %s", name);
	return NULL;
}

static double cell(const json_t *rows, size_t row, size_t column)
{
	json_t *value = json_array_get(json_array_get(rows, row), column);

	if (!json_is_number(value))
		fail_msg("row %zu, column %zu is no number", row, column);
	return json_number_value(value);
}

/*
 * A cluster against itself with half of the scale-up rate: what must be the same is,
 * and the rate that would turn the answer is the one that was taken away.
 */
static void test_compare(void **state)
{
	const json_t *rows;
	json_t *root;
	bool found = false;

	expect("sed 's/rate_gbps: 800/rate_gbps: 400/' $D/two.yaml > $D/slow.yaml", 0, "");
	root = get_json(SUO " compare -j $D/two.yaml $D/slow.yaml -c allreduce -s 4MB,4GB -n 4,8");

	rows = section(root, "efficiency");
	assert_int_equal(json_array_size(rows), 7);
	near(cell(rows, 0, 1), 1, 1e-12);
	/* 64 bytes, 82 of framing and 16 that say where to. */
	near(cell(rows, 0, 3), 64 / 162.0, 1e-12);
	near(cell(rows, 6, 3), 4096 / (4096 + 98.0), 1e-12);

	rows = section(root, "latency");
	near(cell(rows, 4, 1), 1000, 1e-12);
	near(cell(rows, 9, 1), 5000, 1e-12);

	rows = section(root, "collectives");
	assert_int_equal(json_array_size(rows), 4);
	near(cell(rows, 0, 3), 62, 1e-9);
	near(cell(rows, 0, 5), 122, 1e-9);
	near(cell(rows, 0, 7), 122 / 62.0, 1e-9);

	rows = section(root, "flip");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *what = json_string_value(json_array_get(row, 5));

		assert_string_equal(json_string_value(json_array_get(row, 3)), "A");
		if (strcmp(what, "B's scale-up rate") || cell(rows, i, 0) > 4)
			continue;
		near(cell(rows, i, 6), 2, 1e-6);
		found = true;
	}
	assert_true(found);

	/* 1e-9 a bit: packets of 4178 bytes, a window of 1 + 10 us of 10 GB/s. */
	rows = section(root, "goodput");
	near(cell(rows, 0, 3), 10 * 4096 / 4178.0, 1e-9);
	{
		double p = -expm1(-8 * 4178 * 1e-9), w = 1 + 1e5 / 4178;

		near(cell(rows, 4, 0), 1e-9, 1e-12);
		near(cell(rows, 4, 3), 10 * 4096 / 4178.0 * (1 - p) / (1 - p + p * w), 1e-9);
	}
	/* Four NICs into one: paused for three quarters. */
	rows = section(root, "pauses");
	near(cell(rows, 1, 2), 75, 1e-12);
	near(cell(rows, 1, 3), 2.5, 1e-12);
	/* ECMP over one switch has nothing to choose. */
	rows = section(root, "balance");
	near(cell(rows, 0, 2), 100, 1e-12);
	rows = section(root, "stragglers");
	near(cell(rows, 0, 2), 0.1 * (-log(-expm1(log(0.99) / 4)) - 1), 1e-9);
	assert_true(json_array_size(section(root, "inputs")) > 40);
	expect(SUO " compare $D/two.yaml $D/two.yaml -S inputs", 0, "software.profile");
	json_decref(root);
}

static void test_compare_usage(void **state)
{
	expect(SUO " compare $D/two.yaml", 2, "which two cluster files?");
	expect(SUO " compare $D/two.yaml $D/two.yaml $D/two.yaml", 2, "two cluster files only");
	expect(SUO " compare $D/two.yaml $D/none.yaml", 2, "none.yaml: No such file");
	expect(SUO " compare $D/two.yaml $D/two.yaml -S nothing", 2, "there is no 'nothing'");
	expect(SUO " compare $D/two.yaml $D/two.yaml -S flip -n 8 -s 1KiB", 0, "the two are as fast");
	expect(SUO " compare $D/two.yaml $D/two.yaml --jitter 3GB", 2, "--jitter");
	/* The same links, and a library on one side only: that is the difference. */
	expect("cp $D/two.yaml $D/soft.yaml; echo 'software: {profile: nccl-h100}' >> $D/soft.yaml; "
	       SUO " compare $D/two.yaml $D/soft.yaml -S flip -n 8 -s 1KiB", 0,
	       "ideal instead of nccl-h100");
	/* All sections, up to 100 000 accelerators. */
	expect(SUO " compare " EX "ualink-pod.yaml " EX "sue-pod.yaml", 0, "\n100000  moe");
}

static void test_profiles(void **state)
{
	expect(SUO " profile list", 0, "\ntomahawk-ultra  switch");
	expect(SUO " profile list", 0, "\nideal ");
	expect(SUO " profile show connectx-7", 0, "host_mbps                504123  spec");
	expect(SUO " profile show conectx-7", 2, "did you mean connectx-7");
	expect(SUO " profile show nccl-h100", 0, "nccl-h100 (software): NCCL");
	expect(SUO " profile show -j lpo", 0, "\"reach_m\": {\"value\": 500, \"provenance\": \"spec\"");
}

static int set_up(void **state)
{
	if (make_dir(state))
		return -1;
	put_file("two.yaml", TWO);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_predict),
		cmocka_unit_test(test_predict_faults),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_compare_usage),
		cmocka_unit_test(test_profiles),
	};

	return cmocka_run_group_tests_name("decide", tests, set_up, remove_dir);
}
