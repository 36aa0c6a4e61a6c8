// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The endpoint: its life and what is bound to it. */
#include <poll.h>

#include "suo_fi.h"

#define MIN_MULTI_RECV	64	/* bytes, until the application says otherwise */

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
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);

	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (*optlen < sizeof(ep->min_multi_recv))
		return -FI_ETOOSMALL;
	memcpy(optval, &ep->min_multi_recv, sizeof(ep->min_multi_recv));
	*optlen = sizeof(ep->min_multi_recv);
	return 0;
}

static int ep_setopt(fid_t fid, int level, int optname, const void *optval, size_t optlen)
{
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);
	int err;

	if (level == FI_OPT_ENDPOINT && optname == FI_SUO_OPT_COLL_ALGO) {
		pthread_mutex_lock(&ep->domain->lock);
		err = suo_coll_set_algo(&ep->coll, optval, optlen);
		pthread_mutex_unlock(&ep->domain->lock);
		return err;
	}
	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (optlen != sizeof(ep->min_multi_recv))
		return -FI_EINVAL;
	pthread_mutex_lock(&ep->domain->lock);
	memcpy(&ep->min_multi_recv, optval, optlen);
	pthread_mutex_unlock(&ep->domain->lock);
	return 0;
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

/* Remote operations happen without this side's knowledge: nobody counts them. */
static int bind_cntr(struct suo_ep *ep, struct suo_cntr *cntr, uint64_t flags)
{
	static const uint64_t bits[SUO_CNTR_KINDS] = {
		[SUO_CNTR_SEND]		= FI_SEND,
		[SUO_CNTR_RECV]		= FI_RECV,
		[SUO_CNTR_READ]		= FI_READ,
		[SUO_CNTR_WRITE]	= FI_WRITE,
	};

	if (flags & (FI_REMOTE_READ | FI_REMOTE_WRITE))
		return -FI_ENOSYS;
	if (!flags || (flags & ~(FI_SEND | FI_RECV | FI_READ | FI_WRITE)) ||
	    cntr->domain != ep->domain)
		return -FI_EINVAL;
	for (int i = 0; i < SUO_CNTR_KINDS; i++)
		if ((flags & bits[i]) && ep->cntr[i])
			return -FI_EINVAL;
	for (int i = 0; i < SUO_CNTR_KINDS; i++) {
		if (!(flags & bits[i]))
			continue;
		ep->cntr[i] = cntr;
		__atomic_add_fetch(&cntr->refs, 1, __ATOMIC_ACQ_REL);
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
	case FI_CLASS_CNTR:
		return bind_cntr(ep, suo_entry(bfid, struct suo_cntr, fid.fid), flags);
	case FI_CLASS_EQ:
		if (ep->eq)
			return -FI_EINVAL;
		return suo_eq_bind(suo_entry(bfid, struct suo_eq, fid.fid), ep);
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

/* Is there something that tells when what the endpoint may do is done? */
static bool has_queues(const struct suo_ep *ep)
{
	const uint64_t data = FI_MSG | FI_TAGGED;
	bool sends = ((ep->caps & (FI_RMA | FI_ATOMIC)) && (ep->caps & (FI_READ | FI_WRITE))) ||
		     ((ep->caps & data) && (ep->caps & FI_SEND));
	bool receives = (ep->caps & data) && (ep->caps & FI_RECV);

	if (sends && !ep->tx_cq && !ep->cntr[SUO_CNTR_SEND] &&
	    !ep->cntr[SUO_CNTR_READ] && !ep->cntr[SUO_CNTR_WRITE])
		return false;
	return !receives || ep->rx_cq || ep->cntr[SUO_CNTR_RECV];
}

static int add_link(struct suo_ep *ep, struct suo_wait *wait)
{
	struct suo_ep_link *link = &ep->links[ep->nlinks];
	int err;

	for (unsigned int i = 0; i < ep->nlinks; i++)
		if (ep->links[i].wait == wait)
			return 0;
	link->ep = ep;
	err = suo_wait_add_ep(wait, link);
	if (!err)
		ep->nlinks++;
	return err;
}

static void del_links(struct suo_ep *ep)
{
	while (ep->nlinks)
		suo_wait_del_ep(&ep->links[--ep->nlinks]);
}

static int add_links(struct suo_ep *ep)
{
	int err = 0;

	if (ep->tx_cq)
		err = add_link(ep, &ep->tx_cq->wait);
	if (!err && ep->rx_cq)
		err = add_link(ep, &ep->rx_cq->wait);
	for (int i = 0; i < SUO_CNTR_KINDS && !err; i++)
		if (ep->cntr[i])
			err = add_link(ep, &ep->cntr[i]->wait);
	if (err)
		del_links(ep);
	return err;
}

static int ep_enable(struct suo_ep *ep)
{
	int err;

	if (ep->enabled)
		return 0;
	if (!ep->av)
		return -FI_ENOAV;
	if (!has_queues(ep))
		return -FI_ENOCQ;
	err = suo_epres_create(ep);
	if (err) {
		suo_warn(EP_CTRL, "%s: cannot create the endpoint: %s\n",
			 ep->domain->dev.name, fi_strerror(-err));
		return err;
	}
	err = add_links(ep);
	if (err) {
		suo_epres_destroy(ep);
		return err;
	}
	suo_list_add_tail(&ep->link, &ep->domain->eps);
	ep->enabled = true;
	return 0;
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
	del_links(ep);
	suo_coll_destroy(&ep->coll);
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
	if (suo_coll_open(&ep->coll)) {
		pthread_mutex_unlock(&dom->lock);
		return -FI_EBUSY;
	}
	if (ep->enabled)
		ep_disable(ep);
	if (ep->tx_cq)
		__atomic_sub_fetch(&ep->tx_cq->refs, 1, __ATOMIC_ACQ_REL);
	if (ep->rx_cq)
		__atomic_sub_fetch(&ep->rx_cq->refs, 1, __ATOMIC_ACQ_REL);
	for (int i = 0; i < SUO_CNTR_KINDS; i++)
		if (ep->cntr[i])
			__atomic_sub_fetch(&ep->cntr[i]->refs, 1, __ATOMIC_ACQ_REL);
	if (ep->av)
		__atomic_sub_fetch(&ep->av->refs, 1, __ATOMIC_ACQ_REL);
	pthread_mutex_unlock(&dom->lock);
	if (ep->eq)
		suo_eq_unbind(ep->eq, ep);
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
	ep->min_multi_recv = MIN_MULTI_RECV;
	if (info->src_addr && info->src_addrlen == sizeof(ep->name))
		memcpy(&ep->name, info->src_addr, sizeof(ep->name));
	if (info->tx_attr)
		ep->order = info->tx_attr->msg_order;
	suo_list_init(&ep->refill);
	suo_list_init(&ep->free_tx);
	suo_list_init(&ep->chunks);
	suo_list_init(&ep->timers);
	suo_list_init(&ep->kicks);
	suo_list_init(&ep->claimed);
	suo_matchq_init(&ep->msgs);
	suo_matchq_init(&ep->tags);
	suo_coll_init(&ep->coll);

	ep->fid.fid.fclass = FI_CLASS_EP;
	ep->fid.fid.context = context;
	ep->fid.fid.ops = &ep_fi_ops;
	ep->fid.ops = &ep_ops;
	ep->fid.cm = &suo_cm_ops;
	ep->fid.msg = &suo_msg_ops;
	ep->fid.tagged = &suo_tagged_ops;
	ep->fid.rma = &suo_rma_ops;
	ep->fid.collective = &suo_collective_ops;
	ep->fid.atomic = &suo_atomic_ops;
	__atomic_add_fetch(&dom->refs, 1, __ATOMIC_ACQ_REL);
	*fid = &ep->fid;
	return 0;
}
