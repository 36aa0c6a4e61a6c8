// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo predict */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/analytic/choose.h"
#include "model/plan/plan.h"
#include "userspace/cli/cli.h"
#include "userspace/cli/predict_forms.h"
#include "userspace/cli/table.h"

#define PREDICTED_HEADER	\
	"size_bytes,ranks,algorithm,predicted_us,algbw_GBps,busbw_GBps"

struct args {
	struct suo_json_opts		json;
	struct suo_workload_opts	work;
	const char			*path;
	const char			*csv;
	const char			*join;
};

/* What was predicted, and what was measured if a table was given. */
struct line {
	uint64_t		size_bytes;
	const char		*algorithm;
	uint64_t		predicted_ns;
	const struct suo_row	*measured;
};

struct prediction {
	const struct suo_cluster	*cluster;
	uint32_t			ranks;
	struct line			*line;
	size_t				nlines;
};

static const struct argp_option options[] = {
	{ "csv", 'o', "FILE", 0, "Write the table to FILE", 0 },
	{ "join", 'J', "RAW.csv", 0,
	  "Predict what suo-perf has measured, and compare", 0 },
	{ 0 }
};

static bool by_forms(const struct args *args)
{
	const struct suo_workload_opts *work = &args->work;

	return work->nwork || work->nsize || work->nranks || work->moe.tokens > 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		state->child_inputs[1] = &args->work;
		return 0;
	case 'o':
		args->csv = arg;
		return 0;
	case 'J':
		args->join = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->path)
			argp_error(state, "one cluster file only");
		args->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which cluster file?");
		return 0;
	case ARGP_KEY_END:
		if (args->join && by_forms(args))
			argp_error(state, "--join: a table says what was measured; --collective, --size and --ranks cannot be given besides");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int predict(const struct prediction *p, struct line *line)
{
	struct suo_plan_shape shape = {
		.nranks = p->ranks,
		.domain_size = p->cluster->accels,
	};
	struct suo_plan *plan;
	struct suo_cost cost;
	struct suo_net net;
	int ret = -EOPNOTSUPP;

	suo_net_init(&net, p->cluster);
	shape.count = line->size_bytes / net.elem_bytes;
	shape.chunk_len = suo_net_chunk_len(&net, p->ranks);
	if (p->ranks > SUO_CHOOSE_MAX_REPLAYED)
		ret = suo_closed_allreduce(line->algorithm, &net, p->ranks,
					   shape.count, &cost);
	if (ret == -EOPNOTSUPP) {
		ret = suo_plan_allreduce(line->algorithm, &shape, &plan);
		if (ret)
			return ret;
		ret = suo_cost_plan(plan, &net, &cost);
		suo_plan_free(plan);
	}
	if (ret)
		return ret;
	line->predicted_ns = (cost.done_ps + 500) / 1000;
	return ret;
}

static int add_line(struct prediction *p, uint64_t size_bytes,
		    const char *algorithm, const struct suo_row *measured)
{
	struct line *grown;
	int ret;

	grown = reallocarray(p->line, p->nlines + 1, sizeof(*grown));
	if (!grown)
		return suo_error(SUO_FAILED, "not enough memory");
	p->line = grown;
	p->line[p->nlines] = (struct line){
		.size_bytes = size_bytes,
		.algorithm = algorithm,
		.measured = measured,
	};

	ret = predict(p, &p->line[p->nlines++]);
	if (ret == -ENOMEM)
		return suo_error(SUO_FAILED, "not enough memory for a plan of %"
				 PRIu32 " ranks", p->ranks);
	if (ret)
		return suo_error(SUO_FAILED, "%s cannot be predicted", algorithm);
	return SUO_OK;
}

static int predict_bench(struct prediction *p)
{
	const struct suo_cluster_bench *bench = &p->cluster->bench;
	int status = SUO_OK;

	for (uint32_t a = 0; a < bench->nalgorithms; a++)
		for (uint64_t size = bench->min_bytes;
		     size <= bench->max_bytes && !status; size *= bench->factor)
			status = add_line(p, size, bench->algorithm[a], NULL);
	return status;
}

