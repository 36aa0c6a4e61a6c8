// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hierarchical AllReduce: a ring ReduceScatter inside each scale-up domain
 * leaves member i of every domain with shard i of the vector; the members of
 * equal index reduce it across the domains by a ring AllReduce; a ring
 * AllGather inside each domain spreads the result. Only 1/g of the vector of a
 * rank crosses the scale-out network, g being the size of a domain.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/plan/plan_build.h"

/* All of one rank's steps; room for the send steps is the caller's. */
static int generate_rank(struct suo_plan *plan,
			 const struct suo_plan_shape *shape, uint32_t rank,
			 uint32_t *sent_up, uint32_t *sent_out)
{
	uint32_t member = rank % shape->domain_size;
	uint32_t domain = rank / shape->domain_size;
	struct suo_plan_ring up = {
		.first = domain * shape->domain_size,
		.stride = 1,
		.n = shape->domain_size,
		.len = shape->count,
	};
	struct suo_plan_ring out = {
		.first = member,
		.stride = shape->domain_size,
		.n = shape->nranks / shape->domain_size,
	};
	struct suo_plan_mark mark = SUO_PLAN_START;
	int ret;

	out.len = suo_plan_chunk(up.len, up.n, member, &out.off);

	ret = suo_plan_ring_reduce_scatter(plan, &up, member, &mark, sent_up);
	if (ret)
		return ret;
	ret = suo_plan_ring_reduce_scatter(plan, &out, domain, &mark, sent_out);
	if (ret)
		return ret;
	ret = suo_plan_ring_all_gather(plan, &out, domain, &mark, sent_out);
	if (ret)
		return ret;
	return suo_plan_ring_all_gather(plan, &up, member, &mark, sent_up);
}

static int generate(struct suo_plan *plan, const struct suo_plan_shape *shape)
{
	uint32_t *sent_up, *sent_out;
	uint32_t r;
	int ret = 0;

	sent_up = calloc(shape->domain_size, sizeof(*sent_up));
	if (!sent_up)
		return -ENOMEM;
	sent_out = calloc(shape->nranks / shape->domain_size, sizeof(*sent_out));
	if (!sent_out) {
		ret = -ENOMEM;
		goto err_sent_out;
	}

	for (r = 0; r < shape->nranks && !ret; r++)
		ret = generate_rank(plan, shape, r, sent_up, sent_out);

	free(sent_out);
err_sent_out:
	free(sent_up);
	return ret;
}

const struct suo_plan_algo suo_plan_algo_hierarchical = {
	.coll = SUO_COLL_ALLREDUCE,
	.name = "hierarchical",
	.generate = generate,
};
