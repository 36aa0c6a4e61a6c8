// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "av.h"
#include "suo.h"

/* UD requests name their address handle by number. Handles come and go in any
 * context, interrupts off included.
 */
static DEFINE_XARRAY_FLAGS(suo_avs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);

/**
 * suo_av_create() - build an address vector
 * @pd: its protection domain
 * @attr: verbs' form, with a RoCE v2 source GID
 *
 * Return: the address vector; -EINVAL for addresses that are not of one kind;
 * -ENOMEM.
 */
struct suo_av *suo_av_create(struct ib_pd *pd, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	union {
		struct sockaddr		sa;
		struct sockaddr_in	v4;
		struct sockaddr_in6	v6;
	} src, dst;
	struct suo_av *av;

	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !grh->sgid_attr ||
	    grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return ERR_PTR(-EINVAL);
	rdma_gid2ip(&src.sa, &grh->sgid_attr->gid);
	rdma_gid2ip(&dst.sa, &grh->dgid);
	if (src.sa.sa_family != dst.sa.sa_family)
		return ERR_PTR(-EINVAL);
	av = kzalloc(sizeof(*av), GFP_ATOMIC);
	if (!av)
		return ERR_PTR(-ENOMEM);
	if (dst_cache_init(&av->cache, GFP_ATOMIC)) {
		kfree(av);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&av->ref, 1);
	av->pd = pd;
	av->family = src.sa.sa_family;
	if (av->family == AF_INET) {
		av->saddr4 = src.v4.sin_addr;
		av->daddr4 = dst.v4.sin_addr;
	} else {
		av->saddr6 = src.v6.sin6_addr;
		av->daddr6 = dst.v6.sin6_addr;
	}
	av->tclass = grh->traffic_class;
	av->hop_limit = grh->hop_limit ? : 64;
	av->flow_label = grh->flow_label & 0xfffff;
	return av;
}

static void av_free(struct rcu_head *rcu)
{
	struct suo_av *av = container_of(rcu, struct suo_av, rcu);

	dst_cache_destroy(&av->cache);
	kfree(av);
}

void suo_av_put(struct suo_av *av)
{
	if (av && refcount_dec_and_test(&av->ref))
		call_rcu(&av->rcu, av_free);
}

/**
 * suo_av_lookup() - find the address vector of an address handle
 * @pd: protection domain of the queue pair
 * @id: the handle's number
 *
 * Return: the address vector with a reference, or NULL.
 */
struct suo_av *suo_av_lookup(struct ib_pd *pd, u32 id)
{
	struct suo_av *av;

	rcu_read_lock();
	av = xa_load(&suo_avs, id);
	if (av && (av->pd != pd || !refcount_inc_not_zero(&av->ref)))
		av = NULL;
	rcu_read_unlock();
	return av;
}

static void ah_erase(u32 id)
{
	unsigned long flags;

	xa_lock_irqsave(&suo_avs, flags);
	__xa_erase(&suo_avs, id);
	xa_unlock_irqrestore(&suo_avs, flags);
}

int suo_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibah->device);
	struct suo_create_ah_resp resp = {};
	struct suo_ah *ah = to_sah(ibah);
	unsigned long flags;
	int err;

	if (!atomic_add_unless(&dev->num_ah, 1, SUO_MAX_AH))
		return -ENOMEM;
	ah->av = suo_av_create(ibah->pd, init->ah_attr);
	if (IS_ERR(ah->av)) {
		err = PTR_ERR(ah->av);
		goto err_av;
	}
	xa_lock_irqsave(&suo_avs, flags);
	err = __xa_alloc(&suo_avs, &ah->id, ah->av, xa_limit_31b, GFP_ATOMIC);
	xa_unlock_irqrestore(&suo_avs, flags);
	if (err)
		goto err_id;
	if (udata) {
		resp.ah_id = ah->id;
		err = ib_copy_to_udata(udata, &resp,
				       min(sizeof(resp), udata->outlen));
		if (err)
			goto err_copy;
	}
	return 0;

err_copy:
	ah_erase(ah->id);
err_id:
	suo_av_put(ah->av);
err_av:
	atomic_dec(&dev->num_ah);
	return err;
}

int suo_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct suo_ah *ah = to_sah(ibah);

	ah_erase(ah->id);
	suo_av_put(ah->av);
	atomic_dec(&to_sdev(ibah->device)->num_ah);
	return 0;
}

void suo_ah_exit(void)
{
	xa_destroy(&suo_avs);
	rcu_barrier();
}
