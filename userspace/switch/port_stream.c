// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stream:PATH: a socket that a peer connects to; a frame comes after its length, four bytes
 * in network order. QEMU's end is -netdev stream,addr.type=unix,addr.path=PATH. Who comes
 * while another is there is turned away.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "userspace/switch/port.h"

#define LENGTH_BYTES	4u
#define IN_ROOM		(8 * (SWD_FRAME_ROOM + LENGTH_BYTES))

/* No frame is as long: what follows is no length. */
#define MAX_LENGTH	(1u << 20)

/**
 * struct stream - a connection
 * @listening: watches the listener
 * @in_at: bytes of @in from here on are to be looked at
 * @in_end: up to here
 * @skip: so many bytes of a frame that is too long are still to come
 * @out_at: bytes of @out from here on the peer has not taken
 * @out_end: up to here
 * @in: bytes that came
 * @out: a frame that was taken in part
 */
struct stream {
	ev_io	listening;
	u32	in_at;
	u32	in_end;
	u32	skip;
	u32	out_at;
	u32	out_end;
	u8	in[IN_ROOM];
	u8	out[SWD_FRAME_ROOM + LENGTH_BYTES];
};

static void hang_up(struct swd_port *port)
{
	int fd = port->fd;

	swd_port_down(port);
	if (fd >= 0)
		close(fd);
}

static void come(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct swd_port *port = watcher->data;
	struct stream *st = port->state;
	int fd = accept4(port->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0) {
		if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS)
			return;
		/* The listener stays readable: do not spin until there is room again. */
		ev_io_stop(loop, watcher);
		swd_port_retry(port);
		return;
	}
	if (port->fd >= 0) {
		close(fd);
		return;
	}
	st->in_at = 0;
	st->in_end = 0;
	st->skip = 0;
	st->out_at = 0;
	st->out_end = 0;
	swd_port_up(port, fd, fd);
}

static void stream_close(struct swd_port *port)
{
	struct stream *st = port->state;

	hang_up(port);
	if (port->listen_fd >= 0) {
		ev_io_stop(port->s->loop, &st->listening);
		close(port->listen_fd);
		port->listen_fd = -1;
		swd_path_remove(port->spec);
	}
	free(st);
	port->state = NULL;
}

static int stream_open(struct swd_port *port)
{
	struct stream *st = port->state;
	int fd, ret;

	/* It has only stopped listening: come(). */
	if (st) {
		ev_io_start(port->s->loop, &st->listening);
		return 0;
	}
	st = calloc(1, sizeof(*st));
	if (!st)
		return swd_error(-ENOMEM, "not enough memory");
	port->state = st;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return swd_port_error(port, -errno, "no socket");
	ret = swd_path_bind(fd, port->spec);
	if (!ret && listen(fd, 4))
		ret = -errno;
	if (ret) {
		close(fd);
		return swd_port_error(port, ret, port->spec);
	}
	port->listen_fd = fd;
	ev_io_init(&st->listening, come, fd, EV_READ);
	st->listening.data = port;
	ev_io_start(port->s->loop, &st->listening);
	return 0;
}

/* Get more bytes behind those that are there. Return: 0 if none came; -errno: gone. */
static ssize_t fill(struct swd_port *port, struct stream *st)
{
	ssize_t n;

	memmove(st->in, st->in + st->in_at, st->in_end - st->in_at);
	st->in_end -= st->in_at;
	st->in_at = 0;
	n = recv(port->fd, st->in + st->in_end, IN_ROOM - st->in_end, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		hang_up(port);
		return -ENOTCONN;
	}
	st->in_end += n;
	return n;
}

static u32 have(const struct stream *st)
{
	return st->in_end - st->in_at;
}

/* Is the next frame there as a whole, or can it never be? *len is what it says it has. */
static bool next_is_there(struct stream *st, size_t room, u32 *len)
{
	u32 n = st->skip < have(st) ? st->skip : have(st);

	st->in_at += n;
	st->skip -= n;
	if (have(st) < LENGTH_BYTES)
		return false;
	memcpy(len, st->in + st->in_at, LENGTH_BYTES);
	*len = ntohl(*len);
	return *len > room || have(st) - LENGTH_BYTES >= *len;
}

static ssize_t stream_read(struct swd_port *port, u8 *data, size_t room)
{
	struct stream *st = port->state;
	ssize_t n;
	u32 len;

	port->more = false;
	do {
		while (!next_is_there(st, room, &len)) {
			n = fill(port, st);
			if (n <= 0)
				return n;
		}
		if (len > MAX_LENGTH) {
			hang_up(port);
			return -EPROTO;
		}
		st->in_at += LENGTH_BYTES;
		if (len > room) {
			st->skip = len;
			n = -EMSGSIZE;
		} else {
			memcpy(data, st->in + st->in_at, len);
			st->in_at += len;
			n = len;
		}
	} while (!n);
	port->more = next_is_there(st, room, &len);
	return n;
}

static int stream_flush(struct swd_port *port)
{
	struct stream *st = port->state;

	while (st->out_at < st->out_end) {
		ssize_t n = send(port->out_fd, st->out + st->out_at,
				 st->out_end - st->out_at, MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? -EAGAIN : -ENOTCONN;
		st->out_at += n;
	}
	return 0;
}

static int stream_write(struct swd_port *port, const u8 *data, size_t len)
{
	struct stream *st = port->state;
	u32 header = htonl(len);
	struct iovec iov[] = {
		{ &header, LENGTH_BYTES },
		{ (void *)data, len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	size_t sent;
	ssize_t n;
	int ret;

	ret = stream_flush(port);
	if (ret)
		return ret;
	n = sendmsg(port->out_fd, &msg, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -ENOTCONN;

	/* A frame that has begun is finished, or the peer would lose step: stream_flush(). */
	sent = n;
	if (sent < LENGTH_BYTES + len) {
		memcpy(st->out, &header, LENGTH_BYTES);
		memcpy(st->out + LENGTH_BYTES, data, len);
		st->out_at = sent;
		st->out_end = LENGTH_BYTES + len;
		ev_io_start(port->s->loop, &port->out);
	}
	return 0;
}

const struct swd_port_ops swd_port_stream = {
	.name	= "stream",
	.open	= stream_open,
	.close	= stream_close,
	.read	= stream_read,
	.write	= stream_write,
	.flush	= stream_flush,
};
