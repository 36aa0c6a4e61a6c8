/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kinds of ports share. */
#ifndef SWD_PORT_H
#define SWD_PORT_H

#include "userspace/switch/sockpath.h"
#include "userspace/switch/switchd.h"

/* "Error: endpoint 3: WHAT: reason" on stderr. Return: ret, which is -errno. */
int swd_port_error(const struct swd_port *port, int ret, const char *what);

/* The peer has gone, or could not be let in: open is called now and then, until it is 0. */
void swd_port_retry(struct swd_port *port);

#endif /* SWD_PORT_H */
