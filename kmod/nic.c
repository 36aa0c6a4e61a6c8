// SPDX-License-Identifier: GPL-2.0-only
/* The NIC: its profile in configfs, and the port that paces towards it. */
#include <linux/slab.h>

#include "config.h"
#include "domain.h"
#include "net.h"
#include "nic.h"
#include "pkt.h"
#include "qp.h"
#include "suo.h"

static LIST_HEAD(suo_nics);

static struct suo_nic *to_nic(struct config_item *item)
{
	return container_of(to_config_group(item), struct suo_nic, group);
}

static struct suo_nic *nic_find(const char *name)
{
	struct suo_nic *nic;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry(nic, &suo_nics, node)
		if (!strcmp(config_item_name(&nic->group.cg_item), name))
			return nic;
	return NULL;
}

static void route_put(const struct suo_nic_route *route)
{
	config_item_put(&route->nic->group.cg_item);
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
	config_item_get(&route->nic->group.cg_item);
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

/* What a device does with what it receives is its own matter, whatever it leaves by. */
static void reorder_update(struct suo_dev *dev)
{
	struct suo_nic *own = nic_find(dev->name);

	WRITE_ONCE(dev->reorder_ps, own ? own->reorder_ps : 0);
	WRITE_ONCE(dev->reorder_pkts, own ? own->reorder_pkts : 0);
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
	reorder_update(dev);
	if (!route_find(dev, route)) {
		rcu_assign_pointer(dev->cc, NULL);
		suo_port_set_law(&dev->nic, &law, false);
		route_set(dev, NULL);
		return;
	}
	spin_lock_irq(&route->nic->lock);
	law = route->nic->law;
	spin_unlock_irq(&route->nic->lock);
	rcu_assign_pointer(dev->cc, route->nic->profile);
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

/**
 * suo_nic_set() - change a NIC
 * @nic: the NIC
 * @law: its line
 * @cc: how its flows are controlled
 *
 * Called with suo_devs_lock held. Without a rate there is nothing to control.
 *
 * Return: 0; or -EINVAL or -ENOMEM, and nothing has changed.
 */
int suo_nic_set(struct suo_nic *nic, const struct suo_link_law *law,
		const struct suo_cc_params *cc)
{
	struct suo_cc_profile *was = nic->profile, *profile = NULL;
	bool paced = nic->law.rate_mbps;

	lockdep_assert_held(&suo_devs_lock);
	/* A packet makes so many increases at most. */
	if (cc->law.dcqcn.rp_byte_reset_bytes &&
	    cc->law.dcqcn.rp_byte_reset_bytes < SUO_CC_MIN_BYTE_RESET)
		return -EINVAL;
	if (law->rate_mbps && cc->ops != &suo_cc_none) {
		profile = suo_cc_profile(cc, law->rate_mbps);
		if (!profile)
			return -ENOMEM;
	}
	if (law->rate_mbps && !paced)
		suo_pause_use(true);
	nic->cc = *cc;
	nic->profile = profile;
	spin_lock_irq(&nic->lock);
	nic->law = *law;
	spin_unlock_irq(&nic->lock);
	suo_nic_changed(config_item_name(&nic->group.cg_item));
	if (!law->rate_mbps && paced)
		suo_pause_use(false);
	if (was)
		kfree_rcu(was, rcu);
	return 0;
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
	struct suo_nic *nic = to_nic(item);				\
	struct suo_link_law law;					\
	u64 val;							\
	int err = suo_config_parse(page, 0, max, &val);			\
									\
	if (err)							\
		return err;						\
	mutex_lock(&suo_devs_lock);					\
	law = nic->law;							\
	law.field = val;						\
	err = suo_nic_set(nic, &law, &nic->cc);				\
	mutex_unlock(&suo_devs_lock);					\
	return err ? : len;						\
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

static ssize_t suo_nic_reorder_pkts_show(struct config_item *item, char *page)
{
	return suo_config_show(page, READ_ONCE(to_nic(item)->reorder_pkts));
}

static ssize_t suo_nic_reorder_pkts_store(struct config_item *item,
					  const char *page, size_t len)
{
	struct suo_nic *nic = to_nic(item);
	u64 val;
	int err = suo_config_parse(page, 0, SUO_REORDER_MAX_PKTS, &val);

	if (err)
		return err;
	mutex_lock(&suo_devs_lock);
	if (!val != !nic->reorder_pkts)
		suo_reorder_use(val);
	WRITE_ONCE(nic->reorder_pkts, val);
	suo_nic_changed(config_item_name(item));
	mutex_unlock(&suo_devs_lock);
	return len;
}
CONFIGFS_ATTR(suo_nic_, reorder_pkts);

static ssize_t suo_nic_reorder_ps_show(struct config_item *item, char *page)
{
	return suo_config_show(page, READ_ONCE(to_nic(item)->reorder_ps));
}

static ssize_t suo_nic_reorder_ps_store(struct config_item *item,
					const char *page, size_t len)
{
	struct suo_nic *nic = to_nic(item);
	u64 val;
	int err = suo_config_parse(page, 0, SUO_REORDER_MAX_PS, &val);

	if (err)
		return err;
	mutex_lock(&suo_devs_lock);
	WRITE_ONCE(nic->reorder_ps, val);
	suo_nic_changed(config_item_name(item));
	mutex_unlock(&suo_devs_lock);
	return len;
}
CONFIGFS_ATTR(suo_nic_, reorder_ps);

static struct configfs_attribute *nic_attrs[] = {
	&suo_nic_attr_via,
	&suo_nic_attr_rate_mbps,
	&suo_nic_attr_latency_ps,
	&suo_nic_attr_cc,
	&suo_nic_attr_reorder_pkts,
	&suo_nic_attr_reorder_ps,
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

static struct config_group *nic_make(struct config_group *group,
				     const char *name)
{
	struct suo_nic *nic = kzalloc(sizeof(*nic), GFP_KERNEL);

	if (!nic)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&nic->lock);
	suo_cc_default_params(&nic->cc);
	nic->reorder_ps = SUO_REORDER_PS;
	config_group_init_type_name(&nic->group, name, &nic_type);
	config_group_init_type_name(&nic->cc_group, "cc_params",
				    &suo_cc_params_type);
	configfs_add_default_group(&nic->cc_group, &nic->group);
	mutex_lock(&suo_devs_lock);
	list_add_tail(&nic->node, &suo_nics);
	suo_nic_changed(name);
	mutex_unlock(&suo_devs_lock);
	return &nic->group;
}

/* Without a profile a NIC is not paced; its guests have their own again. */
static void nic_drop(struct config_group *group, struct config_item *item)
{
	struct suo_nic *nic = to_nic(item);

	mutex_lock(&suo_devs_lock);
	list_del(&nic->node);
	suo_nic_changed(config_item_name(item));
	if (nic->law.rate_mbps)
		suo_pause_use(false);
	if (nic->reorder_pkts)
		suo_reorder_use(false);
	if (nic->profile)
		kfree_rcu(nic->profile, rcu);
	mutex_unlock(&suo_devs_lock);
	config_item_put(item);
}

static struct configfs_group_operations nics_group_ops = {
	.make_group	= nic_make,
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
	rcu_assign_pointer(dev->cc, NULL);
	route_set(dev, NULL);
}

/* First over the domain to the one whose NIC it is, then onto the line. The line is
 * taken in the order in which packets begin, and from then on: that it begins later
 * with those that come over the domain, as slowly as that may be, is added to their
 * arrival. So it never stands idle waiting for one.
 */
static u64 nic_reserve(struct suo_port *port, struct suo_pkt *pkt, u64 ready_ps)
{
	u64 left_ps = ready_ps, cross_ps = 0, start_ps, due_ps;
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
	start_ps = max3(ready_ps, port->clk.tx_free_ps, nic->clk.tx_free_ps);
	due_ps = suo_link_pace(&nic->law, &nic->clk, start_ps, pkt->wire_bytes);
	if (static_branch_unlikely(&suo_paced))
		suo_flow_left(pkt, start_ps);
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
