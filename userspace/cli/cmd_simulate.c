// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo simulate */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "userspace/cli/simulate.h"

#define SUMMARY_HEADER	\
	"workload,hosts,bytes,messages,min_us,p50_us,p99_us,max_us,data_us,done_us,packets,again,marked,cnps,pauses,trimmed,dropped,timeouts,complete"

static volatile sig_atomic_t stopped;

/* When it began, and when progress was last told. */
static struct timespec began, told;

static void stop(int sig)
{
	stopped = 1;
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - then->tv_sec + (now.tv_nsec - then->tv_nsec) / 1e9;
}

static void tell(struct suo_sim *sim)
{
	double share, taken;

	if (seconds_since(&told) < 0.5 || !sim->posted_bytes)
		return;
	clock_gettime(CLOCK_MONOTONIC, &told);
	share = (double)sim->arrived_bytes / sim->posted_bytes;
	taken = seconds_since(&began);
	fprintf(stderr, "\r\033[K%.3f ms, %.1f %% of what is posted, %.1f million events",
		sim->now_ps / 1e9, 100 * share, sim->count.happenings / 1e6);
	if (share > 0.01)
		fprintf(stderr, ", about %.0f s left", taken / share - taken);
	fflush(stderr);
}

/* Sums over all ports. */
struct totals {
	u64	marked;
	u64	pauses;
	u64	trimmed;
	u64	dropped;
	u64	queue_max_bytes;
	u64	buffer_max_bytes;
	u64	headroom_max_bytes;
	double	paused_us;
};

static void add_port(const struct suo_switch_port *port, struct totals *totals)
{
	for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++) {
		totals->marked += port->count.marked[q];
		totals->pauses += port->count.pause_tx[q];
		totals->paused_us += port->count.paused_ps[q] / 1e6;
		totals->queue_max_bytes = suo_max(totals->queue_max_bytes,
						  port->queue[q].bytes_max);
		totals->headroom_max_bytes = suo_max(totals->headroom_max_bytes,
						     port->group[q].pg.headroom_max_bytes);
	}
	totals->trimmed += port->count.trimmed;
	for (u32 d = 0; d < SUO_DROPS; d++)
		totals->dropped += port->count.dropped[d];
}

static struct totals add_up(const struct suo_sim *sim)
{
	struct totals totals = { 0 };

	for (u32 i = 0; i < sim->topo.nodes; i++) {
		const struct suo_switch *sw = &sim->topo.node[i].sw;

		totals.buffer_max_bytes = suo_max(totals.buffer_max_bytes,
						  sw->pool.used_max_bytes);
		for (u32 p = 0; p < sw->nports; p++)
			add_port(&sw->port[p], &totals);
	}
	for (u32 h = 0; h < sim->topo.hosts; h++)
		totals.paused_us += sim->host[h].paused_ps / 1e6;
	return totals;
}

static double us(u64 ps)
{
	return ps / 1e6;
}

static void write_csv_line(const struct suo_simulate *s, const struct suo_sim *sim,
			   struct suo_outcome *out, const struct totals *totals,
			   FILE *file)
{
	fprintf(file, SUMMARY_HEADER "\n%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64
		",%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d\n",
		suo_workload_names[s->work.kind], s->config.hosts, s->work.bytes,
		out->messages, us(suo_times_at(&out->done, 0)),
		us(suo_times_at(&out->done, 50)), us(suo_times_at(&out->done, 99)),
		us(suo_times_at(&out->done, 100)), us(out->last_data_ps),
		us(out->last_done_ps), sim->count.sent, sim->count.again,
		totals->marked, sim->count.cnps, totals->pauses, totals->trimmed,
		totals->dropped, sim->count.timeouts, !sim->open);
}

/* algbw: what a rank has by the time until all have it; 0 if that is none. */
static double GBps(const struct suo_simulate *s, const struct suo_outcome *out)
{
	return out->last_data_ps ? s->work.bytes * 1000.0 / out->last_data_ps : 0;
}

