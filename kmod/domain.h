/* SPDX-License-Identifier: GPL-2.0-only */
/* Scale-up domains, NIC profiles and the time scale, set up by configfs. */
#ifndef SUO_DOMAIN_H
#define SUO_DOMAIN_H

#include <linux/configfs.h>
#include <rdma/ib_verbs.h>

#include "../model/core/link.h"

struct suo_dev;
struct suo_pkt;
struct suo_port;

/**
 * struct suo_domain - a scale-up domain
 * @group: its directory
 * @members_group: members/
 * @node: in the list of domains, protected by suo_devs_lock
 * @members: its members, protected by suo_devs_lock
 * @lock: protects the law and the clocks of all members
 * @law: every link of the domain
 * @reduce_ps: what the switch takes to reduce a segment, picoseconds
 */
struct suo_domain {
	struct config_group	group;
	struct config_group	members_group;
	struct list_head	node;
	struct list_head	members;
	spinlock_t		lock;
	struct suo_link_law	law;
	u64			reduce_ps;
};

/**
 * struct suo_member - a port of a domain
 * @item: its directory; queue pairs of its peers hold references
 * @node: in the domain's list
 * @domain: its domain, held
 * @dev: the device, NULL while there is none of this name
 * @left: the directory was removed: nothing passes any more
 * @clk: the receiving direction of the port
 */
struct suo_member {
	struct config_item	item;
	struct list_head	node;
	struct suo_domain	*domain;
	struct suo_dev		*dev;
	bool			left;
	struct suo_link_clock	clk;
};

struct suo_member *suo_domain_fellow(struct suo_dev *dev, const char *name);
u64 suo_domain_cross(struct suo_member *to, struct suo_port *port, u64 ready_ps,
		     u64 bytes, u64 *left_ps);
struct suo_member *suo_member_get(struct suo_dev *dev);
void suo_member_put(struct suo_member *member);
struct suo_member *suo_domain_peer(struct suo_dev *dev, const union ib_gid *dgid);
u64 suo_domain_reserve(struct suo_member *to, struct suo_port *port,
		       u64 ready_ps, struct suo_pkt *pkt);

/* A device comes or goes; the caller holds suo_devs_lock. */
void suo_config_attach(struct suo_dev *dev);
void suo_config_detach(struct suo_dev *dev);

int suo_config_init(void);
void suo_config_exit(void);

#endif /* SUO_DOMAIN_H */
