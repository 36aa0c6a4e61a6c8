// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The software profiles that a cluster file can name. */
#include <stddef.h>
#include <string.h>

#include "model/analytic/nccl.h"
#include "model/cluster/software.h"

static const struct suo_software_profile profiles[] = {
	{ "ideal", "no software: what links and switches allow", NULL },
	{ "nccl-a100", "NCCL 2.29 on A100, fitted to published tables",
	  &suo_nccl_a100 },
	{ "nccl-h100", "NCCL 2.29 on H100 and H200, fitted to published tables",
	  &suo_nccl_h100 },
	{ "nccl-b200", "NCCL 2.29 on B200 to GB300, fitted to published tables",
	  &suo_nccl_b200 },
	{ "rccl-mi355x", "RCCL 2.27 on MI355X, fitted to a published table",
	  &suo_nccl_mi355x },
};

const struct suo_software_profile *suo_software_get(unsigned int i)
{
	return i < sizeof(profiles) / sizeof(profiles[0]) ? &profiles[i] : NULL;
}

const struct suo_software_profile *suo_software_find(const char *name)
{
	const struct suo_software_profile *p;

	for (unsigned int i = 0; (p = suo_software_get(i)); i++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

const char *suo_software_candidate(unsigned int i, const void *arg)
{
	const struct suo_software_profile *p = suo_software_get(i);

	return p ? p->name : NULL;
}
