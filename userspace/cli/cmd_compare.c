// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo compare */
#include <inttypes.h>
#include <string.h>

#include "model/cluster/units.h"
#include "userspace/cli/compare.h"

#define ASSUMED_JITTER_US	0.1

struct args {
	struct suo_json_opts		json;
	struct suo_workload_opts	work;
	const char			*path[2];
	const char			*sections;
	uint64_t			jitter_ps;
};

enum {
	JITTER = 0x200,
};

static const struct argp_option options[] = {
	{ "section", 'S', "LIST", 0,
	  "Only these: efficiency, latency, collectives, floor, in-network, lossless, pauses, dcqcn, goodput, balance, stragglers, inputs, flip", 0 },
	{ "jitter", JITTER, "TIME", 0,
	  "Deviation of a rank's step, for stragglers (default the files', or 100 ns)", 0 },
	{ 0 }
};

static const struct section {
	const char	*name;
	json_t		*(*make)(const struct contest *contest);
} sections[] = {
	{ "efficiency", compare_efficiency },
	{ "latency", compare_latency },
	{ "collectives", compare_collectives },
	{ "floor", compare_floor },
	{ "in-network", compare_in_network },
	{ "lossless", compare_lossless },
	{ "pauses", compare_pauses },
	{ "dcqcn", compare_dcqcn },
	{ "goodput", compare_goodput },
	{ "balance", compare_balance },
	{ "stragglers", compare_stragglers },
	{ "inputs", compare_inputs },
	{ "flip", compare_flip },
};

#define NUM_SECTIONS	(sizeof(sections) / sizeof(sections[0]))

/* Is a word in a list with commas? Without a list, every word is. */
static bool is_listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!list)
		return true;
	for (;; list++) {
		if (!strncmp(list, word, len) && (!list[len] || list[len] == ','))
			return true;
		list = strchr(list, ',');
		if (!list)
			return false;
	}
}

static void check_sections(struct argp_state *state, const char *list)
{
	while (list) {
		size_t len = strcspn(list, ","), i;

		for (i = 0; i < NUM_SECTIONS; i++)
			if (strlen(sections[i].name) == len &&
			    !strncmp(sections[i].name, list, len))
				break;
		if (i == NUM_SECTIONS)
			argp_error(state, "--section: there is no '%.*s'", (int)len, list);
		list = list[len] ? list + len + 1 : NULL;
	}
}

