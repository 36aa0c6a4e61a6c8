/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Starting the ranks: one by hand or by mpirun, or several on this host. */
#ifndef SUO_PERF_LAUNCH_H
#define SUO_PERF_LAUNCH_H

#include "userspace/perf/opts.h"

/**
 * launch() - start the ranks that this process is responsible for
 * @opts: as parsed; -g, --hosts and --device are resolved for each rank
 * @run: what a rank does; returns its exit status
 *
 * Return: the worst exit status.
 */
int launch(struct opts *opts, int (*run)(struct opts *opts));

#endif /* SUO_PERF_LAUNCH_H */
