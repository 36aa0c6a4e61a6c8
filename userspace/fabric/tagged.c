// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_tagged: the calls with a tag. */
#include "suo_fi.h"

static ssize_t post_recv(struct suo_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
	ssize_t ret;

	pthread_mutex_lock(&ep->domain->lock);
	ret = suo_rx_post(ep, true, msg->msg_iov, msg->desc, msg->iov_count, msg->addr,
			  msg->tag, msg->ignore, msg->context, flags);
	pthread_mutex_unlock(&ep->domain->lock);
	return ret;
}

static ssize_t tagged_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			    size_t count, fi_addr_t src, uint64_t tag, uint64_t ignore,
			    void *context)
{
	struct fi_msg_tagged msg = {
		.msg_iov	= iov,
		.desc		= desc,
		.iov_count	= count,
		.addr		= src,
		.tag		= tag,
		.ignore		= ignore,
		.context	= context,
	};

	return post_recv(to_ep(ep), &msg, to_ep(ep)->rx_op_flags & ~FI_MULTI_RECV);
}

static ssize_t tagged_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			   fi_addr_t src, uint64_t tag, uint64_t ignore, void *context)
{
	struct iovec iov = { buf, len };

	return tagged_recvv(ep, &iov, &desc, 1, src, tag, ignore, context);
}

static ssize_t search(struct suo_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
	ssize_t ret = -FI_EOPBADSTATE;

	pthread_mutex_lock(&ep->domain->lock);
	if (ep->enabled)
		ret = flags & FI_PEEK ? suo_peek(ep, msg, flags) : suo_claim(ep, msg, flags);
	pthread_mutex_unlock(&ep->domain->lock);
	return ret;
}

static ssize_t tagged_recvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
			      uint64_t flags)
{
	if (flags & ~(FI_COMPLETION | FI_MORE | FI_PEEK | FI_CLAIM | FI_DISCARD))
		return -FI_EINVAL;
	if (flags & (FI_PEEK | FI_CLAIM))
		return search(to_ep(ep), msg, flags);
	if (flags & FI_DISCARD)
		return -FI_EINVAL;
	return post_recv(to_ep(ep), msg, flags);
}

static ssize_t tagged_sendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
			      uint64_t flags)
{
	struct suo_send s = {
		.iov		= msg->msg_iov,
		.desc		= msg->desc,
		.count		= msg->iov_count,
		.dest		= msg->addr,
		.tagged		= true,
		.tag		= msg->tag,
		.data		= msg->data,
		.flags		= flags,
		.comp		= suo_tx_comp(to_ep(ep), flags),
		.context	= msg->context,
	};

	return suo_send(to_ep(ep), &s);
}

static ssize_t tagged_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			    size_t count, fi_addr_t dest, uint64_t tag, void *context)
{
	struct fi_msg_tagged msg = {
		.msg_iov	= iov,
		.desc		= desc,
		.iov_count	= count,
		.addr		= dest,
		.tag		= tag,
		.context	= context,
	};

	return tagged_sendmsg(ep, &msg, to_ep(ep)->tx_op_flags);
}

static ssize_t tagged_send(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			   fi_addr_t dest, uint64_t tag, void *context)
{
	struct iovec iov = { (void *)buf, len };

	return tagged_sendv(ep, &iov, &desc, 1, dest, tag, context);
}

static ssize_t tagged_senddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			       uint64_t data, fi_addr_t dest, uint64_t tag, void *context)
{
	struct iovec iov = { (void *)buf, len };
	struct fi_msg_tagged msg = {
		.msg_iov	= &iov,
		.desc		= &desc,
		.iov_count	= 1,
		.addr		= dest,
		.tag		= tag,
		.context	= context,
		.data		= data,
	};

	return tagged_sendmsg(ep, &msg, to_ep(ep)->tx_op_flags | FI_REMOTE_CQ_DATA);
}

static ssize_t inject(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
		      fi_addr_t dest, uint64_t tag, uint64_t flags)
{
	struct iovec iov = { (void *)buf, len };
	struct suo_send s = {
		.iov		= &iov,
		.count		= 1,
		.dest		= dest,
		.tagged		= true,
		.tag		= tag,
		.data		= data,
		.flags		= FI_INJECT | flags,
	};

	return suo_send(to_ep(ep), &s);
}

static ssize_t tagged_inject(struct fid_ep *ep, const void *buf, size_t len,
			     fi_addr_t dest, uint64_t tag)
{
	return inject(ep, buf, len, 0, dest, tag, 0);
}

static ssize_t tagged_injectdata(struct fid_ep *ep, const void *buf, size_t len,
				 uint64_t data, fi_addr_t dest, uint64_t tag)
{
	return inject(ep, buf, len, data, dest, tag, FI_REMOTE_CQ_DATA);
}

struct fi_ops_tagged suo_tagged_ops = {
	.size		= sizeof(struct fi_ops_tagged),
	.recv		= tagged_recv,
	.recvv		= tagged_recvv,
	.recvmsg	= tagged_recvmsg,
	.send		= tagged_send,
	.sendv		= tagged_sendv,
	.sendmsg	= tagged_sendmsg,
	.inject		= tagged_inject,
	.senddata	= tagged_senddata,
	.injectdata	= tagged_injectdata,
};
