// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The algorithms by name: those for a group of ranks, taken for all ranks, and
 * those made of others. NAME[:INNER+OUTER][@CHUNKS]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/plan_build.h"

#define GROUP_ENTRY(name)	&suo_group_##name,
#define ENTRY(name)		&suo_plan_algo_##name,

static const struct suo_group_algo *const groups[] = {
	SUO_GROUP_ALGOS(GROUP_ENTRY)
};

static const struct suo_plan_algo *const algos[] = {
	SUO_PLAN_ALGOS(ENTRY)
};

#define NUM_GROUPS	(sizeof(groups) / sizeof(groups[0]))
#define NUM_ALGOS	(sizeof(algos) / sizeof(algos[0]))

static const char *const coll_name[SUO_NUM_COLLS] = {
	[SUO_COLL_ALLREDUCE]		= "allreduce",
	[SUO_COLL_REDUCE_SCATTER]	= "reduce_scatter",
	[SUO_COLL_ALL_GATHER]		= "all_gather",
	[SUO_COLL_BROADCAST]		= "broadcast",
	[SUO_COLL_REDUCE]		= "reduce",
	[SUO_COLL_GATHER]		= "gather",
	[SUO_COLL_SCATTER]		= "scatter",
	[SUO_COLL_BARRIER]		= "barrier",
	[SUO_COLL_ALLTOALL]		= "alltoall",
};

const char *suo_coll_name(enum suo_coll coll)
{
	return coll_name[coll];
}

int suo_coll_parse(const char *name)
{
	for (int i = 0; i < SUO_NUM_COLLS; i++)
		if (!strcmp(name, coll_name[i]))
			return i;
	return -EINVAL;
}

const char *suo_plan_coll_algorithm(enum suo_coll coll, unsigned int i)
{
	for (size_t a = 0; a < NUM_GROUPS; a++)
		if (suo_group_can(groups[a], coll) && !i--)
			return groups[a]->name;
	for (size_t a = 0; a < NUM_ALGOS; a++)
		if (algos[a]->coll == coll && !i--)
			return algos[a]->name;
	return NULL;
}

static const struct suo_plan_algo *find(enum suo_coll coll, const char *name)
{
	for (size_t i = 0; i < NUM_ALGOS; i++)
		if (algos[i]->coll == coll && !strcmp(algos[i]->name, name))
			return algos[i];
	return NULL;
}

/* What a name means: a group's algorithm, or one made of others. */
struct meaning {
	const struct suo_group_algo	*group;
	const struct suo_plan_algo	*algo;
	struct suo_plan_opts		opts;
};

/* What @coll asks of a part of it. An inner one has to do both halves. */
static bool is_inner(const struct suo_group_algo *algo, enum suo_coll coll)
{
	if (coll == SUO_COLL_ALLREDUCE)
		return algo->reduce_scatter && algo->all_gather;
	return suo_group_can(algo, coll);
}

static bool read_parts(struct meaning *m, enum suo_coll coll, char *text)
{
	char *plus = strchr(text, '+');

	if (!plus)
		return false;
	*plus = '\0';
	m->opts.inner = suo_group_find(text);
	m->opts.outer = suo_group_find(plus + 1);
	/* Windows are those of a domain. */
	return m->opts.inner && is_inner(m->opts.inner, coll) && m->opts.outer &&
	       suo_group_can(m->opts.outer, coll) &&
	       m->opts.outer != &suo_group_innet;
}

static bool read_chunks(struct meaning *m, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '1' || *text > '9' || *end || value > SUO_PLAN_MAX_CHUNKS)
		return false;
	m->opts.chunks = value;
	return true;
}

