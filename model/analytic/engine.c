// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/analytic/congestion.h"
#include "model/analytic/stages.h"

#define MAX_PHASES	3

/* A way to do a collective; the best so far is kept. */
struct way {
	const char		*name;
	struct suo_phase	phase[MAX_PHASES];
	unsigned int		n;
	double			parts;
	double			us;
	bool			together;	/* phases go on at the same time */
	bool			ring;
};

static void copy_stages(const struct way *way, struct suo_stage stage[MAX_PHASES])
{
	for (unsigned int i = 0; i < way->n; i++)
		stage[i] = way->phase[i].stage;
}

/* What it takes however it is cut: all latencies, and the longest rate. */
static double floor_us(const struct way *way)
{
	double rate[SUO_MAX_RESOURCES] = { 0 }, sum = 0, most = 0;

	for (unsigned int i = 0; i < way->n; i++) {
		const struct suo_stage *stage = &way->phase[i].stage;

		sum += stage->latency_us;
		rate[stage->resource] += stage->rate_us;
		if (rate[stage->resource] > most)
			most = rate[stage->resource];
	}
	return sum + most;
}

static double straggler_us(const struct suo_machine *m, const struct way *way)
{
	double steps = 0;

	if (!(m->jitter_us > 0))
		return 0;
	for (unsigned int i = 0; i < way->n; i++)
		steps += way->phase[i].steps;
	return suo_straggler_steps(m->jitter_us, m->ranks, steps, way->ring);
}

/* Phases that go on at the same time take as long as the slowest. */
static double together_us(const struct way *way)
{
	double most = 0;

	for (unsigned int i = 0; i < way->n; i++)
		most = fmax(most, way->phase[i].stage.latency_us +
				  way->phase[i].stage.rate_us);
	return most;
}

static void try_way(const struct suo_machine *m, struct way *way, struct way *best)
{
	struct suo_stage stage[MAX_PHASES];
	double late_us = straggler_us(m, way);

	if (best->n && floor_us(way) + late_us >= best->us && !way->together)
		return;
	way->parts = 1;
	if (way->together) {
		way->us = together_us(way);
	} else {
		copy_stages(way, stage);
		if (way->n > 1)
			way->parts = suo_form_best_parts(stage, way->n);
		way->us = suo_form_pipelined(stage, way->n, way->parts, NULL);
	}
	way->us += late_us;
	if (!best->n || way->us < best->us)
		*best = *way;
}

/*
 * Formula 4: one ring over everything, with as many channels as the domain has
 * NICs. 2 (N - 1) steps, of which 2 (k - 1) leave a domain; the slower of up and out
 * decides the rate.
 */
static void try_flat_ring(const struct suo_machine *m, double times, double bytes,
			  double reduced, struct way *best)
{
	double n = m->ranks, k = m->domains, g = m->domain;
	double in_steps = n - k;
	struct way way = { .name = "ring", .n = 1, .ring = true };
	struct suo_phase in, out;

	if (n <= 1)
		return;
	in = suo_phase_up(m, in_steps, n - 1, (n - 1) / n * bytes, reduced);
	if (k > 1) {
		/* A domain's NICs carry what one accelerator's port does. */
		out = suo_phase_out_ring(m, (n - 1) / n * k / (k - 1) * bytes / g,
					 0);
		if (out.stage.rate_us > in.stage.rate_us) {
			in.stage.rate_us = out.stage.rate_us;
			in.rate_bound = out.rate_bound;
			in.stage.resource = SUO_STAGE_OUT;
		}
		in.stage.latency_us += out.stage.latency_us;
		in.steps += out.steps;
		in.soft_us += out.soft_us;
		in.loss_us += out.loss_us;
	}
	way.phase[0] = times > 1 ? suo_phase_twice(in) : in;
	try_way(m, &way, best);
}

