/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A cluster as the user describes it. Documentation/cluster-file.rst. */
#ifndef SUO_CLUSTER_H
#define SUO_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/cluster/fabric.h"
#include "model/cluster/policy.h"
#include "model/cluster/profile.h"
#include "model/cluster/software.h"
#include "model/core/link.h"

struct suo_software_file;

/* So many accelerators can be predicted; the lab has SUO_PLAN_MAX_RANKS. */
#define SUO_CLUSTER_MAX_ACCELS	(1u << 20)

/**
 * struct suo_cluster_out - the scale-out network as one NIC sees it
 * @profile: the profile it began as
 * @nic: the NIC, or NULL
 * @host_nics: NICs of a host; fewer than accelerators share them
 * @rate_mbps: raw line rate of a NIC, Mb/s
 * @endpoint_ps: latency of both NICs together, picoseconds
 * @latency_ps: one way, wire, switches and NICs, over the longest path,
 *	picoseconds
 * @latency_given: the file has it as a whole: every path is as long
 * @mtu_bytes: RoCE path MTU
 * @fabric: switches and cables
 * @congestion: what happens when more is sent than a link can carry
 * @policy: what switches do with each priority
 */
struct suo_cluster_out {
	const struct suo_profile	*profile;
	const struct suo_part		*nic;
	uint32_t			host_nics;
	uint64_t			rate_mbps;
	uint64_t			endpoint_ps;
	uint64_t			latency_ps;
	bool				latency_given;
	uint32_t			mtu_bytes;
	struct suo_fabric		fabric;
	struct suo_congestion		congestion;
	struct suo_policy		policy;
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

/* What the lab's scale-out packets cross. */
enum suo_lab_fabric {
	SUO_LAB_BRIDGE,		/* a bridge of Linux: as fast as it is */
	SUO_LAB_SWITCH,		/* suo-switch: the cluster's switches */
	SUO_LAB_FABRICS,
};

/* "bridge" or "switch" */
extern const char *const suo_lab_fabric_names[];

/**
 * struct suo_cluster - the whole cluster
 * @name: letters, digits, dots, dashes and underscores
 * @hosts: number of hosts
 * @accels: accelerators of a host
 * @domain_hosts: hosts that share a scale-up domain
 * @up_profile: the profile that the scale-up links began as
 * @up_switch: the switch between them, or NULL: the profile's own
 * @up_cable: the cables to it, or NULL
 * @up_reduce: the switch can reduce
 * @up: the law of an accelerator's scale-up port
 * @out: the scale-out network
 * @software: what the collective library costs
 * @software_file: what @software points into, if its profile is a file; or NULL
 * @lab_fault: why the lab cannot have this cluster, as suo_cluster_load() would
 *	tell it; NULL if it can
 * @time_scale: guest nanoseconds for one modelled nanosecond
 * @time_scale_auto: whether that was left to us
 * @lab_fabric: enum suo_lab_fabric
 * @bench: what is measured
 * @fault: array of nfaults: what goes wrong in the lab's switches, suo-fault(1)
 * @nfaults: number of them
 */
struct suo_cluster {
	char				*name;
	uint32_t			hosts;
	uint32_t			accels;
	uint32_t			domain_hosts;
	const struct suo_profile	*up_profile;
	const struct suo_part		*up_switch;
	const struct suo_part		*up_cable;
	bool				up_reduce;
	struct suo_link_law		up;
	struct suo_cluster_out		out;
	struct suo_software		software;
	struct suo_software_file	*software_file;
	char				*lab_fault;
	uint32_t			time_scale;
	bool				time_scale_auto;
	enum suo_lab_fabric		lab_fabric;
	struct suo_cluster_bench	bench;
	char				**fault;
	uint32_t			nfaults;
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
 * @name: for the messages; files that the text names are beside it
 * @text: the text, not necessarily terminated
 * @size: its bytes
 * @errors: as above
 * @out: as above
 *
 * Return: as above.
 */
int suo_cluster_parse(const char *name, const char *text, size_t size,
		      FILE *errors, struct suo_cluster **out);

/**
 * suo_cluster_parse_beside() - the same of a text that is in no file itself
 * @path: the file that the text is made of; files that the text names are beside it
 * @name: for the messages
 * @text: as above
 * @size: as above
 * @errors: as above
 * @out: as above
 *
 * Return: as above.
 */
int suo_cluster_parse_beside(const char *path, const char *name, const char *text,
			     size_t size, FILE *errors, struct suo_cluster **out);

void suo_cluster_free(struct suo_cluster *cluster);

/* Accelerators of a scale-up domain, and of the whole cluster. */
static inline uint32_t suo_cluster_domain_size(const struct suo_cluster *cluster)
{
	return cluster->accels * cluster->domain_hosts;
}

static inline uint32_t suo_cluster_ranks(const struct suo_cluster *cluster)
{
	return cluster->accels * cluster->hosts;
}

/* Shell assignments for the lab: Documentation/design/contracts.rst. */
void suo_cluster_print_env(const struct suo_cluster *cluster, FILE *out);

#endif /* SUO_CLUSTER_H */
