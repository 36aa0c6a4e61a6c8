// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What an endpoint can do, against what the application asks for. */
#include "suo_fi.h"

#define refuse(...)						\
	do {							\
		suo_info(CORE, __VA_ARGS__);			\
		return -FI_ENODATA;				\
	} while (0)

static int check_tx(const struct fi_tx_attr *tx)
{
	if (tx->caps & ~SUO_CAPS)
		refuse("tx_attr: unsupported caps\n");
	if (tx->op_flags & ~SUO_TX_FLAGS)
		refuse("tx_attr: unsupported op_flags\n");
	if (tx->msg_order & ~SUO_ORDER)
		refuse("tx_attr: unsupported msg_order\n");
	if (tx->comp_order & ~FI_ORDER_NONE)
		refuse("tx_attr: completions are not ordered\n");
	if (tx->inject_size > SUO_INJECT_SIZE)
		refuse("tx_attr: inject_size is at most %d\n", SUO_INJECT_SIZE);
	if (tx->size > SUO_TX_SIZE)
		refuse("tx_attr: size is at most %d\n", SUO_TX_SIZE);
	if (tx->iov_limit > SUO_IOV_MAX || tx->rma_iov_limit > 1)
		refuse("tx_attr: iov_limit is %d, rma_iov_limit 1\n", SUO_IOV_MAX);
	return 0;
}

static int check_rx(const struct fi_rx_attr *rx)
{
	if (rx->caps & ~SUO_CAPS)
		refuse("rx_attr: unsupported caps\n");
	if (rx->op_flags & ~SUO_RX_FLAGS)
		refuse("rx_attr: unsupported op_flags\n");
	if (rx->msg_order & ~SUO_ORDER)
		refuse("rx_attr: unsupported msg_order\n");
	if (rx->comp_order & ~FI_ORDER_NONE)
		refuse("rx_attr: completions are not ordered\n");
	if (rx->size > SUO_RX_SIZE || rx->iov_limit > SUO_IOV_MAX)
		refuse("rx_attr: size is at most %d, iov_limit %d\n",
		       SUO_RX_SIZE, SUO_IOV_MAX);
	return 0;
}

static int check_ep(const struct fi_ep_attr *ep, const struct suo_dev *dev)
{
	if (ep->type != FI_EP_UNSPEC && ep->type != FI_EP_RDM)
		refuse("only FI_EP_RDM\n");
	if (ep->protocol != FI_PROTO_UNSPEC && ep->protocol != (uint32_t)SUO_ADDR_FORMAT)
		refuse("ep_attr: unknown protocol\n");
	if (ep->max_msg_size > dev->port.max_msg_sz ||
	    ep->max_order_raw_size > dev->port.max_msg_sz ||
	    ep->max_order_war_size > dev->port.max_msg_sz ||
	    ep->max_order_waw_size > dev->port.max_msg_sz)
		refuse("ep_attr: sizes are at most %u\n", dev->port.max_msg_sz);
	if (ep->msg_prefix_size)
		refuse("ep_attr: no message prefix\n");
	if (ep->tx_ctx_cnt > 1 || ep->rx_ctx_cnt > 1)
		refuse("ep_attr: one transmit and one receive context\n");
	if (ep->auth_key_size)
		refuse("ep_attr: no authorization keys\n");
	return 0;
}

static int check_mr_mode(const struct fi_info *hints)
{
	int mode = hints->domain_attr->mr_mode;

	if (mode == FI_MR_BASIC || !(hints->caps & (FI_RMA | FI_ATOMIC)))
		return 0;
	if (mode == FI_MR_SCALABLE || (mode & SUO_MR_BASIC) != SUO_MR_BASIC)
		refuse("domain_attr: FI_RMA needs mr_mode FI_MR_VIRT_ADDR, FI_MR_ALLOCATED and FI_MR_PROV_KEY\n");
	return 0;
}

static int check_domain(const struct fi_info *hints, const struct suo_dev *dev)
{
	const struct fi_domain_attr *dom = hints->domain_attr;

	if (dom->name && strcmp(dom->name, dev->name))
		return -FI_ENODATA;
	if (dom->control_progress == FI_PROGRESS_AUTO ||
	    dom->data_progress == FI_PROGRESS_AUTO)
		refuse("domain_attr: progress is manual\n");
	if (dom->cq_data_size > SUO_CQ_DATA_SIZE)
		refuse("domain_attr: cq_data_size is %d\n", SUO_CQ_DATA_SIZE);
	if (dom->mr_key_size > sizeof(uint32_t) && dom->mr_key_size != sizeof(uint64_t))
		refuse("domain_attr: mr_key_size is 4\n");
	if (dom->caps & ~SUO_DOM_CAPS)
		refuse("domain_attr: unsupported caps\n");
	if (dom->auth_key_size)
		refuse("domain_attr: no authorization keys\n");
	return check_mr_mode(hints);
}

