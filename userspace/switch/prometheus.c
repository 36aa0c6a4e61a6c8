// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * GET /metrics for Prometheus: as much of HTTP/1.1 (RFC 9112) as that takes. A
 * connection is for one request.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "userspace/switch/server.h"
#include "userspace/switch/snapshot.h"
#include "userspace/telemetry/metrics.h"

#define MAX_REQUEST	8192
#define MAX_CLIENTS	16
#define IDLE_S		5
#define BACKLOG		16
#define TEXT		"text/plain; version=0.0.4; charset=utf-8"

struct swd_prometheus {
	struct swd_server	server;
	struct swd		*s;
};

/* An answer; the head alone for HEAD. */
static void answer(struct swd_client *client, const char *status, const char *more,
		   const char *type, const char *body, size_t len, bool head_only)
{
	char head[384], *text;
	int n;

	n = snprintf(head, sizeof(head),
		     "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
		     "Connection: close\r\n\r\n", status, type, len, more);
	text = malloc(n + len);
	if (text) {
		memcpy(text, head, n);
		memcpy(text + n, body, len);
	}
	swd_client_answer(client, text, head_only ? (size_t)n : n + len, true);
}

static void answer_text(struct swd_client *client, const char *status, const char *more,
			const char *text, bool head_only)
{
	answer(client, status, more, "text/plain; charset=utf-8", text, strlen(text),
	       head_only);
}

static void answer_metrics(struct swd_client *client, bool head_only)
{
	struct swd_prometheus *prometheus = client->server->owner;
	struct suo_snapshot *snap = swd_snapshot_new(prometheus->s);
	char *text = NULL;
	size_t len;

	if (snap) {
		swd_snapshot_take(prometheus->s, snap, swd_clock_ps(prometheus->s));
		text = suo_metrics(snap, &len);
	}
	suo_snapshot_free(snap);
	if (text)
		answer(client, "200 OK", "", TEXT, text, len, head_only);
	else
		answer_text(client, "503 Service Unavailable", "", "not enough memory\n",
			    head_only);
	free(text);
}

/* The end of the head: an empty line; a lone line feed counts (RFC 9112, 2.2). */
static const char *end_of_head(const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] != '\n')
			continue;
		if (i + 1 < len && data[i + 1] == '\n')
			return data + i + 2;
		if (i + 2 < len && data[i + 1] == '\r' && data[i + 2] == '\n')
			return data + i + 3;
	}
	return NULL;
}

static bool is_path(const char *target, const char *path)
{
	size_t len = strlen(path);

	return !strncmp(target, path, len) && (!target[len] || target[len] == '?');
}

/* "GET /metrics HTTP/1.1"; the line has been cut off behind it. */
static void answer_line(struct swd_client *client, char *line)
{
	char *target = strchr(line, ' '), *version;
	bool head_only;

	if (target)
		*target++ = '\0';
	version = target ? strchr(target, ' ') : NULL;
	if (version)
		*version++ = '\0';
	if (!version || !*line || !*target || strncmp(version, "HTTP/", 5)) {
		answer_text(client, "400 Bad Request", "", "no request of HTTP\n", false);
		return;
	}
	head_only = !strcmp(line, "HEAD");
	if (strcmp(version, "HTTP/1.1") && strcmp(version, "HTTP/1.0"))
		answer_text(client, "505 HTTP Version Not Supported", "",
			    "HTTP/1.1, please\n", head_only);
	else if (!is_path(target, "/metrics") && !is_path(target, "/"))
		answer_text(client, "404 Not Found", "", "there is only /metrics\n",
			    head_only);
	else if (!head_only && strcmp(line, "GET"))
		answer_text(client, "405 Method Not Allowed", "Allow: GET, HEAD\r\n",
			    "GET, please\n", false);
	else if (is_path(target, "/metrics"))
		answer_metrics(client, head_only);
	else
		answer_text(client, "200 OK", "", "suo-switch; see /metrics\n", head_only);
}

static size_t on_request(struct swd_client *client, const char *data, size_t len)
{
	const char *end;
	size_t skip = 0, n;
	char *line;

	/* Empty lines before a request are passed over (RFC 9112, 2.2). */
	while (skip < len && (data[skip] == '\r' || data[skip] == '\n'))
		skip++;
	end = end_of_head(data + skip, len - skip);
	if (!end)
		return 0;
	n = strcspn(data + skip, "\r\n");
	line = strndup(data + skip, n);
	if (line)
		answer_line(client, line);
	else
		swd_client_answer(client, NULL, 0, true);
	free(line);
	/* A body, if there is one, is nobody's. */
	return len;
}

static const char *refuse(bool too_long)
{
	return too_long ?
		"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\n"
		"Connection: close\r\n\r\n" :
		"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
		"Retry-After: 1\r\nConnection: close\r\n\r\n";
}

static const struct swd_server_ops prometheus_ops = {
	.max_clients = MAX_CLIENTS,
	.max_request = MAX_REQUEST,
	.idle_s = IDLE_S,
	.request = on_request,
	.refuse = refuse,
};

/* "[ADDR:]PORT", "[::1]:9100" with brackets; without an address, the loopback one. */
static int split(const char *arg, char host[256], char service[16])
{
	const char *colon = strrchr(arg, ':'), *port = colon ? colon + 1 : arg;
	size_t len = colon ? (size_t)(colon - arg) : 0;
	unsigned long number;
	char *end;

	number = strtoul(port, &end, 10);
	if (*port < '0' || *port > '9' || *end || !number || number > 65535)
		return swd_error(-EINVAL, "--prometheus %s: '%s' is not a port from 1 to 65535",
				 arg, port);
	snprintf(service, 16, "%lu", number);
	if (len > 1 && *arg == '[' && arg[len - 1] == ']') {
		arg++;
		len -= 2;
	}
	if (len >= 256)
		return swd_error(-EINVAL, "--prometheus %s: an address is shorter", arg);
	snprintf(host, 256, "%.*s", (int)len, arg);
	if (!len)
		strcpy(host, "127.0.0.1");
	return 0;
}

static int try_listen(const struct addrinfo *info)
{
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1, ret;

	if (fd < 0)
		return -errno;
	/* Connections of the process before may still be ending. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, info->ai_addr, info->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

static int listen_at(const char *arg)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
	}, *info;
	char host[256], service[16];
	int ret = split(arg, host, service);

	if (ret)
		return ret;
	ret = getaddrinfo(host, service, &hints, &info);
	if (ret)
		return swd_error(-EINVAL, "--prometheus %s: '%s' is not an address of IP: %s",
				 arg, host, gai_strerror(ret));
	ret = try_listen(info);
	freeaddrinfo(info);
	if (ret < 0)
		swd_error(ret, "--prometheus %s: %s", arg, strerror(-ret));
	return ret;
}

int swd_prometheus_start(struct swd *s)
{
	struct swd_prometheus *prometheus;
	int fd;

	if (!s->opts.prometheus)
		return 0;
	prometheus = calloc(1, sizeof(*prometheus));
	if (!prometheus)
		return swd_error(-ENOMEM, "not enough memory");
	fd = listen_at(s->opts.prometheus);
	if (fd < 0) {
		free(prometheus);
		return fd;
	}
	prometheus->s = s;
	swd_server_start(&prometheus->server, s->loop, &prometheus_ops, prometheus, fd);
	s->prometheus = prometheus;
	return 0;
}

void swd_prometheus_stop(struct swd *s)
{
	struct swd_prometheus *prometheus = s->prometheus;

	if (!prometheus)
		return;
	swd_server_stop(&prometheus->server);
	free(prometheus);
	s->prometheus = NULL;
}
