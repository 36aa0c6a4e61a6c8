/* SPDX-License-Identifier: GPL-2.0-only */
/* Priority flow control: a NIC's sender stops when it is asked to. */
#ifndef SUO_PAUSE_H
#define SUO_PAUSE_H

#include <linux/spinlock.h>

#include "../model/core/pfc.h"

struct suo_dev;

/**
 * struct suo_pause - what a NIC's line has been asked
 * @tx: until when each priority is paused
 * @since_ps: and since when
 */
struct suo_pause {
	struct suo_pfc_tx	tx;
	u64			since_ps[SUO_PFC_PRIOS];
};

/**
 * struct suo_pause_count - how long a device's priorities were paused
 * @lock: protects the rest
 * @until_ps: of the pause that is, or the last one
 * @counted_ps: up to where it is in @total_ps
 * @total_ps: all pauses
 */
struct suo_pause_count {
	spinlock_t	lock;
	u64		until_ps[SUO_PFC_PRIOS];
	u64		counted_ps[SUO_PFC_PRIOS];
	u64		total_ps[SUO_PFC_PRIOS];
};

u64 suo_pause_until(struct suo_dev *dev, u32 class, u64 at_ps);
void suo_pause_settle(struct suo_dev *dev);
void suo_pause_enter(struct suo_dev *dev);
void suo_pause_leave(struct suo_dev *dev);
void suo_pause_use(bool use);

#endif /* SUO_PAUSE_H */
