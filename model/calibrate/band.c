// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "model/calibrate/band.h"
#include "model/calibrate/fit.h"

int suo_cal_spread_add(struct suo_cal_spread *spread,
		       const struct suo_cal_data *data, size_t cluster,
		       const struct suo_nccl_constants *k)
{
	size_t rows = 0;
	void *grown;

	for (size_t i = 0; i < data->nrows; i++)
		rows += data->row[i].cluster == cluster;
	if (!rows)
		return 0;
	grown = reallocarray(spread->residual, spread->n + rows,
			     sizeof(*spread->residual));
	if (!grown)
		return -ENOMEM;
	spread->residual = grown;

	for (size_t i = 0; i < data->nrows; i++)
		if (data->row[i].cluster == cluster)
			spread->residual[spread->n++] = (struct suo_cal_residual){
				.value = suo_cal_residual(&data->row[i], k),
				.weight = 1.0 / rows,
			};
	spread->clusters++;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const struct suo_cal_residual *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* The least value up to which a share q of the weight lies. */
static double quantile(const struct suo_cal_spread *spread, double q)
{
	double sum = 0;

	for (size_t i = 0; i < spread->n; i++) {
		sum += spread->residual[i].weight;
		if (sum >= q * spread->clusters)
			return spread->residual[i].value;
	}
	return spread->residual[spread->n - 1].value;
}

int suo_cal_spread_band(struct suo_cal_spread *spread,
			struct suo_nccl_constants *k)
{
	if (spread->clusters < 2)
		return -EINVAL;
	qsort(spread->residual, spread->n, sizeof(*spread->residual), by_value);
	k->log_p10 = quantile(spread, 0.1);
	k->log_p90 = quantile(spread, 0.9);
	return 0;
}

void suo_cal_spread_free(struct suo_cal_spread *spread)
{
	free(spread->residual);
	*spread = (struct suo_cal_spread){ 0 };
}

int suo_cal_band(const struct suo_cal_data *data, const size_t *without,
		 size_t nwithout, struct suo_nccl_constants *k, char *err,
		 size_t len)
{
	size_t out[SUO_CAL_MAX_WITHOUT + 1];
	struct suo_cal_spread spread = { 0 };
	struct suo_nccl_constants other;
	int ret = 0;

	if (nwithout > SUO_CAL_MAX_WITHOUT) {
		snprintf(err, len, "too many clusters are left out");
		return -EINVAL;
	}
	for (size_t i = 0; i < nwithout; i++)
		out[i] = without[i];

	for (size_t c = 0; c < data->nclusters && !ret; c++) {
		if (suo_cal_listed(c, without, nwithout))
			continue;
		out[nwithout] = c;
		ret = suo_cal_fit(data, out, nwithout + 1, &other, err, len);
		if (ret)
			break;
		ret = suo_cal_spread_add(&spread, data, c, &other);
		if (ret)
			snprintf(err, len, "not enough memory");
	}
	if (!ret) {
		ret = suo_cal_spread_band(&spread, k);
		if (ret)
			snprintf(err, len, "a band needs two clusters and more");
	}
	suo_cal_spread_free(&spread);
	return ret;
}
