// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "nscc.h"

void suo_nscc_default(struct suo_nscc_law *law)
{
	*law = (struct suo_nscc_law){
		.mss_bytes	= 4096,
		.target_percent	= 75,
		.alpha		= 4,
		.fi		= 5,
		.eta_percent	= 15,
		.gamma_percent	= 80,
		.adjust_mss	= 8,
		.max_percent	= 150,
	};
}

/* Keep the window within its limits. */
static void bound(const struct suo_nscc_law *law, struct suo_nscc *flow)
{
	u64 most = suo_mul_div(flow->bdp_bytes, law->max_percent, 100);

	if (flow->window_bytes > most)
		flow->window_bytes = most;
	flow->window_bytes = suo_max(flow->window_bytes, law->mss_bytes);
}

void suo_nscc_init(const struct suo_nscc_law *law, struct suo_nscc *flow,
		   u64 line_kbps, u64 base_rtt_ps, u64 now_ps)
{
	u64 bdp = suo_mul_div(line_kbps, base_rtt_ps, 8000000000ull);
	u64 target = suo_mul_div(base_rtt_ps, law->target_percent, 100);
	/* mss a */
	u64 mss_a = suo_mul_div(law->mss_bytes, bdp, SUO_NSCC_REF_BDP_BYTES);

	*flow = (struct suo_nscc){
		.base_rtt_ps	= base_rtt_ps,
		.target_ps	= suo_max(target, 1),
		.bdp_bytes	= bdp,
		.prop_bytes	= suo_mul_div(law->alpha * mss_a, target,
					      SUO_NSCC_REF_RTT_PS),
		.fair_bytes	= law->fi * mss_a,
		.eta_bytes	= suo_mul_div(law->eta_percent, mss_a, 100),
		.window_bytes	= U64_MAX,
		.adjusted_ps	= now_ps,
		.decreased_ps	= now_ps,
	};
	bound(law, flow);
}

static void decrease(const struct suo_nscc_law *law, struct suo_nscc *flow,
		     u64 now_ps)
{
	u64 average = flow->average_ps, cut;

	if (average <= flow->target_ps ||
	    now_ps - flow->decreased_ps < flow->base_rtt_ps)
		return;
	cut = suo_mul_div(flow->window_bytes,
			  (average - flow->target_ps) * law->gamma_percent,
			  average * 100);
	if (cut > flow->window_bytes / 2)
		cut = flow->window_bytes / 2;
	flow->window_bytes -= cut;
	flow->decreased_ps = now_ps;
}

void suo_nscc_ack(const struct suo_nscc_law *law, struct suo_nscc *flow, u64 bytes,
		  u64 rtt_ps, bool marked, u64 now_ps)
{
	u64 delay = suo_sub_sat(rtt_ps, flow->base_rtt_ps);

	flow->average_ps += delay / 8 - flow->average_ps / 8;
	flow->acked_bytes += bytes;

	if (!marked && delay < flow->target_ps)
		flow->increase += suo_mul_div(flow->prop_bytes * bytes,
					      flow->target_ps - delay,
					      flow->target_ps);
	else if (!marked)
		flow->increase += flow->fair_bytes * bytes;
	else if (delay >= flow->target_ps)
		decrease(law, flow, now_ps);

	if (now_ps - flow->adjusted_ps >= flow->base_rtt_ps ||
	    flow->acked_bytes >= (u64)law->adjust_mss * law->mss_bytes) {
		flow->window_bytes += suo_div(flow->increase, flow->window_bytes) +
				      flow->eta_bytes;
		flow->increase = 0;
		flow->acked_bytes = 0;
		flow->adjusted_ps = now_ps;
	}
	bound(law, flow);
}

void suo_nscc_lost(const struct suo_nscc_law *law, struct suo_nscc *flow, u64 bytes)
{
	flow->window_bytes = suo_sub_sat(flow->window_bytes, bytes);
	bound(law, flow);
}
