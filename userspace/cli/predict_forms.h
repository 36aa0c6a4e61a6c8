/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SUO_CLI_PREDICT_FORMS_H
#define SUO_CLI_PREDICT_FORMS_H

#include "userspace/cli/cli.h"
#include "userspace/cli/workload.h"

/**
 * suo_predict_forms() - print predictions
 * @cluster: the cluster
 * @opts: what for; suo_workload_defaults() was called
 * @json: how
 * @csv: a file to write them to besides, or NULL
 *
 * Return: a status.
 */
int suo_predict_forms(const struct suo_cluster *cluster,
		      const struct suo_workload_opts *opts,
		      const struct suo_json_opts *json, const char *csv);

/* One of them as JSON. */
json_t *suo_prediction_to_json(enum suo_workload work, double bytes,
			       uint32_t ranks, const struct suo_prediction *p);

/* The same as CSV: columns, and a line without its end. */
#define SUO_PREDICTION_COLUMNS	\
	"collective,size_bytes,ranks,time_us,band_low_us,band_high_us,algbw_GBps,busbw_GBps,algorithm,bound,bound_share"

void suo_prediction_put_csv(enum suo_workload work, double bytes, uint32_t ranks,
			    const struct suo_prediction *p, FILE *out);

/* "scale-out NIC 71 %, scale-up latency 22 %" */
void suo_print_bounds(const struct suo_prediction *p, FILE *out);

#endif /* SUO_CLI_PREDICT_FORMS_H */
