/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a prediction rests on: each figure of a cluster, and who says so. */
#ifndef SUO_CLUSTER_INPUTS_H
#define SUO_CLUSTER_INPUTS_H

#include "model/cluster/cluster.h"

/* What a figure decides. */
enum suo_input_group {
	SUO_INPUT_UP_RATE,
	SUO_INPUT_UP_LATENCY,
	SUO_INPUT_OUT_RATE,
	SUO_INPUT_OUT_LATENCY,
	SUO_INPUT_OTHER,
	SUO_INPUT_GROUPS,
};

/**
 * struct suo_input - a figure
 * @key: of the cluster file that would change it
 * @value: in the unit that the key names; rates in Mb/s, times in ps
 * @group: enum suo_input_group
 * @weight: how often it counts in its group's latency
 * @given: the cluster file says so, not the catalogue
 * @provenance: of the catalogue's figure
 * @source: what was read, or why it is assumed
 */
struct suo_input {
	char			key[64];
	double			value;
	enum suo_input_group	group;
	double			weight;
	bool			given;
	enum suo_provenance	provenance;
	const char		*source;
};

#define SUO_MAX_INPUTS	96

/* List them. Return: how many; at most SUO_MAX_INPUTS. */
unsigned int suo_cluster_inputs(const struct suo_cluster *cluster,
				struct suo_input in[SUO_MAX_INPUTS]);

/*
 * How far a figure may be off, as a share (one standard deviation). By convention:
 * specification 2 %, measured or given in the file 5 %, assumed 25 %.
 */
double suo_input_sigma(const struct suo_input *in);

/* "spec", "measured", "assumed" or "file". */
const char *suo_input_provenance(const struct suo_input *in);

/* The same for a group as a whole: its figures are off independently of each other. */
double suo_input_group_sigma(const struct suo_input *in, unsigned int n,
			     enum suo_input_group group);

#endif /* SUO_CLUSTER_INPUTS_H */
