// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Predictions with a band, and what a network adds to what a library does. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/nccl_predict.h"
#include "model/analytic/predict.h"

#define HEAD(n)	"name: t\nhosts: " #n "\naccelerators: 8\n"		\
		"scale_up: {profile: nvlink4}\n"

static struct suo_cluster *parse(const char *text)
{
	struct suo_cluster *cluster = NULL;

	assert_int_equal(suo_cluster_parse("c.yaml", text, strlen(text), stderr,
					   &cluster), 0);
	return cluster;
}

static void near(double got, double want, double share)
{
	if (!(fabs(got - want) <= share * fabs(want) + 1e-12))
		fail_msg("%.12g, expected %.12g", got, want);
}

static double time_of(const char *text, uint32_t ranks, enum suo_workload work, double bytes)
{
	struct suo_cluster *c = parse(text);
	struct suo_predictor p;
	double us;

	assert_int_equal(suo_predictor_init(&p, c, ranks), 0);
	us = suo_predict_us(&p, work, bytes);
	suo_cluster_free(c);
	return us;
}

/* A network as the library's constants were fitted to adds nothing. */
static void test_library_alone(void **state)
{
	static const char text[] = HEAD(4) "scale_out: {profile: roce-400g}\n"
				   "software: {profile: nccl-h100}\n";
	static const double sizes[] = { 1024, 1 << 20, 1 << 26, 1ull << 33 };
	static const struct {
		enum suo_workload	work;
		enum suo_nccl_op	op;
	} ops[] = {
		{ SUO_WORK_ALLREDUCE, SUO_NCCL_ALLREDUCE },
		{ SUO_WORK_ALL_GATHER, SUO_NCCL_ALLGATHER },
		{ SUO_WORK_REDUCE_SCATTER, SUO_NCCL_REDUCESCATTER },
		{ SUO_WORK_ALLTOALL, SUO_NCCL_ALLTOALL },
		{ SUO_WORK_BROADCAST, SUO_NCCL_BROADCAST },
		{ SUO_WORK_REDUCE, SUO_NCCL_REDUCE },
	};
	struct suo_cluster *c = parse(text);
	struct suo_predictor p;

	assert_int_equal(suo_predictor_init(&p, c, 0), 0);
	for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			struct suo_nccl_result res;
			struct suo_prediction out;
			double sum = 0;

			assert_int_equal(suo_nccl_predict(c, ops[o].op, sizes[s], &res), 0);
			suo_predict(&p, ops[o].work, sizes[s], &out);
			near(out.est.time_us, res.pick.time_us, 1e-9);
			assert_string_equal(out.est.algorithm,
					    suo_nccl_algorithm_name(res.pick.algorithm));
			for (unsigned int i = 0; i < SUO_BOUNDS; i++)
				sum += out.est.part_us[i];
			near(sum, out.est.time_us, 1e-9);
			/* No narrower than what the fit leaves. */
			assert_true(log(out.high_us / out.low_us) >=
				    2 * 1.2815 * res.sigma * (1 - 1e-9));
		}
	}
	suo_cluster_free(c);
	/* What the library has no model of is told apart. */
	c = parse(HEAD(4) "scale_out: {profile: roce-400g}\n"
		  "software: {profile: nccl-h100, algorithms: [tree]}\n");
	suo_predictor_init(&p, c, 0);
	{
		struct suo_prediction out;

		suo_predict(&p, SUO_WORK_BROADCAST, 1024, &out);
		assert_string_equal(out.est.algorithm, "no library model");
	}
	suo_cluster_free(c);
}

#define OUT(latency, algorithm)	"scale_out: {profile: roce-400g, latency_ns: " latency "}\n" \
	"software: {profile: nccl-h100, algorithms: [" algorithm "]}\n"

/*
 * A microsecond more between hosts, of which there are five: a ring leaves a host
 * 2 * 4 times, a tree goes up and down 3 levels.
 */
static void test_library_latency(void **state)
{
	near(time_of(HEAD(5) OUT("3500", "ring"), 0, SUO_WORK_ALLREDUCE, 1024) -
	     time_of(HEAD(5) OUT("2500", "ring"), 0, SUO_WORK_ALLREDUCE, 1024), 8, 1e-9);
	near(time_of(HEAD(5) OUT("3500", "ring"), 0, SUO_WORK_ALL_GATHER, 1 << 20) -
	     time_of(HEAD(5) OUT("2500", "ring"), 0, SUO_WORK_ALL_GATHER, 1 << 20), 4, 1e-9);
	near(time_of(HEAD(5) OUT("3500", "tree"), 0, SUO_WORK_ALLREDUCE, 1024) -
	     time_of(HEAD(5) OUT("2500", "tree"), 0, SUO_WORK_ALLREDUCE, 1024), 6, 1e-9);
	/* Inside: 0.1 us more of 2 (40 - 5) steps. */
	near(time_of("name: t\nhosts: 5\naccelerators: 8\nscale_up: {profile: nvlink4, latency_ns: 513}\n"
		     OUT("2500", "ring"), 0, SUO_WORK_ALLREDUCE, 1024) -
	     time_of("name: t\nhosts: 5\naccelerators: 8\nscale_up: {profile: nvlink4, latency_ns: 413}\n"
		     OUT("2500", "ring"), 0, SUO_WORK_ALLREDUCE, 1024), 7, 1e-6);
}

