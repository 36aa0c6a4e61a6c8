// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>

#include "userspace/perf/table.h"

double table_algbw(uint64_t bytes, double time_us)
{
	return time_us > 0 ? bytes / time_us / 1000 : 0;
}

static double busbw(const struct collective_case *c, uint64_t bytes, double time_us)
{
	return table_algbw(bytes, time_us) * collective_bus_factor(c->coll, c->nranks);
}

static uint64_t case_bytes(const struct collective_case *c)
{
	return collective_total(c->coll, c->count, c->nranks) * suo_dtype_size(c->type);
}

static const char *case_op(const struct collective_case *c)
{
	return collective_reduces(c->coll) ? suo_redop_name(c->op) : "none";
}

static int case_root(const struct collective_case *c)
{
	return collective_has_root(c->coll) ? (int)c->root : -1;
}

void table_begin(struct table *table, const struct opts *opts, FILE *out, FILE *csv,
		 uint64_t time_scale)
{
	*table = (struct table){
		.opts = opts, .out = out, .csv = csv, .time_scale = time_scale,
		.json = opts->json ? json_array() : NULL,
	};
	if (csv)
		fprintf(csv, "size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong\n");
	if (!out)
		return;
	fprintf(out, "# nThread 1 nGpus 1 minBytes %" PRIu64 " maxBytes %" PRIu64
		" step: %" PRIu64 "(%s) warmup iters: %u iters: %u agg iters: 1 validation: %d graph: 0\n#\n",
		opts->min_bytes, opts->max_bytes, opts->factor ? opts->factor : opts->step,
		opts->factor ? "factor" : "bytes", opts->warmup, opts->iters, opts->check);
	fprintf(out, "# %u ranks in scale-up domains of %u, provider %s, time scale %" PRIu64 "\n#\n",
		opts->ranks, opts->domain_size, opts->provider, time_scale);
}

void table_head(struct table *table, enum collective coll, const char *algorithm)
{
	if (!table->out)
		return;
	fprintf(table->out, "# %s, algorithm: %s\n", collective_name(coll), algorithm);
	fprintf(table->out, "# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          \n",
		"", "", "", "", "");
	fprintf(table->out, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n",
		"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong",
		"time", "algbw", "busbw", "#wrong");
	fprintf(table->out, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n",
		"(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "",
		"(us)", "(GB/s)", "(GB/s)", "");
}

static void print_cell(struct table *table, const struct collective_case *c,
		       const struct table_cell *cell)
{
	uint64_t bytes = case_bytes(c);
	int digits = cell->time_us >= 10000 ? 0 : cell->time_us >= 100 ? 1 : 2;

	if (!cell->measured) {
		fprintf(table->out, "  %7s  %6s  %6s  %6s", "N/A", "N/A", "N/A", "N/A");
		return;
	}
	fprintf(table->out, "  %7.*f  %6.2f  %6.2f", digits, cell->time_us,
		table_algbw(bytes, cell->time_us), busbw(c, bytes, cell->time_us));
	if (table->opts->check)
		fprintf(table->out, "  %6" PRIu64, cell->wrong);
	else
		fprintf(table->out, "  %6s", "N/A");
}

static void print_row(struct table *table, const struct collective_case *c,
		      const struct table_cell *out_of_place, const struct table_cell *in_place)
{
	fprintf(table->out, "%12" PRIu64 "  %12" PRIu64 "  %8s  %6s  %6d", case_bytes(c), c->count,
		suo_dtype_name(c->type), case_op(c), case_root(c));
	print_cell(table, c, out_of_place);
	print_cell(table, c, in_place);
	fprintf(table->out, "\n");
	fflush(table->out);
}

static json_t *cell_json(const struct table *table, const struct collective_case *c,
			 const struct table_cell *cell)
{
	uint64_t bytes = case_bytes(c);
	json_t *json;

	if (!cell->measured)
		return json_null();
	json = json_pack("{s:f, s:f, s:f}", "time_us", cell->time_us,
			 "algbw_GBps", table_algbw(bytes, cell->time_us),
			 "busbw_GBps", busbw(c, bytes, cell->time_us));
	if (json && table->opts->check)
		json_object_set_new(json, "wrong", json_integer(cell->wrong));
	return json;
}

static void add_json(struct table *table, const char *algorithm,
		     const struct collective_case *c, const struct table_cell *out_of_place,
		     const struct table_cell *in_place)
{
	json_array_append_new(table->json,
		json_pack("{s:s, s:s, s:I, s:I, s:s, s:s, s:i, s:o, s:o}",
			  "collective", collective_name(c->coll), "algorithm", algorithm,
			  "size_bytes", (json_int_t)case_bytes(c),
			  "count", (json_int_t)c->count,
			  "type", suo_dtype_name(c->type), "redop", case_op(c),
			  "root", case_root(c),
			  "out_of_place", cell_json(table, c, out_of_place),
			  "in_place", cell_json(table, c, in_place)));
}

static void count_cell(struct table *table, const struct collective_case *c,
		       const struct table_cell *cell)
{
	if (!cell->measured)
		return;
	table->busbw_sum += busbw(c, case_bytes(c), cell->time_us);
	table->cells++;
	table->wrong += cell->wrong;
}

void table_row(struct table *table, const char *algorithm, const struct collective_case *c,
	       const struct table_cell *out_of_place, const struct table_cell *in_place)
{
	const struct table_cell *best = in_place->measured ? in_place : out_of_place;
	uint64_t bytes = case_bytes(c);

	count_cell(table, c, out_of_place);
	count_cell(table, c, in_place);
	if (table->out)
		print_row(table, c, out_of_place, in_place);
	if (table->json)
		add_json(table, algorithm, c, out_of_place, in_place);
	if (!table->csv)
		return;
	fprintf(table->csv, "%" PRIu64 ",%u,%s,%.3f,%.3f,%.3f,%" PRIu64 "\n", bytes, c->nranks,
		algorithm, best->time_us, table_algbw(bytes, best->time_us),
		busbw(c, bytes, best->time_us), best->wrong);
	fflush(table->csv);
}

static int end_json(struct table *table, FILE *out)
{
	json_t *all;
	int err;

	all = json_pack("{s:i, s:i, s:s, s:I, s:I, s:o}", "ranks", table->opts->ranks,
			"domain_size", table->opts->domain_size,
			"provider", table->opts->provider,
			"time_scale", (json_int_t)table->time_scale,
			"wrong", (json_int_t)table->wrong, "results", table->json);
	table->json = NULL;
	err = !all || json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) ||
	      fputc('\n', out) == EOF || fflush(out);
	json_decref(all);
	return err ? -EIO : 0;
}

int table_end(struct table *table, FILE *json)
{
	int err = 0;

	if (table->out) {
		fprintf(table->out, "# Out of bounds values : %" PRIu64 " %s\n", table->wrong,
			table->wrong ? "FAILED" : "OK");
		fprintf(table->out, "# Avg bus bandwidth    : %g\n#\n",
			table->cells ? table->busbw_sum / table->cells : 0);
		if (fflush(table->out) || ferror(table->out))
			err = -EIO;
	}
	if (table->csv && (fflush(table->csv) || ferror(table->csv)))
		err = -EIO;
	if (table->json && json && end_json(table, json))
		err = -EIO;
	json_decref(table->json);
	table->json = NULL;
	return err;
}
