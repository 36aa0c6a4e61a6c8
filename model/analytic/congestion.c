// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/analytic/congestion.h"

#define KIB		1024u
#define FIBRE_M_PER_S	1.98e8
#define SMALL_BYTES	64
#define QUANTUM_BYTES	64	/* 512 bits */
#define EULER		0.57721566490153286

double suo_pfc_pause_share(double capacity, double offered)
{
	return offered > capacity ? 1 - capacity / offered : 0;
}

double suo_pfc_victim_rate(double capacity, double offered, double port_rate)
{
	return (1 - suo_pfc_pause_share(capacity, offered)) * port_rate;
}

double suo_pfc_pause_us(double xoff_bytes, double xon_bytes, double rate_MBps,
			double rtt_us)
{
	return (xoff_bytes - xon_bytes) / rate_MBps + rtt_us;
}

void suo_headroom_init(struct suo_headroom *h, uint64_t rate_mbps, double length_m)
{
	*h = (struct suo_headroom){
		.rate_mbps	= rate_mbps,
		.length_m	= length_m,
		.mtu_bytes	= KIB,
		.port_mtu_bytes	= 9100,
		.cell_bytes	= 192,
		.small_percent	= 100,
		.pipeline_bytes	= 19 * KIB,
		.mac_phy_bytes	= 820,
		.lanes		= rate_mbps >= 400000 ? 8 : 4,
	};
}

/* What a peer may take to stop. */
static uint32_t pause_quanta(uint64_t rate_mbps)
{
	static const struct {
		uint64_t	rate_mbps;
		uint32_t	quanta;
	} table[] = {
		{ 400000, 905 }, { 200000, 453 }, { 100000, 394 },
		{ 50000, 147 }, { 40000, 118 }, { 25000, 80 }, { 10000, 67 },
	};

	for (unsigned int i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (rate_mbps >= table[i].rate_mbps)
			return table[i].quanta;
	return 2;
}

static uint64_t whole_kib(double bytes)
{
	return (uint64_t)ceil(bytes / KIB) * KIB;
}

uint64_t suo_pfc_xoff_bytes(const struct suo_headroom *h)
{
	double cell = h->cell_bytes;
	double worst = cell > 2 * SMALL_BYTES ? cell / SMALL_BYTES :
						2 * cell / (1 + cell);
	double occupancy = (100 - h->small_percent + h->small_percent * worst) / 100;
	double cable = 2 * h->length_m * h->rate_mbps * 1e9 / FIBRE_M_PER_S /
		       (8 * KIB);
	double late = h->port_mtu_bytes + cable + 2.0 * h->gearbox_bytes +
		      h->mac_phy_bytes +
		      (double)pause_quanta(h->rate_mbps) * QUANTUM_BYTES;

	return whole_kib(h->mtu_bytes + late * occupancy);
}

uint64_t suo_pfc_headroom_bytes(const struct suo_headroom *h)
{
	uint64_t pipeline = h->pipeline_bytes, more = 0;

	if (h->lanes >= 8) {
		pipeline = 2 * pipeline - KIB;
		more = h->port_mtu_bytes;
	}
	return whole_kib(suo_pfc_xoff_bytes(h) + pipeline + more);
}

void suo_dcqcn_fixed_point(const struct suo_congestion *con, double flows,
			   double rate_mbps, double packet_bytes,
			   struct suo_dcqcn_point *point)
{
	const struct suo_dcqcn_law *d = &con->dcqcn;
	double packet_bits = 8 * packet_bytes;
	double c = rate_mbps * 1e6 / packet_bits;		/* packets a second */
	double ai = d->rp_ai_rate_kbps * 1e3 / packet_bits;
	double tau = d->rp_dce_tcp_rtt_ps * 1e-12;
	double timer = d->rp_time_reset_ps * 1e-12;
	double counter = d->rp_byte_reset_bytes / packet_bytes;
	double pace = 1 / counter + flows / (timer * c);
	double pmax = con->pmax_milli / 1000.0;

	point->mark_share = cbrt(ai * flows * flows / (tau * c * c) * pace * pace);
	if (point->mark_share > 1)
		point->mark_share = 1;
	point->saturated = point->mark_share > pmax;
	point->queue_bytes = con->kmin_bytes + point->mark_share / pmax *
			     (con->kmax_bytes - con->kmin_bytes);
	point->paused = con->lossless && point->queue_bytes > con->xoff_bytes;
}

double suo_loss_gbn_share(double p, double window)
{
	return (1 - p) / (1 - p + p * window);
}

double suo_loss_sr_share(double p)
{
	return 1 - p;
}

double suo_loss_timeout_us(double p, double rto_us)
{
	return p * rto_us;
}

double suo_loss_llr_us(double p, double rtt_us)
{
	return p * rtt_us;
}

double suo_loss_any(double p, double packets)
{
	return -expm1(packets * log1p(-p));
}

double suo_straggler_gaussian(double sigma, double n)
{
	return n > 1 ? sigma * sqrt(2 * log(n)) : 0;
}

double suo_straggler_exponential(double sigma, double n)
{
	double h = 0;

	if (n < 32) {
		for (double i = 1; i <= n; i++)
			h += 1 / i;
	} else {
		h = log(n) + EULER + 1 / (2 * n) - 1 / (12 * n * n);
	}
	return sigma * (h - 1);
}

/* The one-sided chance of what is so small that 1 - chance would lose it. */
static double quantile_above(double n, double q)
{
	return -expm1(log(q) / n);
}

double suo_straggler_gaussian_at(double sigma, double n, double q)
{
	double above = quantile_above(n, q), low = -40, high = 40;

	/* P(X > x) falls: halve until doubles are through. */
	for (int i = 0; i < 80; i++) {
		double x = (low + high) / 2;

		if (erfc(x / M_SQRT2) / 2 > above)
			low = x;
		else
			high = x;
	}
	return sigma * high;
}

double suo_straggler_exponential_at(double sigma, double n, double q)
{
	return sigma * (-log(quantile_above(n, q)) - 1);
}

double suo_straggler_steps(double sigma, double n, double steps, bool pipelined)
{
	return suo_straggler_gaussian(sigma, n) * (pipelined ? sqrt(steps) : steps);
}
