// SPDX-License-Identifier: GPL-2.0-only
/* Scale-up domains: who belongs to one, and the links between its members. */
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "clock.h"
#include "config.h"
#include "domain.h"
#include "pkt.h"
#include "shm.h"
#include "suo.h"
#include "telemetry.h"
#include "window.h"

static LIST_HEAD(suo_domains);

static struct suo_domain *to_domain(struct config_item *item)
{
	return container_of(to_config_group(item), struct suo_domain, group);
}

static struct suo_member *to_member(struct config_item *item)
{
	return container_of(item, struct suo_member, item);
}

/* A new law holds from now on: nothing waits for what an old one has put off, and what
 * is under way by it arrives no later than what is sent now.
 */
static void law_changed(struct suo_domain *d)
{
	struct suo_member *m;
	u64 now_ps, latest_ps;

	mutex_lock(&suo_devs_lock);
	spin_lock_irq(&d->lock);
	now_ps = suo_now_ps();
	latest_ps = suo_add_sat(now_ps, suo_link_latency_ps(&d->law));
	list_for_each_entry(m, &d->members, node)
		m->clk.rx_free_ps = min(m->clk.rx_free_ps, now_ps);
	spin_unlock_irq(&d->lock);
	list_for_each_entry(m, &d->members, node)
		if (m->dev)
			suo_port_hasten(&m->dev->su, &d->lock, now_ps, latest_ps);
	mutex_unlock(&suo_devs_lock);
}

/* Attributes: one number each, see Documentation/ABI. */
#define SUO_DOMAIN_ATTR(name, max)					\
static ssize_t suo_domain_##name##_show(struct config_item *item,	\
					char *page)			\
{									\
	return suo_config_show(page, READ_ONCE(to_domain(item)->law.name)); \
}									\
									\
static ssize_t suo_domain_##name##_store(struct config_item *item,	\
					 const char *page, size_t len)	\
{									\
	struct suo_domain *d = to_domain(item);				\
	u64 val;							\
	int err = suo_config_parse(page, 0, max, &val);			\
									\
	if (err)							\
		return err;						\
	spin_lock_irq(&d->lock);					\
	d->law.name = val;						\
	spin_unlock_irq(&d->lock);					\
	law_changed(d);							\
	return len;							\
}									\
CONFIGFS_ATTR(suo_domain_, name)

SUO_DOMAIN_ATTR(rate_mbps, SUO_LINK_MAX_RATE_MBPS);
SUO_DOMAIN_ATTR(endpoint_ps, SUO_LINK_MAX_LATENCY_PS);
SUO_DOMAIN_ATTR(stages, SUO_LINK_MAX_STAGES);
SUO_DOMAIN_ATTR(switch_ps, SUO_LINK_MAX_LATENCY_PS);
SUO_DOMAIN_ATTR(fec_ps, SUO_LINK_MAX_LATENCY_PS);
SUO_DOMAIN_ATTR(propagation_ps, SUO_LINK_MAX_LATENCY_PS);
SUO_DOMAIN_ATTR(max_payload_bytes, SUO_LINK_MAX_PAYLOAD_BYTES);
SUO_DOMAIN_ATTR(header_bytes, SUO_LINK_MAX_FRAMING_BYTES);
SUO_DOMAIN_ATTR(flit_bytes, SUO_LINK_MAX_FRAMING_BYTES);
SUO_DOMAIN_ATTR(min_packet_bytes, SUO_LINK_MAX_FRAMING_BYTES);
SUO_DOMAIN_ATTR(frame_bytes, SUO_LINK_MAX_FRAME_BYTES);
SUO_DOMAIN_ATTR(frame_payload_bytes, SUO_LINK_MAX_FRAME_BYTES);
SUO_DOMAIN_ATTR(buffer_bytes, SUO_LINK_MAX_BUFFER_BYTES);
SUO_DOMAIN_ATTR(credit_bytes, SUO_LINK_MAX_CREDIT_BYTES);
SUO_DOMAIN_ATTR(credit_rtt_ps, SUO_LINK_MAX_RTT_PS);
SUO_DOMAIN_ATTR(errors_per_pbit, SUO_LINK_MAX_ERRORS_PER_PBIT);
SUO_DOMAIN_ATTR(retry_ps, SUO_LINK_MAX_RTT_PS);
SUO_DOMAIN_ATTR(seed, U64_MAX);
SUO_DOMAIN_ATTR(reduce_ps, SUO_LINK_MAX_LATENCY_PS);

/* All parts of the latency together. Who writes it names no parts. */
static ssize_t suo_domain_latency_ps_show(struct config_item *item, char *page)
{
	struct suo_domain *d = to_domain(item);
	u64 ps;

	spin_lock_irq(&d->lock);
	ps = suo_link_latency_ps(&d->law);
	spin_unlock_irq(&d->lock);
	return suo_config_show(page, ps);
}