static bool understand(enum suo_coll coll, const char *name, struct meaning *m)
{
	char copy[SUO_PLAN_NAME_SIZE], *parts, *chunks;

	memset(m, 0, sizeof(*m));
	if (strlen(name) >= sizeof(copy))
		return false;
	strcpy(copy, name);
	chunks = strchr(copy, '@');
	if (chunks)
		*chunks++ = '\0';
	parts = strchr(copy, ':');
	if (parts)
		*parts++ = '\0';

	m->algo = find(coll, copy);
	if (!m->algo) {
		m->group = suo_group_find(copy);
		if (!m->group || !suo_group_can(m->group, coll) || parts)
			return false;
		return !chunks || (m->group->chunked && read_chunks(m, chunks));
	}
	m->opts.inner = m->algo->inner;
	m->opts.outer = m->algo->outer;
	if (parts && (!m->algo->inner || !read_parts(m, coll, parts)))
		return false;
	return !chunks || (m->algo->chunked && read_chunks(m, chunks));
}

int suo_plan_read_name(enum suo_coll coll, const char *algorithm,
		       struct suo_plan_name *name)
{
	struct meaning m;

	if (!understand(coll, algorithm, &m))
		return -EINVAL;
	*name = (struct suo_plan_name){
		.base = m.algo ? m.algo->name : m.group->name,
		.inner = m.opts.inner ? m.opts.inner->name : NULL,
		.outer = m.opts.outer ? m.opts.outer->name : NULL,
		.chunks = m.opts.chunks,
	};
	return 0;
}

bool suo_plan_known(enum suo_coll coll, const char *algorithm)
{
	struct meaning m;

	return understand(coll, algorithm, &m);
}

static bool shape_is_good(enum suo_coll coll, const struct suo_plan_shape *shape)
{
	if (!shape->nranks || shape->nranks > SUO_PLAN_MAX_RANKS ||
	    !shape->domain_size || shape->nranks % shape->domain_size)
		return false;
	if (shape->root >= (suo_coll_has_root(coll) ? shape->nranks : 1))
		return false;
	switch (coll) {
	case SUO_COLL_BARRIER:
		return !shape->count;
	case SUO_COLL_ALLTOALL:
		return shape->count % shape->nranks == 0;
	default:
		return true;
	}
}

static void generate_flat(struct suo_build *b, enum suo_coll coll,
			  const struct suo_group_algo *algo, uint32_t chunks)
{
	struct suo_group all = suo_group_all(b);
	struct suo_parts parts = suo_parts_of(&all, b->all);
	uint32_t root = b->plan->root;

	switch (coll) {
	case SUO_COLL_ALLREDUCE:
		suo_group_allreduce(b, algo, &all, b->all, chunks);
		break;
	case SUO_COLL_REDUCE_SCATTER:
		algo->reduce_scatter(b, &all, &parts);
		if (algo->reduce_scatter_end)
			algo->reduce_scatter_end(b, &all, &parts);
		break;
	case SUO_COLL_ALL_GATHER:
		algo->all_gather(b, &all, &parts);
		break;
	case SUO_COLL_BROADCAST:
		suo_build_meet(b, root);
		algo->broadcast(b, &all, root, b->all, chunks);
		break;
	default:
		algo->reduce(b, &all, root, b->all, chunks);
		suo_build_release(b, root, &b->all);
	}
}

static void generate(struct suo_build *b, struct meaning *m)
{
	const struct suo_plan *plan = b->plan;

	/* A switch reduces in its domain only: a hierarchy is what is meant. */
	if (m->group == &suo_group_innet && plan->domain_size < plan->nranks) {
		m->algo = find(plan->coll, "hierarchical");
		m->opts.inner = m->group;
		m->opts.outer = m->algo->outer;
	}
	if (m->algo)
		m->algo->generate(b, &m->opts);
	else
		generate_flat(b, plan->coll, m->group, m->opts.chunks);
}

int suo_plan_make(enum suo_coll coll, const char *algorithm,
		  const struct suo_plan_shape *shape, struct suo_plan **out)
{
	struct suo_plan *plan;
	struct suo_build b;
	struct meaning m;
	int ret;

	if (!understand(coll, algorithm, &m) || !shape_is_good(coll, shape))
		return -EINVAL;

	plan = suo_plan_alloc(coll, algorithm, shape);
	if (!plan)
		return -ENOMEM;
	if (!suo_build_begin(&b, plan, shape))
		generate(&b, &m);
	ret = suo_build_end(&b);
	if (ret) {
		suo_plan_free(plan);
		return ret;
	}
	*out = plan;
	return 0;
}
