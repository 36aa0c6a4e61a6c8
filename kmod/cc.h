/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion control of connections: the flow of a queue pair, at its sender and at
 * its receiver. The laws are in model/core, behind struct suo_cc_ops.
 */
#ifndef SUO_CC_H
#define SUO_CC_H

#include <linux/rcupdate.h>

#include "../model/core/cc.h"

struct suo_from;
struct suo_hdr;
struct suo_nic;
struct suo_pkt;
struct suo_qp;

/**
 * struct suo_cc_params - congestion control as it can be configured
 * @ops: the algorithm
 * @law: parameters of all algorithms
 * @base_rtt_ps: round trip without queues, for those that need it
 * @cnp_dscp: of notification packets
 * @cnp_prio: their priority in a VLAN tag
 * @cnp_prio_mode: 0: that one; 1: the queue pair's
 */
struct suo_cc_params {
	const struct suo_cc_ops	*ops;
	struct suo_cc_law	law;
	u64			base_rtt_ps;
	u32			cnp_dscp;
	u32			cnp_prio;
	u32			cnp_prio_mode;
};

/**
 * struct suo_cc_profile - the same, as flows use it; never changed but replaced
 * @rcu: for freeing it under them
 * @id: no other has had this one
 * @line_kbps: of the NIC
 * @p: the parameters
 */
struct suo_cc_profile {
	struct rcu_head		rcu;
	u64			id;
	u64			line_kbps;
	struct suo_cc_params	p;
};

/**
 * struct suo_flow - of a connected queue pair, protected by its lock
 * @id: of the profile by which it began; 0: begins anew
 * @cc: state of the algorithm
 * @now_ps: the latest that it knows of
 * @np: as a receiver
 * @owes_cnp: likewise: a notification is to be sent
 * @marked: a notification has come since the last acknowledgment
 * @probe_psn: acknowledged, it tells the round trip; if @probe_ps is not 0
 * @probe_ps: when it was sent
 * @rtt_ps: the last round trip seen, or the base one
 */
struct suo_flow {
	u64			id;
	struct suo_cc		cc;
	u64			now_ps;
	struct suo_dcqcn_np	np;
	bool			owes_cnp;
	bool			marked;
	u32			probe_psn;
	u64			probe_ps;
	u64			rtt_ps;
};

void suo_cc_default_params(struct suo_cc_params *p);
struct suo_cc_profile *suo_cc_profile(const struct suo_cc_params *p, u64 rate_mbps);

struct suo_pkt *suo_flow_next(struct suo_qp *qp);
void suo_flow_left(struct suo_pkt *pkt, u64 start_ps);
void suo_flow_marked(struct suo_qp *qp, const struct suo_hdr *hdr,
		     const struct suo_from *from);
void suo_flow_cnp(struct suo_qp *qp);
void suo_flow_acked(struct suo_qp *qp, u32 una);
void suo_flow_lost(struct suo_qp *qp);
u32 suo_flow_window(const struct suo_qp *qp);
void suo_flow_reset(struct suo_qp *qp);

#endif /* SUO_CC_H */
