// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast: which queue pairs of a device listen to which groups. A group is
 * joined on the netdev with its first listener, so that switches and the stack
 * let it in.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/ip.h>
#include <rdma/ib_addr.h>

#include "mcast.h"
#include "net.h"
#include "qp.h"
#include "show.h"

/**
 * struct suo_mcast - one queue pair in one group
 * @node: in the device's list, protected by dev->mcast_lock, read under RCU
 * @mgid: group
 * @qp: listener, which detaches before it goes
 * @rcu: for freeing under readers
 */
struct suo_mcast {
	struct list_head	node;
	union ib_gid		mgid;
	struct suo_qp		*qp;
	struct rcu_head		rcu;
};

static bool is_v4(const union ib_gid *mgid)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)mgid->raw);
}

/* ip_mc_inc_group() has no way to say that there was no memory. */
static bool has_group(const struct in_device *in_dev, __be32 addr)
{
	const struct ip_mc_list *im;

	for (im = rtnl_dereference(in_dev->mc_list); im;
	     im = rtnl_dereference(im->next_rcu))
		if (im->multiaddr == addr)
			return true;
	return false;
}

static int join4(struct suo_dev *dev, __be32 addr)
{
	struct in_device *in_dev = __in_dev_get_rtnl(dev->ndev);

	if (!in_dev)
		return -ENODEV;
	ip_mc_inc_group(in_dev, addr);
	return has_group(in_dev, addr) ? 0 : -ENOMEM;
}

static void leave4(struct suo_dev *dev, __be32 addr)
{
	struct in_device *in_dev = __in_dev_get_rtnl(dev->ndev);

	if (in_dev)
		ip_mc_dec_group(in_dev, addr);
}

/* The group's IPv4 address, and its Ethernet address. */
static __be32 group_addr(const union ib_gid *mgid, u8 *mac)
{
	__be32 addr;

	memcpy(&addr, mgid->raw + 12, sizeof(addr));
	if (is_v4(mgid))
		ip_eth_mc_map(addr, mac);
	else
		ipv6_eth_mc_map((const struct in6_addr *)mgid->raw, mac);
	return addr;
}

/* Nor does either protocol say that the netdev would not let the group in, so
 * that is asked of the netdev first, on our own account.
 */
static int join(struct suo_dev *dev, const union ib_gid *mgid)
{
	u8 mac[ETH_ALEN];
	__be32 addr = group_addr(mgid, mac);
	int err;

	err = dev_mc_add(dev->ndev, mac);
	if (err)
		return err;
	if (is_v4(mgid))
		err = join4(dev, addr);
	else
		err = ipv6_dev_mc_inc(dev->ndev,
				      (const struct in6_addr *)mgid->raw);
	if (err)
		dev_mc_del(dev->ndev, mac);
	return err;
}

static void leave(struct suo_dev *dev, const union ib_gid *mgid)
{
	u8 mac[ETH_ALEN];
	__be32 addr = group_addr(mgid, mac);

	if (is_v4(mgid))
		leave4(dev, addr);
	else
		ipv6_dev_mc_dec(dev->ndev, (const struct in6_addr *)mgid->raw);
	dev_mc_del(dev->ndev, mac);
}

static int add_group(struct suo_dev *dev, const union ib_gid *mgid)
{
	int err;

	if (dev->num_groups == SUO_MAX_MCAST_GRP)
		return -ENOMEM;
	err = join(dev, mgid);
	if (!err)
		dev->num_groups++;
	return err;
}

static void del_group(struct suo_dev *dev, const union ib_gid *mgid)
{
	leave(dev, mgid);
	dev->num_groups--;
}

static struct suo_mcast *find(struct suo_dev *dev, const union ib_gid *mgid,
			      const struct suo_qp *qp)
{
	struct suo_mcast *m;

	list_for_each_entry(m, &dev->mcast, node)
		if (!memcmp(&m->mgid, mgid, sizeof(*mgid)) &&
		    (!qp || m->qp == qp))
			return m;
	return NULL;
}

int suo_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 mlid)
{
	struct suo_qp *qp = to_sqp(ibqp);
	struct suo_dev *dev = qp->dev;
	struct suo_mcast *m;
	int err = 0;

	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->mgid = *mgid;
	m->qp = qp;
	/* The netdev's groups, and our list with them, belong to rtnl. */
	rtnl_lock();
	if (READ_ONCE(dev->detached))
		err = -ENODEV;
	else if (find(dev, mgid, qp))
		err = -EEXIST;
	else if (dev->num_mcast == SUO_MAX_MCAST_ATTACH)
		err = -ENOMEM;
	else if (!find(dev, mgid, NULL))
		err = add_group(dev, mgid);
	if (!err) {
		list_add_tail_rcu(&m->node, &dev->mcast);
		dev->num_mcast++;
	}
	rtnl_unlock();
	if (err)
		kfree(m);
	return err == -EEXIST ? 0 : err;
}

int suo_detach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 mlid)
{
	struct suo_qp *qp = to_sqp(ibqp);
	struct suo_dev *dev = qp->dev;
	struct suo_mcast *m;

	rtnl_lock();
	m = find(dev, mgid, qp);
	if (m) {
		list_del_rcu(&m->node);
		dev->num_mcast--;
		if (!find(dev, mgid, NULL))
			del_group(dev, mgid);
	}
	rtnl_unlock();
	if (!m)
		return -EINVAL;
	/* Nobody hands the queue pair a packet through this entry any more. */
	synchronize_rcu();
	kfree(m);
	return 0;
}

/* Groups are the whole device's, VLANs on its netdev included. */
static bool came_by(const struct suo_dev *dev, const struct net_device *ndev)
{
	return ndev == dev->ndev || rdma_vlan_dev_real_dev(ndev) == dev->ndev;
}

/**
 * suo_mcast_rx() - hand a datagram to all who listen
 * @net: namespace
 * @hdr: headers
 * @pay: payload
 * @from: how it came
 * @skb: what it came in
 * @nr: packets before it in there
 * @bytes: its length, from the IP header on
 *
 * Return: somebody listens.
 */
bool suo_mcast_rx(struct net *net, const struct suo_hdr *hdr,
		  const struct suo_payload *pay, const struct suo_from *from,
		  const struct sk_buff *skb, unsigned int nr, u32 bytes)
{
	bool taken = false, here;
	union ib_gid mgid;
	struct suo_dev *dev;
	struct suo_mcast *m;

	suo_net_dest_gid(from->iph, &mgid);
	rcu_read_lock();
	suo_for_each_dev_rcu(dev) {
		if (dev->net != net || !came_by(dev, from->ndev) ||
		    READ_ONCE(dev->detached))
			continue;
		here = false;
		list_for_each_entry_rcu(m, &dev->mcast, node) {
			if (memcmp(&m->mgid, &mgid, sizeof(mgid)) ||
			    (m->qp->block_self && from->looped &&
			     hdr->src_qpn == m->qp->ibqp.qp_num))
				continue;
			if (!here) {
				suo_stat_inc(dev, rcvd_pkts);
				suo_stat_add(dev, rx_bytes, bytes);
				atomic64_inc(&dev->stats.multicast_rcvd);
			}
			here = true;
			suo_qp_lock(m->qp);
			suo_trace_rx(m->qp, hdr, pay, from->iph, nr, skb);
			suo_qp_rx(m->qp, hdr, pay, from);
			suo_qp_unlock(m->qp);
		}
		taken |= here;
	}
	rcu_read_unlock();
	return taken;
}
