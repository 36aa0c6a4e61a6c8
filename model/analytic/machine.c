// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>

#include "model/analytic/balls.h"
#include "model/analytic/congestion.h"
#include "model/analytic/machine.h"
#include "model/analytic/net.h"
#include "model/cluster/goodput.h"

#define PS_PER_US	1e6
#define MBPS_PER_BYTE_US 8.0	/* Mb/s in a byte a microsecond */

static double us(uint64_t ps)
{
	return ps / PS_PER_US;
}

/* Framing of a link law; what errors and credits leave of its rate. */
static void init_up(struct suo_wire *wire, const struct suo_link_law *law)
{
	double payload = law->max_payload_bytes ? law->max_payload_bytes :
						  SUO_UP_SEGMENT_BYTES;
	double packets = 4096, credit;
	double whole = suo_link_wire_bytes(law, packets * payload) / packets;

	wire->per_byte = whole / payload;
	wire->header = law->header_bytes;
	wire->least = suo_link_wire_bytes(law, 1);
	wire->latency_us = us(suo_link_latency_ps(law));
	wire->rate = law->rate_mbps / MBPS_PER_BYTE_US *
		     suo_retry_share(law, SUO_UP_SEGMENT_BYTES);
	if (law->credit_bytes && law->credit_rtt_ps) {
		credit = law->credit_bytes / us(law->credit_rtt_ps);
		wire->rate = fmin(wire->rate, credit);
	}
}

/*
 * What a NIC's flow gets on the links above a tier, if so many flows of a switch
 * choose among them: its own rate, or a share of the most loaded link. All queue
 * pairs of a message must end, so the slowest decides.
 */
static double crossing_rate(const struct suo_cluster *c,
			    const struct suo_tier *tier, double nics,
			    double nic_rate, double quantile)
{
	const struct suo_fabric *fabric = &c->out.fabric;
	double link = tier->up_rate_mbps / MBPS_PER_BYTE_US;
	double flows = nics * fabric->queue_pairs;
	double most, rate;

	if (!tier->up || nics <= 0)
		return nic_rate;
	if (fabric->balancing == SUO_BALANCE_ECMP)
		most = suo_balls_max(fmin(flows, UINT32_MAX / 2), tier->up,
				     tier->count, quantile);
	else
		most = flows / tier->up;	/* packets level it out */
	rate = fabric->queue_pairs * link / most;
	return fmin(nic_rate, rate);
}

/* NICs of a switch of a tier whose ring neighbours are beyond it. */
static double ring_nics(const struct suo_cluster *c)
{
	const struct suo_fabric *fabric = &c->out.fabric;

	/* A leaf of one rail is left by one ring; any other by each NIC's. */
	return fabric->rails > 1 ? 1 : c->out.host_nics;
}

static void init_fabric(struct suo_machine *m, const struct suo_cluster *c,
			double nic_rate, double share, double quantile)
{
	const struct suo_fabric *fabric = &c->out.fabric;
	double all = nic_rate, ring = nic_rate, nics;

	m->levels = fabric->ntiers ? fabric->ntiers : 1;
	m->out_reduce = fabric->ntiers && fabric->tier[m->levels - 1].reduce;
	for (unsigned int i = 0; i < m->levels; i++) {
		const struct suo_tier *tier = &fabric->tier[i];

		m->path_us[i] = us(suo_fabric_path_ps(c, i + 1));
		m->cross[i] = all * share;
		m->ring_cross[i] = ring * share;
		m->reach[i] = INFINITY;
		if (i + 1 == m->levels)
			break;
		/* A switch without rails has all NICs of a host on it. */
		m->reach[i] = fmax(1, (double)tier->reach / c->domain_hosts /
				   (fabric->rails > 1 ? 1 : c->out.host_nics));
		m->out_reduce = m->out_reduce && tier->reduce;
		/* Each NIC's flow goes through one switch of a tier. */
		nics = ceil((double)fabric->endpoints / tier->count);
		all = fmin(all, crossing_rate(c, tier, nics, nic_rate, quantile));
		ring = fmin(ring, crossing_rate(c, tier, fmin(ring_nics(c), nics),
						nic_rate, quantile));
	}
}

