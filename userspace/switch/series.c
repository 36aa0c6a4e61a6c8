// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A time series of the counters, in modelled time, and the snapshots of its beginning
 * and its end: what `suo diagnose` and `suo report` read of a run.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/cluster/units.h"
#include "userspace/switch/snapshot.h"
#include "userspace/telemetry/series.h"

/* Of real time, divided by the time scale. */
#define DEFAULT_INTERVAL_PS	100000000000ull		/* 100 ms */
#define MIN_INTERVAL_PS		100000ull		/* 100 ns */
#define MAX_INTERVAL_PS		1000000000000000ull	/* 1000 s */
/* What may be lost of a process that is killed, in real time. */
#define FLUSH_S			1.0

struct swd_series {
	struct swd		*s;
	struct suo_series	rows;
	struct swd_timer	timer;
	ev_timer		flush;
	u64			interval_ps;
	char			path[PATH_MAX];
	bool			failed;
};

/* "FILE:INTERVAL", where a colon without an interval behind it belongs to the name. */
static int parse(const char *arg, struct swd_series *series)
{
	static const struct suo_quantity interval = {
		.dimension = SUO_TIME,
		.min = MIN_INTERVAL_PS,
		.max = MAX_INTERVAL_PS,
	};
	const char *colon = strrchr(arg, ':');
	size_t len = strlen(arg);
	uint64_t ps = DEFAULT_INTERVAL_PS / (series->s->clock.scale ?: 1);
	char why[128];

	if (colon && !strchr(colon, '/')) {
		if (suo_quantity_parse(colon + 1, &interval, &ps, why, sizeof(why)))
			return swd_error(-EINVAL, "--series %s: interval: %s", arg, why);
		len = colon - arg;
	}
	if (!len || len >= sizeof(series->path))
		return swd_error(-EINVAL, "--series %s: no name of a file", arg);
	memcpy(series->path, arg, len);
	series->interval_ps = ps > MIN_INTERVAL_PS ? ps : MIN_INTERVAL_PS;
	return 0;
}

/*
 * A file beside the series: "series.csv" has "series-links.csv"; what is of the whole
 * run has the series' name before only if that is another one.
 */
static int beside(const struct swd_series *series, const char *name, bool of_run,
		  char path[PATH_MAX])
{
	const char *base = strrchr(series->path, '/');
	size_t dir, stem;
	const char *dot;

	base = base ? base + 1 : series->path;
	dir = base - series->path;
	dot = strrchr(base, '.');
	stem = dot && dot > base ? (size_t)(dot - base) : strlen(base);
	if (of_run && stem == 6 && !strncmp(base, "series", 6))
		stem = 0;
	return snprintf(path, PATH_MAX, "%.*s%.*s%s%s", (int)dir, series->path, (int)stem,
			base, stem ? "-" : "", name) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static struct suo_snapshot *take(struct swd *s, u64 now_ps)
{
	struct suo_snapshot *snap = swd_snapshot_new(s);

	if (snap)
		swd_snapshot_take(s, snap, now_ps);
	return snap;
}

/* Whoever reads it while the switch runs finds a whole one. */
static int write_snapshot(struct swd_series *series, const char *name)
{
	struct suo_snapshot *snap = take(series->s, swd_clock_ps(series->s));
	char path[PATH_MAX], temp[PATH_MAX + 8], *json = NULL;
	int ret = -ENOMEM;
	size_t len;
	FILE *file;

	if (snap)
		json = suo_snapshot_to_json(snap, &len);
	suo_snapshot_free(snap);
	if (!json)
		goto err_json;
	ret = beside(series, name, true, path);
	if (ret)
		goto err_file;
	snprintf(temp, sizeof(temp), "%s.new", path);
	file = fopen(temp, "w");
	if (!file) {
		ret = -errno;
		goto err_file;
	}
	if (fwrite(json, 1, len, file) != len)
		ret = -errno;
	if (fclose(file) && !ret)
		ret = -errno;
	if (!ret && rename(temp, path))
		ret = -errno;
	if (ret)
		unlink(temp);
err_file:
	free(json);
err_json:
	if (ret)
		swd_error(ret, "--series %s: %s: %s", series->path, name, strerror(-ret));
	return ret;
}

/* The switch goes on without it. */
static void fail(struct swd_series *series, int ret)
{
	if (!series->failed)
		swd_error(ret, "--series %s: %s: it ends here", series->path,
			  strerror(-ret));
	series->failed = true;
}

static void add(struct swd_series *series, u64 now_ps)
{
	struct suo_snapshot *snap = take(series->s, now_ps);
	int ret = snap ? suo_series_add(&series->rows, snap) : -ENOMEM;

	if (ret)
		fail(series, ret);
}

static void on_time(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	struct swd_series *series = timer->arg;

	add(series, at_ps);
	if (!series->failed)
		swd_timer_at(s, timer, at_ps + series->interval_ps);
}

static void on_flush(struct ev_loop *loop, ev_timer *w, int events)
{
	struct swd_series *series = w->data;

	if (!series->failed && (fflush(series->rows.out) || fflush(series->rows.links)))
		fail(series, -errno);
}

static FILE *create(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		swd_error(-errno, "--series %s: %s", path, strerror(errno));
	return file;
}

static int open_files(struct swd_series *series)
{
	char links[PATH_MAX];
	int ret = beside(series, "links.csv", false, links);

	if (ret)
		return swd_error(ret, "--series %s: %s", series->path, strerror(-ret));
	series->rows.out = create(series->path);
	if (!series->rows.out)
		return -EIO;
	series->rows.links = create(links);
	if (!series->rows.links) {
		fclose(series->rows.out);
		return -EIO;
	}
	return 0;
}

int swd_series_start(struct swd *s)
{
	struct swd_series *series;
	struct suo_snapshot *snap;
	int ret;

	if (!s->opts.series)
		return 0;
	series = calloc(1, sizeof(*series));
	if (!series)
		return swd_error(-ENOMEM, "not enough memory");
	series->s = s;
	ret = parse(s->opts.series, series);
	if (!ret)
		ret = open_files(series);
	if (ret)
		goto err_files;
	ret = -ENOMEM;
	snap = take(s, swd_clock_ps(s));
	if (snap)
		ret = suo_series_start(&series->rows, snap);
	suo_snapshot_free(snap);
	if (ret) {
		swd_error(ret, "not enough memory");
		goto err_rows;
	}
	ret = write_snapshot(series, "snapshot-first.json");
	if (ret)
		goto err_snapshot;

	series->timer.fn = on_time;
	series->timer.arg = series;
	swd_timer_at(s, &series->timer, swd_clock_ps(s) + series->interval_ps);
	ev_timer_init(&series->flush, on_flush, FLUSH_S, FLUSH_S);
	series->flush.data = series;
	ev_timer_start(s->loop, &series->flush);
	s->series = series;
	return 0;

err_snapshot:
	suo_series_end(&series->rows);
err_rows:
	fclose(series->rows.out);
	fclose(series->rows.links);
err_files:
	free(series);
	return ret;
}

void swd_series_stop(struct swd *s)
{
	struct swd_series *series = s->series;

	if (!series)
		return;
	swd_timer_stop(s, &series->timer);
	ev_timer_stop(s->loop, &series->flush);
	if (!series->failed)
		add(series, swd_clock_ps(s));
	if ((fclose(series->rows.out) | fclose(series->rows.links)) && !series->failed)
		fail(series, -errno);
	write_snapshot(series, "snapshot-last.json");
	suo_series_end(&series->rows);
	free(series);
	s->series = NULL;
}
