/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Profiles: fitted constants in a file, with what they were fitted to.
 *
 * JSON. "constants" has for each constant its value, how many measurements it was
 * fitted to (0: it is what it is held to) and what it is held to; "fit" has how far
 * off each cluster is after the fit.
 */
#ifndef SUO_CALIBRATE_PROFILE_H
#define SUO_CALIBRATE_PROFILE_H

#include "model/calibrate/table.h"

/**
 * struct suo_cal_score - how far off predictions are
 * @rows: of the cluster
 * @mean_pct: mean of |predicted / measured - 1|
 * @bias_pct: mean of predicted / measured - 1
 * @worst_pct: largest of the first
 * @large_rows: of 64 MiB and more
 * @large_pct: their mean
 * @large_worst_pct: their largest
 * @in_band: rows between the band's ends
 */
struct suo_cal_score {
	size_t	rows;
	double	mean_pct;
	double	bias_pct;
	double	worst_pct;
	size_t	large_rows;
	double	large_pct;
	double	large_worst_pct;
	size_t	in_band;
};

#define SUO_CAL_LARGE_BYTES	(64ull << 20)

/* Score a cluster. */
void suo_cal_score(const struct suo_cal_data *data, size_t cluster,
		   const struct suo_nccl_constants *k,
		   struct suo_cal_score *score);

/**
 * suo_cal_write() - write a profile
 * @path: the file
 * @data: what was fitted to
 * @without: clusters that were not looked at
 * @nwithout: of them
 * @k: the constants
 *
 * Return: 0 or a negative errno.
 */
int suo_cal_write(const char *path, const struct suo_cal_data *data,
		  const size_t *without, size_t nwithout,
		  const struct suo_nccl_constants *k);

/**
 * suo_cal_load() - read a profile
 * @path: the file
 * @k: where the constants go
 * @err: where a fault is told
 * @len: size of @err
 *
 * Return: 0 or a negative errno.
 */
int suo_cal_load(const char *path, struct suo_nccl_constants *k, char *err,
		 size_t len);

/* The constants as a C source, such as model/analytic/nccl_fitted.c. */
void suo_cal_print_source(const struct suo_cal_data *data,
			  const struct suo_nccl_constants *k, FILE *out);

#endif /* SUO_CALIBRATE_PROFILE_H */
