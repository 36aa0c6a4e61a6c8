// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_atomic at the initiator. Sums and compare-and-swaps of one aligned 8-byte
 * integer are the device's own operations, where these are atomic towards the
 * processor too; everything else is a message that the target's processor
 * carries out and answers (amo_target.c).
 */
#include <arpa/inet.h>

#include "suo_fi.h"

#define NATIVE_SIZE	8

/**
 * struct amo - an atomic operation
 * @kind: which call it is
 * @msg: operands, target, operation
 * @cmp: what is compared
 * @ncmp: entries of @cmp
 * @res: where the old values go
 * @nres: entries of @res
 * @flags: of the operation
 * @comp: it ends with a completion
 * @size: bytes of an element
 * @count: elements
 */
struct amo {
	enum suo_amo_kind		kind;
	const struct fi_msg_atomic	*msg;
	const struct fi_ioc		*cmp;
	size_t				ncmp;
	const struct fi_ioc		*res;
	size_t				nres;
	uint64_t			flags;
	bool				comp;
	size_t				size;
	size_t				count;
};

static size_t ioc_count(const struct fi_ioc *ioc, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += ioc[i].count;
	return count;
}

static bool has_operand(const struct amo *amo)
{
	return amo->msg->op != FI_ATOMIC_READ;
}

static bool is_native(const struct suo_ep *ep, const struct amo *amo)
{
	const struct fi_msg_atomic *msg = amo->msg;

	if (!ep->domain->native_atomics || !ep->max_rd_atomic || amo->count != 1 ||
	    (msg->rma_iov->addr & (NATIVE_SIZE - 1)) ||
	    (msg->datatype != FI_INT64 && msg->datatype != FI_UINT64))
		return false;
	return amo->kind == SUO_AMO_COMPARE ? msg->op == FI_CSWAP : msg->op == FI_SUM;
}

static const void *first_element(const struct fi_ioc *ioc, size_t n)
{
	while (n && !ioc->count) {
		ioc++;
		n--;
	}
	return ioc->addr;
}

static void prepare_native(struct suo_txreq *req, const struct amo *amo)
{
	const struct fi_msg_atomic *msg = amo->msg;
	struct ibv_send_wr *wr = &req->wr;
	uint64_t operand, compare;

	memcpy(&operand, first_element(msg->msg_iov, msg->iov_count), sizeof(operand));
	wr->wr.atomic.remote_addr = msg->rma_iov->addr;
	wr->wr.atomic.rkey = (uint32_t)msg->rma_iov->key;
	if (amo->kind == SUO_AMO_COMPARE) {
		memcpy(&compare, first_element(amo->cmp, amo->ncmp), sizeof(compare));
		wr->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
		wr->wr.atomic.compare_add = compare;
		wr->wr.atomic.swap = operand;
	} else {
		wr->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		wr->wr.atomic.compare_add = operand;
	}
	suo_tx_sge(req, req->area, NATIVE_SIZE, req->area_lkey);
	req->rma = true;
}

static int prepare_message(struct suo_txreq *req, const struct amo *amo)
{
	struct suo_amo_hdr *head;
	const struct fi_msg_atomic *msg = amo->msg;
	struct iovec iov[2 * SUO_IOV_MAX];
	size_t n = 0, len = 0;

	for (size_t i = 0; has_operand(amo) && i < msg->iov_count; i++, n++) {
		iov[n].iov_base = msg->msg_iov[i].addr;
		iov[n].iov_len = msg->msg_iov[i].count * amo->size;
		len += iov[n].iov_len;
	}
	for (size_t i = 0; i < amo->ncmp; i++, n++) {
		iov[n].iov_base = amo->cmp[i].addr;
		iov[n].iov_len = amo->cmp[i].count * amo->size;
		len += iov[n].iov_len;
	}
	req->rts = true;
	req->amo = true;
	req->id = req->conn->ep->next_id++;
	head = (struct suo_amo_hdr *)(suo_tx_header(req, SUO_OP_AMO, sizeof(*head) + len,
						    req->id) + 1);
	memset(head, 0, sizeof(*head));
	head->addr = htobe64(msg->rma_iov->addr);
	head->rkey = htonl((uint32_t)msg->rma_iov->key);
	head->count = htonl(amo->count);
	head->kind = amo->kind;
	head->type = msg->datatype;
	head->op = msg->op;
	return suo_tx_payload(req, iov, NULL, n, len, sizeof(struct suo_hdr) + sizeof(*head),
			      true);
}