/* A part of a cluster is as a cluster of that size. */
static void test_library_ranks(void **state)
{
	near(time_of(HEAD(8) OUT("2500", "ring"), 16, SUO_WORK_ALLREDUCE, 1 << 26),
	     time_of(HEAD(2) OUT("2500", "ring"), 0, SUO_WORK_ALLREDUCE, 1 << 26), 1e-12);
	near(time_of(HEAD(8) OUT("2500", "ring"), 8, SUO_WORK_ALLREDUCE, 1 << 26),
	     time_of(HEAD(1) OUT("2500", "ring"), 0, SUO_WORK_ALLREDUCE, 1 << 26), 1e-12);
	near(time_of(HEAD(8) OUT("2500", "ring"), 4, SUO_WORK_ALLREDUCE, 1 << 26),
	     time_of("name: t\nhosts: 1\naccelerators: 4\nscale_up: {profile: nvlink4}\n"
		     OUT("2500", "ring"), 0, SUO_WORK_ALLREDUCE, 1 << 26), 1e-12);
}

/* A fabric that is oversubscribed makes sends wait, and losses do, and collisions. */
static void test_library_network(void **state)
{
	static const char text[] = HEAD(64) "scale_out: {profile: roce-400g,"
		" topology: leaf-spine, load_balancing: %s, leaf: {oversubscription: %s}"
		"%s}\nsoftware: {profile: nccl-h100}\n";
	double us[4];
	char file[512];

	snprintf(file, sizeof(file), text, "spray", "1", "");
	us[0] = time_of(file, 0, SUO_WORK_ALLTOALL, 1 << 30);
	snprintf(file, sizeof(file), text, "spray", "4", "");
	us[1] = time_of(file, 0, SUO_WORK_ALLTOALL, 1 << 30);
	snprintf(file, sizeof(file), text, "ecmp", "1", "");
	us[2] = time_of(file, 0, SUO_WORK_ALLTOALL, 1 << 30);
	snprintf(file, sizeof(file), text, "spray", "1",
		 ", flow_control: none, loss_rate: 1e-3");
	us[3] = time_of(file, 0, SUO_WORK_ALLTOALL, 1 << 30);
	/* NICs wait four times as long: most of the time was theirs. */
	assert_true(us[1] > 3.5 * us[0] && us[1] < 4.5 * us[0]);
	assert_true(us[2] > 2 * us[0]);
	assert_true(us[3] > 1.01 * us[0]);
}

/*
 * Of a time that is all latency which is assumed, 25 % off, the band is 1.28
 * deviations wide on each side: nothing else counts.
 */
static void test_band(void **state)
{
	struct suo_cluster *c = parse(HEAD(1) "scale_out: {profile: roce-400g}\n");
	struct suo_input in[SUO_MAX_INPUTS];
	unsigned int n = suo_cluster_inputs(c, in);
	double parts[4] = { 203 * 0.05, 150 * 0.25, 50 * 0.25, 10 * 0.25 };
	double sigma = sqrt(parts[0] * parts[0] + parts[1] * parts[1] +
			    parts[2] * parts[2] + parts[3] * parts[3]) / 413;
	struct suo_predictor p;
	struct suo_prediction out;

	near(suo_input_group_sigma(in, n, SUO_INPUT_UP_LATENCY), sigma, 1e-9);
	near(suo_input_group_sigma(in, n, SUO_INPUT_UP_RATE), 0.02, 1e-9);
	suo_predictor_init(&p, c, 0);
	suo_predict(&p, SUO_WORK_ALLREDUCE, 8, &out);
	near(log(out.high_us / out.est.time_us), 1.2815515655 * sigma, 0.02);
	near(log(out.est.time_us / out.low_us), 1.2815515655 * sigma, 0.02);
	/* And of one that is all rate, 2 %. */
	suo_predict(&p, SUO_WORK_ALLREDUCE, 1e12, &out);
	near(log(out.high_us / out.est.time_us), 1.2815515655 * 0.02, 0.02);
	suo_cluster_free(c);
	/* What the file gives is the file's. */
	c = parse("name: t\nhosts: 1\naccelerators: 8\n"
		  "scale_up: {profile: nvlink4, rate_gbps: 1000}\n"
		  "scale_out: {profile: roce-400g}\n");
	n = suo_cluster_inputs(c, in);
	assert_string_equal(in[0].key, "scale_up.rate_gbps");
	assert_string_equal(suo_input_provenance(&in[0]), "file");
	near(suo_input_sigma(&in[0]), 0.05, 0);
	suo_cluster_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library_alone),
		cmocka_unit_test(test_library_latency),
		cmocka_unit_test(test_library_ranks),
		cmocka_unit_test(test_library_network),
		cmocka_unit_test(test_band),
	};

	return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}
