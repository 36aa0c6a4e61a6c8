// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo plan list, suo plan show, suo plan check */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "model/cluster/report.h"
#include "model/cluster/units.h"
#include "model/plan/plan.h"
#include "userspace/cli/cli.h"

struct args {
	bool			takes_json;
	struct suo_json_opts	json;
	const char		*algorithm;
	struct suo_plan_shape	shape;
};

static const struct argp_option options[] = {
	{ "ranks", 'n', "N", 0, "Ranks (default 8)", 0 },
	{ "domain-size", 'g', "G", 0,
	  "Ranks of a scale-up domain, a divisor of N (default N)", 0 },
	{ "count", 'c', "C", 0, "Elements of the vector (default 1024)", 0 },
	{ 0 }
};

static uint64_t number(struct argp_state *state, const char *name,
		       const char *text, uint64_t min, uint64_t max)
{
	const struct suo_quantity what = { SUO_NUMBER, NULL, min, max };
	uint64_t value = min;
	char why[256];

	if (suo_quantity_parse(text, &what, &value, why, sizeof(why)))
		argp_error(state, "--%s: %s", name, why);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		if (args->takes_json)
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
		args->shape.count = number(state, "count", arg, 0, 1ull << 60);
		return 0;
	case ARGP_KEY_ARG:
		if (args->algorithm)
			argp_error(state, "one algorithm only");
		args->algorithm = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which algorithm? See: suo plan list");
		return 0;
	case ARGP_KEY_END:
		if (!args->shape.domain_size)
			args->shape.domain_size = args->shape.nranks;
		if (args->shape.nranks % args->shape.domain_size)
			argp_error(state, "%" PRIu32 " ranks cannot be split into domains of %"
				   PRIu32, args->shape.nranks,
				   args->shape.domain_size);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *candidate(unsigned int i, const void *arg)
{
	return suo_plan_algorithm(i);
}

static int generate(const struct args *args, struct suo_plan **plan)
{
	const char *meant;

	switch (suo_plan_allreduce(args->algorithm, &args->shape, plan)) {
	case 0:
		return SUO_OK;
	case -ENOMEM:
		return suo_error(SUO_FAILED, "not enough memory for so large a plan");
	default:
		meant = suo_nearest(args->algorithm, candidate, NULL);
		return suo_error(SUO_USAGE, "unknown algorithm '%s'; %s%s",
				 args->algorithm, meant ? "did you mean " :
				 "see: suo plan list", meant ? meant : "");
	}
}

int suo_cmd_plan_list(int argc, char **argv)
{
	const char *name;

	if (argc > 1)
		return suo_error(SUO_USAGE, "'%s' takes no arguments", argv[0]);
	for (unsigned int i = 0; (name = suo_plan_algorithm(i)); i++)
		puts(name);
	return SUO_OK;
}

int suo_cmd_plan_show(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "ALGORITHM",
		.doc = "Print the steps of an AllReduce, one a line.",
	};
	struct args args = { .shape = { .nranks = 8, .count = 1024 } };
	struct suo_plan *plan;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = generate(&args, &plan);
	if (status)
		return status;

	suo_plan_print(plan, stdout);
	suo_plan_free(plan);
	return SUO_OK;
}

int suo_cmd_plan_check(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &suo_json_argp },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "ALGORITHM",
		.doc = "Prove that a plan is an AllReduce: every element of every"
		       " rank ends with each rank's contribution exactly once,"
		       " nothing waits for ever, and no order is left to chance.",
		.children = children,
	};
	struct args args = {
		.takes_json = true,
		.shape = { .nranks = 8, .count = 1024 },
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
	suo_plan_free(plan);

	if (args.json.json)
		status = suo_json_print(&args.json,
			json_pack("{s:s, s:i, s:i, s:I, s:I, s:b, s:s}",
				  "algorithm", args.algorithm,
				  "ranks", args.shape.nranks,
				  "domain_size", args.shape.domain_size,
				  "count", (json_int_t)args.shape.count,
				  "steps", (json_int_t)steps, "ok", !ret,
				  "reason", why));
	else if (!ret)
		printf("%s: %" PRIu32 " ranks, %" PRIu64 " steps: an AllReduce\n",
		       args.algorithm, args.shape.nranks, steps);
	if (ret)
		return suo_error(SUO_FAILED, "%s: not an AllReduce: %s",
				 args.algorithm, why);
	return status;
}
