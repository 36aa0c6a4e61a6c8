// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two clusters side by side: single links. */
#include <math.h>

#include "model/analytic/congestion.h"
#include "model/analytic/net.h"
#include "model/cluster/goodput.h"
#include "userspace/cli/compare.h"

#define GBPS_OF_MBPS	(1 / 8000.0)	/* GB/s */

static double up_share(const struct suo_cluster *c, uint32_t bytes)
{
	return (double)bytes / suo_link_wire_bytes(&c->up, bytes);
}

/* An RDMA write: each packet's framing, and where it goes in the first one. */
static double out_share(const struct suo_cluster *c, uint32_t bytes)
{
	uint32_t packets = (bytes + c->out.mtu_bytes - 1) / c->out.mtu_bytes;

	return (double)bytes / (bytes + packets * SUO_ROCE_PACKET_BYTES + SUO_RETH_LEN);
}

json_t *compare_efficiency(const struct contest *contest)
{
	const struct suo_cluster *a = contest->side[0].cluster;
	const struct suo_cluster *b = contest->side[1].cluster;
	json_t *sheet = suo_sheet_new("Payload efficiency",
				      "Payload over bytes on the wire, of one message.",
				      "bytes|A scale-up|B scale-up|A scale-out|B scale-out");

	for (uint32_t bytes = 64; bytes <= 4096; bytes *= 2)
		suo_sheet_add(sheet, "[i, f, f, f, f]", bytes, up_share(a, bytes),
			      up_share(b, bytes), out_share(a, bytes),
			      out_share(b, bytes));
	return sheet;
}

/* A part of the latency by its name, in both. */
static void add_part(json_t *sheet, const char *what, double a_ps, double b_ps)
{
	suo_sheet_add(sheet, "[s, f, f, f]", what, a_ps / 1000, b_ps / 1000,
		      (b_ps - a_ps) / 1000);
}

/* Switches, FEC or cables of the longest path. */
static double out_part(const struct suo_cluster *c, char part)
{
	const struct suo_fabric *fabric = &c->out.fabric;
	double ps = 0;

	if (c->out.latency_given)
		return 0;
	if (fabric->topology == SUO_TOPOLOGY_TORUS)
		return part == 's' ? suo_fabric_path_ps(c, 0) - c->out.endpoint_ps : 0;
	for (uint32_t i = 0; i < fabric->ntiers; i++) {
		const struct suo_tier *t = &fabric->tier[i];

		if (part == 's')
			ps += (i + 1 < fabric->ntiers ? 2 : 1) * t->switch_ps;
		else
			ps += 2 * (part == 'f' ? t->fec_ps : t->propagation_ps);
	}
	return ps;
}

json_t *compare_latency(const struct contest *contest)
{
	const struct suo_cluster *a = contest->side[0].cluster;
	const struct suo_cluster *b = contest->side[1].cluster;
	const struct suo_link_law *ua = &a->up, *ub = &b->up;
	json_t *sheet = suo_sheet_new("One-way latency",
				      "Nanoseconds, port to port; scale-out over the longest path.",
				      "part|A (ns)|B (ns)|B - A (ns)");

	add_part(sheet, "scale-up, both ends", ua->endpoint_ps, ub->endpoint_ps);
	add_part(sheet, "scale-up, switches", (double)ua->stages * ua->switch_ps,
		 (double)ub->stages * ub->switch_ps);
	add_part(sheet, "scale-up, FEC", (ua->stages + 1.0) * ua->fec_ps,
		 (ub->stages + 1.0) * ub->fec_ps);
	add_part(sheet, "scale-up, cables and optics", (ua->stages + 1.0) * ua->propagation_ps,
		 (ub->stages + 1.0) * ub->propagation_ps);
	add_part(sheet, "scale-up, all", suo_link_latency_ps(ua), suo_link_latency_ps(ub));
	add_part(sheet, "scale-out, NICs", a->out.latency_given ? 0 : a->out.endpoint_ps,
		 b->out.latency_given ? 0 : b->out.endpoint_ps);
	add_part(sheet, "scale-out, switches", out_part(a, 's'), out_part(b, 's'));
	add_part(sheet, "scale-out, FEC", out_part(a, 'f'), out_part(b, 'f'));
	add_part(sheet, "scale-out, cables and optics", out_part(a, 'c'), out_part(b, 'c'));
	add_part(sheet, "scale-out, all", a->out.latency_ps, b->out.latency_ps);
	add_part(sheet, "scale-out, same leaf", suo_fabric_path_ps(a, 1),
		 suo_fabric_path_ps(b, 1));
	return sheet;
}

