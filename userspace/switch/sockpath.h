/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths of unix sockets: those of ports, and the control socket's. */
#ifndef SWD_SOCKPATH_H
#define SWD_SOCKPATH_H

#include <sys/socket.h>
#include <sys/un.h>

/* Return: 0; -ENAMETOOLONG; -ENOENT: it is empty. */
int swd_path_put(struct sockaddr_un *addr, const char *path);

/**
 * swd_path_bind() - bind a socket to a path
 * @fd: the socket
 * @path: where; a socket that no process has any more is removed first
 *
 * Return: 0; -EADDRINUSE when a process has a socket there, or there is another file;
 * -errno.
 */
int swd_path_bind(int fd, const char *path);

/* Remove a path if it is a socket. */
void swd_path_remove(const char *path);

#endif /* SWD_SOCKPATH_H */
