// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pause frames, IEEE 802.1Q-2018 clause 36 (802.1Qbb), as a NIC with a rate obeys
 * them: a packet begins before the frame has come, or when the pause is over. A real
 * MAC keeps the frames to itself; here a netdev hands them up.
 */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>

#include "clock.h"
#include "nic.h"
#include "pause.h"
#include "suo.h"
#include "trace.h"

#define PFC_OPCODE	0x0101

/**
 * struct pfc_frame - what follows the Ethernet header
 * @opcode: PFC_OPCODE
 * @enabled: the priorities that @quanta are for: bits 0 to 7; others are reserved
 * @quanta: 512 bit times each; 0: go on
 * @pad: to the shortest frame that there is
 */
struct pfc_frame {
	__be16	opcode;
	__be16	enabled;
	__be16	quanta[SUO_PFC_PRIOS];
	u8	pad[26];
} __packed;

static const u8 pause_addr[ETH_ALEN] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };

/* Count what has passed of a pause. */
static void settle(struct suo_pause_count *c, u32 prio, u64 now_ps)
{
	u64 end_ps = min(now_ps, c->until_ps[prio]);

	if (end_ps > c->counted_ps[prio]) {
		c->total_ps[prio] += end_ps - c->counted_ps[prio];
		c->counted_ps[prio] = end_ps;
	}
}

/* mlx5 counts microseconds, and so do we: modelled ones. */
void suo_pause_settle(struct suo_dev *dev)
{
	struct suo_pause_count *c = &dev->pause;
	u64 now_ps = suo_now_ps();
	u32 prio;

	spin_lock_bh(&c->lock);
	for (prio = 0; prio < SUO_PFC_PRIOS; prio++) {
		settle(c, prio, now_ps);
		atomic64_set(&dev->stats.val[SUO_ST_rx_prio0_pause_duration + prio],
			     div_u64(c->total_ps[prio], 1000000));
	}
	spin_unlock_bh(&c->lock);
}

static void count(struct suo_dev *dev, u32 prio, u64 now_ps, u64 until_ps)
{
	struct suo_pause_count *c = &dev->pause;

	atomic64_inc(&dev->stats.val[SUO_ST_rx_prio0_pause + prio]);
	spin_lock(&c->lock);
	settle(c, prio, now_ps);
	c->counted_ps[prio] = now_ps;
	c->until_ps[prio] = until_ps;
	spin_unlock(&c->lock);
}

/* One priority of a frame. Return: whether it may go on sooner than it would have. */
static bool hear(struct suo_dev *dev, struct suo_nic *nic, u32 prio, u32 quanta)
{
	struct suo_pause *p = &nic->pause;
	u64 now_ps, was_ps, until_ps;
	unsigned long flags;

	spin_lock_irqsave(&nic->lock, flags);
	now_ps = suo_now_ps();
	was_ps = p->tx.until_ps[prio];
	if (!suo_pfc_is_paused(&p->tx, prio, now_ps))
		p->since_ps[prio] = now_ps;
	suo_pfc_hear(&p->tx, nic->law.rate_mbps, prio, quanta, now_ps);
	until_ps = suo_max(p->tx.until_ps[prio], now_ps);
	spin_unlock_irqrestore(&nic->lock, flags);
	trace_suo_pause(dev, prio, quanta, now_ps, until_ps);
	count(dev, prio, now_ps, until_ps);
	return was_ps > until_ps;
}

static struct suo_nic *nic_of(struct suo_dev *dev)
{
	struct suo_nic_route *route = rcu_dereference(dev->route);

	return route ? route->nic : NULL;
}

/* Whose packets leave by this NIC's line, whatever netdev they leave by in fact. */
static void wake_all(struct suo_nic *nic)
{
	struct suo_dev *dev;

	suo_for_each_dev_rcu(dev)
		if (nic_of(dev) == nic)
			suo_port_wake(&dev->nic);
}

static void obey(const struct net_device *ndev, const struct pfc_frame *f)
{
	u32 prio, enabled = be16_to_cpu(f->enabled);
	struct suo_nic *nic;
	struct suo_dev *dev;
	bool sooner = false;

	rcu_read_lock();
	suo_for_each_dev_rcu(dev)
		if (dev->ndev == ndev && !READ_ONCE(dev->detached))
			break;
	if (list_entry_is_head(dev, &suo_devs, node))
		goto out;
	nic = nic_of(dev);
	if (!nic || !READ_ONCE(nic->law.rate_mbps))
		goto out;
	for (prio = 0; prio < SUO_PFC_PRIOS; prio++)
		if (enabled & BIT(prio))
			sooner |= hear(dev, nic, prio, be16_to_cpu(f->quanta[prio]));
	if (sooner)
		wake_all(nic);
out:
	rcu_read_unlock();
}

/* MAC control frames of a netdev, other people's and ours. */
static int pause_rcv(struct sk_buff *skb, struct net_device *ndev,
		     struct packet_type *pt, struct net_device *orig)
{
	const struct pfc_frame *f;
	struct pfc_frame buf;

	/* Shorter ones are runts, which no MAC takes. */
	f = skb_header_pointer(skb, 0, sizeof(buf), &buf);
	if (f && f->opcode == cpu_to_be16(PFC_OPCODE) &&
	    ether_addr_equal(eth_hdr(skb)->h_dest, pause_addr))
		obey(ndev, f);
	kfree_skb(skb);
	return 0;
}

static struct packet_type pause_type = {
	.type	= cpu_to_be16(ETH_P_PAUSE),
	.func	= pause_rcv,
};

/* While there is a NIC that could be paused; protected by suo_devs_lock. */
void suo_pause_use(bool use)
{
	static unsigned int users;

	lockdep_assert_held(&suo_devs_lock);
	if (use && !users++) {
		dev_add_pack(&pause_type);
		static_branch_enable(&suo_paced);
	} else if (!use && !--users) {
		static_branch_disable(&suo_paced);
		dev_remove_pack(&pause_type);
	}
}

/* Netdevs let in what is sent to groups that somebody wants. */
void suo_pause_enter(struct suo_dev *dev)
{
	spin_lock_init(&dev->pause.lock);
	if (dev->ndev->type == ARPHRD_ETHER)
		dev_mc_add(dev->ndev, pause_addr);
}

void suo_pause_leave(struct suo_dev *dev)
{
	if (dev->ndev->type == ARPHRD_ETHER)
		dev_mc_del(dev->ndev, pause_addr);
}

/**
 * suo_pause_until() - may a packet begin?
 * @dev: its sender
 * @class: its priority
 * @at_ps: when it would begin
 *
 * Return: 0 if it may, else when the pause ends.
 */
u64 suo_pause_until(struct suo_dev *dev, u32 class, u64 at_ps)
{
	struct suo_nic *nic;
	unsigned long flags;
	u64 until_ps = 0;

	rcu_read_lock();
	nic = nic_of(dev);
	if (!nic || READ_ONCE(nic->pause.tx.until_ps[class]) <= at_ps)
		goto out;
	spin_lock_irqsave(&nic->lock, flags);
	if (suo_pfc_is_paused(&nic->pause.tx, class, at_ps) &&
	    nic->pause.since_ps[class] <= at_ps && nic->law.rate_mbps)
		until_ps = nic->pause.tx.until_ps[class];
	spin_unlock_irqrestore(&nic->lock, flags);
out:
	rcu_read_unlock();
	return until_ps;
}
