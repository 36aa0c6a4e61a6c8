/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far a cluster that was not seen may lie off: by trying it on the others. */
#ifndef SUO_CALIBRATE_BAND_H
#define SUO_CALIBRATE_BAND_H

#include "model/calibrate/table.h"

/**
 * struct suo_cal_spread - residuals of clusters, each predicted without itself
 * @residual: ln(measured / predicted), with its weight
 * @n: of them
 * @clusters: that they are of
 */
struct suo_cal_spread {
	struct suo_cal_residual {
		double	value;
		double	weight;
	}	*residual;
	size_t	n;
	size_t	clusters;
};

/**
 * suo_cal_spread_add() - add a cluster
 * @spread: zeroed before the first
 * @data: the tables
 * @cluster: its index
 * @k: constants that were not fitted to it
 *
 * Each cluster weighs the same, however many rows it has: what is asked for is how
 * far the next cluster lies off, not the next row.
 *
 * Return: 0 or -ENOMEM.
 */
int suo_cal_spread_add(struct suo_cal_spread *spread,
		       const struct suo_cal_data *data, size_t cluster,
		       const struct suo_nccl_constants *k);

/* Set the band of constants, from two clusters and more. Return: 0 or -EINVAL. */
int suo_cal_spread_band(struct suo_cal_spread *spread,
			struct suo_nccl_constants *k);

void suo_cal_spread_free(struct suo_cal_spread *spread);

/**
 * suo_cal_band() - the 10-90 band, leaving out one cluster at a time
 * @data: the tables
 * @without: clusters that are not looked at
 * @nwithout: of them, at most SUO_CAL_MAX_WITHOUT
 * @k: log_p10 and log_p90 are set
 * @err: what went wrong, in words
 * @len: size of @err
 *
 * Return: 0, -EINVAL if there are not two other clusters, or as suo_cal_fit().
 */
int suo_cal_band(const struct suo_cal_data *data, const size_t *without,
		 size_t nwithout, struct suo_nccl_constants *k, char *err,
		 size_t len);

#define SUO_CAL_MAX_WITHOUT	8

#endif /* SUO_CALIBRATE_BAND_H */
