// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading. Loading opens no socket and makes no device. */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>

#include "../model/core/icrc.h"
#include "av.h"
#include "bulk.h"
#include "chunk.h"
#include "clock.h"
#include "crc.h"
#include "domain.h"
#include "mr.h"
#include "net.h"
#include "pkt.h"
#include "qp.h"
#include "shm.h"
#include "suo.h"
#include "window.h"

static struct rdma_link_ops suo_link_ops = {
	.type		= "suo",
	.newlink	= suo_newlink,
};

static int __init suo_init(void)
{
	int err;

	suo_bulk_init();
	suo_clock_init();
	suo_ports_module_init();
	suo_crc_init();
	suo_icrc_init();
	err = suo_pkt_cache_init();
	if (err)
		goto err_pkt;
	err = suo_net_init();
	if (err)
		goto err_net;
	err = suo_device_init();
	if (err)
		goto err_device;
	err = suo_shm_init();
	if (err)
		goto err_shm;
	err = suo_config_init();
	if (err)
		goto err_config;
	rdma_link_register(&suo_link_ops);
	return 0;

err_config:
	suo_shm_exit();
err_shm:
	suo_device_exit();
err_device:
	suo_net_exit();
err_net:
	suo_pkt_cache_exit();
err_pkt:
	suo_crc_exit();
	return err;
}

static void __exit suo_exit(void)
{
	rdma_link_unregister(&suo_link_ops);
	ib_unregister_driver((enum rdma_driver_id)SUO_DRIVER_ID);
	suo_config_exit();
	suo_shm_exit();
	suo_device_exit();
	suo_net_exit();
	suo_qp_exit();
	suo_mr_exit();
	suo_windows_exit();
	suo_ah_exit();
	/* Regions and queue pairs are freed after a grace period. */
	rcu_barrier();
	suo_pkt_cache_exit();
	suo_chunks_exit();
	suo_crc_exit();
}

module_init(suo_init);
module_exit(suo_exit);

MODULE_ALIAS_RDMA_LINK("suo");
MODULE_DESCRIPTION("RDMA device with a modelled scale-up domain and RoCEv2");
MODULE_LICENSE("GPL");
