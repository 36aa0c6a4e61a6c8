// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Load balancing, PFC, ECN, DCQCN and loss of a cluster file. */
#include <inttypes.h>

#include "model/cluster/load.h"

#define MAX_QUEUE_BYTES		(1ull << 33)
#define MAX_SEED		999999999999999999ull
/* Of a flow, at most so many are under way: kmod's SUO_WINDOW. */
#define REORDER_PKTS		128
#define US			1000000ull
#define MIB			(1ull << 20)

const char *const suo_balancing_names[] = {
	[SUO_BALANCE_ECMP]	= "ecmp",
	[SUO_BALANCE_SPRAY]	= "spray",
	[SUO_BALANCE_ADAPTIVE]	= "adaptive",
	[SUO_BALANCES]		= NULL,
};

const char *const suo_transport_retry_names[] = {
	[SUO_RETRY_GBN]		= "gbn",
	[SUO_RETRY_SR]		= "sr",
	[SUO_TRANSPORT_RETRIES]	= NULL,
};

static const struct suo_quantity a_time = {
	SUO_TIME, "us", 1, 1000000 * US
};
static const struct suo_quantity a_timeout = {
	SUO_TIME, "ns", 1, 60 * 1000000 * US
};
static const struct suo_quantity a_speed = {
	SUO_RATE, "Mb/s", 1, SUO_LINK_MAX_RATE_MBPS
};
static const struct suo_quantity a_queue = {
	SUO_BYTES, "B", 1, MAX_QUEUE_BYTES
};
static const struct suo_quantity a_ratio = { SUO_RATIO, NULL, 1, 1000 };
static const struct suo_quantity a_share = {
	SUO_SHARE, NULL, 0, 500000000000000
};
static const struct suo_quantity a_flow_count = { SUO_NUMBER, NULL, 1, 4096 };
static const struct suo_quantity a_gap = { SUO_NUMBER, NULL, 0, 1024 };
static const struct suo_quantity a_seed = { SUO_NUMBER, NULL, 0, MAX_SEED };
static const struct suo_quantity a_shift = { SUO_NUMBER, NULL, 0, 15 };
static const struct suo_quantity a_percentage = { SUO_NUMBER, NULL, 0, 100 };
static const struct suo_quantity a_threshold = { SUO_NUMBER, NULL, 1, 31 };
static const struct suo_quantity of_1024 = { SUO_NUMBER, NULL, 0, 1023 };

static void get_balancing(struct suo_load *load, const struct suo_raw_out *raw)
{
	struct suo_fabric *fabric = &load->cluster->out.fabric;

	fabric->balancing = suo_load_word(load, "scale_out.load_balancing",
					  raw->load_balancing,
					  suo_balancing_names,
					  SUO_BALANCE_ECMP);
	/* Who has packets spread has NICs that put them in order. */
	load->cluster->out.congestion.reorder_pkts =
		suo_load_get(load, "scale_out.reorder_pkts", raw->reorder_pkts, &a_gap,
			     fabric->balancing == SUO_BALANCE_ECMP ? 0 : REORDER_PKTS);
	fabric->queue_pairs = suo_load_get(load, "scale_out.queue_pairs",
					   raw->queue_pairs, &a_flow_count, 1);
	fabric->seed = suo_load_get(load, "scale_out.seed", raw->seed, &a_seed, 1);
}

/* Thresholds of a class of Azure's lossless profile in SONiC, of any rate. */
static void get_ecn(struct suo_load *load, const struct suo_raw_ecn *given)
{
	static const struct suo_raw_ecn nothing;
	const struct suo_raw_ecn *raw = given ? given : &nothing;
	struct suo_congestion *con = &load->cluster->out.congestion;

	con->kmin_bytes = suo_load_get(load, "scale_out.ecn.kmin_bytes",
				       raw->kmin_bytes, &a_queue, MIB);
	con->kmax_bytes = suo_load_get(load, "scale_out.ecn.kmax_bytes",
				       raw->kmax_bytes, &a_queue, 2 * MIB);
	con->pmax_milli = suo_load_get(load, "scale_out.ecn.pmax", raw->pmax,
				       &a_ratio, 50);
	if (con->kmax_bytes <= con->kmin_bytes)
		suo_load_fault(load, raw->kmax_bytes ? "scale_out.ecn.kmax_bytes" :
						       "scale_out.ecn.kmin_bytes",
			       "kmax_bytes (%" PRIu64 ") is not more than kmin_bytes (%" PRIu64 ")",
			       con->kmax_bytes, con->kmin_bytes);
}

