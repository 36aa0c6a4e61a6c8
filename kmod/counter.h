/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_COUNTER_H
#define SUO_COUNTER_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "compat.h"

struct suo_dev;

/* All of it is the core's; later kernels want to be told. */
struct suo_counter {
	struct rdma_counter	counter;
};

SUO_DECLARE_COUNTER_BIND(suo_counter_bind_qp);
SUO_DECLARE_COUNTER_UNBIND(suo_counter_unbind_qp);
int suo_counter_dealloc(struct rdma_counter *counter);
struct rdma_hw_stats *suo_counter_alloc_stats(struct rdma_counter *counter);
int suo_counter_update_stats(struct rdma_counter *counter);
int suo_modify_hw_stat(struct ib_device *ibdev, u32 port_num,
		       unsigned int index, bool enable);
void suo_counters_stop(struct suo_dev *dev);

#endif /* SUO_COUNTER_H */
