// SPDX-License-Identifier: GPL-2.0-only
/* All devices of the module. */
#include <linux/rculist.h>

#include "suo.h"

/* Protects the list, what belongs to which domain, and device names. */
DEFINE_MUTEX(suo_devs_lock);
LIST_HEAD(suo_devs);

/* By the name given to `rdma link add`; the caller holds suo_devs_lock. */
struct suo_dev *suo_dev_find(const char *name)
{
	struct suo_dev *dev;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry(dev, &suo_devs, node)
		if (dev->enabled && !strcmp(dev->name, name))
			return dev;
	return NULL;
}

/**
 * suo_dev_get_by_addr() - find the device that a datagram came to
 * @net: namespace
 * @from: how it came
 * @match: does the device own the destination address?
 *
 * Return: the device; release it with ib_device_put(); or NULL.
 */
struct suo_dev *suo_dev_get_by_addr(struct net *net, struct suo_from *from,
				    bool (*match)(struct suo_dev *dev,
						  struct suo_from *from))
{
	struct suo_dev *dev, *found = NULL;

	rcu_read_lock();
	suo_for_each_dev_rcu(dev) {
		if (dev->net != net || !ib_device_try_get(&dev->ibdev))
			continue;
		if (match(dev, from)) {
			found = dev;
			break;
		}
		ib_device_put(&dev->ibdev);
	}
	rcu_read_unlock();
	return found;
}

bool suo_devs_empty(void)
{
	lockdep_assert_held(&suo_devs_lock);
	return list_empty(&suo_devs);
}

/**
 * suo_devs_add() - put a device into the list
 * @dev: the device
 *
 * configfs knows a device by the name it was added by, whatever it is renamed
 * to, so that name is taken as long as the device lives.
 *
 * Return: 0, -EINVAL for a name that no directory can have, -EEXIST.
 */
int suo_devs_add(struct suo_dev *dev)
{
	struct suo_dev *other;

	lockdep_assert_held(&suo_devs_lock);
	if (strchr(dev->name, '/'))
		return -EINVAL;
	list_for_each_entry(other, &suo_devs, node)
		if (!strcmp(other->name, dev->name))
			return -EEXIST;
	list_add_tail_rcu(&dev->node, &suo_devs);
	return 0;
}

/* The core frees a device after a grace period. */
void suo_devs_del(struct suo_dev *dev)
{
	lockdep_assert_held(&suo_devs_lock);
	list_del_rcu(&dev->node);
}
