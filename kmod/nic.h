/* SPDX-License-Identifier: GPL-2.0-only */
/* A NIC's profile, for the files that know different sides of it. */
#ifndef SUO_NIC_H
#define SUO_NIC_H

#include "cc.h"
#include "config.h"
#include "pause.h"
#include "suo.h"

/**
 * struct suo_nic - a scale-out profile
 * @group: its directory, named like the device
 * @cc_group: the one below it with the parameters of congestion control
 * @node: in the list of profiles, protected by suo_devs_lock
 * @via: name of the device whose NIC is used instead; protected by suo_devs_lock
 * @cc: congestion control as configured; protected by suo_devs_lock
 * @profile: the same, as flows see it; NULL if there is none; likewise
 * @reorder_pkts: see struct suo_dev; likewise
 * @reorder_ps: likewise
 * @lock: protects what follows
 * @law: rate and latency
 * @clk: when the line is free, for all devices that use it
 * @pause: what of it may not be used
 */
struct suo_nic {
	struct config_group	group;
	struct config_group	cc_group;
	struct list_head	node;
	char			via[IB_DEVICE_NAME_MAX];
	struct suo_cc_params	cc;
	struct suo_cc_profile	*profile;
	u32			reorder_pkts;
	u64			reorder_ps;
	spinlock_t		lock;
	struct suo_link_law	law;
	struct suo_link_clock	clk;
	struct suo_pause	pause;
};

#define SUO_CC_MIN_BYTE_RESET	64

/* nic.c */
int suo_nic_set(struct suo_nic *nic, const struct suo_link_law *law,
		const struct suo_cc_params *cc);

/* cc_config.c */
extern struct configfs_attribute suo_nic_attr_cc;
extern const struct config_item_type suo_cc_params_type;

#endif /* SUO_NIC_H */
