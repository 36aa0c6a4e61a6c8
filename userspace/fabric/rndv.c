// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rendezvous: the sender announces a large message (RTS), the receiver reads it
 * out of the sender's memory once it knows where it goes, and tells (FIN).
 */
#include <arpa/inet.h>

#include "suo_fi.h"

static size_t capacity(const struct suo_rxreq *rx)
{
	size_t len = 0;

	for (unsigned int i = 0; i < rx->iov_count; i++)
		len += rx->iov[i].iov_len;
	return len;
}

static void send_fin(struct suo_conn *conn, uint64_t id)
{
	struct suo_txreq *req;

	/* The peer's end of a broken connection has failed the message. */
	if (conn->dying || conn->hs.state == SUO_HS_IDLE)
		return;
	req = suo_tx_get(conn->ep, conn, false);
	if (!req) {
		suo_warn(EP_DATA, "no memory to confirm a message\n");
		suo_conn_fail(conn, FI_ENOMEM, 0);
		return;
	}
	suo_tx_header(req, SUO_OP_FIN, 0, id);
	suo_tx_sge(req, req->area, sizeof(struct suo_hdr), req->area_lkey);
	suo_tx_submit(req);
}

/* Nobody wants the message: as good as read. */
void suo_rndv_refuse(struct suo_conn *conn, uint64_t id)
{
	send_fin(conn, id);
}

/* One read less to wait for. */
static void put(struct suo_rxreq *rx)
{
	struct suo_conn *conn = rx->conn;
	size_t room;

	if (--rx->reads)
		return;
	suo_list_del(&rx->link);
	send_fin(conn, rx->hdr.id);
	room = capacity(rx);
	suo_rx_done(conn->ep, rx, conn, &rx->hdr,
		    rx->hdr.len > room ? rx->hdr.len - room : 0, rx->err, rx->prov_errno);
}

void suo_rndv_read_done(struct suo_txreq *req, int err, int prov_errno)
{
	struct suo_rxreq *rx = req->rx;

	if (err && !rx->err) {
		rx->err = err;
		rx->prov_errno = prov_errno;
	}
	put(rx);
}

static int register_iov(struct suo_rxreq *rx)
{
	if (rx->has_desc)
		return 0;
	for (unsigned int i = 0; i < rx->iov_count; i++) {
		struct ibv_mr *mr;

		if (!rx->iov[i].iov_len)
			continue;
		mr = suo_tmp_reg(rx->conn->ep, &rx->iov[i], IBV_ACCESS_LOCAL_WRITE);
		if (!mr)
			return -errno;
		rx->tmp[rx->ntmp++] = mr;
		rx->lkey[i] = mr->lkey;
	}
	return 0;
}

/* A place in the receive's memory. */
struct cursor {
	unsigned int	iov;
	size_t		off;
};

/* Reads a segment, or as much of it as there is room for. */
static int read_segment(struct suo_rxreq *rx, const struct suo_seg *seg, struct cursor *at)
{
	struct suo_txreq *req = suo_tx_get(rx->conn->ep, rx->conn, false);
	uint64_t left = seg->len;

	if (!req)
		return -FI_ENOMEM;
	req->wr.opcode = IBV_WR_RDMA_READ;
	req->wr.wr.rdma.remote_addr = seg->addr;
	req->wr.wr.rdma.rkey = seg->rkey;
	while (left && at->iov < rx->iov_count) {
		const struct iovec *iov = &rx->iov[at->iov];
		size_t n = iov->iov_len - at->off;

		if (!n) {
			at->iov++;
			at->off = 0;
			continue;
		}
		if (n > left)
			n = left;
		suo_tx_sge(req, (char *)iov->iov_base + at->off, n, rx->lkey[at->iov]);
		at->off += n;
		left -= n;
	}
	if (!req->wr.num_sge) {
		suo_tx_put(req);
		return 0;
	}
	req->rx = rx;
	rx->reads++;
	suo_tx_submit(req);
	return 0;
}

void suo_rndv_start(struct suo_rxreq *rx, struct suo_conn *conn,
		    const struct suo_hdr *hdr, const struct suo_seg *seg)
{
	struct cursor at = { 0 };
	int err;

	rx->conn = conn;
	rx->hdr = *hdr;
	rx->reads = 1;		/* ours, until all reads are submitted */
	suo_list_add_tail(&rx->link, &conn->reads);
	err = register_iov(rx);
	for (int i = 0; i < hdr->nseg && !err; i++)
		err = read_segment(rx, &seg[i], &at);
	if (err && !rx->err)
		rx->err = -err;
	put(rx);
}

void suo_rndv_fin(struct suo_conn *conn, uint64_t id)
{
	struct suo_txreq *req = suo_tx_answered(conn, id);

	if (req && !req->amo)
		suo_tx_finish(req);
}
