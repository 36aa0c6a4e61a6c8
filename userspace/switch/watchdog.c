// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "userspace/switch/watchdog.h"

u32 swd_watch_poll(struct swd_watch *watch, const struct suo_pfcwd_law *law,
		   const struct suo_switch_port *port, u32 prio, u64 begun, u64 now_ps,
		   u64 elapsed_ps)
{
	u64 until_ps = port->heard.until_ps[prio];
	struct suo_pfcwd_sample now = {
		.depth_bytes = port->queue[prio].bytes,
		.tx_packets = port->queue[prio].tx_packets,
		.paused = suo_pfc_is_paused(&port->heard, prio, now_ps),
	};

	watch->pauses += begun != watch->begun ||
			 (until_ps && until_ps != watch->until_ps);
	watch->begun = begun;
	watch->until_ps = until_ps;
	now.pause_frames = watch->pauses;
	return suo_pfcwd_poll(law, &watch->state, &now, elapsed_ps);
}
