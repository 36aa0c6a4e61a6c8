/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many switches a network takes, and whether those of the file are enough. */
#ifndef SUO_CLUSTER_FABRIC_FIT_H
#define SUO_CLUSTER_FABRIC_FIT_H

#include "model/cluster/load.h"

/**
 * struct suo_tier_load - a tier while it is read
 * @path: of its keys
 * @raw: its text
 * @tier: what it comes to
 * @level: from 0, the one that NICs are on
 * @any_radix: neither a chip nor a number of ports is given
 */
struct suo_tier_load {
	char				path[48];
	const struct suo_raw_tier	*raw;
	struct suo_tier			*tier;
	uint32_t			level;
	bool				any_radix;
};

/* The path of a key of a tier, until the next call. */
const char *suo_tier_key(const struct suo_tier_load *t, const char *key);

/**
 * suo_fabric_fit() - count the switches of each tier and share out their ports
 * @load: the file
 * @t: its tiers, lowest first; rates, radix, and what the file gives of count and
 *	oversubscription (0: nothing) are set
 * @n: number of tiers
 *
 * A switch of R ports, oversubscribed by o, has R o / (1 + o) of them below and as
 * many above as make it o. What is given and does not fit is told.
 */
void suo_fabric_fit(struct suo_load *load, struct suo_tier_load *t, uint32_t n);

#endif /* SUO_CLUSTER_FABRIC_FIT_H */
