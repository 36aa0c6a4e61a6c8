// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo plan list, suo plan show, suo plan check */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/report.h"
#include "model/cluster/units.h"
#include "model/plan/text.h"
#include "userspace/cli/cli.h"

#define DEFAULT_RANKS	8
#define DEFAULT_COUNT	1024

struct args {
	struct suo_json_opts	json;
	enum suo_coll		coll;
	const char		*algorithm;
	const char		*file;
	bool			has_coll;
	bool			has_count;
	bool			has_root;
	struct suo_plan_shape	shape;
};

static const struct argp_option options[] = {
	{ "ranks", 'n', "N", 0, "Ranks (default 8)", 0 },
	{ "domain-size", 'g', "G", 0,
	  "Ranks of a scale-up domain, a divisor of N (default N)", 0 },
	{ "count", 'c', "C", 0, "Elements of the vector (default 1024)", 0 },
	{ "root", 'r', "R", 0,
	  "Root of a broadcast, reduce, gather or scatter (default 0)", 0 },
	{ "file", 'f', "FILE", 0,
	  "Take the plan from FILE, as 'suo plan show' prints it", 0 },
	{ 0 }
};

static uint64_t number(struct argp_state *state, const char *name,
		       const char *text, uint64_t min, uint64_t max)
{
	const struct suo_quantity what = { SUO_NUMBER, NULL, min, max };

	return suo_option_quantity(state, name, text, &what);
}

static const char *coll_candidate(unsigned int i, const void *arg)
{
	return i < SUO_NUM_COLLS ? suo_coll_name(i) : NULL;
}

static enum suo_coll coll_of(struct argp_state *state, const char *word)
{
	int coll = suo_coll_parse(word);
	const char *meant;

	if (coll < 0) {
		meant = suo_nearest(word, coll_candidate, NULL);
		argp_error(state, "unknown collective '%s'%s%s", word,
			   meant ? "; did you mean " : "", meant ? meant : "");
	}
	return coll;
}

/* [COLLECTIVE] ALGORITHM; one word that is both is an algorithm. */
static void take_word(struct argp_state *state, struct args *args, const char *word)
{
	if (args->has_coll || state->arg_num > 1)
		argp_error(state, "one collective and one algorithm only");
	if (!args->algorithm) {
		args->algorithm = word;
		return;
	}
	args->coll = coll_of(state, args->algorithm);
	args->has_coll = true;
	args->algorithm = word;
}

