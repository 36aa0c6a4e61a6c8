// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/switch/sockpath.h"

int swd_path_put(struct sockaddr_un *addr, const char *path)
{
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof(addr->sun_path))
		return -ENAMETOOLONG;
	strcpy(addr->sun_path, path);
	return 0;
}

static bool is_socket(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISSOCK(st.st_mode);
}

/*
 * Has a killed process left it? One that lives is asked by a socket of a type that
 * nobody here has, so that it does not get to see a client.
 */
static bool is_left_over(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool left_over;

	if (fd < 0)
		return false;
	left_over = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) &&
		    errno == ECONNREFUSED;
	close(fd);
	return left_over;
}

int swd_path_bind(int fd, const char *path)
{
	struct sockaddr_un addr;
	int ret = swd_path_put(&addr, path);

	if (ret)
		return ret;
	if (is_socket(path) && is_left_over(&addr) && unlink(path))
		return -errno;
	return bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
}

void swd_path_remove(const char *path)
{
	if (is_socket(path))
		unlink(path);
}
