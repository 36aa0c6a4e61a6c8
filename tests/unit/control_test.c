// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The control socket of suo-switch: what it answers, and clients that mean no good. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/telemetry_helper.h"

static char dir[] = "/tmp/suo-control-XXXXXX";
static char path[128];

static int make(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/control", dir);
	return 0;
}

static int clean(void **state)
{
	return rmdir(dir);
}

static int connect_client(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	strcpy(addr.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void say(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		assert_true(n > 0);
		text += n;
		len -= n;
	}
}

/* A line, within ten seconds; NULL: the end. To be freed. */
static char *hear(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t len = 0, room = 1 << 20;
	char *line = malloc(room);

	assert_non_null(line);
	for (;;) {
		assert_int_equal(poll(&p, 1, 10000), 1);
		if (recv(fd, line + len, 1, 0) <= 0) {
			free(line);
			return NULL;
		}
		if (line[len] == '\n')
			break;
		assert_true(++len < room);
	}
	line[len] = '\0';
	return line;
}

static void ask(int fd, const char *request, const char *expected)
{
	char *line;

	say(fd, request, strlen(request));
	line = hear(fd);
	assert_non_null(line);
	if (!strstr(line, expected))
		fail_msg("%s: %.2000s, expected %s", request, line, expected);
	free(line);
}

static void expect_end(int fd)
{
	char *line = hear(fd);

	if (line)
		fail_msg("%.2000s", line);
	close(fd);
}

static struct suo_snapshot *get_snapshot(int fd)
{
	struct suo_snapshot *snap = NULL;
	char error[SUO_SNAP_ERROR];
	json_t *json;
	char *line;

	say(fd, "{\"cmd\":\"snapshot\"}\n", 19);
	line = hear(fd);
	assert_non_null(line);
	json = json_loads(line, 0, NULL);
	assert_non_null(json);
	if (suo_snapshot_from_json(json, &snap, error))
		fail_msg("%s", error);
	json_decref(json);
	free(line);
	return snap;
}

/* Each member of the process has a figure of its own. */
static struct swd *make_switch(void)
{
	struct swd *s = fake_switch();
	struct suo_switch *sw = s->node[0].sw;
	struct swd_if *ifs = &s->node[0].ifs[1];
	struct suo_switch_port *port = &sw->port[1];

	s->opts.control = path;
	sw->pool.used_bytes = 11;
	sw->pool.used_max_bytes = 12;
	ifs->in_packets = 21;
	ifs->in_octets = 22;
	ifs->in_discards = 23;
	ifs->in_malformed = 24;
	ifs->in_oversize = 25;
	ifs->in_filtered = 29;
	ifs->out_packets = 26;
	ifs->out_octets = 27;
	ifs->out_discards = 28;
	port->queue[5].tx_packets = 31;
	port->queue[5].tx_bytes = 32;
	port->count.marked[5] = 33;
	port->count.pause_tx[5] = 34;
	port->count.pause_rx[5] = 35;
	port->queue[5].bytes = 36;
	port->queue[5].bytes_max = 37;
	port->group[5].pg.shared_bytes = 38;
	port->group[5].pg.shared_max_bytes = 39;
	port->group[5].pg.headroom_bytes = 40;
	port->group[5].pg.headroom_max_bytes = 41;
	ifs->prio[5] = (struct swd_prio_count){
		.rx_packets = 51, .rx_bytes = 52, .drop_packets = 53, .drop_bytes = 54,
		.wred_drop_packets = 55, .wred_drop_bytes = 56, .ecn_marked_bytes = 57,
		.trim_packets = 58, .pg_drop_packets = 59, .pfc_on2off_rx = 60,
		.pfc_tx_ps = 61999999, .pfc_rx_ps = 62000000,
		.wd = {
			.stormed = true, .detected = 63, .restored = 64, .tx_ok = 65,
			.tx_drop = 66, .rx_ok = 67, .rx_drop = 68,
		},
	};
	s->link[1].wire[0].lost = 70;
	s->link[1].wire[1].lost = 1;
	s->link[1].wire[1].corrupted = 72;
	s->link[0].down[1] = true;
	return s;
}

/* Priority 3 has a static threshold, priority 4 a dynamic one. */
static void set_config(struct swd *s)
{
	struct suo_switch_class *class = s->config.sw.class;

	s->config.sw.path = SUO_ECMP_SPRAY;
	class[3] = (struct suo_switch_class){
		.pfc = {
			.static_bytes = 81, .headroom_bytes = 82, .xon_bytes = 83,
			.dynamic_th = SUO_PFC_NO_DYNAMIC,
		},
		.wred = { .kmin_bytes = 84, .kmax_bytes = 85, .pmax_ppm = 86 },
		.ecn = true,
	};
	class[4] = (struct suo_switch_class){ .pfc.dynamic_th = -2 };
}

static void check_config(const struct suo_snap_config *config)
{
	const struct suo_snap_class *class = &config->prio[3];

	assert_string_equal(config->balancing, "spray");
	assert_int_equal(config->seed, 7);
	assert_true(class->lossless);
	assert_true(class->ecn);
	assert_false(class->is_dynamic);
	assert_int_equal(class->xoff_bytes, 81);
	assert_int_equal(class->headroom_bytes, 82);
	assert_int_equal(class->xon_bytes, 83);
	assert_int_equal(class->kmin_bytes, 84);
	assert_int_equal(class->kmax_bytes, 85);
	assert_int_equal(class->pmax_ppm, 86);
	class = &config->prio[4];
	assert_false(class->lossless);
	assert_false(class->ecn);
	assert_true(class->is_dynamic);
	assert_int_equal(class->dynamic_th, -2);
}

/* Each figure is where the protocol has it. */
static void test_snapshot(void **state)
{
	struct swd *s = make_switch();
	int pid, fd;

	fake_now_ps = 123456789;
	set_config(s);
	s->events = SWD_EVENTS + 1;	/* the ring has gone round */
	s->event[0] = (struct swd_event){ 99, "storm", 0, 1, 5 };
	s->event[1] = (struct swd_event){ 5, "start", UINT16_MAX, 0, 255 };
	pid = start_serving(s, swd_control_start, swd_control_stop);
	fd = connect_client();
	struct suo_snapshot *snap = get_snapshot(fd);
	const struct suo_snap_port *port = &snap->sw[0].port[1];
	const struct suo_snap_prio *prio = &port->prio[5];
	const u64 got[] = {
		snap->sw[0].pool.used_bytes, snap->sw[0].pool.watermark_bytes,
		port->in.packets, port->in.octets, port->in.discards, port->in.malformed,
		port->in.oversize, port->in.filtered, port->out.packets, port->out.octets, port->out.discards,
		prio->tx_packets, prio->tx_bytes, prio->ecn_marked_packets, prio->pfc_tx,
		prio->pfc_rx, prio->queue_bytes, prio->queue_watermark_bytes,
		prio->pg_shared_bytes, prio->pg_shared_watermark_bytes,
		prio->pg_headroom_bytes, prio->pg_headroom_watermark_bytes,
		prio->rx_packets, prio->rx_bytes, prio->drop_packets, prio->drop_bytes,
		prio->wred_drop_packets, prio->wred_drop_bytes, prio->ecn_marked_bytes,
		prio->trim_packets, prio->pg_drop_packets, prio->pfc_on2off_rx,
		prio->pfc_tx_duration_us, prio->pfc_rx_duration_us, prio->pfcwd.detected,
		prio->pfcwd.restored, prio->pfcwd.tx_ok, prio->pfcwd.tx_drop,
		prio->pfcwd.rx_ok, prio->pfcwd.rx_drop, snap->link[1].lost,
		snap->link[1].corrupted,
	};
	const u64 expected[] = {
		11, 12, 21, 22, 23, 24, 25, 29, 26, 27, 28, 31, 32, 33, 34, 35, 36, 37, 38, 39,
		40, 41, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67,
		68, 71, 72,
	};

	assert_memory_equal(got, expected, sizeof(expected));
	assert_true(prio->pfcwd.stormed);
	assert_int_equal(snap->time_ps, 123456789);
	assert_string_equal(snap->cluster, "fake");
	assert_string_equal(snap->sw[0].name, "leaf0");
	assert_string_equal(port->name, "Ethernet4");
	assert_string_equal(port->peer, "h1:nic0");
	assert_true(port->up);
	assert_false(snap->sw[0].port[0].up);
	assert_string_equal(snap->link[1].a, "h1:nic0");
	assert_string_equal(snap->link[1].b, "leaf0:Ethernet4");
	check_config(&snap->config);
	/* The oldest first. */
	assert_int_equal(snap->nevents, SWD_EVENTS);
	assert_string_equal(snap->event[0].what, "start");
	assert_string_equal(snap->event[0].at, "");
	assert_int_equal(snap->event[0].prio, -1);
	assert_string_equal(snap->event[SWD_EVENTS - 1].what, "storm");
	assert_string_equal(snap->event[SWD_EVENTS - 1].port, "Ethernet4");
	assert_int_equal(snap->event[SWD_EVENTS - 1].prio, 5);
	suo_snapshot_free(snap);

	/* Watermarks begin anew from what is there, those that were named. */
	ask(fd, "{\"cmd\":\"clear_watermarks\",\"what\":\"queue\"}\n", "{\"ok\":true}");
	snap = get_snapshot(fd);
	prio = &snap->sw[0].port[1].prio[5];
	assert_int_equal(prio->queue_watermark_bytes, 36);
	assert_int_equal(prio->pg_shared_watermark_bytes, 39);
	suo_snapshot_free(snap);
	ask(fd, "{\"cmd\":\"clear_watermarks\"}\n", "{\"ok\":true}");
	snap = get_snapshot(fd);
	prio = &snap->sw[0].port[1].prio[5];
	assert_int_equal(prio->pg_shared_watermark_bytes, 38);
	assert_int_equal(prio->pg_headroom_watermark_bytes, 40);
	assert_int_equal(snap->sw[0].pool.watermark_bytes, 11);
	suo_snapshot_free(snap);
	close(fd);
	stop_serving(pid);
	/* The socket is gone with it. */
	assert_int_equal(access(path, F_OK), -1);
	fake_switch_free(s);
}

static json_t *answer_fault(struct swd *s, const json_t *request)
{
	return json_pack("{s:O}", "got", json_object_get(request, "add"));
}

static void test_requests(void **state)
{
	struct swd *s = make_switch();
	int pid, fd;

	swd_tell.fault = answer_fault;
	pid = start_serving(s, swd_control_start, swd_control_stop);
	fd = connect_client();
	ask(fd, "\n\r\n   \nnonsense\n", "{\"error\":\"not JSON: ");
	ask(fd, "[1]\n", "{\"error\":\"no 'cmd'\"}");
	ask(fd, "{\"cmd\":3}\n", "{\"error\":\"no 'cmd'\"}");
	ask(fd, "{\"cmd\":\"reboot\"}\r\n", "there is no command 'reboot'; there are snapshot");
	ask(fd, "{\"cmd\":\"clear_watermarks\",\"what\":\"all\"}\n", "'what' is none of queue");
	ask(fd, "{\"cmd\":\"clear_watermarks\",\"what\":7}\n", "'what' is none of queue");
	ask(fd, "{\"cmd\":\"fault\",\"add\":{\"loss\":1}}\n", "{\"got\":{\"loss\":1}}");
	/* Not UTF-8: it is told so, and goes on. */
	ask(fd, "{\"cmd\":\"\xff\xfe\"}\n", "{\"error\":");
	/* In pieces; and several at once, answered in their order. */
	say(fd, "{\"cmd\":\"re", 10);
	usleep(20000);
	ask(fd, "boot\"}\n", "no command 'reboot'");
	ask(fd, "{\"cmd\":\"a\"}\n{\"cmd\":\"b\"}\n{\"cmd\":\"c\"}\n", "command 'a'");
	ask(fd, "", "command 'b'");
	ask(fd, "", "command 'c'");
	/* Whoever ends its side is answered first. */
	say(fd, "{\"cmd\":\"x\"}\n{\"cmd\":\"y\"}\n{\"cmd\":", 31);
	shutdown(fd, SHUT_WR);
	ask(fd, "", "command 'x'");
	ask(fd, "", "command 'y'");
	expect_end(fd);
	stop_serving(pid);
	swd_tell.fault = NULL;
	fake_switch_free(s);
}

/* How many lines have come. */
static u32 heard_lines(int fd)
{
	char text[4096];
	ssize_t n = recv(fd, text, sizeof(text), MSG_DONTWAIT);
	u32 lines = 0;

	for (ssize_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Whoever asks for much at once is answered once each time that others have their turn. */
static void test_turns(void **state)
{
	struct swd *s = make_switch();
	u32 asked = 20, answered = 0;
	int fd;

	s->loop = ev_loop_new(0);
	assert_int_equal(swd_control_start(s), 0);
	fd = connect_client();
	for (u32 i = 0; i < asked; i++)
		say(fd, "{\"cmd\":\"a\"}\n", 12);
	for (u32 round = 0; answered < asked; round++) {
		u32 lines;

		assert_true(round < 2 * asked);
		ev_run(s->loop, EVRUN_NOWAIT);
		lines = heard_lines(fd);
		assert_in_range(lines, 0, 1);
		answered += lines;
	}
	close(fd);
	swd_control_stop(s);
	ev_loop_destroy(s->loop);
	fake_switch_free(s);
}

static void test_giant(void **state)
{
	struct swd *s = make_switch();
	int pid = start_serving(s, swd_control_start, swd_control_stop), fd, other;
	char *text = malloc(65536);

	assert_non_null(text);
	memset(text, ' ', 65536);
	/* The longest line that there may be, and one that has no end. */
	memcpy(text, "{\"cmd\":\"z\"}", 11);
	text[65535] = '\n';
	fd = connect_client();
	say(fd, text, 65536);
	ask(fd, "", "command 'z'");
	text[65535] = ' ';
	say(fd, text, 65536);
	ask(fd, "", "{\"error\":\"a request of more than 64 KiB\"}");
	expect_end(fd);
	/* Deeper than JSON is taken. */
	memset(text, '[', 60000);
	text[60000] = '\n';
	fd = connect_client();
	say(fd, text, 60001);
	ask(fd, "", "not JSON");

	/* One that asks for a thousand snapshots and does not read keeps nobody waiting. */
	other = connect_client();
	for (int i = 0; i < 1000; i++) {
		ssize_t n = send(other, "{\"cmd\":\"snapshot\"}\n", 19,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 19)
			break;
	}
	ask(fd, "{\"cmd\":\"q\"}\n", "command 'q'");
	/* It goes away in the middle of an answer. */
	close(other);
	ask(fd, "{\"cmd\":\"q\"}\n", "command 'q'");
	close(fd);
	stop_serving(pid);
	free(text);
	fake_switch_free(s);
}

static void test_many(void **state)
{
	struct swd *s = make_switch();
	int pid = start_serving(s, swd_control_start, swd_control_stop), fd[32], one;

	for (int i = 0; i < 32; i++) {
		fd[i] = connect_client();
		say(fd[i], "{\"cmd\"", 6);
	}
	one = connect_client();
	ask(one, "", "{\"error\":\"too many clients\"}");
	expect_end(one);
	/* One leaves, another can come. */
	close(fd[7]);
	for (int tries = 0;; tries++) {
		char *line;

		assert_true(tries < 100);
		one = connect_client();
		say(one, "{\"cmd\":\"n\"}\n", 12);
		line = hear(one);
		assert_non_null(line);
		if (strstr(line, "command 'n'")) {
			free(line);
			break;
		}
		free(line);
		close(one);
	}
	/* Those that were in the middle of a request can go on. */
	ask(fd[0], ":\"m\"}\n", "command 'm'");
	for (int i = 0; i < 32; i++)
		if (i != 7)
			close(fd[i]);
	close(one);
	/* A thousand that come and go. */
	for (int i = 0; i < 1000; i++) {
		int brief = connect_client();

		if (i % 2)
			say(brief, "{\"cmd\":\"snapshot\"}\n", 19);
		close(brief);
	}
	one = connect_client();
	ask(one, "{\"cmd\":\"n\"}\n", "command 'n'");
	close(one);
	stop_serving(pid);
	fake_switch_free(s);
}

static int start_without_files(struct swd *s)
{
	struct rlimit limit;
	int ret = swd_control_start(s);

	/* As many as there are: dup() finds how many that is. */
	limit.rlim_cur = dup(0) + 2;
	close(limit.rlim_cur - 2);
	limit.rlim_max = limit.rlim_cur;
	setrlimit(RLIMIT_NOFILE, &limit);
	return ret;
}

static u64 cpu_ms(int pid)
{
	struct timespec t;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &t), 0);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* File descriptors run out: it waits until there are some, and does not spin. */
static void test_no_files(void **state)
{
	struct swd *s = make_switch();
	int pid = start_serving(s, start_without_files, swd_control_stop), a, b, c;
	struct pollfd p;
	u64 before;

	a = connect_client();
	b = connect_client();
	ask(a, "{\"cmd\":\"1\"}\n", "command '1'");
	c = connect_client();
	say(c, "{\"cmd\":\"3\"}\n", 12);
	p = (struct pollfd){ .fd = c, .events = POLLIN };
	before = cpu_ms(pid);
	assert_int_equal(poll(&p, 1, 400), 0);
	assert_true(cpu_ms(pid) - before < 50);
	close(a);
	close(b);
	/* Within a second it looks again. */
	ask(c, "", "command '3'");
	close(c);
	stop_serving(pid);
	fake_switch_free(s);
}

static void refused(struct swd *s, int ret, const char *expected)
{
	*fake_said = '\0';
	assert_int_equal(swd_control_start(s), ret);
	if (!strstr(fake_said, expected))
		fail_msg("'%s', expected '%s'", fake_said, expected);
	swd_control_stop(s);
}

static void test_socket(void **state)
{
	struct swd *s = make_switch(), *other = make_switch();
	char long_path[256];
	int pid, killed;
	FILE *file;

	/* Not asked for. */
	s->opts.control = NULL;
	assert_int_equal(swd_control_start(s), 0);
	swd_control_stop(s);
	memset(long_path, 'x', 255);
	long_path[255] = '\0';
	s->opts.control = long_path;
	refused(s, -EINVAL, "longer than a socket's path can be (107)");
	s->opts.control = "/nonexistent/control";
	refused(s, -ENOENT, "--control /nonexistent/control: No such file or directory");

	/* A file is not removed. */
	s->opts.control = path;
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	refused(s, -EEXIST, "there is a file, and no socket");
	assert_int_equal(unlink(path), 0);

	/* Nor the socket of another process; but one that a killed process has left. */
	pid = start_serving(s, swd_control_start, swd_control_stop);
	refused(other, -EADDRINUSE, "another process listens there");
	kill(pid, SIGKILL);
	waitpid(pid, &killed, 0);
	assert_int_equal(access(path, F_OK), 0);
	pid = start_serving(other, swd_control_start, swd_control_stop);
	close(connect_client());
	stop_serving(pid);
	fake_switch_free(s);
	fake_switch_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snapshot),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_giant),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_no_files),
		cmocka_unit_test(test_socket),
	};

	return cmocka_run_group_tests_name("control", tests, make, clean);
}