static int predict_table(struct prediction *p, const char *path,
			 const struct suo_table *table)
{
	int status = SUO_OK;

	if (table->joined)
		return suo_error(SUO_USAGE, "%s: already has predictions", path);

	for (size_t i = 0; i < table->nrows && !status; i++) {
		const struct suo_row *row = &table->row[i];

		if (row->ranks != p->ranks)
			return suo_error(SUO_USAGE, "%s:%zu: %" PRIu32
					 " ranks, but %s has %" PRIu32, path,
					 row->line_number, row->ranks,
					 p->cluster->name, p->ranks);
		if (!suo_plan_known(SUO_COLL_ALLREDUCE, row->algorithm))
			return suo_error(SUO_USAGE, "%s:%zu: unknown algorithm '%s'",
					 path, row->line_number, row->algorithm);
		status = add_line(p, row->size_bytes, row->algorithm, row);
	}
	return status;
}

static double predicted_us(const struct line *line)
{
	return line->predicted_ns / 1000.0;
}

/* GB/s of a vector in so many microseconds; 0 if it took no time. */
static double algbw(uint64_t size_bytes, double us)
{
	return us > 0 ? size_bytes / us / 1000 : 0;
}

/* What nccl-tests would call it, of an AllReduce. */
static double busbw(const struct prediction *p, double bw)
{
	return bw * suo_busbw_share(SUO_WORK_ALLREDUCE, p->ranks);
}

/* Percent; 0 where nothing is predicted to take no time and does. */
static double deviation(const struct line *line)
{
	double predicted = predicted_us(line);

	if (!(predicted > 0))
		return line->measured->time_us > 0 ? 100 : 0;
	return 100 * (line->measured->time_us - predicted) / predicted;
}

/* Without a sign where it would round to nothing. */
static double tidy(double percent)
{
	return percent > -0.0005 && percent < 0.0005 ? 0 : percent;
}

static void write_csv_lines(const struct prediction *p, bool joined, FILE *out)
{
	fprintf(out, "%s\n", joined ? SUO_JOINED_HEADER : PREDICTED_HEADER);
	for (size_t i = 0; i < p->nlines; i++) {
		const struct line *line = &p->line[i];
		double us = predicted_us(line);
		double bw = algbw(line->size_bytes, us);

		if (joined)
			fprintf(out, "%s,%.3f,%.3f\n", line->measured->line, us,
				tidy(deviation(line)));
		else
			fprintf(out, "%" PRIu64 ",%" PRIu32 ",%s,%.3f,%.3f,%.3f\n",
				line->size_bytes, p->ranks, line->algorithm, us,
				bw, busbw(p, bw));
	}
}

static int write_csv(const struct prediction *p, bool joined, const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
	write_csv_lines(p, joined, out);
	return suo_close(out, path);
}

/* What each figure below rests on. */
static void print_cluster(const struct suo_cluster *c, FILE *out)
{
	fprintf(out, "# %s: %" PRIu32 " ranks, %" PRIu32 " hosts of %" PRIu32
		" accelerators\n", c->name, c->hosts * c->accels, c->hosts,
		c->accels);
	fprintf(out, "# scale-up %s: %.3f GB/s payload, %.3f ns; scale-out %s: %.3f Gb/s, %.3f ns, MTU %"
		PRIu32 "\n", c->up_profile->name, suo_payload_GBps(&c->up),
		suo_link_latency_ps(&c->up) / 1000.0, c->out.profile->name,
		c->out.rate_mbps / 1000.0, c->out.latency_ps / 1000.0,
		c->out.mtu_bytes);
	if (strcmp(c->software.profile, "ideal"))
		fprintf(out, "# links alone, as in the lab; -c, -s or -n: with software %s\n",
			c->software.profile);
}

