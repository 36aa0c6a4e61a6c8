// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modelled time: picoseconds since the module was loaded, running time_scale times
 * slower than the machine's clock. It never goes back, so that what ports know stays
 * true when the scale changes. A u64 holds 213 days.
 */
#include <linux/math64.h>
#include <linux/ktime.h>

#include "../model/core/types.h"
#include "clock.h"
#include "suo.h"

/* When the scale was set, by both clocks */
static u64 base_ns, base_ps;
static u32 time_scale = 1;

void suo_clock_init(void)
{
	base_ns = ktime_get_ns();
}

u64 suo_now_ps(void)
{
	/* Later than that links take no time any more: U64_MAX has always come. */
	return suo_add_sat(base_ps, suo_mul_div(ktime_get_ns() - base_ns, 1000,
						READ_ONCE(time_scale)));
}

/* Rounded up: when a timer set for it fires, suo_now_ps() is at least ps. A link
 * may be slow enough for times that the machine's clock does not reach.
 */
ktime_t suo_ps_to_ktime(u64 ps)
{
	u64 ns = suo_mul_div(suo_sub_sat(ps, base_ps), READ_ONCE(time_scale),
			     1000);

	ns = suo_add_sat(base_ns + 1, ns);
	return ns_to_ktime(min_t(u64, ns, KTIME_MAX));
}

u32 suo_time_scale(void)
{
	return READ_ONCE(time_scale);
}

/**
 * suo_set_time_scale() - stretch modelled time
 * @scale: machine nanoseconds for one modelled nanosecond
 *
 * Return: 0, -EINVAL out of range, -EBUSY while a device exists, since times
 * that are under way would change their meaning.
 */
int suo_set_time_scale(u32 scale)
{
	int err = -EBUSY;

	if (!scale || scale > SUO_TIME_SCALE_MAX)
		return -EINVAL;
	mutex_lock(&suo_devs_lock);
	if (suo_devs_empty()) {
		base_ps = suo_now_ps();
		base_ns = ktime_get_ns();
		WRITE_ONCE(time_scale, scale);
		err = 0;
	}
	mutex_unlock(&suo_devs_lock);
	return err;
}