int suo_hints_check(const struct fi_info *hints, const struct suo_dev *dev)
{
	int err;

	if (!hints)
		return 0;
	if (hints->caps & ~SUO_CAPS)
		refuse("unsupported caps 0x%llx\n",
		       (unsigned long long)(hints->caps & ~SUO_CAPS));
	if (hints->addr_format != FI_FORMAT_UNSPEC && hints->addr_format != SUO_ADDR_FORMAT)
		refuse("the address format is its own\n");
	if (hints->fabric_attr && hints->fabric_attr->name &&
	    strcmp(hints->fabric_attr->name, SUO_PROV_NAME))
		return -FI_ENODATA;
	if (hints->tx_attr) {
		err = check_tx(hints->tx_attr);
		if (err)
			return err;
	}
	if (hints->rx_attr) {
		err = check_rx(hints->rx_attr);
		if (err)
			return err;
	}
	if (hints->ep_attr) {
		err = check_ep(hints->ep_attr, dev);
		if (err)
			return err;
	}
	return hints->domain_attr ? check_domain(hints, dev) : 0;
}

/* FI_MSG and the like stand for both directions unless one is named. */
static uint64_t expand_caps(const struct fi_info *hints)
{
	uint64_t caps = hints && hints->caps ? hints->caps : SUO_CAPS;

	if ((caps & (FI_MSG | FI_TAGGED)) && !(caps & (FI_SEND | FI_RECV)))
		caps |= FI_SEND | FI_RECV;
	if ((caps & (FI_RMA | FI_ATOMIC)) &&
	    !(caps & (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)))
		caps |= FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
	return caps | SUO_DOM_CAPS;
}

/* What costs something is kept only for those who ask for it. */
static uint64_t order(const struct fi_tx_attr *tx, const struct fi_rx_attr *rx)
{
	return SUO_ORDER_FREE | (tx ? tx->msg_order : 0) | (rx ? rx->msg_order : 0);
}

static void fill_domain(struct fi_domain_attr *dom, const struct suo_dev *dev,
			const struct fi_info *hints)
{
	int mode = hints && hints->domain_attr ? hints->domain_attr->mr_mode : SUO_MR_MODE;

	dom->threading = FI_THREAD_SAFE;
	dom->control_progress = FI_PROGRESS_MANUAL;
	dom->data_progress = FI_PROGRESS_MANUAL;
	dom->resource_mgmt = FI_RM_ENABLED;
	dom->av_type = FI_AV_UNSPEC;
	if (hints && hints->domain_attr) {
		dom->av_type = hints->domain_attr->av_type;
		if (hints->domain_attr->threading != FI_THREAD_UNSPEC)
			dom->threading = hints->domain_attr->threading;
	}
	dom->mr_mode = mode == FI_MR_BASIC ? FI_MR_BASIC : mode & SUO_MR_MODE;
	dom->mr_key_size = sizeof(uint32_t);
	dom->cq_data_size = SUO_CQ_DATA_SIZE;
	dom->cq_cnt = dev->attr.max_cq;
	dom->ep_cnt = dev->attr.max_srq;
	dom->tx_ctx_cnt = dom->ep_cnt;
	dom->rx_ctx_cnt = dom->ep_cnt;
	dom->max_ep_tx_ctx = 1;
	dom->max_ep_rx_ctx = 1;
	dom->mr_iov_limit = 1;
	dom->caps = SUO_DOM_CAPS;
	dom->mr_cnt = dev->attr.max_mr;
}

int suo_info_fill(struct fi_info *info, const struct suo_dev *dev,
		  uint32_t version, const struct fi_info *hints)
{
	uint64_t caps = expand_caps(hints);

	info->caps = caps;
	info->addr_format = SUO_ADDR_FORMAT;

	info->tx_attr->caps = caps & SUO_TX_CAPS;
	info->tx_attr->op_flags = hints && hints->tx_attr ? hints->tx_attr->op_flags : 0;
	info->tx_attr->msg_order = order(hints ? hints->tx_attr : NULL, hints ? hints->rx_attr : NULL);
	info->tx_attr->inject_size = SUO_INJECT_SIZE;
	info->tx_attr->size = SUO_TX_SIZE;
	info->tx_attr->iov_limit = SUO_IOV_MAX;
	info->tx_attr->rma_iov_limit = 1;

	info->rx_attr->caps = caps & SUO_RX_CAPS;
	info->rx_attr->op_flags = hints && hints->rx_attr ? hints->rx_attr->op_flags : 0;
	info->rx_attr->msg_order = info->tx_attr->msg_order;
	info->rx_attr->size = SUO_RX_SIZE;
	info->rx_attr->iov_limit = SUO_IOV_MAX;

	info->ep_attr->type = FI_EP_RDM;
	info->ep_attr->protocol = SUO_ADDR_FORMAT;
	info->ep_attr->protocol_version = SUO_WIRE_VERSION;
	info->ep_attr->max_msg_size = dev->port.max_msg_sz;
	info->ep_attr->max_order_raw_size = dev->port.max_msg_sz;
	info->ep_attr->max_order_war_size = dev->port.max_msg_sz;
	info->ep_attr->max_order_waw_size = dev->port.max_msg_sz;
	info->ep_attr->mem_tag_format = UINT64_MAX;
	info->ep_attr->tx_ctx_cnt = 1;
	info->ep_attr->rx_ctx_cnt = 1;

	fill_domain(info->domain_attr, dev, hints);
	info->domain_attr->name = strdup(dev->name);
	info->fabric_attr->name = strdup(SUO_PROV_NAME);
	info->fabric_attr->prov_version = SUO_PROV_VERSION;
	info->fabric_attr->api_version = version;
	if (!info->domain_attr->name || !info->fabric_attr->name)
		return -FI_ENOMEM;
	return 0;
}
