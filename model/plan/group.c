// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Groups of ranks, and the algorithms that work on them, by name. */
#include <string.h>

#include "model/plan/group.h"

#define DEFAULT_CHUNKS	4u

#define ENTRY(name)	&suo_group_##name,

static const struct suo_group_algo *const algos[] = {
	SUO_GROUP_ALGOS(ENTRY)
};

const struct suo_group_algo *suo_group_find(const char *name)
{
	for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++)
		if (!strcmp(algos[i]->name, name))
			return algos[i];
	return NULL;
}

bool suo_group_can(const struct suo_group_algo *algo, enum suo_coll coll)
{
	switch (coll) {
	case SUO_COLL_ALLREDUCE:
		return algo->allreduce || (algo->reduce_scatter && algo->all_gather);
	case SUO_COLL_REDUCE_SCATTER:
		return algo->reduce_scatter;
	case SUO_COLL_ALL_GATHER:
		return algo->all_gather;
	case SUO_COLL_BROADCAST:
		return algo->broadcast;
	case SUO_COLL_REDUCE:
		return algo->reduce;
	default:
		return false;
	}
}

void suo_group_allreduce(struct suo_build *b, const struct suo_group_algo *algo,
			 const struct suo_group *group, struct suo_range range,
			 uint32_t chunks)
{
	struct suo_parts parts = suo_parts_of(group, range);

	if (algo->allreduce) {
		algo->allreduce(b, group, range, chunks);
		return;
	}
	algo->reduce_scatter(b, group, &parts);
	algo->all_gather(b, group, &parts);
}

struct suo_group suo_group_all(const struct suo_build *b)
{
	return (struct suo_group){ 0, 1, b->plan->nranks };
}

struct suo_group suo_group_domain(const struct suo_build *b, uint32_t domain)
{
	uint32_t g = b->plan->domain_size;

	return (struct suo_group){ domain * g, 1, g };
}

struct suo_group suo_group_across(const struct suo_build *b, uint32_t place)
{
	uint32_t g = b->plan->domain_size;

	return (struct suo_group){ place, g, b->plan->nranks / g };
}

uint32_t suo_group_half(uint32_t n)
{
	uint32_t d = 1;

	while (d < n)
		d *= 2;
	return d / 2;
}

uint32_t suo_plan_chunks(uint32_t asked, uint64_t len, uint32_t links,
			 uint64_t chunk_len)
{
	uint64_t c = 1;

	if (asked)
		return asked < SUO_PLAN_MAX_CHUNKS ? asked : SUO_PLAN_MAX_CHUNKS;
	if (!chunk_len)
		return DEFAULT_CHUNKS;
	/* The largest C with C^2 a B <= (h - 1) S, without overflow. */
	while (c < SUO_PLAN_MAX_CHUNKS && links > 1 &&
	       (c + 1) * (c + 1) <= len / chunk_len * (links - 1))
		c++;
	return c;
}

uint32_t suo_group_chunks(const struct suo_build *b, uint32_t asked, uint64_t len,
			  uint32_t links)
{
	return suo_plan_chunks(asked, len, links, b->shape->chunk_len);
}

void suo_build_meet(struct suo_build *b, uint32_t root)
{
	for (uint32_t i = 1; i < b->plan->nranks; i++) {
		uint32_t rank = (root + i) % b->plan->nranks;

		suo_build_tell(b, rank, root, NULL);
		suo_build_hear(b, root, rank, &b->all);
	}
}

void suo_build_release(struct suo_build *b, uint32_t root,
		       const struct suo_range *range)
{
	if (b->plan->nranks > 1)
		suo_build_join(b, root, range);
	for (uint32_t i = 1; i < b->plan->nranks; i++) {
		uint32_t rank = (root + i) % b->plan->nranks;

		suo_build_tell(b, root, rank, range);
		suo_build_hear(b, rank, root, NULL);
	}
}
