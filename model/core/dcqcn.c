// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dcqcn.h"

#define US	1000000ull	/* picoseconds */

/* After so many updates without a CNP there is nothing left of alpha. */
#define MAX_DECAYS	8192

/* More increases than that at once do not make a difference: the rate is there. */
#define MAX_INCREASES	4096

void suo_dcqcn_connectx(struct suo_dcqcn_law *law)
{
	*law = (struct suo_dcqcn_law){
		.rp_time_reset_ps		= 300 * US,
		.rp_byte_reset_bytes		= 32767,
		.rp_threshold			= 1,
		.rp_ai_rate_kbps		= 5000,
		.rp_hai_rate_kbps		= 50000,
		.rp_min_rate_kbps		= 1000,
		.rp_gd				= 11,
		.rp_min_dec_fac_percent		= 50,
		.rp_initial_alpha		= 1023,
		.rp_dce_tcp_g			= 1019,
		.rp_dce_tcp_rtt_ps		= 1 * US,
		.rp_reduce_period_ps		= 4 * US,
		.rp_clamp_tgt_rate		= false,
		.np_min_time_between_cnps_ps	= 4 * US,
	};
}

void suo_dcqcn_paper(struct suo_dcqcn_law *law)
{
	*law = (struct suo_dcqcn_law){
		.rp_time_reset_ps		= 55 * US,
		.rp_byte_reset_bytes		= 10000000,
		.rp_threshold			= 5,
		.rp_ai_rate_kbps		= 40000,
		.rp_hai_rate_kbps		= 400000,
		.rp_min_rate_kbps		= 10000,
		.rp_gd				= 11,
		.rp_min_dec_fac_percent		= 50,
		.rp_initial_alpha		= 1023,
		.rp_dce_tcp_g			= 1020,	/* g = 1/256 */
		.rp_dce_tcp_rtt_ps		= 55 * US,
		.rp_reduce_period_ps		= 50 * US,
		.rp_clamp_tgt_rate		= true,
		.np_min_time_between_cnps_ps	= 50 * US,
	};
}

static u64 most_kbps(const struct suo_dcqcn_law *law, const struct suo_dcqcn_rp *rp)
{
	if (law->rp_max_rate_kbps && law->rp_max_rate_kbps < rp->line_kbps)
		return law->rp_max_rate_kbps;
	return rp->line_kbps;
}

void suo_dcqcn_rp_init(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
		       u64 line_kbps, u64 now_ps)
{
	*rp = (struct suo_dcqcn_rp){
		.line_kbps	= line_kbps,
		.alpha_ps	= now_ps,
		.time_ps	= now_ps,
		.alpha		= suo_mul_div(law->rp_initial_alpha,
					      SUO_DCQCN_ALPHA_ONE, 1023),
	};
	rp->rate_kbps = most_kbps(law, rp);
	rp->target_kbps = rp->rate_kbps;
}

static void reduce(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
		   u64 now_ps)
{
	u64 rate = rp->rate_kbps;
	/* alpha of 1023, and of that the part that rp_gd says; 2^-30 is one. */
	u64 part = (u64)rp->alpha << 10 >> law->rp_gd;
	u64 taken = suo_mul_div(rate, part, SUO_DCQCN_ALPHA_ONE);
	u64 least = suo_mul_div(rate, law->rp_min_dec_fac_percent, 100);

	if (law->rp_clamp_tgt_rate || rp->times || rp->rounds || !rp->active)
		rp->target_kbps = rate;
	if (!rp->active && law->rp_first_rate_kbps)
		rp->rate_kbps = law->rp_first_rate_kbps;
	else
		rp->rate_kbps = suo_max(suo_sub_sat(rate, taken), least);
	rp->rate_kbps = suo_max(rp->rate_kbps, law->rp_min_rate_kbps);
	if (rp->rate_kbps > most_kbps(law, rp))
		rp->rate_kbps = most_kbps(law, rp);
	rp->target_kbps = suo_max(rp->target_kbps, rp->rate_kbps);
	rp->times = 0;
	rp->rounds = 0;
	rp->bytes = 0;
	rp->time_ps = now_ps;
	rp->reduced_ps = now_ps;
	rp->active = true;
	rp->pending = false;
}

