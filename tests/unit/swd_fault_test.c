// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Faults, storms and captures in the process: what becomes of frames on its wires. One
 * switch, links of 8 Gb/s: a byte takes a nanosecond, and there are no latencies.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/swd_helper.h"
#include "userspace/switch/capture_wire.h"
#include "userspace/switch/fault_wire.h"
#include "userspace/switch/snapshot.h"
#include "userspace/switch/watchdog_wire.h"

#define NS	1000ull
#define US	1000000ull
#define MS	1000000000ull
#define BYTES	1000u
#define WIRE_PS	((BYTES + SUO_SWITCH_GAP_BYTES) * NS)
#define DSCP	26

#define CLUSTER								\
	"name: t\nhosts: 2\naccelerators: 1\n"				\
	"scale_up: {profile: nvlink4}\n"				\
	"scale_out:\n  profile: roce-100g\n  rate_gbps: 8\n"		\
	"  leaf: {switch_ns: 0, fec_ns: 0, propagation_ns: 0, buffer_bytes: 1GiB}\n"
#define WATCHDOG							\
	"  switch:\n    watchdog: {detection_ms: 1, restoration_ms: 2, poll_ms: 0.5"

/* What endpoint 1 has got; and pauses for either. */
static struct {
	u32	frames;
	u64	last_ps;
	u8	data[SWD_FRAME_ROOM];
	u32	len;
	u32	pauses[2];
} got;

static int take(struct swd_port *port, const u8 *data, size_t len)
{
	if (data[12] == 0x88 && data[13] == 0x08) {
		got.pauses[port->id]++;
		return 0;
	}
	if (port->id != 1)
		return 0;
	got.frames++;
	got.last_ps = port->s->now_ps;
	got.len = len;
	memcpy(got.data, data, len);
	return 0;
}

static struct swd *make(const char *text)
{
	struct swd *s = swd_make(text, 256, take);

	swd_greet(s);
	memset(&got, 0, sizeof(got));
	assert_int_equal(swd_fault_start(s), 0);
	assert_int_equal(swd_watchdog_start(s), 0);
	return s;
}

static void unmake(struct swd *s)
{
	swd_watchdog_stop(s);
	swd_fault_stop(s);
	assert_int_equal(s->frames_out, 0);
	swd_unmake(s);
}

static u32 frame(u8 *data)
{
	u32 len = swd_udp(data, BYTES, 0, 1, DSCP << 2, 0xc000);

	for (u32 i = 42; i < len; i++)
		data[i] = i;
	return len;
}

/* One frame from 0 to 1; time passes until it must be there. */
static void send_one(struct swd *s)
{
	u64 at_ps = s->now_ps;
	u8 data[SWD_FRAME_ROOM];
	u32 len = frame(data);

	swd_send(s, 0, data, len, at_ps);
	swd_run(s, at_ps + 100 * US);
}

/* Return: the number of the fault; 0: it is refused. */
static int try_add(struct swd *s, const char *line)
{
	json_t *request = json_pack("{s:s, s:s}", "cmd", "fault", "add", line);
	json_t *answer = swd_fault_command(s, request);
	int id = json_integer_value(json_object_get(answer, "id"));

	assert_true(id ? !json_object_get(answer, "error") :
			 json_is_string(json_object_get(answer, "error")));
	json_decref(answer);
	json_decref(request);
	return id;
}

/* It has to get this number. */
static void add(struct swd *s, const char *line, int id)
{
	int given = try_add(s, line);

	if (given != id)
		fail_msg("%s: number %d, not %d", line, given, id);
}

static void list_faults(struct swd *s)
{
	json_t *request = json_pack("{s:s}", "cmd", "fault");
	json_t *answer = swd_fault_command(s, request);

	assert_true(json_is_array(json_object_get(answer, "faults")));
	json_decref(answer);
	json_decref(request);
}

static void take_out(struct swd *s, int id)
{
	json_t *request = json_pack("{s:s, s:i}", "cmd", "fault", "remove", id);
	json_t *answer = swd_fault_command(s, request);

	assert_null(json_object_get(answer, "error"));
	json_decref(answer);
	json_decref(request);
}

