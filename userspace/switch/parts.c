// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "userspace/switch/capture_wire.h"
#include "userspace/switch/fault_wire.h"
#include "userspace/switch/parts.h"
#include "userspace/switch/snapshot.h"
#include "userspace/switch/watchdog_wire.h"

/* In the order in which they start. */
static const struct swd_part {
	int	(*start)(struct swd *s);
	void	(*stop)(struct swd *s);
} parts[] = {
	{ swd_clock_init, swd_clock_free },
	{ swd_mac_init, swd_mac_free },
	{ swd_ports_init, swd_ports_free },
	{ swd_capture_start, swd_capture_stop },
	{ swd_fault_start, swd_fault_stop },
	{ swd_watchdog_start, swd_watchdog_stop },
	{ swd_control_start, swd_control_stop },
	{ swd_series_start, swd_series_stop },
	{ swd_prometheus_start, swd_prometheus_stop },
};

#define PARTS	(sizeof(parts) / sizeof(parts[0]))

int swd_parts_start(struct swd *s)
{
	for (u32 i = 0; i < PARTS; i++) {
		int ret = parts[i].start(s);

		if (ret)
			return ret;
	}
	return 0;
}

void swd_parts_stop(struct swd *s)
{
	for (u32 i = PARTS; i--; )
		parts[i].stop(s);
}
