// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of suo simulate. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/report.h"
#include "model/cluster/units.h"
#include "model/cluster/upfield.h"
#include "userspace/cli/simulate.h"

const char *const suo_sim_topology_names[] = {
	"single", "leaf-spine", "rail", "fat-tree", NULL
};

const char *const suo_sim_transport_names[] = { "roce", "selective", "pull", NULL };
const char *const suo_workload_names[] = {
	"incast", "permutation", "all-to-all", "ring", "collective", NULL
};

enum key {
	TOPOLOGY = 256, HOSTS, HOSTS_PER_LEAF, SPINES, SPINE_LINKS, RAILS, RATE, FABRIC_RATE,
	HOP, SWITCH, NIC, BUFFER, MTU, TRAIN, TRANSPORT, BALANCING, SAME_SEED, LOSSY,
	XOFF, XON, HEADROOM, ECN, AT_EXIT, CC, RTO, TRIM_QUEUE, ACK_EVERY, DOMAIN, UP,
	BYTES, STEPS, AT_DONE, COLL, ALGORITHM, FLOWS, SEED, CSV, MESSAGES, PACKETS,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What is sent:", 1 },
	{ "number", 'n', "N", 0, "Senders (incast), hosts that take part, or ranks"
	  " (default: all there are)", 1 },
	{ "bytes", 'b', "SIZE", 0, "Of a message; of a rank's vector (default 1MiB)",
	  1 },
	{ "steps", STEPS, "N", 0, "ring: of each chain (default 2 N - 1)", 1 },
	{ "at-done", AT_DONE, NULL, 0, "ring: a step begins when the last one is"
	  " acknowledged, not when its data is there", 1 },
	{ "coll", COLL, "NAME", 0, "collective: which (default allreduce)", 1 },
	{ "algorithm", 'a', "NAME", 0, "collective: of suo plan list (default ring)",
	  1 },
	{ "queue-pairs", 'q', "N", 0, "Flows of each pair, which share its messages"
	  " (default 1)", 1 },
	{ "seed", SEED, "N", 0, "Of all random numbers (default 1)", 1 },

	{ NULL, 0, NULL, 0, "The network:", 2 },
	{ "cluster", 'c', "FILE", 0, "Take it from a cluster file; options that follow"
	  " change it", 2 },
	{ "topology", TOPOLOGY, "NAME", 0, "single, leaf-spine, rail or fat-tree", 2 },
	{ "hosts", HOSTS, "N", 0, "Hosts, each with a NIC (default 32)", 2 },
	{ "hosts-per-leaf", HOSTS_PER_LEAF, "N", 0, "Default 16", 2 },
	{ "spines", SPINES, "N", 0, "Default 16", 2 },
	{ "spine-links", SPINE_LINKS, "N", 0, "From a leaf to each spine (default 1)",
	  2 },
	{ "rate", RATE, "RATE", 0, "Of all links (default 400Gb/s)", 2 },
	{ "fabric-rate", FABRIC_RATE, "RATE", 0, "Of those between switches", 2 },
	{ "hop-latency", HOP, "TIME", 0, "Of a link (default 500ns)", 2 },
	{ "switch-latency", SWITCH, "TIME", 0, "Of a switch (default 500ns)", 2 },
	{ "nic-latency", NIC, "TIME", 0, "Of a NIC (default 0)", 2 },
	{ "buffer", BUFFER, "SIZE", 0, "Shared, for each port (default 2MiB)", 2 },
	{ "rails", RAILS, "N", 0, "rail: host h is at a leaf of rail h modulo N (default"
	  " G)", 2 },
	{ "domain-size", 'g', "G", 0, "Hosts of a scale-up domain (default 1: none)",
	  2 },
	{ "scale-up", UP, "PROFILE", 0, "Links in it (default nvlink4); see suo"
	  " profile list", 2 },