static u32 count_events(const struct swd *s, const char *what)
{
	u32 n = 0;

	for (u64 i = 0; i < s->events && i < SWD_EVENTS; i++)
		n += !strcmp(s->event[i].what, what);
	return n;
}

/* What is of a link as a whole is of no priority. */
static void check_link_events(const struct swd *s)
{
	struct suo_snapshot *snap = swd_snapshot_new(s);

	assert_non_null(snap);
	swd_snapshot_take(s, snap, s->now_ps);
	assert_int_equal(snap->nevents, 2);
	for (u32 i = 0; i < 2; i++) {
		assert_string_equal(snap->event[i].what, i ? "link_up" : "link_down");
		assert_string_equal(snap->event[i].port, "Ethernet1");
		assert_int_equal(snap->event[i].prio, -1);
	}
	suo_snapshot_free(snap);
}

/* Both ways of a link: 0 to the switch is one, the switch to 1 is another link. */
static void test_frames(void **state)
{
	struct swd *s = make(CLUSTER);
	u8 data[SWD_FRAME_ROOM];
	u32 len = frame(data), bits = 0;
	u64 ids[4];

	send_one(s);
	assert_int_equal(got.frames, 1);
	assert_memory_equal(got.data, data, len);
	assert_int_equal(got.last_ps, s->now_ps - 100 * US + WIRE_PS);

	add(s, "link=h0:nic0 loss=100% dir=to", 1);
	send_one(s);
	assert_int_equal(got.frames, 1);
	assert_int_equal(s->link[0].wire[0].lost, 1);
	assert_int_equal(swd_fault_ids(s, 0, ids, 4), 1);
	assert_int_equal(ids[0], 1);
	assert_int_equal(swd_fault_ids(s, 1, ids, 4), 0);
	take_out(s, 1);

	add(s, "link=h1:nic0 duplicate=100%", 2);
	send_one(s);
	assert_int_equal(got.frames, 3);
	take_out(s, 2);

	add(s, "link=h1:nic0 delay=7us", 3);
	send_one(s);
	assert_int_equal(got.frames, 4);
	assert_int_equal(got.last_ps, s->now_ps - 100 * US + WIRE_PS + 7 * US);
	take_out(s, 3);

	/* One bit, and not of the Ethernet header. */
	add(s, "link=h1:nic0 corrupt=100%", 4);
	send_one(s);
	assert_int_equal(got.frames, 5);
	for (u32 i = 0; i < len; i++)
		bits += __builtin_popcount(got.data[i] ^ data[i]);
	assert_int_equal(bits, 1);
	assert_memory_equal(got.data, data, 14);
	assert_int_equal(s->link[1].wire[1].corrupted, 1);
	unmake(s);
}

/* Of 1 ms each, from now on: down, then slow, and after that as it was. */
static void test_links(void **state)
{
	struct swd *s = make(CLUSTER);
	u64 start_ps = s->now_ps;

	add(s, "link=h1:nic0 dead from=1ms to=2ms", 1);
	add(s, "link=h1:nic0 slow=2 from=3ms to=4ms", 2);
	send_one(s);
	assert_int_equal(got.frames, 1);
	swd_run(s, start_ps + MS + US);
	assert_true(s->link[1].down[0] && s->link[1].down[1]);
	send_one(s);
	assert_int_equal(got.frames, 1);
	assert_int_equal(count_events(s, "link_down"), 1);
	assert_int_equal(count_events(s, "link_up"), 0);
	swd_run(s, start_ps + 2 * MS);
	assert_int_equal(count_events(s, "link_up"), 1);

	/* A quarter of the rate: four times as long. */
	swd_run(s, start_ps + 3 * MS);
	send_one(s);
	assert_int_equal(got.frames, 2);
	assert_int_equal(got.last_ps, start_ps + 3 * MS + 4 * WIRE_PS);
	swd_run(s, start_ps + 4 * MS);
	send_one(s);
	assert_int_equal(got.last_ps, start_ps + 4 * MS + WIRE_PS);
	check_link_events(s);
	unmake(s);
}

