// SPDX-License-Identifier: GPL-2.0-only
#include "qp.h"
#include "suo.h"
#include "trace.h"

static const struct rdma_stat_desc suo_stat_descs[] = {
#define SUO_STAT_DESC(n)	\
	[SUO_ST_##n] = { .name = #n },
	SUO_STATS(SUO_STAT_DESC)
#undef SUO_STAT_DESC
#define SUO_STAT_DESC(n)	\
	[SUO_ST_##n] = { .name = #n, .flags = IB_STAT_FLAG_OPTIONAL },
	SUO_OPTIONAL_STATS(SUO_STAT_DESC)
#undef SUO_STAT_DESC
};

struct rdma_hw_stats *suo_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port_num)
{
	struct rdma_hw_stats *stats;
	int i;

	BUILD_BUG_ON(ARRAY_SIZE(suo_stat_descs) != SUO_ST_MAX);
	stats = rdma_alloc_hw_stats_struct(suo_stat_descs, SUO_ST_MAX,
					   RDMA_HW_STATS_DEFAULT_LIFESPAN);
	for (i = 0; stats && i < SUO_ST_MAX; i++)
		if (suo_stat_descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			set_bit(i, stats->is_disabled);
	return stats;
}

int suo_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port_num, int index)
{
	struct suo_dev *dev = to_sdev(ibdev);
	int i;

	if (!port_num || !stats)
		return -EINVAL;
	suo_pause_settle(dev);
	for (i = 0; i < SUO_ST_MAX; i++)
		stats->value[i] = atomic64_read(&dev->stats.val[i]);
	return SUO_ST_MAX;
}

/* Count a packet that did not leave; err is why. */
void suo_send_err(struct suo_dev *dev, u32 qpn, int err)
{
	trace_suo_send_err(dev, qpn, err);
	suo_stat_inc(dev, send_err);
}

static const u8 drop_stats[] = {
#define SUO_DROP_STAT(name, text, stat)	\
	[SUO_DROP_##name] = SUO_ST_##stat,
	SUO_DROPS(SUO_DROP_STAT)
#undef SUO_DROP_STAT
};

/**
 * suo_drop() - count a received packet that is not taken
 * @dev: the device that it came to, NULL if there is none that it could be for
 * @why: the reason, which says what counter grows
 * @hdr: its headers, if it has any
 * @len: bytes from the BTH to the ICRC
 */
void suo_drop(struct suo_dev *dev, enum suo_drop why, const struct suo_hdr *hdr,
	      u32 len)
{
	trace_suo_drop(dev, why, hdr, len);
	if (!dev)
		return;
	atomic64_inc(&dev->stats.val[drop_stats[why]]);
	if (why <= SUO_DROP_LAST_ERROR)
		atomic64_inc(&dev->stats.rcv_errors);
}

/* The same for a packet that has come to its queue pair, which is locked. */
void suo_qp_drop(struct suo_qp *qp, enum suo_drop why, const struct suo_hdr *hdr,
		 const struct suo_payload *pay)
{
	enum suo_stat stat = drop_stats[why];

	trace_suo_drop(qp->dev, why, hdr, suo_hdr_len(hdr->opcode) +
		       suo_payload_pkt_len(pay) + hdr->pad + SUO_ICRC_LEN);
	if (stat == SUO_ST_rx_drops)
		suo_stat_inc(qp->dev, rx_drops);
	else
		atomic64_inc(&suo_qp_stats(qp)->val[stat]);
}