static ssize_t amo_locked(struct suo_ep *ep, const struct amo *amo)
{
	struct suo_conn *conn = suo_conn_by_fi_addr(ep, amo->msg->addr);
	struct suo_txreq *req;
	int err = 0;

	if (!conn)
		return -FI_EINVAL;
	req = suo_tx_get(ep, conn, true);
	if (!req)
		return -FI_EAGAIN;
	req->comp = amo->comp;
	req->context = amo->msg->context;
	req->flags = FI_ATOMIC | (amo->kind == SUO_AMO_WRITE ? FI_WRITE : FI_READ);
	for (size_t i = 0; i < amo->nres; i++) {
		req->result[i].iov_base = amo->res[i].addr;
		req->result[i].iov_len = amo->res[i].count * amo->size;
	}
	req->nresult = amo->nres;
	if (is_native(ep, amo))
		prepare_native(req, amo);
	else
		err = prepare_message(req, amo);
	if (err) {
		suo_tx_put(req);
		return err;
	}
	suo_tx_submit(req);
	return 0;
}

static ssize_t check_lists(const struct amo *amo)
{
	const struct fi_msg_atomic *msg = amo->msg;

	if (msg->iov_count > SUO_IOV_MAX || amo->ncmp > SUO_IOV_MAX ||
	    amo->nres > SUO_IOV_MAX || msg->rma_iov_count != 1)
		return -FI_EINVAL;
	if (msg->rma_iov->key > UINT32_MAX || !amo->count)
		return -FI_EINVAL;
	if (has_operand(amo) && ioc_count(msg->msg_iov, msg->iov_count) != amo->count)
		return -FI_EINVAL;
	if (amo->kind != SUO_AMO_WRITE && ioc_count(amo->res, amo->nres) != amo->count)
		return -FI_EINVAL;
	if (amo->kind == SUO_AMO_COMPARE && ioc_count(amo->cmp, amo->ncmp) != amo->count)
		return -FI_EINVAL;
	return 0;
}

/* The operands, and what they are compared with, go into one receive buffer. */
static size_t max_count(enum suo_amo_kind kind, size_t size)
{
	return suo_rx_room() / (kind == SUO_AMO_COMPARE ? 2 : 1) / size;
}

static ssize_t amo_start(struct suo_ep *ep, struct amo *amo)
{
	const struct fi_msg_atomic *msg = amo->msg;
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (amo->flags & ~(SUO_TX_FLAGS & ~FI_REMOTE_CQ_DATA))
		return -FI_EINVAL;
	if (!suo_amo_valid(amo->kind, msg->datatype, msg->op))
		return -FI_EOPNOTSUPP;
	amo->size = suo_amo_size(msg->datatype);
	amo->count = msg->rma_iov_count == 1 ? msg->rma_iov->count : 0;
	ret = check_lists(amo);
	if (ret)
		return ret;
	if (amo->count > max_count(amo->kind, amo->size))
		return -FI_EMSGSIZE;
	if ((amo->flags & FI_INJECT) && amo->count * amo->size > SUO_INJECT_SIZE)
		return -FI_EMSGSIZE;

	pthread_mutex_lock(&ep->domain->lock);
	ret = amo_locked(ep, amo);
	pthread_mutex_unlock(&ep->domain->lock);
	return ret;
}

/* The peer has answered. */
void suo_amo_answer(struct suo_conn *conn, const struct suo_hdr *hdr, const uint8_t *payload)
{
	struct suo_txreq *req = suo_tx_answered(conn, hdr->id);
	size_t want = 0;

	if (!req || !req->amo)
		return;
	req->err = hdr->data;
	for (unsigned int i = 0; i < req->nresult; i++)
		want += req->result[i].iov_len;
	if (!req->err && want != hdr->len)
		req->err = FI_EIO;
	if (!req->err)
		suo_tx_take_result(req, payload);
	suo_tx_finish(req);
}

/* The calls that take a message */

