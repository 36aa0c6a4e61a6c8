// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/cluster/goodput.h"

#define BITS_PER_PBIT	1e15

double suo_packet_error_rate(const struct suo_link_law *law, u64 wire_bytes)
{
	return -expm1(-8.0 * wire_bytes * law->errors_per_pbit / BITS_PER_PBIT);
}

/* Share of what is sent that need not be sent again, going back costing T. */
static double go_back(double p, double packet_ps, double retry_ps)
{
	if (!packet_ps)
		return 1;
	return (1 - p) / (1 + p * retry_ps / packet_ps);
}

/* Not rounded up to whole picoseconds: more rate is never a smaller share of it. */
static double ser_of(const struct suo_link_law *law, u64 wire_bytes)
{
	return law->rate_mbps ? 8e6 * wire_bytes / law->rate_mbps : 0;
}

double suo_retry_share(const struct suo_link_law *law, u64 segment_bytes)
{
	u64 payload = law->max_payload_bytes, wire;
	double p, ser_ps;

	if (!law->errors_per_pbit)
		return 1;
	if (law->retry == SUO_LINK_NONE || !payload || payload > segment_bytes)
		payload = segment_bytes;
	wire = suo_link_wire_bytes(law, payload);
	p = suo_packet_error_rate(law, wire);
	ser_ps = ser_of(law, wire);
	switch (law->retry) {
	case SUO_LINK_LLR:
		return 1 - p;
	case SUO_LINK_GBN:
		return go_back(p, ser_ps, law->retry_ps);
	default:
		wire = suo_link_wire_bytes(law, 0);
		return go_back(p, ser_ps, ser_ps +
			       2.0 * suo_link_latency_ps(law) +
			       ser_of(law, wire));
	}
}

double suo_goodput_mbps(const struct suo_link_law *law, u64 segment_bytes)
{
	double wire = suo_link_wire_bytes(law, segment_bytes);
	double rate = law->rate_mbps * suo_retry_share(law, segment_bytes);
	double window;

	if (law->credit_bytes && law->credit_rtt_ps && rate) {
		window = 8e6 * law->credit_bytes / law->credit_rtt_ps;
		rate = fmin(rate, window);
	}
	return rate * segment_bytes / wire;
}

void suo_link_on_average(const struct suo_link_law *law, u64 segment_bytes,
			 struct suo_link_law *average)
{
	double rate = law->rate_mbps * suo_retry_share(law, segment_bytes);

	*average = *law;
	average->errors_per_pbit = 0;
	if (law->rate_mbps)
		average->rate_mbps = fmax(1, round(rate));
}

u64 suo_credit_end_ps(const struct suo_link_law *law, u64 wire_bytes)
{
	u64 window_ps = suo_link_ser_ps(law, law->credit_bytes);

	if (!law->credit_bytes || law->credit_rtt_ps <= window_ps)
		return 0;
	return suo_sub_sat(suo_mul_div(wire_bytes, law->credit_rtt_ps,
				       law->credit_bytes),
			   law->credit_rtt_ps - window_ps);
}
