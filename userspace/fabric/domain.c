// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The domain: one opened device and its protection domain. */
#include "suo_fi.h"

static int domain_close(struct fid *fid)
{
	struct suo_domain *dom = suo_entry(fid, struct suo_domain, fid.fid);

	if (__atomic_load_n(&dom->refs, __ATOMIC_ACQUIRE))
		return -FI_EBUSY;
	if (ibv_dealloc_pd(dom->pd))
		return -FI_EBUSY;
	suo_dev_close(&dom->dev);
	pthread_mutex_destroy(&dom->lock);
	__atomic_sub_fetch(&dom->fabric->refs, 1, __ATOMIC_ACQ_REL);
	free(dom);
	return 0;
}

static int domain_scalable_ep(struct fid_domain *dom, struct fi_info *info,
			      struct fid_ep **ep, void *context)
{
	return -FI_ENOSYS;
}

static int domain_stx_ctx(struct fid_domain *dom, struct fi_tx_attr *attr,
			  struct fid_stx **stx, void *context)
{
	return -FI_ENOSYS;
}

static int domain_srx_ctx(struct fid_domain *dom, struct fi_rx_attr *attr,
			  struct fid_ep **ep, void *context)
{
	return -FI_ENOSYS;
}

static int domain_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
			   void *context)
{
	return suo_window_ops_open(suo_entry(fid, struct suo_domain, fid.fid), name, flags, ops);
}

static struct fi_ops domain_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= domain_close,
	.bind		= suo_no_bind,
	.control	= suo_no_control,
	.ops_open	= domain_ops_open,
};

static struct fi_ops_domain domain_ops = {
	.size			= sizeof(struct fi_ops_domain),
	.av_open		= suo_av_open,
	.cq_open		= suo_cq_open,
	.endpoint		= suo_ep_open,
	.scalable_ep		= domain_scalable_ep,
	.cntr_open		= suo_cntr_open,
	.poll_open		= suo_poll_open,
	.stx_ctx		= domain_stx_ctx,
	.srx_ctx		= domain_srx_ctx,
	.query_atomic		= suo_query_atomic,
	.query_collective	= suo_coll_query,
};

/* Opens the device of that name. */
static int open_named(const char *name, struct suo_dev *dev)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int err = -FI_ENODEV;

	if (!list)
		return -FI_ENODEV;
	for (int i = 0; list[i]; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name))
			continue;
		err = suo_dev_wanted(name) ? suo_dev_open(list[i], dev) : -FI_ENODEV;
		break;
	}
	ibv_free_device_list(list);
	return err;
}

int suo_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		    struct fid_domain **fid, void *context)
{
	struct suo_domain *dom;
	int err;

	if (!info->domain_attr || !info->domain_attr->name)
		return -FI_EINVAL;
	dom = calloc(1, sizeof(*dom));
	if (!dom)
		return -FI_ENOMEM;

	err = open_named(info->domain_attr->name, &dom->dev);
	if (err)
		goto open;
	err = suo_hints_check(info, &dom->dev);
	if (err)
		goto hints;
	dom->pd = ibv_alloc_pd(dom->dev.ctx);
	if (!dom->pd) {
		err = -errno;
		goto hints;
	}
	/* The suo module's are, though it says IBV_ATOMIC_HCA: see kmod/device.c. */
	dom->native_atomics = dom->dev.attr.atomic_cap == IBV_ATOMIC_GLOB ||
			      suo_dev_is_suo(dom->dev.name);
	pthread_mutex_init(&dom->lock, NULL);
	suo_list_init(&dom->eps);
	dom->fabric = suo_entry(fabric, struct suo_fabric, fid);
	__atomic_add_fetch(&dom->fabric->refs, 1, __ATOMIC_ACQ_REL);
	dom->fid.fid.fclass = FI_CLASS_DOMAIN;
	dom->fid.fid.context = context;
	dom->fid.fid.ops = &domain_fi_ops;
	dom->fid.ops = &domain_ops;
	dom->fid.mr = &suo_mr_ops;
	*fid = &dom->fid;
	return 0;

hints:
	suo_dev_close(&dom->dev);
open:
	free(dom);
	return err;
}
