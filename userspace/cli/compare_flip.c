// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a comparison rests on, and what would have to change for it to turn. */
#include <inttypes.h>
#include <math.h>

#include "model/cluster/inputs.h"
#include "userspace/cli/compare.h"

#define MOST	1000.0		/* no figure is changed more than so many times */
#define SAME	1e-6		/* what is closer is a draw */

/* Constants of a library are fitted to measurements; without one there are none. */
static void add_software(json_t *sheet, const struct contender *side)
{
	const struct suo_software *soft = &side->cluster->software;
	const struct suo_software_profile *p = suo_software_find(soft->profile);

	suo_sheet_add(sheet, "[s, s, n, s, n, s]", side->letter, "software.profile",
		      soft->nccl ? "measured" : "assumed", p ? p->title : soft->profile);
}

json_t *compare_inputs(const struct contest *contest)
{
	json_t *sheet = suo_sheet_new("What the predictions rest on",
				      "Rates in Mb/s, times in ps, sizes in bytes; who says so; and by how much it may be off, by convention.",
				      "side|input|value|provenance|may be off (%)|source");

	for (int s = 0; s < 2; s++) {
		struct suo_input in[SUO_MAX_INPUTS];
		unsigned int n = suo_cluster_inputs(contest->side[s].cluster, in);

		for (unsigned int i = 0; i < n; i++)
			suo_sheet_add(sheet, "[s, s, I, s, f, s]",
				      contest->side[s].letter, in[i].key,
				      (json_int_t)in[i].value,
				      suo_input_provenance(&in[i]),
				      100 * suo_input_sigma(&in[i]), in[i].source);
		add_software(sheet, &contest->side[s]);
	}
	return sheet;
}

/* What can be changed. */
static const struct {
	const char	*name;
	const char	*unit;
	bool		falls;	/* less is better */
} knobs[] = {
	[SUO_INPUT_UP_RATE]	= { "scale-up rate", "Gb/s", false },
	[SUO_INPUT_UP_LATENCY]	= { "scale-up latency", "ns", true },
	[SUO_INPUT_OUT_RATE]	= { "scale-out rate, NICs and fabric", "Gb/s", false },
	[SUO_INPUT_OUT_LATENCY]	= { "scale-out latency", "ns", true },
};

#define KNOBS	(sizeof(knobs) / sizeof(knobs[0]))

static double value_of(const struct suo_cluster *c, enum suo_input_group knob)
{
	switch (knob) {
	case SUO_INPUT_UP_RATE:
		return c->up.rate_mbps / 1000.0;
	case SUO_INPUT_UP_LATENCY:
		return suo_link_latency_ps(&c->up) / 1000.0;
	case SUO_INPUT_OUT_RATE:
		return c->out.rate_mbps / 1000.0;
	default:
		return c->out.latency_ps / 1000.0;
	}
}

struct question {
	enum suo_workload	work;
	double			bytes;
	double			target_us;
};

/* The time if a figure is better by a factor. */
static double turned_us(const struct question *q, const struct suo_predictor *p,
			enum suo_input_group knob, double better)
{
	struct suo_predictor changed = *p;

	suo_predictor_change(&changed, knob, knobs[knob].falls ? 1 / better : better);
	return suo_predict_us(&changed, q->work, q->bytes);
}

/*
 * The factor by which a figure must get better (worse: by one below 1) for the time
 * to be the target. Without software the time is monotone in each, so halving finds
 * it; a library's choice may leap, and then it finds one of the places. Return: 0 if
 * no factor up to MOST does.
 */
static double crossover(const struct question *q, const struct suo_predictor *p,
			enum suo_input_group knob, bool worse)
{
	double near = 1, far = worse ? 1 / MOST : MOST;

	if (worse ? turned_us(q, p, knob, far) < q->target_us :
		    turned_us(q, p, knob, far) > q->target_us)
		return 0;
	for (int i = 0; i < 60; i++) {
		double middle = sqrt(near * far);
		double us = turned_us(q, p, knob, middle);

		if (worse ? us >= q->target_us : us <= q->target_us)
			far = middle;
		else
			near = middle;
	}
	return far;
}

/* One answer; a factor of 0: there is none. */
static void add_answer(json_t *sheet, const struct question *q, uint32_t ranks,
		       const char *winner, double lead, const char *what,
		       double factor, const char *answer)
{
	suo_sheet_add(sheet, "[i, s, I, s, f, s, o, s]", ranks,
		      suo_workload_name(q->work), (json_int_t)q->bytes, winner, lead,
		      what, factor > 0 ? json_real(factor) : json_null(), answer);
}

