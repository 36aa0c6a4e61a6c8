/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device, and what every file of the module needs.
 *
 * Lock order, outermost first:
 *	suo_devs_lock (mutex) -> suo_domain.mutex
 *	qp->lock (bh) -> qp->sq.lock, rq->lock, cq->lock, port->lock
 *	port->lock -> domain->lock
 * cq->lock, sq.lock, rq->lock and port->lock are taken with interrupts off,
 * since kernel consumers post and poll from any context. qp->lock is taken by
 * suo_qp_lock(), never with interrupts off, and never two of them at a time:
 * what one queue pair has to tell another goes through a port.
 */
#ifndef SUO_H
#define SUO_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/refcount.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/suo-abi.h>

#include "pause.h"
#include "port.h"
#include "stats.h"

struct suo_cc_profile;
struct suo_from;
struct suo_member;
struct suo_nic;
struct suo_qp_ref;

/* Limits, all of which query_device reports. */
#define SUO_MAX_QP		65536
#define SUO_MAX_QP_WR		16384
#define SUO_MAX_SGE		16
#define SUO_MAX_INLINE		512
#define SUO_MAX_CQ		65536
#define SUO_MAX_CQE		1048576
#define SUO_MAX_MR		1048576
#define SUO_MAX_MW		1048576
#define SUO_MAX_SRQ		16384
#define SUO_MAX_SRQ_WR		32768
#define SUO_MAX_AH		65536
#define SUO_MAX_PD		32768
#define SUO_MAX_RD_ATOM		128
#define SUO_MAX_MSG_SZ		1073741824u
#define SUO_MAX_MR_SIZE		(1ull * SUO_MAX_MSG_SZ * 1024)
#define SUO_MAX_MCAST_GRP	8192
#define SUO_MAX_MCAST_ATTACH	65536
#define SUO_MAX_FAST_REG_PAGES	512
#define SUO_GID_TBL_LEN		128
#define SUO_PKEY_TBL_LEN	1

/**
 * struct suo_nic_route - how a device's packets get to the line
 * @nic: whose line, held
 * @bridge: the member of the device's domain that this NIC belongs to, held; or NULL
 */
struct suo_nic_route {
	struct suo_nic		*nic;
	struct suo_member	*bridge;
};

/**
 * struct suo_dev - one RDMA device, one accelerator
 * @ibdev: the core's part
 * @node: in the list of all devices
 * @name: as given to `rdma link add`; configfs knows it by this
 * @net: the netdev's network namespace, valid while the netdev is registered
 * @in_net: counted among the users of the namespace's sockets
 * @ingress: takes packets from the netdev, while it has a hook
 * @ndev: the netdev; the core holds it as long as the device is registered, and
 *	we do while @in_net
 * @ndev_tracker: of our reference
 * @nic: the port towards the netdev
 * @su: the port into the scale-up domain
 * @route: how its packets get to the line, or NULL: nic.c
 * @routes: what @route points to; protected by suo_devs_lock
 * @cc: how its flows are controlled, or NULL: cc.h
 * @pause: what it has heard of pauses
 * @reorder_pkts: so many packets that came too early does a connection keep: reorder.c
 * @reorder_ps: and so long
 * @gsi_qp: queue pair 1
 * @member: its place in a scale-up domain; protected by suo_devs_lock
 * @shm_index: by which other VMs know it, or -1
 * @mcast: multicast listeners, changed under rtnl
 * @num_mcast: their number, likewise
 * @num_groups: of groups that they listen to
 * @stats: counters
 * @num_qp: queue pairs of processes; so for the other objects
 * @enabled: registered with the core
 * @port_up: what the last port event said; under rtnl
 * @detached: set when the netdev is going away: nothing is sent any more
 * @count_ce: the optional counter cc_rx_ce_pkts is on
 */
struct suo_dev {
	struct ib_device	ibdev;
	struct list_head	node;
	char			name[IB_DEVICE_NAME_MAX];
	struct net		*net;
	bool			in_net;
	struct nf_hook_ops	ingress;
	struct net_device	*ndev;
	netdevice_tracker	ndev_tracker;
	struct suo_port		nic;
	struct suo_port		su;
	struct suo_nic_route __rcu *route;
	struct suo_nic_route	routes[2];
	struct suo_cc_profile __rcu *cc;
	struct suo_pause_count	pause;
	u32			reorder_pkts;
	u64			reorder_ps;
	struct suo_qp_ref __rcu	*gsi_qp;
	struct suo_member	*member;
	int			shm_index;
	struct list_head	mcast;
	u32			num_mcast;
	u32			num_groups;
	struct suo_stats	stats;
	atomic_t		num_qp;
	atomic_t		num_cq;
	atomic_t		num_mr;
	atomic_t		num_mw;
	atomic_t		num_srq;
	atomic_t		num_pd;
	atomic_t		num_ah;
	bool			enabled;
	bool			port_up;
	bool			detached;
	bool			count_ce;
};

struct suo_ucontext {
	struct ib_ucontext	ibuc;
};

struct suo_pd {
	struct ib_pd		ibpd;
};

/* The limits are for processes: what the kernel has, the core's queue pair 1 and what
 * belongs to it first of all, is not among the objects that can be had.
 */
static inline bool suo_count(atomic_t *num, int max, bool user)
{
	return !user || atomic_add_unless(num, 1, max);
}

static inline void suo_uncount(atomic_t *num, bool user)
{
	if (user)
		atomic_dec(num);
}

static inline struct suo_dev *to_sdev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct suo_dev, ibdev);
}

static inline struct suo_pd *to_spd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct suo_pd, ibpd);
}

/* device.c */
int suo_newlink(const char *name, struct net_device *ndev);
enum ib_mtu suo_netdev_mtu(const struct net_device *ndev);
int suo_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata);
int suo_query_port(struct ib_device *ibdev, u32 port_num,
		   struct ib_port_attr *attr);
int suo_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			   struct ib_port_immutable *immutable);
int suo_enable_driver(struct ib_device *ibdev);
void suo_dealloc_driver(struct ib_device *ibdev);
int suo_device_init(void);
void suo_device_exit(void);

/* devlist.c */
extern struct mutex suo_devs_lock;
extern struct list_head suo_devs;
#define suo_for_each_dev_rcu(dev)	\
	list_for_each_entry_rcu(dev, &suo_devs, node)
struct suo_dev *suo_dev_find(const char *name);
struct suo_dev *suo_dev_get_by_addr(struct net *net, struct suo_from *from,
				    bool (*match)(struct suo_dev *dev,
						  struct suo_from *from));
bool suo_devs_empty(void);
int suo_devs_add(struct suo_dev *dev);
void suo_devs_del(struct suo_dev *dev);

/* mad.c */
int suo_process_mad(struct ib_device *ibdev, int flags, u32 port_num,
		    const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);

/* verbs.c */
extern const struct ib_device_ops suo_dev_ops;

#endif /* SUO_H */
