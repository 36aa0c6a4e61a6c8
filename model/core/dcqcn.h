/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DCQCN: Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM
 * 2015, with the parameters by the names that mlx5 has for them in debugfs
 * (drivers/infiniband/hw/mlx5/cong.c). The reaction point (RP) is the sender, the
 * notification point (NP) the receiver. Nothing here needs a timer of its own: a
 * state is brought up to date when it is used.
 *
 * Rates are in kilobits a second, alpha in units of 2^-20.
 */
#ifndef SUO_CORE_DCQCN_H
#define SUO_CORE_DCQCN_H

#include "types.h"

#define SUO_DCQCN_ALPHA_ONE	0x100000u
#define SUO_DCQCN_G_ONE		1024u	/* of rp_dce_tcp_g and initial alpha */

/**
 * struct suo_dcqcn_law - the parameters of both points
 * @rp_time_reset_ps: rpg_time_reset: from one increase by time to the next
 * @rp_byte_reset_bytes: rpg_byte_reset: and by bytes sent; 0: not by bytes
 * @rp_threshold: rpg_threshold: increases of one kind until fast recovery ends
 * @rp_ai_rate_kbps: rpg_ai_rate: an additive increase adds so much to the target
 * @rp_hai_rate_kbps: rpg_hai_rate: a hyper increase
 * @rp_min_rate_kbps: rpg_min_rate: no flow is slower
 * @rp_max_rate_kbps: rpg_max_rate: no flow is faster; 0: the line rate
 * @rp_gd: rpg_gd: of alpha (1023 is one), a 2^gd-th is the part of the rate that is
 *	taken away; 11 stands for alpha / 2 as in the paper
 * @rp_min_dec_fac_percent: rpg_min_dec_fac: what is left of a rate at least
 * @rp_initial_alpha: initial_alpha_value, of 1023
 * @rp_dce_tcp_g: dce_tcp_g: alpha keeps so many 1024ths; 1 - g of the paper
 * @rp_dce_tcp_rtt_ps: dce_tcp_rtt: how often alpha is updated
 * @rp_reduce_period_ps: rate_reduce_monitor_period: not reduced twice in this time
 * @rp_first_rate_kbps: rate_to_set_on_first_cnp; 0: as after any other
 * @rp_clamp_tgt_rate: clamp_tgt_rate: the target falls to the current rate with
 *	every reduction; if not, only with the first after an increase
 * @np_min_time_between_cnps_ps: of one flow
 */
struct suo_dcqcn_law {
	u64	rp_time_reset_ps;
	u64	rp_byte_reset_bytes;
	u32	rp_threshold;
	u64	rp_ai_rate_kbps;
	u64	rp_hai_rate_kbps;
	u64	rp_min_rate_kbps;
	u64	rp_max_rate_kbps;
	u32	rp_gd;
	u32	rp_min_dec_fac_percent;
	u32	rp_initial_alpha;
	u32	rp_dce_tcp_g;
	u64	rp_dce_tcp_rtt_ps;
	u64	rp_reduce_period_ps;
	u64	rp_first_rate_kbps;
	bool	rp_clamp_tgt_rate;
	u64	np_min_time_between_cnps_ps;
};

/* As ConnectX has them: facts of the driver, and a dump of its debugfs. */
void suo_dcqcn_connectx(struct suo_dcqcn_law *law);

/* As the paper has them, section 5 and table 14 of its extended version. */
void suo_dcqcn_paper(struct suo_dcqcn_law *law);

/**
 * struct suo_dcqcn_rp - a flow at its sender
 * @line_kbps: it is never faster
 * @rate_kbps: current rate, R_C
 * @target_kbps: target rate, R_T
 * @alpha: estimate of congestion
 * @alpha_ps: when alpha was last updated
 * @time_ps: when the timer was last reset
 * @reduced_ps: when the rate was last reduced
 * @bytes: sent since the byte counter was last reset
 * @times: increases by time since the rate was reduced
 * @rounds: increases by bytes since then
 * @marked: a CNP has come since alpha was updated
 * @pending: and its reduction has to wait
 * @active: a CNP has ever come
 */
struct suo_dcqcn_rp {
	u64	line_kbps;
	u64	rate_kbps;
	u64	target_kbps;
	u32	alpha;
	u64	alpha_ps;
	u64	time_ps;
	u64	reduced_ps;
	u64	bytes;
	u32	times;
	u32	rounds;
	bool	marked;
	bool	pending;
	bool	active;
};

/* A new flow, at line rate. */
void suo_dcqcn_rp_init(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
		       u64 line_kbps, u64 now_ps);

/* Let time pass: alpha decays, the timer increases the rate. */
void suo_dcqcn_rp_advance(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
			  u64 now_ps);

/**
 * suo_dcqcn_rp_cnp() - a CNP has come
 * @law: the parameters
 * @rp: the flow
 * @now_ps: when
 *
 *	R_T = R_C,  R_C = max(R_C (1 - alpha / 2), R_C min_dec_fac, min_rate)
 */
void suo_dcqcn_rp_cnp(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
		      u64 now_ps);

/**
 * suo_dcqcn_rp_sent() - bytes have been sent
 * @law: the parameters
 * @rp: the flow
 * @bytes: how many
 * @now_ps: when
 *
 * With T increases by time, B by bytes, and F = rp_threshold, an increase is
 *
 *	fast recovery, max(T, B) <= F:	R_C = (R_T + R_C) / 2
 *	hyper, min(T, B) > F:		R_T += (min(T, B) - F) R_HAI, and the same
 *	additive, else:			R_T += R_AI, and the same
 */
void suo_dcqcn_rp_sent(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
		       u64 bytes, u64 now_ps);

/**
 * struct suo_dcqcn_np - a flow at its receiver; all zero at first
 * @last_ps: when the last CNP was sent
 * @sent: CNPs sent
 */
struct suo_dcqcn_np {
	u64	last_ps;
	u64	sent;
};

/* A packet marked CE has come. Return: whether a CNP is to be sent. */
bool suo_dcqcn_np_marked(const struct suo_dcqcn_law *law, struct suo_dcqcn_np *np,
			 u64 now_ps);

#endif /* SUO_CORE_DCQCN_H */
