// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Steps one by one: do their peers, buffers and ranges exist? */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "model/plan/check.h"

unsigned int suo_plan_accesses(const struct suo_plan_step *step,
			       struct suo_plan_access access[SUO_PLAN_MAX_ACCESSES])
{
	unsigned int n = 0;

	if (!step->len)
		return 0;
	access[n++] = (struct suo_plan_access){
		.buf = step->buf,
		.writes = step->op != SUO_PLAN_SEND,
		.off = step->off,
		.len = step->len,
	};
	if (step->op == SUO_PLAN_COPY || suo_plan_in_network(step))
		access[n++] = (struct suo_plan_access){
			.buf = step->src,
			.off = step->src_off,
			.len = step->len,
		};
	/* A multicast of what is in its place already. */
	if (step->op == SUO_PLAN_MCAST_WRITE && step->src == SUO_PLAN_DATA)
		n--;
	return n;
}

static bool in_range(uint64_t off, uint64_t len, uint64_t size)
{
	return len <= size && off <= size - len;
}

static uint64_t size_of(const struct suo_plan *plan, uint32_t r, uint32_t buf)
{
	switch (buf) {
	case SUO_PLAN_DATA:
		return plan->count;
	case SUO_PLAN_INPUT:
		return plan->coll == SUO_COLL_ALLTOALL ? plan->count : 0;
	default:
		return plan->rank[r].scratch_len;
	}
}

static const char *range_fault(const struct suo_plan *plan, uint32_t r,
			       uint32_t buf, uint64_t off, uint64_t len)
{
	static const char *const outside[SUO_PLAN_NUM_BUFS] = {
		[SUO_PLAN_DATA]		= "its elements lie outside the vector",
		[SUO_PLAN_INPUT]	= "its elements lie outside the input",
		[SUO_PLAN_SCRATCH]	= "its room lies outside scratch memory",
	};

	uint64_t first, block;

	if (!in_range(off, len, size_of(plan, r, buf)))
		return outside[buf];
	if (!len || buf != SUO_PLAN_DATA || r == plan->root ||
	    (plan->coll != SUO_COLL_GATHER && plan->coll != SUO_COLL_SCATTER))
		return NULL;
	block = suo_plan_block(plan, r, &first);
	return off >= first && in_range(off - first, len, block) ? NULL :
	       "its elements lie outside the rank's block";
}

static bool apart(const struct suo_plan_step *copy)
{
	return !copy->len || (copy->off > copy->src_off ?
			      copy->off - copy->src_off :
			      copy->src_off - copy->off) >= copy->len;
}

static const char *op_fault(const struct suo_plan_step *step)
{
	bool can = true;

	switch (step->op) {
	case SUO_PLAN_SEND:
		break;
	case SUO_PLAN_RECV:
		can = step->buf != SUO_PLAN_INPUT;
		break;
	case SUO_PLAN_RECV_REDUCE:
		can = step->buf == SUO_PLAN_DATA;
		break;
	case SUO_PLAN_COPY:
		can = step->buf != SUO_PLAN_INPUT &&
		      (step->buf != step->src || apart(step));
		break;
	case SUO_PLAN_MCAST_WRITE:
		can = step->buf == SUO_PLAN_DATA &&
		      (step->src == SUO_PLAN_SCRATCH ||
		       (step->src == SUO_PLAN_DATA && step->src_off == step->off));
		break;
	case SUO_PLAN_REDUCED_READ:
		can = step->buf == SUO_PLAN_SCRATCH && step->src == SUO_PLAN_DATA;
		break;
	default:
		return "unknown operation";
	}
	return can ? NULL : "it cannot use such a buffer";
}

static const char *peer_fault(const struct suo_plan *plan, uint32_t r,
			      const struct suo_plan_step *step)
{
	uint32_t g = plan->domain_size;

	if (step->peer >= plan->nranks)
		return "no such peer";
	if (step->op == SUO_PLAN_COPY)
		return step->peer == r ? NULL : "a copy has no peer";
	if (step->peer == r)
		return "its peer is the rank itself";
	if (suo_plan_in_network(step) && step->peer / g != r / g)
		return "its peer is not in the domain";
	return NULL;
}

