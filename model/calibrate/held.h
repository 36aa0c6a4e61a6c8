/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each constant is held to while it is fitted, and how loosely. */
#ifndef SUO_CALIBRATE_HELD_H
#define SUO_CALIBRATE_HELD_H

#include <stddef.h>

#include "model/calibrate/table.h"

/* All constants in a row: of generations first, then of transports. */
#define SUO_CAL_GEN(g, c)	((g) * SUO_NCCL_GEN_CONSTANTS + (c))
#define SUO_CAL_NET(t, c) \
	(SUO_NCCL_GENS * SUO_NCCL_GEN_CONSTANTS + \
	 (t) * SUO_NCCL_NET_CONSTANTS + (c))
#define SUO_CAL_CONSTANTS	SUO_CAL_NET(SUO_NCCL_TRANSPORTS, 0)

/* Constants that one row's time depends on, at most. */
#define SUO_CAL_USED		16

/**
 * struct suo_cal_held - what holds a constant
 * @parent: index of the constant it is held to; -1: to the vendor's value
 * @loose: standard deviation of the logarithm
 */
struct suo_cal_held {
	int	parent;
	double	loose;
};

struct suo_cal_held suo_cal_held(unsigned int constant);

/* Where a constant is kept; and what it is. */
double *suo_cal_constant(struct suo_nccl_constants *k, unsigned int constant);
double suo_cal_value(const struct suo_nccl_constants *k, unsigned int constant);

/**
 * suo_cal_used() - the constants that a row's time depends on
 * @row: the row
 * @pick: what is done there
 * @used: indices
 *
 * Return: how many.
 */
unsigned int suo_cal_used(const struct suo_cal_row *row,
			  const struct suo_nccl_pick *pick,
			  unsigned int used[SUO_CAL_USED]);

#endif /* SUO_CALIBRATE_HELD_H */