/*
 * By the switch: it takes everybody's vector and spreads the sum. Each accelerator
 * asks for the sum of its own part and sends that back, so a direction of its port
 * carries the vector and a part more: formula 8 with eta = g / (g + 1).
 */
static struct suo_phase in_network(const struct suo_machine *m, double steps, double bytes)
{
	double g = m->domain;

	return suo_phase_up(m, steps, 2, suo_form_in_network(bytes, g / (g + 1)).bytes, 0);
}

/*
 * One domain: everything at once, in two steps or in one, or by the switch. @adds: 1,
 * or 0 where nothing is added up.
 */
static void allreduce_up(const struct suo_machine *m, double bytes, double adds,
			 struct way *best)
{
	double g = m->domain, part = (g - 1) / g * bytes;
	struct way way = { .name = "direct", .n = 1 };

	way.phase[0] = suo_phase_up(m, 2, 2 * (g - 1), 2 * part, adds * part);
	try_way(m, &way, best);
	way.name = "one-shot";
	way.phase[0] = suo_phase_up(m, 1, g - 1, (g - 1) * bytes,
				    adds * (g - 1) * bytes);
	try_way(m, &way, best);
	if (!m->up_reduce)
		return;
	way.name = "in-network";
	way.phase[0] = in_network(m, 2, bytes);
	try_way(m, &way, best);
}

/*
 * Everybody to everybody, in the domain and outside, at the same time. How often: each
 * part once there and once back, or the whole vector at once.
 */
static void try_flat(const struct suo_machine *m, const char *name, double times,
		     double each, double reduced, struct way *best)
{
	double n = m->ranks, g = m->domain;
	struct way way = { .name = name, .together = true };
	struct suo_phase out, up;

	out = suo_phase_out_flat(m, (n - g) * each, reduced);
	up = suo_phase_up(m, 1, g - 1, (g - 1) * each, reduced);
	way.phase[way.n++] = times > 1 ? suo_phase_twice(out) : out;
	if (g > 1)
		way.phase[way.n++] = times > 1 ? suo_phase_twice(up) : up;
	try_way(m, &way, best);
}

/* Several domains: ReduceScatter up, something out, AllGather up. */
static void allreduce_across(const struct suo_machine *m, double bytes, double adds,
			     struct way *best)
{
	static const char *const names[2][5] = {
		{ "hierarchical ring", "hierarchical halving",
		  "hierarchical direct", "hierarchical one-shot",
		  "hierarchical in-network" },
		{ "in-network + ring", "in-network + halving",
		  "in-network + direct", "in-network + one-shot",
		  "in-network throughout" },
	};
	double n = m->ranks, g = m->domain, k = m->domains, shard = bytes / g;
	double part = (g - 1) / g * bytes, half = adds * (k - 1) / k * shard;
	struct suo_phase out[5], up[2], back[2];
	unsigned int nout = 4, nup = 1;

	out[0] = suo_phase_twice(suo_phase_out_ring(m, shard, half / 2));
	out[1] = suo_phase_twice(suo_phase_out_halving(m, shard, half / 2));
	out[2] = suo_phase_twice(suo_phase_out_direct(m, shard, half / 2));
	out[3] = suo_phase_out_oneshot(m, shard, adds * (k - 1) * shard);
	if (m->out_reduce)
		out[nout++] = suo_phase_out_reduce(m, shard);
	/* On the way back nothing is added up, and a switch spreads what it takes in. */
	up[0] = suo_phase_up(m, 1, g - 1, part, adds * part);
	back[0] = suo_phase_up(m, 1, g - 1, part, 0);
	if (m->up_reduce && g > 1) {
		up[nup] = in_network(m, 1, bytes);
		back[nup] = up[nup];
		back[nup++].stage.resource = SUO_STAGE_UP_BACK;
	}

