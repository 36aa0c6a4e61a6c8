/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All combinations of some values of some keys. */
#ifndef SUO_CLI_GRID_H
#define SUO_CLI_GRID_H

#include "userspace/cli/variant.h"

#define GRID_MAX_KEYS	16

/**
 * struct suo_axis - a key and its values
 * @key: dotted path
 * @value: array of n
 * @n: number of values
 */
struct suo_axis {
	char	*key;
	char	**value;
	size_t	n;
};

/**
 * struct suo_grid - the grid
 * @axis: array of naxes; the last one changes first
 * @naxes: number of keys
 */
struct suo_grid {
	struct suo_axis	axis[GRID_MAX_KEYS];
	unsigned int	naxes;
};

/**
 * suo_grid_add() - one more key
 * @grid: the grid
 * @text: KEY=VALUE,VALUE,...; a comma in brackets does not divide
 * @why: room for a reason
 * @why_size: its bytes
 *
 * Return: 0, -EINVAL with a reason, -ENOMEM.
 */
int suo_grid_add(struct suo_grid *grid, const char *text, char *why, size_t why_size);

void suo_grid_free(struct suo_grid *grid);

/* Number of points; 1 without keys; UINT64_MAX if they cannot be counted. */
uint64_t suo_grid_points(const struct suo_grid *grid);

/* The changes that make a point. */
void suo_grid_point(const struct suo_grid *grid, uint64_t i,
		    struct suo_change change[GRID_MAX_KEYS]);

#endif /* SUO_CLI_GRID_H */
