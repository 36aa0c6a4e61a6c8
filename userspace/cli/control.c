// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "userspace/cli/cli.h"
#include "userspace/cli/control.h"

#define TIMEOUT_MS	10000
/* A snapshot of a thousand ports has some 6 MB. */
#define MAX_ANSWER	(256ul << 20)

const char *suo_control_path(const char *given)
{
	const char *env = getenv(SUO_CONTROL_ENV);

	if (given)
		return given;
	return env && *env ? env : SUO_CONTROL_SOCKET;
}

static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = TIMEOUT_MS / 1000 };
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		suo_error(SUO_FAILED, "%s: longer than a socket's path can be (%zu)", path,
			  sizeof(addr.sun_path) - 1);
		return -1;
	}
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
		return -1;
	}
	/* Of connect(), too, where a switch has too many clients that wait. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	if (errno == ENOENT || errno == ECONNREFUSED)
		suo_error(SUO_FAILED, "%s: %s; is suo-switch running, with --control %s?",
			  path, errno == ENOENT ? "no such socket" : "nobody listens", path);
	else
		suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
	close(fd);
	return -1;
}

/* Return: 0; -1 after a message. */
static int send_line(int fd, const char *path, const json_t *request)
{
	char *text = json_dumps(request, JSON_COMPACT), *line;
	size_t len, done = 0;

	line = text ? realloc(text, strlen(text) + 2) : NULL;
	if (!line) {
		free(text);
		suo_error(SUO_FAILED, "not enough memory");
		return -1;
	}
	strcat(line, "\n");
	len = strlen(line);
	while (done < len) {
		ssize_t n = send(fd, line + done, len - done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			suo_error(SUO_FAILED, "%s: cannot send: %s", path,
				  errno == EAGAIN ? "the switch does not read" :
						    strerror(errno));
			free(line);
			return -1;
		}
		done += n;
	}
	free(line);
	return 0;
}

/* Return: the line, its end cut off, to be freed; NULL after a message. */
static char *receive_line(int fd, const char *path)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	size_t room = 0, len = 0;
	char *line = NULL;

	for (;;) {
		char *grown, *end;
		ssize_t n;

		if (len + 1 >= room) {
			room = room ? 2 * room : 65536;
			grown = room <= MAX_ANSWER ? realloc(line, room) : NULL;
			if (!grown) {
				suo_error(SUO_FAILED, "%s: an answer of more than %zu bytes does not fit",
					  path, len);
				break;
			}
			line = grown;
		}
		n = poll(&wait, 1, TIMEOUT_MS);
		if (!n) {
			suo_error(SUO_FAILED, "%s: no answer for ten seconds", path);
			break;
		}
		if (n > 0)
			n = recv(fd, line + len, room - len - 1, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
			break;
		}
		if (!n) {
			suo_error(SUO_FAILED, "%s: the answer was cut off after %zu bytes",
				  path, len);
			break;
		}
		end = memchr(line + len, '\n', n);
		len += n;
		if (end) {
			*end = '\0';
			return line;
		}
	}
	free(line);
	return NULL;
}

static char *exchange(const char *path, const json_t *request)
{
	int fd = connect_to(path);
	char *line = NULL;

	if (fd < 0)
		return NULL;
	if (!send_line(fd, path, request))
		line = receive_line(fd, path);
	close(fd);
	return line;
}

json_t *suo_control_ask(const char *path, json_t *request)
{
	json_t *answer, *refused;
	json_error_t error;
	char *line;

	if (!request) {
		suo_error(SUO_FAILED, "not enough memory");
		return NULL;
	}
	line = exchange(path, request);
	json_decref(request);
	if (!line)
		return NULL;

	answer = json_loads(line, 0, &error);
	free(line);
	if (!answer) {
		suo_error(SUO_FAILED, "%s: the answer is not JSON: %s", path, error.text);
		return NULL;
	}
	refused = json_object_get(answer, "error");
	if (refused) {
		const char *text = json_string_value(refused);

		suo_error(SUO_FAILED, "%s: %s", path, text ? text : "refused");
		json_decref(answer);
		return NULL;
	}
	return answer;
}
