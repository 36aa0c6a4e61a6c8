/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_CONFIG_H
#define SUO_CONFIG_H

#include <linux/configfs.h>

struct suo_dev;

ssize_t suo_config_show(char *page, u64 val);
int suo_config_parse(const char *page, u64 min, u64 max, u64 *val);

/* domain.c */
extern const struct config_item_type suo_domains_type;
void suo_domain_attach(struct suo_dev *dev);
void suo_domain_detach(struct suo_dev *dev);

/* nic.c */
extern const struct config_item_type suo_nics_type;
void suo_nic_detach(struct suo_dev *dev);
void suo_nic_update(struct suo_dev *dev);
void suo_nic_changed(const char *name);

#endif /* SUO_CONFIG_H */
