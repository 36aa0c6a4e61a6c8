// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is attached to endpoints: options, reading, and what a peer does not take at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "userspace/switch/port.h"

/* Frames read from a port before the others have their turn. */
#define READ_AT_ONCE	64

/* A peer that takes nothing may have so many waiting. */
#define MAX_WAITING	1024u

/* Seconds between two tries to attach again. */
#define TRY_AGAIN	0.5

static const struct swd_port_ops *const kinds[] = {
	&swd_port_tap, &swd_port_dgram, &swd_port_stream,
};

int swd_port_error(const struct swd_port *port, int ret, const char *what)
{
	return swd_error(ret, "endpoint %u: %s: %s", port->id, what, strerror(-ret));
}

static void put_waiting(struct swd_port *port)
{
	while (port->waiting) {
		struct suo_frame *frame = port->waiting;

		port->waiting = frame->next;
		swd_frame_put(port->s, (struct swd_frame *)frame);
	}
	port->waits = 0;
	ev_io_stop(port->s->loop, &port->out);
}

static void count_drop(struct swd_port *port)
{
	struct swd_end *end = &port->s->link[port->id].end[1];

	port->write_drops++;
	port->s->node[end->node].ifs[end->port].out_discards++;
}

/* Return: false if the peer takes no more now. */
static bool give(struct swd_port *port, struct swd_frame *frame)
{
	int ret = port->out_fd < 0 ? -ENOTCONN :
				     port->ops->write(port, frame->data, frame->len);

	if (ret == -EAGAIN)
		return false;
	if (ret)
		count_drop(port);
	swd_frame_put(port->s, frame);
	return true;
}

static void out_ready(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct swd_port *port = watcher->data;

	if (port->ops->flush && port->ops->flush(port) == -EAGAIN)
		return;
	while (port->waiting) {
		struct suo_frame *frame = port->waiting, *next = frame->next;

		if (!give(port, (struct swd_frame *)frame))
			return;
		port->waiting = next;
		port->waits--;
	}
	ev_io_stop(loop, watcher);
}

void swd_port_write(struct swd_port *port, struct swd_frame *frame)
{
	if (!port->ops) {
		count_drop(port);
		swd_frame_put(port->s, frame);
		return;
	}
	if (!port->waiting && give(port, frame))
		return;
	if (port->waits == MAX_WAITING) {
		count_drop(port);
		swd_frame_put(port->s, frame);
		return;
	}
	frame->f.next = NULL;
	if (port->waiting)
		port->waiting_tail->next = &frame->f;
	else
		port->waiting = &frame->f;
	port->waiting_tail = &frame->f;
	port->waits++;
	ev_io_start(port->s->loop, &port->out);
}

static void in_ready(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct swd_port *port = watcher->data;
	struct swd *s = port->s;
	struct swd_end *end = &s->link[port->id].end[1];
	struct swd_if *ifp = &s->node[end->node].ifs[end->port];
	u64 now_ps = swd_clock_ps(s);

	/* What has been read already would not wake the loop again. */
	for (u32 i = 0; i < READ_AT_ONCE || port->more; i++) {
		struct swd_frame *frame = swd_frame_get(s, false);
		ssize_t n;

		/* It is read all the same: the peer would be held up, and with it others. */
		n = port->ops->read(port, frame ? frame->data : s->scratch, SWD_FRAME_ROOM);
		if (n > 0 && frame) {
			frame->len = n;
			swd_came_in(s, port->id, frame, now_ps);
			continue;
		}
		if (frame)
			swd_frame_put(s, frame);
		else if (n > 0)
			ifp->in_discards++;
		else
			s->pool_empty--;
		if (n == -EMSGSIZE)
			ifp->in_oversize++;
		else if (n <= 0)
			return;
	}
}

void swd_port_up(struct swd_port *port, int fd, int out_fd)
{
	struct swd_end *end = &port->s->link[port->id].end[1];

	port->fd = fd;
	port->out_fd = out_fd;
	ev_io_set(&port->in, fd, EV_READ);
	ev_io_set(&port->out, out_fd, EV_WRITE);
	ev_io_start(port->s->loop, &port->in);
	if (port->attached++)
		swd_event(port->s, "port_up", end->node, end->port, SWD_NO_PRIO);
}

