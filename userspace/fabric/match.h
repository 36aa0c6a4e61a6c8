/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Matching of messages with receives. A queue holds the receives that wait for
 * a message and the messages that wait for a receive, both in order; never can
 * an entry of one list match one of the other.
 */
#ifndef SUO_FI_MATCH_H
#define SUO_FI_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "list.h"

struct suo_matchq {
	struct suo_list	posted;
	struct suo_list	unexpected;
};

/**
 * struct suo_match_recv - a receive, as far as matching is concerned
 * @link: in suo_matchq.posted
 * @src: the only sender it takes from; NULL: any
 * @tag: wanted tag
 * @ignore: bits of the tag that need not agree
 * @keep: it takes several messages and stays queued when one has come
 */
struct suo_match_recv {
	struct suo_list	link;
	const void	*src;
	uint64_t	tag;
	uint64_t	ignore;
	bool		keep;
};

/**
 * struct suo_match_msg - a message, as far as matching is concerned
 * @link: in suo_matchq.unexpected
 * @src: the sender
 * @tag: its tag
 */
struct suo_match_msg {
	struct suo_list	link;
	const void	*src;
	uint64_t	tag;
};

void suo_matchq_init(struct suo_matchq *q);

/* The first waiting message that @recv takes, left in its list; or NULL. */
struct suo_match_msg *suo_match_find(struct suo_matchq *q,
				     const struct suo_match_recv *recv);

/**
 * suo_match_post() - a receive arrives from the application
 * @q: the queue
 * @recv: the receive; it is queued when no message fits
 *
 * Return: the first message that fits, taken off the queue, or NULL.
 */
struct suo_match_msg *suo_match_post(struct suo_matchq *q,
				     struct suo_match_recv *recv);

/**
 * suo_match_arrive() - a message arrives from the network
 * @q: the queue
 * @src: the sender
 * @tag: its tag
 *
 * Return: the first receive that fits, taken off the queue unless it is to be
 * kept, or NULL: then the caller stores the message and calls suo_match_keep().
 */
struct suo_match_recv *suo_match_arrive(struct suo_matchq *q, const void *src,
					uint64_t tag);

void suo_match_keep(struct suo_matchq *q, struct suo_match_msg *msg);

#endif /* SUO_FI_MATCH_H */