static void print_summary(const struct suo_simulate *s, const struct suo_sim *sim,
			  struct suo_outcome *out, const struct totals *t)
{
	printf("# %s: %" PRIu32 " hosts, %s, %s, %s, seed %" PRIu64 "\n",
	       suo_workload_names[s->work.kind], s->config.hosts,
	       suo_sim_topology_names[s->config.topology],
	       suo_sim_transport_names[s->config.transport],
	       suo_balancing_names[s->config.sw.path], s->config.seed);
	if (s->work.kind == SUO_WORK_PLAN)
		printf("# %s by '%s', %" PRIu32 " ranks, domains of %" PRIu32
		       ": %.3f GB/s of data\n", suo_coll_name(s->coll), s->algorithm,
		       s->work.n, s->config.domain_size, GBps(s, out));
	printf("messages   %12" PRIu64 "%s\n", out->messages,
	       sim->open ? "   (others are not done)" : "");
	printf("           %12s %12s %12s %12s %12s\n", "min", "mean", "p50", "p99",
	       "max");
	printf("arrived us %12.3f %12.3f %12.3f %12.3f %12.3f\n",
	       us(suo_times_at(&out->arrived, 0)), suo_times_mean(&out->arrived) / 1e6,
	       us(suo_times_at(&out->arrived, 50)),
	       us(suo_times_at(&out->arrived, 99)),
	       us(suo_times_at(&out->arrived, 100)));
	printf("done us    %12.3f %12.3f %12.3f %12.3f %12.3f\n",
	       us(suo_times_at(&out->done, 0)), suo_times_mean(&out->done) / 1e6,
	       us(suo_times_at(&out->done, 50)), us(suo_times_at(&out->done, 99)),
	       us(suo_times_at(&out->done, 100)));
	printf("all data   %12.3f us\nall done   %12.3f us\n", us(out->last_data_ps),
	       us(out->last_done_ps));
	printf("packets    %12" PRIu64 ", %" PRIu64 " sent again, %" PRIu64 " timeouts\n",
	       sim->count.sent, sim->count.again, sim->count.timeouts);
	printf("marked     %12" PRIu64 ", %" PRIu64 " CNPs\n", t->marked,
	       sim->count.cnps);
	printf("pauses     %12" PRIu64 ", %.3f us of waiting, all queues\n", t->pauses,
	       t->paused_us);
	printf("dropped    %12" PRIu64 ", %" PRIu64 " trimmed\n", t->dropped, t->trimmed);
	printf("watermarks %12" PRIu64 " B queue, %" PRIu64 " B buffer, %" PRIu64
	       " B headroom\n", t->queue_max_bytes, t->buffer_max_bytes,
	       t->headroom_max_bytes);
	printf("events     %12" PRIu64 "\n", sim->count.happenings);
}

static json_t *to_json(const struct suo_simulate *s, const struct suo_sim *sim,
		       struct suo_outcome *out, const struct totals *t)
{
	json_t *json;

	json = json_pack("{s:s, s:i, s:I, s:s, s:s, s:s, s:I, s:b, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "workload", suo_workload_names[s->work.kind],
			 "hosts", s->config.hosts,
			 "bytes", (json_int_t)s->work.bytes,
			 "topology", suo_sim_topology_names[s->config.topology],
			 "transport", suo_sim_transport_names[s->config.transport],
			 "load_balancing", suo_balancing_names[s->config.sw.path],
			 "seed", (json_int_t)s->config.seed,
			 "complete", !sim->open,
			 "messages", (json_int_t)out->messages,
			 "min_us", us(suo_times_at(&out->done, 0)),
			 "p50_us", us(suo_times_at(&out->done, 50)),
			 "p99_us", us(suo_times_at(&out->done, 99)),
			 "max_us", us(suo_times_at(&out->done, 100)),
			 "data_us", us(out->last_data_ps),
			 "done_us", us(out->last_done_ps),
			 "packets", (json_int_t)sim->count.sent,
			 "again", (json_int_t)sim->count.again,
			 "marked", (json_int_t)t->marked,
			 "cnps", (json_int_t)sim->count.cnps,
			 "pauses", (json_int_t)t->pauses,
			 "paused_us", t->paused_us,
			 "trimmed", (json_int_t)t->trimmed,
			 "dropped", (json_int_t)t->dropped,
			 "timeouts", (json_int_t)sim->count.timeouts,
			 "queue_max_bytes", (json_int_t)t->queue_max_bytes,
			 "buffer_max_bytes", (json_int_t)t->buffer_max_bytes,
			 "headroom_max_bytes", (json_int_t)t->headroom_max_bytes,
			 "events", (json_int_t)sim->count.happenings);
	if (!json || s->work.kind != SUO_WORK_PLAN)
		return json;
	json_object_set_new(json, "coll", json_string(suo_coll_name(s->coll)));
	json_object_set_new(json, "algorithm", json_string(s->algorithm));
	json_object_set_new(json, "ranks", json_integer(s->work.n));
	json_object_set_new(json, "domain_size", json_integer(s->config.domain_size));
	json_object_set_new(json, "algbw_GBps", json_real(GBps(s, out)));
	return json;
}

static int open_file(const char *path, FILE **file)
{
	if (!path)
		return SUO_OK;
	*file = fopen(path, "w");
	return *file ? SUO_OK : suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
}

static int close_file(FILE *file, const char *path, int status)
{
	int closed = file ? suo_close(file, path) : SUO_OK;

	return status ? status : closed;
}

static int write_csv(const struct suo_simulate *s, const struct suo_sim *sim,
		     struct suo_outcome *out, const struct totals *totals)
{
	FILE *file = NULL;
	int status = open_file(s->csv, &file);

