// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_vector.h>

#include "model/calibrate/fit.h"
#include "model/calibrate/held.h"

#define SIGMA		0.05	/* a measurement's own spread, of its logarithm */
#define CAUCHY		2.0	/* deviations from which on a row counts less */
#define ROUNDS		2	/* with new weights */
#define STEP		1e-4	/* of a logarithm, for derivatives */
#define MAX_ITERATIONS	60
#define TOLERANCE	1e-5

/* A row that is fitted to. */
struct sample {
	const struct suo_cal_row	*row;
	struct suo_nccl_pick		pick;
	unsigned int			used[SUO_CAL_USED];
	unsigned int			nused;
	double				weight;
};

struct fit {
	struct sample	*sample;
	size_t		nsamples;
	int		unknown[SUO_CAL_CONSTANTS];	/* its place, or -1 */
	unsigned int	constant[SUO_CAL_CONSTANTS];	/* of an unknown */
	unsigned int	nunknowns;
	struct suo_nccl_constants	k;
};

static double log_time(struct sample *s, const struct suo_nccl_constants *k)
{
	return log(suo_nccl_time_of(&s->row->sys, k, s->row->op, s->row->bytes,
				    &s->pick));
}

static double vendor_log(unsigned int constant)
{
	return log(suo_cal_value(&suo_nccl_vendor, constant));
}

/* What a constant is held to: its parent's logarithm, or the vendor's. */
static double held_to(const struct fit *f, unsigned int constant)
{
	int parent = suo_cal_held(constant).parent;

	return parent < 0 ? vendor_log(constant) : log(suo_cal_value(&f->k, parent));
}

/* Constants that no row depends on, nor any unknown, become their parents'. */
static void fill_in(struct fit *f)
{
	static const enum suo_nccl_gen order[] = {
		SUO_NCCL_HOPPER, SUO_NCCL_AMPERE, SUO_NCCL_BLACKWELL,
		SUO_NCCL_CDNA
	};
	unsigned int i;

	for (unsigned int o = 0; o < SUO_NCCL_GENS; o++)
		for (unsigned int c = 0; c < SUO_NCCL_GEN_CONSTANTS; c++) {
			i = SUO_CAL_GEN(order[o], c);
			if (f->unknown[i] < 0)
				*suo_cal_constant(&f->k, i) = exp(held_to(f, i));
		}
	for (i = SUO_CAL_NET(0, 0); i < SUO_CAL_CONSTANTS; i++)
		if (f->unknown[i] < 0)
			*suo_cal_constant(&f->k, i) = exp(held_to(f, i));
}

static void set_constants(struct fit *f, const gsl_vector *x)
{
	for (unsigned int u = 0; u < f->nunknowns; u++)
		*suo_cal_constant(&f->k, f->constant[u]) =
			exp(gsl_vector_get(x, u));
	fill_in(f);
}

static int residuals(const gsl_vector *x, void *arg, gsl_vector *out)
{
	struct fit *f = arg;

	set_constants(f, x);
	for (size_t i = 0; i < f->nsamples; i++) {
		struct sample *s = &f->sample[i];
		double d = log_time(s, &f->k) - log(s->row->us);

		if (!isfinite(d))
			return GSL_EDOM;
		gsl_vector_set(out, i, s->weight * d / SIGMA);
	}
	for (unsigned int u = 0; u < f->nunknowns; u++) {
		unsigned int c = f->constant[u];
		double d = gsl_vector_get(x, u) - held_to(f, c);

		gsl_vector_set(out, f->nsamples + u,
			       d / suo_cal_held(c).loose);
	}
	return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *x, void *arg, gsl_matrix *out)
{
	struct fit *f = arg;

	set_constants(f, x);
	gsl_matrix_set_zero(out);
	for (size_t i = 0; i < f->nsamples; i++) {
		struct sample *s = &f->sample[i];
		double here = log_time(s, &f->k);

		for (unsigned int n = 0; n < s->nused; n++) {
			double *k = suo_cal_constant(&f->k, s->used[n]);
			double was = *k, d;

			*k *= exp(STEP);
			d = (log_time(s, &f->k) - here) / STEP;
			*k = was;
			gsl_matrix_set(out, i, f->unknown[s->used[n]],
				       s->weight * d / SIGMA);
		}
	}
	for (unsigned int u = 0; u < f->nunknowns; u++) {
		struct suo_cal_held held = suo_cal_held(f->constant[u]);

		gsl_matrix_set(out, f->nsamples + u, u, 1 / held.loose);
		if (held.parent >= 0)
			gsl_matrix_set(out, f->nsamples + u,
				       f->unknown[held.parent],
				       -1 / held.loose);
	}
	return GSL_SUCCESS;
}

