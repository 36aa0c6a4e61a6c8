// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo profile list, suo profile show: link generations, parts, software */
#include <inttypes.h>
#include <string.h>

#include "model/cluster/part.h"
#include "model/cluster/report.h"
#include "model/cluster/software.h"
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
		{ "reduce", &p->reduce, NULL },
		{ "mtu_bytes", &p->mtu_bytes, NULL },
	};
	const unsigned int nothers = 4 + suo_profile_is_out(p);
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

static json_t *part_to_json(const struct suo_part *part)
{
	const struct suo_figure *f;
	const char *name;
	json_t *object;

	object = json_pack("{s:s, s:s, s:s}", "name", part->name,
			   "kind", suo_part_kind_name(part->kind),
			   "title", part->title);
	for (unsigned int i = 0; (f = suo_part_figure(part, i, &name)); i++)
		json_object_set_new(object, name,
			json_pack("{s:I, s:s, s:s}", "value", (json_int_t)f->value,
				  "provenance", suo_provenance_name(f->provenance),
				  "source", f->source));
	return object;
}

static json_t *list_to_json(void)
{
	const struct suo_software_profile *soft;
	const struct suo_profile *profile;
	const struct suo_part *part;
	json_t *all = json_array();
	unsigned int i;

	for (i = 0; (profile = suo_profile_get(i)); i++)
		json_array_append_new(all, to_json(profile));
	for (i = 0; (part = suo_part_get(i)); i++)
		json_array_append_new(all, part_to_json(part));
	for (i = 0; (soft = suo_software_get(i)); i++)
		json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "name",
						     soft->name, "kind", "software",
						     "title", soft->title));
	return all;
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

static void print_parts(void)
{
	const struct suo_software_profile *soft;
	const struct suo_part *part;
	unsigned int i;

	printf("\n%-15s %-8s %10s %10s  %s\n", "Part", "Kind", "Gb/s",
	       "Latency ns", "Title");
	for (i = 0; (part = suo_part_get(i)); i++)
		printf("%-15s %-8s %10.1f %10.1f  %s\n", part->name,
		       suo_part_kind_name(part->kind),
		       (part->kind == SUO_PART_SWITCH ? part->capacity_mbps.value :
			part->rate_mbps.value) / 1000.0,
		       part->latency_ps.value / 1000.0, part->title);
	printf("\n%-15s %s\n", "Software", "Title");
	for (i = 0; (soft = suo_software_get(i)); i++)
		printf("%-15s %s\n", soft->name, soft->title);
}

int suo_cmd_profile_list(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.doc = "List the link generations, parts and software profiles that a"
		       " cluster file can name.",
		.children = suo_json_children,
	};
	const struct suo_profile *profile;
	struct args args = { 0 };
	unsigned int i;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.json.json)
		return suo_json_print(&args.json, list_to_json());

	printf("%-13s %-7s %10s %10s  %s\n", "Profile", "Scale", "Raw Gb/s",
	       "Latency ns", "Title");
	for (i = 0; (profile = suo_profile_get(i)); i++)
		printf("%-13s %-7s %10.1f %10.1f  %s\n", profile->name,
		       kind_name(profile), rate_gbps(profile),
		       suo_profile_latency_ps(profile) / 1000.0, profile->title);
	print_parts();
	return SUO_OK;
}

static int show_part(const struct suo_json_opts *json, const struct suo_part *part)
{
	struct named_figure named = { 0 };

	if (json->json)
		return suo_json_print(json, part_to_json(part));
	printf("%s (%s): %s\n", part->name, suo_part_kind_name(part->kind),
	       part->title);
	for (unsigned int i = 0;
	     (named.figure = suo_part_figure(part, i, &named.name)); i++)
		print_figure(&named);
	return SUO_OK;
}

static int show_software(const struct suo_json_opts *json,
			 const struct suo_software_profile *soft)
{
	if (json->json)
		return suo_json_print(json, json_pack("{s:s, s:s, s:s}", "name",
						      soft->name, "kind", "software",
						      "title", soft->title));
	printf("%s (software): %s\n", soft->name, soft->title);
	return SUO_OK;
}

static int unknown(const char *name)
{
	const char *meant = suo_nearest(name, suo_profile_candidate, NULL);

	if (!meant)
		meant = suo_nearest(name, suo_part_candidate, NULL);
	if (!meant)
		meant = suo_nearest(name, suo_software_candidate, NULL);
	return suo_error(SUO_USAGE, "unknown profile '%s'; %s%s", name,
			 meant ? "did you mean " : "see: suo profile list",
			 meant ? meant : "");
}

int suo_cmd_profile_show(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "PROFILE",
		.doc = "Show one link generation or part: each figure, and whether it was"
		       " read in a specification (spec), in a measurement"
		       " (measured), or is assumed.",
		.children = suo_json_children,
	};
	struct args args = { .takes_name = true };
	const struct suo_software_profile *soft;
	const struct suo_profile *profile;
	const struct suo_part *part;
	struct named_figure named;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	profile = suo_profile_find(args.name);
	part = suo_part_find(args.name);
	soft = suo_software_find(args.name);
	if (!profile && part)
		return show_part(&args.json, part);
	if (!profile)
		return soft ? show_software(&args.json, soft) : unknown(args.name);
	if (args.json.json)
		return suo_json_print(&args.json, to_json(profile));

	printf("%s (scale-%s): %s\n", profile->name,
	       suo_profile_is_out(profile) ? "up and scale-out" : "up",
	       profile->title);
	for (unsigned int i = 0; figure_of(profile, i, &named); i++)
		print_figure(&named);
	return SUO_OK;
}
