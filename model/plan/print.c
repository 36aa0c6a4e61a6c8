// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The textual form of a plan: text.h describes it. */
#include <inttypes.h>

#include "model/plan/text.h"

const char *const suo_plan_op_name[SUO_PLAN_NUM_OPS] = {
	[SUO_PLAN_SEND]		= "send",
	[SUO_PLAN_RECV]		= "recv",
	[SUO_PLAN_RECV_REDUCE]	= "recv-reduce",
	[SUO_PLAN_COPY]		= "copy",
	[SUO_PLAN_MCAST_WRITE]	= "mcast-write",
	[SUO_PLAN_REDUCED_READ]	= "reduced-read",
};

const char *const suo_plan_buf_name[SUO_PLAN_NUM_BUFS] = {
	[SUO_PLAN_DATA]		= "",
	[SUO_PLAN_INPUT]	= "input",
	[SUO_PLAN_SCRATCH]	= "scratch",
};

static void print_range(const char *word, uint32_t buf, uint64_t off, uint64_t len,
			FILE *out)
{
	fprintf(out, "%s%s[%" PRIu64 ", %" PRIu64 ")", word, suo_plan_buf_name[buf],
		off, off + len);
}

static void print_step(uint32_t rank, uint32_t index,
		       const struct suo_plan_step *step, FILE *out)
{
	static const char *const toward[SUO_PLAN_NUM_OPS] = {
		[SUO_PLAN_SEND]		= "to  ",
		[SUO_PLAN_RECV]		= "from",
		[SUO_PLAN_RECV_REDUCE]	= "from",
		[SUO_PLAN_COPY]		= "at  ",
		[SUO_PLAN_MCAST_WRITE]	= "by  ",
		[SUO_PLAN_REDUCED_READ]	= "by  ",
	};
	const char *after = "  after";

	fprintf(out, "r%-4" PRIu32 " s%-4" PRIu32 " %-11s %s r%-4" PRIu32 " ",
		rank, index, suo_plan_op_name[step->op], toward[step->op],
		step->peer);
	print_range("", step->buf, step->off, step->len, out);
	if (step->op == SUO_PLAN_RECV_REDUCE)
		print_range(" via ", SUO_PLAN_SCRATCH, step->scratch_off, step->len,
			    out);
	else if (step->op >= SUO_PLAN_COPY)
		print_range(" of ", step->src, step->src_off, step->len, out);

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
	fprintf(out, "plan %s %s ranks %" PRIu32 " domain %" PRIu32 " count %"
		PRIu64 " root %" PRIu32 "\n", suo_coll_name(plan->coll), plan->name,
		plan->nranks, plan->domain_size, plan->count, plan->root);
	fputs("# rank, step, operation, peer, elements [first, end), steps to wait for\n",
	      out);

	for (uint32_t r = 0; r < plan->nranks; r++)
		for (uint32_t i = 0; i < plan->rank[r].nsteps; i++)
			print_step(r, i, &plan->rank[r].step[i], out);
}
