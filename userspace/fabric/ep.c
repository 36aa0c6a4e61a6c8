// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The endpoint: its life and what is bound to it. */
#include <poll.h>

#include "suo_fi.h"

static int ep_getname(fid_t fid, void *addr, size_t *addrlen)
{
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);
	size_t room = *addrlen;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	*addrlen = sizeof(ep->addr);
	if (room < sizeof(ep->addr)) {
		if (addr)
			memcpy(addr, &ep->addr, room);
		return -FI_ETOOSMALL;
	}
	memcpy(addr, &ep->addr, sizeof(ep->addr));
	return 0;
}

static int ep_setname(fid_t fid, void *addr, size_t addrlen)
{
	return -FI_ENOSYS;
}

static int ep_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen)
{
	return -FI_ENOSYS;
}

static int ep_connect(struct fid_ep *ep, const void *addr, const void *param,
		      size_t paramlen)
{
	return -FI_ENOSYS;
}

static int ep_listen(struct fid_pep *pep)
{
	return -FI_ENOSYS;
}

static int ep_accept(struct fid_ep *ep, const void *param, size_t paramlen)
{
	return -FI_ENOSYS;
}

static int ep_reject(struct fid_pep *pep, fid_t handle, const void *param,
		     size_t paramlen)
{
	return -FI_ENOSYS;
}

static int ep_shutdown(struct fid_ep *ep, uint64_t flags)
{
	return -FI_ENOSYS;
}

static int ep_join(struct fid_ep *ep, const void *addr, uint64_t flags,
		   struct fid_mc **mc, void *context)
{
	return -FI_ENOSYS;
}

static struct fi_ops_cm ep_cm_ops = {
	.size		= sizeof(struct fi_ops_cm),
	.setname	= ep_setname,
	.getname	= ep_getname,
	.getpeer	= ep_getpeer,
	.connect	= ep_connect,
	.listen		= ep_listen,
	.accept		= ep_accept,
	.reject		= ep_reject,
	.shutdown	= ep_shutdown,
	.join		= ep_join,
};

static ssize_t ep_cancel(fid_t fid, void *context)
{
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);
	ssize_t ret;

	pthread_mutex_lock(&ep->domain->lock);
	ret = suo_rx_cancel(ep, context);
	pthread_mutex_unlock(&ep->domain->lock);
	return ret;
}

static int ep_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen)
{
	return -FI_ENOPROTOOPT;
}

static int ep_setopt(fid_t fid, int level, int optname, const void *optval, size_t optlen)
{
	return -FI_ENOPROTOOPT;
}

static int ep_tx_ctx(struct fid_ep *ep, int index, struct fi_tx_attr *attr,
		     struct fid_ep **tx_ep, void *context)
{
	return -FI_ENOSYS;
}

static int ep_rx_ctx(struct fid_ep *ep, int index, struct fi_rx_attr *attr,
		     struct fid_ep **rx_ep, void *context)
{
	return -FI_ENOSYS;
}

static ssize_t ep_rx_size_left(struct fid_ep *ep)
{
	return -FI_ENOSYS;
}

static ssize_t ep_tx_size_left(struct fid_ep *ep)
{
	return -FI_ENOSYS;
}

static struct fi_ops_ep ep_ops = {
	.size		= sizeof(struct fi_ops_ep),
	.cancel		= ep_cancel,
	.getopt		= ep_getopt,
	.setopt		= ep_setopt,
	.tx_ctx		= ep_tx_ctx,
	.rx_ctx		= ep_rx_ctx,
	.rx_size_left	= ep_rx_size_left,
	.tx_size_left	= ep_tx_size_left,
};

