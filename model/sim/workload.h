/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who sends what to whom. */
#ifndef SUO_SIM_WORKLOAD_H
#define SUO_SIM_WORKLOAD_H

#include "model/plan/plan.h"
#include "model/sim/result.h"
#include "model/sim/sim.h"

enum suo_workload_kind {
	SUO_WORK_INCAST,	/* hosts 1 to n to host 0 */
	SUO_WORK_PERMUTATION,	/* each of n sends to one, each gets from one */
	SUO_WORK_ALL_TO_ALL,	/* each of n to all others */
	SUO_WORK_RING,		/* n chains round a ring, a step after the other */
	SUO_WORK_PLAN,		/* a collective */
	SUO_WORKLOADS,
};

/**
 * struct suo_workload - what is sent
 * @kind: enum suo_workload_kind
 * @n: senders (incast), hosts that take part, ranks
 * @bytes: of each message
 * @steps: ring: of each chain
 * @at_done: ring: a step begins when the sender of the last one knows that it is done,
 *	not when the data has arrived
 * @seed: permutation
 * @plan: the collective; its ranks are hosts
 * @elem_bytes: of the plan's elements
 * @flows_per_pair: queue pairs of a pair of hosts, over which messages take turns
 */
struct suo_workload {
	u32			kind;
	u32			n;
	u64			bytes;
	u32			steps;
	bool			at_done;
	u64			seed;
	const struct suo_plan	*plan;
	u32			elem_bytes;
	u32			flows_per_pair;
};

/**
 * struct suo_outcome - what came out
 * @arrived: from the posting of a message to its arrival
 * @done: until its sender knows
 * @last_data_ps: the last message arrived
 * @last_done_ps: the last sender knew
 * @messages: that were done
 */
struct suo_outcome {
	struct suo_times	arrived;
	struct suo_times	done;
	u64			last_data_ps;
	u64			last_done_ps;
	u64			messages;
};

/* Return: 0, or -EINVAL with the reason. */
int suo_workload_check(const struct suo_workload *work,
		       const struct suo_sim_config *config, char *why, size_t size);

/**
 * suo_workload_run() - simulate a workload
 * @sim: made, not yet run
 * @work: checked
 * @out: filled in, as far as it got; free it with suo_outcome_free()
 *
 * Return: as suo_sim_run(); -EINVAL if a plan does not run to its end.
 */
int suo_workload_run(struct suo_sim *sim, const struct suo_workload *work,
		     struct suo_outcome *out);

void suo_outcome_free(struct suo_outcome *out);

/* For workload.c and replay.c */
void suo_outcome_add(struct suo_outcome *out, const struct suo_msg *msg);
int suo_replay_run(struct suo_sim *sim, const struct suo_workload *work,
		   struct suo_outcome *out);

#endif /* SUO_SIM_WORKLOAD_H */