static void lossless_up(json_t *sheet, const struct contender *side)
{
	static const char *const retries[] = {
		[SUO_LINK_NONE] = "no link retry", [SUO_LINK_LLR] = "LLR",
		[SUO_LINK_GBN] = "go-back-N on the link",
	};
	const struct suo_link_law *law = &side->cluster->up;
	double need = law->rate_mbps / 8e6 * law->credit_rtt_ps;
	char what[96];

	snprintf(what, sizeof(what), "%s, %s", law->credit_bytes ?
		 "credits (CBFC)" : "pause (PFC)", retries[law->retry]);
	suo_sheet_add(sheet, "[s, s, s, I, I]", side->letter, "scale-up port", what,
		      (json_int_t)(law->credit_bytes ? need : 0),
		      (json_int_t)(law->credit_bytes ? law->credit_bytes :
						       law->buffer_bytes));
}

static void lossless_out(json_t *sheet, const struct contender *side)
{
	const struct suo_cluster_out *out = &side->cluster->out;
	const struct suo_congestion *con = &out->congestion;

	for (uint32_t i = 0; i < out->fabric.ntiers; i++) {
		const struct suo_tier *t = &out->fabric.tier[i];
		uint64_t need = 0;
		struct suo_headroom h;
		char what[96];

		if (con->lossless) {
			suo_headroom_init(&h, t->rate_mbps, t->length_mm / 1000.0);
			need = suo_pfc_headroom_bytes(&h);
		}
		snprintf(what, sizeof(what), "%s%s", con->lossless ? "pause (PFC)" :
			 "drops", con->ecn ? ", ECN" : "");
		suo_sheet_add(sheet, "[s, s, s, I, I]", side->letter, t->name, what,
			      (json_int_t)need,
			      (json_int_t)(con->headroom_bytes ? con->headroom_bytes :
					   t->buffer_bytes / t->radix));
	}
}

json_t *compare_lossless(const struct contest *contest)
{
	json_t *sheet = suo_sheet_new("How nothing is lost",
				      "Bytes a port and class needs: credits for a round trip, or headroom of PFC by SONiC's formula; and what is there (of a switch's buffer, a port's share).",
				      "side|where|method|needs (B)|has (B)");

	for (int s = 0; s < 2; s++) {
		lossless_up(sheet, &contest->side[s]);
		lossless_out(sheet, &contest->side[s]);
	}
	return sheet;
}

/* There and back between a NIC and its switch, or what comes near it. */
static double hop_rtt_us(const struct suo_cluster *c)
{
	double ps = suo_fabric_path_ps(c, 1);

	if (!c->out.latency_given)
		ps -= c->out.endpoint_ps;
	return 2 * ps / 1e6;
}