static int bind_cq(struct suo_ep *ep, struct suo_cq *cq, uint64_t flags)
{
	if (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION))
		return -FI_EINVAL;
	if (!(flags & (FI_TRANSMIT | FI_RECV)) || cq->domain != ep->domain)
		return -FI_EINVAL;
	if (((flags & FI_TRANSMIT) && ep->tx_cq) || ((flags & FI_RECV) && ep->rx_cq))
		return -FI_EINVAL;

	if (flags & FI_TRANSMIT) {
		ep->tx_cq = cq;
		ep->tx_selective = flags & FI_SELECTIVE_COMPLETION;
		__atomic_add_fetch(&cq->refs, 1, __ATOMIC_ACQ_REL);
	}
	if (flags & FI_RECV) {
		ep->rx_cq = cq;
		ep->rx_selective = flags & FI_SELECTIVE_COMPLETION;
		__atomic_add_fetch(&cq->refs, 1, __ATOMIC_ACQ_REL);
	}
	return 0;
}

static int ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);
	struct suo_av *av;

	if (ep->enabled)
		return -FI_EOPBADSTATE;
	switch (bfid->fclass) {
	case FI_CLASS_CQ:
		return bind_cq(ep, suo_entry(bfid, struct suo_cq, fid.fid), flags);
	case FI_CLASS_EQ:
		/* No event ever concerns an endpoint without connections. */
		return 0;
	case FI_CLASS_AV:
		av = suo_entry(bfid, struct suo_av, fid.fid);
		if (ep->av || av->domain != ep->domain)
			return -FI_EINVAL;
		ep->av = av;
		__atomic_add_fetch(&av->refs, 1, __ATOMIC_ACQ_REL);
		return 0;
	default:
		return -FI_ENOSYS;
	}
}

static int ep_enable(struct suo_ep *ep)
{
	int err;

	if (ep->enabled)
		return 0;
	if (!ep->av)
		return -FI_ENOAV;
	if (!ep->tx_cq || !ep->rx_cq)
		return -FI_ENOCQ;
	err = suo_epres_create(ep);
	if (err) {
		suo_warn(EP_CTRL, "%s: cannot create the endpoint: %s\n",
			 ep->domain->dev.name, fi_strerror(-err));
		return err;
	}
	err = suo_cq_add_ep(ep->tx_cq, &ep->tx_link);
	if (err)
		goto tx_cq;
	if (ep->rx_cq != ep->tx_cq) {
		err = suo_cq_add_ep(ep->rx_cq, &ep->rx_link);
		if (err)
			goto rx_cq;
	}
	suo_list_add_tail(&ep->link, &ep->domain->eps);
	ep->enabled = true;
	return 0;

rx_cq:
	suo_cq_del_ep(ep->tx_cq, &ep->tx_link);
tx_cq:
	suo_epres_destroy(ep);
	return err;
}

static int ep_control(struct fid *fid, int command, void *arg)
{
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);
	int err;

	if (command != FI_ENABLE)
		return -FI_ENOSYS;
	pthread_mutex_lock(&ep->domain->lock);
	err = ep_enable(ep);
	pthread_mutex_unlock(&ep->domain->lock);
	return err;
}

/* Is anything on its way, or waiting to go, to a peer? */
static bool ep_busy(const struct suo_ep *ep)
{
	if (ep->outstanding)
		return true;
	for (int i = 0; i < SUO_HASH_SIZE; i++)
		for (struct suo_conn *conn = ep->by_addr[i]; conn; conn = conn->by_addr)
			if (!suo_list_empty(&conn->pending))
				return true;
	return false;
}

/* The peer may be another endpoint of this very process. */
static void progress_all(struct suo_domain *dom)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &dom->eps)
		suo_progress(suo_entry(pos, struct suo_ep, link));
}

