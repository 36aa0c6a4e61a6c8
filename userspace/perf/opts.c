// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/plan.h"
#include "userspace/perf/boot.h"
#include "userspace/perf/data.h"
#include "userspace/perf/opts.h"

#define EXIT_USAGE	2
#define MAX_ITERS	1000000

enum {
	OPT_RANK = 256,
	OPT_RANKS,
	OPT_DOMAIN_SIZE,
	OPT_DEVICE,
	OPT_PROVIDER,
	OPT_RENDEZVOUS,
	OPT_ALGORITHM,
	OPT_CSV,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Who takes part:", 1 },
	{ "rank", OPT_RANK, "R", 0, "this process's rank", 1 },
	{ "ranks", OPT_RANKS, "N", 0, "number of ranks", 1 },
	{ "domain-size", OPT_DOMAIN_SIZE, "G", 0, "ranks in a scale-up domain, numbered domain by domain (default: all)", 1 },
	{ "device", OPT_DEVICE, "NAME", 0, "libfabric domain to use (default: the first)", 1 },
	{ "provider", OPT_PROVIDER, "NAME", 0, "libfabric provider (default: suo)", 1 },
	{ "rendezvous", OPT_RENDEZVOUS, "WHERE", 0, "where the ranks meet: unix:PATH or tcp:HOST:PORT; rank 0 listens", 1 },
	{ NULL, 0, NULL, 0, "What to measure:", 2 },
	{ "minbytes", 'b', "SIZE", 0, "first size; K, M and G are powers of 1024 (default: 32M)", 2 },
	{ "maxbytes", 'e', "SIZE", 0, "last size (default: 32M)", 2 },
	{ "stepfactor", 'f', "FACTOR", 0, "multiply the size by this", 2 },
	{ "stepbytes", 'i', "SIZE", 0, "or add this to it (default: 1M)", 2 },
	{ "iters", 'n', "N", 0, "timed runs of a size (default: 5)", 2 },
	{ "warmup_iters", 'w', "N", 0, "runs before them (default: 1)", 2 },
	{ "op", 'o', "OP", 0, "sum, prod, min or max (default: sum)", 2 },
	{ "datatype", 'd', "TYPE", 0, "int8, uint8, int32, uint32, int64, uint64, float or double (default: float)", 2 },
	{ "check", 'c', "0|1", 0, "compare every element with the known answer (default: 1)", 2 },
	{ "algorithm", OPT_ALGORITHM, "NAME[,NAME]", 0, "plans to run (default: hierarchical)", 2 },
	{ "csv", OPT_CSV, "FILE", 0, "rank 0 writes the results there, too", 2 },
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

static bool known_algorithm(const char *name)
{
	for (unsigned int i = 0; suo_plan_algorithm(i); i++)
		if (!strcmp(name, suo_plan_algorithm(i)))
			return true;
	return false;
}

static void algorithms(struct argp_state *state, struct opts *opts, char *list)
{
	char *save, *name;

	opts->nalgorithms = 0;
	for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (!known_algorithm(name))
			argp_error(state, "--algorithm: there is no '%s'", name);
		if (opts->nalgorithms == OPTS_MAX_ALGORITHMS)
			argp_error(state, "--algorithm: at most %d", OPTS_MAX_ALGORITHMS);
		opts->algorithm[opts->nalgorithms++] = name;
	}
	if (!opts->nalgorithms)
		argp_error(state, "--algorithm: none is named");
}

static int keyword(struct argp_state *state, const char *what, const char *text, int val)
{
	if (val < 0)
		argp_error(state, "%s: there is no '%s'", what, text);
	return val;
}

/* What can only be judged when all is known. */
static void finish(struct argp_state *state, struct opts *opts)
{
	if (state->arg_num < 1)
		argp_error(state, "the collective is missing: allreduce");
	if (!opts->ranks || opts->rank == UINT32_MAX || !opts->rendezvous)
		argp_error(state, "--rank, --ranks and --rendezvous are needed");
	if (opts->rank >= opts->ranks)
		argp_error(state, "--rank: %u, but --ranks says that there are %u",
			   opts->rank, opts->ranks);
	if (!opts->domain_size)
		opts->domain_size = opts->ranks;
	if (opts->ranks % opts->domain_size)
		argp_error(state, "--domain-size: %u ranks cannot be cut into domains of %u",
			   opts->ranks, opts->domain_size);
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
	case OPT_ALGORITHM:
		algorithms(state, opts, arg);
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
		opts->iters = number(state, "-n", arg, 1, MAX_ITERS);
		break;
	case 'w':
		opts->warmup = number(state, "-w", arg, 0, MAX_ITERS);
		break;
	case 'c':
		opts->check = number(state, "-c", arg, 0, 1);
		break;
	case 'o':
		opts->op = keyword(state, "-o", arg, suo_redop_parse(arg));
		break;
	case 'd':
		opts->type = keyword(state, "-d", arg, suo_dtype_parse(arg));
		break;
	case ARGP_KEY_ARG:
		if (state->arg_num || strcmp(arg, "allreduce"))
			argp_error(state, "'%s': the collective that can be measured is allreduce", arg);
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
		.args_doc	= "allreduce",
		.doc		= "Measure a collective over libfabric, one process an accelerator."
				  "\vTimes are modelled time: the guest's, divided by the time scale of the suo module.",
	};

	memset(opts, 0, sizeof(*opts));
	opts->rank = UINT32_MAX;
	opts->provider = "suo";
	opts->min_bytes = 32 << 20;
	opts->max_bytes = 32 << 20;
	opts->step = 1 << 20;
	opts->iters = 5;
	opts->warmup = 1;
	opts->check = true;
	opts->type = SUO_FLOAT32;
	opts->op = SUO_SUM;
	opts->algorithm[0] = "hierarchical";
	opts->nalgorithms = 1;
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, opts);
}

static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *byte = data;

	while (len--)
		hash = (hash ^ *byte++) * 1099511628211ull;	/* FNV-1a */
	return hash;
}

uint64_t opts_hash(const struct opts *opts)
{
	const uint64_t val[] = {
		opts->ranks, opts->domain_size, opts->min_bytes, opts->max_bytes, opts->factor,
		opts->step, opts->iters, opts->warmup, opts->check, opts->type, opts->op,
	};
	uint64_t hash = mix(14695981039346656037ull, val, sizeof(val));

	for (unsigned int i = 0; i < opts->nalgorithms; i++)
		hash = mix(hash, opts->algorithm[i], strlen(opts->algorithm[i]) + 1);
	return hash;
}

uint64_t opts_next_size(const struct opts *opts, uint64_t bytes)
{
	/* Sizes are below 2^48 and factors below 2^16: no overflow. 0 grows by 1. */
	if (opts->factor)
		return bytes ? bytes * opts->factor : 1;
	return bytes + opts->step;
}
