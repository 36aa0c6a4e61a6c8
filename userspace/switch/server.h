/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clients that connect, ask and get an answer: what the control socket and the
 * Prometheus endpoint share. One request of one client is dealt with at a time, and
 * frames go before; who asks too much, too slowly or too long is let go.
 */
#ifndef SWD_SERVER_H
#define SWD_SERVER_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/core/types.h"

struct swd_client;
struct swd_server;

/**
 * struct swd_server_ops - what is served
 * @max_clients: more are turned away
 * @max_request: longest request, bytes
 * @idle_s: a client that does nothing for so long is let go
 * @request: look at what has come. Return: bytes that were dealt with, by
 *	swd_client_answer(); 0: the request is not whole yet.
 * @refuse: a text for a client that is turned away, or whose request is too long
 */
struct swd_server_ops {
	u32		max_clients;
	size_t		max_request;
	double		idle_s;
	size_t		(*request)(struct swd_client *client, const char *data,
				   size_t len);
	const char	*(*refuse)(bool too_long);
};

/**
 * struct swd_client - a client, as the server has it
 * @server: whose
 * @next: of the server's clients
 * @fd: the connection
 * @io: of @fd: what the client is to do next
 * @idle: it is let go then
 * @in: room for ops->max_request bytes
 * @in_len: bytes that have come and were not dealt with
 * @out: the answer that is being sent; NULL: none
 * @out_len: of it
 * @out_done: of these, bytes that have been sent
 * @last: let go after this answer
 * @ended: it will not ask any more
 */
struct swd_client {
	struct swd_server	*server;
	struct swd_client	*next;
	int			fd;
	ev_io			io;
	ev_timer		idle;
	char			*in;
	size_t			in_len;
	char			*out;
	size_t			out_len;
	size_t			out_done;
	bool			last;
	bool			ended;
};

/**
 * struct swd_server - who listens
 * @ops: what is served
 * @owner: up to the owner
 * @loop: libev's
 * @fd: of the listener
 * @listener: of it
 * @pause: until it listens again, after file descriptors had run out
 * @first: the clients
 * @clients: how many
 */
struct swd_server {
	const struct swd_server_ops	*ops;
	void				*owner;
	struct ev_loop			*loop;
	int				fd;
	ev_io				listener;
	ev_timer			pause;
	struct swd_client		*first;
	u32				clients;
};

/* Serve a socket that listens and does not block. */
void swd_server_start(struct swd_server *server, struct ev_loop *loop,
		      const struct swd_server_ops *ops, void *owner, int fd);

/* Let all clients go and close the socket. */
void swd_server_stop(struct swd_server *server);

/**
 * swd_client_answer() - the answer to a request
 * @client: who asked
 * @text: becomes the server's, which frees it; NULL: there was no memory, so that the
 *	client is let go
 * @len: of @text
 * @last: let it go then
 */
void swd_client_answer(struct swd_client *client, char *text, size_t len, bool last);

#endif /* SWD_SERVER_H */