static ssize_t atomic_writemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
			       uint64_t flags)
{
	struct amo amo = {
		.kind	= SUO_AMO_WRITE,
		.msg	= msg,
		.flags	= flags,
		.comp	= suo_tx_comp(to_ep(ep), flags),
	};

	return amo_start(to_ep(ep), &amo);
}

static ssize_t atomic_readwritemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
				   struct fi_ioc *resultv, void **result_desc,
				   size_t result_count, uint64_t flags)
{
	struct amo amo = {
		.kind	= SUO_AMO_FETCH,
		.msg	= msg,
		.res	= resultv,
		.nres	= result_count,
		.flags	= flags & ~FI_INJECT,
		.comp	= suo_tx_comp(to_ep(ep), flags),
	};

	return amo_start(to_ep(ep), &amo);
}

static ssize_t atomic_compwritemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
				   const struct fi_ioc *comparev, void **compare_desc,
				   size_t compare_count, struct fi_ioc *resultv,
				   void **result_desc, size_t result_count, uint64_t flags)
{
	struct amo amo = {
		.kind	= SUO_AMO_COMPARE,
		.msg	= msg,
		.cmp	= comparev,
		.ncmp	= compare_count,
		.res	= resultv,
		.nres	= result_count,
		.flags	= flags & ~FI_INJECT,
		.comp	= suo_tx_comp(to_ep(ep), flags),
	};

	return amo_start(to_ep(ep), &amo);
}

/* The others, which are made of these */

static size_t target_count(const struct fi_ioc *iov, size_t count)
{
	return count > SUO_IOV_MAX ? 0 : ioc_count(iov, count);
}

/* For one target: the message refers to what the caller has. */
static struct fi_msg_atomic make_msg(const struct fi_ioc *iov, size_t count, fi_addr_t dest,
				     const struct fi_rma_ioc *target,
				     enum fi_datatype datatype, enum fi_op op, void *context)
{
	return (struct fi_msg_atomic){
		.msg_iov	= iov,
		.iov_count	= count,
		.addr		= dest,
		.rma_iov	= target,
		.rma_iov_count	= 1,
		.datatype	= datatype,
		.op		= op,
		.context	= context,
	};
}

/* Flags of the calls that are given none. */
static uint64_t usual_flags(struct fid_ep *ep)
{
	return to_ep(ep)->tx_op_flags & ~FI_REMOTE_CQ_DATA;
}

static ssize_t atomic_writev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
			     size_t count, fi_addr_t dest, uint64_t addr, uint64_t key,
			     enum fi_datatype datatype, enum fi_op op, void *context)
{
	struct fi_rma_ioc target = { addr, target_count(iov, count), key };
	struct fi_msg_atomic msg = make_msg(iov, count, dest, &target, datatype, op, context);

	return atomic_writemsg(ep, &msg, usual_flags(ep));
}

static ssize_t atomic_write(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			    fi_addr_t dest, uint64_t addr, uint64_t key,
			    enum fi_datatype datatype, enum fi_op op, void *context)
{
	struct fi_ioc iov = { (void *)buf, count };

	return atomic_writev(ep, &iov, NULL, 1, dest, addr, key, datatype, op, context);
}

static ssize_t atomic_inject(struct fid_ep *ep, const void *buf, size_t count,
			     fi_addr_t dest, uint64_t addr, uint64_t key,
			     enum fi_datatype datatype, enum fi_op op)
{
	struct fi_ioc iov = { (void *)buf, count };
	struct fi_rma_ioc target = { addr, count, key };
	struct fi_msg_atomic msg = make_msg(&iov, 1, dest, &target, datatype, op, NULL);
	struct amo amo = { .kind = SUO_AMO_WRITE, .msg = &msg, .flags = FI_INJECT };

	return amo_start(to_ep(ep), &amo);
}

static ssize_t atomic_readwritev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
				 size_t count, struct fi_ioc *resultv, void **result_desc,
				 size_t result_count, fi_addr_t dest, uint64_t addr,
				 uint64_t key, enum fi_datatype datatype, enum fi_op op,
				 void *context)
{
	struct fi_rma_ioc target = { addr, target_count(resultv, result_count), key };
	struct fi_msg_atomic msg = make_msg(iov, count, dest, &target, datatype, op, context);

	return atomic_readwritemsg(ep, &msg, resultv, result_desc, result_count, usual_flags(ep));
}

