// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Send requests: from the free list, through a connection's pending list if
 * its queue pair cannot take them yet, to the queue pair and back.
 */
#include "suo_fi.h"

#define CHUNK_REQS	64
#define BOUNCE_BUFS	64

struct suo_tx_chunk {
	struct suo_list		link;
	struct ibv_mr		*mr;
	uint8_t			*mem;
	struct suo_txreq	req[CHUNK_REQS];
};

static int add_chunk(struct suo_ep *ep)
{
	struct suo_tx_chunk *chunk = calloc(1, sizeof(*chunk));
	int err;

	if (!chunk)
		return -FI_ENOMEM;
	if (posix_memalign((void **)&chunk->mem, 4096, CHUNK_REQS * SUO_AREA_SIZE)) {
		err = -FI_ENOMEM;
		goto mem;
	}
	/* The device puts the result of its atomic operations there. */
	chunk->mr = ibv_reg_mr(ep->domain->pd, chunk->mem, CHUNK_REQS * SUO_AREA_SIZE,
			       IBV_ACCESS_LOCAL_WRITE);
	if (!chunk->mr) {
		err = -errno;
		goto mr;
	}
	for (int i = 0; i < CHUNK_REQS; i++) {
		chunk->req[i].area = chunk->mem + i * SUO_AREA_SIZE;
		chunk->req[i].area_lkey = chunk->mr->lkey;
		suo_list_add_tail(&chunk->req[i].link, &ep->free_tx);
	}
	suo_list_add_tail(&chunk->link, &ep->chunks);
	return 0;

mr:
	free(chunk->mem);
mem:
	free(chunk);
	return err;
}

/* What a request holds besides itself. */
static void release(struct suo_txreq *req)
{
	while (req->ntmp)
		ibv_dereg_mr(req->tmp[--req->ntmp]);
	free(req->heap);
	req->heap = NULL;
}

void suo_tx_chunks_destroy(struct suo_ep *ep)
{
	struct suo_list *node;

	while ((node = suo_list_pop(&ep->chunks))) {
		struct suo_tx_chunk *chunk = suo_entry(node, struct suo_tx_chunk, link);

		for (int i = 0; i < CHUNK_REQS; i++)
			release(&chunk->req[i]);
		ibv_dereg_mr(chunk->mr);
		free(chunk->mem);
		free(chunk);
	}
}

struct suo_txreq *suo_tx_get(struct suo_ep *ep, struct suo_conn *conn, bool user)
{
	struct suo_txreq *req;
	struct suo_list *node;

	if (user && ep->user_tx >= SUO_TX_SIZE)
		return NULL;
	node = suo_list_pop(&ep->free_tx);
	if (!node && !add_chunk(ep))
		node = suo_list_pop(&ep->free_tx);
	if (!node)
		return NULL;
	req = suo_entry(node, struct suo_txreq, link);
	memset(&req->wr, 0, sizeof(req->wr));
	req->conn = conn;
	req->user = user;
	req->comp = false;
	req->rts = false;
	req->sent = false;
	req->finished = false;
	req->rma = false;
	req->amo = false;
	req->counted = false;
	req->err = 0;
	req->nresult = 0;
	req->flags = 0;
	req->context = NULL;
	req->bounce = NULL;
	req->rx = NULL;
	req->coll = NULL;
	req->wr.wr_id = suo_wr_id(req, SUO_WR_TX);
	req->wr.sg_list = req->sge;
	ep->user_tx += user;
	return req;
}

void suo_tx_put(struct suo_txreq *req)
{
	struct suo_ep *ep = req->conn->ep;

	release(req);
	if (req->bounce)
		suo_slab_put(&ep->bounce, req->bounce);
	ep->user_tx -= req->user;
	suo_list_add_tail(&req->link, &ep->free_tx);
}