/* A fault that is taken away while it is on leaves nothing behind. */
static void test_remove(void **state)
{
	struct swd *s = make(CLUSTER);

	add(s, "link=h1:nic0 dead", 1);
	add(s, "link=h1:nic0 slow=1", 2);
	add(s, "link=h1:nic0 storm prio=3", 3);
	assert_int_equal(try_add(s, "link=h1:nic0 storm prio=nine"), 0);
	swd_run(s, s->now_ps + US);
	assert_true(s->link[1].down[0]);
	for (int id = 1; id <= 3; id++)
		take_out(s, id);
	assert_false(s->link[1].down[0] || s->link[1].down[1]);
	swd_run(s, s->now_ps + US);
	send_one(s);
	assert_int_equal(got.frames, 1);
	assert_int_equal(got.last_ps, s->now_ps - 100 * US + WIRE_PS);
	unmake(s);
}

/* In the cluster file; one that is wrong stops the start. */
static void test_cluster_file(void **state)
{
	struct swd *s = make(CLUSTER "faults:\n- link=h0:nic0 loss=100%\n");

	send_one(s);
	assert_int_equal(got.frames, 0);
	unmake(s);

	s = swd_make(CLUSTER "faults:\n- link=h0:nic0 loss=1%\n- link=h9:nic0 loss=1%\n", 256,
		     take);
	assert_int_equal(swd_fault_start(s), -EINVAL);
	swd_fault_stop(s);
	swd_unmake(s);
}

/* Which of 64 frames a loss of a half takes, bit by bit. */
static u64 losses(const char *text)
{
	struct swd *s = make(text);
	u64 lost = 0;

	for (u32 i = 0; i < 64; i++) {
		u32 before = got.frames;

		send_one(s);
		lost |= (u64)(got.frames == before) << i;
	}
	unmake(s);
	return lost;
}

/* Faults without a seed draw by the cluster's: the same again, and others by another. */
static void test_seed(void **state)
{
#define HALF	"faults:\n- link=h0:nic0 loss=50%\n"
	u64 one = losses(CLUSTER "  seed: 1\n" HALF);

	assert_int_equal(losses(CLUSTER "  seed: 1\n" HALF), one);
	assert_int_not_equal(losses(CLUSTER "  seed: 2\n" HALF), one);
#undef HALF
}

/*
 * The NIC pauses for 4 of 10 us. A frame that comes in the pause leaves when it is over;
 * one that is being sent is not stopped.
 */
static void test_pauses(void **state)
{
	struct swd *s = make(CLUSTER);
	const struct suo_switch_port *p = &s->node[0].sw->port[1];
	u64 start_ps = s->now_ps;

	add(s, "link=h1:nic0 pause=40% period=10us prio=3 to=95us", 1);
	send_one(s);
	/* Pauses are frames: of 64 bytes, that are there at once, as the NIC's are. */
	assert_int_equal(got.frames, 1);
	assert_int_equal(got.last_ps, start_ps + 4 * US + WIRE_PS);
	/* Ten times on and off; the last one is cut short. */
	assert_int_equal(p->count.pause_rx[3], 20);
	assert_int_equal(s->node[0].ifs[1].prio[3].pfc_on2off_rx, 10);
	assert_int_equal(swd_pfc_rx_ps(s, 0, 1, 3), 40 * US);
	unmake(s);
}

/* Who only looks, or asks for what cannot be, changes nothing: no pause is said again. */
static void test_list(void **state)
{
	struct swd *s = make(CLUSTER);
	const struct suo_switch_port *p = &s->node[0].sw->port[1];
	u64 pauses, added;

	add(s, "link=h1:nic0 storm prio=3", 1);
	swd_run(s, s->now_ps + US);
	pauses = p->count.pause_rx[3];
	assert_int_equal(pauses, 1);
	added = s->heap.added;
	for (u32 i = 0; i < 10; i++) {
		list_faults(s);
		assert_int_equal(try_add(s, "link=h1:nic0 storm prio=nine"), 0);
		swd_run(s, s->now_ps + US);
	}
	assert_int_equal(p->count.pause_rx[3], pauses);
	assert_int_equal(s->heap.added, added);
	unmake(s);
}

/*
 * A storm: detected after 1 ms, at looks each 0.5 ms; what waits is dropped, and so is
 * what comes. It ends, and 2 ms later the queue is as before.
 */