static ssize_t suo_domain_latency_ps_store(struct config_item *item,
					   const char *page, size_t len)
{
	struct suo_domain *d = to_domain(item);
	u64 val;
	int err = suo_config_parse(page, 0, SUO_LINK_MAX_LATENCY_PS, &val);

	if (err)
		return err;
	spin_lock_irq(&d->lock);
	d->law.endpoint_ps = val;
	d->law.stages = 0;
	d->law.switch_ps = 0;
	d->law.fec_ps = 0;
	d->law.propagation_ps = 0;
	spin_unlock_irq(&d->lock);
	law_changed(d);
	return len;
}
CONFIGFS_ATTR(suo_domain_, latency_ps);

static const char * const retry_names[SUO_LINK_RETRIES] = {
	[SUO_LINK_NONE]	= "none",
	[SUO_LINK_LLR]	= "llr",
	[SUO_LINK_GBN]	= "gbn",
};

static ssize_t suo_domain_retry_show(struct config_item *item, char *page)
{
	u32 retry = READ_ONCE(to_domain(item)->law.retry);

	return sysfs_emit(page, "%s\n", retry_names[retry]);
}

static ssize_t suo_domain_retry_store(struct config_item *item,
				      const char *page, size_t len)
{
	struct suo_domain *d = to_domain(item);
	int retry = sysfs_match_string(retry_names, page);

	if (retry < 0)
		return retry;
	spin_lock_irq(&d->lock);
	d->law.retry = retry;
	spin_unlock_irq(&d->lock);
	return len;
}
CONFIGFS_ATTR(suo_domain_, retry);

static ssize_t suo_domain_shared_memory_show(struct config_item *item,
					     char *page)
{
	return suo_shm_show(to_domain(item), page);
}

static ssize_t suo_domain_shared_memory_store(struct config_item *item,
					      const char *page, size_t len)
{
	return suo_shm_store(to_domain(item), page, len);
}
CONFIGFS_ATTR(suo_domain_, shared_memory);

static ssize_t suo_domain_remote_members_show(struct config_item *item,
					      char *page)
{
	return suo_shm_remote_show(to_domain(item), page);
}
CONFIGFS_ATTR_RO(suo_domain_, remote_members);

static struct configfs_attribute *domain_attrs[] = {
	&suo_domain_attr_rate_mbps,
	&suo_domain_attr_latency_ps,
	&suo_domain_attr_endpoint_ps,
	&suo_domain_attr_stages,
	&suo_domain_attr_switch_ps,
	&suo_domain_attr_fec_ps,
	&suo_domain_attr_propagation_ps,
	&suo_domain_attr_max_payload_bytes,
	&suo_domain_attr_header_bytes,
	&suo_domain_attr_flit_bytes,
	&suo_domain_attr_min_packet_bytes,
	&suo_domain_attr_frame_bytes,
	&suo_domain_attr_frame_payload_bytes,
	&suo_domain_attr_buffer_bytes,
	&suo_domain_attr_credit_bytes,
	&suo_domain_attr_credit_rtt_ps,
	&suo_domain_attr_errors_per_pbit,
	&suo_domain_attr_retry,
	&suo_domain_attr_retry_ps,
	&suo_domain_attr_seed,
	&suo_domain_attr_reduce_ps,
	&suo_domain_attr_shared_memory,
	&suo_domain_attr_remote_members,
	NULL,
};

static void domain_release(struct config_item *item)
{
	struct suo_domain *d = to_domain(item);

	mutex_lock(&suo_devs_lock);
	list_del(&d->node);
	mutex_unlock(&suo_devs_lock);
	kfree(d);
}

static struct configfs_item_operations domain_item_ops = {
	.release = domain_release,
};

static const struct config_item_type domain_type = {
	.ct_owner	= THIS_MODULE,
	.ct_item_ops	= &domain_item_ops,
	.ct_attrs	= domain_attrs,
};

static void member_release(struct config_item *item)
{
	struct suo_member *m = to_member(item);

	config_item_put(&m->domain->group.cg_item);
	kfree(m);
}

static struct configfs_item_operations member_item_ops = {
	.release = member_release,
};

static const struct config_item_type member_type = {
	.ct_owner	= THIS_MODULE,
	.ct_item_ops	= &member_item_ops,
	.ct_attrs	= suo_member_attrs,
};

static struct suo_domain *domain_of_members(struct config_group *group)
{
	return container_of(group, struct suo_domain, members_group);
}