static void check_shape(struct argp_state *state, struct args *args)
{
	struct suo_plan_shape *shape = &args->shape;

	if (args->file && args->algorithm)
		argp_error(state, "either an algorithm or a file");
	if (!args->file && !args->algorithm)
		argp_error(state, "which algorithm? See: suo plan list");
	if (!shape->domain_size)
		shape->domain_size = shape->nranks;
	if (shape->nranks % shape->domain_size)
		argp_error(state, "%" PRIu32 " ranks cannot be split into domains of %"
			   PRIu32, shape->nranks, shape->domain_size);
	if (args->has_root && !suo_coll_has_root(args->coll))
		argp_error(state, "%s has no root", suo_coll_name(args->coll));
	if (shape->root >= shape->nranks)
		argp_error(state, "--root: there is no rank %" PRIu32, shape->root);
	if (args->coll == SUO_COLL_BARRIER && !args->has_count)
		shape->count = 0;
	if (args->coll == SUO_COLL_BARRIER && shape->count)
		argp_error(state, "--count: a barrier has no elements");
	if (args->coll == SUO_COLL_ALLTOALL && !args->has_count)
		shape->count -= shape->count % shape->nranks;
	if (args->coll == SUO_COLL_ALLTOALL && shape->count % shape->nranks)
		argp_error(state, "--count: %" PRIu64 " elements cannot be split into %"
			   PRIu32 " equal blocks", shape->count, shape->nranks);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		return 0;
	case 'n':
		args->shape.nranks = number(state, "ranks", arg, 1,
					    SUO_PLAN_MAX_RANKS);
		return 0;
	case 'g':
		args->shape.domain_size = number(state, "domain-size", arg, 1,
						 SUO_PLAN_MAX_RANKS);
		return 0;
	case 'c':
		args->shape.count = number(state, "count", arg, 0, 1ull << 56);
		args->has_count = true;
		return 0;
	case 'r':
		args->shape.root = number(state, "root", arg, 0,
					  SUO_PLAN_MAX_RANKS);
		args->has_root = true;
		return 0;
	case 'f':
		args->file = arg;
		return 0;
	case ARGP_KEY_ARG:
		take_word(state, args, arg);
		return 0;
	case ARGP_KEY_END:
		check_shape(state, args);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *candidate(unsigned int i, const void *arg)
{
	return suo_plan_coll_algorithm(*(const enum suo_coll *)arg, i);
}

static int read_file(const char *path, struct suo_plan **plan)
{
	char text[256] = "";
	struct suo_plan_why why = { text, sizeof(text) };
	FILE *in = fopen(path, "r");
	int ret;

	if (!in)
		return suo_error(SUO_USAGE, "%s: %s", path, strerror(errno));
	ret = suo_plan_read(in, plan, &why);
	fclose(in);
	if (ret == -ENOMEM)
		return suo_error(SUO_FAILED, "%s: not enough memory", path);
	return ret ? suo_error(SUO_USAGE, "%s: %s", path, text) : SUO_OK;
}

static int generate(const struct args *args, struct suo_plan **plan)
{
	const char *meant;

	if (args->file)
		return read_file(args->file, plan);
	switch (suo_plan_make(args->coll, args->algorithm, &args->shape, plan)) {
	case 0:
		return SUO_OK;
	case -ENOMEM:
		return suo_error(SUO_FAILED, "not enough memory for so large a plan");
	}
	if (suo_plan_known(args->coll, args->algorithm))
		return suo_error(SUO_FAILED, "%s cannot do this shape", args->algorithm);
	meant = suo_nearest(args->algorithm, candidate, &args->coll);
	return suo_error(SUO_USAGE, "unknown algorithm '%s' of %s; %s%s",
			 args->algorithm, suo_coll_name(args->coll),
			 meant ? "did you mean " : "see: suo plan list",
			 meant ? meant : "");
}

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		return 0;
	case ARGP_KEY_ARG:
		if (args->has_coll)
			argp_error(state, "one collective only");
		args->coll = coll_of(state, arg);
		args->has_coll = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static json_t *list_json(enum suo_coll coll)
{
	json_t *names = json_array();
	const char *name;

	for (unsigned int i = 0; (name = suo_plan_coll_algorithm(coll, i)); i++)
		json_array_append_new(names, json_string(name));
	return names;
}

int suo_cmd_plan_list(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_list,
		.args_doc = "[COLLECTIVE]",
		.doc = "List the algorithms of a collective, or of all.",
		.children = suo_json_children,
	};
	struct args args = { 0 };
	json_t *lists = json_object();
	const char *name;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	for (int coll = 0; coll < SUO_NUM_COLLS; coll++) {
		if (args.has_coll && args.coll != (enum suo_coll)coll)
			continue;
		json_object_set_new(lists, suo_coll_name(coll), list_json(coll));
		if (!args.has_coll && !args.json.json)
			printf("%s:\n", suo_coll_name(coll));
		for (unsigned int i = 0; !args.json.json &&
		     (name = suo_plan_coll_algorithm(coll, i)); i++)
			printf("%s%s\n", args.has_coll ? "" : "\t", name);
	}
	if (args.json.json)
		return suo_json_print(&args.json, lists);
	json_decref(lists);
	return SUO_OK;
}

#define NAMES_DOC	"\vALGORITHM is one of 'suo plan list'. Hierarchies may name what"	\
			" is done inside domains and across: hierarchical:ring+rhd."		\
			" What is cut into chunks may be told how many: pipelined@8."		\
			" COLLECTIVE is allreduce by default."

static json_t *step_json(const struct suo_plan_step *step)
{
	json_t *after = json_array();
	json_t *json;

	for (int i = 0; i < SUO_PLAN_MAX_DEPS; i++)
		if (step->dep[i] != SUO_PLAN_NO_DEP)
			json_array_append_new(after, json_integer(step->dep[i]));
	json = json_pack("{s:s, s:i, s:s, s:I, s:I, s:o}",
			 "operation", suo_plan_op_name[step->op], "peer", step->peer,
			 "buffer", step->buf == SUO_PLAN_DATA ? "data" :
						suo_plan_buf_name[step->buf],
			 "first", (json_int_t)step->off,
			 "elements", (json_int_t)step->len, "after", after);
	if (step->op == SUO_PLAN_RECV_REDUCE)
		json_object_set_new(json, "scratch_first",
				    json_integer(step->scratch_off));
	if (step->op < SUO_PLAN_COPY)
		return json;
	json_object_set_new(json, "source", json_string(step->src == SUO_PLAN_DATA ?
							"data" :
							suo_plan_buf_name[step->src]));
	json_object_set_new(json, "source_first", json_integer(step->src_off));
	return json;
}

