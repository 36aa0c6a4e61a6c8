// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Apart from the rest, as the kernel's types of these headers are not those of core/. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "userspace/switch/tap.h"

/* As ip of Debian has it */
#define NETNS_DIR	"/run/netns/"

static int attach(const char *name, const char **where)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd, ret;

	*where = "/dev/net/tun";
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
	if (ioctl(fd, TUNSETIFF, &ifr)) {
		ret = -errno;
		*where = "no TAP of this name";
		close(fd);
		return ret;
	}
	return fd;
}

int swd_tap(const char *name, const char *netns, const char **where)
{
	int here, there, ret;
	char path[128];

	if (!netns)
		return attach(name, where);

	*where = "/proc/self/ns/net";
	here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (here < 0)
		return -errno;
	*where = "no such network namespace";
	snprintf(path, sizeof(path), NETNS_DIR "%s", netns);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (there < 0) {
		ret = -errno;
		goto no_netns;
	}
	if (setns(there, CLONE_NEWNET)) {
		ret = -errno;
		goto no_setns;
	}
	ret = attach(name, where);
	if (setns(here, CLONE_NEWNET)) {
		/* Nothing would work from the wrong place. */
		fprintf(stderr, "Error: no way back from %s\n", path);
		exit(EXIT_FAILURE);
	}
no_setns:
	close(there);
no_netns:
	close(here);
	return ret;
}
