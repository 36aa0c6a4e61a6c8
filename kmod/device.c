// SPDX-License-Identifier: GPL-2.0-only
/* The device: made on a netdev by `rdma link add`, and what it says of itself. */
#include <linux/ethtool.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "../model/core/icrc.h"
#include "compat.h"
#include "counter.h"
#include "domain.h"
#include "net.h"
#include "qp.h"
#include "su.h"
#include "trace.h"
#include "window.h"

/* Largest path MTU that fits a netdev's frames, or the smallest that there is. */
enum ib_mtu suo_netdev_mtu(const struct net_device *ndev)
{
	return iboe_get_mtu(READ_ONCE(ndev->mtu)) ? : IB_MTU_256;
}

int suo_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibdev);

	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	addrconf_addr_eui48((u8 *)&attr->sys_image_guid, dev->ndev->dev_addr);
	attr->fw_ver = 1ull << 32;
	/* IBA A3.3.1: what stands for nobody's. */
	attr->vendor_id = 0xffffff;
	attr->max_mr_size = SUO_MAX_MR_SIZE;
	attr->page_size_cap = ~(u64)(PAGE_SIZE - 1);
	attr->max_qp = SUO_MAX_QP;
	attr->max_qp_wr = SUO_MAX_QP_WR;
	attr->device_cap_flags = IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_MEM_MGT_EXTENSIONS |
				 IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG |
				 IBK_BLOCK_MULTICAST_LOOPBACK;
	attr->max_send_sge = SUO_MAX_SGE;
	attr->max_recv_sge = SUO_MAX_SGE;
	attr->max_sge_rd = SUO_MAX_SGE;
	attr->max_cq = SUO_MAX_CQ;
	attr->max_cqe = SUO_MAX_CQE;
	attr->max_mr = SUO_MAX_MR;
	attr->max_mw = SUO_MAX_MW;
	attr->max_pd = SUO_MAX_PD;
	attr->max_qp_rd_atom = SUO_MAX_RD_ATOM;
	attr->max_qp_init_rd_atom = SUO_MAX_RD_ATOM;
	attr->max_res_rd_atom = SUO_MAX_RD_ATOM * SUO_MAX_QP;
	/* GLOB would be true, but UCX takes it for none at all. */
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_fast_reg_page_list_len = SUO_MAX_FAST_REG_PAGES;
	attr->max_ah = SUO_MAX_AH;
	attr->max_srq = SUO_MAX_SRQ;
	attr->max_srq_wr = SUO_MAX_SRQ_WR;
	attr->max_srq_sge = SUO_MAX_SGE;
	attr->max_mcast_grp = SUO_MAX_MCAST_GRP;
	attr->max_mcast_qp_attach = SUO_MAX_MCAST_ATTACH;
	attr->max_total_mcast_qp_attach = SUO_MAX_MCAST_ATTACH;
	attr->local_ca_ack_delay = SUO_ACK_DELAY;
	attr->max_pkeys = SUO_PKEY_TBL_LEN;
	return 0;
}

/* Rates in Mb/s as 4 lanes carry them, or 1 lane below 40 Gb/s. */
static const struct {
	u64	mbps;
	u8	width;
	u16	speed;
} port_rates[] = {
	{ 800000, IB_WIDTH_8X, IB_SPEED_NDR },
	{ 400000, IB_WIDTH_4X, IB_SPEED_NDR },
	{ 200000, IB_WIDTH_4X, IB_SPEED_HDR },
	{ 100000, IB_WIDTH_4X, IB_SPEED_EDR },
	{ 50000, IB_WIDTH_1X, IB_SPEED_HDR },
	{ 40000, IB_WIDTH_4X, IB_SPEED_QDR },
	{ 25000, IB_WIDTH_1X, IB_SPEED_EDR },
	{ 0, IB_WIDTH_1X, IB_SPEED_QDR },
};

