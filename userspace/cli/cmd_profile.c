// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo profile list, suo profile show */
#include <inttypes.h>
#include <string.h>

#include "model/cluster/report.h"
#include "model/cluster/upfield.h"
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
	return suo_profile_is_out(profile) ? "up, out" : "up";
}

/* The figures of a profile by name, until there is none. */
struct named_figure {
	const char			*name;
	const struct suo_figure		*figure;
	const char *const		*words;
};

static bool figure_of(const struct suo_profile *p, unsigned int i,
		      struct named_figure *named)
{
	const struct named_figure others[] = {
		{ "links", &p->links, NULL },
		{ "lanes", &p->lanes, NULL },
		{ "lane_rate_mbps", &p->lane_rate_mbps, NULL },
		{ "mtu_bytes", &p->mtu_bytes, NULL },
	};
	const unsigned int nothers = 3 + suo_profile_is_out(p);
	const struct suo_up_field *field;

	if (i < nothers) {
		*named = others[i];
		return true;
	}
	i -= nothers;
	for (unsigned int f = 0; (field = suo_up_field(f)); f++) {
		if (!field->figure || i--)
			continue;
		named->name = field->name;
		named->figure = suo_up_figure(field, p);
		named->words = field->words;
		return true;
	}
	return false;
}

static json_t *to_json(const struct suo_profile *profile)
{
	struct named_figure named;
	json_t *object;

	object = json_pack("{s:s, s:s, s:b, s:I}", "name", profile->name,
			   "title", profile->title,
			   "scale_out", suo_profile_is_out(profile),
			   "latency_ps",
			   (json_int_t)suo_profile_latency_ps(profile));
	for (unsigned int i = 0; figure_of(profile, i, &named); i++) {
		const struct suo_figure *f = named.figure;

		json_object_set_new(object, named.name,
			json_pack("{s:o, s:s, s:s}", "value", named.words ?
				  json_string(named.words[f->value]) :
				  json_integer(f->value),
				  "provenance", suo_provenance_name(f->provenance),
				  "source", f->source));
	}
	return object;
}

static double rate_gbps(const struct suo_profile *profile)
{
	return profile->links.value * suo_profile_link_mbps(profile) / 1000.0;
}

static void print_figure(const struct named_figure *named)
{
	const struct suo_figure *f = named->figure;

	printf("%-20s ", named->name);
	if (named->words)
		printf("%10s", named->words[f->value]);
	else
		printf("%10" PRIu64, f->value);
	printf("  %-9s %s\n", suo_provenance_name(f->provenance), f->source);
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

	printf("%-13s %-7s %10s %10s  %s\n", "Profile", "Scale", "Raw Gb/s",
	       "Latency ns", "Title");
	for (i = 0; (profile = suo_profile_get(i)); i++)
		printf("%-13s %-7s %10.1f %10.1f  %s\n", profile->name,
		       kind_name(profile), rate_gbps(profile),
		       suo_profile_latency_ps(profile) / 1000.0, profile->title);
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
	struct args args = { .takes_name = true };
	const struct suo_profile *profile;
	struct named_figure named;

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

	printf("%s (scale-%s): %s\n", profile->name,
	       suo_profile_is_out(profile) ? "up and scale-out" : "up",
	       profile->title);
	for (unsigned int i = 0; figure_of(profile, i, &named); i++)
		print_figure(&named);
	return SUO_OK;
}
