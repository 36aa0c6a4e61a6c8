// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ring ReduceScatter and AllGather as building blocks, and the ring AllReduce
 * made of them: 2(n - 1) steps, each of 1/n of the vector. Patarasuk and Yuan,
 * "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/plan/plan_build.h"

/* Members and parts are counted modulo n; back < 2n. */
static uint32_t before(const struct suo_plan_ring *ring, uint32_t member,
		       uint32_t back)
{
	return (member + 2 * ring->n - back) % ring->n;
}

static uint32_t ring_rank(const struct suo_plan_ring *ring, uint32_t member)
{
	return ring->first + member * ring->stride;
}

static int add_step(struct suo_plan *plan, const struct suo_plan_ring *ring,
		    uint32_t member, enum suo_plan_op op, uint32_t part,
		    uint32_t dep0, uint32_t dep1, uint32_t *index)
{
	uint32_t peer = op == SUO_PLAN_SEND ? (member + 1) % ring->n :
					      before(ring, member, 1);
	struct suo_plan_step step = {
		.op = op,
		.peer = ring_rank(ring, peer),
		.dep = { dep0, dep1 },
	};

	step.len = suo_plan_chunk(ring->len, ring->n, part, &step.off);
	step.off += ring->off;
	return suo_plan_add(plan, ring_rank(ring, member), &step, index);
}

int suo_plan_ring_reduce_scatter(struct suo_plan *plan,
				 const struct suo_plan_ring *ring,
				 uint32_t member, struct suo_plan_mark *mark,
				 uint32_t *sent)
{
	struct suo_plan_mark start = *mark;
	struct suo_plan_mark ready = *mark;
	uint32_t s;
	int ret;

	for (s = 0; s + 1 < ring->n; s++) {
		uint32_t got;

		ret = add_step(plan, ring, member, SUO_PLAN_SEND,
			       before(ring, member, s + 1),
			       ready.dep[0], ready.dep[1], &sent[s]);
		if (ret)
			return ret;

		ret = add_step(plan, ring, member, SUO_PLAN_RECV_REDUCE,
			       before(ring, member, s + 2),
			       start.dep[0], start.dep[1], &got);
		if (ret)
			return ret;
		ready = (struct suo_plan_mark){ { got, SUO_PLAN_NO_DEP } };
	}

	*mark = ready;
	return 0;
}

int suo_plan_ring_all_gather(struct suo_plan *plan,
			     const struct suo_plan_ring *ring, uint32_t member,
			     struct suo_plan_mark *mark, const uint32_t *sent)
{
	struct suo_plan_mark ready = *mark;
	uint32_t own = mark->dep[0];
	uint32_t got = mark->dep[1];
	uint32_t s;
	int ret;

	for (s = 0; s + 1 < ring->n; s++) {
		ret = add_step(plan, ring, member, SUO_PLAN_SEND,
			       before(ring, member, s),
			       ready.dep[0], ready.dep[1], NULL);
		if (ret)
			return ret;

		/*
		 * Chained to the receive before it, which costs nothing as
		 * both come from one peer: so the last one stands for all.
		 */
		ret = add_step(plan, ring, member, SUO_PLAN_RECV,
			       before(ring, member, s + 1), sent[s], got, &got);
		if (ret)
			return ret;
		ready = (struct suo_plan_mark){ { got, SUO_PLAN_NO_DEP } };
	}

	/* Complete: all that was received, and one's own part. */
	if (ring->n > 1)
		*mark = (struct suo_plan_mark){ { got, own } };
	return 0;
}

static int generate(struct suo_plan *plan, const struct suo_plan_shape *shape)
{
	struct suo_plan_ring ring = {
		.stride = 1,
		.n = shape->nranks,
		.len = shape->count,
	};
	uint32_t *sent;
	uint32_t r;
	int ret = 0;

	sent = calloc(ring.n, sizeof(*sent));
	if (!sent)
		return -ENOMEM;

	for (r = 0; r < ring.n && !ret; r++) {
		struct suo_plan_mark mark = SUO_PLAN_START;

		ret = suo_plan_ring_reduce_scatter(plan, &ring, r, &mark, sent);
		if (!ret)
			ret = suo_plan_ring_all_gather(plan, &ring, r, &mark,
						       sent);
	}

	free(sent);
	return ret;
}

const struct suo_plan_algo suo_plan_algo_ring = {
	.coll = SUO_COLL_ALLREDUCE,
	.name = "ring",
	.generate = generate,
};