static void make_unknown(struct fit *f, unsigned int constant)
{
	int parent = suo_cal_held(constant).parent;

	if (f->unknown[constant] >= 0)
		return;
	f->unknown[constant] = f->nunknowns;
	f->constant[f->nunknowns++] = constant;
	if (parent >= 0)
		make_unknown(f, parent);
}

static int gather(struct fit *f, const struct suo_cal_data *data,
		  const size_t *without, size_t nwithout)
{
	for (unsigned int i = 0; i < SUO_CAL_CONSTANTS; i++)
		f->unknown[i] = -1;

	f->sample = calloc(data->nrows ?: 1, sizeof(*f->sample));
	if (!f->sample)
		return -ENOMEM;
	for (size_t i = 0; i < data->nrows; i++) {
		const struct suo_cal_row *row = &data->row[i];
		struct sample *s = &f->sample[f->nsamples];

		if (suo_cal_listed(row->cluster, without, nwithout))
			continue;
		/* Also finds out which protocol All-to-All takes. */
		if (suo_nccl_time_us(&row->sys, &suo_nccl_vendor, row->op,
				     row->bytes, &s->pick) <= 0)
			continue;
		s->row = row;
		s->weight = 1;
		s->nused = suo_cal_used(row, &s->pick, s->used);
		for (unsigned int n = 0; n < s->nused; n++)
			make_unknown(f, s->used[n]);
		f->nsamples++;
	}
	return f->nsamples ? 0 : -EINVAL;
}

static void reweight(struct fit *f)
{
	for (size_t i = 0; i < f->nsamples; i++) {
		struct sample *s = &f->sample[i];
		double d = log_time(s, &f->k) - log(s->row->us);

		d /= SIGMA * CAUCHY;
		s->weight = sqrt(1 / (1 + d * d));
	}
}

static int solve(struct fit *f, char *err, size_t len)
{
	gsl_multifit_nlinear_parameters how =
		gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_fdf system = {
		.f = residuals,
		.df = jacobian,
		.n = f->nsamples + f->nunknowns,
		.p = f->nunknowns,
		.params = f,
	};
	gsl_multifit_nlinear_workspace *w;
	gsl_vector *x;
	int ret = -ENOMEM, status = GSL_SUCCESS, why;

	how.solver = gsl_multifit_nlinear_solver_cholesky;
	x = gsl_vector_alloc(f->nunknowns);
	if (!x)
		return ret;
	w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how,
				       system.n, system.p);
	if (!w)
		goto no_workspace;

	for (unsigned int u = 0; u < f->nunknowns; u++)
		gsl_vector_set(x, u, vendor_log(f->constant[u]));

	for (int round = 0; round < ROUNDS; round++) {
		status = gsl_multifit_nlinear_init(x, &system, w);
		if (status)
			break;
		status = gsl_multifit_nlinear_driver(MAX_ITERATIONS, TOLERANCE,
						     TOLERANCE, 0, NULL, NULL,
						     &why, w);
		/* No further step is better: good enough. */
		if (status == GSL_ENOPROG || status == GSL_EMAXITER)
			status = GSL_SUCCESS;
		if (status)
			break;
		gsl_vector_memcpy(x, gsl_multifit_nlinear_position(w));
		set_constants(f, x);
		reweight(f);
	}
	ret = 0;
	if (status) {
		snprintf(err, len, "the fit fails: %s", gsl_strerror(status));
		ret = -EIO;
	}

	gsl_multifit_nlinear_free(w);
no_workspace:
	gsl_vector_free(x);
	return ret;
}

int suo_cal_fit(const struct suo_cal_data *data, const size_t *without,
		size_t nwithout, struct suo_nccl_constants *k, char *err, size_t len)
{
	struct fit f = { .k = suo_nccl_vendor };
	gsl_error_handler_t *handler;
	int ret;

	ret = gather(&f, data, without, nwithout);
	if (ret == -EINVAL)
		snprintf(err, len, "no measurement is left to fit to");
	if (!ret) {
		handler = gsl_set_error_handler_off();
		ret = solve(&f, err, len);
		gsl_set_error_handler(handler);
	}
	if (ret == -ENOMEM)
		snprintf(err, len, "not enough memory");
	if (!ret) {
		*k = f.k;
		k->log_p10 = 0;
		k->log_p90 = 0;
	}
	free(f.sample);
	return ret;
}

double suo_cal_residual(const struct suo_cal_row *row, const struct suo_nccl_constants *k)
{
	struct suo_nccl_pick pick;

	return log(row->us / suo_nccl_time_us(&row->sys, k, row->op, row->bytes,
					      &pick));
}
