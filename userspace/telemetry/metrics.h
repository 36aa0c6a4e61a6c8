/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A snapshot in the text format of Prometheus. */
#ifndef SUO_TELEMETRY_METRICS_H
#define SUO_TELEMETRY_METRICS_H

#include "userspace/telemetry/snapshot.h"

/**
 * suo_metrics() - all counters, in base units
 * @snap: the snapshot
 * @len: of the text
 *
 * Exposition format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * Return: the text, to be freed; NULL: not enough memory.
 */
char *suo_metrics(const struct suo_snapshot *snap, size_t *len);

#endif /* SUO_TELEMETRY_METRICS_H */
