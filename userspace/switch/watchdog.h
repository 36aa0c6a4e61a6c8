/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The PFC watchdog of a queue of a switch: model/core/pfcwd.h with a queue's figures. */
#ifndef SUO_SWITCH_WATCHDOG_H
#define SUO_SWITCH_WATCHDOG_H

#include "model/core/pfcwd.h"
#include "model/sim/switch.h"

/**
 * struct swd_watch - the watch over one queue; all zero at first
 * @state: of the law
 * @until_ps: until when it was paused at the last look
 * @pauses: that have been noticed, those that end a pause not counted
 * @begun: pauses that did not prolong another, as they were
 */
struct swd_watch {
	struct suo_pfcwd	state;
	u64			until_ps;
	u64			pauses;
	u64			begun;
};

/**
 * swd_watch_poll() - look at a queue
 * @watch: the watch
 * @law: the watchdog
 * @port: whose queue it is
 * @prio: which one
 * @begun: pauses heard so far for it that did not prolong another
 * @now_ps: the time
 * @elapsed_ps: since the last look
 *
 * A frame that ends a pause is none: a peer that only says "go on" is no storm, and does
 * not prolong one. So suo_port_count's pause_rx, which has both, is of no use; a pause is
 * noticed when it began, or when its end has moved.
 *
 * Return: enum suo_pfcwd_event
 */
u32 swd_watch_poll(struct swd_watch *watch, const struct suo_pfcwd_law *law,
		   const struct suo_switch_port *port, u32 prio, u64 begun, u64 now_ps,
		   u64 elapsed_ps);

#endif /* SUO_SWITCH_WATCHDOG_H */
