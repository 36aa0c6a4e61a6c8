// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/analytic/predict.h"
#include "model/analytic/predict_library.h"

#define STEP	0.01		/* of an input, to see what changes */
#define STEEP	1.5		/* a time falls no faster than with a rate: the rest is a leap */
#define TENTH	1.2815515655	/* deviations to the 10th and 90th percentile */

/* As many accelerators as take part; a part of a domain is a host of its own. */
static void resize(struct suo_cluster *c, uint32_t ranks)
{
	uint32_t g = suo_cluster_domain_size(c);

	if (ranks % g == 0) {
		c->hosts = ranks / g * c->domain_hosts;
		return;
	}
	c->hosts = 1;
	c->domain_hosts = 1;
	c->accels = ranks;
}

int suo_predictor_init(struct suo_predictor *p, const struct suo_cluster *cluster,
		       uint32_t ranks)
{
	struct suo_input in[SUO_MAX_INPUTS];
	unsigned int n = suo_cluster_inputs(cluster, in);
	int ret;

	for (unsigned int i = 0; i < SUO_INPUT_OTHER; i++)
		p->sigma[i] = suo_input_group_sigma(in, n, i);
	ret = suo_machine_init(&p->machine, cluster, ranks, 0.5);
	if (ret)
		return ret;
	suo_machine_init(&p->lucky, cluster, ranks, 0.1);
	suo_machine_init(&p->unlucky, cluster, ranks, 0.9);
	p->cluster = *cluster;
	resize(&p->cluster, p->machine.ranks);
	return 0;
}

static void change_machine(struct suo_machine *m, enum suo_input_group group,
			   double factor)
{
	switch (group) {
	case SUO_INPUT_UP_RATE:
		m->up.rate *= factor;
		break;
	case SUO_INPUT_UP_LATENCY:
		m->up.latency_us *= factor;
		break;
	case SUO_INPUT_OUT_RATE:
		m->out.rate *= factor;
		for (unsigned int i = 0; i < m->levels; i++) {
			m->cross[i] *= factor;
			m->ring_cross[i] *= factor;
		}
		break;
	default:
		for (unsigned int i = 0; i < m->levels; i++)
			m->path_us[i] *= factor;
		break;
	}
}

void suo_predictor_change(struct suo_predictor *p, enum suo_input_group group,
			  double factor)
{
	change_machine(&p->machine, group, factor);
	change_machine(&p->lucky, group, factor);
	change_machine(&p->unlucky, group, factor);
	/* A library looks at the cluster's rates. */
	if (group == SUO_INPUT_UP_RATE)
		p->cluster.up.rate_mbps = fmax(1, p->cluster.up.rate_mbps * factor);
	else if (group == SUO_INPUT_OUT_RATE)
		p->cluster.out.rate_mbps = fmax(1, p->cluster.out.rate_mbps * factor);
}

void suo_predictor_reduce(struct suo_predictor *p, bool up, bool out)
{
	p->machine.up_reduce = up;
	p->lucky.up_reduce = up;
	p->unlucky.up_reduce = up;
	p->cluster.up_reduce = up;
	p->machine.out_reduce = out;
	p->lucky.out_reduce = out;
	p->unlucky.out_reduce = out;
}

/* By the library if there is one, or else by closed forms. */
static void estimate(const struct suo_predictor *p, const struct suo_machine *m,
		     enum suo_workload work, double bytes, struct suo_estimate *est,
		     double *sigma)
{
	bool library = m->ranks > 1 && p->cluster.software.nccl;

	*sigma = 0;
	if (library && suo_estimate_library(&p->cluster, m, work, bytes, est, sigma))
		return;
	suo_estimate(m, work, bytes, est);
	/* Nothing was fitted to it: links alone. */
	if (library)
		est->algorithm = "no library model";
}

static double estimate_us(const struct suo_predictor *p, const struct suo_machine *m,
			  enum suo_workload work, double bytes)
{
	struct suo_estimate est;
	double sigma;

	if (!p->cluster.software.nccl)
		return suo_estimate_us(m, work, bytes);
	estimate(p, m, work, bytes, &est, &sigma);
	return est.time_us;
}

double suo_predict_us(const struct suo_predictor *p, enum suo_workload work,
		      double bytes)
{
	return estimate_us(p, &p->machine, work, bytes);
}

/* Square of the deviation of the time's logarithm that inputs are to blame for. */
static double spread(const struct suo_predictor *p, enum suo_workload work,
		     double bytes, double us)
{
	double squares = 0;

	for (unsigned int i = 0; i < SUO_INPUT_OTHER; i++) {
		struct suo_predictor changed = *p;
		double slope;

		suo_predictor_change(&changed, i, 1 + STEP);
		slope = log(suo_predict_us(&changed, work, bytes) / us) / log1p(STEP);
		slope = fmin(STEEP, fmax(-STEEP, slope));
		squares += pow(slope * p->sigma[i], 2);
	}
	return squares;
}

void suo_predict(const struct suo_predictor *p, enum suo_workload work,
		 double bytes, struct suo_prediction *out)
{
	double sigma, us;

	estimate(p, &p->machine, work, bytes, &out->est, &sigma);
	out->bound = suo_estimate_bound(&out->est, &out->bound_share);
	us = out->est.time_us;
	if (us > 0)
		sigma = sqrt(sigma * sigma + spread(p, work, bytes, us));
	out->low_us = fmin(us, estimate_us(p, &p->lucky, work, bytes)) *
		      exp(-TENTH * sigma);
	out->high_us = fmax(us, estimate_us(p, &p->unlucky, work, bytes)) *
		       exp(TENTH * sigma);
}
