/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A prediction with how sure it is. */
#ifndef SUO_ANALYTIC_PREDICT_H
#define SUO_ANALYTIC_PREDICT_H

#include "model/analytic/engine.h"

/**
 * struct suo_prediction - what is predicted
 * @est: the median
 * @low_us: a tenth of what may happen is faster
 * @high_us: a tenth is slower
 * @bound: what most of the time is spent on
 * @bound_share: how much of it
 */
struct suo_prediction {
	struct suo_estimate	est;
	double			low_us;
	double			high_us;
	enum suo_bound		bound;
	double			bound_share;
};

/**
 * struct suo_predictor - a cluster that is asked several times
 * @median: with the luck of the median
 * @lucky: and of the 10th percentile: hash collisions
 * @unlucky: and of the 90th
 * @cluster: the cluster
 * @sigma: how far rates and latencies may be off, by enum suo_input_group
 */
struct suo_predictor {
	struct suo_machine		median;
	struct suo_machine		lucky;
	struct suo_machine		unlucky;
	const struct suo_cluster	*cluster;
	double				sigma[4];
};

/* Get ready. Return: 0, or -EINVAL if so many ranks cannot take part (0: all). */
int suo_predictor_init(struct suo_predictor *p, const struct suo_cluster *cluster,
		       uint32_t ranks);

/**
 * suo_predict() - predict a collective
 * @p: the cluster
 * @work: the collective
 * @bytes: as nccl-tests counts them
 * @out: where it goes
 *
 * The band, from 10 to 90 %, has what the inputs may be off by (inputs.h) times what
 * the prediction changes with each, taken as independent and log-normal, and between
 * them the luck of hash collisions.
 */
void suo_predict(const struct suo_predictor *p, enum suo_workload work,
		 double bytes, struct suo_prediction *out);

#endif /* SUO_ANALYTIC_PREDICT_H */