static int check_step(const struct suo_plan *plan, uint32_t r, uint32_t i,
		      const struct suo_plan_why *why)
{
	const struct suo_plan_rank *rank = &plan->rank[r];
	const struct suo_plan_step *step = &rank->step[i];
	const char *fault = NULL;

	if (step->buf >= SUO_PLAN_NUM_BUFS || step->src >= SUO_PLAN_NUM_BUFS)
		fault = "unknown buffer";
	if (!fault)
		fault = op_fault(step);
	if (!fault)
		fault = peer_fault(plan, r, step);
	if (!fault)
		fault = range_fault(plan, r, step->buf, step->off, step->len);
	if (!fault && step->op == SUO_PLAN_RECV_REDUCE)
		fault = range_fault(plan, r, SUO_PLAN_SCRATCH, step->scratch_off,
				    step->len);
	else if (!fault && !suo_plan_is_receive(step) && step->op != SUO_PLAN_SEND)
		fault = range_fault(plan, r, step->src, step->src_off, step->len);
	for (int d = 0; d < SUO_PLAN_MAX_DEPS && !fault; d++)
		if (step->dep[d] != SUO_PLAN_NO_DEP &&
		    step->dep[d] >= rank->nsteps)
			fault = "it waits for a step that does not exist";

	if (fault)
		return suo_plan_refuse(why, "rank %" PRIu32 ", step %" PRIu32
				       ": %s", r, i, fault);
	return 0;
}

/* Room in scratch memory that a step writes to. */
struct room {
	uint64_t	off;
	uint64_t	end;
	uint32_t	step;
};

static int compare_room(const void *pa, const void *pb)
{
	const struct room *a = pa, *b = pb;

	return a->off < b->off ? -1 : a->off > b->off;
}

static bool room_of(const struct suo_plan_step *step, uint32_t i, struct room *room)
{
	room->step = i;
	if (step->op == SUO_PLAN_RECV_REDUCE)
		room->off = step->scratch_off;
	else if (step->buf == SUO_PLAN_SCRATCH && step->op != SUO_PLAN_SEND)
		room->off = step->off;
	else
		return false;
	room->end = room->off + step->len;
	return step->len;
}

/* A message may land at any time: no room may serve two of them. */
static int check_rooms(const struct suo_plan *plan, uint32_t r,
		       const struct suo_plan_why *why)
{
	const struct suo_plan_rank *rank = &plan->rank[r];
	struct room *room;
	uint32_t i, n = 0;
	int ret = 0;

	room = calloc((size_t)rank->nsteps + 1, sizeof(*room));
	if (!room)
		return -ENOMEM;
	for (i = 0; i < rank->nsteps; i++)
		n += room_of(&rank->step[i], i, &room[n]);
	qsort(room, n, sizeof(*room), compare_room);

	for (i = 1; i < n && !ret; i++)
		if (room[i].off < room[i - 1].end)
			ret = suo_plan_refuse(why, "rank %" PRIu32 ": steps %"
				PRIu32 " and %" PRIu32 " share scratch memory", r,
				room[i - 1].step, room[i].step);
	free(room);
	return ret;
}

static int check_shape(const struct suo_plan *plan, const struct suo_plan_why *why)
{
	if (plan->coll >= SUO_NUM_COLLS)
		return suo_plan_refuse(why, "unknown collective");
	if (!plan->nranks || plan->nranks > SUO_PLAN_MAX_RANKS)
		return suo_plan_refuse(why, "%" PRIu32 " ranks: 1 to %u are possible",
				       plan->nranks, SUO_PLAN_MAX_RANKS);
	if (!plan->domain_size || plan->nranks % plan->domain_size)
		return suo_plan_refuse(why, "%" PRIu32 " ranks cannot be split into domains of %"
				       PRIu32, plan->nranks, plan->domain_size);
	if (plan->root >= plan->nranks)
		return suo_plan_refuse(why, "root %" PRIu32 " is no rank", plan->root);
	if (plan->coll == SUO_COLL_ALLTOALL && plan->count % plan->nranks)
		return suo_plan_refuse(why, "%" PRIu64 " elements cannot be split into %"
				       PRIu32 " equal blocks", plan->count,
				       plan->nranks);
	return 0;
}

int suo_plan_check_steps(const struct suo_plan *plan,
			 const struct suo_plan_why *why)
{
	int ret = check_shape(plan, why);

	if (ret)
		return ret;
	for (uint32_t r = 0; r < plan->nranks && !ret; r++) {
		for (uint32_t i = 0; i < plan->rank[r].nsteps && !ret; i++)
			ret = check_step(plan, r, i, why);
		if (!ret)
			ret = check_rooms(plan, r, why);
	}
	return ret;
}
