// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "match.h"

void suo_matchq_init(struct suo_matchq *q)
{
	suo_list_init(&q->posted);
	suo_list_init(&q->unexpected);
}

static bool fits(const struct suo_match_recv *recv, const void *src, uint64_t tag)
{
	if (recv->src && recv->src != src)
		return false;
	return !((recv->tag ^ tag) & ~recv->ignore);
}

struct suo_match_msg *suo_match_find(struct suo_matchq *q,
				     const struct suo_match_recv *recv)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &q->unexpected) {
		struct suo_match_msg *msg =
			suo_entry(pos, struct suo_match_msg, link);

		if (fits(recv, msg->src, msg->tag))
			return msg;
	}
	return NULL;
}

struct suo_match_msg *suo_match_post(struct suo_matchq *q,
				     struct suo_match_recv *recv)
{
	struct suo_match_msg *msg = suo_match_find(q, recv);

	if (msg)
		suo_list_del(&msg->link);
	else
		suo_list_add_tail(&recv->link, &q->posted);
	return msg;
}

struct suo_match_recv *suo_match_arrive(struct suo_matchq *q, const void *src,
					uint64_t tag)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &q->posted) {
		struct suo_match_recv *recv =
			suo_entry(pos, struct suo_match_recv, link);

		if (fits(recv, src, tag)) {
			if (!recv->keep)
				suo_list_del(&recv->link);
			return recv;
		}
	}
	return NULL;
}

void suo_match_keep(struct suo_matchq *q, struct suo_match_msg *msg)
{
	suo_list_add_tail(&msg->link, &q->unexpected);
}
