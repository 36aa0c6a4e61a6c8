/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A collective library on a network: what nccl_predict.h leaves out. */
#ifndef SUO_ANALYTIC_PREDICT_LIBRARY_H
#define SUO_ANALYTIC_PREDICT_LIBRARY_H

#include "model/analytic/engine.h"

/**
 * suo_estimate_library() - a library's choice, and what the network adds
 * @c: the cluster; all of its accelerators take part
 * @m: the same, for closed forms
 * @work: the collective
 * @bytes: as nccl-tests counts them
 * @est: where it goes
 * @sigma: deviation of the logarithm that is left of the library's fit
 *
 * The library's constants were fitted to clusters that had the scale-out latency of
 * the profile and one switch between accelerators. For every step, the difference of
 * this cluster's latency is added; of a ring 2 (k - 1) steps leave a domain and
 * 2 (N - 1) - 2 (k - 1) do not, of a tree 2 ceil(log2 k) and 2 (g - 1), of NVLS 2
 * stay and of NVLSTree 2 ceil(log2 k) leave besides, of sends and receives one.
 * What NICs wait for links is added to the time for their bytes, and timeouts.
 *
 * Return: whether the library has such a collective.
 */
bool suo_estimate_library(const struct suo_cluster *c, const struct suo_machine *m,
			  enum suo_workload work, double bytes,
			  struct suo_estimate *est, double *sigma);

#endif /* SUO_ANALYTIC_PREDICT_LIBRARY_H */