static void test_storm_drop(void **state)
{
	struct swd *s = make(CLUSTER WATCHDOG "}\n");
	const struct swd_pfcwd_count *wd = &s->node[0].ifs[1].prio[3].wd;
	u64 start_ps = s->now_ps;

	add(s, "link=h1:nic0 storm prio=3 to=5ms", 1);
	send_one(s);
	send_one(s);
	assert_int_equal(got.frames, 0);
	assert_true(s->node[0].sw->port[1].queue[3].bytes);
	swd_run(s, start_ps + 2 * MS);
	assert_true(wd->stormed);
	assert_int_equal(wd->detected, 1);
	assert_int_equal(wd->tx_drop, 2);
	assert_int_equal(s->node[0].sw->port[1].queue[3].bytes, 0);
	assert_int_equal(count_events(s, "pfc_storm"), 1);
	send_one(s);
	assert_int_equal(wd->tx_drop, 3);
	assert_int_equal(got.frames, 0);

	swd_run(s, start_ps + 8 * MS);
	assert_false(wd->stormed);
	assert_int_equal(wd->restored, 1);
	assert_int_equal(wd->tx_drop_last, 3);
	assert_int_equal(wd->tx_ok_last + wd->rx_ok_last + wd->rx_drop_last, 0);
	send_one(s);
	assert_int_equal(got.frames, 1);
	unmake(s);
}

static void test_storm_forward(void **state)
{
	struct swd *s = make(CLUSTER WATCHDOG ", action: forward}\n");
	const struct swd_pfcwd_count *wd = &s->node[0].ifs[1].prio[3].wd;
	u64 start_ps = s->now_ps;

	add(s, "link=h1:nic0 storm prio=3 to=5ms", 1);
	send_one(s);
	assert_int_equal(got.frames, 0);
	swd_run(s, start_ps + 2 * MS);
	assert_int_equal(got.frames, 1);
	send_one(s);
	assert_int_equal(got.frames, 2);
	swd_run(s, start_ps + 8 * MS);
	assert_int_equal(wd->restored, 1);
	assert_int_equal(wd->tx_ok, 2);
	assert_int_equal(wd->tx_drop, 0);
	unmake(s);
}

/* Port 1 sends what port 0 got, and gets a pause. */
static void test_capture(void **state)
{
	char dir[] = "/tmp/suo-swd-XXXXXX", command[256], output[512];
	struct swd *s;
	u64 start_ps;
	size_t len;
	FILE *pipe;

	if (system("command -v tshark > /dev/null"))
		skip();
	s = make(CLUSTER);
	start_ps = s->now_ps;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "%s:h1:nic0", dir);
	s->opts.capture = command;
	assert_int_equal(swd_capture_start(s), 0);
	send_one(s);
	add(s, "link=h1:nic0 storm prio=3 to=1us", 1);
	swd_run(s, start_ps + MS);
	swd_capture_stop(s);

	snprintf(command, sizeof(command), "tshark -r %s/%s0-Ethernet1.pcap -T fields -E separator=, -e frame.time_epoch -e frame.len -e udp.dstport -e macc.opcode -e macc.cbfc.pause_time.c3 -e _ws.malformed 2>/dev/null; ls %s | wc -l; rm -r %s",
		 dir, s->node[0].tier, dir, dir);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	len = fread(output, 1, sizeof(output) - 1, pipe);
	output[len] = '\0';
	pclose(pipe);
	/* Learning took 2 ms, 1 for each. */
	assert_int_equal(start_ps, 2 * MS);
	assert_string_equal(output,
			    "0.002000000,996,4791,,,\n"
			    "0.002100000,60,,0x0101,65535,\n"
			    "0.002101000,60,,0x0101,0,\n"
			    "1\n");
	unmake(s);
}

static void test_capture_refused(void **state)
{
	char dir[] = "/tmp/suo-swd-XXXXXX", spec[64], command[64];
	struct swd *s = make(CLUSTER);

	assert_non_null(mkdtemp(dir));
	snprintf(spec, sizeof(spec), "%s:h1:nic0,h7:nic0", dir);
	s->opts.capture = spec;
	assert_int_equal(swd_capture_start(s), -EINVAL);
	swd_capture_stop(s);
	s->opts.capture = "/proc/none";
	assert_true(swd_capture_start(s) < 0);
	swd_capture_stop(s);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	unmake(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_cluster_file),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_storm_drop),
		cmocka_unit_test(test_storm_forward),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_capture_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