static bool netdev_is_up(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

int suo_query_port(struct ib_device *ibdev, u32 port_num,
		   struct ib_port_attr *attr)
{
	struct suo_dev *dev = to_sdev(ibdev);
	struct net_device *ndev = dev->ndev;
	u64 mbps = READ_ONCE(dev->nic.law.rate_mbps);
	unsigned int i = 0;

	attr->gid_tbl_len = SUO_GID_TBL_LEN;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = SUO_MAX_MSG_SZ;
	attr->pkey_tbl_len = SUO_PKEY_TBL_LEN;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = suo_netdev_mtu(dev->ndev);
	attr->max_vl_num = 1;
	if (netdev_is_up(ndev)) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	} else {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	}
	if (mbps) {
		while (port_rates[i].mbps > mbps)
			i++;
		attr->active_width = port_rates[i].width;
		attr->active_speed = port_rates[i].speed;
		return 0;
	}
	/* Not paced: what the netdev says, through the core's table. */
	return ib_get_eth_speed(ibdev, port_num, &attr->active_speed,
				&attr->active_width);
}

int suo_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			   struct ib_port_immutable *immutable)
{
	struct ib_port_attr attr = {};
	int err;

	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	err = ib_query_port(ibdev, port_num, &attr);
	if (err)
		return err;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	immutable->gid_tbl_len = attr.gid_tbl_len;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

/* A netdev that comes up says so twice: that it is, and that it has carrier. What
 * the core does not tell its users, we do.
 */
static void port_event(struct suo_dev *dev)
{
	struct ib_event ev = {
		.device = &dev->ibdev,
		.element.port_num = 1,
	};
	bool up = netdev_is_up(dev->ndev);

	ASSERT_RTNL();
	if (up == dev->port_up)
		return;
	dev->port_up = up;
	ev.event = up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR;
	trace_suo_event(ev.device, ev.event, ev.element.port_num);
	if (!up)
		atomic64_inc(&dev->stats.link_downed);
	if (!SUO_CORE_SENDS_PORT_EVENTS)
		ib_dispatch_event(&ev);
}

/* The core knows the device, nobody uses it yet. */
int suo_enable_driver(struct ib_device *ibdev)
{
	mutex_lock(&suo_devs_lock);
	to_sdev(ibdev)->enabled = true;
	suo_config_attach(to_sdev(ibdev));
	mutex_unlock(&suo_devs_lock);
	return 0;
}

/* Once: when the netdev goes, or when the device goes first. If both do at a time
 * the core no longer tells us of the netdev, so we hold it, and with it its
 * namespace, until here.
 */
static void dev_leave_net(struct suo_dev *dev)
{
	if (!xchg(&dev->in_net, false))
		return;
	suo_ingress_del(dev);
	suo_pause_leave(dev);
	suo_net_put(dev->net);
	netdev_put(dev->ndev, &dev->ndev_tracker);
}

/* The last call: also for a device that was never registered. */
void suo_dealloc_driver(struct ib_device *ibdev)
{
	struct suo_dev *dev = to_sdev(ibdev);

	mutex_lock(&suo_devs_lock);
	dev->enabled = false;
	suo_config_detach(dev);
	suo_devs_del(dev);
	mutex_unlock(&suo_devs_lock);
	dev_leave_net(dev);
	/* They wait for whoever still receives, too. */
	suo_port_stop(&dev->nic);
	suo_port_stop(&dev->su);
	suo_counters_stop(dev);
}

/**
 * suo_newlink() - rdma link add NAME type suo netdev NDEV
 * @name: of the new device
 * @ndev: carries its packets
 *
 * Return: 0; -EOPNOTSUPP unless the netdev is Ethernet or loopback; -EEXIST if
 * it has a suo device already, or one was added by this name; -EINVAL for a
 * name with a slash; or what the sockets or the core say.
 */
int suo_newlink(const char *name, struct net_device *ndev)
{
	struct ib_device *ibdev;
	struct suo_dev *dev;
	int err;

	if (ndev->type != ARPHRD_ETHER && ndev->type != ARPHRD_LOOPBACK)
		return -EOPNOTSUPP;
	ibdev = ib_device_get_by_netdev(ndev,
					(enum rdma_driver_id)SUO_DRIVER_ID);
	if (ibdev) {
		ib_device_put(ibdev);
		return -EEXIST;
	}
	dev = ib_alloc_device(suo_dev, ibdev);
	if (!dev)
		return -ENOMEM;
	dev->ndev = ndev;
	dev->port_up = netdev_is_up(ndev);
	strscpy(dev->name, name, sizeof(dev->name));
	INIT_LIST_HEAD(&dev->mcast);
	dev->shm_index = -1;
	suo_port_init(&dev->nic, dev, SUO_PORT_NIC, &suo_nic_port_ops);
	suo_port_init(&dev->su, dev, SUO_PORT_SU, &suo_su_port_ops);
	dev->su.clk.id = suo_crc32(0, dev->name, strlen(dev->name));
	dev->ibdev.node_type = RDMA_NODE_IB_CA;
	dev->ibdev.phys_port_cnt = 1;
	dev->ibdev.num_comp_vectors = num_possible_cpus();
	strscpy(dev->ibdev.node_desc, "suo", sizeof(dev->ibdev.node_desc));
	addrconf_addr_eui48((u8 *)&dev->ibdev.node_guid, ndev->dev_addr);
	ib_set_device_ops(&dev->ibdev, &suo_dev_ops);
	dev->ibdev.driver_def = suo_uapi_defs;
	/* A process's doorbell is this command with no request in it. */
	dev->ibdev.uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND);

	mutex_lock(&suo_devs_lock);
	err = suo_devs_add(dev);
	mutex_unlock(&suo_devs_lock);
	if (err) {
		/* There is nothing of ours to undo yet. */
		dev->ibdev.ops.dealloc_driver = NULL;
		goto err_dealloc;
	}
	/* From here on ib_dealloc_device() undoes what was done. */
	err = suo_net_get(dev_net(ndev));
	if (err)
		goto err_dealloc;
	dev->net = dev_net(ndev);
	netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
	dev->in_net = true;
	suo_pause_enter(dev);
	err = suo_ingress_add(dev);
	if (err)
		goto err_dealloc;
	err = ib_device_set_netdev(&dev->ibdev, ndev, 1);
	if (err)
		goto err_dealloc;
	err = ib_register_device(&dev->ibdev, name, NULL);
	if (err)
		goto err_dealloc;
	return 0;

err_dealloc:
	ib_dealloc_device(&dev->ibdev);
	return err;
}

static void netdev_gone(struct suo_dev *dev)
{
	WRITE_ONCE(dev->detached, true);
	dev_leave_net(dev);
	ib_unregister_device_queued(&dev->ibdev);
}

static int suo_netdev_event(struct notifier_block *nb, unsigned long event,
			    void *arg)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(arg);
	struct ib_device *ibdev;

	ibdev = ib_device_get_by_netdev(ndev,
					(enum rdma_driver_id)SUO_DRIVER_ID);
	if (!ibdev)
		return NOTIFY_DONE;
	switch (event) {
	case NETDEV_UNREGISTER:
		netdev_gone(to_sdev(ibdev));
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		port_event(to_sdev(ibdev));
		break;
	case NETDEV_CHANGEADDR:
		addrconf_addr_eui48((u8 *)&ibdev->node_guid, ndev->dev_addr);
		break;
	default:
		break;
	}
	ib_device_put(ibdev);
	return NOTIFY_DONE;
}

static struct notifier_block suo_netdev_nb = {
	.notifier_call	= suo_netdev_event,
};

int suo_device_init(void)
{
	return register_netdevice_notifier(&suo_netdev_nb);
}

void suo_device_exit(void)
{
	unregister_netdevice_notifier(&suo_netdev_nb);
}
