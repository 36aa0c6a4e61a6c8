// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two clusters side by side: hash collisions and stragglers. */
#include <inttypes.h>
#include <math.h>

#include "model/analytic/congestion.h"
#include "userspace/cli/compare.h"

#define P50	0.5
#define P99	0.99

/* What the slowest flow gets of its NIC, in percent. */
static double slowest(const struct suo_cluster *c, double quantile, bool ring)
{
	struct suo_machine m;
	unsigned int top;

	suo_machine_init(&m, c, 0, quantile);
	top = m.levels - 1;
	return 100 * (ring ? m.ring_cross[top] : m.cross[top]) / m.out.rate;
}

json_t *compare_balance(const struct contest *contest)
{
	json_t *sheet = suo_sheet_new("Load balance",
				      "Percent of its rate that the slowest NIC gets where all send over the top of the fabric, or only neighbours on a ring; in the median and in the worst of a hundred runs.",
				      "side|method|all, p50 (%)|all, p99 (%)|ring, p50 (%)|ring, p99 (%)");

	for (int s = 0; s < 2; s++) {
		struct suo_cluster c = *contest->side[s].cluster;
		enum suo_balancing as_is = c.out.fabric.balancing;

		for (unsigned int b = 0; b < SUO_BALANCES; b++) {
			char method[64];

			c.out.fabric.balancing = b;
			snprintf(method, sizeof(method), "%s, %" PRIu32 " queue pairs%s",
				 suo_balancing_names[b], c.out.fabric.queue_pairs,
				 b == as_is ? " (file)" : "");
			suo_sheet_add(sheet, "[s, s, f, f, f, f]",
				      contest->side[s].letter, method,
				      slowest(&c, P50, false), slowest(&c, P99, false),
				      slowest(&c, P50, true), slowest(&c, P99, true));
		}
	}
	return sheet;
}

/* How much longer an AllReduce takes if its steps wait for the slowest. */
static double with_jitter(const struct suo_predictor *p, double jitter_us, double bytes)
{
	struct suo_predictor late = *p;
	double calm;

	late.machine.jitter_us = 0;
	calm = suo_predict_us(&late, SUO_WORK_ALLREDUCE, bytes);
	late.machine.jitter_us = jitter_us;
	return suo_predict_us(&late, SUO_WORK_ALLREDUCE, bytes) - calm;
}

json_t *compare_stragglers(const struct contest *contest)
{
	const struct suo_workload_opts *w = &contest->work;
	double sigma = contest->jitter_us;
	char note[256];
	json_t *sheet;

	snprintf(note, sizeof(note), "Microseconds that the slowest rank of a step is late, if one is off by %g us (deviation of a Gaussian, mean of an exponential), in the worst of a hundred steps; and what that adds to an AllReduce of 64 KiB.",
		 sigma);
	sheet = suo_sheet_new("Stragglers", note,
			      "ranks|Gaussian p99 (us)|exponential p99 (us)|A AllReduce (us)|B AllReduce (us)");
	for (unsigned int n = 0; n < w->nranks; n++) {
		double more[2] = { 0 };

		for (int s = 0; s < 2; s++) {
			struct suo_predictor p;
			struct suo_cluster *c;

			if (!contender_at(&contest->side[s], w->ranks[n], &p, &c))
				continue;
			more[s] = with_jitter(&p, sigma, 1 << 16);
			suo_cluster_free(c);
		}
		suo_sheet_add(sheet, "[i, f, f, f, f]", w->ranks[n],
			      suo_straggler_gaussian_at(sigma, w->ranks[n], P99),
			      suo_straggler_exponential_at(sigma, w->ranks[n], P99),
			      more[0], more[1]);
	}
	return sheet;
}
