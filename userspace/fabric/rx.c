// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Receives that the application posts, and messages that arrive. */
#include <arpa/inet.h>

#include "suo_fi.h"

struct suo_matchq *suo_rx_queue(struct suo_ep *ep, bool tagged)
{
	return tagged ? &ep->tags : &ep->msgs;
}

/**
 * suo_rx_done() - complete a receive and free it
 * @ep: the endpoint
 * @rx: the receive
 * @conn: the sender, NULL if there is none
 * @hdr: header of the message in host order, NULL if there is none
 * @olen: bytes that did not fit
 * @err: positive error number, or 0
 * @prov_errno: enum ibv_wc_status of the error
 */
void suo_rx_done(struct suo_ep *ep, struct suo_rxreq *rx, struct suo_conn *conn,
		 const struct suo_hdr *hdr, size_t olen, int err, int prov_errno)
{
	struct fi_cq_err_entry e = {
		.op_context	= rx->context,
		.flags		= FI_RECV | (rx->tagged ? FI_TAGGED : FI_MSG),
		.err		= err,
		.prov_errno	= prov_errno,
		.olen		= olen,
	};

	if (hdr) {
		e.len = hdr->len - olen;
		e.tag = hdr->tag;
		if (hdr->flags & SUO_WF_DATA) {
			e.flags |= FI_REMOTE_CQ_DATA;
			e.data = hdr->data;
		}
	}
	if (olen && !err)
		e.err = FI_ETRUNC;
	if (rx->parent) {
		e.buf = rx->iov[0].iov_base;
		if (suo_multi_done(rx))
			e.flags |= FI_MULTI_RECV;
	}
	suo_cntr_add(ep->cntr[SUO_CNTR_RECV], e.err);
	if (rx->comp || e.err || (e.flags & FI_MULTI_RECV))
		suo_cq_push(ep->rx_cq, &e, conn ? suo_conn_fi_addr(conn) : FI_ADDR_NOTAVAIL);
	while (rx->ntmp)
		ibv_dereg_mr(rx->tmp[--rx->ntmp]);
	free(rx);
}

static void deliver(struct suo_ep *ep, struct suo_rxreq *rx, struct suo_conn *conn,
		    const struct suo_hdr *hdr, const uint8_t *payload)
{
	size_t left = hdr->len;

	for (unsigned int i = 0; i < rx->iov_count && left; i++) {
		size_t n = rx->iov[i].iov_len < left ? rx->iov[i].iov_len : left;

		memcpy(rx->iov[i].iov_base, payload, n);
		payload += n;
		left -= n;
	}
	suo_rx_done(ep, rx, conn, hdr, left, 0, 0);
}

/**
 * suo_rx_match() - a receive has got its message
 * @ep: the endpoint
 * @rx: the receive, in no list; it is freed when it is done
 * @conn: the sender
 * @hdr: header of the message in host order
 * @payload: what follows the header, segments in host order
 */
void suo_rx_match(struct suo_ep *ep, struct suo_rxreq *rx, struct suo_conn *conn,
		  const struct suo_hdr *hdr, const uint8_t *payload)
{
	if (hdr->op == SUO_OP_EAGER)
		deliver(ep, rx, conn, hdr, payload);
	else
		suo_rndv_start(rx, conn, hdr, (const struct suo_seg *)payload);
}

/* Stores a message on the heap: its receive buffer is needed by others. */
static void keep(struct suo_ep *ep, struct suo_conn *conn, const struct suo_hdr *hdr,
		 const uint8_t *payload, size_t size)
{
	struct suo_unexp *msg = malloc(sizeof(*msg) + size);

	if (!msg) {
		suo_warn(EP_DATA, "no memory for an unexpected message\n");
		suo_conn_fail(conn, FI_ENOMEM, 0);
		return;
	}
	msg->match.src = conn;
	msg->match.tag = hdr->tag;
	msg->conn = conn;
	msg->hdr = *hdr;
	memcpy(msg->payload, payload, size);
	suo_match_keep(suo_rx_queue(ep, hdr->flags & SUO_WF_TAGGED), &msg->match);
}

static void seg_to_host(struct suo_seg *seg)
{
	seg->addr = be64toh(seg->addr);
	seg->len = be64toh(seg->len);
	seg->rkey = ntohl(seg->rkey);
}

