// SPDX-License-Identifier: GPL-2.0-only
/* The configfs subsystem: /sys/kernel/config/suo. */
#include <linux/kstrtox.h>

#include "clock.h"
#include "config.h"
#include "domain.h"
#include "suo.h"

ssize_t suo_config_show(char *page, u64 val)
{
	return sysfs_emit(page, "%llu\n", val);
}

/* A decimal number from min to max, else -EINVAL. */
int suo_config_parse(const char *page, u64 min, u64 max, u64 *val)
{
	if (kstrtou64(page, 10, val) || *val < min || *val > max)
		return -EINVAL;
	return 0;
}

static ssize_t suo_time_scale_show(struct config_item *item, char *page)
{
	return suo_config_show(page, suo_time_scale());
}

static ssize_t suo_time_scale_store(struct config_item *item, const char *page,
				    size_t len)
{
	u64 val;
	int err;

	err = suo_config_parse(page, 1, SUO_TIME_SCALE_MAX, &val);
	if (!err)
		err = suo_set_time_scale(val);
	return err ? : len;
}
CONFIGFS_ATTR(suo_, time_scale);

static struct configfs_attribute *suo_attrs[] = {
	&suo_attr_time_scale,
	NULL,
};

static const struct config_item_type suo_type = {
	.ct_owner	= THIS_MODULE,
	.ct_attrs	= suo_attrs,
};

static struct configfs_subsystem suo_subsys = {
	.su_group = {
		.cg_item = {
			.ci_namebuf	= "suo",
			.ci_type	= &suo_type,
		},
	},
};

static struct config_group domains_group;
static struct config_group nics_group;

void suo_config_attach(struct suo_dev *dev)
{
	lockdep_assert_held(&suo_devs_lock);
	suo_domain_attach(dev);
	suo_nic_update(dev);
}

void suo_config_detach(struct suo_dev *dev)
{
	suo_domain_detach(dev);
	suo_nic_detach(dev);
}

int suo_config_init(void)
{
	config_group_init(&suo_subsys.su_group);
	mutex_init(&suo_subsys.su_mutex);
	config_group_init_type_name(&domains_group, "domains",
				    &suo_domains_type);
	configfs_add_default_group(&domains_group, &suo_subsys.su_group);
	config_group_init_type_name(&nics_group, "nics", &suo_nics_type);
	configfs_add_default_group(&nics_group, &suo_subsys.su_group);
	return configfs_register_subsystem(&suo_subsys);
}

void suo_config_exit(void)
{
	configfs_unregister_subsystem(&suo_subsys);
}
