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
struct suo_shm;

/**
 * struct suo_domain - a scale-up domain
 * @group: its directory
 * @members_group: members/
 * @node: in the list of domains, protected by suo_devs_lock
 * @members: its members, protected by suo_devs_lock
 * @lock: protects the law and the clocks of all members
 * @law: every link of the domain
 * @shm: what it shares with other VMs, or NULL; protected by suo_devs_lock
 */
struct suo_domain {
	struct config_group	group;
	struct config_group	members_group;
	struct list_head	node;
	struct list_head	members;
	spinlock_t		lock;
	struct suo_link_law	law;
	struct suo_shm		*shm;
};

/**
 * struct suo_member - a port of a domain
 * @item: its directory; queue pairs of its peers hold references
 * @node: in the domain's list
 * @domain: its domain, held
 * @dev: the device, NULL while there is none of this name
 * @left: the directory was removed: nothing passes any more
 * @far: another VM has it: see struct suo_shm_far; then there is no directory, and
 *	@node, @dev and @clk are not in use
 * @clk: the receiving direction of the port
 */
struct suo_member {
	struct config_item	item;
	struct list_head	node;
	struct suo_domain	*domain;
	struct suo_dev		*dev;
	bool			left;
	bool			far;
	struct suo_link_clock	clk;
};

struct suo_member *suo_domain_fellow(struct suo_dev *dev, const char *name);
u64 suo_domain_cross(struct suo_member *to, struct suo_port *port, u64 ready_ps,
		     struct suo_pkt *pkt, u64 *left_ps);
struct suo_member *suo_member_get(struct suo_dev *dev);
void suo_member_put(struct suo_member *member);
struct suo_member *suo_domain_peer(struct suo_dev *dev, const union ib_gid *dgid);
u64 suo_domain_reserve(struct suo_member *to, struct suo_port *port,
		       u64 ready_ps, struct suo_pkt *pkt);
u64 suo_domain_reserve_tx(struct suo_member *to, struct suo_port *port,
			  u64 ready_ps, struct suo_pkt *pkt);
u64 suo_domain_reserve_rx(struct suo_member *to, u64 left_ps, u32 pay_len);

/* A device comes or goes; the caller holds suo_devs_lock. */
void suo_config_attach(struct suo_dev *dev);
void suo_config_detach(struct suo_dev *dev);

int suo_config_init(void);
void suo_config_exit(void);

#endif /* SUO_DOMAIN_H */