/* Brings header and segments into host order; false if they are malformed. */
static bool parse(uint8_t *data, size_t size, struct suo_hdr *hdr)
{
	struct suo_seg *seg = (struct suo_seg *)(data + sizeof(*hdr));
	uint64_t sum = 0;

	if (size < sizeof(*hdr))
		return false;
	memcpy(hdr, data, sizeof(*hdr));
	size -= sizeof(*hdr);
	if (hdr->version != SUO_WIRE_VERSION)
		return false;
	hdr->data = ntohl(hdr->data);
	hdr->tag = be64toh(hdr->tag);
	hdr->len = be64toh(hdr->len);
	hdr->id = be64toh(hdr->id);

	switch (hdr->op) {
	case SUO_OP_EAGER:
	case SUO_OP_ANSWER:
		return hdr->len == size;
	case SUO_OP_COLL_READY:
		if (!suo_coll_valid(hdr, size))
			return false;
		seg_to_host(seg);
		return true;
	case SUO_OP_COLL_DATA:
	case SUO_OP_COLL_DONE:
	case SUO_OP_COLL_ABORT:
		return suo_coll_valid(hdr, size);
	case SUO_OP_AMO:
		return hdr->len == size && size >= sizeof(struct suo_amo_hdr);
	case SUO_OP_FIN:
		return !size;
	case SUO_OP_RTS:
		if (hdr->nseg > SUO_IOV_MAX || size != hdr->nseg * sizeof(*seg))
			return false;
		for (int i = 0; i < hdr->nseg; i++) {
			seg_to_host(&seg[i]);
			if (seg[i].len > UINT32_MAX)
				return false;
			sum += seg[i].len;
		}
		return sum == hdr->len;
	default:
		return false;
	}
}

static void remote_data(struct suo_ep *ep, struct suo_conn *conn, const struct ibv_wc *wc)
{
	struct fi_cq_err_entry e = {
		.flags	= FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA,
		.len	= wc->byte_len,
		.data	= ntohl(wc->imm_data),
	};

	suo_cq_push(ep->rx_cq, &e, suo_conn_fi_addr(conn));
}

static void message(struct suo_ep *ep, struct suo_conn *conn, const struct suo_hdr *hdr,
		    const uint8_t *payload, size_t size)
{
	struct suo_match_recv *recv;
	struct suo_rxreq *rx;

	recv = suo_match_arrive(suo_rx_queue(ep, hdr->flags & SUO_WF_TAGGED), conn, hdr->tag);
	if (!recv) {
		keep(ep, conn, hdr, payload, size);
		return;
	}
	rx = suo_entry(recv, struct suo_rxreq, match);
	if (rx->multi)
		rx = suo_multi_take(ep, rx, hdr->len);
	if (rx)
		suo_rx_match(ep, rx, conn, hdr, payload);
	else
		keep(ep, conn, hdr, payload, size);
}

void suo_rx_wc(struct suo_ep *ep, struct suo_buf *buf, const struct ibv_wc *wc)
{
	struct suo_conn *conn = suo_conn_by_qpn(ep, wc->qp_num);
	const uint8_t *payload = buf->data + sizeof(struct suo_hdr);
	struct suo_hdr hdr;

	if (!conn)
		return;
	suo_conn_data(conn);
	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
		remote_data(ep, conn, wc);
		return;
	}
	if (!parse(buf->data, wc->byte_len, &hdr)) {
		suo_warn(EP_DATA, "malformed message of %u bytes\n", wc->byte_len);
		suo_conn_fail(conn, FI_EIO, 0);
		return;
	}
	switch (hdr.op) {
	case SUO_OP_FIN:
		suo_rndv_fin(conn, hdr.id);
		break;
	case SUO_OP_AMO:
		suo_amo_request(conn, &hdr, payload);
		break;
	case SUO_OP_ANSWER:
		suo_amo_answer(conn, &hdr, payload);
		break;
	case SUO_OP_COLL_DATA:
	case SUO_OP_COLL_READY:
	case SUO_OP_COLL_DONE:
	case SUO_OP_COLL_ABORT:
		suo_coll_rx(conn, &hdr, payload, wc->byte_len - sizeof(hdr));
		break;
	default:
		message(ep, conn, &hdr, payload, wc->byte_len - sizeof(hdr));
		break;
	}
}

/* The connection that a receive is directed to; NULL: it takes from anybody. */
int suo_rx_source(struct suo_ep *ep, fi_addr_t src, const void **conn)
{
	*conn = NULL;
	if (!(ep->caps & FI_DIRECTED_RECV) || src == FI_ADDR_UNSPEC)
		return 0;
	*conn = suo_conn_by_fi_addr(ep, src);
	return *conn ? 0 : -FI_EINVAL;
}

