// SPDX-License-Identifier: GPL-2.0-only
#include <linux/if_vlan.h>
#include <linux/slab.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "av.h"
#include "suo.h"

/* UD requests name their address handle by number. Handles come and go in any
 * context, interrupts off included.
 */
static DEFINE_XARRAY_FLAGS(suo_avs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);

/* The service level is the priority in a VLAN tag (annex A16.4.5), which has three
 * bits. A VLAN netdev makes that of the packet's priority by a map of its own, and
 * rdma_cm has applied it already. So the priority is one of which the map makes the
 * service level; if none does, the service level itself, and the map decides.
 */
static u32 sl_to_priority(const struct net_device *ndev, u8 sl)
{
	u32 prio;

	if (sl > 7)
		return 0;
	if (!is_vlan_dev(ndev))
		return sl;
	for (prio = 0; prio <= TC_PRIO_MAX; prio++)
		if (vlan_dev_get_egress_qos_mask((struct net_device *)ndev,
						 prio) == sl << VLAN_PRIO_SHIFT)
			return prio;
	return sl;
}

/* Where packets go out: by the netdev that has the source GID's address. */
static int av_set_ndev(struct suo_av *av, const struct suo_dev *dev,
		       const struct rdma_ah_attr *attr)
{
	struct net_device *ndev;
	int err = 0;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(rdma_ah_read_grh(attr)->sgid_attr);
	if (IS_ERR(ndev)) {
		err = PTR_ERR(ndev);
	} else if (!net_eq(dev_net(ndev), dev->net)) {
		/* Another namespace has other sockets and routes. */
		err = -EADDRNOTAVAIL;
	} else {
		av->ifindex = ndev->ifindex;
		av->mtu = suo_netdev_mtu(ndev);
		av->priority = sl_to_priority(ndev, rdma_ah_get_sl(attr));
		/* A switch goes by the tag, where there is one. */
		av->tagged = is_vlan_dev(ndev);
		av->class = av->tagged ? rdma_ah_get_sl(attr) & 7 :
			rdma_ah_read_grh(attr)->traffic_class >> 5;
	}
	rcu_read_unlock();
	return err;
}

/**
 * suo_av_create() - build an address vector
 * @pd: its protection domain
 * @attr: verbs' form, with a RoCE v2 source GID
 *
 * Return: the address vector; -EINVAL for addresses that are not of one kind;
 * -EADDRNOTAVAIL for a source GID of another namespace; -ENODEV if its netdev is
 * going away; -ENOMEM.
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
	int err;

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
	err = av_set_ndev(av, to_sdev(pd->device), attr);
	if (err)
		goto err_free;
	err = dst_cache_init(&av->cache, GFP_ATOMIC);
	if (err)
		goto err_free;
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

err_free:
	kfree(av);
	return ERR_PTR(err);
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
