// SPDX-License-Identifier: GPL-2.0-only
/* The NIC: its profile in configfs, and the port that paces towards it. */
#include <linux/slab.h>

#include "config.h"
#include "domain.h"
#include "net.h"
#include "pkt.h"
#include "suo.h"

/**
 * struct suo_nic - a scale-out profile
 * @item: its directory, named like the device
 * @node: in the list of profiles, protected by suo_devs_lock
 * @via: name of the device whose NIC is used instead; protected by suo_devs_lock
 * @lock: protects what follows
 * @law: rate and latency
 * @clk: when the line is free, for all devices that use it
 */
struct suo_nic {
	struct config_item	item;
	struct list_head	node;
	char			via[IB_DEVICE_NAME_MAX];
	spinlock_t		lock;
	struct suo_link_law	law;
	struct suo_link_clock	clk;
};

static LIST_HEAD(suo_nics);

static struct suo_nic *to_nic(struct config_item *item)
{
	return container_of(item, struct suo_nic, item);
}

static struct suo_nic *nic_find(const char *name)
{
	struct suo_nic *nic;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry(nic, &suo_nics, node)
		if (!strcmp(config_item_name(&nic->item), name))
			return nic;
	return NULL;
}

static void route_put(const struct suo_nic_route *route)
{
	config_item_put(&route->nic->item);
	suo_member_put(route->bridge);
}

/* What leads to the line now; without a profile nothing does. */
static bool route_find(struct suo_dev *dev, struct suo_nic_route *route)
{
	struct suo_nic *own = nic_find(dev->name);

	route->nic = own;
	if (own && own->via[0])
		route->nic = nic_find(own->via) ? : own;
	if (!route->nic)
		return false;
	config_item_get(&route->nic->item);
	route->bridge = NULL;
	if (route->nic != own)
		route->bridge = suo_domain_fellow(dev, own->via);
	return true;
}

/* Of a device's two routes one is not in use, so that a change needs no memory. */
static void route_set(struct suo_dev *dev, struct suo_nic_route *route)
{
	struct suo_nic_route *was;

	was = rcu_replace_pointer(dev->route, route,
				  lockdep_is_held(&suo_devs_lock));
	if (was) {
		/* Ports run with softirqs off. */
		synchronize_rcu();
		route_put(was);
	}
}

/**
 * suo_nic_update() - something has changed on a device's way to the line
 * @dev: the device
 *
 * Its profile, the one that it goes by, or who belongs to its domain.
 */
void suo_nic_update(struct suo_dev *dev)
{
	struct suo_nic_route *was, *route;
	struct suo_link_law law = {};

	was = rcu_dereference_protected(dev->route,
					lockdep_is_held(&suo_devs_lock));
	route = &dev->routes[was == &dev->routes[0]];
	if (!route_find(dev, route)) {
		suo_port_set_law(&dev->nic, &law, false);
		route_set(dev, NULL);
		return;
	}
	spin_lock_irq(&route->nic->lock);
	law = route->nic->law;
	spin_unlock_irq(&route->nic->lock);
	suo_port_set_law(&dev->nic, &law, route->bridge);
	if (was && was->nic == route->nic && was->bridge == route->bridge)
		route_put(route);
	else
		route_set(dev, route);
}

/* All that may use a profile, or a member as a bridge, of this name. */
void suo_nic_changed(const char *name)
{
	struct suo_dev *dev;
	struct suo_nic *own;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry(dev, &suo_devs, node) {
		own = nic_find(dev->name);
		if (!strcmp(dev->name, name) ||
		    (own && !strcmp(own->via, name)))
			suo_nic_update(dev);
	}
}

#define SUO_NIC_ATTR(name, field, max)					\
static ssize_t suo_nic_##name##_show(struct config_item *item, char *page) \
{									\
	return suo_config_show(page, READ_ONCE(to_nic(item)->law.field));	\
}									\
									\
static ssize_t suo_nic_##name##_store(struct config_item *item,		\
				      const char *page, size_t len)	\
{									\
	u64 val;							\
	int err = suo_config_parse(page, 0, max, &val);			\
									\
	if (err)							\
		return err;						\
	mutex_lock(&suo_devs_lock);					\
	spin_lock_irq(&to_nic(item)->lock);				\
	to_nic(item)->law.field = val;					\
	spin_unlock_irq(&to_nic(item)->lock);				\
	suo_nic_changed(config_item_name(item));			\
	mutex_unlock(&suo_devs_lock);					\
	return len;							\
}									\
CONFIGFS_ATTR(suo_nic_, name)

SUO_NIC_ATTR(rate_mbps, rate_mbps, SUO_LINK_MAX_RATE_MBPS);
SUO_NIC_ATTR(latency_ps, endpoint_ps, SUO_LINK_MAX_LATENCY_PS);

static ssize_t suo_nic_via_show(struct config_item *item, char *page)
{
	ssize_t len;

	mutex_lock(&suo_devs_lock);
	len = sysfs_emit(page, "%s\n", to_nic(item)->via);
	mutex_unlock(&suo_devs_lock);
	return len;
}

