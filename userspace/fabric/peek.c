// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looking for a message without receiving it: FI_PEEK, FI_CLAIM, FI_DISCARD. */
#include "suo_fi.h"

static void drop(struct suo_unexp *msg)
{
	/* The sender of a large message waits for somebody to read it. */
	if (msg->conn && msg->hdr.op == SUO_OP_RTS)
		suo_rndv_refuse(msg->conn, msg->hdr.id);
	free(msg);
}

static void complete(struct suo_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags,
		     const struct suo_unexp *found)
{
	struct fi_cq_err_entry e = {
		.op_context	= msg->context,
		.flags		= FI_RECV | FI_TAGGED,
		.tag		= msg->tag,
		.err		= FI_ENOMSG,
	};
	fi_addr_t src = FI_ADDR_NOTAVAIL;

	if (found) {
		e.err = found->conn ? 0 : FI_ECONNRESET;
		e.len = found->hdr.len;
		e.tag = found->hdr.tag;
		if (found->hdr.flags & SUO_WF_DATA) {
			e.flags |= FI_REMOTE_CQ_DATA;
			e.data = found->hdr.data;
		}
		if (found->conn)
			src = suo_conn_fi_addr(found->conn);
	}
	if (e.err || !ep->rx_selective || (flags & FI_COMPLETION))
		suo_cq_push(ep->rx_cq, &e, src);
}

static struct suo_unexp *find(struct suo_ep *ep, const struct suo_match_recv *want)
{
	struct suo_match_msg *found = suo_match_find(&ep->tags, want);

	return found ? suo_entry(found, struct suo_unexp, match) : NULL;
}

/**
 * suo_peek() - fi_trecvmsg() with FI_PEEK
 * @ep: the endpoint
 * @msg: what is looked for; its memory is not touched
 * @flags: FI_PEEK, and FI_CLAIM or FI_DISCARD
 *
 * The answer is a completion: an error, FI_ENOMSG, if there is no such message.
 *
 * Return: 0, or -FI_EINVAL for an address that is not known.
 */
ssize_t suo_peek(struct suo_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
	struct suo_match_recv want = { .tag = msg->tag, .ignore = msg->ignore };
	struct suo_unexp *found;
	int err;

	if ((flags & FI_CLAIM) && (flags & FI_DISCARD))
		return -FI_EINVAL;
	err = suo_rx_source(ep, msg->addr, &want.src);
	if (err)
		return err;
	found = find(ep, &want);
	if (!found) {
		suo_progress(ep);
		found = find(ep, &want);
	}
	if (found && (flags & (FI_CLAIM | FI_DISCARD)))
		suo_list_del(&found->match.link);
	complete(ep, msg, flags, found);
	if (found && (flags & FI_CLAIM)) {
		found->claim = msg->context;
		suo_list_add_tail(&found->match.link, &ep->claimed);
	} else if (found && (flags & FI_DISCARD)) {
		drop(found);
	}
	return 0;
}

static struct suo_unexp *claimed(struct suo_ep *ep, const void *context)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &ep->claimed) {
		struct suo_unexp *msg = suo_entry(pos, struct suo_unexp, match.link);

		if (msg->claim == context)
			return msg;
	}
	return NULL;
}

/**
 * suo_claim() - fi_trecvmsg() with FI_CLAIM: take what FI_PEEK has claimed
 * @ep: the endpoint
 * @msg: where it goes; its context is that of the claim
 * @flags: FI_CLAIM, and FI_DISCARD if nobody wants it any more
 *
 * Return: 0, or -FI_EINVAL if there is no such claim.
 */
ssize_t suo_claim(struct suo_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
	struct suo_unexp *found = claimed(ep, msg->context);
	struct suo_rxreq *rx;

	if (!found || msg->iov_count > SUO_IOV_MAX)
		return -FI_EINVAL;
	if (flags & FI_DISCARD) {
		suo_list_del(&found->match.link);
		complete(ep, msg, flags, found);
		drop(found);
		return 0;
	}
	rx = suo_rx_alloc(ep, true, msg->msg_iov, msg->desc, msg->iov_count, msg->context,
			  flags);
	if (!rx)
		return -FI_ENOMEM;
	suo_list_del(&found->match.link);
	if (found->conn)
		suo_rx_match(ep, rx, found->conn, &found->hdr, found->payload);
	else
		suo_rx_done(ep, rx, NULL, NULL, 0, FI_ECONNRESET, 0);
	free(found);
	return 0;
}

/* A connection broke, and with it went the data of the large messages. */
void suo_claimed_forget(struct suo_conn *conn)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &conn->ep->claimed) {
		struct suo_unexp *msg = suo_entry(pos, struct suo_unexp, match.link);

		if (msg->conn == conn && msg->hdr.op == SUO_OP_RTS)
			msg->conn = NULL;
	}
}

void suo_claimed_destroy(struct suo_ep *ep)
{
	struct suo_list *node;

	while ((node = suo_list_pop(&ep->claimed)))
		free(suo_entry(node, struct suo_unexp, match.link));
}
