// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How fast predictions are, on one core, in its own time (CPU time): closed forms a
 * second; a whole prediction, cluster file in memory to result, as clusters grow.
 *
 * Prints CSV: what,accelerators,value,unit
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/analytic/predict.h"

#define EVALUATIONS	1000000
#define PREDICTIONS	200

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* The sum keeps the compiler from leaving anything out. */
static void time_closed_forms(const struct suo_machine *m)
{
	volatile double sum = 0;

	for (unsigned int work = 0; work < SUO_WORKLOADS; work++) {
		double start_s = cpu_s(), took_s;

		for (unsigned int i = 0; i < EVALUATIONS; i++)
			sum += suo_estimate_us(m, work, 1024 + 64.0 * i * i);
		took_s = cpu_s() - start_s;
		printf("%s,%.0f,%.0f,evaluations/s\n", suo_workload_name(work),
		       m->ranks, EVALUATIONS / took_s);
	}
}

static struct suo_cluster *make(uint32_t hosts, const char *software)
{
	struct suo_cluster *cluster;
	char text[512];

	snprintf(text, sizeof(text), "name: speed\nhosts: %" PRIu32 "\n"
		 "accelerators: 8\nscale_up: {profile: nvlink4}\n"
		 "scale_out: {profile: roce-400g, topology: fat-tree, queue_pairs: 4,"
		 " leaf: {switch: tomahawk-5}, spine: {switch: tomahawk-5},"
		 " core: {switch: tomahawk-5}}\nsoftware: {profile: %s}\n", hosts,
		 software);
	if (suo_cluster_parse("speed", text, strlen(text), stderr, &cluster))
		exit(1);
	return cluster;
}

/* From a cluster to a time; and with the band, which asks some ten times more. */
static void time_predictions(uint32_t hosts, const char *software)
{
	struct suo_cluster *cluster = make(hosts, software);
	struct suo_predictor p;
	struct suo_prediction out;
	volatile double sum = 0;
	double start_s = cpu_s();

	for (unsigned int i = 0; i < PREDICTIONS; i++) {
		suo_predictor_init(&p, cluster, 0);
		sum += suo_predict_us(&p, SUO_WORK_ALLREDUCE, 1 << 20);
	}
	printf("%s time,%" PRIu32 ",%.1f,us\n", software, 8 * hosts,
	       1e6 * (cpu_s() - start_s) / PREDICTIONS);
	start_s = cpu_s();
	for (unsigned int i = 0; i < PREDICTIONS; i++) {
		suo_predictor_init(&p, cluster, 0);
		suo_predict(&p, SUO_WORK_ALLREDUCE, 1 << 20, &out);
		sum += out.high_us;
	}
	printf("%s time and band,%" PRIu32 ",%.1f,us\n", software, 8 * hosts,
	       1e6 * (cpu_s() - start_s) / PREDICTIONS);
	suo_cluster_free(cluster);
}

int main(void)
{
	struct suo_cluster *cluster = make(12500, "ideal");
	struct suo_machine m;

	puts("what,accelerators,value,unit");
	if (suo_machine_init(&m, cluster, 0, 0.5))
		return 1;
	time_closed_forms(&m);
	suo_cluster_free(cluster);
	for (uint32_t hosts = 1; hosts <= 10000; hosts *= 10)
		time_predictions(hosts, "ideal");
	time_predictions(12500, "ideal");
	time_predictions(12500, "nccl-h100");
	return 0;
}
