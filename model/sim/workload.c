// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "model/core/rand.h"
#include "model/sim/workload.h"

struct run {
	const struct suo_workload	*work;
	struct suo_outcome		*out;
};

void suo_outcome_add(struct suo_outcome *out, const struct suo_msg *msg)
{
	suo_times_add(&out->arrived, msg->data_ps - msg->start_ps);
	suo_times_add(&out->done, msg->done_ps - msg->start_ps);
	out->last_data_ps = suo_max(out->last_data_ps, msg->data_ps);
	out->last_done_ps = suo_max(out->last_done_ps, msg->done_ps);
	out->messages++;
}

void suo_outcome_free(struct suo_outcome *out)
{
	suo_times_free(&out->arrived);
	suo_times_free(&out->done);
}

int suo_workload_check(const struct suo_workload *work,
		       const struct suo_sim_config *config, char *why, size_t size)
{
	u32 needs = work->kind == SUO_WORK_INCAST ? work->n + 1 :
		    work->kind == SUO_WORK_PLAN ? work->plan->nranks : work->n;

	if ((!work->n && work->kind != SUO_WORK_PLAN) || needs < 2 || needs > config->hosts) {
		snprintf(why, size, "%u hosts take part, of %u there are", needs,
			 config->hosts);
		return -EINVAL;
	}
	if (work->bytes > 1ull << 44) {
		snprintf(why, size, "a message has at most 16 TiB");
		return -EINVAL;
	}
	if (!work->flows_per_pair || work->flows_per_pair > 1024) {
		snprintf(why, size, "from 1 to 1024 queue pairs for a pair of hosts");
		return -EINVAL;
	}
	return 0;
}

/* Post a message over the queue pairs of a new pair, part by part. */
static void post(struct suo_sim *sim, const struct suo_workload *work, u32 src,
		 u32 dst, u64 tag)
{
	u32 parts = work->flows_per_pair;
	u64 done = 0;

	for (u32 i = 0; i < parts; i++) {
		struct suo_flow *flow = suo_sim_flow(sim, src, dst);
		u64 upto = suo_mul_div(work->bytes, i + 1, parts);

		if (!flow)
			return;
		suo_sim_post_at(sim, flow, upto - done, tag, sim->now_ps);
		done = upto;
	}
}

/* Each host once as a receiver, none to itself (Sattolo's cycle would be one ring:
 * this shuffles, and lets those that got themselves change with their neighbour).
 */
static int permute(struct suo_sim *sim, const struct suo_workload *work)
{
	u64 random = suo_ecmp_hash_u64(work->seed, 11);
	u32 n = work->n;
	u32 *to = calloc(n, sizeof(*to));

	if (!to)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++)
		to[i] = i;
	for (u32 i = n - 1; i; i--) {
		u32 j = suo_ecmp_choose(suo_rand(&random), i + 1), host = to[i];

		to[i] = to[j];
		to[j] = host;
	}
	for (u32 i = 0; i < n; i++) {
		u32 next = (i + 1) % n, host = to[i];

		if (host != i)
			continue;
		to[i] = to[next];
		to[next] = host;
	}
	for (u32 i = 0; i < n; i++)
		post(sim, work, i, to[i], 0);
	free(to);
	return 0;
}

static void start(struct suo_sim *sim, const struct suo_workload *work)
{
	u32 n = work->n;

	switch (work->kind) {
	case SUO_WORK_INCAST:
		for (u32 i = 1; i <= n; i++)
			post(sim, work, i, 0, 0);
		return;
	case SUO_WORK_RING:
		for (u32 i = 0; i < n; i++)
			post(sim, work, i, (i + 1) % n, 0);
		return;
	default:
		for (u32 i = 0; i < n; i++)
			for (u32 k = 1; k < n; k++)
				post(sim, work, i, (i + k) % n, 0);
		return;
	}
}

/* A chain goes on from the host that it has reached. The tag counts its steps. */
static void chain(struct suo_sim *sim, const struct suo_workload *work,
		  const struct suo_msg *msg)
{
	if (work->kind == SUO_WORK_RING && msg->tag + 1 < work->steps)
		post(sim, work, msg->dst, (msg->dst + 1) % work->n, msg->tag + 1);
}

static void arrived(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	const struct run *run = arg;

	if (!run->work->at_done)
		chain(sim, run->work, msg);
}

static void done(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	const struct run *run = arg;

	suo_outcome_add(run->out, msg);
	if (run->work->at_done)
		chain(sim, run->work, msg);
}

int suo_workload_run(struct suo_sim *sim, const struct suo_workload *work,
		     struct suo_outcome *out)
{
	struct run run = { work, out };
	int ret = 0;

	*out = (struct suo_outcome){ 0 };
	if (work->kind == SUO_WORK_PLAN) {
		ret = suo_replay_run(sim, work, out);
	} else {
		sim->user = (struct suo_sim_user){ arrived, done, &run };
		if (work->kind == SUO_WORK_PERMUTATION)
			ret = permute(sim, work);
		else
			start(sim, work);
		if (!ret)
			ret = suo_sim_run(sim);
	}
	if (out->arrived.full || out->done.full)
		return -ENOMEM;
	return ret;
}
