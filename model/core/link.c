// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "link.h"

u64 suo_link_latency_ps(const struct suo_link_law *law)
{
	return law->endpoint_ps + law->stages * law->switch_ps +
	       (law->stages + 1ull) * (law->fec_ps + law->propagation_ps);
}

u64 suo_link_packets(const struct suo_link_law *law, u64 payload_bytes)
{
	if (!law->max_payload_bytes || payload_bytes <= law->max_payload_bytes)
		return 1;
	return suo_div(payload_bytes - 1, law->max_payload_bytes) + 1;
}

/* A packet before it is put into frames. */
static u64 packet_bytes(const struct suo_link_law *law, u64 payload_bytes)
{
	u64 bytes = suo_add_sat(payload_bytes, law->header_bytes);

	if (law->flit_bytes > 1) {
		u64 flits = suo_div(bytes, law->flit_bytes);

		if (flits * law->flit_bytes < bytes)
			flits++;
		bytes = suo_mul_sat(flits, law->flit_bytes);
	}
	return suo_max(bytes, law->min_packet_bytes);
}

/* Bytes of frames that packets take up. */
static u64 in_frames(const struct suo_link_law *law, u64 bytes)
{
	u64 framed;

	if (!law->frame_payload_bytes ||
	    law->frame_payload_bytes >= law->frame_bytes)
		return bytes;
	framed = suo_mul_div(bytes, law->frame_bytes, law->frame_payload_bytes);
	if (suo_mul_div(framed, law->frame_payload_bytes, law->frame_bytes) <
	    bytes)
		framed = suo_add_sat(framed, 1);
	return framed;
}

/* Cut a payload into packets: fills in packets and wire_bytes. Return: bytes on
 * the wire of each packet but the last.
 */
static u64 frame(const struct suo_link_law *law, u64 payload_bytes,
		 struct suo_link_result *res)
{
	u64 packets = suo_link_packets(law, payload_bytes);
	u64 full = 0, bytes = 0;

	if (packets > 1) {
		full = packet_bytes(law, law->max_payload_bytes);
		bytes = suo_mul_sat(packets - 1, full);
		payload_bytes -= (packets - 1) * law->max_payload_bytes;
	}
	bytes = suo_add_sat(bytes, packet_bytes(law, payload_bytes));
	res->packets = packets > U32_MAX ? U32_MAX : packets;
	res->wire_bytes = in_frames(law, bytes);
	return packets > 1 ? in_frames(law, full) : res->wire_bytes;
}

u64 suo_link_wire_bytes(const struct suo_link_law *law, u64 payload_bytes)
{
	struct suo_link_result res;

	frame(law, payload_bytes, &res);
	return res.wire_bytes;
}

u64 suo_link_ser_ps(const struct suo_link_law *law, u64 wire_bytes)
{
	u64 bits = suo_mul_sat(wire_bytes, 8000000);	/* times 10^6 */
	u64 ps;

	if (!law->rate_mbps)
		return 0;
	ps = suo_div(bits, law->rate_mbps);
	if (ps * law->rate_mbps < bits)
		ps++;
	return ps;
}

u64 suo_link_pace(const struct suo_link_law *law, struct suo_link_clock *src,
		  u64 ready_ps, u64 wire_bytes)
{
	src->tx_free_ps = suo_add_sat(suo_max(ready_ps, src->tx_free_ps),
				      suo_link_ser_ps(law, wire_bytes));
	return suo_add_sat(src->tx_free_ps, suo_link_latency_ps(law));
}

/* When credits let the last of so many bytes leave. */
static u64 credit_end_ps(const struct suo_link_law *law,
			 struct suo_link_clock *src, u64 start_ps, u64 wire_bytes)
{
	u64 window_ps = suo_link_ser_ps(law, law->credit_bytes);
	u64 late_ps;

	/* The first credit is back before the last one is spent. */
	if (law->credit_rtt_ps <= window_ps)
		return 0;
	late_ps = law->credit_rtt_ps - window_ps;
	src->credit_ps = suo_add_sat(suo_max(src->credit_ps, start_ps),
				     suo_mul_div(wire_bytes, law->credit_rtt_ps,
						 law->credit_bytes));
	return suo_sub_sat(src->credit_ps, late_ps);
}

void suo_link_reserve(const struct suo_link_law *law,
		      struct suo_link_clock *src, struct suo_link_clock *dst,
		      u64 ready_ps, u64 payload_bytes,
		      struct suo_link_result *res)
{
	u64 full_bytes = frame(law, payload_bytes, res);
	u64 ser_ps = suo_link_ser_ps(law, res->wire_bytes);
	u64 could_ps = suo_max(ready_ps, src->tx_free_ps);
	u64 start_ps = could_ps;
	u64 buffer_ps = 0, again_ps = 0;
	u64 sent_ps, out_ps;

	res->queue_ps = 0;
	res->queue_bytes = 0;
	res->retries = 0;
	res->lost = false;
	if (dst && dst->rx_free_ps > could_ps) {
		res->queue_ps = dst->rx_free_ps - could_ps;
		res->queue_bytes = suo_mul_div(res->queue_ps, law->rate_mbps,
					       8000000);
		if (law->buffer_bytes)
			buffer_ps = suo_link_ser_ps(law, law->buffer_bytes);
		if (res->queue_ps > buffer_ps)
			start_ps = dst->rx_free_ps - buffer_ps;
	}
	if (law->errors_per_pbit)
		again_ps = suo_link_errors(law, src, start_ps, full_bytes, res);
	sent_ps = suo_add_sat(suo_add_sat(start_ps, ser_ps), again_ps);
	if (law->credit_bytes)
		sent_ps = suo_max(sent_ps, credit_end_ps(law, src, start_ps,
							 res->wire_bytes));
	out_ps = sent_ps;
	if (dst) {
		dst->rx_free_ps = suo_add_sat(suo_max(start_ps, dst->rx_free_ps),
					      ser_ps);
		out_ps = suo_max(out_ps, dst->rx_free_ps);
	}
	src->tx_free_ps = suo_max(sent_ps, suo_sub_sat(out_ps, buffer_ps));
	res->start_ps = start_ps;
	res->stall_ps = suo_sub_sat(src->tx_free_ps - could_ps,
				    suo_add_sat(ser_ps, again_ps));
	res->arrival_ps = suo_add_sat(suo_max(out_ps, src->held_ps),
				      suo_link_latency_ps(law));
}
