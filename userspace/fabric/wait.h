/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What makes progress for a completion queue or counter, and what its reader sleeps on. */
#ifndef SUO_FI_WAIT_H
#define SUO_FI_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/fi_eq.h>

#include "list.h"

struct suo_ep;

#define SUO_FOREVER	UINT64_MAX

/**
 * struct suo_wait - the waiting side of a queue or counter
 * @obj: FI_WAIT_NONE or FI_WAIT_FD
 * @epfd: what a waiter polls: @evfd, and each endpoint's channel and timer
 * @evfd: an eventfd; raised by a signal, and by completions that another object's
 *	progress made
 * @raised: @evfd is readable
 * @signaled: somebody wants the sleeper to wake up
 * @eps: struct suo_ep_link of the endpoints bound to the object
 */
struct suo_wait {
	enum fi_wait_obj	obj;
	int			epfd;
	int			evfd;
	bool			raised;
	bool			signaled;
	struct suo_list		eps;
};

/* Binds an endpoint to an object that makes progress for it. */
struct suo_ep_link {
	struct suo_list	link;
	struct suo_ep	*ep;
	struct suo_wait	*wait;
};

/**
 * suo_wait_init() - make what a wait object needs
 * @wait: the waiting side
 * @obj: wanted; FI_WAIT_UNSPEC is replaced by what it got
 *
 * Return: 0, -FI_ENOSYS for a kind of wait object that there is not, or an error.
 */
int suo_wait_init(struct suo_wait *wait, enum fi_wait_obj *obj);
void suo_wait_fini(struct suo_wait *wait);
int suo_wait_control(struct suo_wait *wait, int command, void *arg);

/* The time at which a timeout in ms ends; SUO_FOREVER for a negative one. */
uint64_t suo_deadline(int timeout_ms);

/* Sleeps until something happens; -FI_ETIMEDOUT at @end_ns, or -errno. */
int suo_wait_sleep(struct suo_wait *wait, uint64_t end_ns);

/* Under the domain's lock */

int suo_wait_add_ep(struct suo_wait *wait, struct suo_ep_link *link);
void suo_wait_del_ep(struct suo_ep_link *link);
int suo_wait_raise(struct suo_wait *wait);
void suo_wait_progress(struct suo_wait *wait);

/* Makes progress, and sees to it that whatever comes after it wakes a sleeper;
 * true if one must not sleep.
 */
bool suo_wait_arm(struct suo_wait *wait);

#endif /* SUO_FI_WAIT_H */
