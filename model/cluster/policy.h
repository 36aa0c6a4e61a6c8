/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the switches of the scale-out network do with each priority: scale_out.switch. */
#ifndef SUO_CLUSTER_POLICY_H
#define SUO_CLUSTER_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/core/pfcwd.h"

#define SUO_POLICY_PRIOS	8
#define SUO_POLICY_DSCPS	64

/**
 * struct suo_policy_class - one priority
 * @pfc: its senders are paused; or else what does not fit is dropped
 * @ecn: its queues mark
 * @kmin_bytes: no packet is marked below
 * @kmax_bytes: every packet is marked above
 * @pmax_milli: share of packets marked at kmax, in thousandths
 * @wred_weight: as suo_wred_law has it
 * @dynamic_th: as suo_pfc_law has it; SUO_PFC_NO_DYNAMIC: @xoff_bytes counts
 * @xoff_bytes: queue of an ingress port that pauses its sender
 * @xon_bytes: and lets it go on
 * @headroom_bytes: room for what is on its way then; 0: by suo_pfc_late_bytes()
 * @reserved_bytes: of each port's own
 * @queue_bytes: longest egress queue; 0: only the buffer counts
 */
struct suo_policy_class {
	bool		pfc;
	bool		ecn;
	uint64_t	kmin_bytes;
	uint64_t	kmax_bytes;
	uint32_t	pmax_milli;
	uint32_t	wred_weight;
	int32_t		dynamic_th;
	uint64_t	xoff_bytes;
	uint64_t	xon_bytes;
	uint64_t	headroom_bytes;
	uint64_t	reserved_bytes;
	uint64_t	queue_bytes;
};

/**
 * struct suo_policy - all of them
 * @mtu_bytes: longest payload of an Ethernet frame
 * @data_prios: mask of priorities that scale_out.pfc and .ecn are for
 * @dscp_prio: priority of IP packets without a VLAN tag
 * @strict: mask of priorities that go first
 * @weight: of the others
 * @mark_at_exit: mark by the queue that is left behind, not by the one that is found
 * @same_seed: all switches hash alike
 * @trim_bytes: what is left of a trimmed frame, with FCS; 0: nothing is trimmed
 * @trim_dscp: its DSCP
 * @trim_prio: its priority
 * @watchdog: of each queue with PFC
 * @watchdog_poll_ps: between two looks
 * @class: by priority
 */
struct suo_policy {
	uint32_t		mtu_bytes;
	uint32_t		data_prios;
	uint8_t			dscp_prio[SUO_POLICY_DSCPS];
	uint32_t		strict;
	uint32_t		weight[SUO_POLICY_PRIOS];
	bool			mark_at_exit;
	bool			same_seed;
	uint32_t		trim_bytes;
	uint32_t		trim_dscp;
	uint32_t		trim_prio;
	struct suo_pfcwd_law	watchdog;
	uint64_t		watchdog_poll_ps;
	struct suo_policy_class	class[SUO_POLICY_PRIOS];
};

/* "drop" and so on, by enum suo_pfcwd_action. */
extern const char *const suo_pfcwd_action_names[];

#endif /* SUO_CLUSTER_POLICY_H */
