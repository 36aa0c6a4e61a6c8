// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/analytic/balls.h"

#define FEW	64	/* flows x links: exact counting is quick */

/* Central moments of a Poisson number that is at most x, and the chance of that. */
struct truncated {
	double	chance;
	double	mean;
	double	m2;
	double	m3;
	double	m4;
};

static void truncate_poisson(double mean, uint32_t most, struct truncated *t)
{
	double mode = floor(mean), term, sum = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
	double from = fmax(0, mode - 40 - 12 * sqrt(mean));

	/* About the mean, so that no digits cancel. */
	term = exp(from * log(mean) - mean - lgamma(from + 1));
	for (double i = from; i <= most; i++) {
		double d = i - mean;

		sum += term;
		s1 += term * d;
		s2 += term * d * d;
		s3 += term * d * d * d;
		s4 += term * d * d * d * d;
		if (i > mean && term < 1e-30)
			break;
		term *= mean / (i + 1);
	}
	t->chance = sum < 1 ? sum : 1;
	s1 /= sum;
	s2 /= sum;
	s3 /= sum;
	s4 /= sum;
	t->mean = mean + s1;
	t->m2 = s2 - s1 * s1;
	t->m3 = s3 - 3 * s1 * s2 + 2 * s1 * s1 * s1;
	t->m4 = s4 - 4 * s1 * s3 + 6 * s1 * s1 * s2 - 3 * s1 * s1 * s1 * s1;
}

/* What takes no reckoning: too many flows for the links, or too few for one. */
static bool is_certain(uint32_t flows, uint32_t links, uint32_t most, double *p)
{
	*p = links ? most >= flows : !flows;
	return !links || most >= flows || (uint64_t)most * links < flows;
}

double suo_balls_about(uint32_t flows, uint32_t links, uint32_t most)
{
	double n = flows, m = links, z, skew, kurtosis, series, p;
	struct truncated t;

	if (is_certain(flows, links, most, &p))
		return p;
	truncate_poisson(n / m, most, &t);
	if (!(t.m2 > 0) || !(t.chance > 0))
		return 0;
	z = (n - m * t.mean) / sqrt(m * t.m2);
	skew = t.m3 / pow(t.m2, 1.5) / sqrt(m);
	kurtosis = (t.m4 / (t.m2 * t.m2) - 3) / m;
	series = 1 + skew / 6 * (z * z * z - 3 * z) +
		 kurtosis / 24 * (z * z * z * z - 6 * z * z + 3) +
		 skew * skew / 72 * (pow(z, 6) - 15 * pow(z, 4) + 45 * z * z - 15);
	/* n! e^n / n^n by Stirling, over the density of the sum. */
	p = exp(m * log(t.chance) - z * z / 2) * series *
	    sqrt(n / (m * t.m2)) * (1 + 1 / (12 * n));
	return p < 0 ? 0 : p > 1 ? 1 : p;
}

/*
 * Links one after another: at[j] is the chance that the first few links took j
 * flows, none more than x, times what keeps it in range. Of the flows that are left,
 * a link takes a binomial number, which is the same as the coefficient above.
 */
static double exact(uint32_t n, uint32_t links, uint32_t most)
{
	double at[SUO_BALLS_EXACT + 1] = { 0 }, next[SUO_BALLS_EXACT + 1];
	double sum = 0;

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
	for (uint32_t j = 0; j <= most && j <= n; j++)
		sum += at[j];
	return sum < 1 ? sum : 1;
}

double suo_balls_at_most(uint32_t flows, uint32_t links, uint32_t most)
{
	double p;

	if (flows > SUO_BALLS_EXACT)
		return suo_balls_about(flows, links, most);
	if (is_certain(flows, links, most, &p))
		return p;
	return exact(flows, links, most);
}

uint32_t suo_balls_max(uint32_t flows, uint32_t links, uint64_t groups,
		       double quantile)
{
	double wanted = pow(quantile, 1.0 / (groups ? groups : 1));
	uint32_t low, high = flows;
	bool about;

	if (!flows || !links)
		return 0;
	low = suo_spray_max(flows, links);
	about = (uint64_t)flows * links > FEW;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		double p = about ? suo_balls_about(flows, links, middle) :
				   suo_balls_at_most(flows, links, middle);

		if (p >= wanted)
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