struct ibv_mr *suo_tmp_reg(struct suo_ep *ep, const struct iovec *iov, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(ep->domain->pd, iov->iov_base, iov->iov_len, access);

	if (!mr)
		suo_warn(MR, "registration of %zu bytes failed: %s\n", iov->iov_len,
			 strerror(errno));
	return mr;
}

static void gather(uint8_t *to, const struct iovec *iov, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (iov[i].iov_len)
			memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
}

static int take_bounce(struct suo_txreq *req, const struct iovec *iov, size_t count)
{
	struct suo_ep *ep = req->conn->ep;

	if (!ep->bounce.mr) {
		int err = suo_slab_create(&ep->bounce, ep, BOUNCE_BUFS,
					  suo_tune.eager_size, 0);
		if (err)
			return err;
	}
	req->bounce = suo_slab_get(&ep->bounce);
	if (!req->bounce)
		return -FI_EAGAIN;
	gather(req->bounce->data, iov, count);
	return 0;
}

/* One more piece of memory. */
void suo_tx_sge(struct suo_txreq *req, const void *addr, size_t len, uint32_t lkey)
{
	struct ibv_sge *sge = &req->sge[req->wr.num_sge++];

	sge->addr = (uintptr_t)addr;
	sge->length = len;
	sge->lkey = lkey;
}

/**
 * suo_tx_header() - begin a message
 * @req: the request, whose area begins with the header
 * @op: what it says
 * @len: bytes of the message, as the header has it
 * @id: number of a message, as the header has it
 *
 * Return: the header, all else in it 0.
 */
struct suo_hdr *suo_tx_header(struct suo_txreq *req, enum suo_wire_op op, uint64_t len,
			      uint64_t id)
{
	struct suo_hdr *hdr = (struct suo_hdr *)req->area;

	memset(hdr, 0, sizeof(*hdr));
	hdr->version = SUO_WIRE_VERSION;
	hdr->op = op;
	hdr->len = htobe64(len);
	hdr->id = htobe64(id);
	req->wr.opcode = IBV_WR_SEND;
	return hdr;
}

/**
 * suo_tx_payload() - say where a request's data is
 * @req: the request; its area begins with @head bytes of header
 * @iov: the data
 * @desc: the application's descriptors, or NULL
 * @count: entries of @iov
 * @len: bytes in all
 * @head: bytes of header
 * @may_copy: the data is read, and may be so from a copy made now
 *
 * Return: 0, -FI_EAGAIN if no buffer is free for the copy, or another error.
 */
int suo_tx_payload(struct suo_txreq *req, const struct iovec *iov, void **desc,
		   size_t count, size_t len, size_t head, bool may_copy)
{
	bool has_desc = desc && desc[0];
	int err;

	if (may_copy && len <= SUO_INJECT_SIZE) {
		gather(req->area + head, iov, count);
		if (head + len)
			suo_tx_sge(req, req->area, head + len, req->area_lkey);
		return 0;
	}
	if (head)
		suo_tx_sge(req, req->area, head, req->area_lkey);
	if (may_copy && !has_desc && len <= (size_t)suo_tune.eager_size) {
		err = take_bounce(req, iov, count);
		if (!err)
			suo_tx_sge(req, req->bounce->data, len, req->bounce->lkey);
		return err;
	}
	for (size_t i = 0; i < count; i++) {
		struct ibv_mr *mr;

		if (!iov[i].iov_len)
			continue;
		if (has_desc) {
			mr = ((struct suo_mr *)desc[i])->mr;
		} else {
			mr = suo_tmp_reg(req->conn->ep, &iov[i],
					 may_copy ? 0 : IBV_ACCESS_LOCAL_WRITE);
			if (!mr)
				return -errno;
			req->tmp[req->ntmp++] = mr;
		}
		suo_tx_sge(req, iov[i].iov_base, iov[i].iov_len, mr->lkey);
	}
	return 0;
}

