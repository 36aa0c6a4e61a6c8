/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading a cluster file: what its parts share. */
#ifndef SUO_CLUSTER_LOAD_H
#define SUO_CLUSTER_LOAD_H

#include "model/cluster/cluster.h"
#include "model/cluster/lint.h"
#include "model/cluster/report.h"
#include "model/cluster/schema.h"
#include "model/cluster/units.h"

/**
 * struct suo_load - a cluster file while it is read
 * @report: where its faults are told
 * @marks: where its keys stand
 * @raw: its text, by key
 * @cluster: what it comes to
 */
struct suo_load {
	struct suo_report	report;
	struct suo_marks	marks;
	struct suo_raw_cluster	*raw;
	struct suo_cluster	*cluster;
};

/* Tell a fault, with the line that the key is on. */
void suo_load_fault(struct suo_load *load, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A value, or what stands in for it when the key is not there. */
uint64_t suo_load_get(struct suo_load *load, const char *key, const char *text,
		      const struct suo_quantity *what, uint64_t otherwise);

/* The profile of that name; out: it must be one of a scale-out network. */
const struct suo_profile *suo_load_profile(struct suo_load *load,
					   const char *key, const char *name,
					   bool out);

/* Everything below scale_up. */
void suo_load_up(struct suo_load *load, const struct suo_raw_up *raw);

#endif /* SUO_CLUSTER_LOAD_H */
