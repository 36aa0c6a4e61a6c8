// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo cluster check, suo cluster env */
#include <inttypes.h>

#include "model/cluster/upfield.h"
#include "userspace/cli/cli.h"

struct args {
	bool			takes_json;
	struct suo_json_opts	json;
	const char		*path;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		if (args->takes_json)
			state->child_inputs[0] = &args->json;
		return 0;
	case ARGP_KEY_ARG:
		if (args->path)
			argp_error(state, "one cluster file only");
		args->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which cluster file?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static json_t *up_to_json(const struct suo_cluster *c)
{
	const struct suo_up_field *field;
	json_t *up;

	up = json_pack("{s:s, s:I, s:I}", "profile", c->up_profile->name,
		       "rate_mbps", (json_int_t)c->up.rate_mbps,
		       "latency_ps", (json_int_t)suo_link_latency_ps(&c->up));
	for (unsigned int i = 0; (field = suo_up_field(i)); i++) {
		uint64_t value = suo_up_get(field, &c->up);

		json_object_set_new(up, field->name, field->words ?
				    json_string(field->words[value]) :
				    json_integer(value));
	}
	return up;
}

static json_t *to_json(const struct suo_cluster *c)
{
	json_t *algorithms = json_array();

	for (uint32_t i = 0; i < c->bench.nalgorithms; i++)
		json_array_append_new(algorithms,
				      json_string(c->bench.algorithm[i]));

	return json_pack("{s:s, s:i, s:i, s:o, s:{s:s, s:I, s:I, s:i},"
			 " s:{s:i, s:b}, s:{s:I, s:I, s:i, s:i, s:i, s:o}}",
			 "name", c->name, "hosts", c->hosts,
			 "accelerators", c->accels,
			 "scale_up", up_to_json(c),
			 "scale_out",
			 "profile", c->out.profile->name,
			 "rate_mbps", (json_int_t)c->out.rate_mbps,
			 "latency_ps", (json_int_t)c->out.latency_ps,
			 "mtu_bytes", c->out.mtu_bytes,
			 "lab",
			 "time_scale", c->time_scale,
			 "time_scale_auto", c->time_scale_auto,
			 "bench",
			 "min_bytes", (json_int_t)c->bench.min_bytes,
			 "max_bytes", (json_int_t)c->bench.max_bytes,
			 "factor", c->bench.factor,
			 "iterations", c->bench.iterations,
			 "warmup", c->bench.warmup,
			 "algorithms", algorithms);
}

static void print_cluster(const struct suo_cluster *c)
{
	printf("%s: %" PRIu32 " ranks, %" PRIu32 " hosts of %" PRIu32
	       " accelerators\n", c->name, c->hosts * c->accels, c->hosts,
	       c->accels);
	printf("scale-up   %-13s %10.3f Gb/s raw, %.3f GB/s payload, %.3f ns\n",
	       c->up_profile->name, c->up.rate_mbps / 1000.0,
	       suo_payload_GBps(&c->up), suo_link_latency_ps(&c->up) / 1000.0);
	printf("scale-out  %-13s %10.3f Gb/s raw, %.3f ns, MTU %" PRIu32 " bytes\n",
	       c->out.profile->name, c->out.rate_mbps / 1000.0,
	       c->out.latency_ps / 1000.0, c->out.mtu_bytes);
}

int suo_cmd_cluster_check(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &suo_json_argp },
		{ 0 }
	};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "CLUSTER.yaml",
		.doc = "Check a cluster file and print what it comes to.",
		.children = children,
	};
	struct args args = { .takes_json = true };
	struct suo_cluster *cluster;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = suo_load_cluster(args.path, &cluster);
	if (status)
		return status;

	if (args.json.json)
		status = suo_json_print(&args.json, to_json(cluster));
	else
		print_cluster(cluster);
	suo_cluster_free(cluster);
	return status;
}

int suo_cmd_cluster_env(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "CLUSTER.yaml",
		.doc = "Print a cluster file as assignments for a shell.",
	};
	struct suo_cluster *cluster;
	struct args args = { 0 };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = suo_load_cluster(args.path, &cluster);
	if (status)
		return status;

	suo_cluster_print_env(cluster, stdout);
	suo_cluster_free(cluster);
	return SUO_OK;
}