json_t *compare_pauses(const struct contest *contest)
{
	static const double senders[] = { 2, 4, 8, 32 };
	json_t *sheet = suo_sheet_new("What pauses do",
				      "So many NICs send to one, without congestion control: share of the time that each is paused, what is left for another flow of theirs, and how long a pause is.",
				      "side|senders|paused (%)|victim (GB/s)|pause (us)");

	for (int s = 0; s < 2; s++) {
		const struct contender *side = &contest->side[s];
		const struct suo_cluster_out *out = &side->cluster->out;
		const struct suo_congestion *con = &out->congestion;
		double nic = out->rate_mbps / 8.0;	/* bytes a microsecond */

		if (!con->lossless) {
			suo_sheet_add(sheet, "[s, n, n, n, n]", side->letter);
			continue;
		}
		for (size_t i = 0; i < sizeof(senders) / sizeof(senders[0]); i++) {
			double offered = senders[i] * nic;

			suo_sheet_add(sheet, "[s, f, f, f, f]", side->letter, senders[i],
				      100 * suo_pfc_pause_share(nic, offered),
				      suo_pfc_victim_rate(nic, offered, nic) / 1000,
				      suo_pfc_pause_us(con->xoff_bytes, con->xon_bytes,
						       nic, hop_rtt_us(side->cluster)));
		}
	}
	return sheet;
}

json_t *compare_dcqcn(const struct contest *contest)
{
	static const double flows[] = { 2, 8, 32, 128 };
	json_t *sheet = suo_sheet_new("Where DCQCN comes to rest",
				      "Flows that share a NIC's link: packets marked, queue, and what decides then.",
				      "side|flows|marked (%)|queue (B)|regime");

	for (int s = 0; s < 2; s++) {
		const struct contender *side = &contest->side[s];
		const struct suo_cluster_out *out = &side->cluster->out;

		if (!out->congestion.dcqcn_on) {
			suo_sheet_add(sheet, "[s, n, n, n, s]", side->letter,
				      "no DCQCN in the file");
			continue;
		}
		for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
			struct suo_dcqcn_point point;

			suo_dcqcn_fixed_point(&out->congestion, flows[i],
					      out->rate_mbps, out->mtu_bytes +
					      SUO_ROCE_PACKET_BYTES, &point);
			suo_sheet_add(sheet, "[s, f, f, f, s]", side->letter, flows[i],
				      100 * point.mark_share, point.queue_bytes,
				      point.paused ? "PFC pauses" :
				      point.saturated ? "above Kmax" : "ECN");
		}
	}
	return sheet;
}

static double up_goodput(const struct suo_cluster *c, uint64_t errors)
{
	struct suo_link_law law = c->up;

	law.errors_per_pbit = errors;
	return suo_goodput_mbps(&law, SUO_UP_SEGMENT_BYTES) * GBPS_OF_MBPS;
}

/* Frames with errors are dropped; the transport repeats. */
static double out_goodput(const struct suo_cluster *c, double ber)
{
	const struct suo_cluster_out *out = &c->out;
	double packet = out->mtu_bytes + SUO_ROCE_PACKET_BYTES;
	double p = -expm1(-8 * packet * ber);
	double rate = out->rate_mbps / 8000.0;	/* bytes a nanosecond */
	double window = 1 + 2 * (out->latency_ps / 1000.0) * rate / packet;
	double share = out->congestion.retry == SUO_RETRY_SR ?
		       suo_loss_sr_share(p) : suo_loss_gbn_share(p, window);

	return rate * share * out->mtu_bytes / packet;
}

json_t *compare_goodput(const struct contest *contest)
{
	static const uint64_t errors[] = {	/* of 10^15 bits */
		0, 1, 1000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000,
	};
	const struct suo_cluster *a = contest->side[0].cluster;
	const struct suo_cluster *b = contest->side[1].cluster;
	json_t *sheet = suo_sheet_new("Goodput against bit-error rate",
				      "GB/s of an accelerator's port and of a NIC, after error correction: what retries leave.",
				      "bit-error rate|A scale-up|B scale-up|A scale-out|B scale-out");

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		double ber = errors[i] / 1e15;

		suo_sheet_add(sheet, "[f, f, f, f, f]", ber, up_goodput(a, errors[i]),
			      up_goodput(b, errors[i]), out_goodput(a, ber),
			      out_goodput(b, ber));
	}
	return sheet;
}
