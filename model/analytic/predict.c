// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/analytic/predict.h"
#include "model/cluster/inputs.h"

#define NGROUPS	4
#define STEP	0.01		/* of an input, to see what changes */
#define TENTH	1.2815515655	/* deviations to the 10th and 90th percentile */

int suo_predictor_init(struct suo_predictor *p, const struct suo_cluster *cluster,
		       uint32_t ranks)
{
	struct suo_input in[SUO_MAX_INPUTS];
	unsigned int n = suo_cluster_inputs(cluster, in);
	int ret;

	p->cluster = cluster;
	for (unsigned int i = 0; i < NGROUPS; i++)
		p->sigma[i] = suo_input_group_sigma(in, n, i);
	ret = suo_machine_init(&p->median, cluster, ranks, 0.5);
	if (ret)
		return ret;
	suo_machine_init(&p->lucky, cluster, ranks, 0.1);
	return suo_machine_init(&p->unlucky, cluster, ranks, 0.9);
}

static void change(struct suo_machine *m, enum suo_input_group group, double factor)
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

/* Deviation of the time's logarithm. */
static double spread(const struct suo_predictor *p, enum suo_workload work,
		     double bytes, double us)
{
	double squares = 0;

	for (unsigned int i = 0; i < NGROUPS; i++) {
		struct suo_machine m = p->median;
		double slope;

		change(&m, i, 1 + STEP);
		slope = log(suo_estimate_us(&m, work, bytes) / us) / log1p(STEP);
		squares += pow(slope * p->sigma[i], 2);
	}
	return sqrt(squares);
}

void suo_predict(const struct suo_predictor *p, enum suo_workload work,
		 double bytes, struct suo_prediction *out)
{
	double sigma = 0, us;

	suo_estimate(&p->median, work, bytes, &out->est);
	out->bound = suo_estimate_bound(&out->est, &out->bound_share);
	us = out->est.time_us;
	if (us > 0)
		sigma = spread(p, work, bytes, us);
	out->low_us = fmin(us, suo_estimate_us(&p->lucky, work, bytes)) *
		      exp(-TENTH * sigma);
	out->high_us = fmax(us, suo_estimate_us(&p->unlucky, work, bytes)) *
		       exp(TENTH * sigma);
}
