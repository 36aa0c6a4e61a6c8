// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the buffers hold in the end against what the collective promises. */
#include <inttypes.h>

#include "model/plan/bits.h"
#include "model/plan/check_values.h"

/**
 * struct want - what a range of a rank's DATA is to hold
 * @off: first element
 * @len: elements
 * @from: the contributor, or ALL
 * @shift: see struct suo_plan_run
 */
struct want {
	uint64_t	off;
	uint64_t	len;
	uint32_t	from;
	uint64_t	shift;
};

#define ALL	UINT32_MAX

static void want_block(const struct suo_plan *plan, uint32_t rank, struct want *want)
{
	want->len = suo_plan_block(plan, rank, &want->off);
}

/* The i-th range of a rank's output. Return: false: there are no more. */
static bool output(const struct suo_plan *plan, uint32_t rank, uint32_t i,
		   struct want *want)
{
	bool is_root = rank == plan->root;

	*want = (struct want){ .len = plan->count, .from = ALL };
	switch (plan->coll) {
	case SUO_COLL_ALLREDUCE:
		return i < 1;
	case SUO_COLL_REDUCE_SCATTER:
		want_block(plan, rank, want);
		return i < 1;
	case SUO_COLL_BROADCAST:
		want->from = plan->root;
		return i < 1;
	case SUO_COLL_REDUCE:
		return is_root && i < 1;
	case SUO_COLL_SCATTER:
		want_block(plan, rank, want);
		want->from = plan->root;
		return i < 1;
	case SUO_COLL_ALL_GATHER:
	case SUO_COLL_GATHER:
		if (i == plan->nranks || (plan->coll == SUO_COLL_GATHER && !is_root))
			return false;
		want_block(plan, i, want);
		want->from = i;
		return true;
	case SUO_COLL_ALLTOALL:
		if (i == plan->nranks)
			return false;
		want_block(plan, rank, want);
		want->shift = want->off;
		want_block(plan, i, want);
		want->shift -= want->off;
		want->from = i;
		return true;
	default:
		return false;
	}
}

static int refuse_spoilt(uint32_t rank, uint64_t off, uint64_t end,
			 const struct suo_plan_set *set,
			 const struct suo_plan_why *why)
{
	if (set->spoilt == SUO_PLAN_UNWRITTEN)
		return suo_plan_refuse(why, "rank %" PRIu32 ": nobody has written elements [%"
				       PRIu64 ", %" PRIu64 ")", rank, off, end);
	return suo_plan_refuse(why, "rank %" PRIu32 ": elements [%" PRIu64
		", %" PRIu64 ") are wrong: step %" PRIu32 " of rank %"
		PRIu32 " added %s", rank, off, end, set->step, set->rank,
		set->spoilt == SUO_PLAN_TWICE ? "a contribution a second time" :
						"unlike elements");
}

/* Elements [off, end), all in one run, against what is wanted of them. */
static int check_run(const struct suo_plan *plan, uint32_t rank, uint64_t off,
		     uint64_t end, const struct suo_plan_run *run,
		     const struct want *want, const struct suo_plan_why *why)
{
	if (run->set->spoilt)
		return refuse_spoilt(rank, off, end, run->set, why);
	if (run->shift != want->shift)
		return suo_plan_refuse(why, "rank %" PRIu32 ": elements [%" PRIu64
			", %" PRIu64 ") end with what belongs to [%" PRIu64
			", %" PRIu64 ")", rank, off, end,
			off + run->shift - want->shift,
			end + run->shift - want->shift);

	for (uint32_t r = 0; r < plan->nranks; r++) {
		bool wanted = want->from == ALL || want->from == r;

		if (wanted && !suo_bits_has(run->set->bits, r))
			return suo_plan_refuse(why, "rank %" PRIu32
				": elements [%" PRIu64 ", %" PRIu64
				") lack the contribution of rank %" PRIu32,
				rank, off, end, r);
		if (!wanted && suo_bits_has(run->set->bits, r))
			return suo_plan_refuse(why, "rank %" PRIu32
				": elements [%" PRIu64 ", %" PRIu64
				") have a contribution of rank %" PRIu32
				" that is not theirs", rank, off, end, r);
	}
	return 0;
}

static int check_want(const struct suo_plan_values *v, uint32_t rank,
		      const struct want *want, const struct suo_plan_why *why)
{
	const struct suo_plan_runs *data =
		&v->of[rank * SUO_PLAN_NUM_BUFS + SUO_PLAN_DATA];
	uint64_t off = 0, last = want->off + want->len;
	int ret = 0;

	for (uint32_t i = 0; i < data->n && off < last && !ret; i++) {
		uint64_t end = off + data->run[i].len;

		if (end > want->off)
			ret = check_run(v->plan, rank,
					off > want->off ? off : want->off,
					end < last ? end : last, &data->run[i],
					want, why);
		off = end;
	}
	return ret;
}

int suo_plan_values_final(const struct suo_plan_values *v,
			  const struct suo_plan_why *why)
{
	struct want want;
	int ret = 0;

	for (uint32_t r = 0; r < v->plan->nranks && !ret; r++)
		for (uint32_t i = 0; !ret && output(v->plan, r, i, &want); i++)
			if (want.len)
				ret = check_want(v, r, &want, why);
	return ret;
}
