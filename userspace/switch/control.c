// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The control socket: a JSON object a line each way. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/switch/server.h"
#include "userspace/switch/snapshot.h"
#include "userspace/switch/sockpath.h"

#define MAX_REQUEST	65536
#define MAX_CLIENTS	32
#define IDLE_S		60
#define BACKLOG		64

struct swd_control {
	struct swd_server	server;
	struct swd		*s;
	dev_t			dev;
	ino_t			ino;
};

static json_t *error_json(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static json_t *error_json(const char *fmt, ...)
{
	json_t *text, *answer;
	va_list ap;

	va_start(ap, fmt);
	text = json_vsprintf(fmt, ap);
	va_end(ap);
	answer = text ? json_pack("{s:o}", "error", text) : NULL;
	/* What was asked for may not be UTF-8. */
	return answer ? answer : json_pack("{s:s}", "error", "cannot be answered");
}

/* A snapshot is a line already. NULL: not enough memory, which ends the connection. */
static void answer_snapshot(struct swd_client *client, struct swd *s)
{
	struct suo_snapshot *snap = swd_snapshot_new(s);
	char *line = NULL;
	size_t len = 0;

	if (snap) {
		swd_snapshot_take(s, snap, swd_clock_ps(s));
		line = suo_snapshot_to_json(snap, &len);
	}
	suo_snapshot_free(snap);
	swd_client_answer(client, line, len, false);
}

static json_t *answer_clear(struct swd *s, const json_t *request)
{
	static const struct {
		const char	*name;
		unsigned int	which;
	} known[] = {
		{ "queue", SWD_WM_QUEUE },
		{ "pg_shared", SWD_WM_PG_SHARED },
		{ "pg_headroom", SWD_WM_PG_HEADROOM },
		{ "pool", SWD_WM_POOL },
	};
	const json_t *what = json_object_get(request, "what");
	unsigned int which = what ? 0 : SWD_WM_ALL;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && json_is_string(what); i++)
		if (!strcmp(json_string_value(what), known[i].name))
			which = known[i].which;
	if (!which)
		return error_json("'what' is none of queue, pg_shared, pg_headroom, pool");
	swd_watermarks_clear(s, which);
	return json_pack("{s:b}", "ok", 1);
}

static void answer_json(struct swd_client *client, json_t *answer)
{
	char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
	char *line = text ? realloc(text, strlen(text) + 2) : NULL;

	if (line)
		strcat(line, "\n");
	else
		free(text);
	swd_client_answer(client, line, line ? strlen(line) : 0, false);
	json_decref(answer);
}

static void answer_request(struct swd_client *client, struct swd *s, const char *line,
			   size_t len)
{
	json_error_t error;
	json_t *request = json_loadb(line, len, 0, &error);
	const char *cmd = json_string_value(json_object_get(request, "cmd"));

	if (!request)
		answer_json(client, error_json("not JSON: %s", error.text));
	else if (!cmd)
		answer_json(client, error_json("no 'cmd'"));
	else if (!strcmp(cmd, "snapshot"))
		answer_snapshot(client, s);
	else if (!strcmp(cmd, "clear_watermarks"))
		answer_json(client, answer_clear(s, request));
	else if (!strcmp(cmd, "fault") && swd_tell.fault)
		answer_json(client, swd_tell.fault(s, request));
	else
		answer_json(client, error_json("there is no command '%s'; there are snapshot, clear_watermarks, fault",
					       cmd));
	json_decref(request);
}

static size_t on_request(struct swd_client *client, const char *data, size_t len)
{
	struct swd_control *control = client->server->owner;
	const char *end = len ? memchr(data, '\n', len) : NULL;
	size_t used;

	if (!end)
		return 0;
	used = end - data + 1;
	for (len = end - data; len && (data[len - 1] == '\r' || data[len - 1] == ' ');)
		len--;
	if (len)
		answer_request(client, control->s, data, len);
	return used;
}

static const char *refuse(bool too_long)
{
	return too_long ? "{\"error\":\"a request of more than 64 KiB\"}\n" :
			  "{\"error\":\"too many clients\"}\n";
}

static const struct swd_server_ops control_ops = {
	.max_clients = MAX_CLIENTS,
	.max_request = MAX_REQUEST,
	.idle_s = IDLE_S,
	.request = on_request,
	.refuse = refuse,
};

/* What is wrong with the path, if anything is, by a message. */
static int check_path(const char *path)
{
	struct sockaddr_un addr;
	struct stat st;

	if (swd_path_put(&addr, path) == -ENAMETOOLONG)
		return swd_error(-EINVAL, "--control %s: longer than a socket's path can be (%zu)",
				 path, sizeof(addr.sun_path) - 1);
	if (!lstat(path, &st) && !S_ISSOCK(st.st_mode))
		return swd_error(-EEXIST, "--control %s: there is a file, and no socket", path);
	return 0;
}

static int listen_at(const char *path, struct swd_control *control)
{
	struct stat st;
	int fd, ret;

	ret = check_path(path);
	if (ret)
		return ret;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return swd_error(-errno, "--control %s: %s", path, strerror(errno));
	ret = swd_path_bind(fd, path);
	if (ret) {
		swd_error(ret, "--control %s: %s", path, ret == -EADDRINUSE ?
			  "another process listens there" : strerror(-ret));
		goto err_bind;
	}
	if (listen(fd, BACKLOG) || stat(path, &st)) {
		ret = swd_error(-errno, "--control %s: %s", path, strerror(errno));
		goto err_listen;
	}
	control->dev = st.st_dev;
	control->ino = st.st_ino;
	return fd;

err_listen:
	unlink(path);
err_bind:
	close(fd);
	return ret;
}

int swd_control_start(struct swd *s)
{
	struct swd_control *control;
	int fd;

	if (!s->opts.control)
		return 0;
	control = calloc(1, sizeof(*control));
	if (!control)
		return swd_error(-ENOMEM, "not enough memory");
	fd = listen_at(s->opts.control, control);
	if (fd < 0) {
		free(control);
		return fd;
	}
	control->s = s;
	swd_server_start(&control->server, s->loop, &control_ops, control, fd);
	s->control = control;
	return 0;
}

void swd_control_stop(struct swd *s)
{
	struct swd_control *control = s->control;
	struct stat st;

	if (!control)
		return;
	swd_server_stop(&control->server);
	/* Only if it is still ours. */
	if (!stat(s->opts.control, &st) && st.st_dev == control->dev &&
	    st.st_ino == control->ino)
		unlink(s->opts.control);
	free(control);
	s->control = NULL;
}