static ssize_t atomic_readwrite(struct fid_ep *ep, const void *buf, size_t count,
				void *desc, void *result, void *result_desc,
				fi_addr_t dest, uint64_t addr, uint64_t key,
				enum fi_datatype datatype, enum fi_op op, void *context)
{
	struct fi_ioc iov = { (void *)buf, count }, res = { result, count };

	return atomic_readwritev(ep, &iov, NULL, 1, &res, NULL, 1, dest, addr, key, datatype,
				 op, context);
}

static ssize_t atomic_compwritev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
				 size_t count, const struct fi_ioc *comparev,
				 void **compare_desc, size_t compare_count,
				 struct fi_ioc *resultv, void **result_desc,
				 size_t result_count, fi_addr_t dest, uint64_t addr,
				 uint64_t key, enum fi_datatype datatype, enum fi_op op,
				 void *context)
{
	struct fi_rma_ioc target = { addr, target_count(iov, count), key };
	struct fi_msg_atomic msg = make_msg(iov, count, dest, &target, datatype, op, context);

	return atomic_compwritemsg(ep, &msg, comparev, compare_desc, compare_count, resultv,
				   result_desc, result_count, usual_flags(ep));
}

static ssize_t atomic_compwrite(struct fid_ep *ep, const void *buf, size_t count,
				void *desc, const void *compare, void *compare_desc,
				void *result, void *result_desc, fi_addr_t dest,
				uint64_t addr, uint64_t key, enum fi_datatype datatype,
				enum fi_op op, void *context)
{
	struct fi_ioc iov = { (void *)buf, count }, res = { result, count };
	struct fi_ioc cmp = { (void *)compare, count };

	return atomic_compwritev(ep, &iov, NULL, 1, &cmp, NULL, 1, &res, NULL, 1, dest, addr,
				 key, datatype, op, context);
}

static int valid(enum suo_amo_kind kind, enum fi_datatype datatype, enum fi_op op,
		 size_t *count)
{
	if (!suo_amo_valid(kind, datatype, op))
		return -FI_EOPNOTSUPP;
	*count = max_count(kind, suo_amo_size(datatype));
	return 0;
}

static int atomic_writevalid(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
			     size_t *count)
{
	return valid(SUO_AMO_WRITE, datatype, op, count);
}

static int atomic_readwritevalid(struct fid_ep *ep, enum fi_datatype datatype,
				 enum fi_op op, size_t *count)
{
	return valid(SUO_AMO_FETCH, datatype, op, count);
}

static int atomic_compwritevalid(struct fid_ep *ep, enum fi_datatype datatype,
				 enum fi_op op, size_t *count)
{
	return valid(SUO_AMO_COMPARE, datatype, op, count);
}

int suo_query_atomic(struct fid_domain *domain, enum fi_datatype datatype, enum fi_op op,
		     struct fi_atomic_attr *attr, uint64_t flags)
{
	enum suo_amo_kind kind = SUO_AMO_WRITE;

	if ((flags & ~(FI_FETCH_ATOMIC | FI_COMPARE_ATOMIC)) ||
	    flags == (FI_FETCH_ATOMIC | FI_COMPARE_ATOMIC))
		return flags & FI_TAGGED ? -FI_EOPNOTSUPP : -FI_EINVAL;
	if (flags & FI_FETCH_ATOMIC)
		kind = SUO_AMO_FETCH;
	else if (flags & FI_COMPARE_ATOMIC)
		kind = SUO_AMO_COMPARE;
	attr->size = suo_amo_size(datatype);
	return valid(kind, datatype, op, &attr->count);
}

struct fi_ops_atomic suo_atomic_ops = {
	.size		= sizeof(struct fi_ops_atomic),
	.write		= atomic_write,
	.writev		= atomic_writev,
	.writemsg	= atomic_writemsg,
	.inject		= atomic_inject,
	.readwrite	= atomic_readwrite,
	.readwritev	= atomic_readwritev,
	.readwritemsg	= atomic_readwritemsg,
	.compwrite	= atomic_compwrite,
	.compwritev	= atomic_compwritev,
	.compwritemsg	= atomic_compwritemsg,
	.writevalid	= atomic_writevalid,
	.readwritevalid	= atomic_readwritevalid,
	.compwritevalid	= atomic_compwritevalid,
};
