/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows over the ranks' DATA: what a plan's MCAST_WRITE and REDUCED_READ go to.
 * One for each type and reduction, made when a plan wants it for the first time.
 */
#ifndef SUO_COLL_WINDOW_H
#define SUO_COLL_WINDOW_H

#include "userspace/coll/comm.h"
#include "userspace/coll/reduce.h"

struct suo_windows;

/* Does the switch have that reduction? */
bool suo_window_can(enum suo_dtype type, enum suo_redop op);

/**
 * suo_windows_key() - the key of a window, which is made if there is none yet
 * @windows: all of them; NULL at first
 * @comm: the ranks; suo_comm.why holds the reason of a failure
 * @domain_size: ranks of a domain
 * @data: this rank's DATA
 * @len: its bytes
 * @type: of the elements
 * @op: the reduction
 * @key: for fi_read() and fi_write() to other members of the domain
 *
 * All ranks call it together. Return: 0, -EOPNOTSUPP if the provider or the
 * switch has no such thing, or another -errno.
 */
int suo_windows_key(struct suo_windows **windows, struct suo_comm *comm,
		    uint32_t domain_size, void *data, size_t len, enum suo_dtype type,
		    enum suo_redop op, uint64_t *key);

void suo_windows_free(struct suo_windows *windows);

#endif /* SUO_COLL_WINDOW_H */
