// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Atomic operations that another endpoint wants done to memory registered here.
 * They are done in the order in which they came from it, each under the domain's
 * lock, and each is answered, with an error number or with the old values.
 */
#include <arpa/inet.h>

#include "suo_fi.h"

/* What the operation does to the memory, as registrations permit it. */
static uint64_t access_of(const struct suo_amo_hdr *head)
{
	if (head->op == FI_ATOMIC_READ)
		return FI_REMOTE_READ;
	if (head->kind == SUO_AMO_WRITE)
		return FI_REMOTE_WRITE;
	return FI_REMOTE_READ | FI_REMOTE_WRITE;
}

static bool inside(const struct ibv_mr *mr, uint64_t addr, uint64_t len)
{
	uint64_t start = (uintptr_t)mr->addr;

	return addr >= start && len <= mr->length && addr - start <= mr->length - len;
}

/* Returns a positive error number if the operation cannot be done. */
static int check(struct suo_domain *dom, const struct suo_amo_hdr *head, size_t operands)
{
	uint64_t len, want;
	struct suo_mr *mr;

	if (!suo_amo_valid(head->kind, head->type, head->op) || !head->count)
		return FI_EINVAL;
	len = (uint64_t)head->count * suo_amo_size(head->type);
	want = head->op == FI_ATOMIC_READ ? 0 : len;
	if (head->kind == SUO_AMO_COMPARE)
		want += len;
	if (want != operands || len > suo_rx_room())
		return FI_EINVAL;
	mr = suo_mr_find(dom, head->rkey);
	if (!mr || !inside(mr->mr, head->addr, len) ||
	    (access_of(head) & ~mr->access))
		return FI_EACCES;
	if (head->addr & (suo_amo_align(head->type) - 1))
		return FI_EINVAL;
	return 0;
}

/**
 * suo_amo_request() - do what a peer asks for, and answer
 * @conn: the peer
 * @hdr: the header in host order
 * @payload: struct suo_amo_hdr and operands, hdr->len bytes
 */
void suo_amo_request(struct suo_conn *conn, const struct suo_hdr *hdr, const uint8_t *payload)
{
	const uint8_t *operand = payload + sizeof(struct suo_amo_hdr);
	struct suo_amo_hdr head;
	struct suo_hdr *answer;
	struct suo_txreq *req;
	uint8_t *result;
	size_t len = 0;
	int err;

	if (conn->dying || conn->hs.state == SUO_HS_IDLE)
		return;
	memcpy(&head, payload, sizeof(head));
	head.addr = be64toh(head.addr);
	head.rkey = ntohl(head.rkey);
	head.count = ntohl(head.count);
	err = check(conn->ep->domain, &head, hdr->len - sizeof(head));
	if (!err && head.kind != SUO_AMO_WRITE)
		len = head.count * suo_amo_size(head.type);

	req = suo_tx_get(conn->ep, conn, false);
	if (!req)
		goto memory;
	result = suo_tx_room(req, sizeof(*answer), len);
	if (!result)
		goto room;
	if (!err)
		suo_amo_apply(head.type, head.op, (void *)(uintptr_t)head.addr,
			      head.op == FI_ATOMIC_READ ? NULL : operand,
			      head.kind == SUO_AMO_COMPARE ?
			      operand + len : NULL,
			      len ? result : NULL, head.count);
	answer = suo_tx_header(req, SUO_OP_ANSWER, len, hdr->id);
	answer->data = htonl(err);
	suo_tx_submit(req);
	return;

room:
	suo_tx_put(req);
memory:
	suo_warn(EP_DATA, "no memory to answer an atomic operation\n");
	suo_conn_fail(conn, FI_ENOMEM, 0);
}
