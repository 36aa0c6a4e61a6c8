/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A prediction with how sure it is, by the software that the cluster file names. */
#ifndef SUO_ANALYTIC_PREDICT_H
#define SUO_ANALYTIC_PREDICT_H

#include "model/analytic/engine.h"
#include "model/cluster/inputs.h"

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
 * @cluster: with as many accelerators as take part; its pointers are borrowed
 * @machine: for closed forms, with the luck of the median
 * @lucky: with that of the 10th percentile: hash collisions
 * @unlucky: and of the 90th
 * @sigma: how far rates and latencies may be off, by enum suo_input_group
 */
struct suo_predictor {
	struct suo_cluster	cluster;
	struct suo_machine	machine;
	struct suo_machine	lucky;
	struct suo_machine	unlucky;
	double			sigma[SUO_INPUT_OTHER];
};

/**
 * suo_predictor_init() - get ready
 * @p: what is asked
 * @cluster: the cluster; it must live as long
 * @ranks: how many take part: whole domains, or a part of one; 0: all
 *
 * Return: 0, or -EINVAL if so many ranks cannot take part.
 */
int suo_predictor_init(struct suo_predictor *p, const struct suo_cluster *cluster,
		       uint32_t ranks);

/* Multiply a rate or a latency by a factor. */
void suo_predictor_change(struct suo_predictor *p, enum suo_input_group group,
			  double factor);

/* Have the scale-up switch reduce, or not. */
void suo_predictor_reduce(struct suo_predictor *p, bool up, bool out);

/* The median time, us. */
double suo_predict_us(const struct suo_predictor *p, enum suo_workload work,
		      double bytes);

/**
 * suo_predict() - predict a collective
 * @p: the cluster
 * @work: the collective
 * @bytes: as nccl-tests counts them
 * @out: where it goes
 *
 * Without software, by closed forms (engine.h); with a library, what that makes of it
 * (nccl_predict.h) and what the network adds. Where the library has no model of a
 * collective, its algorithm is "no library model", and links alone are counted.
 *
 * The band, from 10 to 90 %, has what the inputs may be off by (inputs.h) times what
 * the prediction changes with each, what is left of the library's fit, both taken as
 * independent and log-normal, and between them the luck of hash collisions.
 */
void suo_predict(const struct suo_predictor *p, enum suo_workload work,
		 double bytes, struct suo_prediction *out);

#endif /* SUO_ANALYTIC_PREDICT_H */
