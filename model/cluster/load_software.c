// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The section software of a cluster file. */
#include <string.h>

#include "model/cluster/load.h"

static const struct suo_quantity a_channel_count = { SUO_NUMBER, NULL, 1, 64 };

static const char *const protocol_names[] = { "LL", "LL128", "Simple", NULL };
static const char *const algorithm_names[] = {
	"ring", "tree", "nvls", "nvlstree", NULL
};

static const struct suo_software_profile *
get_profile(struct suo_load *load, const char *name)
{
	const struct suo_software_profile *p = suo_software_find(name);

	if (p)
		return p;
	suo_load_unknown(load, "software.profile", "software profile", name,
			 suo_nearest(name, suo_software_candidate, NULL),
			 "suo profile list");
	return suo_software_get(0);
}

/* The words of a list, a bit each; all of them without a list. */
static uint32_t get_set(struct suo_load *load, const char *key, char **word,
			unsigned int n, const char *const *names, uint32_t all)
{
	uint32_t set = 0;

	for (unsigned int i = 0; i < n; i++)
		set |= 1u << suo_load_word(load, key, word[i], names, 0);
	return n ? set : all;
}

void suo_load_software(struct suo_load *load, const struct suo_raw_software *given)
{
	static const struct suo_raw_software nothing;
	const struct suo_raw_software *raw = given ? given : &nothing;
	struct suo_software *soft = &load->cluster->software;
	const struct suo_software_profile *p;

	p = get_profile(load, raw->profile ? raw->profile : "ideal");
	soft->profile = p->name;
	soft->nccl = p->nccl;
	soft->has_launch = raw->launch_ns;
	soft->launch_ps = suo_load_get(load, "software.launch_ns", raw->launch_ns,
				       &suo_load_latency, 0);
	soft->has_step = raw->step_ns;
	soft->step_ps = suo_load_get(load, "software.step_ns", raw->step_ns,
				     &suo_load_latency, 0);
	soft->channels = suo_load_get(load, "software.channels", raw->channels,
				      &a_channel_count, 0);
	soft->protocols = get_set(load, "software.protocols", raw->protocols,
				  raw->protocols_count, protocol_names,
				  SUO_PROTO_ALL);
	soft->algorithms = get_set(load, "software.algorithms", raw->algorithms,
				   raw->algorithms_count, algorithm_names,
				   SUO_SW_ALL);
	soft->jitter_ps = suo_load_get(load, "software.jitter_ns", raw->jitter_ns,
				       &suo_load_latency, 0);
	soft->reduce_mbps = suo_load_get(load, "software.reduce_bandwidth",
					 raw->reduce_bandwidth, &suo_load_bandwidth, 0);
}
