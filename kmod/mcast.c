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

static int join(struct suo_dev *dev, const union ib_gid *mgid)
{
	struct in_device *in_dev;
	int err = 0;
	__be32 addr;

	if (!is_v4(mgid))
		return ipv6_dev_mc_inc(dev->ndev,
				       (const struct in6_addr *)mgid->raw);
	memcpy(&addr, mgid->raw + 12, sizeof(addr));
	in_dev = __in_dev_get_rtnl(dev->ndev);
	if (in_dev)
		ip_mc_inc_group(in_dev, addr);
	else
		err = -ENODEV;
	return err;
}

static void leave(struct suo_dev *dev, const union ib_gid *mgid)
{
	struct in_device *in_dev;
	__be32 addr;

	if (!is_v4(mgid)) {
		ipv6_dev_mc_dec(dev->ndev, (const struct in6_addr *)mgid->raw);
		return;
	}
	memcpy(&addr, mgid->raw + 12, sizeof(addr));
	in_dev = __in_dev_get_rtnl(dev->ndev);
	if (in_dev)
		ip_mc_dec_group(in_dev, addr);
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
	else if (!find(dev, mgid, NULL))
		err = join(dev, mgid);
	if (!err)
		list_add_tail_rcu(&m->node, &dev->mcast);
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
		if (!find(dev, mgid, NULL))
			leave(dev, mgid);
	}
	rtnl_unlock();
	if (!m)
		return -EINVAL;
	/* Nobody hands the queue pair a packet through this entry any more. */
	synchronize_rcu();
	kfree(m);
	return 0;
}

/**
 * suo_mcast_rx() - hand a datagram to all who listen
 * @net: namespace
 * @ndev: netdev that it came by
 * @hdr: headers
 * @pay: payload
 * @iph: IP header
 * @skb: what it came in
 * @nr: packets before it in there
 * @bytes: its length, from the IP header on
 */
void suo_mcast_rx(struct net *net, const struct net_device *ndev,
		  const struct suo_hdr *hdr, const struct suo_payload *pay,
		  const u8 *iph, const struct sk_buff *skb, unsigned int nr,
		  u32 bytes)
{
	unsigned int taken = 0;
	union ib_gid mgid;
	struct suo_dev *dev;
	struct suo_mcast *m;

	suo_net_dest_gid(iph, &mgid);
	rcu_read_lock();
	suo_for_each_dev_rcu(dev) {
		if (dev->net != net || dev->ndev != ndev ||
		    READ_ONCE(dev->detached))
			continue;
		list_for_each_entry_rcu(m, &dev->mcast, node) {
			if (memcmp(&m->mgid, &mgid, sizeof(mgid)))
				continue;
			if (!taken++) {
				suo_stat_inc(dev, rcvd_pkts);
				suo_stat_add(dev, rx_bytes, bytes);
				atomic64_inc(&dev->stats.multicast_rcvd);
			}
			suo_qp_lock(m->qp);
			suo_trace_rx(m->qp, hdr, pay, iph, nr, skb);
			suo_qp_rx(m->qp, hdr, pay, iph);
			suo_qp_unlock(m->qp);
		}
	}
	rcu_read_unlock();
	if (!taken)
		suo_drop(NULL, SUO_DROP_NO_QP, hdr, bytes);
}