static void increase(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp)
{
	u64 most = most_kbps(law, rp);
	u32 low = rp->times < rp->rounds ? rp->times : rp->rounds;
	u32 high = rp->times > rp->rounds ? rp->times : rp->rounds;

	/* Without a byte counter, time alone ends fast recovery. */
	if (!law->rp_byte_reset_bytes)
		low = 0;
	if (low > law->rp_threshold)
		rp->target_kbps += (low - law->rp_threshold) *
				   law->rp_hai_rate_kbps;
	else if (high > law->rp_threshold)
		rp->target_kbps += law->rp_ai_rate_kbps;
	if (rp->target_kbps > most)
		rp->target_kbps = most;
	/* Rounded up, so that it gets there. */
	rp->rate_kbps = (rp->target_kbps + rp->rate_kbps + 1) / 2;
	if (rp->rate_kbps > most)
		rp->rate_kbps = most;
}

/* Alpha of a time in which no CNP came but, perhaps, before its beginning. */
static void update_alpha(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
			 u64 now_ps)
{
	u64 updates, i;

	if (!law->rp_dce_tcp_rtt_ps || now_ps <= rp->alpha_ps)
		return;
	updates = suo_div(now_ps - rp->alpha_ps, law->rp_dce_tcp_rtt_ps);
	if (!updates)
		return;
	rp->alpha_ps += updates * law->rp_dce_tcp_rtt_ps;
	if (updates > MAX_DECAYS)
		rp->alpha = 0;
	for (i = 0; i < updates && (rp->alpha || rp->marked); i++) {
		rp->alpha = (u64)rp->alpha * law->rp_dce_tcp_g >> 10;
		if (rp->marked)
			rp->alpha += (SUO_DCQCN_G_ONE - law->rp_dce_tcp_g) *
				     (SUO_DCQCN_ALPHA_ONE >> 10);
		rp->marked = false;
	}
}

void suo_dcqcn_rp_advance(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
			  u64 now_ps)
{
	u64 increases, i;

	if (!rp->active)
		return;
	if (rp->pending && now_ps - rp->reduced_ps >= law->rp_reduce_period_ps) {
		u64 at_ps = rp->reduced_ps + law->rp_reduce_period_ps;

		update_alpha(law, rp, at_ps);
		reduce(law, rp, at_ps);
	}
	update_alpha(law, rp, now_ps);
	if (!law->rp_time_reset_ps || now_ps <= rp->time_ps)
		return;
	increases = suo_div(now_ps - rp->time_ps, law->rp_time_reset_ps);
	rp->time_ps += increases * law->rp_time_reset_ps;
	if (increases > MAX_INCREASES)
		increases = MAX_INCREASES;
	for (i = 0; i < increases; i++) {
		rp->times++;
		increase(law, rp);
	}
}

void suo_dcqcn_rp_cnp(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
		      u64 now_ps)
{
	if (!rp->active) {
		/* Alpha has waited for this. */
		rp->alpha_ps = now_ps;
		rp->marked = true;
		reduce(law, rp, now_ps);
		return;
	}
	suo_dcqcn_rp_advance(law, rp, now_ps);
	rp->marked = true;
	if (now_ps - rp->reduced_ps >= law->rp_reduce_period_ps)
		reduce(law, rp, now_ps);
	else
		rp->pending = true;
}

void suo_dcqcn_rp_sent(const struct suo_dcqcn_law *law, struct suo_dcqcn_rp *rp,
		       u64 bytes, u64 now_ps)
{
	if (!rp->active)
		return;
	suo_dcqcn_rp_advance(law, rp, now_ps);
	if (!law->rp_byte_reset_bytes)
		return;
	rp->bytes += bytes;
	while (rp->bytes >= law->rp_byte_reset_bytes) {
		rp->bytes -= law->rp_byte_reset_bytes;
		rp->rounds++;
		increase(law, rp);
	}
}

bool suo_dcqcn_np_marked(const struct suo_dcqcn_law *law, struct suo_dcqcn_np *np,
			 u64 now_ps)
{
	if (np->sent && now_ps - np->last_ps < law->np_min_time_between_cnps_ps)
		return false;
	np->last_ps = now_ps;
	np->sent++;
	return true;
}