struct suo_rxreq *suo_rx_alloc(struct suo_ep *ep, bool tagged, const struct iovec *iov,
			       void **desc, size_t count, void *context, uint64_t flags)
{
	struct suo_rxreq *rx = calloc(1, sizeof(*rx));

	if (!rx)
		return NULL;
	rx->tagged = tagged;
	rx->comp = !ep->rx_selective || (flags & FI_COMPLETION);
	rx->context = context;
	rx->iov_count = count;
	rx->has_desc = desc && count && desc[0];
	for (size_t i = 0; i < count; i++) {
		rx->iov[i] = iov[i];
		if (rx->has_desc && iov[i].iov_len)
			rx->lkey[i] = ((struct suo_mr *)desc[i])->mr->lkey;
	}
	return rx;
}

ssize_t suo_rx_post(struct suo_ep *ep, bool tagged, const struct iovec *iov,
		    void **desc, size_t count, fi_addr_t src, uint64_t tag,
		    uint64_t ignore, void *context, uint64_t flags)
{
	struct suo_match_msg *found;
	struct suo_rxreq *rx;
	const void *conn;
	int err;

	if (count > SUO_IOV_MAX || ((flags & FI_MULTI_RECV) && (tagged || count != 1)))
		return -FI_EINVAL;
	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	err = suo_rx_source(ep, src, &conn);
	if (err)
		return err;
	rx = suo_rx_alloc(ep, tagged, iov, desc, count, context, flags);
	if (!rx)
		return -FI_ENOMEM;
	rx->match.src = conn;
	rx->match.tag = tag;
	rx->match.ignore = ignore;
	if (flags & FI_MULTI_RECV) {
		suo_multi_post(ep, rx);
		return 0;
	}

	found = suo_match_post(suo_rx_queue(ep, tagged), &rx->match);
	if (found) {
		struct suo_unexp *msg = suo_entry(found, struct suo_unexp, match);

		suo_rx_match(ep, rx, msg->conn, &msg->hdr, msg->payload);
		free(msg);
	}
	return 0;
}

static bool cancel(struct suo_ep *ep, struct suo_matchq *q, void *context)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &q->posted) {
		struct suo_rxreq *rx = suo_entry(pos, struct suo_rxreq, match.link);

		if (rx->context != context)
			continue;
		if (rx->multi) {
			suo_multi_cancel(ep, rx);
			return true;
		}
		suo_list_del(pos);
		suo_rx_done(ep, rx, NULL, NULL, 0, FI_ECANCELED, 0);
		return true;
	}
	return false;
}

ssize_t suo_rx_cancel(struct suo_ep *ep, void *context)
{
	if (cancel(ep, &ep->msgs, context) || cancel(ep, &ep->tags, context))
		return 0;
	return -FI_ENOENT;
}

static void forget(struct suo_matchq *q, const struct suo_conn *conn)
{
	struct suo_list *pos, *tmp;

	suo_list_for_each_safe(pos, tmp, &q->unexpected) {
		struct suo_unexp *msg = suo_entry(pos, struct suo_unexp, match.link);

		if (msg->conn != conn || msg->hdr.op != SUO_OP_RTS)
			continue;
		suo_list_del(pos);
		free(msg);
	}
}

/* The connection broke, and with it failed, at the sender, what was announced:
 * its memory may be in other use by now.
 */
void suo_rx_forget(struct suo_conn *conn)
{
	forget(&conn->ep->msgs, conn);
	forget(&conn->ep->tags, conn);
	suo_claimed_forget(conn);
}

static void destroy_queue(struct suo_matchq *q)
{
	struct suo_list *node;

	while ((node = suo_list_pop(&q->posted)))
		free(suo_entry(node, struct suo_rxreq, match.link));
	while ((node = suo_list_pop(&q->unexpected)))
		free(suo_entry(node, struct suo_unexp, match.link));
}

static void destroy_reads(struct suo_ep *ep)
{
	struct suo_list *node;

	for (int i = 0; i < SUO_HASH_SIZE; i++) {
		for (struct suo_conn *conn = ep->by_addr[i]; conn; conn = conn->by_addr) {
			while ((node = suo_list_pop(&conn->reads))) {
				struct suo_rxreq *rx = suo_entry(node, struct suo_rxreq, link);

				while (rx->ntmp)
					ibv_dereg_mr(rx->tmp[--rx->ntmp]);
				if (rx->parent)
					suo_multi_done(rx);
				free(rx);
			}
		}
	}
}

void suo_rx_destroy(struct suo_ep *ep)
{
	destroy_reads(ep);
	destroy_queue(&ep->msgs);
	destroy_queue(&ep->tags);
	suo_claimed_destroy(ep);
}
