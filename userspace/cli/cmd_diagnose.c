// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo diagnose */
#include <inttypes.h>

#include "userspace/cli/cli.h"
#include "userspace/cli/diagnose.h"

struct args {
	struct suo_json_opts	json;
	const char		*dir;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		return 0;
	case ARGP_KEY_ARG:
		if (args->dir)
			argp_error(state, "one run only");
		args->dir = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which run? the directory with its snapshot-last.json");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void apply_rules(struct dx_run *run, struct dx_report *report)
{
	u32 n;

	dx_rule_links(run, report);
	dx_rule_pauses(run, report);
	dx_rule_slow(run, report);
	dx_rule_wires(run, report);
	n = report->n;
	dx_rule_buffers(run, report);
	dx_rule_hosts(run, report);
	if (!n && !dx_has(report, "reordering")) {
		dx_rule_paths(run, report);
		dx_rule_straggler(run, report);
	}
	dx_report_sort(report);
}

static json_t *to_json(const struct dx_run *run, const struct dx_report *report)
{
	json_t *findings = json_array();

	for (u32 i = 0; i < report->n; i++) {
		const struct dx_finding *f = &report->finding[i];

		json_array_append_new(findings, json_pack(
			"{s:s, s:s, s:s, s:f, s:O}", "fault", f->fault, "where", f->where,
			"what", f->what, "score", f->score, "evidence", f->evidence));
	}
	return json_pack("{s:s, s:I, s:I, s:o}", "run", run->dir,
			 "length_ps", (json_int_t)run->length_ps,
			 "samples", (json_int_t)run->samples, "findings", findings);
}

static void print(const struct dx_run *run, const struct dx_report *report)
{
	printf("%s: %zu switches, %u links, %.3f ms", run->dir, run->last->nswitches,
	       run->links, run->length_ps / 1e9);
	if (run->samples)
		printf(", %u samples\n", run->samples);
	else
		puts(", no time series: what needs one is not looked for");
	if (!report->n)
		puts("nothing is wrong that this run shows");
	for (u32 i = 0; i < report->n; i++) {
		const struct dx_finding *f = &report->finding[i];
		const json_t *line;
		size_t j;

		printf("%u. %s (%.2f) %s: %s\n", i + 1, f->fault, f->score, f->where,
		       f->what);
		json_array_foreach(f->evidence, j, line)
			printf("     %s\n", json_string_value(line));
	}
}

int suo_cmd_diagnose(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "RUN-DIR",
		.doc = "Say what is wrong with a network by the telemetry of a run: what"
		       " 'suo-switch --series RUN-DIR/series.csv' wrote. The likeliest fault"
		       " comes first, with what speaks for it.",
		.children = suo_json_children,
	};
	struct dx_report report = { 0 };
	struct args args = { 0 };
	struct dx_run run;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = dx_run_load(args.dir, &run);
	if (!status) {
		apply_rules(&run, &report);
		if (report.failed)
			status = suo_error(SUO_FAILED, "not enough memory");
		else if (args.json.json)
			status = suo_json_print(&args.json, to_json(&run, &report));
		else
			print(&run, &report);
	}
	dx_report_free(&report);
	dx_run_free(&run);
	return status;
}