	if (!status && file) {
		write_csv_line(s, sim, out, totals, file);
		status = suo_close(file, s->csv);
	}
	return status;
}

/* What is there is printed, also when it was interrupted. */
static int report(const struct suo_simulate *s, const struct suo_sim *sim,
		  struct suo_outcome *out)
{
	struct totals totals = add_up(sim);
	int status = write_csv(s, sim, out, &totals);

	if (!status && s->json.json)
		return suo_json_print(&s->json, to_json(s, sim, out, &totals));
	if (!status)
		print_summary(s, sim, out, &totals);
	return status;
}

static int run(struct suo_simulate *s, struct suo_sim *sim)
{
	struct sigaction on_signal = { .sa_handler = stop, .sa_flags = SA_RESETHAND };
	struct suo_outcome out = { 0 };
	int status, ret;

	status = open_file(s->messages, &sim->trace.messages);
	if (!status)
		status = open_file(s->packets, &sim->trace.packets);
	if (status)
		goto out_files;

	if (s->config.transport == SUO_SIM_ROCE && s->config.sw.path != SUO_ECMP_HASH)
		fputs("Note: packets that overtake each other look lost to go-back-N; --transport selective takes them\n",
		      stderr);
	sigaction(SIGINT, &on_signal, NULL);
	sigaction(SIGTERM, &on_signal, NULL);
	sim->stop = &stopped;
	clock_gettime(CLOCK_MONOTONIC, &began);
	told = began;
	if (isatty(STDERR_FILENO))
		sim->tick = tell;
	ret = suo_workload_run(sim, &s->work, &out);
	if (sim->tick)
		fputs("\r\033[K", stderr);

	if (ret == -ENOMEM)
		status = suo_error(SUO_FAILED, "not enough memory");
	else
		status = report(s, sim, &out);
	if (!status && ret == -ETIMEDOUT)
		status = suo_error(SUO_FAILED, "host %" PRIu32 " to %" PRIu32
				   ": no progress after %u timeouts", sim->dead->src,
				   sim->dead->dst, SUO_SIM_RETRIES + 1);
	if (!status && ret)
		status = suo_error(SUO_FAILED, "%s", ret == -EINTR ? "interrupted" :
				   ret == -EDEADLK ? "messages are left, and nothing happens any more: a deadlock" :
				   "the plan does not run to its end");
	suo_outcome_free(&out);
out_files:
	status = close_file(sim->trace.messages, s->messages, status);
	return close_file(sim->trace.packets, s->packets, status);
}

static int make_plan(struct suo_simulate *s, struct suo_plan **plan)
{
	struct suo_plan_shape shape = {
		.nranks = s->work.n,
		.domain_size = s->config.domain_size,
		.count = s->coll == SUO_COLL_BARRIER ? 0 : s->work.bytes / 4,
	};

	if (shape.nranks > SUO_PLAN_MAX_RANKS)
		return suo_error(SUO_USAGE, "a plan has at most %u ranks",
				 SUO_PLAN_MAX_RANKS);
	if (shape.nranks % shape.domain_size)
		return suo_error(SUO_USAGE, "%" PRIu32 " ranks cannot be split into domains of %"
				 PRIu32, shape.nranks, shape.domain_size);
	switch (suo_plan_make(s->coll, s->algorithm, &shape, plan)) {
	case 0:
		return SUO_OK;
	case -ENOMEM:
		return suo_error(SUO_FAILED, "not enough memory for so large a plan");
	default:
		return suo_error(SUO_USAGE, "no %s by '%s' of %" PRIu32 " ranks and %"
				 PRIu64 " bytes; see: suo plan list",
				 suo_coll_name(s->coll), s->algorithm, s->work.n,
				 s->work.bytes);
	}
}

int suo_cmd_simulate(int argc, char **argv)
{
	struct suo_simulate s;
	struct suo_plan *plan = NULL;
	struct suo_sim sim = { 0 };
	char why[256];
	int status = SUO_OK;

	suo_simulate_parse(&s, argc, argv);
	s.work.n = s.n;
	if (!s.work.n)
		s.work.n = s.work.kind == SUO_WORK_INCAST ? s.config.hosts - 1 :
							    s.config.hosts;
	if (!s.work.steps)
		s.work.steps = 2 * s.work.n - 1;
	if (s.work.kind == SUO_WORK_PLAN)
		status = make_plan(&s, &plan);
	s.work.plan = plan;
	if (!status && (suo_sim_config_check(&s.config, why, sizeof(why)) ||
			suo_workload_check(&s.work, &s.config, why, sizeof(why))))
		status = suo_error(SUO_USAGE, "%s", why);
	if (!status) {
		if (suo_sim_init(&sim, &s.config))
			status = suo_error(SUO_FAILED, "not enough memory");
		else
			status = run(&s, &sim);
		suo_sim_free(&sim);
	}
	if (plan)
		suo_plan_free(plan);
	return status;
}
