// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cc.h"

static void dcqcn_init(struct suo_cc *cc, u64 base_rtt_ps, u64 now_ps)
{
	suo_dcqcn_rp_init(&cc->law->dcqcn, &cc->dcqcn, cc->rate_kbps, now_ps);
	cc->rate_kbps = cc->dcqcn.rate_kbps;
}

static void dcqcn_cnp(struct suo_cc *cc, u64 now_ps)
{
	suo_dcqcn_rp_cnp(&cc->law->dcqcn, &cc->dcqcn, now_ps);
	cc->rate_kbps = cc->dcqcn.rate_kbps;
}

static void dcqcn_sent(struct suo_cc *cc, u64 bytes, u64 now_ps)
{
	suo_dcqcn_rp_sent(&cc->law->dcqcn, &cc->dcqcn, bytes, now_ps);
	cc->rate_kbps = cc->dcqcn.rate_kbps;
}

static void nscc_init(struct suo_cc *cc, u64 base_rtt_ps, u64 now_ps)
{
	suo_nscc_init(&cc->law->nscc, &cc->nscc, cc->rate_kbps, base_rtt_ps, now_ps);
	cc->window_bytes = cc->nscc.window_bytes;
}

static void nscc_ack(struct suo_cc *cc, u64 bytes, u64 rtt_ps, bool marked,
		     u64 now_ps)
{
	suo_nscc_ack(&cc->law->nscc, &cc->nscc, bytes, rtt_ps, marked, now_ps);
	cc->window_bytes = cc->nscc.window_bytes;
}

static void nscc_lost(struct suo_cc *cc, u64 bytes, u64 now_ps)
{
	suo_nscc_lost(&cc->law->nscc, &cc->nscc, bytes);
	cc->window_bytes = cc->nscc.window_bytes;
}

const struct suo_cc_ops suo_cc_none = {
	.name	= "none",
};

const struct suo_cc_ops suo_cc_dcqcn = {
	.name	= "dcqcn",
	.init	= dcqcn_init,
	.cnp	= dcqcn_cnp,
	.sent	= dcqcn_sent,
};

const struct suo_cc_ops suo_cc_nscc = {
	.name	= "nscc",
	.init	= nscc_init,
	.ack	= nscc_ack,
	.lost	= nscc_lost,
};

const struct suo_cc_ops *suo_cc_algorithm(u32 i)
{
	switch (i) {
	case 0:
		return &suo_cc_none;
	case 1:
		return &suo_cc_dcqcn;
	case 2:
		return &suo_cc_nscc;
	default:
		return NULL;
	}
}

void suo_cc_default(struct suo_cc_law *law)
{
	suo_dcqcn_connectx(&law->dcqcn);
	suo_nscc_default(&law->nscc);
}

void suo_cc_init(struct suo_cc *cc, const struct suo_cc_ops *ops,
		 const struct suo_cc_law *law, u64 line_kbps, u64 base_rtt_ps,
		 u64 now_ps)
{
	cc->ops = ops;
	cc->law = law;
	cc->rate_kbps = line_kbps;
	cc->window_bytes = U64_MAX;
	if (ops->init)
		ops->init(cc, base_rtt_ps, now_ps);
}
