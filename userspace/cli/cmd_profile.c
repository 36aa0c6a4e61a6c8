// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo profile list, suo profile show */
#include <inttypes.h>
#include <string.h>

#include "model/cluster/report.h"
#include "userspace/cli/cli.h"

struct args {
	struct suo_json_opts	json;
	const char		*name;
	bool			takes_name;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		return 0;
	case ARGP_KEY_ARG:
		if (!args->takes_name || args->name)
			argp_error(state, "'%s' is one argument too many", arg);
		args->name = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (args->takes_name)
			argp_error(state, "which profile? See: suo profile list");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &suo_json_argp },
	{ 0 }
};

static const char *kind_name(const struct suo_profile *profile)
{
	return profile->kind == SUO_SCALE_UP ? "scale-up" : "scale-out";
}

/* The figures of a profile by name. Return: how many there are. */
struct named_figure {
	const char			*name;
	const struct suo_figure		*figure;
};

#define MAX_FIGURES	6

static size_t figures_of(const struct suo_profile *p,
			 struct named_figure figure[MAX_FIGURES])
{
	size_t n = 0;

	figure[n++] = (struct named_figure){ "links", &p->links };
	figure[n++] = (struct named_figure){ "link_rate_mbps", &p->link_rate_mbps };
	figure[n++] = (struct named_figure){ "latency_ps", &p->latency_ps };
	if (p->kind == SUO_SCALE_OUT) {
		figure[n++] = (struct named_figure){ "mtu_bytes", &p->mtu_bytes };
		return n;
	}
	figure[n++] = (struct named_figure){ "max_payload_bytes",
					     &p->max_payload_bytes };
	figure[n++] = (struct named_figure){ "header_bytes", &p->header_bytes };
	figure[n++] = (struct named_figure){ "flit_bytes", &p->flit_bytes };
	return n;
}

static json_t *to_json(const struct suo_profile *profile)
{
	struct named_figure figure[MAX_FIGURES];
	size_t n = figures_of(profile, figure);
	json_t *object;

	object = json_pack("{s:s, s:s, s:s}", "name", profile->name,
			   "title", profile->title, "kind", kind_name(profile));
	for (size_t i = 0; i < n; i++) {
		const struct suo_figure *f = figure[i].figure;

		json_object_set_new(object, figure[i].name,
			json_pack("{s:I, s:s, s:s}", "value", (json_int_t)f->value,
				  "provenance", suo_provenance_name(f->provenance),
				  "source", f->source));
	}
	return object;
}

static double rate_gbps(const struct suo_profile *profile)
{
	return profile->links.value * profile->link_rate_mbps.value / 1000.0;
}

int suo_cmd_profile_list(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.doc = "List the link generations that a cluster file can name.",
		.children = children,
	};
	const struct suo_profile *profile;
	struct args args = { 0 };
	unsigned int i;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.json.json) {
		json_t *all = json_array();

		for (i = 0; (profile = suo_profile_get(i)); i++)
			json_array_append_new(all, to_json(profile));
		return suo_json_print(&args.json, all);
	}

	printf("%-12s %-10s %10s %10s  %s\n", "Profile", "Kind", "Raw Gb/s",
	       "Latency ns", "Title");
	for (i = 0; (profile = suo_profile_get(i)); i++)
		printf("%-12s %-10s %10.1f %10.1f  %s\n", profile->name,
		       kind_name(profile), rate_gbps(profile),
		       profile->latency_ps.value / 1000.0, profile->title);
	return SUO_OK;
}

int suo_cmd_profile_show(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "PROFILE",
		.doc = "Show one link generation: each figure, and whether it was"
		       " read in a specification (spec), in a measurement"
		       " (measured), or is assumed.",
		.children = children,
	};
	struct named_figure figure[MAX_FIGURES];
	struct args args = { .takes_name = true };
	const struct suo_profile *profile;
	size_t n;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	profile = suo_profile_find(args.name);
	if (!profile) {
		const char *meant = suo_nearest(args.name, suo_profile_candidate,
						NULL);

		return suo_error(SUO_USAGE, "unknown profile '%s'; %s%s",
				 args.name, meant ? "did you mean " :
				 "see: suo profile list", meant ? meant : "");
	}
	if (args.json.json)
		return suo_json_print(&args.json, to_json(profile));

	printf("%s (%s): %s\n", profile->name, kind_name(profile),
	       profile->title);
	n = figures_of(profile, figure);
	for (size_t i = 0; i < n; i++)
		printf("%-18s %10" PRIu64 "  %-9s %s\n", figure[i].name,
		       figure[i].figure->value,
		       suo_provenance_name(figure[i].figure->provenance),
		       figure[i].figure->source);
	return SUO_OK;
}
