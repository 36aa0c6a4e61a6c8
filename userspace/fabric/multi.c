// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receive buffers for several messages (FI_MULTI_RECV). Such a buffer stays in
 * the queue of posted receives and hands out a receive of its own, a child, for
 * each message: the next piece of its memory. When less is left than
 * FI_OPT_MIN_MULTI_RECV it takes no more, and the last of its children to be done
 * says so to the application.
 */
#include "suo_fi.h"

/* The receive for the next message; NULL without memory, and nothing is changed. */
struct suo_rxreq *suo_multi_take(struct suo_ep *ep, struct suo_rxreq *rx, size_t len)
{
	struct iovec rest = {
		(char *)rx->iov[0].iov_base + rx->used, rx->iov[0].iov_len - rx->used
	};
	struct suo_rxreq *child = suo_rx_alloc(ep, false, &rest, NULL, 1, rx->context, 0);

	if (!child)
		return NULL;
	if (len < rest.iov_len)
		child->iov[0].iov_len = len;
	child->comp = rx->comp;
	child->has_desc = rx->has_desc;
	child->lkey[0] = rx->lkey[0];
	child->parent = rx;
	rx->children++;
	rx->used += child->iov[0].iov_len;
	if (rx->iov[0].iov_len - rx->used < ep->min_multi_recv ||
	    rx->iov[0].iov_len == rx->used) {
		rx->full = true;
		suo_list_del(&rx->match.link);
	}
	return child;
}

/* A child is done. Returns true, and frees the buffer, if it was the last. */
bool suo_multi_done(struct suo_rxreq *child)
{
	struct suo_rxreq *rx = child->parent;

	if (--rx->children || !rx->full)
		return false;
	free(rx);
	return true;
}

void suo_multi_post(struct suo_ep *ep, struct suo_rxreq *rx)
{
	struct suo_matchq *q = suo_rx_queue(ep, rx->tagged);

	rx->multi = true;
	rx->match.keep = true;
	suo_list_init(&rx->match.link);
	rx->children = 1;	/* ours, for a message may end the buffer */
	for (;;) {
		struct suo_match_msg *found = suo_match_find(q, &rx->match);
		struct suo_rxreq *child;
		struct suo_unexp *msg;
		bool full;

		if (!found)
			break;
		msg = suo_entry(found, struct suo_unexp, match);
		child = suo_multi_take(ep, rx, msg->hdr.len);
		if (!child)
			break;
		suo_list_del(&found->link);
		/* The last one may be done at once: then it ends the buffer. */
		full = rx->full;
		if (full)
			rx->children--;
		suo_rx_match(ep, child, msg->conn, &msg->hdr, msg->payload);
		free(msg);
		if (full)
			return;
	}
	rx->children--;
	suo_list_add_tail(&rx->match.link, &q->posted);
}

void suo_multi_cancel(struct suo_ep *ep, struct suo_rxreq *rx)
{
	struct fi_cq_err_entry e = {
		.op_context	= rx->context,
		.flags		= FI_RECV | FI_MSG,
		.err		= FI_ECANCELED,
	};

	suo_list_del(&rx->match.link);
	rx->full = true;
	if (!rx->children) {
		e.flags |= FI_MULTI_RECV;
		free(rx);
	}
	suo_cntr_add(ep->cntr[SUO_CNTR_RECV], true);
	suo_cq_push(ep->rx_cq, &e, FI_ADDR_NOTAVAIL);
}
