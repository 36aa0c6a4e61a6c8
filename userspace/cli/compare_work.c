// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two clusters side by side: collectives. */
#include <inttypes.h>
#include <math.h>

#include "userspace/cli/compare.h"

#define MIN_SIZE	8.0
#define MAX_SIZE	(16.0 * (1ull << 30))
#define CAUGHT_UP	1.05		/* at most 5 % slower */

static void bound_text(const struct suo_prediction *p, char *text, size_t size)
{
	snprintf(text, size, "%s %.0f %%", suo_bound_name(p->bound),
		 100 * p->bound_share);
}

static void collective(json_t *sheet, const struct pair *pair, uint32_t ranks,
		       enum suo_workload work, double bytes)
{
	struct suo_prediction p[2];
	char bound[2][64], band[2][64];

	for (int s = 0; s < 2; s++) {
		if (!pair->cluster[s])
			continue;
		suo_predict(&pair->p[s], work, bytes, &p[s]);
		bound_text(&p[s], bound[s], sizeof(bound[s]));
		snprintf(band[s], sizeof(band[s]), "%.4g to %.4g", p[s].low_us, p[s].high_us);
	}
	if (!pair->cluster[0] || !pair->cluster[1]) {
		int s = !pair->cluster[0];

		if (pair->cluster[s])
			suo_sheet_add(sheet, s ? "[i, s, I, n, n, f, s, n, n, f, n, s]" :
						 "[i, s, I, f, s, n, n, n, f, n, s, n]",
				      ranks, suo_workload_name(work), (json_int_t)bytes,
				      p[s].est.time_us, "", p[s].est.busbw_GBps, bound[s]);
		return;
	}
	suo_sheet_add(sheet, "[i, s, I, f, s, f, s, f, f, f, s, s]", ranks,
		      suo_workload_name(work), (json_int_t)bytes, p[0].est.time_us, band[0],
		      p[1].est.time_us, band[1], p[1].est.time_us / p[0].est.time_us,
		      p[0].est.busbw_GBps, p[1].est.busbw_GBps, bound[0], bound[1]);
}

json_t *compare_collectives(const struct contest *contest)
{
	const struct suo_workload_opts *w = &contest->work;
	json_t *sheet = suo_sheet_new("Collectives",
				      "Microseconds, with the band from 10 to 90 %; bus bandwidth in GB/s; what most of the time goes to. Ranks are rounded down to whole domains.",
				      "ranks|collective|bytes|A (us)|A band|B (us)|B band|B / A|A busbw|B busbw|A waits for|B waits for");

	for (unsigned int n = 0; n < w->nranks; n++) {
		struct pair pair;

		pair_open(contest, w->ranks[n], &pair);
		for (unsigned int i = 0; i < w->nwork * w->nsize; i++) {
			enum suo_workload work = w->work[i / w->nsize];

			collective(sheet, &pair, w->ranks[n], work,
				   suo_workload_bytes(w, work, w->size[i % w->nsize]));
		}
		pair_close(&pair);
	}
	return sheet;
}

/* B over A, at a size. */
static double ratio(const struct pair *pair, double bytes)
{
	return suo_predict_us(&pair->p[1], SUO_WORK_ALLREDUCE, bytes) /
	       suo_predict_us(&pair->p[0], SUO_WORK_ALLREDUCE, bytes);
}

/*
 * The size from which on B is at most 5 % slower (invert: A), to a power of two.
 * Return: INFINITY if even the largest is not, 0 if all are.
 */
static double catch_up(const struct pair *pair, bool invert)
{
	double size = 0;

	for (double bytes = MAX_SIZE; bytes >= MIN_SIZE; bytes /= 2) {
		double r = ratio(pair, bytes);

		if ((invert ? 1 / r : r) > CAUGHT_UP)
			return size > 0 ? size : INFINITY;
		size = bytes;
	}
	return 0;
}

static void size_text(double bytes, char *text, size_t size)
{
	if (!(bytes > 0))
		snprintf(text, size, "at every size");
	else if (isinf(bytes))
		snprintf(text, size, "never");
	else if (bytes >= 1 << 30)
		snprintf(text, size, "%.0f GiB", bytes / (1 << 30));
	else if (bytes >= 1 << 20)
		snprintf(text, size, "%.0f MiB", bytes / (1 << 20));
	else if (bytes >= 1 << 10)
		snprintf(text, size, "%.0f KiB", bytes / (1 << 10));
	else
		snprintf(text, size, "%.0f B", bytes);
}

json_t *compare_floor(const struct contest *contest)
{
	const struct suo_workload_opts *w = &contest->work;
	json_t *sheet = suo_sheet_new("Small messages, and who catches up",
				      "AllReduce of 8 bytes; and the size from which on one is at most 5 % slower than the other (powers of two, 8 B to 16 GiB).",
				      "ranks|A floor (us)|B floor (us)|B / A|A from|B from");

	for (unsigned int n = 0; n < w->nranks; n++) {
		char from[2][32];
		struct pair pair;

		pair_open(contest, w->ranks[n], &pair);
		if (pair_has_peers(&pair)) {
			size_text(catch_up(&pair, true), from[0], sizeof(from[0]));
			size_text(catch_up(&pair, false), from[1], sizeof(from[1]));
			suo_sheet_add(sheet, "[i, f, f, f, s, s]", w->ranks[n],
				      suo_predict_us(&pair.p[0], SUO_WORK_ALLREDUCE,
						     MIN_SIZE),
				      suo_predict_us(&pair.p[1], SUO_WORK_ALLREDUCE,
						     MIN_SIZE),
				      ratio(&pair, MIN_SIZE), from[0], from[1]);
		}
		pair_close(&pair);
	}
	return sheet;
}

static void worth(json_t *sheet, const struct contender *side, uint32_t ranks,
		  const struct suo_predictor *p, double bytes)
{
	struct suo_predictor with = *p, without = *p;
	bool has = p->machine.up_reduce || p->machine.out_reduce;
	double us, less;

	suo_predictor_reduce(&with, true, p->machine.out_reduce);
	suo_predictor_reduce(&without, false, false);
	us = suo_predict_us(&with, SUO_WORK_ALLREDUCE, bytes);
	less = suo_predict_us(&without, SUO_WORK_ALLREDUCE, bytes);
	suo_sheet_add(sheet, "[s, i, I, s, f, f, f]", side->letter, ranks,
		      (json_int_t)bytes, has ? "yes" : "no", less, us, less / us);
}

json_t *compare_in_network(const struct contest *contest)
{
	const struct suo_workload_opts *w = &contest->work;
	json_t *sheet = suo_sheet_new("What reduction in the scale-up switch is worth",
				      "AllReduce without it and with it, whether or not the file has it.",
				      "side|ranks|bytes|has it|without (us)|with (us)|gain");

	for (int s = 0; s < 2; s++) {
		for (unsigned int n = 0; n < w->nranks; n++) {
			struct suo_predictor p;
			struct suo_cluster *c;

			if (!contender_at(&contest->side[s], w->ranks[n], &p, &c))
				continue;
			for (unsigned int i = 0; i < w->nsize; i++)
				worth(sheet, &contest->side[s], w->ranks[n], &p,
				      w->size[i]);
			suo_cluster_free(c);
		}
	}
	return sheet;
}
