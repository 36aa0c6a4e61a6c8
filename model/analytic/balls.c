// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <string.h>

#include "model/analytic/balls.h"

/* P(Poisson <= x), for a mean */
static double poisson_at_most(double mean, uint32_t most)
{
	double term = exp(-mean), sum = term;

	/* Large means underflow: then the terms are taken by their logarithm. */
	if (term > 0) {
		for (uint32_t i = 1; i <= most; i++) {
			term *= mean / i;
			sum += term;
		}
		return sum < 1 ? sum : 1;
	}
	sum = 0;
	for (uint32_t i = 0; i <= most; i++)
		sum += exp(i * log(mean) - mean - lgamma(i + 1.0));
	return sum < 1 ? sum : 1;
}

/*
 * Links one after another: at[j] is the chance that the first few links took j
 * flows, none more than x, times what keeps it in range. Of the flows that are left,
 * a link takes a binomial number, which is the same as the coefficient above.
 */
static double exact(uint32_t n, uint32_t links, uint32_t most)
{
	double at[SUO_BALLS_EXACT + 1] = { 0 }, next[SUO_BALLS_EXACT + 1];

	at[n] = 1;		/* by the number of flows that are left */
	for (uint32_t left = links; left > 1; left--) {
		double p = 1.0 / left, odds = p / (1 - p);

		memset(next, 0, sizeof(next));
		for (uint32_t j = 0; j <= n; j++) {
			double chance;

			if (!(at[j] > 0))
				continue;
			chance = at[j] * pow(1 - p, j);
			for (uint32_t i = 0; i <= most && i <= j; i++) {
				next[j - i] += chance;
				chance *= odds * (j - i) / (i + 1);
			}
		}
		memcpy(at, next, sizeof(at));
	}
	/* The last link takes what is left. */
	{
		double sum = 0;

		for (uint32_t j = 0; j <= most && j <= n; j++)
			sum += at[j];
		return sum < 1 ? sum : 1;
	}
}

double suo_balls_at_most(uint32_t flows, uint32_t links, uint32_t most)
{
	if (!links)
		return flows ? 0 : 1;
	if ((uint64_t)most * links < flows)
		return 0;
	if (most >= flows)
		return 1;
	if (flows <= SUO_BALLS_EXACT)
		return exact(flows, links, most);
	return pow(poisson_at_most((double)flows / links, most), links);
}

uint32_t suo_balls_max(uint32_t flows, uint32_t links, uint64_t groups,
		       double quantile)
{
	double wanted = pow(quantile, 1.0 / (groups ? groups : 1));
	uint32_t low, high = flows;

	if (!flows || !links)
		return 0;
	low = flows / links + !!(flows % links);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (suo_balls_at_most(flows, links, middle) >= wanted)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double suo_balls_mean(uint32_t flows, uint32_t links)
{
	double mean = 0, above;

	if (!flows || !links)
		return 0;
	/* E[X] = sum P(X > x) */
	for (uint32_t x = 0; x < flows; x++) {
		above = 1 - suo_balls_at_most(flows, links, x);
		if (above < 1e-9 && x >= flows / links)
			break;
		mean += above;
	}
	return mean;
}

uint32_t suo_spray_max(uint32_t flows, uint32_t links)
{
	return links ? flows / links + !!(flows % links) : 0;
}

double suo_spray_reorder_bytes(double skew_us, double rate)
{
	return skew_us * rate;
}
