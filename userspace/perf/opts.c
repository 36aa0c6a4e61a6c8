// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/coll/hash.h"
#include "userspace/perf/boot.h"
#include "userspace/perf/data.h"
#include "userspace/perf/opts.h"
#include "userspace/perf/plans.h"

#define EXIT_USAGE	2
#define MAX_ITERS	1000000

enum {
	OPT_RANK = 256,
	OPT_RANKS,
	OPT_HOSTS,
	OPT_HOST_INDEX,
	OPT_DOMAIN_SIZE,
	OPT_DEVICE,
	OPT_PROVIDER,
	OPT_RENDEZVOUS,
	OPT_ALGORITHM,
	OPT_CHUNK,
	OPT_CSV,
	OPT_JSON,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Who takes part (mpirun knows; else one of these):", 1 },
	{ "rank", OPT_RANK, "R", 0, "this process's rank", 1 },
	{ "ranks", OPT_RANKS, "N", 0, "number of ranks", 1 },
	{ "ngpus", 'g', "N", 0, "start N ranks on this host, each with a device of its own", 1 },
	{ "hosts", OPT_HOSTS, "HOST[,HOST]", 0, "hosts that run -g ranks each, this one among them; they meet at the first", 1 },
	{ "host-index", OPT_HOST_INDEX, "I", 0, "which of --hosts this is, from 0 (default: the one that has its name)", 1 },
	{ "rendezvous", OPT_RENDEZVOUS, "WHERE", 0, "where the ranks meet: unix:PATH or tcp:HOST:PORT; rank 0 listens", 1 },
	{ "domain-size", OPT_DOMAIN_SIZE, "G", 0, "ranks in a scale-up domain, numbered domain by domain (default: all)", 1 },
	{ "device", OPT_DEVICE, "NAME[,NAME]", 0, "libfabric domain to use (default: the first); with -g, one for each rank, or one for all", 1 },
	{ "provider", OPT_PROVIDER, "NAME", 0, "libfabric provider (default: suo)", 1 },
	{ NULL, 0, NULL, 0, "What to measure:", 2 },
	{ "minbytes", 'b', "SIZE", 0, "first size; K, M and G are powers of 1024 (default: 32M)", 2 },
	{ "maxbytes", 'e', "SIZE", 0, "last size (default: 32M)", 2 },
	{ "stepfactor", 'f', "FACTOR", 0, "multiply the size by this", 2 },
	{ "stepbytes", 'i', "SIZE", 0, "or add this to it (default: 1M)", 2 },
	{ "iters", 'n', "N", 0, "timed runs of a size (default: 20); 0: the checked run is timed", 2 },
	{ "warmup_iters", 'w', "N", 0, "runs before them (default: 1)", 2 },
	{ "op", 'o', "OP[,OP]", 0, "sum, prod, min, max, avg, lor, land, lxor, bor, band, bxor, or all of them (default: sum)", 2 },
	{ "datatype", 'd', "TYPE[,TYPE]", 0, "int8, uint8, int32, uint32, int64, uint64, half, bfloat16, float, double and others, or all of them (default: float)", 2 },
	{ "root", 'r', "RANK", 0, "root of broadcast, reduce, gather and scatter; -1: each in turn (default: 0)", 2 },
	{ "check", 'c', "0|1", 0, "compare every element with the known answer (default: 1)", 2 },
	{ "algorithm", OPT_ALGORITHM, "NAME[,NAME]", 0, "plans to run, or all there are (default: hierarchical where there is one)", 2 },
	{ "chunk", OPT_CHUNK, "SIZE", 0, "bytes that take as long to send as they are under way, for plans that send in chunks", 2 },
	{ "csv", OPT_CSV, "FILE", 0, "rank 0 writes the results there, too", 2 },
	{ "json", OPT_JSON, "FILE", 0, "the same as JSON; -: instead of the table", 2 },
	{ 0 },
};

static uint64_t number(struct argp_state *state, const char *what, const char *text,
		       uint64_t min, uint64_t max)
{
	unsigned long long val;
	char *end;

	errno = 0;
	val = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || val < min || val > max)
		argp_error(state, "%s: '%s' is not a number from %llu to %llu", what, text,
			   (unsigned long long)min, (unsigned long long)max);
	return val;
}

bool opts_size(const char *text, uint64_t *val)
{
	static const char units[] = "KMG";
	unsigned long long n;
	const char *unit;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno || n >> 48)
		return false;
	if (*end) {
		unit = strchr(units, toupper((unsigned char)*end));
		if (!unit || end[1])
			return false;
		n <<= 10 * (unit - units + 1);
		if (n >> 48)
			return false;
	}
	*val = n;
	return true;
}

static uint64_t size(struct argp_state *state, const char *what, const char *text)
{
	uint64_t val = 0;

	if (!opts_size(text, &val))
		argp_error(state, "%s: '%s' is not a size, such as 4096, 64K or 32M", what, text);
	return val;
}

