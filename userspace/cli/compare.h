/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* suo compare: two clusters, and the sheets that set them side by side. */
#ifndef SUO_CLI_COMPARE_H
#define SUO_CLI_COMPARE_H

#include "userspace/cli/sheet.h"
#include "userspace/cli/variant.h"
#include "userspace/cli/workload.h"

/**
 * struct contender - one of the two clusters
 * @base: its file
 * @cluster: as the file has it
 * @letter: "A" or "B"
 */
struct contender {
	struct suo_base		base;
	struct suo_cluster	*cluster;
	const char		*letter;
};

/**
 * struct contest - what is compared
 * @side: A and B
 * @work: collectives, sizes and ranks
 * @jitter_us: deviation of a rank's step, for stragglers
 */
struct contest {
	struct contender		side[2];
	struct suo_workload_opts	work;
	double				jitter_us;
};

/**
 * contender_at() - the cluster with so many accelerators
 * @side: the cluster
 * @ranks: wanted; whole domains of them are taken, or a part of one
 * @p: ready to predict
 * @cluster: to be freed with suo_cluster_free()
 *
 * Where the file's network has no room, a fat-tree of its switches is tried. Return:
 * whether there is such a cluster.
 */
bool contender_at(const struct contender *side, uint32_t ranks,
		  struct suo_predictor *p, struct suo_cluster **cluster);

/**
 * struct pair - both clusters with the same number of accelerators
 * @p: ready to predict
 * @cluster: NULL where there is none
 */
struct pair {
	struct suo_predictor	p[2];
	struct suo_cluster	*cluster[2];
};

void pair_open(const struct contest *contest, uint32_t ranks, struct pair *pair);
void pair_close(struct pair *pair);

/* Are both there, with something to talk to? */
bool pair_has_peers(const struct pair *pair);

/* Each returns a sheet. Bytes and nanoseconds of single links: */
json_t *compare_efficiency(const struct contest *contest);
json_t *compare_latency(const struct contest *contest);
json_t *compare_lossless(const struct contest *contest);
json_t *compare_pauses(const struct contest *contest);
json_t *compare_dcqcn(const struct contest *contest);
json_t *compare_goodput(const struct contest *contest);

/* Collectives: */
json_t *compare_collectives(const struct contest *contest);
json_t *compare_floor(const struct contest *contest);
json_t *compare_in_network(const struct contest *contest);

/* Chance: */
json_t *compare_balance(const struct contest *contest);
json_t *compare_stragglers(const struct contest *contest);

/* What the answer rests on, and what would turn it: */
json_t *compare_inputs(const struct contest *contest);
json_t *compare_flip(const struct contest *contest);

#endif /* SUO_CLI_COMPARE_H */
