// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How far off the model of collective libraries is, on clusters it has not seen.
 *
 * bench_model CSV TABLE.csv...
 *
 * Each cluster of the tables is predicted with constants that were fitted without
 * it; its 10-90 band comes from the other clusters, each predicted by a fit with
 * neither. Beside it two peers on the same rows: the vendor's tuner as it is, and
 * launch and bandwidth alone (T = steps alpha + bytes / (eta B), alpha and eta
 * fitted without the cluster too).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/analytic/nccl_graph.h"
#include "model/calibrate/band.h"
#include "model/calibrate/fit.h"
#include "model/calibrate/profile.h"

#define MAX_CLUSTERS	64

/* What must hold, percent. */
#define MEAN_PCT	15
#define LARGE_PCT	10
#define WORST_PCT	35
#define BAND_PCT	75

struct line {
	const char		*name;
	struct suo_cal_score	score;
	size_t			spikes;
	double			calm_worst_pct;	/* without spikes */
	double			tuner_pct;
	size_t			tuner_rows;
	double			plain_pct;
};

struct plain {
	double	alpha_us;
	double	eta;
};

static struct suo_cal_data data;
static struct suo_nccl_constants fitted[MAX_CLUSTERS];
static struct suo_cal_spread spread[MAX_CLUSTERS];

static int fail(const char *what)
{
	fprintf(stderr, "Error: %s\n", what);
	return 1;
}

/* Fits without one, and without two: what a band is made of. */
static int fit_all(void)
{
	struct suo_nccl_constants k;
	char err[256];

	for (size_t x = 0; x < data.nclusters; x++) {
		if (suo_cal_fit(&data, &x, 1, &fitted[x], err, sizeof(err)))
			return fail(err);
		for (size_t y = x + 1; y < data.nclusters; y++) {
			size_t both[] = { x, y };

			if (suo_cal_fit(&data, both, 2, &k, err, sizeof(err)))
				return fail(err);
			if (suo_cal_spread_add(&spread[x], &data, y, &k) ||
			    suo_cal_spread_add(&spread[y], &data, x, &k))
				return fail("not enough memory");
		}
	}
	for (size_t x = 0; x < data.nclusters; x++)
		if (suo_cal_spread_band(&spread[x], &fitted[x]))
			return fail("a band needs three clusters and more");
	return 0;
}

static double plain_us(const struct suo_cal_row *r, const struct plain *p)
{
	const struct suo_nccl_system *sys = &r->sys;
	uint32_t steps = suo_nccl_ring_steps(sys, r->op);
	double rate = sys->gpu->links * sys->gpu->link_GBps;

	if (suo_nccl_domains(sys) > 1)
		rate = fmin(rate, sys->nics * sys->nic_GBps);
	return steps * p->alpha_us +
	       (double)r->bytes * steps / sys->ranks / 1e3 / (p->eta * rate);
}

/* The two constants, by trying: least mean of |ln|. */
static struct plain fit_plain(size_t without)
{
	struct plain best = { 0 };
	double least = INFINITY;

	for (double a = 0.2; a < 20; a *= 1.1)
		for (double e = 0.2; e < 1.05; e += 0.025) {
			struct plain p = { a, e };
			double sum = 0;

			for (size_t i = 0; i < data.nrows; i++)
				if (data.row[i].cluster != without)
					sum += fabs(log(plain_us(&data.row[i], &p) /
							data.row[i].us));
			if (sum < least) {
				least = sum;
				best = p;
			}
		}
	return best;
}

static void score(size_t c, struct line *line)
{
	struct plain p = fit_plain(c);

	*line = (struct line){ .name = data.cluster[c] };
	suo_cal_score(&data, c, &fitted[c], &line->score);
	for (size_t i = 0; i < data.nrows; i++) {
		const struct suo_cal_row *r = &data.row[i];
		struct suo_nccl_pick pick;
		double us, off;

		if (r->cluster != c)
			continue;
		off = 100 * fabs(exp(-suo_cal_residual(r, &fitted[c])) - 1);
		if (suo_cal_spike(&data, i))
			line->spikes++;
		else
			line->calm_worst_pct = fmax(line->calm_worst_pct, off);
		us = suo_nccl_choose(&r->sys, r->op, r->bytes, &pick);
		if (us > 0) {
			line->tuner_rows++;
			line->tuner_pct += 100 * fabs(us / r->us - 1);
		}
		line->plain_pct += 100 * fabs(plain_us(r, &p) / r->us - 1);
	}
	line->plain_pct /= line->score.rows;
	if (line->tuner_rows)
		line->tuner_pct /= line->tuner_rows;
}