/* @take: adds what a name stands for, -errno if nothing does. */
static void each(struct argp_state *state, const char *what, char *list,
		 int (*take)(struct opts *opts, const char *name))
{
	char *save, *name, *first = strtok_r(list, ",", &save);

	if (!first)
		argp_error(state, "%s: none is named", what);
	for (name = first; name; name = strtok_r(NULL, ",", &save)) {
		int err = take(state->input, name);

		if (err == -ENOSPC)
			argp_error(state, "%s: too many", what);
		else if (err)
			argp_error(state, "%s: there is no '%s'", what, name);
	}
}

static int take_algorithm(struct opts *opts, const char *name)
{
	if (opts->nalgorithms == OPTS_MAX_ALGORITHMS)
		return -ENOSPC;
	opts->algorithm[opts->nalgorithms++] = name;
	return 0;
}

/*
 * Adds to a list of enumerators the one that a name stands for, @val; or "all" of
 * them, for which the list has room.
 */
static int take(const char *name, int val, unsigned int all, unsigned int *list,
		unsigned int *n)
{
	if (!strcmp(name, "all")) {
		for (*n = 0; *n < all; (*n)++)
			list[*n] = *n;
		return 0;
	}
	if (val < 0)
		return val;
	if (*n == all)
		return -ENOSPC;
	list[(*n)++] = val;
	return 0;
}

static int take_type(struct opts *opts, const char *name)
{
	return take(name, suo_dtype_parse(name), SUO_NUM_DTYPES, opts->type, &opts->ntypes);
}

static int take_op(struct opts *opts, const char *name)
{
	return take(name, suo_redop_parse(name), SUO_NUM_REDOPS, opts->op, &opts->nops);
}

static int take_collective(struct opts *opts, const char *name)
{
	return take(name, collective_parse(name), NUM_COLLECTIVES, opts->coll, &opts->ncolls);
}

/* A single type and a single operation must fit; of lists, what fits is taken. */
static void check_reduction(struct argp_state *state, const struct opts *opts)
{
	for (unsigned int t = 0; t < opts->ntypes; t++)
		for (unsigned int o = 0; o < opts->nops; o++)
			if (suo_reduce_valid(opts->type[t], opts->op[o]))
				return;
	argp_error(state, "-o: %s is not defined for %s", suo_redop_name(opts->op[0]),
		   suo_dtype_name(opts->type[0]));
}

int opts_check_ranks(struct opts *opts, char *why, size_t size)
{
	why[0] = '\0';
	if (opts->ranks > DATA_MAX_RANKS)
		snprintf(why, size, "%u ranks: at most %u", opts->ranks, DATA_MAX_RANKS);
	else if (opts->rank >= opts->ranks)
		snprintf(why, size, "--rank: %u, but there are %u", opts->rank, opts->ranks);
	else if (opts->root >= (int)opts->ranks)
		snprintf(why, size, "-r: %d, but there are %u ranks", opts->root, opts->ranks);
	if (!opts->domain_size)
		opts->domain_size = opts->ranks;
	if (!why[0] && opts->ranks % opts->domain_size)
		snprintf(why, size, "--domain-size: %u ranks cannot be cut into domains of %u",
			 opts->ranks, opts->domain_size);
	return why[0] ? -EINVAL : 0;
}

/* The ranks are numbered by hand, or by -g, or by mpirun. */
static void check_who(struct argp_state *state, const struct opts *opts)
{
	bool by_hand = opts->rank != UINT32_MAX || opts->ranks;

	if (by_hand && opts->local)
		argp_error(state, "-g: not with --rank and --ranks");
	if (by_hand && (opts->rank == UINT32_MAX || !opts->ranks || !opts->rendezvous))
		argp_error(state, "--rank, --ranks and --rendezvous are needed");
	if (opts->hosts && !opts->local)
		argp_error(state, "--hosts: wants -g, the number of ranks on each");
	if (opts->host_index >= 0 && !opts->hosts)
		argp_error(state, "--host-index: wants --hosts");
}

