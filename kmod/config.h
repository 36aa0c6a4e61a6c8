/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_CONFIG_H
#define SUO_CONFIG_H

#include <linux/configfs.h>

struct suo_dev;

/* Limits of what a file takes: 100 Tb/s, 1 s. */
#define SUO_MAX_RATE_MBPS	100000000ull
#define SUO_MAX_LATENCY_PS	1000000000000ull

ssize_t suo_config_show(char *page, u64 val);
int suo_config_parse(const char *page, u64 min, u64 max, u64 *val);

/* domain.c */
extern const struct config_item_type suo_domains_type;
void suo_domain_attach(struct suo_dev *dev);
void suo_domain_detach(struct suo_dev *dev);

/* nic.c */
extern const struct config_item_type suo_nics_type;
void suo_nic_attach(struct suo_dev *dev);

#endif /* SUO_CONFIG_H */
