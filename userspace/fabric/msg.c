// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_msg: the untagged calls. */
#include "suo_fi.h"

static ssize_t post_recv(struct suo_ep *ep, const struct iovec *iov, void **desc,
			 size_t count, fi_addr_t src, void *context, uint64_t flags)
{
	ssize_t ret;

	pthread_mutex_lock(&ep->domain->lock);
	ret = suo_rx_post(ep, false, iov, desc, count, src, 0, UINT64_MAX, context, flags);
	pthread_mutex_unlock(&ep->domain->lock);
	return ret;
}

static ssize_t msg_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			fi_addr_t src, void *context)
{
	struct iovec iov = { buf, len };

	return post_recv(to_ep(ep), &iov, &desc, 1, src, context, to_ep(ep)->rx_op_flags);
}

static ssize_t msg_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			 size_t count, fi_addr_t src, void *context)
{
	return post_recv(to_ep(ep), iov, desc, count, src, context, to_ep(ep)->rx_op_flags);
}

static ssize_t msg_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	if (flags & ~SUO_RX_FLAGS)
		return -FI_EINVAL;
	return post_recv(to_ep(ep), msg->msg_iov, msg->desc, msg->iov_count, msg->addr,
			 msg->context, flags);
}

static ssize_t msg_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			 size_t count, fi_addr_t dest, void *context)
{
	struct suo_send s = {
		.iov		= iov,
		.desc		= desc,
		.count		= count,
		.dest		= dest,
		.flags		= to_ep(ep)->tx_op_flags,
		.comp		= suo_tx_comp(to_ep(ep), to_ep(ep)->tx_op_flags),
		.context	= context,
	};

	return suo_send(to_ep(ep), &s);
}

static ssize_t msg_send(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			fi_addr_t dest, void *context)
{
	struct iovec iov = { (void *)buf, len };

	return msg_sendv(ep, &iov, &desc, 1, dest, context);
}

static ssize_t msg_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	struct suo_send s = {
		.iov		= msg->msg_iov,
		.desc		= msg->desc,
		.count		= msg->iov_count,
		.dest		= msg->addr,
		.data		= msg->data,
		.flags		= flags,
		.comp		= suo_tx_comp(to_ep(ep), flags),
		.context	= msg->context,
	};

	return suo_send(to_ep(ep), &s);
}

static ssize_t inject(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
		      fi_addr_t dest, uint64_t flags)
{
	struct iovec iov = { (void *)buf, len };
	struct suo_send s = {
		.iov		= &iov,
		.count		= 1,
		.dest		= dest,
		.data		= data,
		.flags		= FI_INJECT | flags,
	};

	return suo_send(to_ep(ep), &s);
}

static ssize_t msg_inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest)
{
	return inject(ep, buf, len, 0, dest, 0);
}

static ssize_t msg_injectdata(struct fid_ep *ep, const void *buf, size_t len,
			      uint64_t data, fi_addr_t dest)
{
	return inject(ep, buf, len, data, dest, FI_REMOTE_CQ_DATA);
}

static ssize_t msg_senddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			    uint64_t data, fi_addr_t dest, void *context)
{
	struct iovec iov = { (void *)buf, len };
	struct suo_send s = {
		.iov		= &iov,
		.desc		= &desc,
		.count		= 1,
		.dest		= dest,
		.data		= data,
		.flags		= to_ep(ep)->tx_op_flags | FI_REMOTE_CQ_DATA,
		.comp		= suo_tx_comp(to_ep(ep), to_ep(ep)->tx_op_flags),
		.context	= context,
	};

	return suo_send(to_ep(ep), &s);
}

struct fi_ops_msg suo_msg_ops = {
	.size		= sizeof(struct fi_ops_msg),
	.recv		= msg_recv,
	.recvv		= msg_recvv,
	.recvmsg	= msg_recvmsg,
	.send		= msg_send,
	.sendv		= msg_sendv,
	.sendmsg	= msg_sendmsg,
	.inject		= msg_inject,
	.senddata	= msg_senddata,
	.injectdata	= msg_injectdata,
};
