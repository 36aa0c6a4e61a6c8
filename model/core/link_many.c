// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "link_many.h"

static u64 buffer_ps(const struct suo_link_law *law)
{
	return law->buffer_bytes ? suo_link_ser_ps(law, law->buffer_bytes) : 0;
}

void suo_link_to_many(const struct suo_link_law *law, struct suo_link_clock *src,
		      u64 rx_free_ps, u64 ready_ps, u64 payload_bytes,
		      struct suo_link_result *res)
{
	struct suo_link_clock busiest = { .rx_free_ps = rx_free_ps };

	suo_link_reserve(law, src, &busiest, ready_ps, payload_bytes, res);
}

void suo_link_take_rx(const struct suo_link_law *law, struct suo_link_clock *dst,
		      struct suo_link_result *res)
{
	res->queue_ps = suo_sub_sat(dst->rx_free_ps, res->start_ps);
	res->queue_bytes = suo_mul_div(res->queue_ps, law->rate_mbps, 8000000);
	dst->rx_free_ps = suo_add_sat(suo_max(res->start_ps, dst->rx_free_ps),
				      suo_link_ser_ps(law, res->wire_bytes));
}

u64 suo_link_many_begin(const struct suo_link_law *law,
			const struct suo_link_clock *dst, u64 ready_ps,
			struct suo_link_result *res)
{
	memset(res, 0, sizeof(*res));
	return suo_max(ready_ps, suo_sub_sat(dst->rx_free_ps, buffer_ps(law)));
}

void suo_link_many_add(const struct suo_link_law *law, struct suo_link_clock *src,
		       u64 start_ps, u64 payload_bytes,
		       struct suo_link_result *part, struct suo_link_result *res)
{
	suo_link_reserve(law, src, NULL, start_ps, payload_bytes, part);
	res->start_ps = suo_max(res->start_ps, part->start_ps);
	res->arrival_ps = suo_max(res->arrival_ps, part->arrival_ps);
	res->stall_ps = suo_max(res->stall_ps, part->stall_ps);
	res->wire_bytes = part->wire_bytes;
	res->packets = part->packets;
	res->retries += part->retries;
	res->lost |= part->lost;
}

void suo_link_many_end(const struct suo_link_law *law, struct suo_link_clock *dst,
		       struct suo_link_result *res)
{
	suo_link_take_rx(law, dst, res);
	res->arrival_ps = suo_max(res->arrival_ps,
				  suo_add_sat(dst->rx_free_ps,
					      suo_link_latency_ps(law)));
	res->arrival_ps = suo_add_sat(res->arrival_ps, law->reduce_ps);
}

void suo_link_hold_tx(const struct suo_link_law *law, struct suo_link_clock *src,
		      const struct suo_link_result *res)
{
	u64 late_ps = suo_link_latency_ps(law) + law->reduce_ps;
	u64 out_ps = suo_sub_sat(res->arrival_ps, late_ps);

	src->tx_free_ps = suo_max(src->tx_free_ps,
				  suo_sub_sat(out_ps, buffer_ps(law)));
}