	{ NULL, 0, NULL, 0, "How it is sent:", 3 },
	{ "transport", TRANSPORT, "NAME", 0, "roce: go-back-N (default); selective:"
	  " packets in any order, only what was lost is repeated; pull: sprayed,"
	  " trimmed, driven by the receiver", 3 },
	{ "load-balancing", BALANCING, "NAME", 0, "ecmp, spray or adaptive", 3 },
	{ "same-seed", SAME_SEED, NULL, 0, "All switches hash alike", 3 },
	{ "mtu", MTU, "SIZE", 0, "RoCE path MTU (default 4096)", 3 },
	{ "train", TRAIN, "N", 0, "Packets that are simulated as one (default 1)", 3 },
	{ "ack-every", ACK_EVERY, "N", 0, "Trains for one acknowledgment (default 1)",
	  3 },
	{ "lossy", LOSSY, NULL, 0, "No PFC", 3 },
	{ "xoff", XOFF, "SIZE", 0, "Pause at so much in an ingress queue (default: by"
	  " what is free of the buffer)", 3 },
	{ "xon", XON, "SIZE", 0, "Go on at so much less than that", 3 },
	{ "headroom", HEADROOM, "SIZE", 0, "For what comes after (default: by formula)",
	  3 },
	{ "ecn", ECN, "KMIN,KMAX,PMAX", 0, "Mark, such as 800KB,3200KB,0.2", 3 },
	{ "mark-at-exit", AT_EXIT, NULL, 0, "Mark by the queue left behind", 3 },
	{ "cc", CC, "NAME", 0, "none (default), dcqcn or nscc", 3 },
	{ "rto", RTO, "TIME", 0, "Timeout of a sender (default 1ms)", 3 },
	{ "queue", TRIM_QUEUE, "SIZE", 0, "Longest queue: more is trimmed, or dropped",
	  3 },

	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "csv", 'o', "FILE", 0, "Write the summary to FILE, too", 4 },
	{ "messages", MESSAGES, "FILE", 0, "A line for each message (CSV)", 4 },
	{ "packets", PACKETS, "FILE", 0, "A line for each step of each packet (CSV)", 4 },
	{ 0 }
};

/* Options that wait for all others: the profile of a class is made of several. */
struct later {
	struct suo_simulate	*s;
	const char		*ecn;
	bool			lossy;
	u32			transport;
	bool			balanced;
	u64			xoff;
	u64			xon;
	u64			headroom;
	u64			queue;
	u64			seed;
	const char		*up;
};

static const char *option_name(int key)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].key == key && options[i].name)
			return options[i].name;
	return "";
}

static u64 quantity(struct argp_state *state, int key, const char *text,
		    enum suo_dimension dimension, const char *plain, u64 min, u64 max)
{
	const struct suo_quantity what = { dimension, plain, min, max };

	return suo_option_quantity(state, option_name(key), text, &what);
}

static u32 number(struct argp_state *state, int key, const char *text, u64 min,
		  u64 max)
{
	return quantity(state, key, text, SUO_NUMBER, NULL, min, max);
}

static u64 size_of(struct argp_state *state, int key, const char *text)
{
	return quantity(state, key, text, SUO_BYTES, "B", 0, 1ull << 44);
}

/* Of what has another default than 0. */
static u64 some_size_of(struct argp_state *state, int key, const char *text)
{
	return quantity(state, key, text, SUO_BYTES, "B", 1, 1ull << 44);
}

static u64 time_of(struct argp_state *state, int key, const char *text)
{
	return quantity(state, key, text, SUO_TIME, "ns", 0, SUO_LINK_MAX_LATENCY_PS);
}

static u64 rate_of(struct argp_state *state, int key, const char *text)
{
	return quantity(state, key, text, SUO_RATE, "Gb/s", 1, SUO_LINK_MAX_RATE_MBPS);
}

static const char *candidate(unsigned int i, const void *names)
{
	return ((const char *const *)names)[i];
}