static uint64_t jitter(struct argp_state *state, const char *text)
{
	const struct suo_quantity what = {
		SUO_TIME, "ns", 0, SUO_LINK_MAX_LATENCY_PS
	};

	return suo_option_quantity(state, "jitter", text, &what);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		state->child_inputs[1] = &args->work;
		return 0;
	case 'S':
		check_sections(state, arg);
		args->sections = arg;
		return 0;
	case JITTER:
		args->jitter_ps = jitter(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (args->path[1])
			argp_error(state, "two cluster files only");
		args->path[!!args->path[0]] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->path[1])
			argp_error(state, "which two cluster files?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void set_defaults(struct suo_workload_opts *work)
{
	static const enum suo_workload usual[] = {
		SUO_WORK_ALLREDUCE, SUO_WORK_REDUCE_SCATTER, SUO_WORK_ALL_GATHER,
		SUO_WORK_ALLTOALL, SUO_WORK_MOE,
	};
	static const uint32_t ranks[] = { 8, 64, 1024, 16384, 100000 };

	if (!work->nwork) {
		memcpy(work->work, usual, sizeof(usual));
		work->nwork = sizeof(usual) / sizeof(usual[0]);
	}
	if (!work->nranks) {
		memcpy(work->ranks, ranks, sizeof(ranks));
		work->nranks = sizeof(ranks) / sizeof(ranks[0]);
	}
	suo_workload_defaults(work);
}

bool contender_at(const struct contender *side, uint32_t ranks,
		  struct suo_predictor *p, struct suo_cluster **cluster)
{
	uint32_t g = suo_cluster_domain_size(side->cluster);
	uint32_t whole = ranks < g ? 1 : ranks / g;
	char hosts[16];
	const struct suo_change change[] = {
		{ "hosts", hosts },
		{ "scale_out.topology", "fat-tree" },
	};

	snprintf(hosts, sizeof(hosts), "%" PRIu32, whole * side->cluster->domain_hosts);
	*cluster = NULL;
	if (suo_variant(&side->base, change, 1, NULL, cluster) &&
	    suo_variant(&side->base, change, 2, NULL, cluster))
		return false;
	if (!suo_predictor_init(p, *cluster, ranks < g ? ranks : 0))
		return true;
	suo_cluster_free(*cluster);
	*cluster = NULL;
	return false;
}

void pair_open(const struct contest *contest, uint32_t ranks, struct pair *pair)
{
	for (int s = 0; s < 2; s++)
		contender_at(&contest->side[s], ranks, &pair->p[s], &pair->cluster[s]);
}

void pair_close(struct pair *pair)
{
	for (int s = 0; s < 2; s++)
		suo_cluster_free(pair->cluster[s]);
}

bool pair_has_peers(const struct pair *pair)
{
	return pair->cluster[0] && pair->cluster[1] && pair->p[0].machine.ranks > 1 &&
	       pair->p[1].machine.ranks > 1;
}

static int open_side(struct contender *side, const char *path, const char *letter)
{
	int status = suo_base_read(path, &side->base);

	if (status)
		return status;
	side->letter = letter;
	status = suo_load_cluster(path, &side->cluster);
	if (status)
		suo_base_free(&side->base);
	return status;
}

static void close_side(struct contender *side)
{
	suo_cluster_free(side->cluster);
	suo_base_free(&side->base);
}

static int print(const struct contest *contest, const struct args *args)
{
	json_t *all = args->json.json ? json_array() : NULL;

	if (!all)
		printf("A: %s, B: %s; software %s and %s\n\n",
		       contest->side[0].cluster->name, contest->side[1].cluster->name,
		       contest->side[0].cluster->software.profile,
		       contest->side[1].cluster->software.profile);
	for (size_t i = 0; i < NUM_SECTIONS; i++) {
		json_t *sheet;

		if (!is_listed(args->sections, sections[i].name))
			continue;
		sheet = sections[i].make(contest);
		if (!sheet)
			return suo_error(SUO_FAILED, "not enough memory");
		json_object_set_new(sheet, "section", json_string(sections[i].name));
		if (all)
			json_array_append_new(all, sheet);
		else
			suo_sheet_print(sheet, stdout);
		if (!all)
			json_decref(sheet);
	}
	if (!all)
		return SUO_OK;
	return suo_json_print(&args->json, json_pack("{s:s, s:s, s:o}",
			      "a", contest->side[0].cluster->name,
			      "b", contest->side[1].cluster->name, "sections", all));
}

int suo_cmd_compare(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &suo_json_argp },
		{ .argp = &suo_workload_argp },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.yaml B.yaml",
		.doc = "Set two clusters side by side: links, collectives from 8 to"
		       " 100 000 accelerators (a file's number of hosts is changed"
		       " for that), what is lost to errors, collisions and"
		       " stragglers, what the figures rest on, and what would have to"
		       " change for the answer to turn.",
		.children = children,
	};
	struct args args = { 0 };
	struct contest contest = { 0 };
	uint64_t jitter_ps;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	set_defaults(&args.work);
	contest.work = args.work;
	status = open_side(&contest.side[0], args.path[0], "A");
	if (status)
		return status;
	status = open_side(&contest.side[1], args.path[1], "B");
	if (status)
		goto err_side;
	jitter_ps = args.jitter_ps;
	for (int s = 0; s < 2; s++)
		if (!jitter_ps)
			jitter_ps = contest.side[s].cluster->software.jitter_ps;
	contest.jitter_us = jitter_ps ? jitter_ps / 1e6 : ASSUMED_JITTER_US;
	status = print(&contest, &args);
	close_side(&contest.side[1]);
err_side:
	close_side(&contest.side[0]);
	return status;
}
