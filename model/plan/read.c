// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reading the textual form of a plan: text.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/line.h"
#include "model/plan/plan_build.h"
#include "model/plan/text.h"

/**
 * struct reader - one line
 * @at: what is left of it
 * @fault: what is wrong; NULL: nothing yet
 */
struct reader {
	char		*at;
	const char	*fault;
};

static void fail(struct reader *r, const char *fault)
{
	if (!r->fault)
		r->fault = fault;
}

static bool at_end(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
	return !*r->at;
}

/* The next word, which ends with a blank. Return: "" if there is none. */
static const char *word(struct reader *r)
{
	char *start;

	if (at_end(r))
		return "";
	start = r->at;
	while (*r->at && !isspace((unsigned char)*r->at))
		r->at++;
	if (*r->at)
		*r->at++ = '\0';
	return start;
}

static bool take(struct reader *r, const char *text)
{
	size_t len = strlen(text);

	at_end(r);
	if (strncmp(r->at, text, len))
		return false;
	r->at += len;
	return true;
}

static uint64_t number(struct reader *r, uint64_t max)
{
	unsigned long long value;
	char *end;

	at_end(r);
	if (!isdigit((unsigned char)*r->at)) {
		fail(r, "a number is missing");
		return 0;
	}
	errno = 0;
	value = strtoull(r->at, &end, 10);
	if (errno || value > max)
		fail(r, "a number is too large");
	r->at = end;
	return value;
}

static uint64_t number_after(struct reader *r, const char *text, uint64_t max)
{
	if (!take(r, text))
		fail(r, "a word is missing");
	return number(r, max);
}

static uint8_t range(struct reader *r, uint64_t *off, uint64_t *len)
{
	uint8_t buf = SUO_PLAN_DATA;
	uint64_t end;

	for (uint8_t b = SUO_PLAN_INPUT; b < SUO_PLAN_NUM_BUFS; b++)
		if (take(r, suo_plan_buf_name[b]))
			buf = b;
	*off = number_after(r, "[", UINT64_MAX);
	end = number_after(r, ",", UINT64_MAX);
	if (!take(r, ")"))
		fail(r, "a range does not end with ')'");
	if (end < *off)
		fail(r, "a range ends before it begins");
	*len = end - *off;
	return buf;
}

static enum suo_plan_op operation(struct reader *r)
{
	const char *name = word(r);

	for (int op = 0; op < SUO_PLAN_NUM_OPS; op++)
		if (!strcmp(name, suo_plan_op_name[op]))
			return op;
	fail(r, "unknown operation");
	return SUO_PLAN_SEND;
}

static void source(struct reader *r, struct suo_plan_step *step)
{
	bool via = step->op == SUO_PLAN_RECV_REDUCE;
	uint64_t len;

	if (step->op < SUO_PLAN_RECV_REDUCE)
		return;
	if (!take(r, via ? "via" : "of"))
		fail(r, "the second range is missing");
	step->src = range(r, via ? &step->scratch_off : &step->src_off, &len);
	if (len != step->len)
		fail(r, "the two ranges are not of one length");
	if (via && step->src != SUO_PLAN_SCRATCH)
		fail(r, "the room of a recv-reduce is not scratch memory");
	if (via)
		step->src = SUO_PLAN_DATA;
}

/* Scratch memory is as large as what the steps name. */
static void grow_scratch(struct suo_plan_rank *rank, const struct suo_plan_step *step)
{
	uint64_t end = 0;

	if (step->op == SUO_PLAN_RECV_REDUCE)
		end = step->scratch_off + step->len;
	if (step->buf == SUO_PLAN_SCRATCH && step->off + step->len > end)
		end = step->off + step->len;
	if (step->src == SUO_PLAN_SCRATCH && step->src_off + step->len > end)
		end = step->src_off + step->len;
	if (end > rank->scratch_len)
		rank->scratch_len = end;
}

static int read_step(struct reader *r, struct suo_plan *plan)
{
	struct suo_plan_step step = { .dep = { SUO_PLAN_NO_DEP, SUO_PLAN_NO_DEP } };
	uint32_t rank, index, ndeps = 0;
	uint64_t scratch_len;
	int ret;

	rank = number_after(r, "r", SUO_PLAN_MAX_RANKS);
	index = number_after(r, "s", UINT32_MAX - 1);
	step.op = operation(r);
	word(r);
	step.peer = number_after(r, "r", SUO_PLAN_MAX_RANKS);
	step.buf = range(r, &step.off, &step.len);
	source(r, &step);
	if (take(r, "after"))
		do
			step.dep[ndeps++] = number_after(r, "s", UINT32_MAX - 1);
		while (ndeps < SUO_PLAN_MAX_DEPS && !at_end(r));
	if (!at_end(r))
		fail(r, "there is more than a step on this line");
	if (!r->fault && rank >= plan->nranks)
		fail(r, "there is no such rank");
	if (!r->fault && index != plan->rank[rank].nsteps)
		fail(r, "this is not the rank's next step");
	if (r->fault)
		return -EINVAL;

	/* Its room is the text's, not the next one. */
	scratch_len = plan->rank[rank].scratch_len;
	plan->rank[rank].scratch_len = 0;
	index = plan->rank[rank].nsteps;
	ret = suo_plan_add(plan, rank, &step, NULL);
	plan->rank[rank].scratch_len = scratch_len;
	if (ret)
		return ret;
	plan->rank[rank].step[index] = step;
	grow_scratch(&plan->rank[rank], &step);
	return 0;
}

static int read_header(struct reader *r, struct suo_plan **plan)
{
	struct suo_plan_shape shape = { 0 };
	const char *name;
	int coll;

	if (strcmp(word(r), "plan"))
		fail(r, "the first line does not begin with 'plan'");
	coll = suo_coll_parse(word(r));
	if (coll < 0)
		fail(r, "unknown collective");
	name = word(r);
	shape.nranks = number_after(r, "ranks", SUO_PLAN_MAX_RANKS);
	shape.domain_size = number_after(r, "domain", SUO_PLAN_MAX_RANKS);
	shape.count = number_after(r, "count", UINT64_MAX);
	shape.root = number_after(r, "root", SUO_PLAN_MAX_RANKS);
	if (!shape.nranks)
		fail(r, "no ranks");
	if (!at_end(r))
		fail(r, "there is more than the plan's shape on this line");
	if (r->fault)
		return -EINVAL;
	*plan = suo_plan_alloc(coll, name, &shape);
	return *plan ? 0 : -ENOMEM;
}

int suo_plan_read(FILE *in, struct suo_plan **out, const struct suo_plan_why *why)
{
	struct suo_plan *plan = NULL;
	unsigned long lines = 0;
	char *line = NULL;
	size_t size = 0;
	int ret = 0, len = 1;

	while (!ret && (len = suo_line_get(in, &line, &size)) > 0) {
		struct reader r = { .at = line };

		lines++;
		if (at_end(&r) || *r.at == '#')
			continue;
		ret = plan ? read_step(&r, plan) : read_header(&r, &plan);
		if (ret == -EINVAL)
			suo_plan_refuse(why, "line %lu: %s", lines,
					r.fault ? r.fault : "too much scratch memory");
	}
	free(line);
	if (len < 0)
		ret = len == -ENOMEM ? len : suo_plan_refuse(why, "line %lu: %s",
							     lines + 1,
							     suo_line_fault(len));
	if (!ret && !plan)
		ret = suo_plan_refuse(why, "line %lu: there is no plan", lines);
	if (ret) {
		suo_plan_free(plan);
		return ret;
	}
	*out = plan;
	return 0;
}
