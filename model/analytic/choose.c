// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Choosing an algorithm. The candidates are those that are best somewhere: those
 * of few steps, those that send few bytes, and those that spare the slow links.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/analytic/choose.h"

#define SIZE_BITS	3	/* of a count that are looked at */

struct candidate {
	enum suo_coll	coll;
	const char	*name;
};

static const struct candidate candidates[] = {
	{ SUO_COLL_ALLREDUCE, "rd" },
	{ SUO_COLL_ALLREDUCE, "rhd" },
	{ SUO_COLL_ALLREDUCE, "direct" },
	{ SUO_COLL_ALLREDUCE, "ring" },
	{ SUO_COLL_ALLREDUCE, "biring" },
	{ SUO_COLL_ALLREDUCE, "binomial" },
	{ SUO_COLL_ALLREDUCE, "dtree" },
	{ SUO_COLL_ALLREDUCE, "innet" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:ring+ring" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:ring+rhd" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:ring+rd" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:ring+dtree" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:rhd+ring" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:rhd+rhd" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:rhd+rd" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:direct+direct" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:direct+ring" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:direct+rhd" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:direct+rd" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:innet+ring" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:innet+rhd" },
	{ SUO_COLL_ALLREDUCE, "hierarchical:innet+rd" },
	{ SUO_COLL_ALLREDUCE, "pipelined:ring+ring" },
	{ SUO_COLL_ALLREDUCE, "pipelined:rhd+rhd" },
	{ SUO_COLL_ALLREDUCE, "pipelined:direct+direct" },
	{ SUO_COLL_ALLREDUCE, "pipelined:direct+rhd" },
	{ SUO_COLL_ALLREDUCE, "pipelined:innet+ring" },
	{ SUO_COLL_REDUCE_SCATTER, "rhd" },
	{ SUO_COLL_REDUCE_SCATTER, "direct" },
	{ SUO_COLL_REDUCE_SCATTER, "ring" },
	{ SUO_COLL_REDUCE_SCATTER, "biring" },
	{ SUO_COLL_REDUCE_SCATTER, "innet" },
	{ SUO_COLL_REDUCE_SCATTER, "hierarchical:ring+ring" },
	{ SUO_COLL_REDUCE_SCATTER, "hierarchical:rhd+ring" },
	{ SUO_COLL_REDUCE_SCATTER, "hierarchical:rhd+rhd" },
	{ SUO_COLL_REDUCE_SCATTER, "hierarchical:direct+direct" },
	{ SUO_COLL_ALL_GATHER, "rhd" },
	{ SUO_COLL_ALL_GATHER, "direct" },
	{ SUO_COLL_ALL_GATHER, "ring" },
	{ SUO_COLL_ALL_GATHER, "biring" },
	{ SUO_COLL_ALL_GATHER, "innet" },
	{ SUO_COLL_ALL_GATHER, "hierarchical:ring+ring" },
	{ SUO_COLL_ALL_GATHER, "hierarchical:rhd+ring" },
	{ SUO_COLL_ALL_GATHER, "hierarchical:rhd+rhd" },
	{ SUO_COLL_ALL_GATHER, "hierarchical:direct+direct" },
	{ SUO_COLL_BROADCAST, "binomial" },
	{ SUO_COLL_BROADCAST, "chain" },
	{ SUO_COLL_BROADCAST, "tree" },
	{ SUO_COLL_BROADCAST, "scatter_ag" },
	{ SUO_COLL_BROADCAST, "innet" },
	{ SUO_COLL_BROADCAST, "hierarchical:binomial+binomial" },
	{ SUO_COLL_BROADCAST, "hierarchical:chain+chain" },
	{ SUO_COLL_REDUCE, "binomial" },
	{ SUO_COLL_REDUCE, "chain" },
	{ SUO_COLL_REDUCE, "tree" },
	{ SUO_COLL_REDUCE, "scatter_ag" },
	{ SUO_COLL_REDUCE, "innet" },
	{ SUO_COLL_REDUCE, "hierarchical:binomial+binomial" },
	{ SUO_COLL_REDUCE, "hierarchical:chain+chain" },
	{ SUO_COLL_GATHER, "linear" },
	{ SUO_COLL_GATHER, "binomial" },
	{ SUO_COLL_GATHER, "hierarchical" },
	{ SUO_COLL_SCATTER, "linear" },
	{ SUO_COLL_SCATTER, "binomial" },
	{ SUO_COLL_SCATTER, "hierarchical" },
	{ SUO_COLL_BARRIER, "dissemination" },
	{ SUO_COLL_BARRIER, "hierarchical" },
	{ SUO_COLL_ALLTOALL, "pairwise" },
	{ SUO_COLL_ALLTOALL, "hierarchical" },
};

#define NUM_CANDIDATES	(sizeof(candidates) / sizeof(candidates[0]))

const char *suo_choose_candidate(enum suo_coll coll, unsigned int i)
{
	for (size_t c = 0; c < NUM_CANDIDATES; c++)
		if (candidates[c].coll == coll && !i--)
			return candidates[c].name;
	return NULL;
}

int suo_coll_cost(enum suo_coll coll, const char *algorithm, const struct suo_net *net,
		  u32 nranks, u64 count, struct suo_cost *cost)
{
	struct suo_plan_shape shape = {
		.nranks = nranks,
		.domain_size = net->domain_size,
		.count = count,
		.chunk_len = suo_net_chunk_len(net, nranks),
	};
	struct suo_plan *plan;
	int ret = suo_closed_cost(coll, algorithm, net, nranks, count, cost);

	if (ret != -EOPNOTSUPP || nranks > SUO_CHOOSE_MAX_REPLAYED)
		return ret;
	ret = suo_plan_make(coll, algorithm, &shape, &plan);
	if (ret)
		return ret;
	ret = suo_cost_plan(plan, net, cost);
	suo_plan_free(plan);
	return ret;
}

/* What has been chosen for a size. */
struct memory {
	struct memory		*next;
	enum suo_coll		coll;
	u64			count;
	bool			windows;
	struct suo_choice	choice;
};

struct suo_chooser {
	struct suo_net	net;
	u32		nranks;
	struct memory	*known;
};

int suo_chooser_create(const struct suo_net *net, u32 nranks, struct suo_chooser **out)
{
	struct suo_chooser *chooser;

	if (!nranks || !net->domain_size || nranks % net->domain_size ||
	    !net->elem_bytes)
		return -EINVAL;
	chooser = calloc(1, sizeof(*chooser));
	if (!chooser)
		return -ENOMEM;
	chooser->net = *net;
	chooser->nranks = nranks;
	*out = chooser;
	return 0;
}

void suo_chooser_free(struct suo_chooser *chooser)
{
	struct memory *m, *next;

	for (m = chooser ? chooser->known : NULL; m; m = next) {
		next = m->next;
		free(m);
	}
	free(chooser);
}

/* The size that stands for this one: a few leading bits, rounded up. */
static u64 round_up(const struct suo_chooser *chooser, enum suo_coll coll, u64 count)
{
	u32 shift = 0;

	if (coll == SUO_COLL_BARRIER)
		return 0;
	while (count >> shift >> (SIZE_BITS + 1))
		shift++;
	count = ((count + (1ull << shift) - 1) >> shift) << shift;
	if (coll == SUO_COLL_ALLTOALL && count % chooser->nranks)
		count += chooser->nranks - count % chooser->nranks;
	return count;
}

/* In one domain, or without any, a hierarchy is what its part is. */
static bool is_of_use(const struct suo_chooser *chooser, const char *name, bool windows)
{
	u32 g = chooser->net.domain_size;

	if (strstr(name, "innet") && (!windows || g == 1))
		return false;
	return (g > 1 && g < chooser->nranks) || !strchr(name, ':');
}

static int choose(const struct suo_chooser *chooser, struct memory *m)
{
	const char *name, *best = NULL;
	struct suo_cost cost;

	for (unsigned int i = 0; (name = suo_choose_candidate(m->coll, i)); i++) {
		int ret;

		if (!is_of_use(chooser, name, m->windows))
			continue;
		ret = suo_coll_cost(m->coll, name, &chooser->net, chooser->nranks,
				    m->count, &cost);
		if (ret == -ENOMEM)
			return ret;
		if (ret || (best && cost.done_ps >= m->choice.done_ps))
			continue;
		best = name;
		m->choice.done_ps = cost.done_ps;
	}
	if (!best)
		return -EINVAL;
	strcpy(m->choice.name, best);
	return 0;
}

int suo_coll_choose(struct suo_chooser *chooser, enum suo_coll coll, u64 count,
		    bool windows, struct suo_choice *choice)
{
	struct memory *m;
	int ret;

	count = round_up(chooser, coll, count);
	for (m = chooser->known; m; m = m->next) {
		if (m->coll == coll && m->count == count && m->windows == windows) {
			*choice = m->choice;
			return 0;
		}
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->coll = coll;
	m->count = count;
	m->windows = windows;
	ret = choose(chooser, m);
	if (ret) {
		free(m);
		return ret;
	}
	m->next = chooser->known;
	chooser->known = m;
	*choice = m->choice;
	return 0;
}
