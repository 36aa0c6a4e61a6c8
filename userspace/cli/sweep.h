/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* suo sweep: what its parts share. */
#ifndef SUO_CLI_SWEEP_H
#define SUO_CLI_SWEEP_H

#include "userspace/cli/grid.h"
#include "userspace/cli/workload.h"

/**
 * struct sweep - what is to be done
 * @base: the cluster file
 * @grid: what is changed in it
 * @work: what is predicted of each point
 * @json: a line is a JSON object, not CSV
 * @first: the first point that is ours
 * @step: every so manieth is: others do the rest
 * @points: how many are ours
 */
struct sweep {
	struct suo_base			base;
	struct suo_grid			grid;
	struct suo_workload_opts	work;
	bool				json;
	uint64_t			first;
	uint64_t			step;
	uint64_t			points;
};

/* Lines of a point, the same number for each. */
unsigned int sweep_lines(const struct sweep *sweep);

/* The heading line, without its end; empty for JSON. */
void sweep_put_header(const struct sweep *sweep, FILE *out);

/* What each line of our n-th point begins with. */
void sweep_put_prefix(const struct sweep *sweep, uint64_t n, FILE *out);

/* Predict our n-th point. Return: whether its cluster is possible. */
bool sweep_put_point(const struct sweep *sweep, uint64_t n, FILE *out);

/**
 * sweep_run() - predict points, in several processes
 * @sweep: what
 * @from: the first of ours that is not done yet
 * @jobs: processes
 * @out: where lines go, in the order of points; always whole points
 * @refused: how many points were not possible
 *
 * Return: a status. SIGINT, SIGTERM and SIGHUP end it after a whole
 * point.
 */
int sweep_run(const struct sweep *sweep, uint64_t from, unsigned int jobs,
	      FILE *out, uint64_t *refused);

#endif /* SUO_CLI_SWEEP_H */
