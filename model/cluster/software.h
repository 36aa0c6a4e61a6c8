/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What software adds to a collective: the section software of a cluster file. */
#ifndef SUO_CLUSTER_SOFTWARE_H
#define SUO_CLUSTER_SOFTWARE_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of struct suo_software.protocols. */
enum {
	SUO_PROTO_LL		= 1 << 0,
	SUO_PROTO_LL128		= 1 << 1,
	SUO_PROTO_SIMPLE	= 1 << 2,
	SUO_PROTO_ALL		= 7,
};

/* Bits of struct suo_software.algorithms. */
enum {
	SUO_SW_RING		= 1 << 0,
	SUO_SW_TREE		= 1 << 1,
	SUO_SW_NVLS		= 1 << 2,
	SUO_SW_NVLS_TREE	= 1 << 3,
	SUO_SW_ALL		= 15,
};

struct suo_nccl;	/* constants of an NCCL-like library: model/analytic/nccl.h */

/**
 * struct suo_software - what a collective library costs
 * @profile: its name, or that of its file; "ideal": none, software takes no time
 * @nccl: the profile's constants; NULL for "ideal"
 * @has_launch: launch_ps was given in the file, over the profile's
 * @launch_ps: before a collective's first step
 * @has_step: step_ps was given in the file
 * @step_ps: of each step, at each rank
 * @channels: parallel rings or trees; 0: as the profile says
 * @protocols: those that may be chosen
 * @algorithms: likewise
 * @jitter_ps: standard deviation of a rank's time for a step (Gaussian)
 * @reduce_mbps: payload that an accelerator reduces in a second; 0: no limit
 */
struct suo_software {
	const char		*profile;
	const struct suo_nccl	*nccl;
	bool			has_launch;
	uint64_t		launch_ps;
	bool			has_step;
	uint64_t		step_ps;
	uint32_t		channels;
	uint32_t		protocols;
	uint32_t		algorithms;
	uint64_t		jitter_ps;
	uint64_t		reduce_mbps;
};

/* A software profile by the name that cluster files have for it. */
struct suo_software_profile {
	const char		*name;
	const char		*title;
	const struct suo_nccl	*nccl;
};

/* Return: the i-th software profile, NULL past the last one. */
const struct suo_software_profile *suo_software_get(unsigned int i);

/* Return: the profile of that name, NULL if there is none. */
const struct suo_software_profile *suo_software_find(const char *name);

/* Do both have the same library on the same accelerator, with the same constants? */
bool suo_software_same(const struct suo_software *a, const struct suo_software *b);

/* For suo_nearest(). */
const char *suo_software_candidate(unsigned int i, const void *arg);

#endif /* SUO_CLUSTER_SOFTWARE_H */
