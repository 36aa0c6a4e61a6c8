// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "userspace/switch/opts.h"

static void print(const struct swd *s)
{
	for (u32 i = 0; i < s->nodes; i++)
		printf("switch %s %u ports\n", s->node[i].name, s->node[i].sw->nports);
	for (u32 i = 0; i < s->links; i++)
		printf("link %s %llu ps\n", s->link[i].name,
		       (unsigned long long)s->link[i].hop_ps);
}

int main(int argc, char **argv)
{
	struct swd *s = calloc(1, sizeof(*s));
	int status = EXIT_FAILURE, ret;

	if (!s)
		return swd_error(EXIT_FAILURE, "not enough memory");
	swd_opts_parse(&s->opts, argc, argv);
	ret = suo_cluster_load(s->opts.cluster, stderr, &s->cluster);
	if (ret) {
		if (ret == -ENOMEM)
			swd_error(ret, "not enough memory");
		goto no_cluster;
	}
	ret = swd_net_init(s);
	if (!ret)
		print(s);
	swd_net_free(s);
	suo_cluster_free(s->cluster);
no_cluster:
	if (!ret)
		status = EXIT_SUCCESS;
	else if (ret == -EINVAL)
		status = SWD_EXIT_USAGE;
	swd_opts_free(&s->opts);
	free(s);
	return status;
}