static u32 word(struct argp_state *state, const char *what, const char *text,
		const char *const *names)
{
	const char *meant;

	for (u32 i = 0; names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	meant = suo_nearest(text, candidate, names);
	argp_error(state, "unknown %s '%s'%s%s", what, text,
		   meant ? "; did you mean " : "", meant ? meant : "");
	return 0;
}

static const struct suo_cc_ops *algorithm(struct argp_state *state, const char *text)
{
	const struct suo_cc_ops *ops;

	for (u32 i = 0; (ops = suo_cc_algorithm(i)); i++)
		if (!strcmp(ops->name, text))
			return ops;
	argp_error(state, "--cc: '%s' is none of none, dcqcn, nscc", text);
	return &suo_cc_none;
}

static void for_all_tiers(struct suo_sim_config *c, size_t offset, u32 from, u64 value)
{
	for (u32 t = from; t < SUO_SIM_TIERS; t++)
		*(u64 *)((char *)&c->tier[t] + offset) = value;
}

#define ALL(member, from, value)	\
	for_all_tiers(c, offsetof(struct suo_sim_tier, member), from, value)

static void parse_ecn(struct argp_state *state, const char *text,
		      struct suo_sim_config *c)
{
	char *copy = strdup(text), *kmin = copy, *kmax, *pmax, *end;
	double p;

	kmax = copy ? strchr(kmin, ',') : NULL;
	pmax = kmax ? strchr(kmax + 1, ',') : NULL;
	if (!pmax)
		argp_error(state, "--ecn: KMIN,KMAX,PMAX, such as 800KB,3200KB,0.2");
	*kmax++ = '\0';
	*pmax++ = '\0';
	p = strtod(pmax, &end);
	if (end == pmax || *end || !(p >= 0 && p <= 1))
		argp_error(state, "--ecn: PMAX '%s': from 0 to 1", pmax);
	suo_sim_config_ecn(c, size_of(state, ECN, kmin), size_of(state, ECN, kmax),
			   p * SUO_WRED_PPM + 0.5);
	if (c->sw.class[c->prio].wred.kmin_bytes > c->sw.class[c->prio].wred.kmax_bytes)
		argp_error(state, "--ecn: KMIN is above KMAX");
	free(copy);
}

/* The buffer profile of data and acknowledgments, with marks. */
static void finish(struct argp_state *state, struct later *later)
{
	struct suo_sim_config *c = &later->s->config;
	struct suo_switch_class *class = &c->sw.class[c->prio];
	const struct suo_profile *profile;
	u32 path = c->sw.path;

	if (later->transport == SUO_SIM_PULL)
		suo_sim_config_pull(c);
	else if (!later->s->cluster || later->lossy)
		suo_sim_config_lossless(c, !later->lossy);
	else
		suo_sim_config_trains(c);
	if (later->balanced)
		c->sw.path = path;
	if (later->xoff) {
		class->pfc.static_bytes = later->xoff;
		class->pfc.dynamic_th = SUO_PFC_NO_DYNAMIC;
	}
	if (later->xon)
		class->pfc.xon_bytes = later->xon;
	if (later->headroom)
		class->pfc.headroom_bytes = later->headroom;
	if (later->queue)
		class->queue_bytes = later->queue;
	if (c->ack_prio != c->ctl_prio)
		c->sw.class[c->ack_prio].pfc = class->pfc;
	if (later->ecn)
		parse_ecn(state, later->ecn, c);
	if (c->domain_size > 1 && (later->up || !later->s->cluster)) {
		profile = suo_profile_find(later->up ? later->up : "nvlink4");
		if (!profile)
			argp_error(state, "--scale-up: no profile '%s'; see: suo profile list",
				   later->up);
		suo_up_law(profile, &c->up);
		c->up.seed = later->seed;
	}
	if (c->rails == 1)
		c->rails = c->domain_size;
	c->seed = later->seed;
	later->s->work.seed = later->seed;
}

/* The network itself. Return: 0 if it was not one of its options. */
static int parse_network(int key, char *arg, struct argp_state *state,
			 struct suo_sim_config *c)
{
	switch (key) {
	case TOPOLOGY:
		c->topology = word(state, "topology", arg, suo_sim_topology_names);
		return 1;
	case HOSTS:
		c->hosts = number(state, key, arg, 2, SUO_SIM_MAX_HOSTS);
		return 1;
	case HOSTS_PER_LEAF:
		c->hosts_per_leaf = number(state, key, arg, 1, SUO_SWITCH_MAX_PORTS);
		return 1;
	case SPINES:
		c->spines = number(state, key, arg, 1, SUO_ECMP_MAX_PATHS);
		return 1;
	case SPINE_LINKS:
		c->spine_links = number(state, key, arg, 1, SUO_ECMP_MAX_PATHS);
		return 1;
	case RATE:
		ALL(rate_mbps, 0, rate_of(state, key, arg));
		return 1;
	case FABRIC_RATE:
		ALL(rate_mbps, 1, rate_of(state, key, arg));
		return 1;
	case HOP:
		ALL(hop_ps, 0, time_of(state, key, arg));
		return 1;
	case SWITCH:
		ALL(switch_ps, 0, time_of(state, key, arg));
		return 1;
	case NIC:
		c->nic_ps = time_of(state, key, arg);
		return 1;
	case BUFFER:
		ALL(buffer_bytes, 0, quantity(state, key, arg, SUO_BYTES, "B", 1,
					      1ull << 40));
		return 1;
	case RAILS:
		c->rails = number(state, key, arg, 1, SUO_SIM_MAX_HOSTS);
		return 1;
	case 'g':
		c->domain_size = number(state, key, arg, 1, SUO_SIM_MAX_HOSTS);
		return 1;
	case MTU:
		c->mtu_bytes = quantity(state, key, arg, SUO_BYTES, "B", 256, 4096);
		return 1;
	case TRAIN:
		c->train = number(state, key, arg, 1, SUO_SIM_MAX_TRAIN);
		return 1;
	case ACK_EVERY:
		c->ack_every = number(state, key, arg, 1, 1u << 20);
		return 1;
	case RTO:
		c->rto_ps = time_of(state, key, arg);
		return 1;
	case SAME_SEED:
		c->same_seed = true;
		return 1;
	case AT_EXIT:
		c->sw.mark_at_exit = true;
		return 1;
	case CC:
		c->cc = algorithm(state, arg);
		return 1;
	default:
		return 0;
	}
}

/* How it is sent, to be put together at the end. Return: as above. */
static int parse_sending(int key, char *arg, struct argp_state *state,
			 struct later *later)
{
	struct suo_simulate *s = later->s;

	switch (key) {
	case TRANSPORT:
		later->transport = word(state, "transport", arg,
					suo_sim_transport_names);
		s->config.transport = later->transport;
		return 1;
	case BALANCING:
		s->config.sw.path = word(state, "load balancing", arg,
					 suo_balancing_names);
		later->balanced = true;
		return 1;
	case LOSSY:
		later->lossy = true;
		return 1;
	case XOFF:
		later->xoff = some_size_of(state, key, arg);
		return 1;
	case XON:
		later->xon = some_size_of(state, key, arg);
		return 1;
	case HEADROOM:
		later->headroom = some_size_of(state, key, arg);
		return 1;
	case TRIM_QUEUE:
		later->queue = some_size_of(state, key, arg);
		return 1;
	case ECN:
		later->ecn = arg;
		return 1;
	case UP:
		later->up = arg;
		return 1;
	case SEED:
		later->seed = quantity(state, key, arg, SUO_NUMBER, NULL, 0, U64_MAX);
		return 1;
	case 'c':
		s->cluster = arg;
		if (suo_simulate_cluster(arg, &s->config, &s->work.flows_per_pair))
			exit(SUO_USAGE);
		return 1;
	default:
		return 0;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct later *later = state->input;
	struct suo_simulate *s = later->s;

	if (parse_network(key, arg, state, &s->config) ||
	    parse_sending(key, arg, state, later))
		return 0;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &s->json;
		return 0;
	case 'n':
		s->n = number(state, key, arg, 1, SUO_SIM_MAX_HOSTS);
		return 0;
	case 'b':
		s->work.bytes = size_of(state, key, arg);
		return 0;
	case STEPS:
		s->work.steps = number(state, key, arg, 1, 1u << 20);
		return 0;
	case AT_DONE:
		s->work.at_done = true;
		return 0;
	case COLL:
		s->coll = suo_coll_parse(arg);
		if (s->coll < 0)
			argp_error(state, "--coll: unknown collective '%s'", arg);
		return 0;
	case 'a':
		s->algorithm = arg;
		return 0;
	case 'q':
		s->work.flows_per_pair = number(state, key, arg, 1, 1024);
		return 0;
	case 'o':
		s->csv = arg;
		return 0;
	case MESSAGES:
		s->messages = arg;
		return 0;
	case PACKETS:
		s->packets = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "one workload only");
		s->work.kind = word(state, "workload", arg, suo_workload_names);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which workload? incast, permutation, all-to-all, ring or collective");
		return 0;
	case ARGP_KEY_END:
		finish(state, later);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void suo_simulate_parse(struct suo_simulate *s, int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "WORKLOAD",
		.doc = "Simulate a network packet by packet: incast (many to one),"
		       " permutation (each to one other), all-to-all, ring (chains of"
		       " messages round a ring) or a collective's plan.",
		.children = suo_json_children,
	};
	struct later later = { .s = s, .seed = 1 };

	*s = (struct suo_simulate){
		.work = { .bytes = 1 << 20, .elem_bytes = 4, .flows_per_pair = 1 },
		.coll = SUO_COLL_ALLREDUCE,
		.algorithm = "ring",
	};
	suo_sim_config_init(&s->config, 400000);
	argp_parse(&argp, argc, argv, 0, NULL, &later);
}
