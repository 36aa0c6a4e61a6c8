/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fitting the software constants of a collective library.
 *
 * Unknown are the logarithms of the constants. Least squares of the logarithm of
 * predicted over measured, so that a microsecond and a second count alike, by the
 * trust-region method of GSL; a row that lies far off counts less in the next
 * round (Cauchy weights), so that a disturbed measurement moves nothing.
 *
 * No table says everything. Each constant is therefore held, with a given
 * looseness, to what is known without it: Hopper's to the vendor's; those of the
 * generation before and the one after to Hopper's; of RCCL to RCCL's own tuner; of
 * another transport to those of verbs. A cluster without a sibling gets what it is
 * held to.
 */
#ifndef SUO_CALIBRATE_FIT_H
#define SUO_CALIBRATE_FIT_H

#include "model/calibrate/table.h"

/**
 * suo_cal_fit() - fit constants to tables
 * @data: the tables
 * @without: clusters whose rows are not looked at
 * @nwithout: of them
 * @k: where the constants go
 * @err: what went wrong, in words
 * @len: size of @err
 *
 * Return: 0, -EINVAL if there is nothing to fit to, -EIO if the fit fails, -ENOMEM.
 */
int suo_cal_fit(const struct suo_cal_data *data, const size_t *without,
		size_t nwithout, struct suo_nccl_constants *k, char *err, size_t len);

/**
 * suo_cal_residual() - ln(measured / predicted) of a row
 */
double suo_cal_residual(const struct suo_cal_row *row, const struct suo_nccl_constants *k);

#endif /* SUO_CALIBRATE_FIT_H */