/* Injected messages and FINs have no completion to wait for, yet must go out. */
static void ep_drain(struct suo_ep *ep)
{
	struct pollfd pfd[2] = {
		{ .fd = ep->chan->fd, .events = POLLIN },
		{ .fd = ep->timerfd, .events = POLLIN },
	};
	uint64_t end = suo_now_ns() + suo_tune.close_ms * 1000000ull;

	while (ep_busy(ep)) {
		struct ibv_cq *vcq;
		void *context;
		uint64_t now;

		while (!ibv_get_cq_event(ep->chan, &vcq, &context))
			ibv_ack_cq_events(vcq, 1);
		ibv_req_notify_cq(ep->vcq, 0);
		progress_all(ep->domain);
		now = suo_now_ns();
		if (!ep_busy(ep) || now >= end)
			break;
		pthread_mutex_unlock(&ep->domain->lock);
		poll(pfd, 2, (end - now) / 1000000 + 1);
		pthread_mutex_lock(&ep->domain->lock);
	}
}

static void ep_disable(struct suo_ep *ep)
{
	struct ibv_cq *vcq;
	void *context;

	ep_drain(ep);
	suo_list_del(&ep->link);
	if (ep->rx_cq != ep->tx_cq)
		suo_cq_del_ep(ep->rx_cq, &ep->rx_link);
	suo_cq_del_ep(ep->tx_cq, &ep->tx_link);
	suo_rx_destroy(ep);
	suo_conns_destroy(ep);
	while (!ibv_get_cq_event(ep->chan, &vcq, &context))
		ibv_ack_cq_events(vcq, 1);
	suo_epres_destroy(ep);
	suo_tx_chunks_destroy(ep);
}

static int ep_close(struct fid *fid)
{
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);
	struct suo_domain *dom = ep->domain;

	pthread_mutex_lock(&dom->lock);
	if (ep->enabled)
		ep_disable(ep);
	if (ep->tx_cq)
		__atomic_sub_fetch(&ep->tx_cq->refs, 1, __ATOMIC_ACQ_REL);
	if (ep->rx_cq)
		__atomic_sub_fetch(&ep->rx_cq->refs, 1, __ATOMIC_ACQ_REL);
	if (ep->av)
		__atomic_sub_fetch(&ep->av->refs, 1, __ATOMIC_ACQ_REL);
	pthread_mutex_unlock(&dom->lock);
	__atomic_sub_fetch(&dom->refs, 1, __ATOMIC_ACQ_REL);
	free(ep);
	return 0;
}

static struct fi_ops ep_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= ep_close,
	.bind		= ep_bind,
	.control	= ep_control,
	.ops_open	= suo_no_ops_open,
};

int suo_ep_open(struct fid_domain *domain, struct fi_info *info,
		struct fid_ep **fid, void *context)
{
	struct suo_domain *dom = suo_entry(domain, struct suo_domain, fid);
	struct suo_ep *ep;
	int err;

	err = suo_hints_check(info, &dom->dev);
	if (err)
		return -FI_EINVAL;
	ep = calloc(1, sizeof(*ep));
	if (!ep)
		return -FI_ENOMEM;
	ep->domain = dom;
	ep->caps = info->caps;
	ep->tx_op_flags = info->tx_attr ? info->tx_attr->op_flags : 0;
	ep->rx_op_flags = info->rx_attr ? info->rx_attr->op_flags : 0;
	ep->next_gen = 1;
	ep->tx_link.ep = ep;
	ep->rx_link.ep = ep;
	suo_list_init(&ep->refill);
	suo_list_init(&ep->free_tx);
	suo_list_init(&ep->chunks);
	suo_list_init(&ep->timers);
	suo_list_init(&ep->kicks);
	suo_matchq_init(&ep->msgs);
	suo_matchq_init(&ep->tags);

	ep->fid.fid.fclass = FI_CLASS_EP;
	ep->fid.fid.context = context;
	ep->fid.fid.ops = &ep_fi_ops;
	ep->fid.ops = &ep_ops;
	ep->fid.cm = &ep_cm_ops;
	ep->fid.msg = &suo_msg_ops;
	ep->fid.tagged = &suo_tagged_ops;
	ep->fid.rma = &suo_rma_ops;
	__atomic_add_fetch(&dom->refs, 1, __ATOMIC_ACQ_REL);
	*fid = &ep->fid;
	return 0;
}
