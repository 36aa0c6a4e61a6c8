// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The software profiles that a cluster file can name. */
#include <stddef.h>
#include <string.h>

#include "model/analytic/nccl.h"
#include "model/cluster/software.h"
#include "model/cluster/software_file.h"

static suo_software_reader read_file;

void suo_software_set_reader(suo_software_reader reader)
{
	read_file = reader;
}

suo_software_reader suo_software_get_reader(void)
{
	return read_file;
}

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

bool suo_software_same(const struct suo_software *a, const struct suo_software *b)
{
	const struct suo_nccl *x = a->nccl, *y = b->nccl;

	if (x == y)
		return true;
	return x && y && x->gpu == y->gpu && x->transport == y->transport &&
	       !memcmp(x->k, y->k, sizeof(*x->k));
}
