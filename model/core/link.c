// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "link.h"

static u64 round_up_flits(u64 bytes, u32 flit_bytes)
{
	if (flit_bytes <= 1)
		return bytes;
	return suo_mul_div(bytes + flit_bytes - 1, 1, flit_bytes) * flit_bytes;
}

u64 suo_link_wire_bytes(const struct suo_link_law *law, u64 payload_bytes)
{
	u64 full = 0, rest = payload_bytes;
	u64 bytes = 0;

	if (law->max_payload_bytes) {
		full = suo_mul_div(payload_bytes, 1, law->max_payload_bytes);
		rest = payload_bytes - full * law->max_payload_bytes;
		bytes = full * round_up_flits((u64)law->max_payload_bytes +
					      law->header_bytes,
					      law->flit_bytes);
	}
	if (rest || !full)
		bytes += round_up_flits(rest + law->header_bytes,
					law->flit_bytes);
	return bytes;
}

u64 suo_link_ser_ps(const struct suo_link_law *law, u64 wire_bytes)
{
	u64 ps;

	if (!law->rate_mbps)
		return 0;
	ps = suo_mul_div(wire_bytes, 8000000, law->rate_mbps);
	if (suo_mul_div(ps, law->rate_mbps, 8000000) < wire_bytes)
		ps++;
	return ps;
}

u64 suo_link_reserve(const struct suo_link_law *law, struct suo_link_clock *src,
		     struct suo_link_clock *dst, u64 ready_ps, u64 wire_bytes)
{
	u64 start = ready_ps;
	u64 end;

	if (src->tx_free_ps > start)
		start = src->tx_free_ps;
	if (dst && dst->rx_free_ps > start)
		start = dst->rx_free_ps;
	end = start + suo_link_ser_ps(law, wire_bytes);
	src->tx_free_ps = end;
	if (dst)
		dst->rx_free_ps = end;
	return end + law->latency_ps;
}
