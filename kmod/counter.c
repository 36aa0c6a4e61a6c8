// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are not counted for everybody: those of chosen queue pairs
 * (`rdma statistic qp bind`, `qp set ... auto`), and those that are optional
 * (`rdma statistic set ... optional-counters`). Both cost a no-op while nobody
 * has asked for them.
 *
 * What a bound queue pair counts is not counted for the port: the core adds it
 * when the port is asked. Packets, bytes and drops are the port's in any case,
 * which tells PMA, and not every one of them has a queue pair.
 */
#include <linux/slab.h>

#include "compat.h"
#include "counter.h"
#include "qp.h"
#include "suo.h"

DEFINE_STATIC_KEY_FALSE(suo_qp_counted);
DEFINE_STATIC_KEY_FALSE(suo_ce_counted);

/* By rdma_counter.id, which netlink shows. */
static DEFINE_XARRAY_ALLOC1(suo_counters);

static int counter_alloc(struct rdma_counter *counter)
{
	struct suo_stats *stats = kzalloc(sizeof(*stats), GFP_KERNEL);
	int err;

	if (!stats)
		return -ENOMEM;
	err = xa_alloc(&suo_counters, &counter->id, stats, xa_limit_31b,
		       GFP_KERNEL);
	if (err) {
		counter->id = 0;
		kfree(stats);
		return err;
	}
	static_branch_inc(&suo_qp_counted);
	return 0;
}

static void qp_count_in(struct suo_qp *qp, struct suo_stats *stats,
			struct rdma_counter *counter)
{
	suo_qp_lock(qp);
	qp->counted = stats;
	suo_qp_unlock(qp);
	qp->ibqp.counter = counter;
}

SUO_DECLARE_COUNTER_BIND(suo_counter_bind_qp)
{
	int err;

	if (!counter->id) {
		err = counter_alloc(counter);
		if (err)
			return err;
	}
	qp_count_in(to_sqp(qp), xa_load(&suo_counters, counter->id), counter);
	return 0;
}

SUO_DECLARE_COUNTER_UNBIND(suo_counter_unbind_qp)
{
	qp_count_in(to_sqp(qp), NULL, NULL);
	return 0;
}

/* No queue pair is bound to it. */
int suo_counter_dealloc(struct rdma_counter *counter)
{
	if (!counter->id)
		return 0;
	kfree(xa_erase(&suo_counters, counter->id));
	static_branch_dec(&suo_qp_counted);
	return 0;
}

struct rdma_hw_stats *suo_counter_alloc_stats(struct rdma_counter *counter)
{
	return suo_alloc_hw_port_stats(counter->device, counter->port);
}

int suo_counter_update_stats(struct rdma_counter *counter)
{
	const struct suo_stats *stats = xa_load(&suo_counters, counter->id);
	int i;

	if (!stats)
		return -EINVAL;
	for (i = 0; i < SUO_ST_MAX; i++)
		counter->stats->value[i] = atomic64_read(&stats->val[i]);
	return 0;
}

/* The core calls this when it changes only, and only for optional ones. */
int suo_modify_hw_stat(struct ib_device *ibdev, u32 port_num,
		       unsigned int index, bool enable)
{
	struct suo_dev *dev = to_sdev(ibdev);

	if (index != SUO_ST_cc_rx_ce_pkts)
		return -EINVAL;
	WRITE_ONCE(dev->count_ce, enable);
	if (enable)
		static_branch_inc(&suo_ce_counted);
	else
		static_branch_dec(&suo_ce_counted);
	return 0;
}

/* A device goes; whoever had asked has not taken it back. */
void suo_counters_stop(struct suo_dev *dev)
{
	if (dev->count_ce)
		static_branch_dec(&suo_ce_counted);
	dev->count_ce = false;
}
