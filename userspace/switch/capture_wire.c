// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "userspace/switch/capture.h"
#include "userspace/switch/capture_wire.h"

/**
 * struct captures - s->capture
 * @files: of all ports
 * @base: by switch: number of its first port
 */
struct captures {
	struct swd_capture	files;
	u32			*base;
};

/* struct swd_hooks */
static void capture(struct swd *s, struct swd_link *link, u32 dir, bool arrives,
		    const u8 *data, u32 len, u64 at_ps)
{
	const struct swd_end *end = &link->end[arrives ? !dir : dir];
	struct captures *captures = s->capture;

	if (!end->endpoint)
		swd_capture_frame(&captures->files, captures->base[end->node] + end->port,
				  data, len, at_ps);
}

/* Return: 0, or -errno after a message. */
static int open_port(struct swd *s, const char *dir, const char *list, u32 node, u32 port,
		     u64 *used)
{
	const struct swd_if *ifp = &s->node[node].ifs[port];
	struct captures *captures = s->capture;
	char name[2 * SWD_NAME_ROOM], why[SWD_CAPTURE_WHY];

	snprintf(name, sizeof(name), "%s:%s", s->node[node].name, ifp->name);
	if (!swd_capture_wants(list, s->node[node].name, name, ifp->peer, used))
		return 0;
	if (swd_capture_open(&captures->files, captures->base[node] + port, dir, name, why))
		return swd_error(-EIO, "--capture: %s", why);
	return 0;
}

/* Every entry of the list has to name something. */
static int check_used(const char *list, u64 used)
{
	for (u32 i = 0; list; i++) {
		size_t len = strcspn(list, ",");

		if (i >= 64)
			return swd_error(-EINVAL, "--capture: at most 64 names; no list: all ports");
		if (!(used >> i & 1))
			return swd_error(-EINVAL, "--capture: '%.*s' is no port, no switch and no NIC; see: suo-switch --print",
					 (int)len, list);
		list = list[len] ? list + len + 1 : NULL;
	}
	return 0;
}

static int open_all(struct swd *s, const char *dir, const char *list)
{
	u64 used = 0;
	int ret = 0;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return swd_error(-errno, "--capture: %s: %s", dir, strerror(errno));
	for (u32 i = 0; i < s->nodes && !ret; i++)
		for (u32 p = 0; p < s->node[i].sw->nports && !ret; p++)
			ret = open_port(s, dir, list, i, p, &used);
	return ret ? ret : check_used(list, used);
}

int swd_capture_start(struct swd *s)
{
	struct captures *captures;
	char *dir, *list;
	u32 ports = 0;
	int ret;

	if (!s->opts.capture)
		return 0;
	dir = strdup(s->opts.capture);
	captures = calloc(1, sizeof(*captures));
	s->capture = captures;
	if (!dir || !captures)
		goto no_memory;
	captures->base = calloc(s->nodes + 1, sizeof(*captures->base));
	if (!captures->base)
		goto no_memory;
	for (u32 i = 0; i < s->nodes; i++) {
		captures->base[i] = ports;
		ports += s->node[i].sw->nports;
	}
	if (swd_capture_init(&captures->files, ports))
		goto no_memory;
	list = strchr(dir, ':');
	if (list)
		*list++ = '\0';
	ret = open_all(s, dir, list);
	if (!ret)
		s->hooks.capture = capture;
	free(dir);
	return ret;
no_memory:
	free(dir);
	return swd_error(-ENOMEM, "not enough memory");
}

void swd_capture_stop(struct swd *s)
{
	struct captures *captures = s->capture;
	char why[SWD_CAPTURE_WHY];

	if (!captures)
		return;
	s->hooks.capture = NULL;
	if (swd_capture_close(&captures->files, why))
		swd_error(-EIO, "--capture: %s", why);
	free(captures->base);
	free(captures);
	s->capture = NULL;
}