	try_flat(m, "one-shot", 1, bytes, adds * (n - 1) * bytes, best);
	try_flat(m, "direct", 2, bytes / n, adds * bytes / 2, best);
	for (unsigned int u = 0; u < nup; u++) {
		for (unsigned int o = 0; o < nout; o++) {
			struct way way = { .name = names[u][o], .ring = !o };

			if (g > 1)
				way.phase[way.n++] = up[u];
			way.phase[way.n++] = out[o];
			if (g > 1)
				way.phase[way.n++] = back[u];
			try_way(m, &way, best);
		}
	}
}

/*
 * AllReduce. So are Broadcast and Reduce, where nobody or nobody else wants the sum:
 * what is scattered and gathered (Thakur and others, 2005) is one of these ways.
 */
static void allreduce(const struct suo_machine *m, double bytes, double adds,
		      struct way *best)
{
	double n = m->ranks;

	if (m->domains > 1)
		allreduce_across(m, bytes, adds, best);
	else
		allreduce_up(m, bytes, adds, best);
	try_flat_ring(m, 2, bytes, adds * (n - 1) / n * bytes / 2, best);
}

/* ReduceScatter: up, then out; AllGather: the other way round, as long. */
static void gather(const struct suo_machine *m, double bytes, bool reduces,
		   struct way *best)
{
	static const char *const names[] = {
		"hierarchical ring", "hierarchical halving", "hierarchical direct"
	};
	double g = m->domain, k = m->domains, n = m->ranks, part = (g - 1) / g * bytes;
	struct suo_phase up = suo_phase_up(m, 1, g - 1, part, reduces ? part : 0);
	double added = reduces ? (k - 1) / k * bytes / g : 0;

	if (k <= 1) {
		struct way way = { .name = "direct", .n = 1, .phase = { up } };

		try_way(m, &way, best);
	}
	if (k > 1)
		try_flat(m, "direct", 1, bytes / n, reduces ? bytes : 0, best);
	for (unsigned int o = 0; o < 3 && k > 1; o++) {
		struct way way = { .name = names[o], .ring = !o };

		if (g > 1)
			way.phase[way.n++] = up;
		way.phase[way.n++] = !o ? suo_phase_out_ring(m, bytes / g, added) :
				     o == 1 ? suo_phase_out_halving(m, bytes / g, added) :
					      suo_phase_out_direct(m, bytes / g, added);
		try_way(m, &way, best);
	}
	try_flat_ring(m, 1, bytes, reduces ? (n - 1) / n * bytes : 0, best);
}

/*
 * Formula 11: what stays in the domain and what leaves it go at the same time. With
 * rails, either the domain forwards what is for another rail, in fewer and larger
 * messages, or the spine carries it.
 */
static void alltoall(const struct suo_machine *m, double bytes, struct way *best)
{
	double n = m->ranks, g = m->domain, k = m->domains;
	struct suo_alltoall a = suo_form_alltoall(n, g, m->rails, bytes);
	struct way way = { .name = "direct", .together = true };
	struct suo_phase out;
	double share = k > 1 ? a.out_bytes * k / (k - 1) : 0;

	if (n <= 1)
		return;
	if (k <= 1) {
		way.n = 1;
		way.phase[0] = suo_phase_up(m, 1, g - 1, a.up_bytes, 0);
		try_way(m, &way, best);
		return;
	}
	/* In as many messages as there are peers. */
	out = suo_phase_out_flat(m, a.out_bytes, 0);
	out.stage.latency_us += (n - 2) * m->step_us;
	out.soft_us += (n - 2) * m->step_us;
	way.phase[way.n++] = out;
	if (g > 1)
		way.phase[way.n++] = suo_phase_up(m, 1, g - 1, a.up_bytes, 0);
	try_way(m, &way, best);
	if (m->rails <= 1 || g <= 1)
		return;

	way.name = "forwarded on rails";
	way.n = 0;
	out = suo_phase_out_direct(m, share, 0);
	out.stage.latency_us += m->up.latency_us + (k + g - 3) * m->step_us;
	out.soft_us += (k + g - 3) * m->step_us;
	way.phase[way.n++] = out;
	way.phase[way.n++] = suo_phase_up(m, 1, 2 * (g - 1),
					  a.up_bytes + a.forward_bytes, 0);
	try_way(m, &way, best);
}

