/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parameters of a scale-up port: one table for the catalogue, the cluster file
 * and the lab.
 */
#ifndef SUO_CLUSTER_UPFIELD_H
#define SUO_CLUSTER_UPFIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cluster/profile.h"
#include "model/cluster/units.h"
#include "model/core/link.h"

/**
 * struct suo_up_field - a parameter, besides the rate
 * @name: in struct suo_link_law, struct suo_profile and configfs; in capitals and
 *	with SUO_UP_ before it, in the lab's environment
 * @key: in cluster files, below scale_up
 * @what: what may be written there
 * @words: the values' names, where they are not numbers; or NULL
 * @per_link: a profile's figure is that of a link
 * @is_latency: a part of the latency
 * @law: offset in struct suo_link_law
 * @law_size: bytes there, 4 or 8
 * @figure: offset in struct suo_profile; 0: it is in no profile
 * @raw: offset in struct suo_raw_up
 */
struct suo_up_field {
	const char		*name;
	const char		*key;
	struct suo_quantity	what;
	const char *const	*words;
	bool			per_link;
	bool			is_latency;
	size_t			law;
	size_t			law_size;
	size_t			figure;
	size_t			raw;
};

/* Return: the i-th parameter, NULL past the last one. */
const struct suo_up_field *suo_up_field(unsigned int i);

/* Return: the profile's figure, NULL if profiles have none. */
const struct suo_figure *suo_up_figure(const struct suo_up_field *field,
				       const struct suo_profile *profile);

uint64_t suo_up_get(const struct suo_up_field *field,
		    const struct suo_link_law *law);
void suo_up_set(const struct suo_up_field *field, struct suo_link_law *law,
		uint64_t value);

/* The law of a port with as many links as the profile says. */
void suo_up_law(const struct suo_profile *profile, struct suo_link_law *law);

#endif /* SUO_CLUSTER_UPFIELD_H */
