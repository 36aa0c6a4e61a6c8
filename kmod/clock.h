/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_CLOCK_H
#define SUO_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>

#define SUO_TIME_SCALE_MAX	1000000

void suo_clock_init(void);
u64 suo_now_ps(void);
ktime_t suo_ps_to_ktime(u64 ps);
u32 suo_time_scale(void);
int suo_set_time_scale(u32 scale);

#endif /* SUO_CLOCK_H */
