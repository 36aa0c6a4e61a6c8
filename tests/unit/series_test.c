// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo-switch --series: rows, rates, when they begin, and files that cannot be written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"
#include "tests/unit/telemetry_helper.h"

#define HEADER									\
	"time_ps,switch,port,prio,tx_packets,tx_bytes,rx_packets,rx_bytes,"	\
	"drop_packets,drop_bytes,wred_drop_packets,wred_drop_bytes,"		\
	"ecn_marked_packets,ecn_marked_bytes,trim_packets,pg_drop_packets,"	\
	"pfc_tx,pfc_rx,pfc_on2off_rx,pfc_tx_duration_us,pfc_rx_duration_us,"	\
	"pfc_tx_duration_ps,pfc_rx_duration_ps,"				\
	"queue_bytes,queue_watermark_bytes,pg_shared_bytes,"			\
	"pg_shared_watermark_bytes,pg_headroom_bytes,"				\
	"pg_headroom_watermark_bytes,pfcwd_stormed,pfcwd_detected,"		\
	"pfcwd_restored,pfcwd_tx_ok,pfcwd_tx_drop,pfcwd_rx_ok,pfcwd_rx_drop,"	\
	"rx_gbps,tx_gbps,ecn_marked_share,pfc_rx_share\n"

static char *read_file(const char *name)
{
	char path[128], *text = calloc(1, 1 << 16);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", get_dir(), name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

static void holds(const char *name, const char *expected)
{
	char *text = read_file(name);

	assert_string_equal(text, expected);
	free(text);
}

static struct swd *start(const char *series)
{
	static char arg[256];
	struct swd *s = fake_switch();

	snprintf(arg, sizeof(arg), "%s/%s", get_dir(), series);
	s->opts.series = arg;
	s->loop = ev_default_loop(0);
	fake_now_ps = 0;
	*fake_said = '\0';
	return s;
}

/*
 * 10 us at a time. In the first interval nothing, in the second 500000 bytes leave by
 * queue 3 of Ethernet4: 400 Gb/s; a quarter of its 100 packets is marked, and it is
 * paused for half of the time.
 */
static void test_rows(void **state)
{
	struct swd *s = start("series.csv:10us");
	struct suo_switch_port *port = &s->node[0].sw->port[1];
	struct swd_prio_count *count = &s->node[0].ifs[1].prio[3];

	assert_int_equal(swd_series_start(s), 0);
	assert_int_equal(fake_timer_at(), 10000000);
	fake_timer_run(s);
	assert_int_equal(fake_timer_at(), 20000000);
	port->queue[3].tx_packets = 100;
	port->queue[3].tx_bytes = 500000;
	port->count.marked[3] = 25;
	count->pfc_rx_ps = 5000001;
	port->queue[3].bytes = 4178;
	port->queue[3].bytes_max = 8356;
	fake_timer_run(s);
	/* Nothing changes: there is a row, whose rates are 0. */
	port->queue[3].bytes = 0;
	s->link[1].wire[0].lost = 3;
	fake_timer_run(s);
	fake_now_ps = 35000000;
	count->rx_packets = 2;
	count->rx_bytes = 250000;
	swd_series_stop(s);
	assert_string_equal(fake_said, "");

	holds("series.csv", HEADER
	      "20000000,leaf0,Ethernet4,3,100,500000,0,0,0,0,0,0,25,0,0,0,0,0,0,0,5,0,5000001,"
	      "4178,8356,0,0,0,0,0,0,0,0,0,0,0,0.000,400.000,0.250000,0.500000\n"
	      "30000000,leaf0,Ethernet4,3,100,500000,0,0,0,0,0,0,25,0,0,0,0,0,0,0,5,0,5000001,"
	      "0,8356,0,0,0,0,0,0,0,0,0,0,0,0.000,0.000,0.000000,0.000000\n"
	      "35000000,leaf0,Ethernet4,3,100,500000,2,250000,0,0,0,0,25,0,0,0,0,0,0,0,5,0,5000001,"
	      "0,8356,0,0,0,0,0,0,0,0,0,0,0,400.000,0.000,0.000000,0.000000\n");
	holds("series-links.csv", "time_ps,link,lost,corrupted\n"
	      "30000000,h1:nic0-leaf0:Ethernet4,3,0\n"
	      "35000000,h1:nic0-leaf0:Ethernet4,3,0\n");
	fake_switch_free(s);
}

static u64 time_of(const char *name)
{
	char *text = read_file(name), error[SUO_SNAP_ERROR];
	json_t *json = json_loads(text, 0, NULL);
	struct suo_snapshot *snap = NULL;
	u64 time_ps;

	assert_int_equal(suo_snapshot_from_json(json, &snap, error), 0);
	time_ps = snap->time_ps;
	suo_snapshot_free(snap);
	json_decref(json);
	free(text);
	return time_ps;
}

static void test_files(void **state)
{
	struct swd *s;

	/* Those of the test before. */
	assert_int_equal(time_of("snapshot-first.json"), 0);
	assert_int_equal(time_of("snapshot-last.json"), 35000000);

	s = start("other.csv");
	assert_int_equal(swd_series_start(s), 0);
	/* A tenth of a second at a time scale of 16. */
	assert_int_equal(fake_timer_at(), 6250000000);
	swd_series_stop(s);
	assert_int_equal(fake_timer_at(), U64_MAX);
	holds("other.csv", HEADER);
	holds("other-links.csv", "time_ps,link,lost,corrupted\n");
	time_of("other-snapshot-first.json");
	time_of("other-snapshot-last.json");
	fake_switch_free(s);

	s = start("none");
	s->opts.series = NULL;
	assert_int_equal(swd_series_start(s), 0);
	swd_series_stop(s);
	fake_switch_free(s);
}

static void refused(const char *arg, int ret, const char *expected)
{
	struct swd *s = start("x");

	s->opts.series = arg;
	assert_int_equal(swd_series_start(s), ret);
	if (!strstr(fake_said, expected))
		fail_msg("'%s', expected '%s'", fake_said, expected);
	swd_series_stop(s);
	assert_int_equal(fake_timer_at(), U64_MAX);
	fake_switch_free(s);
}

static void test_refused(void **state)
{
	refused("/nonexistent/a.csv", -EIO, "/nonexistent/a.csv: No such file");
	refused("a.csv:1ns", -EINVAL, "--series a.csv:1ns: interval: ");
	refused("a.csv:10", -EINVAL, "interval: ");
	refused("a.csv:", -EINVAL, "interval: ");
	refused(":10us", -EINVAL, "no name of a file");
}

/* The disk is full: it is told once, and the switch goes on. */
static void test_full(void **state)
{
	struct swd *s;
	char path[128];

	snprintf(path, sizeof(path), "%s/full.csv", get_dir());
	assert_int_equal(symlink("/dev/full", path), 0);
	s = start("full.csv:1us");
	assert_int_equal(swd_series_start(s), 0);
	s->node[0].sw->port[0].queue[0].tx_packets = 1;
	/* More than a buffer of stdio. */
	for (int i = 0; i < 1000 && fake_timer_at() != U64_MAX; i++)
		fake_timer_run(s);
	assert_int_equal(fake_timer_at(), U64_MAX);
	assert_non_null(strstr(fake_said, "full.csv: No space left on device: it ends here"));
	*fake_said = '\0';
	swd_series_stop(s);
	assert_string_equal(fake_said, "");
	fake_switch_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests_name("series", tests, make_dir, remove_dir);
}
