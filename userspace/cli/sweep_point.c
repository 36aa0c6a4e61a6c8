// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A point of a sweep: its lines, as CSV or JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/predict_forms.h"
#include "userspace/cli/sweep.h"

unsigned int sweep_lines(const struct sweep *sweep)
{
	const struct suo_workload_opts *w = &sweep->work;

	return w->nwork * w->nsize * w->nranks;
}

void sweep_put_header(const struct sweep *sweep, FILE *out)
{
	if (sweep->json)
		return;
	for (unsigned int a = 0; a < sweep->grid.naxes; a++)
		fprintf(out, "%s,", sweep->grid.axis[a].key);
	fputs(SUO_PREDICTION_COLUMNS ",fault", out);
}

/* A value has no quotes (suo_grid_add()), but may have commas. */
static void put_csv_value(const char *value, FILE *out)
{
	bool quote = strchr(value, ',');

	fprintf(out, "%s%s%s,", quote ? "\"" : "", value, quote ? "\"" : "");
}

static void put_json_string(const char *text, FILE *out)
{
	json_t *string = json_string(text);

	if (string)
		json_dumpf(string, out, JSON_ENCODE_ANY);
	else
		fputs("null", out);	/* not UTF-8 */
	json_decref(string);
}

void sweep_put_prefix(const struct sweep *sweep, uint64_t n, FILE *out)
{
	struct suo_change change[GRID_MAX_KEYS];

	suo_grid_point(&sweep->grid, sweep->first + n * sweep->step, change);
	if (sweep->json)
		fputc('{', out);
	for (unsigned int a = 0; a < sweep->grid.naxes; a++) {
		if (!sweep->json) {
			put_csv_value(change[a].value, out);
			continue;
		}
		put_json_string(change[a].key, out);
		fputs(": ", out);
		put_json_string(change[a].value, out);
		fputs(", ", out);
	}
}

struct row {
	enum suo_workload	work;
	double			bytes;
	uint32_t		ranks;
};

static void put_result(const struct sweep *sweep, const struct row *row,
		       const struct suo_prediction *p, FILE *out)
{
	if (!sweep->json) {
		suo_prediction_put_csv(row->work, row->bytes, row->ranks, p, out);
		fputs(",\n", out);
		return;
	}
	fprintf(out, "\"collective\": \"%s\", \"size_bytes\": %.0f, \"ranks\": %" PRIu32
		", \"time_us\": %.3f, \"band_low_us\": %.3f, \"band_high_us\": %.3f"
		", \"algbw_GBps\": %.3f, \"busbw_GBps\": %.3f, \"algorithm\": \"%s\""
		", \"bound\": \"%s\", \"bound_share\": %.3f}\n",
		suo_workload_name(row->work), row->bytes, row->ranks, p->est.time_us,
		p->low_us, p->high_us, p->est.algbw_GBps, p->est.busbw_GBps,
		p->est.algorithm, suo_bound_name(p->bound), p->bound_share);
}

static void put_fault(const struct sweep *sweep, const struct row *row,
		      const char *fault, FILE *out)
{
	if (sweep->json) {
		fprintf(out, "\"collective\": \"%s\", \"size_bytes\": %.0f, \"ranks\": %"
			PRIu32 ", \"fault\": ", suo_workload_name(row->work),
			row->bytes, row->ranks);
		put_json_string(fault, out);
		fputs("}\n", out);
		return;
	}
	fprintf(out, "%s,%.0f,%" PRIu32 ",,,,,,,,,\"", suo_workload_name(row->work),
		row->bytes, row->ranks);
	for (; *fault; fault++) {
		if (*fault == '"')
			fputc('"', out);
		fputc(*fault, out);
	}
	fputs("\"\n", out);
}

/* The first fault, without its end. */
static void first_line(char *text)
{
	if (text)
		text[strcspn(text, "\n")] = '\0';
}

bool sweep_put_point(const struct sweep *sweep, uint64_t n, FILE *out)
{
	const struct suo_workload_opts *w = &sweep->work;
	struct suo_change change[GRID_MAX_KEYS];
	struct suo_cluster *cluster = NULL;
	char *fault = NULL;
	size_t size;
	FILE *errors = open_memstream(&fault, &size);
	bool good;

	suo_grid_point(&sweep->grid, sweep->first + n * sweep->step, change);
	good = !suo_variant(&sweep->base, change, sweep->grid.naxes, errors, &cluster);
	if (errors)
		fclose(errors);
	first_line(fault);
	for (unsigned int r = 0; r < w->nranks; r++) {
		const char *why = fault && *fault ? fault : "not enough memory";
		struct suo_predictor predictor;
		bool fits = good;

		if (good && suo_predictor_init(&predictor, cluster, w->ranks[r])) {
			fits = false;
			why = "so many ranks cannot take part: whole domains, or fewer than one";
		}
		for (unsigned int i = 0; i < w->nwork * w->nsize; i++) {
			struct row row = { .work = w->work[i / w->nsize] };
			struct suo_prediction p;

			row.bytes = suo_workload_bytes(w, row.work,
						       w->size[i % w->nsize]);
			row.ranks = fits ? predictor.machine.ranks : w->ranks[r];
			sweep_put_prefix(sweep, n, out);
			if (fits) {
				suo_predict(&predictor, row.work, row.bytes, &p);
				put_result(sweep, &row, &p, out);
			} else {
				put_fault(sweep, &row, why, out);
			}
		}
	}
	suo_cluster_free(cluster);
	free(fault);
	return good;
}