/* A switch that reduces, or no longer does: enough by itself? */
static unsigned int add_reduction(json_t *sheet, const struct question *q,
				  uint32_t ranks, const struct contender *side,
				  const struct suo_predictor *p, const char *winner,
				  double lead, bool worse)
{
	struct suo_predictor changed = *p;
	char what[96];
	double us;

	if (p->machine.up_reduce != worse)
		return 0;
	suo_predictor_reduce(&changed, !worse, p->machine.out_reduce);
	us = suo_predict_us(&changed, q->work, q->bytes);
	if (worse ? us < q->target_us : us > q->target_us)
		return 0;
	snprintf(what, sizeof(what), "%s's scale-up switch", side->letter);
	add_answer(sheet, q, ranks, winner, lead, what, 0, worse ?
		   "if it did not reduce" : "if it reduced in the network");
	return 1;
}

/* The other's software, if that is another: enough by itself? */
static unsigned int add_swap(json_t *sheet, const struct question *q, uint32_t ranks,
			     const struct contender *side, const struct suo_predictor *p,
			     const struct suo_predictor *other, const char *winner,
			     double lead, bool worse)
{
	struct suo_predictor changed = *p;
	char what[96], answer[96];
	double us;

	if (suo_software_same(&p->cluster.software, &other->cluster.software))
		return 0;
	changed.cluster.software = other->cluster.software;
	us = suo_predict_us(&changed, q->work, q->bytes);
	if (worse ? us < q->target_us : us > q->target_us)
		return 0;
	snprintf(what, sizeof(what), "%s's software", side->letter);
	snprintf(answer, sizeof(answer), "%s instead of %s",
		 other->cluster.software.profile, p->cluster.software.profile);
	add_answer(sheet, q, ranks, winner, lead, what, 0, answer);
	return 1;
}

static void add_turn(json_t *sheet, const struct question *q, uint32_t ranks,
		     const struct contender *side, const struct suo_predictor *p,
		     const struct suo_predictor *other, const char *winner,
		     double lead, bool worse)
{
	unsigned int found = add_reduction(sheet, q, ranks, side, p, winner, lead, worse) +
			     add_swap(sheet, q, ranks, side, p, other, winner, lead, worse);
	char what[96];

	for (unsigned int k = 0; k < KNOBS; k++) {
		double factor = crossover(q, p, k, worse);
		double value = value_of(&p->cluster, k);
		double wanted = knobs[k].falls ? value / factor : value * factor;
		char answer[96];

		if (!(factor > 0))
			continue;
		snprintf(what, sizeof(what), "%s's %s", side->letter, knobs[k].name);
		snprintf(answer, sizeof(answer), "%.4g instead of %.4g %s", wanted,
			 value, knobs[k].unit);
		add_answer(sheet, q, ranks, winner, lead, what, factor, answer);
		found++;
	}
	if (found)
		return;
	snprintf(what, sizeof(what), "no figure of %s's", side->letter);
	add_answer(sheet, q, ranks, winner, lead, what, 0, worse ?
		   "not even a thousand times worse" : "not even a thousand times better");
}

static void add_turns(json_t *sheet, const struct contest *contest, uint32_t ranks,
		      const struct suo_predictor p[2], enum suo_workload work,
		      double bytes)
{
	double us[2];
	int winner;
	struct question q = { .work = work, .bytes = bytes };

	for (int s = 0; s < 2; s++)
		us[s] = suo_predict_us(&p[s], work, bytes);
	if (!(fabs(us[0] - us[1]) > SAME * us[0])) {
		suo_sheet_add(sheet, "[i, s, I, s, f, s, n, s]", ranks,
			      suo_workload_name(work), (json_int_t)bytes, "neither", 1.0,
			      "-", "the two are as fast");
		return;
	}
	winner = us[1] < us[0];
	q.target_us = us[winner];
	add_turn(sheet, &q, ranks, &contest->side[!winner], &p[!winner], &p[winner],
		 contest->side[winner].letter, us[!winner] / us[winner], false);
	q.target_us = us[!winner];
	add_turn(sheet, &q, ranks, &contest->side[winner], &p[winner], &p[!winner],
		 contest->side[winner].letter, us[!winner] / us[winner], true);
}

json_t *compare_flip(const struct contest *contest)
{
	const struct suo_workload_opts *w = &contest->work;
	json_t *sheet = suo_sheet_new("What would turn the answer",
				      "Who is faster at the first collective, and by what factor a single figure would have to be better (the loser's) or worse (the winner's, below 1) for the two to be as fast. What is not listed cannot turn it by itself, not even a thousandfold.",
				      "ranks|collective|bytes|faster|by|figure|factor|that is");

	for (unsigned int n = 0; n < w->nranks; n++) {
		struct pair pair;

		pair_open(contest, w->ranks[n], &pair);
		/* Of the first collective: the others would make pages. */
		for (unsigned int i = 0; pair_has_peers(&pair) && i < w->nsize; i++)
			add_turns(sheet, contest, w->ranks[n], pair.p, w->work[0],
				  suo_workload_bytes(w, w->work[0], w->size[i]));
		pair_close(&pair);
	}
	return sheet;
}