static void get_pfc(struct suo_load *load, const struct suo_raw_pfc *given)
{
	static const struct suo_raw_pfc nothing;
	const struct suo_raw_pfc *raw = given ? given : &nothing;
	struct suo_congestion *con = &load->cluster->out.congestion;

	if (given && !con->lossless)
		suo_load_fault(load, "scale_out.pfc",
			       "flow_control is none: nothing is paused");
	con->xoff_bytes = suo_load_get(load, "scale_out.pfc.xoff_bytes",
				       raw->xoff_bytes, &a_queue,
				       load->cluster->out.profile->buffer_bytes.value);
	con->xon_bytes = suo_load_get(load, "scale_out.pfc.xon_bytes",
				      raw->xon_bytes, &a_queue,
				      con->xoff_bytes / 2 + 1);
	con->headroom_bytes = suo_load_get(load, "scale_out.pfc.headroom_bytes",
					   raw->headroom_bytes, &a_queue, 0);
	if (con->xon_bytes > con->xoff_bytes)
		suo_load_fault(load, raw->xon_bytes ? "scale_out.pfc.xon_bytes" :
						      "scale_out.pfc.xoff_bytes",
			       "xon_bytes (%" PRIu64 ") is more than xoff_bytes (%" PRIu64 ")",
			       con->xon_bytes, con->xoff_bytes);
}

/* What a key gives over the law's own value. */
#define DCQCN(key, field, what)	\
	(law->field = suo_load_get(load, "scale_out.dcqcn." #key, raw->key, what, \
				   law->field))

/* Rates of a file are of Mb/s, those of the law of kb/s. */
#define DCQCN_RATE(key, field)	\
	(law->field = 1000 * suo_load_get(load, "scale_out.dcqcn." #key, raw->key, \
					  &a_speed, law->field / 1000))

#define DCQCN_TIME(key, field)	\
	get_dcqcn_time(load, "scale_out.dcqcn." #key, raw->key, &law->field)

static void get_dcqcn_time(struct suo_load *load, const char *key, const char *raw,
			   uint64_t *ps)
{
	*ps = suo_load_get(load, key, raw, &a_time, *ps);
	if (*ps % US)
		suo_load_lab_fault(load, key,
				   "the lab's devices have it in whole microseconds");
}

static void get_dcqcn(struct suo_load *load, const struct suo_raw_dcqcn *given)
{
	static const struct suo_raw_dcqcn nothing;
	const struct suo_raw_dcqcn *raw = given ? given : &nothing;
	struct suo_congestion *con = &load->cluster->out.congestion;
	struct suo_dcqcn_law *law = &con->dcqcn;

	if (given && !con->dcqcn_on)
		suo_load_fault(load, "scale_out.dcqcn",
			       "congestion_control is none: nobody reacts");
	suo_dcqcn_connectx(law);
	DCQCN_TIME(rp_time_reset, rp_time_reset_ps);
	DCQCN(rp_byte_reset, rp_byte_reset_bytes, &a_queue);
	DCQCN(rp_threshold, rp_threshold, &a_threshold);
	DCQCN_RATE(rp_ai_rate, rp_ai_rate_kbps);
	DCQCN_RATE(rp_hai_rate, rp_hai_rate_kbps);
	DCQCN(rp_gd, rp_gd, &a_shift);
	DCQCN(rp_min_dec_fac, rp_min_dec_fac_percent, &a_percentage);
	DCQCN_RATE(rp_min_rate, rp_min_rate_kbps);
	DCQCN(rp_dce_tcp_g, rp_dce_tcp_g, &of_1024);
	DCQCN_TIME(rp_dce_tcp_rtt, rp_dce_tcp_rtt_ps);
	DCQCN_TIME(rp_rate_reduce_monitor_period, rp_reduce_period_ps);
	DCQCN(rp_initial_alpha_value, rp_initial_alpha, &of_1024);
	DCQCN_TIME(np_min_time_between_cnps, np_min_time_between_cnps_ps);
}

void suo_load_congestion(struct suo_load *load, const struct suo_raw_out *raw)
{
	static const char *const flow_words[] = { "none", "pfc", NULL };
	static const char *const control_words[] = { "none", "dcqcn", NULL };
	struct suo_congestion *con = &load->cluster->out.congestion;

	get_balancing(load, raw);
	con->lossless = suo_load_word(load, "scale_out.flow_control",
				      raw->flow_control, flow_words, 1);
	con->dcqcn_on = suo_load_word(load, "scale_out.congestion_control",
				      raw->congestion_control, control_words,
				      raw->ecn || raw->dcqcn);
	con->ecn = raw->ecn || con->dcqcn_on;
	get_pfc(load, raw->pfc);
	get_ecn(load, raw->ecn);
	get_dcqcn(load, raw->dcqcn);
	con->loss_per_peta = suo_load_get(load, "scale_out.loss_rate",
					  raw->loss_rate, &a_share, 0);
	con->retry = suo_load_word(load, "scale_out.retry", raw->retry,
				   suo_transport_retry_names, SUO_RETRY_GBN);
	con->rto_ps = suo_load_get(load, "scale_out.rto_ns", raw->rto_ns,
				   &a_timeout, 67108864 * 1000ull);
	if (con->loss_per_peta)
		suo_load_lab_fault(load, "scale_out.loss_rate",
				   "the lab's scale-out network loses nothing");
}
