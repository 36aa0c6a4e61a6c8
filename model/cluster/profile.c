// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looking things up in the catalogue, whose figures are in profile_*.c. */
#include <stddef.h>
#include <string.h>

#include "model/cluster/figures.h"
#include "model/cluster/upfield.h"

static const struct suo_profile *const files[] = {
	suo_profiles_nvlink,
	suo_profiles_ualink,
	suo_profiles_xgmi,
	suo_profiles_cxl,
	suo_profiles_ethernet,
	suo_profiles_roce,
};

const struct suo_profile *suo_profile_get(unsigned int i)
{
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
		for (const struct suo_profile *p = files[f]; p->name; p++)
			if (!i--)
				return p;
	return NULL;
}

const struct suo_profile *suo_profile_find(const char *name)
{
	const struct suo_profile *p;

	for (unsigned int i = 0; (p = suo_profile_get(i)); i++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

uint64_t suo_profile_latency_ps(const struct suo_profile *profile)
{
	struct suo_link_law law;

	suo_up_law(profile, &law);
	return suo_link_latency_ps(&law);
}

const char *suo_profile_candidate(unsigned int i, const void *arg)
{
	const struct suo_profile *p;

	for (unsigned int n = 0; (p = suo_profile_get(n)); n++)
		if ((!arg || suo_profile_is_out(p)) && !i--)
			return p->name;
	return NULL;
}

const char *suo_provenance_name(enum suo_provenance provenance)
{
	static const char *const names[] = {
		[SUO_SPEC]	= "spec",
		[SUO_MEASURED]	= "measured",
		[SUO_ASSUMED]	= "assumed",
	};

	return names[provenance];
}
