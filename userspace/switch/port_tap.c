// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tap:NAME[@NETNS]: the TAP of that name, made if there is none, in this network namespace
 * or another, named as by ip-netns(8). The host's end is the TAP itself: what the host
 * sends by it comes to the switch. One that somebody else made stays when the switch ends,
 * without carrier until it comes back.
 */
#include <errno.h>
#include <net/if.h>
#include <unistd.h>

#include "userspace/switch/port.h"
#include "userspace/switch/tap.h"

#define NETNS_NAME_MAX	64

static int tap_open(struct swd_port *port)
{
	const char *at = strchr(port->spec, '@');
	size_t len = at ? (size_t)(at - port->spec) : strlen(port->spec);
	const char *where;
	char name[IFNAMSIZ];
	int fd;

	if (!len || len >= sizeof(name) || (at && (!at[1] || strchr(at, '/') ||
						   strlen(at) > NETNS_NAME_MAX)))
		return swd_error(-EINVAL, "endpoint %u: '%s' is not NAME or NAME@NETNS",
				 port->id, port->spec);
	snprintf(name, sizeof(name), "%.*s", (int)len, port->spec);
	fd = swd_tap(name, at ? at + 1 : NULL, &where);
	if (fd < 0)
		return port->quiet ? fd : swd_error(fd, "endpoint %u: %s: %s: %s", port->id,
						    port->spec, where, strerror(-fd));
	swd_port_up(port, fd, fd);
	return 0;
}

static void tap_close(struct swd_port *port)
{
	int fd = port->fd;

	swd_port_down(port);
	if (fd >= 0)
		close(fd);
}

static ssize_t tap_read(struct swd_port *port, u8 *data, size_t room)
{
	/* What is longer would be cut without a word. */
	ssize_t n = read(port->fd, data, room);

	if (n > 0)
		return (size_t)n == room ? -EMSGSIZE : n;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	/* The interface is down: it says so once for each time it is asked. */
	if (n < 0 && errno == EIO)
		return 0;
	tap_close(port);
	swd_port_retry(port);
	return -ENODEV;
}

static int tap_write(struct swd_port *port, const u8 *data, size_t len)
{
	ssize_t n = write(port->fd, data, len);

	if (n >= 0)
		return 0;
	return errno == EAGAIN ? -EAGAIN : -EIO;
}

const struct swd_port_ops swd_port_tap = {
	.name	= "tap",
	.open	= tap_open,
	.close	= tap_close,
	.read	= tap_read,
	.write	= tap_write,
};