/* Accelerators on a torus pass on what is not for them: mean distance. */
static double torus_hops(const struct suo_fabric *fabric)
{
	double hops = 0;

	for (uint32_t i = 0; i < fabric->ndims; i++)
		hops += fabric->dim[i] / 4.0;
	return fmax(1, hops);
}

static void init_loss(struct suo_machine *m, const struct suo_cluster *c,
		      double nic_rate)
{
	const struct suo_congestion *con = &c->out.congestion;
	double p = con->loss_per_peta / 1e15;
	double packet = c->out.mtu_bytes + SUO_ROCE_PACKET_BYTES;
	double rtt = 2 * us(c->out.latency_ps);
	double window = 1 + rtt * nic_rate / packet;

	m->goodput = con->retry == SUO_RETRY_SR ? suo_loss_sr_share(p) :
						  suo_loss_gbn_share(p, window);
	m->loss_us = suo_loss_timeout_us(p, us(con->rto_ps));
}

static void init_out(struct suo_machine *m, const struct suo_cluster *c,
		     double quantile)
{
	const struct suo_cluster_out *out = &c->out;
	double nic = out->rate_mbps / MBPS_PER_BYTE_US;
	double share = (double)out->host_nics / c->accels;

	if (out->nic)
		nic = fmin(nic, out->nic->host_mbps.value / MBPS_PER_BYTE_US);
	init_loss(m, c, nic);
	nic *= m->goodput;
	init_fabric(m, c, nic, share, quantile);
	if (out->fabric.topology == SUO_TOPOLOGY_TORUS)
		m->cross[0] /= torus_hops(&out->fabric);
	m->out.rate = nic * share;
	m->out.per_byte = 1 + (double)SUO_ROCE_PACKET_BYTES / out->mtu_bytes;
	m->out.header = SUO_ROCE_PACKET_BYTES;
	m->out.least = SUO_ROCE_PACKET_BYTES;
	m->out.latency_us = m->path_us[0];
	if (out->nic)
		m->nic_us = 1e3 / out->nic->kmessages.value / share;
}

int suo_machine_init(struct suo_machine *m, const struct suo_cluster *c,
		     uint32_t ranks, double quantile)
{
	uint32_t g = suo_cluster_domain_size(c);

	if (!ranks)
		ranks = suo_cluster_ranks(c);
	if (ranks > suo_cluster_ranks(c) || (ranks > g && ranks % g))
		return -EINVAL;
	*m = (struct suo_machine){
		.ranks		= ranks,
		.domain		= ranks < g ? ranks : g,
		.domains	= ranks < g ? 1 : ranks / g,
		.rails		= c->out.fabric.rails,
		.up_reduce	= c->up_reduce,
		.launch_us	= us(c->software.launch_ps),
		.step_us	= us(c->software.step_ps),
		.reduce_rate	= c->software.reduce_mbps / MBPS_PER_BYTE_US,
		.jitter_us	= us(c->software.jitter_ps),
	};
	init_up(&m->up, &c->up);
	init_out(m, c, quantile);
	return 0;
}

unsigned int suo_machine_level(const struct suo_machine *m, double distance)
{
	unsigned int i = 0;

	while (i + 1 < m->levels && distance >= m->reach[i])
		i++;
	return i;
}

double suo_machine_ring_path_us(const struct suo_machine *m)
{
	unsigned int top = suo_machine_level(m, m->domains - 1);
	double path_us = m->path_us[0];

	for (unsigned int i = 0; i < top; i++)
		path_us += (m->path_us[i + 1] - m->path_us[i]) / m->reach[i];
	return path_us;
}
