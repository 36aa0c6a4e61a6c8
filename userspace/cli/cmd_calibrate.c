// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo calibrate: fit what a collective library costs to measured tables. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibrate/band.h"
#include "model/calibrate/fit.h"
#include "model/calibrate/profile.h"
#include "userspace/cli/cli.h"

#define MAX_TABLES	256

#define CSV_HEADER \
	"table,op,gpus,size_bytes,measured_us,predicted_us,error_pct," \
	"band_low_us,band_high_us,algorithm,protocol,channels,launch_us," \
	"step_us,channel_us,up_us,out_us"

struct args {
	struct suo_json_opts	json;
	const char		*table[MAX_TABLES];
	size_t			ntables;
	const char		*without[SUO_CAL_MAX_WITHOUT];
	size_t			nwithout;
	const char		*output;
	const char		*profile;
	const char		*csv;
	const char		*source;
};

/* What the command works on. */
struct calibration {
	const struct args		*args;
	struct suo_cal_data		data;
	size_t				without[SUO_CAL_MAX_WITHOUT];
	struct suo_nccl_constants	k;
};

static const struct argp_option options[] = {
	{ "output", 'o', "PROFILE.json", 0, "Write the constants there", 0 },
	{ "leave-out", 'l', "CLUSTER", 0,
	  "Do not look at this cluster, then predict it; may be repeated", 0 },
	{ "profile", 'P', "PROFILE.json", 0,
	  "Fit nothing: predict the tables with this profile", 0 },
	{ "csv", 'c', "FILE", 0, "Write each row, measured and predicted", 0 },
	{ "source", 'S', "FILE.c", 0, "Write the constants as a C source", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case 'l':
		if (args->nwithout == SUO_CAL_MAX_WITHOUT)
			argp_error(state, "at most %d clusters can be left out",
				   SUO_CAL_MAX_WITHOUT);
		args->without[args->nwithout++] = arg;
		return 0;
	case 'P':
		args->profile = arg;
		return 0;
	case 'c':
		args->csv = arg;
		return 0;
	case 'S':
		args->source = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->ntables == MAX_TABLES)
			argp_error(state, "at most %d tables", MAX_TABLES);
		args->table[args->ntables++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->ntables)
			argp_error(state, "which tables?");
		if (args->profile && (args->nwithout || args->output ||
				      args->source))
			argp_error(state, "--profile fits nothing, so it goes with neither --leave-out, --output nor --source");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int read_tables(struct calibration *c)
{
	const struct args *args = c->args;
	char err[512];

	for (size_t i = 0; i < args->ntables; i++) {
		int ret = suo_cal_read(&c->data, args->table[i], err, sizeof(err));

		if (ret)
			return suo_error(ret == -EINVAL ? SUO_USAGE : SUO_FAILED,
					 "%s", err);
	}
	for (size_t i = 0; i < args->nwithout; i++) {
		c->without[i] = suo_cal_find(&c->data, args->without[i]);
		if (c->without[i] == c->data.nclusters)
			return suo_error(SUO_USAGE, "--leave-out: no table is of a cluster '%s'",
					 args->without[i]);
	}
	return SUO_OK;
}

static int fit(struct calibration *c)
{
	const struct args *args = c->args;
	char err[512];
	int ret;

	if (args->profile) {
		ret = suo_cal_load(args->profile, &c->k, err, sizeof(err));
		return ret ? suo_error(SUO_USAGE, "%s", err) : SUO_OK;
	}

	ret = suo_cal_fit(&c->data, c->without, args->nwithout, &c->k, err,
			  sizeof(err));
	/* One cluster alone does not tell how far off the next one is. */
	if (!ret && c->data.nclusters >= args->nwithout + 2)
		ret = suo_cal_band(&c->data, c->without, args->nwithout, &c->k,
				   err, sizeof(err));
	if (ret)
		return suo_error(ret == -EINVAL ? SUO_USAGE : SUO_FAILED, "%s",
				 err);
	return SUO_OK;
}

static bool was_fitted(const struct calibration *c, size_t cluster)
{
	if (c->args->profile)
		return false;
	for (size_t i = 0; i < c->args->nwithout; i++)
		if (c->without[i] == cluster)
			return false;
	return true;
}

static void print_table(const struct calibration *c)
{
	printf("#%19s %7s %6s %8s %8s %8s %6s %8s %8s\n", "cluster", "", "rows",
	       "mean", "bias", "worst", ">=64M", "mean", "worst");
	printf("#%19s %7s %6s %8s %8s %8s %6s %8s %8s\n", "", "", "", "(%)",
	       "(%)", "(%)", "", "(%)", "(%)");
	for (size_t i = 0; i < c->data.nclusters; i++) {
		struct suo_cal_score s;

		suo_cal_score(&c->data, i, &c->k, &s);
		printf("%20s %7s %6zu %8.2f %8.2f %8.2f %6zu %8.2f %8.2f\n",
		       c->data.cluster[i], was_fitted(c, i) ? "fitted" : "unseen",
		       s.rows, s.mean_pct, s.bias_pct, s.worst_pct, s.large_rows,
		       s.large_pct, s.large_worst_pct);
	}
	if (c->k.log_p10 < c->k.log_p90)
		printf("# 10-90 %% of clusters not seen: %.1f to %+.1f %% of a prediction\n",
		       100 * (exp(c->k.log_p10) - 1),
		       100 * (exp(c->k.log_p90) - 1));
}

static json_t *to_json(const struct calibration *c)
{
	json_t *clusters = json_array();

	for (size_t i = 0; i < c->data.nclusters; i++) {
		struct suo_cal_score s;
		json_t *entry;

		suo_cal_score(&c->data, i, &c->k, &s);
		entry = json_pack("{s:s, s:b, s:I, s:f, s:f, s:f, s:I, s:f, s:f}",
				  "cluster", c->data.cluster[i],
				  "fitted", was_fitted(c, i),
				  "rows", (json_int_t)s.rows,
				  "mean_pct", s.mean_pct, "bias_pct", s.bias_pct,
				  "worst_pct", s.worst_pct,
				  "large_rows", (json_int_t)s.large_rows,
				  "large_mean_pct", s.large_pct,
				  "large_worst_pct", s.large_worst_pct);
		json_array_append_new(clusters, entry);
	}
	return json_pack("{s:o, s:{s:f, s:f}}", "clusters", clusters, "band",
			 "log_p10", c->k.log_p10, "log_p90", c->k.log_p90);
}

static int write_csv(const struct calibration *c, const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
	fputs(CSV_HEADER "\n",
	      out);
	for (size_t i = 0; i < c->data.nrows; i++) {
		const struct suo_cal_row *r = &c->data.row[i];
		struct suo_nccl_pick pick = { 0 };
		double us = suo_nccl_time_us(&r->sys, &c->k, r->op, r->bytes,
					     &pick);

		fprintf(out, "%s,%s,%" PRIu32 ",%" PRIu64 ",%.3f,%.3f,%.2f,%.3f,%.3f,",
			c->data.cluster[r->cluster], suo_nccl_op_name(r->op),
			r->sys.ranks, r->bytes, r->us, us,
			100 * (us / r->us - 1), us * exp(c->k.log_p10),
			us * exp(c->k.log_p90));
		fprintf(out, "%s,%s,%u,%.3f,%.3f,%.3f,%.3f,%.3f\n",
			suo_nccl_algorithm_name(pick.algorithm),
			suo_nccl_protocol_name(pick.protocol), pick.channels,
			pick.launch_us, pick.step_us, pick.channel_us,
			pick.up_us, pick.out_us);
	}
	return suo_close(out, path);
}

static int write_files(const struct calibration *c)
{
	const struct args *args = c->args;
	int status = SUO_OK, ret;
	FILE *out;

	if (args->csv)
		status = write_csv(c, args->csv);
	if (!status && args->output) {
		ret = suo_cal_write(args->output, &c->data, c->without,
				    args->nwithout, &c->k);
		if (ret)
			status = suo_error(SUO_FAILED, "%s: %s", args->output,
					   strerror(-ret));
	}
	if (!status && args->source) {
		out = fopen(args->source, "w");
		if (!out)
			return suo_error(SUO_FAILED, "%s: %s", args->source,
					 strerror(errno));
		suo_cal_print_source(&c->data, &c->k, out);
		status = suo_close(out, args->source);
	}
	return status;
}

int suo_cmd_calibrate(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "TABLE.csv...",
		.doc = "Fit what NCCL or RCCL costs to tables of measured collectives,"
		       " and print how far off each cluster is then. Clusters that"
		       " are left out are predicted without having been seen.",
		.children = suo_json_children,
	};
	struct args args = { 0 };
	struct calibration c = { .args = &args };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = read_tables(&c);
	if (!status)
		status = fit(&c);
	if (!status)
		status = write_files(&c);
	if (!status && args.json.json)
		status = suo_json_print(&args.json, to_json(&c));
	else if (!status)
		print_table(&c);

	suo_cal_free(&c.data);
	return status;
}
