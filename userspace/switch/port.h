/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kinds of ports share. */
#ifndef SWD_PORT_H
#define SWD_PORT_H

#include <sys/socket.h>
#include <sys/un.h>

#include "userspace/switch/switchd.h"

/* Each 0 or -errno. */
int swd_unblock(int fd);
int swd_path_put(struct sockaddr_un *addr, const char *path);
int swd_path_bind(int fd, const char *path);	/* in place of a socket that was left */

/* Remove a path if it is a socket. */
void swd_path_remove(const char *path);

/* The peer has gone, and has to be looked for: open is called now and then. */
void swd_port_retry(struct swd_port *port);

#endif /* SWD_PORT_H */
