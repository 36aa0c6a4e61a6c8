// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/analytic/forms.h"
#include "model/cluster/report.h"
#include "model/cluster/units.h"
#include "userspace/cli/cli.h"
#include "userspace/cli/workload.h"

#define MAX_BYTES	(1ull << 50)

enum {
	TOKENS = 0x100,
	TOPK,
	NODE_LIMIT,
	HIDDEN,
	ELEM_BYTES,
	IMBALANCE,
};

static const struct argp_option options[] = {
	{ "collective", 'c', "LIST", 0,
	  "allreduce, reduce-scatter, all-gather, broadcast, reduce, alltoall, moe", 1 },
	{ "size", 's', "LIST", 0,
	  "Sizes, as 64KiB,1GiB or FIRST:LAST:FACTOR; as nccl-tests counts them", 1 },
	{ "ranks", 'n', "LIST", 0, "Ranks that take part (default all)", 1 },
	{ "tokens", TOKENS, "N", 0,
	  "moe: tokens of a rank, which then decide the size", 2 },
	{ "topk", TOPK, "N", 0, "moe: experts of a token (default 8)", 2 },
	{ "node-limit", NODE_LIMIT, "N", 0,
	  "moe: nodes that a token goes to at most (default no limit)", 2 },
	{ "hidden", HIDDEN, "N", 0, "moe: length of a token (default 7168)", 2 },
	{ "elem-bytes", ELEM_BYTES, "N", 0, "moe: of an element (default 1)", 2 },
	{ "imbalance", IMBALANCE, "X", 0,
	  "moe: load of the busiest rank over the mean (default 1)", 2 },
	{ 0 }
};

static const char *candidate(unsigned int i, const void *arg)
{
	return i < SUO_WORKLOADS ? suo_workload_name(i) : NULL;
}

static void add_work(struct argp_state *state, struct suo_workload_opts *opts,
		     const char *name)
{
	enum suo_workload work = 0;
	const char *meant;

	if (suo_workload_find(name, &work)) {
		meant = suo_nearest(name, candidate, NULL);
		argp_error(state, "--collective: there is no '%s'%s%s", name,
			   meant ? "; did you mean " : "", meant ? meant : "");
	}
	for (unsigned int i = 0; i < opts->nwork; i++)
		if (opts->work[i] == work)
			argp_error(state, "--collective: '%s' is listed twice", name);
	opts->work[opts->nwork++] = work;
}

static void add_size(struct argp_state *state, struct suo_workload_opts *opts,
		     uint64_t bytes)
{
	if (opts->nsize == MAX_LISTED)
		argp_error(state, "--size: at most %d", MAX_LISTED);
	else
		opts->size[opts->nsize++] = bytes;
}

/* FIRST:LAST:FACTOR, or one size */
static void add_sizes(struct argp_state *state, struct suo_workload_opts *opts,
		      char *text)
{
	static const struct suo_quantity a_size = { SUO_BYTES, "B", 1, MAX_BYTES };
	static const struct suo_quantity a_factor = { SUO_NUMBER, NULL, 2, 1 << 20 };
	char *first = strsep(&text, ":"), *last = strsep(&text, ":");
	uint64_t from = suo_option_quantity(state, "size", first, &a_size);
	uint64_t to = from, factor = 2;

	if (last)
		to = suo_option_quantity(state, "size", last, &a_size);
	if (text)
		factor = suo_option_quantity(state, "size", text, &a_factor);
	if (to < from)
		argp_error(state, "--size: '%s' is less than '%s'", last, first);
	for (; from <= to; from *= factor)
		add_size(state, opts, from);
}

static void add_ranks(struct argp_state *state, struct suo_workload_opts *opts,
		      const char *text)
{
	static const struct suo_quantity a_count = {
		SUO_NUMBER, NULL, 1, SUO_CLUSTER_MAX_ACCELS
	};

	if (opts->nranks == MAX_LISTED)
		argp_error(state, "--ranks: at most %d", MAX_LISTED);
	else
		opts->ranks[opts->nranks++] =
			suo_option_quantity(state, "ranks", text, &a_count);
}

static void each_word(struct argp_state *state, char *list, char option)
{
	struct suo_workload_opts *opts = state->input;
	char *word;

	while ((word = strsep(&list, ","))) {
		if (option == 'c')
			add_work(state, opts, word);
		else if (option == 's')
			add_sizes(state, opts, word);
		else
			add_ranks(state, opts, word);
	}
}

static void get_moe(struct argp_state *state, int key, const char *text)
{
	static const struct suo_quantity a_number = {
		SUO_NUMBER, NULL, 1, 1000000000
	};
	static const struct suo_quantity a_ratio = { SUO_RATIO, NULL, 1000, 1000000 };
	struct suo_moe *moe = &((struct suo_workload_opts *)state->input)->moe;

	switch (key) {
	case TOKENS:
		moe->tokens = suo_option_quantity(state, "tokens", text, &a_number);
		break;
	case TOPK:
		moe->topk = suo_option_quantity(state, "topk", text, &a_number);
		break;
	case NODE_LIMIT:
		moe->limit = suo_option_quantity(state, "node-limit", text, &a_number);
		break;
	case HIDDEN:
		moe->hidden = suo_option_quantity(state, "hidden", text, &a_number);
		break;
	case ELEM_BYTES:
		moe->elem_bytes = suo_option_quantity(state, "elem-bytes", text, &a_number);
		break;
	default:
		moe->imbalance =
			suo_option_quantity(state, "imbalance", text, &a_ratio) / 1000.0;
		break;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct suo_workload_opts *opts = state->input;
	char *list;

	switch (key) {
	case ARGP_KEY_INIT:
		opts->moe = (struct suo_moe){
			.topk = 8, .hidden = 7168, .elem_bytes = 1, .imbalance = 1,
		};
		return 0;
	case 'c':
	case 's':
	case 'n':
		list = strdup(arg);
		if (!list)
			argp_failure(state, 1, 0, "not enough memory");
		each_word(state, list, key);
		free(list);
		return 0;
	case TOKENS:
	case TOPK:
	case NODE_LIMIT:
	case HIDDEN:
	case ELEM_BYTES:
	case IMBALANCE:
		get_moe(state, key, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp suo_workload_argp = {
	.options = options,
	.parser = parse,
};

void suo_workload_defaults(struct suo_workload_opts *opts)
{
	static const uint64_t usual[] = { 1 << 16, 1 << 20, 1 << 26, 1 << 30 };

	if (!opts->nwork)
		opts->work[opts->nwork++] = SUO_WORK_ALLREDUCE;
	if (!opts->nsize) {
		memcpy(opts->size, usual, sizeof(usual));
		opts->nsize = sizeof(usual) / sizeof(usual[0]);
	}
	if (!opts->nranks)
		opts->ranks[opts->nranks++] = 0;
}

double suo_workload_bytes(const struct suo_workload_opts *opts,
			  enum suo_workload work, uint64_t size)
{
	const struct suo_moe *moe = &opts->moe;

	if (work != SUO_WORK_MOE)
		return size;
	if (moe->tokens > 0)
		return suo_form_moe_bytes(moe->tokens, moe->topk, moe->limit,
					  moe->hidden, moe->elem_bytes,
					  moe->imbalance);
	return size * moe->imbalance;
}
