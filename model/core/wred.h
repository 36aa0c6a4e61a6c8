/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random early detection, as switches use it to mark (ECN) or to drop: Floyd and
 * Jacobson, "Random early detection gateways for congestion avoidance", 1993, with
 * the curve of Zhu et al., "Congestion control for large-scale RDMA deployments",
 * SIGCOMM 2015, equation 5.
 */
#ifndef SUO_CORE_WRED_H
#define SUO_CORE_WRED_H

#include "types.h"

#define SUO_WRED_PPM		1000000u
#define SUO_WRED_MAX_WEIGHT	15	/* of SAI_WRED_ATTR_WEIGHT */

/**
 * struct suo_wred_law - the curve of one class
 * @kmin_bytes: up to here nothing is hit
 * @kmax_bytes: above here everything is; not below @kmin_bytes
 * @pmax_ppm: probability at @kmax_bytes, in millionths, up to 10^6
 * @weight: the depth that counts moves by 1 / 2^weight of its distance to the
 *	queue's with each packet, SAI_WRED_ATTR_WEIGHT; 0: it is the queue's
 */
struct suo_wred_law {
	u64	kmin_bytes;
	u64	kmax_bytes;
	u32	pmax_ppm;
	u32	weight;
};

/**
 * struct suo_wred - the state of one queue
 * @average_q16: the depth that counts, bytes times 2^16
 * @random: state of the generator; what it begins with is its seed
 */
struct suo_wred {
	u64	average_q16;
	u64	random;
};

/**
 * suo_wred_threshold() - the probability at a depth, as a number to draw below
 * @law: the curve
 * @depth_bytes: the depth that counts
 *
 * Return: p times 2^64, at most 2 too little; U64_MAX stands for 1.
 */
u64 suo_wred_threshold(const struct suo_wred_law *law, u64 depth_bytes);

/**
 * suo_wred_hit() - is this packet marked, or dropped if it cannot be?
 * @law: the curve
 * @queue: the queue's state
 * @depth_bytes: what the queue holds
 *
 * The chance is that of the curve to within 2^-63; hits are independent.
 */
bool suo_wred_hit(const struct suo_wred_law *law, struct suo_wred *queue,
		  u64 depth_bytes);

#endif /* SUO_CORE_WRED_H */
