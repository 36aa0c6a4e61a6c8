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
 * @path: the file that what it names is beside
 * @marks: where its keys stand
 * @raw: its text, by key
 * @cluster: what it comes to
 * @lab: where it is told why the lab cannot have the cluster
 */
struct suo_load {
	struct suo_report	report;
	const char		*path;
	struct suo_report	lab;
	struct suo_marks	marks;
	struct suo_raw_cluster	*raw;
	struct suo_cluster	*cluster;
};

/* Tell a fault, with the line that the key is on. */
void suo_load_fault(struct suo_load *load, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for what only the lab cannot do. */
void suo_load_lab_fault(struct suo_load *load, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A name that is none; meant: what it may have been; list: what lists the names. */
void suo_load_unknown(struct suo_load *load, const char *key, const char *what,
		      const char *name, const char *meant, const char *list);

/* What stands for links and switches: the unit of a bandwidth has to be written. */
extern const struct suo_quantity suo_load_rate;
extern const struct suo_quantity suo_load_bandwidth;
extern const struct suo_quantity suo_load_latency;
extern const struct suo_quantity suo_load_length;

/* A value, or what stands in for it when the key is not there. */
uint64_t suo_load_get(struct suo_load *load, const char *key, const char *text,
		      const struct suo_quantity *what, uint64_t otherwise);

/* The profile of that name; out: it must be one of a scale-out network. */
const struct suo_profile *suo_load_profile(struct suo_load *load,
					   const char *key, const char *name,
					   bool out);

/* The part of that name, which must be of that kind; NULL without a name. */
const struct suo_part *suo_load_part(struct suo_load *load, const char *key,
				     const char *name, enum suo_part_kind kind);

/* A cable may be so long. */
void suo_load_reach(struct suo_load *load, const char *key,
		    const struct suo_part *cable, uint64_t length_mm);

/* The number of a word in a list that ends in NULL. */
uint64_t suo_load_word(struct suo_load *load, const char *key, const char *text,
		       const char *const *words, uint64_t otherwise);

/* Everything below scale_up, scale_out and software. */
void suo_load_up(struct suo_load *load, const struct suo_raw_up *raw);
void suo_load_out(struct suo_load *load, const struct suo_raw_out *raw);
/* Return: 0 or -ENOMEM. */
int suo_load_software(struct suo_load *load, const struct suo_raw_software *raw);

/* Switches and cables; how they cope with more than they can carry. */
void suo_load_fabric(struct suo_load *load, const struct suo_raw_out *raw);
void suo_load_congestion(struct suo_load *load, const struct suo_raw_out *raw);

/* What switches do with priorities; after suo_load_congestion(). */
void suo_load_switch(struct suo_load *load, const struct suo_raw_out *raw);

#endif /* SUO_CLUSTER_LOAD_H */
