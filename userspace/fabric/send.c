// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sending a message, tagged or not: eagerly or by rendezvous. */
#include <arpa/inet.h>

#include "suo_fi.h"

static size_t iov_len(const struct iovec *iov, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += iov[i].iov_len;
	return len;
}

static void fill_header(struct suo_txreq *req, const struct suo_send *s, size_t len,
			enum suo_wire_op op)
{
	struct suo_hdr *hdr = suo_tx_header(req, op, len, 0);

	if (s->tagged)
		hdr->flags |= SUO_WF_TAGGED;
	if (s->flags & FI_REMOTE_CQ_DATA)
		hdr->flags |= SUO_WF_DATA;
	hdr->data = htonl((uint32_t)s->data);
	hdr->tag = htobe64(s->tag);
}

/* Announces the message: header and segments, which the receiver may read. */
static int fill_rts(struct suo_txreq *req, const struct suo_send *s)
{
	struct suo_hdr *hdr = (struct suo_hdr *)req->area;
	struct suo_seg *seg = (struct suo_seg *)(hdr + 1);
	bool has_desc = s->desc && s->count && s->desc[0];
	struct suo_ep *ep = req->conn->ep;

	req->rts = true;
	req->id = ep->next_id++;
	hdr->id = htobe64(req->id);
	for (size_t i = 0; i < s->count; i++) {
		struct ibv_mr *mr;

		if (!s->iov[i].iov_len)
			continue;
		if (has_desc) {
			mr = ((struct suo_mr *)s->desc[i])->mr;
		} else {
			mr = suo_tmp_reg(ep, &s->iov[i], IBV_ACCESS_REMOTE_READ);
			if (!mr)
				return -errno;
			req->tmp[req->ntmp++] = mr;
		}
		seg->addr = htobe64((uintptr_t)s->iov[i].iov_base);
		seg->len = htobe64(s->iov[i].iov_len);
		seg->rkey = htonl(mr->rkey);
		seg->reserved = 0;
		seg++;
		hdr->nseg++;
	}
	suo_tx_sge(req, req->area, (uint8_t *)seg - req->area, req->area_lkey);
	return 0;
}

static int prepare(struct suo_txreq *req, const struct suo_send *s, size_t len)
{
	size_t eager = suo_tune.eager_size;

	req->context = s->context;
	req->flags = FI_SEND | (s->tagged ? FI_TAGGED : FI_MSG);
	req->comp = s->comp;
	if (s->flags & FI_INJECT && eager < SUO_INJECT_SIZE)
		eager = SUO_INJECT_SIZE;
	/* Delivered means in the application's buffer: only a FIN tells. */
	if (len > eager || ((s->flags & FI_DELIVERY_COMPLETE) && !(s->flags & FI_INJECT))) {
		fill_header(req, s, len, SUO_OP_RTS);
		return fill_rts(req, s);
	}
	fill_header(req, s, len, SUO_OP_EAGER);
	return suo_tx_payload(req, s->iov, s->desc, s->count, len,
			      sizeof(struct suo_hdr), true);
}

static ssize_t send_locked(struct suo_ep *ep, const struct suo_send *s, size_t len)
{
	struct suo_txreq *req;
	struct suo_conn *conn;
	int err;

	conn = suo_conn_by_fi_addr(ep, s->dest);
	if (!conn)
		return -FI_EINVAL;
	req = suo_tx_get(ep, conn, true);
	if (!req)
		return -FI_EAGAIN;
	err = prepare(req, s, len);
	if (err) {
		suo_tx_put(req);
		return err;
	}
	suo_tx_submit(req);
	return 0;
}

ssize_t suo_send(struct suo_ep *ep, const struct suo_send *s)
{
	size_t len = iov_len(s->iov, s->count);
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (s->count > SUO_IOV_MAX || (s->flags & ~SUO_TX_FLAGS))
		return -FI_EINVAL;
	if ((s->flags & FI_INJECT) && len > SUO_INJECT_SIZE)
		return -FI_EMSGSIZE;
	if (len > ep->domain->dev.port.max_msg_sz)
		return -FI_EMSGSIZE;

	pthread_mutex_lock(&ep->domain->lock);
	ret = send_locked(ep, s, len);
	pthread_mutex_unlock(&ep->domain->lock);
	return ret;
}

bool suo_tx_comp(const struct suo_ep *ep, uint64_t flags)
{
	return !ep->tx_selective || (flags & FI_COMPLETION);
}
