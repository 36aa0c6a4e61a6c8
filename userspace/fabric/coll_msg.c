// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What members of a group send to each other. */
#include <arpa/inet.h>

#include "coll.h"

struct suo_conn *suo_coll_conn(struct suo_coll_group *group, uint32_t member)
{
	if (!group->conn[member])
		group->conn[member] = suo_conn_get(group->ep, &group->addr[member]);
	return group->conn[member];
}

int suo_coll_expect(struct suo_coll_group *group, uint32_t member, bool *owed)
{
	struct suo_conn *conn = suo_coll_conn(group, member);

	if (!conn)
		return -FI_ENOMEM;
	conn->owed++;
	*owed = true;
	if (conn->hs.state == SUO_HS_READY)
		suo_conn_watch(conn);
	else if (conn->hs.state == SUO_HS_IDLE && !conn->dying)
		suo_conn_connect(conn);
	return 0;
}

static struct suo_txreq *new_request(struct suo_coll_group *group, uint32_t member,
				     enum suo_wire_op op, uint32_t seq, uint32_t index,
				     size_t len)
{
	struct suo_conn *conn = suo_coll_conn(group, member);
	struct suo_txreq *req = conn ? suo_tx_get(group->ep, conn, false) : NULL;
	struct suo_hdr *hdr;

	if (!req)
		return NULL;
	hdr = suo_tx_header(req, op, len, (uint64_t)seq << 32 | index);
	hdr->data = htonl(group->self);
	hdr->tag = htobe64(group->key);
	return req;
}

int suo_coll_control(struct suo_coll_group *group, uint32_t member, enum suo_wire_op op,
		     uint32_t seq, uint32_t index, const void *data, size_t len)
{
	struct suo_txreq *req = new_request(group, member, op, seq, index, len);
	uint8_t *room;

	if (!req)
		return -FI_ENOMEM;
	room = suo_tx_room(req, sizeof(struct suo_hdr), len);
	if (!room) {
		suo_tx_put(req);
		return -FI_ENOMEM;
	}
	if (len)
		memcpy(room, data, len);
	suo_tx_submit(req);
	return 0;
}

int suo_coll_eager(struct suo_coll_op *op, uint32_t member, uint32_t index,
		   const void *buf, size_t len)
{
	struct iovec iov = { (void *)buf, len };
	struct suo_txreq *req;
	int err;

	req = new_request(op->group, member, SUO_OP_COLL_DATA, op->seq, index, len);
	if (!req)
		return -FI_ENOMEM;
	/* Without a descriptor it is copied. */
	err = suo_tx_payload(req, &iov, NULL, 1, len, sizeof(struct suo_hdr), true);
	if (err) {
		suo_tx_put(req);
		return err;
	}
	suo_tx_submit(req);
	return 0;
}

/* One write of a message that may be longer than the device's longest. */
static int write_piece(struct suo_coll_op *op, uint32_t i, size_t done, size_t len)
{
	const struct suo_coll_step *step = &op->plan->step[i];
	struct suo_coll_state *state = &op->state[i];
	struct suo_conn *conn = suo_coll_conn(op->group, step->peer);
	struct suo_txreq *req = conn ? suo_tx_get(op->group->ep, conn, false) : NULL;

	if (!req)
		return -FI_ENOMEM;
	req->wr.opcode = IBV_WR_RDMA_WRITE;
	req->wr.wr.rdma.remote_addr = state->place.addr + done;
	req->wr.wr.rdma.rkey = state->place.rkey;
	suo_tx_sge(req, op->base[step->buf] + step->off * op->elem + done, len,
		   op->mr[step->buf]->lkey);
	req->coll = op;
	req->coll_step = i;
	op->inflight++;
	state->writes++;
	suo_tx_submit(req);
	return 0;
}

int suo_coll_write(struct suo_coll_op *op, uint32_t i)
{
	const struct suo_coll_step *step = &op->plan->step[i];
	size_t len = step->len * op->elem, most = op->group->ep->domain->dev.port.max_msg_sz;
	int err = 0;

	for (size_t done = 0; done < len && !err && !op->err; done += most)
		err = write_piece(op, i, done, len - done < most ? len - done : most);
	if (err || op->err)
		return err;
	return suo_coll_control(op->group, step->peer, SUO_OP_COLL_DONE, op->seq, step->index,
				NULL, 0);
}

bool suo_coll_valid(const struct suo_hdr *hdr, size_t size)
{
	switch (hdr->op) {
	case SUO_OP_COLL_DATA:
		return hdr->len == size;
	case SUO_OP_COLL_READY:
		return hdr->len == size && size == sizeof(struct suo_seg);
	default:
		return !size;
	}
}

static struct suo_coll_group *find_group(const struct suo_coll_ep *coll, uint64_t key)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &coll->groups) {
		struct suo_coll_group *group = suo_entry(pos, struct suo_coll_group, link);

		if (group->key == key)
			return group;
	}
	return NULL;
}

static struct suo_coll_op *find_op(const struct suo_coll_group *group, uint32_t seq)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &group->ops) {
		struct suo_coll_op *op = suo_entry(pos, struct suo_coll_op, link);

		if (op->seq == seq)
			return op;
	}
	return NULL;
}

static void group_message(struct suo_coll_group *group, struct suo_conn *conn,
			  const struct suo_hdr *hdr, const uint8_t *payload, size_t size)
{
	uint32_t seq = hdr->id >> 32;
	struct suo_coll_op *op;

	if (hdr->data >= group->n || suo_coll_conn(group, hdr->data) != conn) {
		suo_warn(EP_DATA, "a message of a collective from a stranger\n");
		suo_conn_fail(conn, FI_EIO, 0);
		return;
	}
	if (hdr->op == SUO_OP_COLL_ABORT) {
		suo_coll_fail(group, FI_ECONNABORTED, false);
		return;
	}
	if (group->err) {
		/* It does not know yet. */
		suo_coll_control(group, hdr->data, SUO_OP_COLL_ABORT, 0, 0, NULL, 0);
		return;
	}
	if (!seq) {
		suo_coll_join_message(group, hdr, payload, size);
		return;
	}
	op = find_op(group, seq);
	if (op) {
		suo_coll_message(op, conn, hdr, payload, size);
	} else if ((int32_t)(seq - group->next_seq) >= 0) {
		if (!suo_coll_keep(&group->early, conn, hdr, payload, size))
			suo_coll_fail(group, FI_ENOMEM, true);
	}
}

void suo_coll_rx(struct suo_conn *conn, const struct suo_hdr *hdr, const uint8_t *payload,
		 size_t size)
{
	struct suo_coll_ep *coll = &conn->ep->coll;
	struct suo_coll_group *group = find_group(coll, hdr->tag);

	if (group) {
		group_message(group, conn, hdr, payload, size);
		return;
	}
	/* Of a group that will be joined, or one that has been left. */
	if (hdr->op == SUO_OP_COLL_ABORT)
		return;
	if (coll->norphans == SUO_COLL_MAX_ORPHANS ||
	    !suo_coll_keep(&coll->orphans, conn, hdr, payload, size)) {
		suo_warn(EP_DATA, "too many messages of groups that nobody has joined here\n");
		suo_conn_fail(conn, FI_ENOMEM, 0);
		return;
	}
	coll->norphans++;
}
