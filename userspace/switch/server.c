// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "userspace/switch/server.h"

#define PAUSE_S		1.0
#define MAX_DRAIN	16

static void on_io(struct ev_loop *loop, ev_io *w, int events);

static void let_go(struct swd_client *client)
{
	struct swd_server *server = client->server;
	struct swd_client **at = &server->first;

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	server->clients--;
	ev_io_stop(server->loop, &client->io);
	ev_clear_pending(server->loop, &client->io);
	ev_timer_stop(server->loop, &client->idle);
	close(client->fd);
	free(client->in);
	free(client->out);
	free(client);
}

/* Wait for what the client is to do next. */
static void wait_for(struct swd_client *client, int events)
{
	struct ev_loop *loop = client->server->loop;

	ev_io_stop(loop, &client->io);
	ev_io_set(&client->io, client->fd, events);
	ev_io_start(loop, &client->io);
}

void swd_client_answer(struct swd_client *client, char *text, size_t len, bool last)
{
	free(client->out);
	client->out = text;
	client->out_len = text ? len : 0;
	client->out_done = 0;
	client->last |= last || !text;
	/* From a request to the next one, however slowly it comes or is read. */
	ev_timer_again(client->server->loop, &client->idle);
}

static void refuse(struct swd_client *client, bool too_long)
{
	const char *text = client->server->ops->refuse(too_long);
	char *copy = strdup(text);

	swd_client_answer(client, copy, strlen(text), true);
}

/* Return: false when the client is gone. */
static bool send_answer(struct swd_client *client)
{
	while (client->out_done < client->out_len) {
		ssize_t n = send(client->fd, client->out + client->out_done,
				 client->out_len - client->out_done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			wait_for(client, EV_WRITE);
			return true;
		}
		if (n < 0) {
			let_go(client);
			return false;
		}
		client->out_done += n;
	}
	free(client->out);
	client->out = NULL;
	client->out_len = 0;
	client->out_done = 0;
	if (client->last) {
		/*
		 * What has come and was not read would turn the end of the connection
		 * into a reset, and the answer might not be seen.
		 */
		shutdown(client->fd, SHUT_WR);
		for (int i = 0; i < MAX_DRAIN; i++)
			if (recv(client->fd, client->in,
				 client->server->ops->max_request, MSG_DONTWAIT) <= 0)
				break;
		let_go(client);
		return false;
	}
	return true;
}

/*
 * One request of those that have come. The rest waits until the loop has come round and
 * the next answer can be sent, so that a client with many requests does not keep others,
 * or frames, from their turn: an event that is fed to libev here would be dealt with
 * before all of them.
 */
static void serve(struct swd_client *client)
{
	const struct swd_server_ops *ops = client->server->ops;
	size_t used = ops->request(client, client->in, client->in_len);

	client->in_len -= used;
	memmove(client->in, client->in + used, client->in_len);
	if (!used && client->in_len == ops->max_request)
		refuse(client, true);
	if (!used && !client->out_len && client->ended) {
		let_go(client);
		return;
	}
	if ((client->out_len || client->last) && !send_answer(client))
		return;
	if (client->out_len)
		return;
	if (client->ended && !client->in_len) {
		let_go(client);
		return;
	}
	if (used && client->in_len)
		wait_for(client, EV_WRITE);
	else if (client->ended)
		let_go(client);
	else
		wait_for(client, EV_READ);
}

static void on_io(struct ev_loop *loop, ev_io *w, int events)
{
	struct swd_client *client = w->data;
	size_t room = client->server->ops->max_request - client->in_len;
	ssize_t n;

	if (client->out_len) {
		if (send_answer(client) && !client->out_len)
			serve(client);
		return;
	}
	if (events & EV_READ && !client->ended && room) {
		n = recv(client->fd, client->in + client->in_len, room, 0);
		if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n < 0) {
			let_go(client);
			return;
		}
		client->ended = !n;
		client->in_len += n;
	}
	serve(client);
}

static void on_idle(struct ev_loop *loop, ev_timer *w, int events)
{
	let_go(w->data);
}

static void take(struct swd_server *server, int fd)
{
	struct swd_client *client = calloc(1, sizeof(*client));

	if (!client)
		goto err_client;
	client->in = malloc(server->ops->max_request);
	if (!client->in)
		goto err_in;
	client->server = server;
	client->fd = fd;
	client->next = server->first;
	server->first = client;
	server->clients++;
	ev_io_init(&client->io, on_io, fd, EV_READ);
	ev_set_priority(&client->io, EV_MINPRI);
	client->io.data = client;
	ev_init(&client->idle, on_idle);
	ev_set_priority(&client->idle, EV_MINPRI);
	client->idle.repeat = server->ops->idle_s;
	client->idle.data = client;
	ev_timer_again(server->loop, &client->idle);
	if (server->clients > server->ops->max_clients) {
		refuse(client, false);
		if (!send_answer(client))
			return;
	}
	wait_for(client, client->out_len ? EV_WRITE : EV_READ);
	return;

err_in:
	free(client);
err_client:
	close(fd);
}

static void on_pause_end(struct ev_loop *loop, ev_timer *w, int events)
{
	struct swd_server *server = w->data;

	ev_io_start(loop, &server->listener);
}

static void on_client(struct ev_loop *loop, ev_io *w, int events)
{
	struct swd_server *server = w->data;
	int fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0) {
		take(server, fd);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
		   errno == ENOBUFS) {
		/* It stays readable: do not spin until there is room again. */
		ev_io_stop(loop, w);
		ev_timer_set(&server->pause, PAUSE_S, 0);
		ev_timer_start(loop, &server->pause);
	}
}

void swd_server_start(struct swd_server *server, struct ev_loop *loop,
		      const struct swd_server_ops *ops, void *owner, int fd)
{
	*server = (struct swd_server){
		.ops = ops,
		.owner = owner,
		.loop = loop,
		.fd = fd,
	};
	ev_io_init(&server->listener, on_client, fd, EV_READ);
	ev_set_priority(&server->listener, EV_MINPRI);
	server->listener.data = server;
	ev_init(&server->pause, on_pause_end);
	server->pause.data = server;
	ev_io_start(loop, &server->listener);
}

void swd_server_stop(struct swd_server *server)
{
	while (server->first)
		let_go(server->first);
	ev_timer_stop(server->loop, &server->pause);
	ev_io_stop(server->loop, &server->listener);
	close(server->fd);
}
