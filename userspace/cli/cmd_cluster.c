// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo cluster check, suo cluster env */
#include <inttypes.h>

#include "model/cluster/upfield.h"
#include "userspace/cli/cli.h"
#include "userspace/cli/cluster_policy.h"
#include "userspace/switch/fault_script.h"

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

static json_t *tiers_to_json(const struct suo_fabric *fabric)
{
	json_t *tiers = json_array();

	for (uint32_t i = 0; i < fabric->ntiers; i++) {
		const struct suo_tier *t = &fabric->tier[i];

		json_array_append_new(tiers, json_pack(
			"{s:s, s:s?, s:s?, s:i, s:i, s:i, s:i, s:f, s:I, s:I, s:I, s:I, s:I}",
			"name", t->name, "switch", t->sw ? t->sw->name : NULL,
			"cable", t->cable ? t->cable->name : NULL,
			"count", t->count, "radix", t->radix,
			"down", t->down, "up", t->up,
			"oversubscription", t->oversub_milli / 1000.0,
			"rate_mbps", (json_int_t)t->rate_mbps,
			"switch_ps", (json_int_t)t->switch_ps,
			"fec_ps", (json_int_t)t->fec_ps,
			"propagation_ps", (json_int_t)t->propagation_ps,
			"buffer_bytes", (json_int_t)t->buffer_bytes));
	}
	return tiers;
}

static json_t *out_to_json(const struct suo_cluster_out *out)
{
	const struct suo_fabric *fabric = &out->fabric;
	const struct suo_congestion *con = &out->congestion;

	return json_pack("{s:s, s:s?, s:i, s:I, s:I, s:i, s:s, s:o, s:s, s:i, s:b, s:b, s:b, s:i, s:o}",
			 "profile", out->profile->name,
			 "nic", out->nic ? out->nic->name : NULL,
			 "nics_per_host", out->host_nics,
			 "rate_mbps", (json_int_t)out->rate_mbps,
			 "latency_ps", (json_int_t)out->latency_ps,
			 "mtu_bytes", out->mtu_bytes,
			 "topology", suo_topology_names[fabric->topology],
			 "tiers", tiers_to_json(fabric),
			 "load_balancing", suo_balancing_names[fabric->balancing],
			 "queue_pairs", fabric->queue_pairs,
			 "lossless", con->lossless,
			 "ecn", con->ecn,
			 "dcqcn", con->dcqcn_on,
			 "reorder_pkts", con->reorder_pkts,
			 "priorities", suo_policy_json(&out->policy));
}

static json_t *bench_to_json(const struct suo_cluster_bench *bench)
{
	json_t *algorithms = json_array();

	for (uint32_t i = 0; i < bench->nalgorithms; i++)
		json_array_append_new(algorithms,
				      json_string(bench->algorithm[i]));
	return json_pack("{s:I, s:I, s:i, s:i, s:i, s:o}",
			 "min_bytes", (json_int_t)bench->min_bytes,
			 "max_bytes", (json_int_t)bench->max_bytes,
			 "factor", bench->factor,
			 "iterations", bench->iterations,
			 "warmup", bench->warmup,
			 "algorithms", algorithms);
}

static json_t *to_json(const struct suo_cluster *c)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:o, s:o, s:s, s:b, s:{s:i, s:b, s:s}, s:o}",
			 "name", c->name, "hosts", c->hosts,
			 "accelerators", c->accels,
			 "hosts_per_domain", c->domain_hosts,
			 "scale_up", up_to_json(c),
			 "scale_out", out_to_json(&c->out),
			 "software", c->software.profile,
			 "lab_can", !c->lab_fault,
			 "lab",
			 "time_scale", c->time_scale,
			 "time_scale_auto", c->time_scale_auto,
			 "fabric", suo_lab_fabric_names[c->lab_fabric],
			 "bench", bench_to_json(&c->bench));
}

static void print_tiers(const struct suo_fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->ntiers; i++) {
		const struct suo_tier *t = &fabric->tier[i];

		printf("  %-8s %7" PRIu32 " switches (%s) of %" PRIu32 " ports: %" PRIu32
		       " down, %" PRIu32 " up, oversubscribed %.3f : 1; cable %s\n",
		       t->name, t->count, t->sw ? t->sw->name : "of the profile",
		       t->radix, t->down, t->up, t->oversub_milli / 1000.0,
		       t->cable ? t->cable->name : "of the profile");
	}
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
	if (c->domain_hosts > 1)
		printf("domains    %" PRIu32 " of %" PRIu32 " accelerators\n",
		       c->hosts / c->domain_hosts, suo_cluster_domain_size(c));
	if (c->lab_fabric != SUO_LAB_SWITCH)
		return;
	printf("fabric     %s, %" PRIu64 " NICs, %s\n",
	       suo_topology_names[c->out.fabric.topology],
	       c->out.fabric.endpoints,
	       suo_balancing_names[c->out.fabric.balancing]);
	print_tiers(&c->out.fabric);
	suo_policy_print(&c->out.policy);
}

/* Names of links are only known to the switches. */
static int check_faults(const struct suo_cluster *c, const char *path)
{
	char why[SWD_FAULT_WHY];
	struct swd_fault fault;
	int status = SUO_OK;

	for (uint32_t i = 0; i < c->nfaults; i++)
		if (swd_fault_parse(c->fault[i], NULL, 0, &fault, why))
			status = suo_error(SUO_USAGE, "%s: faults: number %u: %s", path,
					   i + 1, why);
	return status;
}

int suo_cmd_cluster_check(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "CLUSTER.yaml",
		.doc = "Check a cluster file and print what it comes to.",
		.children = suo_json_children,
	};
	struct args args = { .takes_json = true };
	struct suo_cluster *cluster;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = suo_load_cluster(args.path, &cluster);
	if (status)
		return status;

	status = check_faults(cluster, args.path);
	if (!status && args.json.json)
		status = suo_json_print(&args.json, to_json(cluster));
	else if (!status)
		print_cluster(cluster);
	suo_cluster_free(cluster);
	return status;
}

int suo_cmd_cluster_env(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "CLUSTER.yaml",
		.doc = "Print a cluster file as assignments for a shell, which set up"
		       " the lab; refuse what the lab cannot do.",
	};
	struct suo_cluster *cluster;
	struct args args = { 0 };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = suo_load_cluster(args.path, &cluster);
	if (status)
		return status;

	if (cluster->lab_fault) {
		fputs(cluster->lab_fault, stderr);
		status = SUO_USAGE;
	} else {
		suo_cluster_print_env(cluster, stdout);
	}
	suo_cluster_free(cluster);
	return status;
}