static void print_table(const struct prediction *p, bool joined)
{
	print_cluster(p->cluster, stdout);
	printf("#\n#%11s %12s %7s %6s %13s %10s %8s %8s", "size", "count",
	       "type", "redop", "algorithm", "predicted", "algbw", "busbw");
	if (joined)
		printf(" %10s %8s %7s %9s", "measured", "busbw", "#wrong",
		       "deviation");
	printf("\n#%11s %12s %7s %6s %13s %10s %8s %8s", "(B)", "(elements)", "",
	       "", "", "(us)", "(GB/s)", "(GB/s)");
	if (joined)
		printf(" %10s %8s %7s %9s", "(us)", "(GB/s)", "", "(%)");
	putchar('\n');

	for (size_t i = 0; i < p->nlines; i++) {
		const struct line *line = &p->line[i];
		double us = predicted_us(line);
		double bw = algbw(line->size_bytes, us);

		printf("%12" PRIu64 " %12" PRIu64 " %7s %6s %13s %10.3f %8.3f %8.3f",
		       line->size_bytes, line->size_bytes / 4, "float", "sum",
		       line->algorithm, us, bw, busbw(p, bw));
		if (joined)
			printf(" %10.3f %8.3f %7" PRIu64 " %9.3f",
			       line->measured->time_us,
			       line->measured->busbw_GBps, line->measured->wrong,
			       tidy(deviation(line)));
		putchar('\n');
	}
}

static json_t *to_json(const struct prediction *p)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < p->nlines; i++) {
		const struct line *line = &p->line[i];
		double us = predicted_us(line);
		double bw = algbw(line->size_bytes, us);
		json_t *object;

		object = json_pack("{s:I, s:i, s:s, s:f, s:f, s:f}",
				   "size_bytes", (json_int_t)line->size_bytes,
				   "ranks", p->ranks,
				   "algorithm", line->algorithm,
				   "predicted_us", us, "algbw_GBps", bw,
				   "busbw_GBps", busbw(p, bw));
		if (line->measured) {
			json_object_set_new(object, "time_us",
					    json_real(line->measured->time_us));
			json_object_set_new(object, "wrong",
					    json_integer(line->measured->wrong));
			json_object_set_new(object, "deviation_pct",
					    json_real(deviation(line)));
		}
		json_array_append_new(lines, object);
	}
	return json_pack("{s:s, s:o}", "cluster", p->cluster->name,
			 "predictions", lines);
}

int suo_cmd_predict(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &suo_json_argp },
		{ .argp = &suo_workload_argp },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "CLUSTER.yaml",
		.doc = "Print how long the AllReduces of a cluster file take, from"
		       " the plan of each, step by step, as the lab runs them. With"
		       " --join, predict the measurements of a table instead, and"
		       " print both. With --collective, --size or --ranks, or for a"
		       " cluster that the lab cannot have, predict by closed forms:"
		       " any collective, up to a million accelerators, with the band"
		       " from 10 to 90 % and what the time goes to.",
		.children = children,
	};
	struct prediction p = { 0 };
	struct suo_table table = { 0 };
	struct suo_cluster *cluster;
	struct args args = { 0 };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	status = suo_load_cluster(args.path, &cluster);
	if (status)
		return status;
	if (!args.join && (by_forms(&args) || cluster->lab_fault)) {
		suo_workload_defaults(&args.work);
		status = suo_predict_forms(cluster, &args.work, &args.json, args.csv);
		suo_cluster_free(cluster);
		return status;
	}
	if (cluster->lab_fault) {
		fputs(cluster->lab_fault, stderr);
		suo_cluster_free(cluster);
		return SUO_USAGE;
	}
	p.cluster = cluster;
	p.ranks = cluster->hosts * cluster->accels;

	if (args.join) {
		status = suo_table_read(args.join, &table);
		if (!status)
			status = predict_table(&p, args.join, &table);
	} else {
		status = predict_bench(&p);
	}

	if (!status && args.csv)
		status = write_csv(&p, args.join, args.csv);
	if (!status && args.json.json)
		status = suo_json_print(&args.json, to_json(&p));
	else if (!status)
		print_table(&p, args.join);

	free(p.line);
	suo_table_free(&table);
	suo_cluster_free(cluster);
	return status;
}
