// SPDX-License-Identifier: GPL-2.0-only
/* Performance management: what sysfs shows in ports/1/counters. */
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "suo.h"

static u64 stat(const struct suo_dev *dev, enum suo_stat which)
{
	return atomic64_read(&dev->stats.val[which]);
}

/* A counter that stays at its largest value, as IBA 16.1.3 wants it. */
static u32 sat32(u64 v)
{
	return min_t(u64, v, U32_MAX);
}

static u16 sat16(u64 v)
{
	return min_t(u64, v, U16_MAX);
}

/* Data counters are in units of 4 bytes; both paths count. A packet has as many
 * as its IP header says: the rest belongs to the link (IBA 16.1.3.5).
 */
static u64 xmit_data(const struct suo_dev *dev)
{
	return (stat(dev, SUO_ST_tx_bytes) + stat(dev, SUO_ST_su_tx_bytes)) / 4;
}

static u64 rcv_data(const struct suo_dev *dev)
{
	return (stat(dev, SUO_ST_rx_bytes) + stat(dev, SUO_ST_su_rx_bytes)) / 4;
}

static u64 xmit_packets(const struct suo_dev *dev)
{
	return stat(dev, SUO_ST_sent_pkts) + stat(dev, SUO_ST_su_tx_segments);
}

static u64 rcv_packets(const struct suo_dev *dev)
{
	return stat(dev, SUO_ST_rcvd_pkts) + stat(dev, SUO_ST_su_rx_segments);
}

static void fill_counters(const struct suo_dev *dev,
			  struct ib_pma_portcounters *pma)
{
	pma->port_select = 1;
	pma->port_rcv_errors =
		cpu_to_be16(sat16(atomic64_read(&dev->stats.rcv_errors)));
	pma->link_downed_counter =
		min_t(u64, atomic64_read(&dev->stats.link_downed), U8_MAX);
	pma->port_xmit_discards =
		cpu_to_be16(sat16(stat(dev, SUO_ST_send_err)));
	pma->port_xmit_data = cpu_to_be32(sat32(xmit_data(dev)));
	pma->port_rcv_data = cpu_to_be32(sat32(rcv_data(dev)));
	pma->port_xmit_packets = cpu_to_be32(sat32(xmit_packets(dev)));
	pma->port_rcv_packets = cpu_to_be32(sat32(rcv_packets(dev)));
}

static void fill_counters_ext(const struct suo_dev *dev,
			      struct ib_pma_portcounters_ext *pma)
{
	u64 multi_sent = atomic64_read(&dev->stats.multicast_sent);
	u64 multi_rcvd = atomic64_read(&dev->stats.multicast_rcvd);

	pma->port_select = 1;
	pma->port_xmit_data = cpu_to_be64(xmit_data(dev));
	pma->port_rcv_data = cpu_to_be64(rcv_data(dev));
	pma->port_xmit_packets = cpu_to_be64(xmit_packets(dev));
	pma->port_rcv_packets = cpu_to_be64(rcv_packets(dev));
	pma->port_unicast_xmit_packets =
		cpu_to_be64(xmit_packets(dev) - multi_sent);
	pma->port_unicast_rcv_packets =
		cpu_to_be64(rcv_packets(dev) - multi_rcvd);
	pma->port_multicast_xmit_packets = cpu_to_be64(multi_sent);
	pma->port_multicast_rcv_packets = cpu_to_be64(multi_rcvd);
}

/**
 * suo_process_mad() - answer a query about the port's counters
 * @ibdev: device
 * @flags: unused
 * @port_num: 1
 * @in_wc: unused
 * @in_grh: unused
 * @in: query
 * @out: answer
 * @out_size: unused
 * @out_pkey_index: unused
 *
 * Return: what to do with @out.
 */
int suo_process_mad(struct ib_device *ibdev, int flags, u32 port_num,
		    const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	struct suo_dev *dev = to_sdev(ibdev);
	u8 *data = out->data + 40;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_FAILURE;
	memset(out->data, 0, sizeof(out->data));
	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO: {
		struct ib_class_port_info cpi = {
			.base_version = 1,
			.class_version = 1,
			.capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH,
		};

		memcpy(data, &cpi, sizeof(cpi));
		break;
	}
	case IB_PMA_PORT_COUNTERS:
		fill_counters(dev, (struct ib_pma_portcounters *)data);
		break;
	case IB_PMA_PORT_COUNTERS_EXT:
		fill_counters_ext(dev, (struct ib_pma_portcounters_ext *)data);
		break;
	default:
		return IB_MAD_RESULT_FAILURE;
	}
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