/* What can only be judged when all is known. */
static void finish(struct argp_state *state, struct opts *opts)
{
	char why[128];

	if (!opts->ncolls)
		argp_error(state, "the collective is missing: allreduce, say");
	check_who(state, opts);
	if (!opts->ntypes)
		opts->type[opts->ntypes++] = SUO_FLOAT32;
	if (!opts->nops)
		opts->op[opts->nops++] = SUO_SUM;
	check_reduction(state, opts);
	for (unsigned int a = 0; a < opts->nalgorithms; a++)
		if (!plans_known(opts->coll, opts->ncolls, opts->algorithm[a]))
			argp_error(state, "--algorithm: there is no '%s'", opts->algorithm[a]);
	if (opts->ranks && opts_check_ranks(opts, why, sizeof(why)))
		argp_error(state, "%s", why);
	if (opts->min_bytes > opts->max_bytes)
		argp_error(state, "-b is larger than -e");
	if (!opts->factor && !opts->step)
		argp_error(state, "-i: must not be 0");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opts *opts = state->input;

	switch (key) {
	case OPT_RANK:
		opts->rank = number(state, "--rank", arg, 0, DATA_MAX_RANKS - 1);
		break;
	case OPT_RANKS:
		opts->ranks = number(state, "--ranks", arg, 1, DATA_MAX_RANKS);
		break;
	case OPT_DOMAIN_SIZE:
		opts->domain_size = number(state, "--domain-size", arg, 1, DATA_MAX_RANKS);
		break;
	case OPT_DEVICE:
		opts->device = arg;
		break;
	case OPT_PROVIDER:
		opts->provider = arg;
		break;
	case OPT_RENDEZVOUS:
		if (!boot_where_valid(arg))
			argp_error(state, "--rendezvous: '%s' is neither unix:PATH nor tcp:HOST:PORT", arg);
		opts->rendezvous = arg;
		break;
	case 'g':
		opts->local = number(state, "-g", arg, 1, DATA_MAX_RANKS);
		break;
	case OPT_HOSTS:
		opts->hosts = arg;
		break;
	case OPT_HOST_INDEX:
		opts->host_index = number(state, "--host-index", arg, 0, DATA_MAX_RANKS - 1);
		break;
	case OPT_ALGORITHM:
		opts->nalgorithms = 0;
		each(state, "--algorithm", arg, take_algorithm);
		break;
	case OPT_CHUNK:
		opts->chunk = size(state, "--chunk", arg);
		break;
	case OPT_JSON:
		opts->json = arg;
		break;
	case 'r':
		opts->root = strcmp(arg, "-1") ? (int)number(state, "-r", arg, 0,
							      DATA_MAX_RANKS - 1) :
						 OPTS_ALL_ROOTS;
		break;
	case OPT_CSV:
		opts->csv = arg;
		break;
	case 'b':
		opts->min_bytes = size(state, "-b", arg);
		break;
	case 'e':
		opts->max_bytes = size(state, "-e", arg);
		break;
	case 'f':
		opts->factor = number(state, "-f", arg, 2, 65535);
		break;
	case 'i':
		opts->step = size(state, "-i", arg);
		opts->factor = 0;
		break;
	case 'n':
		opts->iters = number(state, "-n", arg, 0, MAX_ITERS);
		break;
	case 'w':
		opts->warmup = number(state, "-w", arg, 0, MAX_ITERS);
		break;
	case 'c':
		opts->check = number(state, "-c", arg, 0, 1);
		break;
	case 'o':
		opts->nops = 0;
		each(state, "-o", arg, take_op);
		break;
	case 'd':
		opts->ntypes = 0;
		each(state, "-d", arg, take_type);
		break;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "'%s': one argument, the collectives", arg);
		each(state, "collective", arg, take_collective);
		break;
	case ARGP_KEY_END:
		finish(state, opts);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void opts_parse(struct opts *opts, int argc, char **argv)
{
	static const struct argp argp = {
		.options	= options,
		.parser		= parse,
		.args_doc	= "COLLECTIVE[,COLLECTIVE]",
		.doc		= "Measure collectives over libfabric, one process an accelerator: "
				  "allreduce, reduce_scatter, all_gather, alltoall, broadcast, "
				  "reduce, gather, scatter, sendrecv, or all of them."
				  "\vTimes are modelled time: the guest's, divided by the time scale of the suo module.",
	};

	memset(opts, 0, sizeof(*opts));
	opts->rank = UINT32_MAX;
	opts->provider = "suo";
	opts->min_bytes = 32 << 20;
	opts->max_bytes = 32 << 20;
	opts->step = 1 << 20;
	opts->iters = 20;
	opts->warmup = 1;
	opts->check = true;
	opts->host_index = -1;
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, opts);
}

uint64_t opts_hash(const struct opts *opts)
{
	const uint64_t val[] = {
		opts->ranks, opts->domain_size, opts->min_bytes, opts->max_bytes, opts->factor,
		opts->step, opts->iters, opts->warmup, opts->check, opts->root,
		opts->chunk,
	};
	uint64_t hash = suo_hash(SUO_HASH_START, val, sizeof(val));

	hash = suo_hash(hash, opts->coll, opts->ncolls * sizeof(opts->coll[0]));
	hash = suo_hash(hash, opts->type, opts->ntypes * sizeof(opts->type[0]));
	hash = suo_hash(hash, opts->op, opts->nops * sizeof(opts->op[0]));

	for (unsigned int i = 0; i < opts->nalgorithms; i++)
		hash = suo_hash(hash, opts->algorithm[i], strlen(opts->algorithm[i]) + 1);
	return hash;
}

uint64_t opts_next_size(const struct opts *opts, uint64_t bytes)
{
	/* Sizes are below 2^48 and factors below 2^16: no overflow. 0 grows by 1. */
	if (opts->factor)
		return bytes ? bytes * opts->factor : 1;
	return bytes + opts->step;
}