static void find_way(const struct suo_machine *m, enum suo_workload op, double bytes,
		     struct way *best)
{
	switch (op) {
	case SUO_WORK_ALLREDUCE:
	case SUO_WORK_REDUCE:
		allreduce(m, bytes, 1, best);
		break;
	case SUO_WORK_REDUCE_SCATTER:
		gather(m, bytes, true, best);
		break;
	case SUO_WORK_ALL_GATHER:
		gather(m, bytes, false, best);
		break;
	case SUO_WORK_BROADCAST:
		allreduce(m, bytes, 0, best);
		break;
	default:
		alltoall(m, bytes, best);
		break;
	}
}

double suo_estimate_us(const struct suo_machine *m, enum suo_workload op, double bytes)
{
	struct way best = { .n = 0 };

	if (m->ranks > 1)
		find_way(m, op, bytes, &best);
	return best.us + m->launch_us;
}

/* Count a phase in, so many times, its rate in parts. */
static void count(struct suo_estimate *est, const struct suo_phase *phase,
		  double times, double parts)
{
	double wait_us = phase->stage.latency_us - phase->soft_us - phase->loss_us;

	est->part_us[phase->rate_bound] += times * phase->stage.rate_us / parts;
	est->part_us[SUO_BOUND_SOFTWARE] += times * phase->soft_us;
	est->part_us[SUO_BOUND_LOSS] += times * phase->loss_us;
	est->part_us[phase->stage.resource == SUO_STAGE_OUT ? SUO_BOUND_OUT_LATENCY :
		     SUO_BOUND_UP_LATENCY] += times * wait_us;
}

static void take_apart(const struct way *way, struct suo_estimate *est)
{
	struct suo_stage stage[MAX_PHASES];
	unsigned int busiest = 0;

	if (way->together) {
		for (unsigned int i = 1; i < way->n; i++)
			if (way->phase[i].stage.latency_us +
			    way->phase[i].stage.rate_us >
			    way->phase[busiest].stage.latency_us +
			    way->phase[busiest].stage.rate_us)
				busiest = i;
		count(est, &way->phase[busiest], 1, 1);
		return;
	}
	copy_stages(way, stage);
	suo_form_pipelined(stage, way->n, way->parts, &busiest);
	for (unsigned int i = 0; i < way->n; i++)
		count(est, &way->phase[i], way->phase[i].stage.resource == busiest ?
		      way->parts : 1, way->parts);
}

void suo_estimate(const struct suo_machine *m, enum suo_workload op, double bytes,
		  struct suo_estimate *est)
{
	struct way best = { .name = "nothing" };

	*est = (struct suo_estimate){ .parts = 1 };
	if (m->ranks > 1) {
		find_way(m, op, bytes, &best);
		take_apart(&best, est);
		est->parts = best.parts;
	}
	est->algorithm = best.name;
	est->part_us[SUO_BOUND_SOFTWARE] += m->launch_us;
	est->part_us[SUO_BOUND_STRAGGLER] = best.n ? straggler_us(m, &best) : 0;
	est->time_us = best.us + m->launch_us;
	if (est->time_us > 0)
		est->algbw_GBps = bytes / est->time_us / 1000;
	est->busbw_GBps = est->algbw_GBps * suo_busbw_share(op, m->ranks);
}

enum suo_bound suo_estimate_bound(const struct suo_estimate *est, double *share)
{
	enum suo_bound most = SUO_BOUND_SOFTWARE;

	for (unsigned int i = 0; i < SUO_BOUNDS; i++)
		if (est->part_us[i] > est->part_us[most])
			most = i;
	*share = est->time_us > 0 ? est->part_us[most] / est->time_us : 0;
	return most;
}
