/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a cluster file's collective library makes of a collective. */
#ifndef SUO_ANALYTIC_NCCL_PREDICT_H
#define SUO_ANALYTIC_NCCL_PREDICT_H

#include "model/analytic/nccl.h"
#include "model/cluster/cluster.h"

/**
 * struct suo_nccl_result - a prediction
 * @pick: what the library does, and what the time consists of
 * @low_us: 10th percentile, of clusters that were not fitted to
 * @high_us: 90th
 * @sigma: deviation of the logarithm that goes with them
 */
struct suo_nccl_result {
	struct suo_nccl_pick	pick;
	double			low_us;
	double			high_us;
	double			sigma;
};

/**
 * suo_nccl_predict() - predict a collective
 * @cluster: its software.nccl is not NULL
 * @op: the collective
 * @bytes: as nccl-tests counts them
 * @res: where the prediction goes
 *
 * The library takes what its tuner thinks best. Where that changes with the size or
 * with a link's rate, the time may leap either way, as measured ones do.
 *
 * What is between the NICs (oversubscription, collisions, losses) and stragglers
 * are not in it.
 *
 * Return: 0; -EINVAL for a cluster of one rank, or none that the library could run
 * on; -EOPNOTSUPP if no algorithm is allowed.
 */
int suo_nccl_predict(const struct suo_cluster *cluster, enum suo_nccl_op op,
		     uint64_t bytes, struct suo_nccl_result *res);

#endif /* SUO_ANALYTIC_NCCL_PREDICT_H */
