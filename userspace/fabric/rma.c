// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_rma: each call is one RDMA READ or WRITE. */
#include <arpa/inet.h>

#include "suo_fi.h"

static int prepare(struct suo_txreq *req, const struct fi_msg_rma *msg, bool write,
		   uint64_t flags, size_t len)
{
	if (!write)
		req->wr.opcode = IBV_WR_RDMA_READ;
	else if (flags & FI_REMOTE_CQ_DATA)
		req->wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	else
		req->wr.opcode = IBV_WR_RDMA_WRITE;
	req->rma = true;
	req->wr.imm_data = htonl((uint32_t)msg->data);
	req->wr.wr.rdma.remote_addr = msg->rma_iov->addr;
	req->wr.wr.rdma.rkey = (uint32_t)msg->rma_iov->key;
	req->flags = FI_RMA | (write ? FI_WRITE : FI_READ);
	req->context = msg->context;
	return suo_tx_payload(req, msg->msg_iov, msg->desc, msg->iov_count, len, 0, write);
}

static ssize_t rma_locked(struct suo_ep *ep, const struct fi_msg_rma *msg, bool write,
			  uint64_t flags, bool comp, size_t len)
{
	struct suo_txreq *req;
	struct suo_conn *conn;
	int err;

	conn = suo_conn_by_fi_addr(ep, msg->addr);
	if (!conn)
		return -FI_EINVAL;
	req = suo_tx_get(ep, conn, true);
	if (!req)
		return -FI_EAGAIN;
	req->comp = comp;
	err = prepare(req, msg, write, flags, len);
	if (err) {
		suo_tx_put(req);
		return err;
	}
	suo_tx_submit(req);
	return 0;
}

static ssize_t rma(struct suo_ep *ep, const struct fi_msg_rma *msg, bool write,
		   uint64_t flags, bool comp)
{
	size_t len = 0;
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (msg->iov_count > SUO_IOV_MAX || msg->rma_iov_count != 1 ||
	    msg->rma_iov->key > UINT32_MAX || (flags & ~SUO_TX_FLAGS))
		return -FI_EINVAL;
	for (size_t i = 0; i < msg->iov_count; i++)
		len += msg->msg_iov[i].iov_len;
	if (len != msg->rma_iov->len)
		return -FI_EINVAL;
	if (len > ep->domain->dev.port.max_msg_sz ||
	    ((flags & FI_INJECT) && len > SUO_INJECT_SIZE))
		return -FI_EMSGSIZE;
	if (!write && (flags & (FI_REMOTE_CQ_DATA | FI_INJECT)))
		return -FI_EINVAL;

	pthread_mutex_lock(&ep->domain->lock);
	ret = rma_locked(ep, msg, write, flags, comp, len);
	pthread_mutex_unlock(&ep->domain->lock);
	return ret;
}

static ssize_t rma_iov(struct suo_ep *ep, const struct iovec *iov, void **desc,
		       size_t count, uint64_t data, fi_addr_t peer, uint64_t addr,
		       uint64_t key, void *context, bool write, uint64_t flags, bool comp)
{
	struct fi_rma_iov target = { .addr = addr, .key = key };
	struct fi_msg_rma msg = {
		.msg_iov	= iov,
		.desc		= desc,
		.iov_count	= count,
		.addr		= peer,
		.rma_iov	= &target,
		.rma_iov_count	= 1,
		.context	= context,
		.data		= data,
	};

	for (size_t i = 0; i < count; i++)
		target.len += iov[i].iov_len;
	return rma(ep, &msg, write, flags, comp);
}

static ssize_t rma_readv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			 size_t count, fi_addr_t src, uint64_t addr, uint64_t key,
			 void *context)
{
	struct suo_ep *ep = to_ep(fid);
	uint64_t flags = ep->tx_op_flags & ~(FI_INJECT | FI_REMOTE_CQ_DATA);

	return rma_iov(ep, iov, desc, count, 0, src, addr, key, context, false, flags,
		       suo_tx_comp(ep, flags));
}

static ssize_t rma_read(struct fid_ep *ep, void *buf, size_t len, void *desc,
			fi_addr_t src, uint64_t addr, uint64_t key, void *context)
{
	struct iovec iov = { buf, len };

	return rma_readv(ep, &iov, &desc, 1, src, addr, key, context);
}

static ssize_t rma_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
	return rma(to_ep(ep), msg, false, flags, suo_tx_comp(to_ep(ep), flags));
}

static ssize_t rma_writev(struct fid_ep *fid, const struct iovec *iov, void **desc,
			  size_t count, fi_addr_t dest, uint64_t addr, uint64_t key,
			  void *context)
{
	struct suo_ep *ep = to_ep(fid);

	return rma_iov(ep, iov, desc, count, 0, dest, addr, key, context, true,
		       ep->tx_op_flags, suo_tx_comp(ep, ep->tx_op_flags));
}

static ssize_t rma_write(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			 fi_addr_t dest, uint64_t addr, uint64_t key, void *context)
{
	struct iovec iov = { (void *)buf, len };

	return rma_writev(ep, &iov, &desc, 1, dest, addr, key, context);
}

static ssize_t rma_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
	return rma(to_ep(ep), msg, true, flags, suo_tx_comp(to_ep(ep), flags));
}

static ssize_t rma_inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest,
			  uint64_t addr, uint64_t key)
{
	struct iovec iov = { (void *)buf, len };

	return rma_iov(to_ep(ep), &iov, NULL, 1, 0, dest, addr, key, NULL, true, FI_INJECT,
		       false);
}

static ssize_t rma_writedata(struct fid_ep *fid, const void *buf, size_t len, void *desc,
			     uint64_t data, fi_addr_t dest, uint64_t addr, uint64_t key,
			     void *context)
{
	struct iovec iov = { (void *)buf, len };
	struct suo_ep *ep = to_ep(fid);

	return rma_iov(ep, &iov, &desc, 1, data, dest, addr, key, context, true,
		       ep->tx_op_flags | FI_REMOTE_CQ_DATA, suo_tx_comp(ep, ep->tx_op_flags));
}

static ssize_t rma_injectdata(struct fid_ep *ep, const void *buf, size_t len,
			      uint64_t data, fi_addr_t dest, uint64_t addr, uint64_t key)
{
	struct iovec iov = { (void *)buf, len };

	return rma_iov(to_ep(ep), &iov, NULL, 1, data, dest, addr, key, NULL, true,
		       FI_INJECT | FI_REMOTE_CQ_DATA, false);
}

struct fi_ops_rma suo_rma_ops = {
	.size		= sizeof(struct fi_ops_rma),
	.read		= rma_read,
	.readv		= rma_readv,
	.readmsg	= rma_readmsg,
	.write		= rma_write,
	.writev		= rma_writev,
	.writemsg	= rma_writemsg,
	.inject		= rma_inject,
	.writedata	= rma_writedata,
	.injectdata	= rma_injectdata,
};