/**
 * suo_tx_room() - room for a payload that the provider makes itself
 * @req: the request; its area begins with @head bytes of header
 * @head: bytes of header
 * @len: bytes of payload
 *
 * Return: where the payload goes; NULL: no memory.
 */
uint8_t *suo_tx_room(struct suo_txreq *req, size_t head, size_t len)
{
	struct iovec iov = { .iov_len = len };
	struct ibv_mr *mr;

	if (head + len <= SUO_AREA_SIZE) {
		suo_tx_sge(req, req->area, head + len, req->area_lkey);
		return req->area + head;
	}
	req->heap = malloc(len);
	if (!req->heap)
		return NULL;
	iov.iov_base = req->heap;
	mr = suo_tmp_reg(req->conn->ep, &iov, 0);
	if (!mr)
		return NULL;
	req->tmp[req->ntmp++] = mr;
	suo_tx_sge(req, req->area, head, req->area_lkey);
	suo_tx_sge(req, req->heap, len, mr->lkey);
	return req->heap;
}

/* What the peer's device does would overtake atomics that its processor has still
 * to do, where the order of both matters.
 */
static bool must_wait(const struct suo_txreq *req)
{
	return req->rma && req->conn->amos && (req->conn->ep->order & SUO_ORDER_HELD);
}

static bool has_room(const struct suo_conn *conn)
{
	return conn->outstanding < SUO_SQ_DEPTH &&
	       conn->ep->outstanding < conn->ep->tx_room;
}

static bool may_post(const struct suo_conn *conn)
{
	return conn->hs.state == SUO_HS_READY && !conn->dying;
}

/* Does the device write to our memory? */
static bool fetches(const struct suo_txreq *req)
{
	return req->wr.opcode == IBV_WR_RDMA_READ ||
	       req->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	       req->wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
}

/* Returns false if the queue pair is full after all. */
static bool post(struct suo_txreq *req)
{
	struct suo_conn *conn = req->conn;
	struct ibv_send_wr *bad;
	uint32_t len = 0;
	int err;

	for (int i = 0; i < req->wr.num_sge; i++)
		len += req->sge[i].length;
	req->wr.send_flags = IBV_SEND_SIGNALED;
	if (len && len <= conn->max_inline && !fetches(req))
		req->wr.send_flags |= IBV_SEND_INLINE;
	if ((conn->ep->order & SUO_ORDER_WAR) && req->user)
		req->wr.send_flags |= IBV_SEND_FENCE;
	err = ibv_post_send(conn->qp, &req->wr, &bad);
	if (err == ENOMEM && conn->outstanding)
		return false;
	if (err) {
		suo_tx_done(req, err, 0);
		return true;
	}
	conn->outstanding++;
	conn->ep->outstanding++;
	if (req->rts)
		suo_list_add_tail(&req->link, &conn->rts);
	if (req->amo) {
		req->counted = true;
		conn->amos++;
	}
	return true;
}

void suo_tx_submit(struct suo_txreq *req)
{
	struct suo_conn *conn = req->conn;

	if (may_post(conn) && suo_list_empty(&conn->pending) && has_room(conn) &&
	    !must_wait(req) && post(req))
		return;
	suo_list_add_tail(&req->link, &conn->pending);
	if (may_post(conn)) {
		if (suo_list_empty(&conn->kick))
			suo_list_add_tail(&conn->kick, &conn->ep->kicks);
	} else if (conn->hs.state == SUO_HS_IDLE && !conn->dying) {
		suo_conn_connect(conn);
	}
}

static void kick(struct suo_conn *conn)
{
	while (!suo_list_empty(&conn->pending) && has_room(conn) && may_post(conn)) {
		struct suo_list *node = conn->pending.next;
		struct suo_txreq *req = suo_entry(node, struct suo_txreq, link);

		if (must_wait(req))
			return;
		suo_list_del(node);
		if (!post(req)) {
			/* back to the front */
			suo_list_add_tail(node, conn->pending.next);
			return;
		}
	}
}

