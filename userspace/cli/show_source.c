// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Snapshots from files and from a switch, and the baselines that `suo clear` keeps. */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/cli/control.h"
#include "userspace/cli/show.h"

static int take(const char *path, const json_t *json, int status,
		struct suo_snapshot **snap)
{
	char error[SUO_SNAP_ERROR];

	switch (suo_snapshot_from_json(json, snap, error)) {
	case 0:
		return SUO_OK;
	case -ENOMEM:
		return suo_error(SUO_FAILED, "not enough memory");
	default:
		return suo_error(status, "%s: %s", path, error);
	}
}

int suo_snapshot_load(const char *path, struct suo_snapshot **snap)
{
	FILE *file = fopen(path, "r");
	json_error_t error;
	json_t *json;
	int status;

	if (!file)
		return suo_error(SUO_USAGE, "%s: %s", path, strerror(errno));
	json = json_loadf(file, 0, &error);
	fclose(file);
	if (!json)
		return suo_error(SUO_USAGE, "%s:%d: %s", path, error.line, error.text);
	status = take(path, json, SUO_USAGE, snap);
	json_decref(json);
	return status;
}

int suo_snapshot_ask(const char *path, json_t **json, struct suo_snapshot **snap)
{
	json_t *answer = suo_control_ask(path, json_pack("{s:s}", "cmd", "snapshot"));
	int status;

	if (!answer)
		return SUO_FAILED;
	status = take(path, answer, SUO_FAILED, snap);
	if (!status && json)
		*json = json_incref(answer);
	json_decref(answer);
	return status;
}

/* Where the user's baselines are. Return: whether that fits. */
static bool baseline_dir(char dir[PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const struct passwd *user = home && *home ? NULL : getpwuid(getuid());
	int n;

	if (user)
		home = user->pw_dir;
	if (cache && *cache == '/')
		n = snprintf(dir, PATH_MAX, "%s/suo/baseline", cache);
	else
		n = snprintf(dir, PATH_MAX, "%s/.cache/suo/baseline", home && *home ? home : "");
	return n < PATH_MAX;
}

static int make_dirs(char *dir)
{
	for (char *slash = dir; slash; *slash = '/') {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(dir, 0700) && errno != EEXIST)
			return -1;
		if (!slash)
			break;
	}
	return 0;
}

/*
 * The file of a baseline. The socket is part of its name: "/" becomes "+", and what
 * might be mistaken for that is written as hex. Return: a status.
 */
static int baseline_path(const char *counts, const char *socket, char path[PATH_MAX])
{
	char dir[PATH_MAX], full[PATH_MAX], name[3 * PATH_MAX], *to = name;
	const char *from = realpath(socket, full) ? full : socket;

	for (; *from && to < name + sizeof(name) - 4; from++) {
		if (*from == '/')
			*to++ = '+';
		else if (*from == '+' || *from == '%' || *from < 0x21)
			to += sprintf(to, "%%%02X", (unsigned char)*from);
		else
			*to++ = *from;
	}
	*to = '\0';
	if (!baseline_dir(dir) ||
	    snprintf(path, PATH_MAX, "%s/%s%s.json", dir, counts, name) >= PATH_MAX)
		return suo_error(SUO_FAILED, "%s: %s", socket, strerror(ENAMETOOLONG));
	return SUO_OK;
}

int suo_baseline_save(const char *counts, const char *socket, const json_t *json)
{
	char dir[PATH_MAX], path[PATH_MAX], temp[PATH_MAX + 8];
	int status = baseline_path(counts, socket, path), fd;
	FILE *file;
	bool whole;

	if (status)
		return status;
	baseline_dir(dir);
	if (make_dirs(dir))
		return suo_error(SUO_FAILED, "%s: %s", dir, strerror(errno));

	/* Whoever reads meanwhile gets the old one or the new one. */
	snprintf(temp, sizeof(temp), "%s.XXXXXX", path);
	fd = mkstemp(temp);
	if (fd < 0)
		return suo_error(SUO_FAILED, "%s: %s", temp, strerror(errno));
	file = fdopen(fd, "w");
	if (!file) {
		status = suo_error(SUO_FAILED, "not enough memory");
		close(fd);
		goto err_temp;
	}
	whole = !json_dumpf(json, file, JSON_COMPACT);
	status = suo_close(file, temp);
	if (!status && !whole)
		status = suo_error(SUO_FAILED, "not enough memory");
	if (!status && rename(temp, path))
		status = suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
err_temp:
	if (status)
		unlink(temp);
	return status;
}

int suo_baseline_load(const char *counts, const char *socket,
		      struct suo_snapshot **snap, time_t *made_s)
{
	char path[PATH_MAX];
	int status = baseline_path(counts, socket, path);
	struct stat st;

	*snap = NULL;
	if (!status && !stat(path, &st)) {
		status = suo_snapshot_load(path, snap);
		*made_s = st.st_mtime;
	}
	return status;
}

int suo_baseline_delete(const char *counts, const char *socket)
{
	char path[PATH_MAX];
	int status = baseline_path(counts, socket, path);

	if (!status && unlink(path) && errno != ENOENT)
		status = suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
	return status;
}
