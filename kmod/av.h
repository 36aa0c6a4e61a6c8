/* SPDX-License-Identifier: GPL-2.0-only */
/* Address vectors: where a packet goes and how it is routed there. */
#ifndef SUO_AV_H
#define SUO_AV_H

#include <net/dst_cache.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

struct suo_dev;

/**
 * struct suo_av - address vector
 * @ref: holders: an address handle or queue pair, and each packet being sent
 * @pd: protection domain
 * @family: AF_INET or AF_INET6
 * @saddr4: our address, as the GID table has it
 * @saddr6: the same, IPv6
 * @daddr4: the peer's
 * @daddr6: the same, IPv6
 * @ifindex: the netdev of our address: the device's own, or a VLAN on it, or another
 *	that stands on it; packets leave, and the peer's come, by this one
 * @mtu: its suo_netdev_mtu()
 * @priority: of packets for the stack, which is the service level's
 * @tagged: they leave with a VLAN tag
 * @class: priority by which they are paused, 0 to 7
 * @tclass: traffic class
 * @hop_limit: TTL
 * @flow_label: 20 bits
 * @cache: route
 * @rcu: for freeing under lookups
 */
struct suo_av {
	refcount_t		ref;
	struct ib_pd		*pd;
	int			family;
	union {
		struct in_addr	saddr4;
		struct in6_addr	saddr6;
	};
	union {
		struct in_addr	daddr4;
		struct in6_addr	daddr6;
	};
	int			ifindex;
	enum ib_mtu		mtu;
	u32			priority;
	bool			tagged;
	u8			class;
	u8			tclass;
	u8			hop_limit;
	u32			flow_label;
	struct dst_cache	cache;
	struct rcu_head		rcu;
};

/**
 * struct suo_ah - address handle
 * @ibah: the core's part, which may vanish at any moment
 * @id: what a UD request calls it
 * @av: the address
 */
struct suo_ah {
	struct ib_ah	ibah;
	u32		id;
	struct suo_av	*av;
};

static inline struct suo_ah *to_sah(struct ib_ah *ibah)
{
	return container_of(ibah, struct suo_ah, ibah);
}

struct suo_av *suo_av_create(struct ib_pd *pd, const struct rdma_ah_attr *attr);
struct suo_av *suo_av_lookup(struct ib_pd *pd, u32 id);
void suo_av_put(struct suo_av *av);

int suo_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata);
int suo_destroy_ah(struct ib_ah *ibah, u32 flags);
void suo_ah_exit(void);

#endif /* SUO_AV_H */
