// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dgram:LOCAL,REMOTE: a frame is a datagram; what is sent to LOCAL comes in, what goes out
 * is sent to REMOTE. QEMU's end is
 * -netdev dgram,local.type=unix,local.path=REMOTE,remote.type=unix,remote.path=LOCAL
 *
 * Two sockets: one that anybody may send to, so that a peer that was started again can,
 * and one that is connected, so that poll() tells when the peer's queue has room.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "userspace/switch/port.h"

struct dgram {
	char	*local;
	char	*remote;
	int	in;
	int	out;
};

static void reconnect(struct dgram *d)
{
	struct sockaddr_un addr;

	/* Without success the next frame is lost, as on a cable with nothing at its end. */
	if (!swd_path_put(&addr, d->remote))
		connect(d->out, (struct sockaddr *)&addr, sizeof(addr));
}

static int split(struct swd_port *port, struct dgram *d)
{
	const char *comma = strchr(port->spec, ',');
	struct sockaddr_un addr;

	if (!comma || comma == port->spec || !comma[1])
		return swd_error(-EINVAL, "endpoint %u: '%s' is not LOCAL,REMOTE", port->id,
				 port->spec);
	d->local = strndup(port->spec, comma - port->spec);
	d->remote = strdup(comma + 1);
	if (!d->local || !d->remote)
		return swd_error(-ENOMEM, "not enough memory");
	if (swd_path_put(&addr, d->remote))
		return swd_port_error(port, -ENAMETOOLONG, d->remote);
	return 0;
}

static void dgram_close(struct swd_port *port)
{
	struct dgram *d = port->state;

	swd_port_down(port);
	if (!d)
		return;
	if (d->in >= 0) {
		close(d->in);
		swd_path_remove(d->local);
	}
	if (d->out >= 0)
		close(d->out);
	free(d->local);
	free(d->remote);
	free(d);
	port->state = NULL;
}

static int dgram_open(struct swd_port *port)
{
	struct dgram *d = calloc(1, sizeof(*d));
	int ret, in;

	if (!d)
		return swd_error(-ENOMEM, "not enough memory");
	d->in = -1;
	d->out = -1;
	port->state = d;
	ret = split(port, d);
	if (ret)
		return ret;
	in = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (in < 0)
		return swd_port_error(port, -errno, "no socket");
	ret = swd_path_bind(in, d->local);
	if (ret) {
		close(in);
		return swd_port_error(port, ret, d->local);
	}
	d->in = in;
	d->out = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (d->out < 0)
		return swd_port_error(port, -errno, "no socket");
	reconnect(d);
	swd_port_up(port, d->in, d->out);
	return 0;
}

static ssize_t dgram_read(struct swd_port *port, u8 *data, size_t room)
{
	ssize_t n;

	do {
		n = recv(port->fd, data, room, MSG_TRUNC);
	} while (!n);
	if (n < 0)
		return 0;
	return (size_t)n > room ? -EMSGSIZE : n;
}

static int dgram_write(struct swd_port *port, const u8 *data, size_t len)
{
	struct dgram *d = port->state;

	for (u32 tries = 0; tries < 2; tries++) {
		if (send(d->out, data, len, MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno == EAGAIN || errno == ENOBUFS)
			return -EAGAIN;
		/* The peer has gone; another may be there by now. */
		reconnect(d);
	}
	return -ENOTCONN;
}

const struct swd_port_ops swd_port_dgram = {
	.name	= "dgram",
	.open	= dgram_open,
	.close	= dgram_close,
	.read	= dgram_read,
	.write	= dgram_write,
};