/* An array of steps for each rank; those to wait for are indices into it. */
static json_t *plan_json(const struct suo_plan *plan)
{
	json_t *ranks = json_array();

	for (uint32_t r = 0; r < plan->nranks; r++) {
		json_t *steps = json_array();

		for (uint32_t i = 0; i < plan->rank[r].nsteps; i++)
			json_array_append_new(steps, step_json(&plan->rank[r].step[i]));
		json_array_append_new(ranks, steps);
	}
	return json_pack("{s:s, s:s, s:i, s:i, s:I, s:i, s:o}",
			 "collective", suo_coll_name(plan->coll),
			 "algorithm", plan->name, "ranks", plan->nranks,
			 "domain_size", plan->domain_size,
			 "count", (json_int_t)plan->count, "root", plan->root,
			 "steps", ranks);
}

int suo_cmd_plan_show(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COLLECTIVE] ALGORITHM",
		.doc = "Print the steps of a collective, one a line." NAMES_DOC,
		.children = suo_json_children,
	};
	struct args args = {
		.shape = { .nranks = DEFAULT_RANKS, .count = DEFAULT_COUNT },
	};
	struct suo_plan *plan;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = generate(&args, &plan);
	if (status)
		return status;

	if (args.json.json)
		status = suo_json_print(&args.json, plan_json(plan));
	else
		suo_plan_print(plan, stdout);
	suo_plan_free(plan);
	return status;
}

static const char *promise(enum suo_coll coll)
{
	static const char *const names[SUO_NUM_COLLS] = {
		[SUO_COLL_ALLREDUCE]		= "an AllReduce",
		[SUO_COLL_REDUCE_SCATTER]	= "a ReduceScatter",
		[SUO_COLL_ALL_GATHER]		= "an AllGather",
		[SUO_COLL_BROADCAST]		= "a Broadcast",
		[SUO_COLL_REDUCE]		= "a Reduce",
		[SUO_COLL_GATHER]		= "a Gather",
		[SUO_COLL_SCATTER]		= "a Scatter",
		[SUO_COLL_BARRIER]		= "a Barrier",
		[SUO_COLL_ALLTOALL]		= "an All-to-All",
	};

	return names[coll];
}

int suo_cmd_plan_check(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COLLECTIVE] ALGORITHM",
		.doc = "Prove that a plan does what its collective promises: every"
		       " element of every output has the contributions that it"
		       " should, each exactly once, nothing waits for ever, and no"
		       " order is left to chance." NAMES_DOC,
		.children = suo_json_children,
	};
	struct args args = {
		.shape = { .nranks = DEFAULT_RANKS, .count = DEFAULT_COUNT },
	};
	struct suo_plan *plan;
	uint64_t steps = 0;
	char why[256] = "";
	int status, ret;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = generate(&args, &plan);
	if (status)
		return status;

	for (uint32_t r = 0; r < plan->nranks; r++)
		steps += plan->rank[r].nsteps;
	ret = suo_plan_check(plan, why, sizeof(why));

	if (args.json.json)
		status = suo_json_print(&args.json,
			json_pack("{s:s, s:s, s:i, s:i, s:I, s:i, s:I, s:b, s:s}",
				  "collective", suo_coll_name(plan->coll),
				  "algorithm", plan->name,
				  "ranks", plan->nranks,
				  "domain_size", plan->domain_size,
				  "count", (json_int_t)plan->count,
				  "root", plan->root,
				  "steps", (json_int_t)steps, "ok", !ret,
				  "reason", why));
	else if (!ret)
		printf("%s: %" PRIu32 " ranks, %" PRIu64 " steps: %s\n",
		       plan->name, plan->nranks, steps, promise(plan->coll));
	if (ret)
		status = suo_error(SUO_FAILED, "%s: not %s: %s", plan->name,
				   promise(plan->coll), why);
	suo_plan_free(plan);
	return status;
}