/* The name of another NIC, which is nobody's guest itself; or nothing. */
static ssize_t suo_nic_via_store(struct config_item *item, const char *page,
				 size_t len)
{
	struct suo_nic *nic = to_nic(item), *other, *guest;
	char text[2 * IB_DEVICE_NAME_MAX], *name;
	int err = 0;

	if (strscpy(text, page, sizeof(text)) < 0)
		return -ENAMETOOLONG;
	name = strim(text);
	if (strlen(name) >= IB_DEVICE_NAME_MAX)
		return -ENAMETOOLONG;
	mutex_lock(&suo_devs_lock);
	if (name[0]) {
		other = nic_find(name);
		if (!other)
			err = -ENOENT;
		else if (other == nic || other->via[0])
			err = -EINVAL;
		list_for_each_entry(guest, &suo_nics, node)
			if (!strcmp(guest->via, config_item_name(item)))
				err = -EINVAL;
	}
	if (!err) {
		strscpy(nic->via, name, sizeof(nic->via));
		suo_nic_changed(config_item_name(item));
	}
	mutex_unlock(&suo_devs_lock);
	return err ? : len;
}
CONFIGFS_ATTR(suo_nic_, via);

static struct configfs_attribute *nic_attrs[] = {
	&suo_nic_attr_via,
	&suo_nic_attr_rate_mbps,
	&suo_nic_attr_latency_ps,
	NULL,
};

static void nic_release(struct config_item *item)
{
	kfree(to_nic(item));
}

static struct configfs_item_operations nic_item_ops = {
	.release = nic_release,
};

static const struct config_item_type nic_type = {
	.ct_owner	= THIS_MODULE,
	.ct_item_ops	= &nic_item_ops,
	.ct_attrs	= nic_attrs,
};

static struct config_item *nic_make(struct config_group *group,
				    const char *name)
{
	struct suo_nic *nic = kzalloc(sizeof(*nic), GFP_KERNEL);

	if (!nic)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&nic->lock);
	config_item_init_type_name(&nic->item, name, &nic_type);
	mutex_lock(&suo_devs_lock);
	list_add_tail(&nic->node, &suo_nics);
	suo_nic_changed(name);
	mutex_unlock(&suo_devs_lock);
	return &nic->item;
}

/* Without a profile a NIC is not paced; its guests have their own again. */
static void nic_drop(struct config_group *group, struct config_item *item)
{
	struct suo_nic *nic = to_nic(item);

	mutex_lock(&suo_devs_lock);
	list_del(&nic->node);
	suo_nic_changed(config_item_name(item));
	mutex_unlock(&suo_devs_lock);
	config_item_put(item);
}

static struct configfs_group_operations nics_group_ops = {
	.make_item	= nic_make,
	.drop_item	= nic_drop,
};

const struct config_item_type suo_nics_type = {
	.ct_owner	= THIS_MODULE,
	.ct_group_ops	= &nics_group_ops,
};

/* The device is out of sight already, its ports are not stopped yet. */
void suo_nic_detach(struct suo_dev *dev)
{
	lockdep_assert_held(&suo_devs_lock);
	route_set(dev, NULL);
}

/* First over the domain to the one whose NIC it is, then onto the line. The line is
 * taken in the order in which packets begin, and from then on: that it begins later
 * with those that come over the domain, as slowly as that may be, is added to their
 * arrival. So it never stands idle waiting for one.
 */
static u64 nic_reserve(struct suo_port *port, struct suo_pkt *pkt, u64 ready_ps)
{
	u64 left_ps = ready_ps, cross_ps = 0, due_ps;
	struct suo_nic_route *route;
	struct suo_nic *nic;

	pkt->link.lost = false;
	rcu_read_lock();
	route = rcu_dereference(port->dev->route);
	if (!route) {
		due_ps = suo_link_pace(&port->law, &port->clk, ready_ps,
				       pkt->wire_bytes);
		goto out;
	}
	if (route->bridge && !READ_ONCE(route->bridge->left))
		cross_ps = suo_domain_cross(route->bridge, &port->dev->su,
					    ready_ps, pkt, &left_ps);
	nic = route->nic;
	spin_lock(&nic->lock);
	due_ps = suo_link_pace(&nic->law, &nic->clk,
			       max(ready_ps, port->clk.tx_free_ps),
			       pkt->wire_bytes);
	if (left_ps > nic->clk.tx_free_ps)
		due_ps = suo_add_sat(due_ps, left_ps - nic->clk.tx_free_ps);
	due_ps = suo_add_sat(due_ps, cross_ps);
	port->clk.tx_free_ps = max(left_ps, nic->clk.tx_free_ps);
	spin_unlock(&nic->lock);
out:
	rcu_read_unlock();
	return due_ps;
}

static void nic_deliver(struct suo_port *port, struct suo_pkt *pkt)
{
	struct sk_buff *skb = pkt->skb;

	/* It did not get as far as the line. */
	if (pkt->link.lost)
		goto out;
	pkt->skb = NULL;
	suo_net_xmit(port->dev, skb, pkt->src_qpn);
out:
	suo_pkt_free(pkt);
}

const struct suo_port_ops suo_nic_port_ops = {
	.reserve	= nic_reserve,
	.deliver	= nic_deliver,
	.drop		= suo_pkt_free,
};
