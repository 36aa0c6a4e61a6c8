// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The textual form of a plan. */
#include <inttypes.h>

#include "model/plan/plan.h"

static const char *const op_name[SUO_PLAN_NUM_OPS] = {
	[SUO_PLAN_SEND]		= "send",
	[SUO_PLAN_RECV]		= "recv",
	[SUO_PLAN_RECV_REDUCE]	= "recv-reduce",
	[SUO_PLAN_COPY]		= "copy",
	[SUO_PLAN_MCAST_WRITE]	= "mcast-write",
	[SUO_PLAN_REDUCED_READ]	= "reduced-read",
};

static void print_step(uint32_t rank, uint32_t index,
		       const struct suo_plan_step *step, FILE *out)
{
	const char *after = "  after";

	fprintf(out, "r%-4" PRIu32 " s%-4" PRIu32 " %-11s %s r%-4" PRIu32
		" [%" PRIu64 ", %" PRIu64 ")",
		rank, index, op_name[step->op],
		step->op == SUO_PLAN_SEND ? "to  " : "from", step->peer,
		step->off, step->off + step->len);

	for (int i = 0; i < SUO_PLAN_MAX_DEPS; i++) {
		if (step->dep[i] == SUO_PLAN_NO_DEP)
			continue;
		fprintf(out, "%s s%" PRIu32, after, step->dep[i]);
		after = "";
	}
	fputc('\n', out);
}

void suo_plan_print(const struct suo_plan *plan, FILE *out)
{
	fprintf(out, "# %s AllReduce, %" PRIu32 " ranks, %" PRIu64 " elements\n",
		plan->name, plan->nranks, plan->count);
	fputs("# rank, step, operation, peer, elements [first, end), steps to wait for\n",
	      out);

	for (uint32_t r = 0; r < plan->nranks; r++)
		for (uint32_t i = 0; i < plan->rank[r].nsteps; i++)
			print_step(r, i, &plan->rank[r].step[i], out);
}
