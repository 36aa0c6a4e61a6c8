// SPDX-License-Identifier: GPL-2.0-only
#include "suo.h"

static const struct rdma_stat_desc suo_stat_descs[] = {
#define SUO_STAT_DESC(n)	{ .name = #n },
	SUO_STATS(SUO_STAT_DESC)
#undef SUO_STAT_DESC
};

struct rdma_hw_stats *suo_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port_num)
{
	BUILD_BUG_ON(ARRAY_SIZE(suo_stat_descs) != SUO_ST_MAX);
	return rdma_alloc_hw_stats_struct(suo_stat_descs, SUO_ST_MAX,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int suo_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port_num, int index)
{
	struct suo_dev *dev = to_sdev(ibdev);
	int i;

	if (!port_num || !stats)
		return -EINVAL;
	for (i = 0; i < SUO_ST_MAX; i++)
		stats->value[i] = atomic64_read(&dev->stats.val[i]);
	return SUO_ST_MAX;
}