void swd_port_down(struct swd_port *port)
{
	struct swd_end *end = &port->s->link[port->id].end[1];

	if (port->fd < 0)
		return;
	put_waiting(port);
	ev_io_stop(port->s->loop, &port->in);
	port->fd = -1;
	port->out_fd = -1;
	swd_event(port->s, "port_down", end->node, end->port, SWD_NO_PRIO);
}

static void try_again(struct ev_loop *loop, ev_timer *watcher, int revents)
{
	struct swd_port *port = watcher->data;

	port->quiet = true;
	if (port->ops->open(port))
		return;
	ev_timer_stop(loop, watcher);
}

void swd_port_retry(struct swd_port *port)
{
	ev_timer_again(port->s->loop, &port->again);
}

static void init_port(struct swd *s, u32 e)
{
	struct swd_port *port = &s->port[e];

	port->s = s;
	port->id = e;
	port->fd = -1;
	port->out_fd = -1;
	port->listen_fd = -1;
	ev_init(&port->in, in_ready);
	ev_init(&port->out, out_ready);
	ev_timer_init(&port->again, try_again, TRY_AGAIN, TRY_AGAIN);
	port->in.data = port;
	port->out.data = port;
	port->again.data = port;
}

/* "E=KIND:WHERE" */
static int set_port(struct swd *s, const char *text)
{
	struct swd_port *port;
	unsigned long e;
	char *at;

	e = strtoul(text, &at, 10);
	if (at == text || *at != '=' || *text < '0' || *text > '9')
		return swd_error(-EINVAL, "--port: '%s' is not E=KIND:WHERE", text);
	if (e >= s->ports)
		return swd_error(-EINVAL, "--port: '%s': endpoints are 0 to %u", text,
				 s->ports - 1);
	port = &s->port[e];
	if (port->ops)
		return swd_error(-EINVAL, "--port: endpoint %lu is given twice", e);
	at++;
	for (u32 i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i]->name);

		if (strncmp(at, kinds[i]->name, len) || at[len] != ':' || !at[len + 1])
			continue;
		port->spec = strdup(at + len + 1);
		if (!port->spec)
			return swd_error(-ENOMEM, "not enough memory");
		port->ops = kinds[i];
		return 0;
	}
	return swd_error(-EINVAL, "--port: '%s': KIND is tap, dgram or stream", text);
}

static int set_taps(struct swd *s)
{
	for (u32 e = 0; e < s->ports; e++) {
		struct swd_port *port = &s->port[e];

		if (port->ops)
			continue;
		if (asprintf(&port->spec, "%s%u", s->opts.tap_prefix, e) < 0)
			return swd_error(-ENOMEM, "not enough memory");
		port->ops = &swd_port_tap;
	}
	return 0;
}

int swd_ports_init(struct swd *s)
{
	int ret = 0;

	s->ports = s->topo.hosts;
	s->port = calloc(s->ports, sizeof(*s->port));
	if (!s->port)
		return swd_error(-ENOMEM, "not enough memory");
	for (u32 e = 0; e < s->ports; e++)
		init_port(s, e);
	for (u32 i = 0; i < s->opts.ports && !ret; i++)
		ret = set_port(s, s->opts.port[i]);
	if (!ret && s->opts.tap_prefix)
		ret = set_taps(s);
	for (u32 e = 0; e < s->ports && !ret; e++)
		if (s->port[e].ops)
			ret = s->port[e].ops->open(&s->port[e]);
	return ret;
}

void swd_ports_free(struct swd *s)
{
	for (u32 e = 0; s->port && e < s->ports; e++) {
		struct swd_port *port = &s->port[e];

		swd_port_down(port);
		ev_timer_stop(s->loop, &port->again);
		if (port->ops)
			port->ops->close(port);
		free(port->spec);
	}
	free(s->port);
	s->port = NULL;
}
