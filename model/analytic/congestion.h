/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What pausing, marking and losing cost: closed forms. */
#ifndef SUO_ANALYTIC_CONGESTION_H
#define SUO_ANALYTIC_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cluster/fabric.h"

/*
 * PFC. A port of capacity C that is sent more: its senders are paused for a share
 * phi = 1 - C / sum of what they would send. What shares an ingress port with them
 * (a victim) gets (1 - phi) of that port.
 */
double suo_pfc_pause_share(double capacity, double offered);
double suo_pfc_victim_rate(double capacity, double offered, double port_rate);

/*
 * How long a pause is: until the queue has gone from xoff to xon, and the word has
 * got through: (xoff - xon) / C + RTT.
 */
double suo_pfc_pause_us(double xoff_bytes, double xon_bytes, double rate_MBps,
			double rtt_us);

/**
 * struct suo_headroom - what a port must be able to store after it said stop
 * @rate_mbps: of the port
 * @length_m: of the cable
 * @mtu_bytes: largest frame of the lossless class
 * @port_mtu_bytes: largest frame of the port
 * @cell_bytes: the buffer is given out in cells
 * @small_percent: of the packets that are small (64 bytes)
 * @pipeline_bytes: that the switch takes in before it can say stop
 * @mac_phy_bytes: in MAC and PHY
 * @gearbox_bytes: in a gearbox
 * @lanes: of the port; with 8, another frame may be under way
 */
struct suo_headroom {
	uint64_t	rate_mbps;
	double		length_m;
	uint32_t	mtu_bytes;
	uint32_t	port_mtu_bytes;
	uint32_t	cell_bytes;
	uint32_t	small_percent;
	uint32_t	pipeline_bytes;
	uint32_t	mac_phy_bytes;
	uint32_t	gearbox_bytes;
	uint32_t	lanes;
};

/* Figures of Spectrum in SONiC, for a port and its cable. */
void suo_headroom_init(struct suo_headroom *h, uint64_t rate_mbps, double length_m);

/**
 * suo_pfc_xoff_bytes() - bytes that may still come, as SONiC reckons
 * @h: the port
 *
 * Return: mtu + occupancy (port mtu + cable + 2 gearbox + mac/phy + response), in
 * whole KiB, with cable = 2 L R 10^9 / (1.98 10^8 8 1024), R in Mb/s, response the
 * quanta that IEEE 802.3 annex 31B allows a peer, 64 bytes each, and occupancy what
 * cells make of small packets. sonic-swss, cfgmgr/buffer_headroom_mellanox.lua.
 */
uint64_t suo_pfc_xoff_bytes(const struct suo_headroom *h);

/* And the whole headroom: with the pipeline's bytes, and a frame more for 8 lanes. */
uint64_t suo_pfc_headroom_bytes(const struct suo_headroom *h);

/**
 * struct suo_dcqcn_point - where DCQCN comes to rest
 * @mark_share: p*, of the packets that are marked
 * @queue_bytes: q*
 * @paused: q* is above the threshold of PFC: pauses decide, not marks
 * @saturated: more than Pmax would be needed: the queue goes above Kmax
 */
struct suo_dcqcn_point {
	double	mark_share;
	double	queue_bytes;
	bool	paused;
	bool	saturated;
};

/**
 * suo_dcqcn_fixed_point() - N flows that share a link
 * @con: thresholds and parameters
 * @flows: N
 * @rate_mbps: C, of the link
 * @packet_bytes: of a packet on the wire
 * @point: where the result goes
 *
 * p* = cbrt(R_AI N^2 / (tau' C^2) (1 / B + N / (T C))^2), in packets and seconds,
 * q* = Kmin + p* (Kmax - Kmin) / Pmax: Zhu et al., ECN or Delay, CoNEXT 2016,
 * after their fluid model of SIGCOMM 2015.
 */
void suo_dcqcn_fixed_point(const struct suo_congestion *con, double flows,
			   double rate_mbps, double packet_bytes,
			   struct suo_dcqcn_point *point);

/*
 * Loss. p: chance that a packet is lost; W: packets under way. What is left of the
 * rate with go-back-N: (1 - p) / (1 - p + p W); with selective repeat: 1 - p.
 * Bertsekas and Gallager, Data Networks, 2nd edition, 1992, 2.4.
 */
double suo_loss_gbn_share(double p, double window);
double suo_loss_sr_share(double p);

/* The loss of a message's last packet is only seen when the timer ends: p RTO. */
double suo_loss_timeout_us(double p, double rto_us);

/* A link that repeats by itself: each packet waits p RTT more, on average. */
double suo_loss_llr_us(double p, double rtt_us);

/* Chance that any of so many packets has to be sent again: 1 - (1 - p)^n. */
double suo_loss_any(double p, double packets);

/*
 * Stragglers: what the slowest of N has more than the mean. Gaussian of deviation
 * sigma: sigma sqrt(2 ln N); exponential of mean sigma: sigma (H_N - 1), H_N the
 * N-th harmonic number. David and Nagaraja, Order Statistics, 2003.
 */
double suo_straggler_gaussian(double sigma, double n);
double suo_straggler_exponential(double sigma, double n);

/*
 * What the slowest of N has more than the mean, at a quantile q: F^-1(q^(1/N)) of the
 * one's own distribution, as all N are below with q.
 */
double suo_straggler_gaussian_at(double sigma, double n, double q);
double suo_straggler_exponential_at(double sigma, double n, double q);

/*
 * Steps that each wait for everybody add up; a pipelined ring sees the maximum of
 * sums instead: sqrt(steps) of it.
 */
double suo_straggler_steps(double sigma, double n, double steps, bool pipelined);

#endif /* SUO_ANALYTIC_CONGESTION_H */
