/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The PFC watchdog with SONiC's meaning: a lossless queue that holds packets, sends
 * none and hears pauses for as long as the detection time is in a storm; it is
 * restored when no pause has been heard for the restoration time. What it holds and
 * gets meanwhile is dropped or forwarded, by the action.
 * Source: sonic-swss, orchagent/pfc_detect_*.lua and pfc_restore.lua.
 */
#ifndef SUO_CORE_PFCWD_H
#define SUO_CORE_PFCWD_H

#include "types.h"

enum suo_pfcwd_action {
	SUO_PFCWD_DROP,		/* the default */
	SUO_PFCWD_FORWARD,	/* send, whatever the peer asks */
	SUO_PFCWD_ALERT,	/* only tell */
	SUO_PFCWD_ACTIONS,
};

enum suo_pfcwd_event {
	SUO_PFCWD_NOTHING,
	SUO_PFCWD_STORM,
	SUO_PFCWD_RESTORED,
};

/**
 * struct suo_pfcwd_law - the watchdog of a port
 * @detection_ps: DETECTION_TIME; 0: no watchdog
 * @restoration_ps: RESTORATION_TIME
 * @action: enum suo_pfcwd_action
 */
struct suo_pfcwd_law {
	u64	detection_ps;
	u64	restoration_ps;
	u32	action;
};

/**
 * struct suo_pfcwd - the state of one queue; all zero at first
 * @left_ps: of the detection or restoration time; counts if @armed
 * @tx_packets: as they were
 * @pause_frames: as they were
 * @armed: it has been looked at before
 * @storm: it is in a storm
 * @detected: storms (PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED)
 * @restored: ends of them (PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED)
 */
struct suo_pfcwd {
	u64	left_ps;
	u64	tx_packets;
	u64	pause_frames;
	bool	armed;
	bool	storm;
	u32	detected;
	u32	restored;
};

/**
 * struct suo_pfcwd_sample - a queue as it is now
 * @depth_bytes: what it holds
 * @tx_packets: sent since the beginning
 * @pause_frames: pause frames heard for its priority since the beginning
 * @paused: it is paused now
 */
struct suo_pfcwd_sample {
	u64	depth_bytes;
	u64	tx_packets;
	u64	pause_frames;
	bool	paused;
};

/**
 * suo_pfcwd_poll() - look at a queue
 * @law: the watchdog
 * @queue: the queue's state
 * @now: the queue
 * @elapsed_ps: since the last look
 *
 * Return: enum suo_pfcwd_event
 */
u32 suo_pfcwd_poll(const struct suo_pfcwd_law *law, struct suo_pfcwd *queue,
		   const struct suo_pfcwd_sample *now, u64 elapsed_ps);

#endif /* SUO_CORE_PFCWD_H */
