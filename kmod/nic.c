// SPDX-License-Identifier: GPL-2.0-only
/* The NIC: its profile in configfs, and the port that paces towards it. */
#include <linux/slab.h>

#include "config.h"
#include "net.h"
#include "pkt.h"
#include "suo.h"

/**
 * struct suo_nic - a scale-out profile
 * @item: its directory, named like the device
 * @node: in the list of profiles, protected by suo_devs_lock
 * @law: rate and latency
 */
struct suo_nic {
	struct config_item	item;
	struct list_head	node;
	struct suo_link_law	law;
};

static LIST_HEAD(suo_nics);

static struct suo_nic *to_nic(struct config_item *item)
{
	return container_of(item, struct suo_nic, item);
}

/* Take a new parameter to the device, if there is one. */
static void nic_apply(struct suo_nic *nic)
{
	struct suo_dev *dev = suo_dev_find(config_item_name(&nic->item));

	if (dev)
		suo_port_set_law(&dev->nic, &nic->law);
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
	to_nic(item)->law.field = val;					\
	nic_apply(to_nic(item));					\
	mutex_unlock(&suo_devs_lock);					\
	return len;							\
}									\
CONFIGFS_ATTR(suo_nic_, name)

SUO_NIC_ATTR(rate_mbps, rate_mbps, SUO_LINK_MAX_RATE_MBPS);
SUO_NIC_ATTR(latency_ps, endpoint_ps, SUO_LINK_MAX_LATENCY_PS);

static struct configfs_attribute *nic_attrs[] = {
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
	config_item_init_type_name(&nic->item, name, &nic_type);
	mutex_lock(&suo_devs_lock);
	list_add_tail(&nic->node, &suo_nics);
	mutex_unlock(&suo_devs_lock);
	return &nic->item;
}

/* Without a profile a NIC is not paced. */
static void nic_drop(struct config_group *group, struct config_item *item)
{
	struct suo_nic *nic = to_nic(item);

	mutex_lock(&suo_devs_lock);
	memset(&nic->law, 0, sizeof(nic->law));
	nic_apply(nic);
	list_del(&nic->node);
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

void suo_nic_attach(struct suo_dev *dev)
{
	struct suo_nic *nic;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry(nic, &suo_nics, node)
		if (!strcmp(config_item_name(&nic->item), dev->name))
			suo_port_set_law(&dev->nic, &nic->law);
}

static u64 nic_reserve(struct suo_port *port, struct suo_pkt *pkt, u64 ready_ps)
{
	return suo_link_pace(&port->law, &port->clk, ready_ps, pkt->wire_bytes);
}

static void nic_deliver(struct suo_port *port, struct suo_pkt *pkt)
{
	struct sk_buff *skb = pkt->skb;

	pkt->skb = NULL;
	suo_net_xmit(port->dev, skb, pkt->src_qpn);
	suo_pkt_free(pkt);
}

const struct suo_port_ops suo_nic_port_ops = {
	.reserve	= nic_reserve,
	.deliver	= nic_deliver,
	.drop		= suo_pkt_free,
};
