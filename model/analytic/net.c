// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/cluster/goodput.h"
#include "model/analytic/net.h"

#define FLOAT32_BYTES	4

void suo_net_init(struct suo_net *net, const struct suo_cluster *cluster)
{
	*net = (struct suo_net){
		.domain_size	= suo_cluster_domain_size(cluster),
		.elem_bytes	= FLOAT32_BYTES,
		.out		= {
			.rate_mbps	= cluster->out.rate_mbps,
			.endpoint_ps	= cluster->out.latency_ps,
		},
		.mtu_bytes	= cluster->out.mtu_bytes,
	};
	suo_link_on_average(&cluster->up, SUO_UP_SEGMENT_BYTES, &net->up);
}

u64 suo_net_piece(const struct suo_net *net, bool up, u64 bytes, u64 done,
		  u64 *wire_bytes)
{
	u64 most = up ? SUO_UP_SEGMENT_BYTES : net->mtu_bytes;
	u64 piece = bytes - done < most ? bytes - done : most;

	if (up) {
		*wire_bytes = suo_link_wire_bytes(&net->up, piece);
		return piece;
	}

	*wire_bytes = piece + SUO_ROCE_PACKET_BYTES;
	if (!done)
		*wire_bytes += SUO_RETH_LEN;
	if (done + piece == bytes)
		*wire_bytes += SUO_IMM_LEN;
	return piece;
}

u64 suo_net_message_ps(const struct suo_net *net, bool up, u64 bytes)
{
	const struct suo_link_law *law = suo_net_law(net, up);
	u64 first, middle, last, wire, total;
	u64 ps;

	/* All pieces but the first and the last take the same time. */
	first = suo_net_piece(net, up, bytes, 0, &wire);
	ps = suo_link_ser_ps(law, wire);
	total = wire;
	if (first < bytes) {
		middle = (bytes - first - 1) / first;
		last = first + middle * first;
		suo_net_piece(net, up, bytes, last, &wire);
		ps += suo_link_ser_ps(law, wire);
		total += wire;
		if (middle) {
			suo_net_piece(net, up, bytes, first, &wire);
			ps += middle * suo_link_ser_ps(law, wire);
			total += middle * wire;
		}
	}
	if (up)
		ps = suo_max(ps, suo_credit_end_ps(law, total));
	return ps + suo_link_latency_ps(law);
}

u64 suo_net_ack_ps(const struct suo_net *net, bool up)
{
	const struct suo_link_law *law = suo_net_law(net, up);
	u64 wire = up ? suo_link_wire_bytes(law, 0) : SUO_ROCE_ACK_BYTES;

	return suo_link_latency_ps(law) + suo_link_ser_ps(law, wire);
}

u64 suo_net_chunk_len(const struct suo_net *net, u32 nranks)
{
	const struct suo_link_law *law = suo_net_law(net, net->domain_size >= nranks);

	/* Mb/s and ps: 8 * 10^6 to a byte. */
	return suo_mul_div(suo_link_latency_ps(law), law->rate_mbps, 8000000) /
	       net->elem_bytes;
}