static int write_rows(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return fail(strerror(errno));
	fputs("table,op,gpus,size_bytes,measured_us,predicted_us,error_pct,band_low_us,band_high_us\n",
	      out);
	for (size_t i = 0; i < data.nrows; i++) {
		const struct suo_cal_row *r = &data.row[i];
		const struct suo_nccl_constants *k = &fitted[r->cluster];
		double us = r->us * exp(-suo_cal_residual(r, k));

		fprintf(out, "%s,%s,%u,%llu,%.3f,%.3f,%.2f,%.3f,%.3f\n",
			data.cluster[r->cluster], suo_nccl_op_name(r->op),
			r->sys.ranks, (unsigned long long)r->bytes, r->us, us,
			100 * (us / r->us - 1), us * exp(k->log_p10),
			us * exp(k->log_p90));
	}
	return fclose(out) ? fail(strerror(errno)) : 0;
}

static void print_line(const struct line *l)
{
	const struct suo_cal_score *s = &l->score;

	printf("%-20s %5zu %7.2f %7.2f %7.2f %6zu %7.2f %7.2f %7.1f", l->name,
	       s->rows, s->mean_pct, s->bias_pct, s->worst_pct, s->large_rows,
	       s->large_pct, s->large_worst_pct, 100.0 * s->in_band / s->rows);
	if (l->tuner_rows)
		printf(" %8.2f", l->tuner_pct);
	else
		printf(" %8s", "-");
	printf(" %8.2f\n", l->plain_pct);
}

/* Over all rows, each alike. */
static void add_up(const struct line *line, size_t n, struct line *all)
{
	struct suo_cal_score *s = &all->score;

	*all = (struct line){ .name = "all rows" };
	for (size_t i = 0; i < n; i++) {
		const struct suo_cal_score *o = &line[i].score;

		s->rows += o->rows;
		s->large_rows += o->large_rows;
		s->in_band += o->in_band;
		s->mean_pct += o->mean_pct * o->rows;
		s->bias_pct += o->bias_pct * o->rows;
		s->large_pct += o->large_pct * o->large_rows;
		s->worst_pct = fmax(s->worst_pct, o->worst_pct);
		s->large_worst_pct = fmax(s->large_worst_pct, o->large_worst_pct);
		all->calm_worst_pct = fmax(all->calm_worst_pct,
					   line[i].calm_worst_pct);
		all->spikes += line[i].spikes;
		all->tuner_rows += line[i].tuner_rows;
		all->tuner_pct += line[i].tuner_pct * line[i].tuner_rows;
		all->plain_pct += line[i].plain_pct * o->rows;
	}
	s->mean_pct /= s->rows;
	s->bias_pct /= s->rows;
	s->large_pct /= s->large_rows ?: 1;
	all->tuner_pct /= all->tuner_rows ?: 1;
	all->plain_pct /= s->rows;
}

static void verdict(const char *what, double value, bool holds, const char *than)
{
	printf("# %-4s %s: %.2f %%, wanted %s\n", holds ? "ok" : "MISS", what,
	       value, than);
}

