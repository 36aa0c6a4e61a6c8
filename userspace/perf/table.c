// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>

#include "userspace/perf/table.h"

double table_algbw(uint64_t bytes, double time_us)
{
	return time_us > 0 ? bytes / time_us / 1000 : 0;
}

double table_busbw(uint64_t bytes, double time_us, uint32_t ranks)
{
	return table_algbw(bytes, time_us) * 2 * (ranks - 1) / ranks;
}

void table_begin(struct table *table, const struct opts *opts, FILE *out, FILE *csv,
		 uint64_t time_scale)
{
	*table = (struct table){ .opts = opts, .out = out, .csv = csv };

	fprintf(out, "# nThread 1 nGpus 1 minBytes %" PRIu64 " maxBytes %" PRIu64
		" step: %" PRIu64 "(%s) warmup iters: %u iters: %u agg iters: 1 validation: %d graph: 0\n#\n",
		opts->min_bytes, opts->max_bytes, opts->factor ? opts->factor : opts->step,
		opts->factor ? "factor" : "bytes", opts->warmup, opts->iters, opts->check);
	fprintf(out, "# %u ranks in scale-up domains of %u, provider %s, time scale %" PRIu64 "\n#\n",
		opts->ranks, opts->domain_size, opts->provider, time_scale);
	if (csv)
		fprintf(csv, "size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong\n");
}

void table_algorithm(struct table *table, const char *name)
{
	fprintf(table->out, "# algorithm: %s\n", name);
	fprintf(table->out, "# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          \n",
		"", "", "", "", "");
	fprintf(table->out, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n",
		"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong",
		"time", "algbw", "busbw", "#wrong");
	fprintf(table->out, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n",
		"(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "",
		"(us)", "(GB/s)", "(GB/s)", "");
}

static void print_cell(struct table *table, uint64_t bytes, const struct table_cell *cell)
{
	double busbw = table_busbw(bytes, cell->time_us, table->opts->ranks);
	int digits = cell->time_us >= 10000 ? 0 : cell->time_us >= 100 ? 1 : 2;

	fprintf(table->out, "  %7.*f  %6.2f  %6.2f", digits, cell->time_us,
		table_algbw(bytes, cell->time_us), busbw);
	if (table->opts->check)
		fprintf(table->out, "  %6" PRIu64, cell->wrong);
	else
		fprintf(table->out, "  %6s", "N/A");
	table->busbw_sum += busbw;
	table->cells++;
	table->wrong += cell->wrong;
}

void table_row(struct table *table, const char *algorithm, uint64_t count,
	       const struct table_cell *out_of_place, const struct table_cell *in_place)
{
	const struct opts *opts = table->opts;
	uint64_t bytes = count * suo_dtype_size(opts->type);

	fprintf(table->out, "%12" PRIu64 "  %12" PRIu64 "  %8s  %6s  %6d", bytes, count,
		suo_dtype_name(opts->type), suo_redop_name(opts->op), -1);
	print_cell(table, bytes, out_of_place);
	print_cell(table, bytes, in_place);
	fprintf(table->out, "\n");
	fflush(table->out);
	if (!table->csv)
		return;
	fprintf(table->csv, "%" PRIu64 ",%u,%s,%.3f,%.3f,%.3f,%" PRIu64 "\n", bytes, opts->ranks,
		algorithm, in_place->time_us, table_algbw(bytes, in_place->time_us),
		table_busbw(bytes, in_place->time_us, opts->ranks), in_place->wrong);
	fflush(table->csv);
}

int table_end(struct table *table)
{
	fprintf(table->out, "# Out of bounds values : %" PRIu64 " %s\n", table->wrong,
		table->wrong ? "FAILED" : "OK");
	fprintf(table->out, "# Avg bus bandwidth    : %g\n#\n",
		table->cells ? table->busbw_sum / table->cells : 0);
	if (fflush(table->out) || ferror(table->out) ||
	    (table->csv && (fflush(table->csv) || ferror(table->csv))))
		return -EIO;
	return 0;
}