static struct suo_member *member_by_name(const char *name)
{
	struct suo_domain *d;
	struct suo_member *m;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry(d, &suo_domains, node)
		list_for_each_entry(m, &d->members, node)
			if (!strcmp(config_item_name(&m->item), name))
				return m;
	return NULL;
}

static struct config_item *member_make(struct config_group *group,
				       const char *name)
{
	struct suo_domain *d = domain_of_members(group);
	struct suo_member *m;

	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&suo_devs_lock);
	/* A device has one scale-up port. */
	if (member_by_name(name)) {
		mutex_unlock(&suo_devs_lock);
		kfree(m);
		return ERR_PTR(-EBUSY);
	}
	config_item_init_type_name(&m->item, name, &member_type);
	config_item_get(&d->group.cg_item);
	m->domain = d;
	list_add_tail(&m->node, &d->members);
	WRITE_ONCE(m->dev, suo_dev_find(name));
	if (m->dev)
		m->dev->member = m;
	suo_nic_changed(name);
	suo_shm_publish(d, m);
	mutex_unlock(&suo_devs_lock);
	return &m->item;
}

static void member_drop(struct config_group *group, struct config_item *item)
{
	struct suo_member *m = to_member(item);

	mutex_lock(&suo_devs_lock);
	WRITE_ONCE(m->left, true);
	suo_shm_unpublish(m->domain, m);
	list_del(&m->node);
	if (m->dev)
		m->dev->member = NULL;
	WRITE_ONCE(m->dev, NULL);
	suo_nic_changed(config_item_name(item));
	mutex_unlock(&suo_devs_lock);
	suo_exports_leave(m);
	config_item_put(item);
}

static struct configfs_group_operations members_group_ops = {
	.make_item	= member_make,
	.drop_item	= member_drop,
};

static const struct config_item_type members_type = {
	.ct_owner	= THIS_MODULE,
	.ct_group_ops	= &members_group_ops,
};

static struct config_group *domain_make(struct config_group *group,
					const char *name)
{
	struct suo_domain *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&d->lock);
	INIT_LIST_HEAD(&d->members);
	config_group_init_type_name(&d->group, name, &domain_type);
	config_group_init_type_name(&d->members_group, "members",
				    &members_type);
	configfs_add_default_group(&d->members_group, &d->group);
	mutex_lock(&suo_devs_lock);
	list_add_tail(&d->node, &suo_domains);
	mutex_unlock(&suo_devs_lock);
	return &d->group;
}

static void domain_drop(struct config_group *group, struct config_item *item)
{
	suo_shm_detach(to_domain(item));
	config_item_put(item);
}

static struct configfs_group_operations domains_group_ops = {
	.make_group	= domain_make,
	.drop_item	= domain_drop,
};

const struct config_item_type suo_domains_type = {
	.ct_owner	= THIS_MODULE,
	.ct_group_ops	= &domains_group_ops,
};

void suo_domain_attach(struct suo_dev *dev)
{
	struct suo_member *m = member_by_name(dev->name);

	if (!m)
		return;
	WRITE_ONCE(m->dev, dev);
	dev->member = m;
	suo_shm_publish(m->domain, m);
}

void suo_domain_detach(struct suo_dev *dev)
{
	lockdep_assert_held(&suo_devs_lock);
	if (dev->member) {
		suo_shm_unpublish(dev->member->domain, dev->member);
		WRITE_ONCE(dev->member->dev, NULL);
	}
	dev->member = NULL;
}

/* The place that a device has in a domain, with a reference, or NULL. */
struct suo_member *suo_member_get(struct suo_dev *dev)
{
	struct suo_member *m;

	mutex_lock(&suo_devs_lock);
	m = dev->member;
	if (m)
		config_item_get(&m->item);
	mutex_unlock(&suo_devs_lock);
	return m;
}

void suo_member_put(struct suo_member *member)
{
	if (member)
		config_item_put(&member->item);
}

/**
 * suo_domain_peer() - is a GID that of a member of our domain?
 * @dev: our device
 * @dgid: the peer's GID
 *
 * Return: the peer's port with a reference; NULL: go by the wire; or -ENOMEM.
 */
struct suo_member *suo_domain_peer(struct suo_dev *dev, const union ib_gid *dgid)
{
	const struct ib_gid_attr *attr;
	struct suo_member *m = NULL;

	mutex_lock(&suo_devs_lock);
	if (!dev->member)
		goto out;
	list_for_each_entry(m, &dev->member->domain->members, node) {
		if (!m->dev)
			continue;
		attr = rdma_find_gid_by_port(&m->dev->ibdev, dgid,
					     IB_GID_TYPE_ROCE_UDP_ENCAP, 1,
					     NULL);
		if (IS_ERR(attr))
			continue;
		rdma_put_gid_attr(attr);
		config_item_get(&m->item);
		goto out;
	}
	m = suo_shm_find_far(dev->member->domain, dev, dgid);
out:
	mutex_unlock(&suo_devs_lock);
	return m;
}