static void print_all(const struct line *line, size_t n)
{
	double clusters = 0, large = 0, most = 0;
	struct line all;
	size_t over = 0, with_large = 0;

	printf("# %-18s %5s %7s %7s %7s %6s %7s %7s %7s %8s %8s\n", "left out",
	       "rows", "mean", "bias", "worst", ">=64M", "mean", "worst", "in band",
	       "tuner", "plain");
	for (size_t i = 0; i < n; i++) {
		const struct suo_cal_score *s = &line[i].score;

		print_line(&line[i]);
		clusters += s->mean_pct / n;
		most = fmax(most, s->mean_pct);
		large += s->large_pct;
		with_large += s->large_rows > 0;
		over += s->worst_pct > WORST_PCT;
	}
	add_up(line, n, &all);
	print_line(&all);

	printf("#\n");
	verdict("mean error, rows alike", all.score.mean_pct,
		all.score.mean_pct <= MEAN_PCT, "15 at most");
	verdict("mean error, clusters alike", clusters, clusters <= MEAN_PCT,
		"15 at most");
	verdict("mean error of the worst cluster", most, most <= MEAN_PCT,
		"15 at most");
	verdict("mean error from 64 MiB, rows alike", all.score.large_pct,
		all.score.large_pct <= LARGE_PCT, "10 at most");
	verdict("mean error from 64 MiB, clusters alike", large / with_large,
		large / with_large <= LARGE_PCT, "10 at most");
	verdict("worst row", all.score.worst_pct,
		all.score.worst_pct < WORST_PCT, "under 35");
	verdict("rows in the 10-90 band", 100.0 * all.score.in_band / all.score.rows,
		all.score.in_band * 100.0 >= BAND_PCT * all.score.rows,
		"75 at least");
	printf("# %zu of %zu clusters have a row that is off by more than %d %%;\n",
	       over, n, WORST_PCT);
	printf("# without the %zu rows that took 1.25 times as long as a larger vector, the worst is %.2f %%\n",
	       all.spikes, all.calm_worst_pct);
}

/*
 * Two rows of one collective, the smaller vector slower: a model in which more bytes
 * take longer is off by (a - b) / (a + b) at least at one of them.
 */
static double least_worst(void)
{
	double most = 0;

	for (size_t i = 0; i < data.nrows; i++)
		for (size_t j = 0; j < data.nrows; j++) {
			const struct suo_cal_row *a = &data.row[i];
			const struct suo_cal_row *b = &data.row[j];

			if (a->cluster == b->cluster && a->op == b->op &&
			    a->sys.ranks == b->sys.ranks && a->bytes < b->bytes)
				most = fmax(most, (a->us - b->us) / (a->us + b->us));
		}
	return 100 * most;
}

static void print_worst(void)
{
	printf("# no model in which more bytes take longer can have a worst row under %.2f %%\n",
	       least_worst());
	printf("#\n# rows off by more than %d %%, s: disturbed, a larger vector was faster\n",
	       WORST_PCT);
	for (size_t i = 0; i < data.nrows; i++) {
		const struct suo_cal_row *r = &data.row[i];
		double us = r->us * exp(-suo_cal_residual(r, &fitted[r->cluster]));

		if (fabs(us / r->us - 1) * 100 > WORST_PCT)
			printf("# %s %-20s %-14s %2u %11llu measured %9.2f predicted %9.2f %+6.1f %%\n",
			       suo_cal_spike(&data, i) ? "s" : " ",
			       data.cluster[r->cluster], suo_nccl_op_name(r->op),
			       r->sys.ranks, (unsigned long long)r->bytes, r->us,
			       us, 100 * (us / r->us - 1));
	}
}

int main(int argc, char **argv)
{
	struct line line[MAX_CLUSTERS];
	char err[256];
	int ret = 0;

	if (argc < 3) {
		fprintf(stderr, "Usage: %s CSV TABLE.csv...\n", argv[0]);
		return 2;
	}
	for (int i = 2; i < argc && !ret; i++)
		if (suo_cal_read(&data, argv[i], err, sizeof(err)))
			ret = fail(err);
	if (!ret && data.nclusters > MAX_CLUSTERS)
		ret = fail("too many clusters");
	if (!ret)
		ret = fit_all();
	if (!ret)
		ret = write_rows(argv[1]);
	for (size_t c = 0; c < data.nclusters && !ret; c++)
		score(c, &line[c]);
	if (!ret) {
		print_all(line, data.nclusters);
		print_worst();
	}

	for (size_t c = 0; c < MAX_CLUSTERS; c++)
		suo_cal_spread_free(&spread[c]);
	suo_cal_free(&data);
	return ret;
}
