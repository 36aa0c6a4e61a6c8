// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "userspace/switch/opts.h"

#define DEFAULT_FRAMES		32768u
#define MAX_FRAMES		(1u << 22)
#define DEFAULT_MAX_LATE_US	250000u
#define MAX_TIME_SCALE		1000000000u

enum {
	OPT_TAP = 256,
	OPT_SEED,
	OPT_FRAMES,
	OPT_MAX_LATE,
	OPT_CONTROL,
	OPT_CAPTURE,
	OPT_SERIES,
	OPT_PROMETHEUS,
	OPT_FAULTS,
	OPT_PRINT,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What is attached to the network's endpoints (NIC e of the cluster is host e / n, NIC e modulo n, of n a host):", 1 },
	{ "port", 'p', "E=KIND:WHERE", 0, "endpoint E: tap:NAME, dgram:LOCAL,REMOTE (paths of datagram sockets) or stream:PATH (a socket to listen at)", 1 },
	{ "tap", OPT_TAP, "PREFIX", 0, "endpoints that --port does not name have the TAPs PREFIX0, PREFIX1, ...", 1 },
	{ NULL, 0, NULL, 0, "How it works:", 2 },
	{ "time-scale", 't', "T", 0, "real nanoseconds for a modelled one (default: the cluster file's lab.time_scale)", 2 },
	{ "seed", OPT_SEED, "N", 0, "of hashes and random numbers (default: the cluster file's scale_out.seed)", 2 },
	{ "frames", OPT_FRAMES, "N", 0, "frames that there is memory for (default: 32768)", 2 },
	{ "max-late", OPT_MAX_LATE, "US", 0, "modelled time stands still rather than run so far behind, in real microseconds (default: 250000)", 2 },
	{ "print", OPT_PRINT, NULL, 0, "print the switches and links, and end", 2 },
	{ NULL, 0, NULL, 0, "What it tells and is told:", 3 },
	{ "control", OPT_CONTROL, "PATH", 0, "socket that 'suo show' and 'suo fault' ask", 3 },
	{ "capture", OPT_CAPTURE, "DIR[:PORTS]", 0, "write what passes these ports (default: all) to pcap files", 3 },
	{ "series", OPT_SERIES, "FILE[:INTERVAL]", 0, "write a time series", 3 },
	{ "prometheus", OPT_PROMETHEUS, "[ADDR:]PORT", 0, "serve metrics there (default: loopback)", 3 },
	{ "fault-script", OPT_FAULTS, "FILE", 0, "faults to come, instead of the cluster file's", 3 },
	{ 0 },
};

static u64 number(struct argp_state *state, const char *what, const char *text, u64 min,
		  u64 max)
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

static void add_port(struct argp_state *state, struct swd_opts *opts, char *arg)
{
	char **port = realloc(opts->port, (opts->ports + 1) * sizeof(*port));

	if (!port)
		argp_failure(state, 1, ENOMEM, "--port");
	opts->port = port;
	port[opts->ports++] = arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct swd_opts *opts = state->input;

	switch (key) {
	case 'p':
		add_port(state, opts, arg);
		return 0;
	case OPT_TAP:
		opts->tap_prefix = arg;
		return 0;
	case 't':
		opts->time_scale = number(state, "--time-scale", arg, 1, MAX_TIME_SCALE);
		return 0;
	case OPT_SEED:
		opts->seed = number(state, "--seed", arg, 0, U64_MAX);
		opts->seed_given = true;
		return 0;
	case OPT_FRAMES:
		opts->frames = number(state, "--frames", arg, 16, MAX_FRAMES);
		return 0;
	case OPT_MAX_LATE:
		opts->max_late_us = number(state, "--max-late", arg, 1, 60000000);
		return 0;
	case OPT_PRINT:
		opts->print = true;
		return 0;
	case OPT_CONTROL:
		opts->control = arg;
		return 0;
	case OPT_CAPTURE:
		opts->capture = arg;
		return 0;
	case OPT_SERIES:
		opts->series = arg;
		return 0;
	case OPT_PROMETHEUS:
		opts->prometheus = arg;
		return 0;
	case OPT_FAULTS:
		opts->fault_script = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (opts->cluster)
			argp_error(state, "one cluster file, not '%s' too", arg);
		opts->cluster = arg;
		return 0;
	case ARGP_KEY_END:
		if (!opts->cluster)
			argp_error(state, "no cluster file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options	= options,
	.parser		= parse,
	.args_doc	= "CLUSTER.yaml",
	.doc		= "All switches of a cluster's scale-out network in one process.",
};

void swd_opts_parse(struct swd_opts *opts, int argc, char **argv)
{
	*opts = (struct swd_opts){
		.frames = DEFAULT_FRAMES,
		.max_late_us = DEFAULT_MAX_LATE_US,
	};
	argp_err_exit_status = SWD_EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, opts);
}

void swd_opts_free(struct swd_opts *opts)
{
	free(opts->port);
}