/**
 * suo_domain_fellow() - a member of a device's own domain
 * @dev: the device
 * @name: the member's
 *
 * Return: the member with a reference, or NULL.
 */
struct suo_member *suo_domain_fellow(struct suo_dev *dev, const char *name)
{
	struct suo_member *m;

	lockdep_assert_held(&suo_devs_lock);
	if (!dev->member)
		return NULL;
	list_for_each_entry(m, &dev->member->domain->members, node)
		if (!strcmp(config_item_name(&m->item), name)) {
			config_item_get(&m->item);
			return m;
		}
	return NULL;
}

/**
 * suo_domain_cross() - take the links for a packet that goes on to the wire
 * @to: the member that it leaves the domain by
 * @port: the sender's scale-up port
 * @ready_ps: earliest start
 * @pkt: the packet; its link is set
 * @left_ps: when it has left the sender
 *
 * Return: how much later than that it is at the member.
 */
u64 suo_domain_cross(struct suo_member *to, struct suo_port *port, u64 ready_ps,
		     struct suo_pkt *pkt, u64 *left_ps)
{
	struct suo_domain *d = to->domain;
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	suo_link_reserve(&d->law, &port->clk, &to->clk, ready_ps,
			 pkt->wire_bytes, &pkt->link);
	suo_telemetry_tx(port, &d->law, &pkt->link);
	*left_ps = port->clk.tx_free_ps;
	spin_unlock_irqrestore(&d->lock, flags);
	return suo_sub_sat(pkt->link.arrival_ps, *left_ps);
}

/**
 * suo_domain_reserve() - take the links from one member to another
 * @to: the receiving member
 * @port: the sender's port
 * @ready_ps: earliest start
 * @pkt: the packet; its link is set
 *
 * Return: modelled time of arrival.
 */
u64 suo_domain_reserve(struct suo_member *to, struct suo_port *port,
		       u64 ready_ps, struct suo_pkt *pkt)
{
	struct suo_domain *d = to->domain;
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	suo_link_reserve(&d->law, &port->clk, &to->clk, ready_ps, pkt->pay.len,
			 &pkt->link);
	suo_telemetry_tx(port, &d->law, &pkt->link);
	spin_unlock_irqrestore(&d->lock, flags);
	return pkt->link.arrival_ps;
}

/**
 * suo_domain_reserve_tx() - take our end of the link to a member in another VM
 * @to: the member
 * @port: the sender's port
 * @ready_ps: earliest start
 * @pkt: the packet; its link is set
 *
 * Return: modelled time at which its last bit has left.
 */
u64 suo_domain_reserve_tx(struct suo_member *to, struct suo_port *port,
			  u64 ready_ps, struct suo_pkt *pkt)
{
	struct suo_domain *d = to->domain;
	unsigned long flags;
	u64 latency_ps;

	spin_lock_irqsave(&d->lock, flags);
	suo_link_reserve(&d->law, &port->clk, NULL, ready_ps, pkt->pay.len,
			 &pkt->link);
	suo_telemetry_tx(port, &d->law, &pkt->link);
	latency_ps = suo_link_latency_ps(&d->law);
	spin_unlock_irqrestore(&d->lock, flags);
	return suo_sub_sat(pkt->link.arrival_ps, latency_ps);
}

/**
 * suo_domain_reserve_rx() - take our end of the link from a member in another VM
 * @to: the receiving member, ours, with a device
 * @left_ps: when the packet's last bit left, by our clock
 * @pay_len: bytes of its payload
 *
 * What credits and bit errors do is the sender's end.
 *
 * Return: modelled time of arrival.
 */
u64 suo_domain_reserve_rx(struct suo_member *to, u64 left_ps, u32 pay_len)
{
	struct suo_link_clock from = {};
	struct suo_domain *d = to->domain;
	struct suo_link_result res;
	struct suo_link_law law;
	unsigned long flags;
	u64 ser_ps;

	spin_lock_irqsave(&d->lock, flags);
	law = d->law;
	law.credit_bytes = 0;
	law.errors_per_pbit = 0;
	ser_ps = suo_link_ser_ps(&law, suo_link_wire_bytes(&law, pay_len));
	suo_link_reserve(&law, &from, &to->clk, left_ps - min(left_ps, ser_ps),
			 pay_len, &res);
	spin_unlock_irqrestore(&d->lock, flags);
	suo_telemetry_rx(to->dev, &res);
	return res.arrival_ps;
}
