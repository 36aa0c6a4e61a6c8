// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo predict by closed forms: any collective, any number of ranks. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "userspace/cli/predict_forms.h"

/* What one line is about. */
struct line {
	enum suo_workload	work;
	double			bytes;
	uint32_t		ranks;
	struct suo_prediction	p;
};

/* Where lines go: a table, CSV or JSON. */
struct sink {
	FILE	*csv;
	json_t	*json;
};

static json_t *parts_to_json(const struct suo_estimate *est)
{
	json_t *parts = json_object();

	for (unsigned int i = 0; i < SUO_BOUNDS; i++)
		json_object_set_new(parts, suo_bound_name(i),
				    json_real(est->part_us[i]));
	return parts;
}

json_t *suo_prediction_to_json(enum suo_workload work, double bytes,
			       uint32_t ranks, const struct suo_prediction *p)
{
	return json_pack("{s:s, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:s, s:s?, s:i, s:s, s:f, s:o}",
			 "collective", suo_workload_name(work),
			 "size_bytes", (json_int_t)bytes, "ranks", ranks,
			 "time_us", p->est.time_us,
			 "band_low_us", p->low_us, "band_high_us", p->high_us,
			 "algbw_GBps", p->est.algbw_GBps,
			 "busbw_GBps", p->est.busbw_GBps,
			 "algorithm", p->est.algorithm,
			 "protocol", p->est.protocol,
			 "channels", p->est.channels,
			 "bound", suo_bound_name(p->bound),
			 "bound_share", p->bound_share,
			 "parts_us", parts_to_json(&p->est));
}

void suo_prediction_put_csv(enum suo_workload work, double bytes, uint32_t ranks,
			    const struct suo_prediction *p, FILE *out)
{
	const struct suo_estimate *est = &p->est;

	fprintf(out, "%s,%.0f,%" PRIu32 ",%.3f,%.3f,%.3f,%.3f,%.3f,%s,%s,%.3f",
		suo_workload_name(work), bytes, ranks, est->time_us, p->low_us,
		p->high_us, est->algbw_GBps, est->busbw_GBps, est->algorithm,
		suo_bound_name(p->bound), p->bound_share);
}

void suo_print_bounds(const struct suo_prediction *p, FILE *out)
{
	const struct suo_estimate *est = &p->est;
	unsigned int next = SUO_BOUNDS;

	fprintf(out, "%s %.0f %%", suo_bound_name(p->bound), 100 * p->bound_share);
	for (unsigned int i = 0; i < SUO_BOUNDS; i++)
		if (i != p->bound && est->part_us[i] > 0.005 * est->time_us &&
		    (next == SUO_BOUNDS || est->part_us[i] > est->part_us[next]))
			next = i;
	if (next < SUO_BOUNDS)
		fprintf(out, ", %s %.0f %%", suo_bound_name(next),
			100 * est->part_us[next] / est->time_us);
}

static void put_row(const struct line *l)
{
	const struct suo_estimate *est = &l->p.est;
	char how[64];

	if (est->protocol)
		snprintf(how, sizeof(how), "%s %s x%u", est->algorithm, est->protocol,
			 est->channels);
	else
		snprintf(how, sizeof(how), "%s", est->algorithm);
	printf("%-14s %13.0f %7" PRIu32 " %13.3f %13.3f %13.3f %12.3f %12.3f  %-22s ",
	       suo_workload_name(l->work), l->bytes, l->ranks, est->time_us,
	       l->p.low_us, l->p.high_us, est->algbw_GBps, est->busbw_GBps,
	       how);
	suo_print_bounds(&l->p, stdout);
	putchar('\n');
}

static void put(const struct sink *sink, const struct line *l)
{
	if (sink->csv) {
		suo_prediction_put_csv(l->work, l->bytes, l->ranks, &l->p, sink->csv);
		fputc('\n', sink->csv);
	}
	if (sink->json)
		json_array_append_new(sink->json,
				      suo_prediction_to_json(l->work, l->bytes,
							     l->ranks, &l->p));
	else
		put_row(l);
}

static void print_heading(const struct suo_cluster *c)
{
	const struct suo_fabric *fabric = &c->out.fabric;

	printf("# %s: %" PRIu32 " ranks in %" PRIu32 " domains of %" PRIu32
	       "; scale-out %s, %s; software %s\n", c->name, suo_cluster_ranks(c),
	       c->hosts / c->domain_hosts, suo_cluster_domain_size(c),
	       suo_topology_names[fabric->topology],
	       suo_balancing_names[fabric->balancing], c->software.profile);
	printf("# %-12s %13s %7s %13s %13s %13s %12s %12s  %-22s %s\n", "collective",
	       "size (B)", "ranks", "time (us)", "10 % (us)", "90 % (us)",
	       "algbw (GB/s)", "busbw (GB/s)", "algorithm", "time goes to");
}

static int check_ranks(const struct suo_cluster *c,
		       const struct suo_workload_opts *opts)
{
	struct suo_machine m;

	for (unsigned int n = 0; n < opts->nranks; n++)
		if (suo_machine_init(&m, c, opts->ranks[n], 0.5))
			return suo_error(SUO_USAGE, "--ranks: %" PRIu32 " of %" PRIu32
					 " accelerators in domains of %" PRIu32
					 " cannot take part: whole domains, or fewer than one",
					 opts->ranks[n], suo_cluster_ranks(c),
					 suo_cluster_domain_size(c));
	return SUO_OK;
}

static void each_line(const struct suo_cluster *c,
		      const struct suo_workload_opts *opts, const struct sink *sink)
{
	struct suo_predictor predictor;

	for (unsigned int n = 0; n < opts->nranks; n++) {
		suo_predictor_init(&predictor, c, opts->ranks[n]);
		for (unsigned int w = 0; w < opts->nwork; w++) {
			bool sized = opts->work[w] != SUO_WORK_MOE ||
				     !(opts->moe.tokens > 0);

			for (unsigned int s = 0; s < (sized ? opts->nsize : 1); s++) {
				struct line l = { .work = opts->work[w] };

				l.ranks = predictor.machine.ranks;
				l.bytes = suo_workload_bytes(opts, l.work,
							     opts->size[s]);
				suo_predict(&predictor, l.work, l.bytes, &l.p);
				put(sink, &l);
			}
		}
	}
}

int suo_predict_forms(const struct suo_cluster *c,
		      const struct suo_workload_opts *opts,
		      const struct suo_json_opts *json, const char *csv)
{
	struct sink sink = { 0 };
	int status = check_ranks(c, opts);

	if (status)
		return status;
	if (csv) {
		sink.csv = fopen(csv, "w");
		if (!sink.csv)
			return suo_error(SUO_FAILED, "%s: %s", csv, strerror(errno));
		fprintf(sink.csv, "%s\n", SUO_PREDICTION_COLUMNS);
	}
	if (json->json)
		sink.json = json_array();
	else
		print_heading(c);
	each_line(c, opts, &sink);
	if (sink.csv)
		status = suo_close(sink.csv, csv);
	if (!status && json->json)
		return suo_json_print(json, json_pack("{s:s, s:o}", "cluster", c->name,
						      "predictions", sink.json));
	json_decref(sink.json);
	return status;
}
