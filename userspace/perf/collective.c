// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "userspace/perf/collective.h"

/* What a rank has of the whole. */
enum share {
	NOTHING,	/* unless it is the root */
	PART,
	WHOLE,
};

/**
 * struct kind - a collective
 * @name: of the subcommand
 * @alias: nccl-tests' name
 * @in: what a rank puts in; NOTHING: only the root does, the whole
 * @out: what a rank gets out; NOTHING: only the root does, the whole
 * @reduces: it combines
 * @root: it has a root
 * @in_place: it can be done in place
 */
static const struct kind {
	const char	*name;
	const char	*alias;
	enum share	in;
	enum share	out;
	bool		reduces;
	bool		root;
	bool		in_place;
} kinds[NUM_COLLECTIVES] = {
	[COLL_ALLREDUCE]	= { "allreduce", "all_reduce", WHOLE, WHOLE, true, false, true },
	[COLL_REDUCE_SCATTER]	= { "reduce_scatter", "reducescatter", WHOLE, PART, true, false, true },
	[COLL_ALL_GATHER]	= { "all_gather", "allgather", PART, WHOLE, false, false, true },
	[COLL_ALLTOALL]		= { "alltoall", "all_to_all", WHOLE, WHOLE, false, false, false },
	[COLL_BROADCAST]	= { "broadcast", "bcast", NOTHING, WHOLE, false, true, true },
	[COLL_REDUCE]		= { "reduce", "reduce", WHOLE, NOTHING, true, true, true },
	[COLL_GATHER]		= { "gather", "gather", PART, NOTHING, false, true, true },
	[COLL_SCATTER]		= { "scatter", "scatter", NOTHING, PART, false, true, true },
	[COLL_SENDRECV]		= { "sendrecv", "send_recv", WHOLE, WHOLE, false, false, false },
};

int collective_parse(const char *name)
{
	for (int i = 0; i < NUM_COLLECTIVES; i++)
		if (!strcmp(name, kinds[i].name) || !strcmp(name, kinds[i].alias))
			return i;
	return -EINVAL;
}

const char *collective_name(enum collective coll)
{
	return kinds[coll].name;
}

bool collective_reduces(enum collective coll)
{
	return kinds[coll].reduces;
}

bool collective_has_root(enum collective coll)
{
	return kinds[coll].root;
}

bool collective_in_place(enum collective coll)
{
	return kinds[coll].in_place;
}

/* All ranks have a part each: then a count is that of a part. */
static bool in_parts(enum collective coll)
{
	return kinds[coll].in == PART || kinds[coll].out == PART || coll == COLL_ALLTOALL;
}

uint64_t collective_count(enum collective coll, uint64_t bytes, size_t elem, uint32_t nranks)
{
	return bytes / elem / (in_parts(coll) ? nranks : 1);
}

uint64_t collective_total(enum collective coll, uint64_t count, uint32_t nranks)
{
	return count * (in_parts(coll) ? nranks : 1);
}

static uint64_t share(const struct collective_case *c, enum share share)
{
	switch (share) {
	case PART:
		return c->count;
	case WHOLE:
		return collective_total(c->coll, c->count, c->nranks);
	default:
		return c->rank == c->root ? collective_total(c->coll, c->count, c->nranks) : 0;
	}
}

uint64_t collective_in(const struct collective_case *c)
{
	return share(c, kinds[c->coll].in);
}

uint64_t collective_out(const struct collective_case *c)
{
	return share(c, kinds[c->coll].out);
}

/* nccl-tests, doc/PERFORMANCE.md, and GetBw of each of its programs. */
double collective_bus_factor(enum collective coll, uint32_t nranks)
{
	switch (coll) {
	case COLL_ALLREDUCE:
		return 2.0 * (nranks - 1) / nranks;
	case COLL_REDUCE_SCATTER:
	case COLL_ALL_GATHER:
	case COLL_ALLTOALL:
	case COLL_GATHER:
	case COLL_SCATTER:
		return (double)(nranks - 1) / nranks;
	default:
		return 1;
	}
}

/* Kept from case to case: most have the input, or the result, of the last one. */
static struct data_table own, expected;

/* Element numbers go through the whole: part r begins with r * count. */
void collective_fill(const struct collective_case *c, void *in)
{
	data_input(&own, c->type, c->op, c->rank, c->nranks);
	data_fill(&own, 0, in, collective_in(c));
}

/* The parts of an output that come from one rank each. */
static uint64_t check_parts(const struct collective_case *c, const void *out, uint64_t first)
{
	size_t bytes = c->count * suo_dtype_size(c->type);
	uint64_t wrong = 0;

	for (uint32_t r = 0; r < c->nranks; r++) {
		data_input(&expected, c->type, c->op, r, c->nranks);
		wrong += data_check(&expected, first, (const uint8_t *)out + r * bytes, c->count);
	}
	return wrong;
}

uint64_t collective_check(const struct collective_case *c, const void *out)
{
	uint64_t mine = c->rank * c->count;

	switch (c->coll) {
	case COLL_ALLREDUCE:
	case COLL_REDUCE:
		data_reduced(&expected, c->type, c->op, c->nranks);
		return data_check(&expected, 0, out, collective_out(c));
	case COLL_REDUCE_SCATTER:
		data_reduced(&expected, c->type, c->op, c->nranks);
		return data_check(&expected, mine, out, c->count);
	case COLL_BROADCAST:
		data_input(&expected, c->type, c->op, c->root, c->nranks);
		return data_check(&expected, 0, out, c->count);
	case COLL_SCATTER:
		data_input(&expected, c->type, c->op, c->root, c->nranks);
		return data_check(&expected, mine, out, c->count);
	case COLL_SENDRECV:
		data_input(&expected, c->type, c->op, (c->rank + c->nranks - 1) % c->nranks,
			   c->nranks);
		return data_check(&expected, 0, out, c->count);
	case COLL_ALLTOALL:
		return check_parts(c, out, mine);
	case COLL_GATHER:
		if (c->rank != c->root)
			return 0;
		return check_parts(c, out, 0);
	default:
		return check_parts(c, out, 0);
	}
}
