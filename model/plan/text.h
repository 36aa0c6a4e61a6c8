/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The textual form of a plan. Empty lines and those that begin with # say nothing.
 * The first other one is
 *
 *	plan COLLECTIVE ALGORITHM ranks N domain G count C root R
 *
 * where ALGORITHM can be any word, and each further one is a step, those of a rank
 * in their order:
 *
 *	rR sI OP WORD rPEER BUF[FIRST, END) [via|of BUF[FIRST, END)] [after sI [sI]]
 *
 * BUF is nothing for DATA, "input" or "scratch". What follows "via" is the room of
 * a recv-reduce; what follows "of" is where others get their data from.
 */
#ifndef SUO_PLAN_TEXT_H
#define SUO_PLAN_TEXT_H

#include "model/plan/match.h"
#include "model/plan/plan.h"

extern const char *const suo_plan_op_name[SUO_PLAN_NUM_OPS];
extern const char *const suo_plan_buf_name[SUO_PLAN_NUM_BUFS];

/**
 * suo_plan_read() - a plan from its textual form
 * @in: the text
 * @out: the plan, which may still be wrong: suo_plan_check() tells; free it with
 *	suo_plan_free()
 * @why: where the reason goes: "line N: ..."
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int suo_plan_read(FILE *in, struct suo_plan **out, const struct suo_plan_why *why);

#endif /* SUO_PLAN_TEXT_H */