void suo_tx_kick(struct suo_ep *ep)
{
	struct suo_list todo, *node;

	/* Taken off first: posting may fail, and a failing connection leaves
	 * every list it is in.
	 */
	suo_list_init(&todo);
	while ((node = suo_list_pop(&ep->kicks)))
		suo_list_add_tail(node, &todo);
	while ((node = suo_list_pop(&todo))) {
		struct suo_conn *conn = suo_entry(node, struct suo_conn, kick);

		kick(conn);
		if (!suo_list_empty(&conn->pending) && may_post(conn) &&
		    suo_list_empty(&conn->kick))
			suo_list_add_tail(&conn->kick, &ep->kicks);
	}
}

void suo_tx_done(struct suo_txreq *req, int err, int prov_errno)
{
	struct fi_cq_err_entry e = {
		.op_context	= req->context,
		.flags		= req->flags,
		.err		= err,
		.prov_errno	= prov_errno,
	};
	struct suo_ep *ep = req->conn->ep;

	if (req->counted)
		req->conn->amos--;
	if (req->coll) {
		suo_coll_tx_done(req, err);
	} else if (req->rx) {
		suo_rndv_read_done(req, err, prov_errno);
	} else if (req->user) {
		suo_cntr_add(ep->cntr[suo_cntr_kind(req->flags)], err);
		if (req->comp || err)
			suo_cq_push(ep->tx_cq, &e, FI_ADDR_NOTAVAIL);
	}
	suo_tx_put(req);
}

/* The request that an answer is to, or NULL. */
struct suo_txreq *suo_tx_answered(struct suo_conn *conn, uint64_t id)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &conn->rts) {
		struct suo_txreq *req = suo_entry(pos, struct suo_txreq, link);

		if (req->id == id)
			return req->finished ? NULL : req;
	}
	return NULL;
}

/* What the device would have said of an error that the peer's processor found. */
static int status_of(int err)
{
	switch (err) {
	case 0:
		return IBV_WC_SUCCESS;
	case FI_EACCES:
		return IBV_WC_REM_ACCESS_ERR;
	case FI_EINVAL:
		return IBV_WC_REM_INV_REQ_ERR;
	default:
		return IBV_WC_GENERAL_ERR;
	}
}

/* The peer has answered, with req->err. */
void suo_tx_finish(struct suo_txreq *req)
{
	req->finished = true;
	if (!req->sent)
		return;
	suo_list_del(&req->link);
	suo_tx_done(req, req->err, status_of(req->err));
}

/* The result of an atomic operation goes to where it is wanted. */
void suo_tx_take_result(struct suo_txreq *req, const uint8_t *from)
{
	for (unsigned int i = 0; i < req->nresult; i++) {
		memcpy(req->result[i].iov_base, from, req->result[i].iov_len);
		from += req->result[i].iov_len;
	}
}

void suo_tx_wc(struct suo_txreq *req, const struct ibv_wc *wc)
{
	struct suo_conn *conn = req->conn;
	int err = suo_wc_errno(wc->status);

	conn->outstanding--;
	conn->ep->outstanding--;
	if (err) {
		if (!conn->dying)
			suo_warn(EP_DATA, "operation %d to a peer failed: %s\n",
				 req->wr.opcode, ibv_wc_status_str(wc->status));
		suo_conn_fail(conn, err, wc->status);
	}
	if (req->rts)
		suo_list_del(&req->link);
	if (req->rts && !err && !req->finished) {
		req->sent = true;
		suo_list_add_tail(&req->link, &conn->rts);
		suo_conn_watch(conn);
	} else if (!err || req->finished) {
		if (req->rma)
			suo_tx_take_result(req, req->area);
		suo_tx_done(req, req->err, status_of(req->err));
	} else {
		suo_tx_done(req, err, wc->status);
	}
	suo_conn_settle(conn);
}
