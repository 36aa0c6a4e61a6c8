// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/telemetry_helper.h"

#define PORTS	2

u64 fake_now_ps;
char fake_said[4096];

static struct swd_timer *armed;

/* What the rest of the process has. */

u64 swd_clock_ps(struct swd *s)
{
	return fake_now_ps;
}

void swd_timer_at(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	timer->at_ps = at_ps;
	armed = timer;
}

void swd_timer_stop(struct swd *s, struct swd_timer *timer)
{
	timer->at_ps = U64_MAX;
	if (armed == timer)
		armed = NULL;
}

u64 swd_pfc_tx_ps(const struct swd *s, u32 node, u32 port, u32 prio)
{
	return s->node[node].ifs[port].prio[prio].pfc_tx_ps;
}

u64 swd_pfc_rx_ps(const struct swd *s, u32 node, u32 port, u32 prio)
{
	return s->node[node].ifs[port].prio[prio].pfc_rx_ps;
}

int swd_error(int ret, const char *fmt, ...)
{
	size_t len = strlen(fake_said);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(fake_said + len, sizeof(fake_said) - len, fmt, ap);
	va_end(ap);
	return ret;
}

u64 fake_timer_at(void)
{
	return armed ? armed->at_ps : U64_MAX;
}

void fake_timer_run(struct swd *s)
{
	struct swd_timer *timer = armed;

	assert_non_null(timer);
	fake_now_ps = timer->at_ps;
	armed = NULL;
	timer->at_ps = U64_MAX;
	timer->fn(s, timer, fake_now_ps);
}

struct swd *fake_switch(void)
{
	struct swd *s = calloc(1, sizeof(*s));
	struct suo_switch *sw;

	assert_non_null(s);
	s->timer_fd = -1;
	s->clock.scale = 16;
	s->nodes = 1;
	s->node = calloc(1, sizeof(*s->node));
	s->links = PORTS;
	s->link = calloc(PORTS, sizeof(*s->link));
	s->ports = PORTS;
	s->port = calloc(PORTS, sizeof(*s->port));
	s->cluster = calloc(1, sizeof(*s->cluster));
	assert_non_null(s->node);
	assert_non_null(s->link);
	assert_non_null(s->port);
	assert_non_null(s->cluster);
	s->cluster->name = "fake";
	s->config.seed = 7;
	s->config.sw.class[3].pfc.headroom_bytes = 90112;
	s->config.sw.class[3].ecn = true;

	sw = calloc(1, sizeof(*sw));
	assert_non_null(sw);
	sw->nports = PORTS;
	/* Ports are cache lines. */
	sw->port = aligned_alloc(SUO_CACHE_LINE, PORTS * sizeof(*sw->port));
	sw->pool.size_bytes = 1000000;
	s->node[0].sw = sw;
	strcpy(s->node[0].name, "leaf0");
	s->node[0].tier = "leaf";
	s->node[0].ifs = calloc(PORTS, sizeof(*s->node[0].ifs));
	assert_non_null(sw->port);
	memset(sw->port, 0, PORTS * sizeof(*sw->port));
	assert_non_null(s->node[0].ifs);
	for (u32 i = 0; i < PORTS; i++) {
		struct swd_if *ifs = &s->node[0].ifs[i];
		struct swd_link *link = &s->link[i];

		sw->port[i].rate_mbps = 400000;
		snprintf(ifs->name, sizeof(ifs->name), "Ethernet%u", 4 * i);
		snprintf(ifs->peer, sizeof(ifs->peer), "h%u:nic0", i);
		ifs->link = link;
		ifs->side = 1;
		link->id = i;
		link->end[0] = (struct swd_end){ .endpoint = true, .node = i };
		link->end[1] = (struct swd_end){ .port = i };
		snprintf(link->name, sizeof(link->name), "h%u:nic0-leaf0:%s", i, ifs->name);
		snprintf(link->end_name[0], sizeof(link->end_name[0]), "h%u:nic0", i);
		snprintf(link->end_name[1], sizeof(link->end_name[1]), "leaf0:%s",
			 ifs->name);
		s->port[i].fd = 0;
	}
	return s;
}

void fake_switch_free(struct swd *s)
{
	free(s->node[0].ifs);
	free(s->node[0].sw->port);
	free(s->node[0].sw);
	free(s->cluster);
	free(s->port);
	free(s->link);
	free(s->node);
	free(s);
}

static void end(struct ev_loop *loop, ev_signal *watcher, int events)
{
	ev_break(loop, EVBREAK_ALL);
}

int start_serving(struct swd *s, int (*start)(struct swd *s), void (*stop)(struct swd *s))
{
	int ready[2], ret;
	char c = 1;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		ev_signal term;

		close(ready[0]);
		s->loop = ev_default_loop(0);
		ev_signal_init(&term, end, SIGTERM);
		ev_signal_start(s->loop, &term);
		ret = start(s);
		if (ret)
			fprintf(stderr, "%s\n", fake_said);
		else if (write(ready[1], &c, 1) == 1)
			ev_run(s->loop, 0);
		stop(s);
		_exit(ret ? 1 : 0);
	}
	close(ready[1]);
	/* Nothing to read: it has ended. */
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

void stop_serving(int pid)
{
	int status;

	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}
