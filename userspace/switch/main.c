// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/switch/opts.h"
#include "userspace/switch/parts.h"

static int print(const struct swd *s)
{
	for (u32 i = 0; i < s->nodes; i++)
		printf("switch %s %u ports\n", s->node[i].name, s->node[i].sw->nports);
	for (u32 i = 0; i < s->links; i++)
		printf("link %s %llu ps\n", s->link[i].name,
		       (unsigned long long)s->link[i].hop_ps);
	if (fflush(stdout) || ferror(stdout))
		return swd_error(-EIO, "cannot write the output: %s", strerror(errno));
	return 0;
}

static void end(struct ev_loop *loop, ev_signal *watcher, int events)
{
	ev_break(loop, EVBREAK_ALL);
}

static int serve(struct swd *s)
{
	ev_signal term, intr;
	int ret;

	s->loop = ev_default_loop(0);
	if (!s->loop)
		return swd_error(-ENOMEM, "no event loop");
	ev_signal_init(&term, end, SIGTERM);
	ev_signal_init(&intr, end, SIGINT);
	ev_signal_start(s->loop, &term);
	ev_signal_start(s->loop, &intr);
	signal(SIGPIPE, SIG_IGN);

	ret = swd_pool_init(s, s->opts.frames);
	if (!ret)
		ret = swd_parts_start(s);
	if (!ret) {
		/* Who started it waits for this line. */
		printf("suo-switch: %s: %u switches, %u links, %u endpoints\n",
		       s->cluster->name, s->nodes, s->links, s->topo.hosts);
		fflush(stdout);
		ev_run(s->loop, 0);
		if (s->heap.full)
			ret = -ENOMEM;
	}
	swd_parts_stop(s);
	swd_pool_free(s);
	ev_loop_destroy(s->loop);
	return ret;
}

int main(int argc, char **argv)
{
	struct swd *s = calloc(1, sizeof(*s));
	int status = EXIT_FAILURE, ret;

	if (!s)
		return swd_error(EXIT_FAILURE, "not enough memory");
	s->timer_fd = -1;
	swd_opts_parse(&s->opts, argc, argv);
	ret = suo_cluster_load(s->opts.cluster, stderr, &s->cluster);
	if (ret) {
		if (ret == -ENOMEM)
			swd_error(ret, "not enough memory");
		goto no_cluster;
	}
	ret = swd_net_init(s);
	if (ret)
		goto no_net;
	if (s->opts.print)
		ret = print(s);
	else
		ret = serve(s);
no_net:
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
