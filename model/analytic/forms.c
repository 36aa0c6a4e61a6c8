// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stddef.h>

#include "model/analytic/forms.h"

#define MAX_PARTS	1048576.0	/* 2^20 */

struct suo_form suo_form_ring_allreduce(double n, double bytes)
{
	return (struct suo_form){ 2 * (n - 1), 2 * (n - 1) / n * bytes };
}

struct suo_form suo_form_ring_gather(double n, double bytes)
{
	return (struct suo_form){ n - 1, (n - 1) / n * bytes };
}

/* log2 of a number of ranks, rounded down; exact for all that a cluster can have. */
static unsigned int floor_log2(double n)
{
	return n < 2 ? 0 : 31 - __builtin_clz((unsigned int)n);
}

struct suo_form suo_form_rhd_allreduce(double n, double bytes)
{
	unsigned int log = floor_log2(n);
	double core = 1u << log;
	struct suo_form form = { 2.0 * log, 2 * (core - 1) / core * bytes };

	if (core < n) {
		form.steps += 2;
		form.bytes += 2 * bytes;
	}
	return form;
}

struct suo_form suo_form_direct_allreduce(double n, double bytes)
{
	return (struct suo_form){ n > 1 ? 2 : 0, 2 * (n - 1) / n * bytes };
}

struct suo_form suo_form_oneshot_allreduce(double n, double bytes)
{
	return (struct suo_form){ n > 1 ? 1 : 0, (n - 1) * bytes };
}

/* ceil(log2 (N + 1)) */
static double tree_height(double n)
{
	return floor_log2(n) + 1;
}

struct suo_form suo_form_two_trees(double n, double bytes, double parts)
{
	double steps = 2 * (2 * tree_height(n) + parts - 1);

	if (n <= 1)
		return (struct suo_form){ 0, 0 };
	return (struct suo_form){ steps, steps * bytes / parts };
}

double suo_form_two_trees_parts(double n, double bytes, double alpha_us, double rate)
{
	double parts = sqrt((2 * tree_height(n) - 1) * bytes / rate / alpha_us);

	return parts > 1 ? parts : 1;
}

struct suo_form suo_form_in_network(double bytes, double eta)
{
	return (struct suo_form){ 2, bytes / eta };
}

double suo_form_pipelined(const struct suo_stage *stage, unsigned int n,
			  double parts, unsigned int *busiest)
{
	double turn[SUO_MAX_RESOURCES] = { 0 };
	double sum = 0, most = 0;
	unsigned int which = 0;

	for (unsigned int i = 0; i < n; i++) {
		double us = stage[i].latency_us + stage[i].rate_us / parts;

		sum += us;
		turn[stage[i].resource] += us;
	}
	for (unsigned int r = 0; r < SUO_MAX_RESOURCES; r++) {
		if (turn[r] > most) {
			most = turn[r];
			which = r;
		}
	}
	if (busiest)
		*busiest = which;
	return sum + (parts - 1) * most;
}

double suo_form_best_parts(const struct suo_stage *stage, unsigned int n)
{
	double latency[SUO_MAX_RESOURCES] = { 0 }, rate[SUO_MAX_RESOURCES] = { 0 };
	double all = 0, parts = 1, here, next;
	unsigned int busiest = 0;

	for (unsigned int i = 0; i < n; i++) {
		latency[stage[i].resource] += stage[i].latency_us;
		rate[stage[i].resource] += stage[i].rate_us;
		all += stage[i].rate_us;
	}
	for (unsigned int r = 1; r < SUO_MAX_RESOURCES; r++)
		if (rate[r] > rate[busiest])
			busiest = r;
	if (latency[busiest] > 0) {
		double guess = sqrt((all - rate[busiest]) / latency[busiest]);

		if (guess >= 2)
			parts = guess < MAX_PARTS ? 1u << floor_log2(guess) : MAX_PARTS;
	} else if (all > rate[busiest]) {
		parts = MAX_PARTS;
	}

	here = suo_form_pipelined(stage, n, parts, NULL);
	while (parts < MAX_PARTS) {
		next = suo_form_pipelined(stage, n, 2 * parts, NULL);
		if (next >= here)
			break;
		here = next;
		parts *= 2;
	}
	while (parts > 1) {
		next = suo_form_pipelined(stage, n, parts / 2, NULL);
		if (next > here)
			break;
		here = next;
		parts /= 2;
	}
	return parts;
}

double suo_form_nic_rate(double channels, double channel_rate, double nics,
			 double nic_rate)
{
	return fmin(channels * channel_rate, nics * nic_rate);
}

struct suo_alltoall suo_form_alltoall(double n, double g, double rails, double bytes)
{
	double out = (n - g) / n * bytes;

	return (struct suo_alltoall){
		.up_bytes	= (g - 1) / n * bytes,
		.out_bytes	= out,
		.forward_bytes	= rails > 1 ? (rails - 1) / rails * out : 0,
	};
}

double suo_form_moe_bytes(double tokens, double topk, double limit,
			  double hidden, double elem_bytes, double imbalance)
{
	double copies = limit > 0 && limit < topk ? limit : topk;

	return tokens * copies * hidden * elem_bytes * imbalance;
}

double suo_form_loggops_us(double send_us, double latency_us, double gap_us,
			   double recv_us, double bytes, double eager_bytes)
{
	double us = send_us + latency_us + recv_us;

	if (bytes > 1)
		us += (bytes - 1) * gap_us;
	if (bytes > eager_bytes)
		us += 2 * latency_us;
	return us;
}
