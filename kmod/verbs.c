// SPDX-License-Identifier: GPL-2.0-only
/* The table of verbs, and those that need no file of their own. */
#include <rdma/uverbs_ioctl.h>

#include "av.h"
#include "compat.h"
#include "counter.h"
#include "cq.h"
#include "mcast.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"
#include "restrack.h"
#include "rq.h"
#include "suo.h"

static enum rdma_link_layer suo_get_link_layer(struct ib_device *ibdev,
					       u32 port_num)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int suo_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
			  u16 *pkey)
{
	if (index >= SUO_PKEY_TBL_LEN)
		return -EINVAL;
	*pkey = SUO_DEFAULT_PKEY;
	return 0;
}

static void suo_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	/* The software is the firmware: the ABI it speaks. */
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%d.0.0", SUO_ABI_VERSION);
}

/* node_exporter gives up a device that has not both of these. */
static ssize_t board_id_show(struct device *device,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "suo\n");
}
static DEVICE_ATTR_RO(board_id);

static ssize_t hca_type_show(struct device *device,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "suo\n");
}
static DEVICE_ATTR_RO(hca_type);

static struct attribute *suo_attrs[] = {
	&dev_attr_board_id.attr,
	&dev_attr_hca_type.attr,
	NULL,
};

static const struct attribute_group suo_attr_group = {
	.attrs = suo_attrs,
};

static int suo_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct suo_alloc_ucontext_resp resp = {
		.max_inline = SUO_MAX_INLINE,
		.max_sge = SUO_MAX_SGE,
	};

	return ib_copy_to_udata(udata, &resp,
				min(sizeof(resp), udata->outlen));
}

static void suo_dealloc_ucontext(struct ib_ucontext *ibuc)
{
}

/* Nothing to tear down: rings are ordinary memory, and stay mapped. */
static void suo_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

static int suo_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibpd->device);

	return suo_count(&dev->num_pd, SUO_MAX_PD, ibpd->uobject) ? 0 : -ENOMEM;
}

static int suo_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	suo_uncount(&to_sdev(ibpd->device)->num_pd, ibpd->uobject);
	return 0;
}

SUO_DEFINE_CREATE_CQ(create_cq, suo_create_cq)
SUO_DEFINE_REG_USER_MR(reg_user_mr, suo_reg_user_mr)

const struct ib_device_ops suo_dev_ops = {
	.owner			= THIS_MODULE,
	.driver_id		= (enum rdma_driver_id)SUO_DRIVER_ID,
	.uverbs_abi_ver		= SUO_ABI_VERSION,

	.alloc_hw_port_stats	= suo_alloc_hw_port_stats,
	.alloc_mr		= suo_alloc_mr,
	.alloc_mw		= suo_alloc_mw,
	.alloc_pd		= suo_alloc_pd,
	.alloc_ucontext		= suo_alloc_ucontext,
	.attach_mcast		= suo_attach_mcast,
	.counter_alloc_stats	= suo_counter_alloc_stats,
	.counter_bind_qp	= suo_counter_bind_qp,
	.counter_dealloc	= suo_counter_dealloc,
	.counter_unbind_qp	= suo_counter_unbind_qp,
	.counter_update_stats	= suo_counter_update_stats,
	.create_ah		= suo_create_ah,
	.create_user_ah		= suo_create_ah,
	.create_cq		= create_cq,
	.create_qp		= suo_create_qp,
	.create_srq		= suo_create_srq,
	.dealloc_driver		= suo_dealloc_driver,
	.dealloc_mw		= suo_dealloc_mw,
	.dealloc_pd		= suo_dealloc_pd,
	.dealloc_ucontext	= suo_dealloc_ucontext,
	.dereg_mr		= suo_dereg_mr,
	.destroy_ah		= suo_destroy_ah,
	.destroy_cq		= suo_destroy_cq,
	.destroy_qp		= suo_destroy_qp,
	.destroy_srq		= suo_destroy_srq,
	.detach_mcast		= suo_detach_mcast,
	.device_group		= &suo_attr_group,
	.disassociate_ucontext	= suo_disassociate_ucontext,
	.enable_driver		= suo_enable_driver,
	.fill_res_cq_entry	= suo_fill_res_cq_entry,
	.fill_res_mr_entry	= suo_fill_res_mr_entry,
	.fill_res_qp_entry	= suo_fill_res_qp_entry,
	.get_dev_fw_str		= suo_get_dev_fw_str,
	.get_dma_mr		= suo_get_dma_mr,
	.get_hw_stats		= suo_get_hw_stats,
	.get_link_layer		= suo_get_link_layer,
	.get_port_immutable	= suo_get_port_immutable,
	.map_mr_sg		= suo_map_mr_sg,
	.mmap			= suo_mmap,
	.mmap_free		= suo_mmap_free,
	.modify_hw_stat		= suo_modify_hw_stat,
	.modify_qp		= suo_modify_qp,
	.modify_srq		= suo_modify_srq,
	.poll_cq		= suo_poll_cq,
	.post_recv		= suo_post_recv,
	.post_send		= suo_post_send,
	.post_srq_recv		= suo_post_srq_recv,
	.process_mad		= suo_process_mad,
	.query_device		= suo_query_device,
	.query_pkey		= suo_query_pkey,
	.query_port		= suo_query_port,
	.query_qp		= suo_query_qp,
	.query_srq		= suo_query_srq,
	.reg_user_mr		= reg_user_mr,
	.req_notify_cq		= suo_req_notify_cq,
	.rereg_user_mr		= suo_rereg_user_mr,
	.suo_resize_cq_op	= suo_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, suo_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, suo_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, suo_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, suo_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, suo_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, suo_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, suo_ucontext, ibuc),
	SUO_COUNTER_SIZE
};
