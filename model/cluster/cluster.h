/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A cluster as the user describes it. Documentation/cluster-file.rst. */
#ifndef SUO_CLUSTER_H
#define SUO_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/cluster/profile.h"
#include "model/core/link.h"

/**
 * struct suo_cluster_out - the scale-out network as one NIC sees it
 * @profile: the profile it began as
 * @rate_mbps: raw line rate of the NIC, Mb/s
 * @latency_ps: one way, wire, switches and NICs, picoseconds
 * @mtu_bytes: RoCE path MTU
 */
struct suo_cluster_out {
	const struct suo_profile	*profile;
	uint64_t			rate_mbps;
	uint64_t			latency_ps;
	uint32_t			mtu_bytes;
};

/**
 * struct suo_cluster_bench - what is measured
 * @min_bytes: smallest vector of a rank
 * @max_bytes: largest vector of a rank
 * @factor: each vector is so many times as long as the one before
 * @iterations: timed runs of each size
 * @warmup: runs before them
 * @algorithm: array of nalgorithms, names known to suo_plan_allreduce()
 * @nalgorithms: number of them
 */
struct suo_cluster_bench {
	uint64_t	min_bytes;
	uint64_t	max_bytes;
	uint32_t	factor;
	uint32_t	iterations;
	uint32_t	warmup;
	const char	**algorithm;
	uint32_t	nalgorithms;
};

/**
 * struct suo_cluster - the whole cluster
 * @name: letters, digits, dots, dashes and underscores
 * @hosts: number of hosts, each a scale-up domain
 * @accels: accelerators of a host
 * @up_profile: the profile that the scale-up links began as
 * @up: the law of an accelerator's scale-up port
 * @out: the scale-out network
 * @time_scale: guest nanoseconds for one modelled nanosecond
 * @time_scale_auto: whether that was left to us
 * @bench: what is measured
 */
struct suo_cluster {
	char				*name;
	uint32_t			hosts;
	uint32_t			accels;
	const struct suo_profile	*up_profile;
	struct suo_link_law		up;
	struct suo_cluster_out		out;
	uint32_t			time_scale;
	bool				time_scale_auto;
	struct suo_cluster_bench	bench;
};

/**
 * suo_cluster_load() - read and check a cluster file
 * @path: the file
 * @errors: a line for each fault, ``FILE:LINE: key 'KEY': reason``; or NULL
 * @out: the cluster; free it with suo_cluster_free()
 *
 * Return: 0, -EINVAL when the file is faulty or unreadable, -ENOMEM.
 */
int suo_cluster_load(const char *path, FILE *errors, struct suo_cluster **out);

/**
 * suo_cluster_parse() - the same from memory
 * @name: for the messages
 * @text: the text, not necessarily terminated
 * @size: its bytes
 * @errors: as above
 * @out: as above
 *
 * Return: as above.
 */
int suo_cluster_parse(const char *name, const char *text, size_t size,
		      FILE *errors, struct suo_cluster **out);

void suo_cluster_free(struct suo_cluster *cluster);

/* Shell assignments for the lab: Documentation/design/contracts.rst. */
void suo_cluster_print_env(const struct suo_cluster *cluster, FILE *out);

#endif /* SUO_CLUSTER_H */
