// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Put what the model predicts beside what was measured, and judge both: for
 * tests/bench-collectives.sh.
 *
 * Usage: bench_predict CLUSTER.yaml < RAW.csv > collectives.csv
 *
 * RAW.csv has lines "op,size_bytes,ranks,algorithm,time_us,busbw_GBps". A line of
 * what is not an algorithm ("openmpi", "fi_allreduce") gets no prediction. The verdicts go to
 * the standard error output; the exit status is 1 if one of them is "no".
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/analytic/choose.h"
#include "model/cluster/cluster.h"
#include "model/plan/plan.h"

#define MAX_ROWS	4096
#define MIB		(1u << 20)
/* As good as the winner: within so many per cent. */
#define CLOSE		5.0
#define CLOSE_SHARE	90.0

struct row {
	char		op[32];
	uint64_t	bytes;
	uint32_t	ranks;
	char		algorithm[64];
	double		us;
	double		busbw;
	double		predicted;	/* 0: none */
};

static struct row rows[MAX_ROWS];
static unsigned int nrows;

static bool parse(const char *line, struct row *row)
{
	memset(row, 0, sizeof(*row));
	return sscanf(line, "%31[^,],%" SCNu64 ",%" SCNu32 ",%63[^,],%lf,%lf", row->op,
		      &row->bytes, &row->ranks, row->algorithm, &row->us, &row->busbw) == 6;
}

static void predict(const struct suo_cluster *cluster, struct row *row)
{
	struct suo_plan_shape shape = { .nranks = row->ranks, .domain_size = cluster->accels };
	int coll = suo_coll_parse(row->op);
	struct suo_plan *plan;
	struct suo_cost cost;
	struct suo_net net;

	suo_net_init(&net, cluster);
	shape.count = row->bytes / net.elem_bytes;
	shape.chunk_len = suo_net_chunk_len(&net, row->ranks);
	if (coll < 0 || suo_plan_make(coll, row->algorithm, &shape, &plan))
		return;
	if (!suo_cost_plan(plan, &net, &cost))
		row->predicted = cost.done_ps / 1e6;
	suo_plan_free(plan);
}

static void print(const struct row *row)
{
	printf("%s,%" PRIu64 ",%u,%s,%.3f,%.3f,", row->op, row->bytes, row->ranks,
	       row->algorithm, row->us, row->busbw);
	if (row->predicted > 0)
		printf("%.3f,%.2f\n", row->predicted,
		       100 * (row->us - row->predicted) / row->predicted);
	else
		printf(",\n");
}

static bool same_case(const struct row *a, const struct row *b)
{
	return !strcmp(a->op, b->op) && a->bytes == b->bytes && a->ranks == b->ranks;
}

static bool is_first(unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (same_case(&rows[k], &rows[i]))
			return false;
	return true;
}

/* Is the model's choice the fastest of ours, or as good? */
static bool judge_choice(void)
{
	unsigned int cases = 0, good = 0;
	double share;

	for (unsigned int i = 0; i < nrows; i++) {
		const struct row *fastest = NULL, *choice = NULL;

		if (!is_first(i))
			continue;
		for (unsigned int k = i; k < nrows; k++) {
			if (!same_case(&rows[k], &rows[i]) || rows[k].predicted <= 0)
				continue;
			if (!fastest || rows[k].us < fastest->us)
				fastest = &rows[k];
			if (!choice || rows[k].predicted < choice->predicted)
				choice = &rows[k];
		}
		if (!choice)
			continue;
		cases++;
		if (choice->us <= fastest->us * (1 + CLOSE / 100)) {
			good++;
			continue;
		}
		fprintf(stderr, "# %s of %" PRIu64 " bytes: the model chooses %s, %.3f us; %s takes %.3f us\n",
			choice->op, choice->bytes, choice->algorithm, choice->us,
			fastest->algorithm, fastest->us);
	}
	share = cases ? 100.0 * good / cases : 0;
	fprintf(stderr, "the model's choice is the fastest, or within %.0f %% of it, in %u of %u cases (%.1f %%): %s\n",
		CLOSE, good, cases, share, share >= CLOSE_SHARE ? "yes" : "no");
	return share >= CLOSE_SHARE;
}

static bool is_hierarchical(const struct row *row)
{
	return !strncmp(row->algorithm, "hierarchical", 12) ||
	       !strncmp(row->algorithm, "pipelined", 9);
}

/* The best of a kind in the case of row i; NULL: there is none. */
static const struct row *best(unsigned int i, bool hierarchical, bool mpi)
{
	const struct row *found = NULL;

	for (unsigned int k = 0; k < nrows; k++) {
		bool is_mpi = !strcmp(rows[k].algorithm, "openmpi");

		if (!same_case(&rows[k], &rows[i]) || is_mpi != mpi ||
		    (!is_mpi && (rows[k].predicted <= 0 ||
				 is_hierarchical(&rows[k]) != hierarchical)))
			continue;
		if (!found || rows[k].us < found->us)
			found = &rows[k];
	}
	return found;
}

/* From 1 MiB on, hierarchical AllReduce beats what is flat, and Open MPI. */
static bool judge_hierarchy(bool mpi)
{
	unsigned int cases = 0, won = 0;
	double least = 0;

	for (unsigned int i = 0; i < nrows; i++) {
		const struct row *ours, *other;

		if (!is_first(i) || strcmp(rows[i].op, "allreduce") || rows[i].bytes < MIB)
			continue;
		ours = best(i, true, false);
		other = best(i, false, mpi);
		if (!ours || !other)
			continue;
		cases++;
		won += ours->us < other->us;
		if (!least || other->us / ours->us < least)
			least = other->us / ours->us;
	}
	fprintf(stderr, "from 1 MiB on, hierarchical AllReduce beats %s in %u of %u cases, by a factor of %.2f at least: %s\n",
		mpi ? "Open MPI's" : "the best flat one", won, cases, least,
		cases && won == cases ? "yes" : "no");
	return cases && won == cases;
}

int main(int argc, char **argv)
{
	struct suo_cluster *cluster;
	char line[512];
	bool good;

	if (argc != 2) {
		fprintf(stderr, "Usage: bench_predict CLUSTER.yaml < RAW.csv\n");
		return 2;
	}
	if (suo_cluster_load(argv[1], stderr, &cluster))
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		if (nrows == MAX_ROWS || !parse(line, &rows[nrows])) {
			fprintf(stderr, "bench_predict: Error: not a row: %s", line);
			return 2;
		}
		predict(cluster, &rows[nrows++]);
	}
	printf("op,size_bytes,ranks,algorithm,time_us,busbw_GBps,predicted_us,deviation_pct\n");
	for (unsigned int i = 0; i < nrows; i++)
		print(&rows[i]);
	good = judge_hierarchy(false);
	good &= judge_hierarchy(true);
	good &= judge_choice();
	return !good;
}
