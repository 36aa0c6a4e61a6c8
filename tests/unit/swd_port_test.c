// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ports of suo-switch on real sockets, as QEMU's -netdev dgram and stream have them: frames
 * both ways, peers that go and come back, what is left of a process that was killed.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/swd_helper.h"
#include "userspace/switch/parts.h"

#define CLUSTER	"name: t\nhosts: 3\naccelerators: 1\nscale_up: {profile: nvlink4}\n"	\
		"scale_out: {profile: roce-100g}\nlab: {time_scale: 1}\n"

static char dir[64];

static const char *path(const char *name)
{
	static char text[4][108];
	static u32 next;
	char *out = text[next++ % 4];

	snprintf(out, sizeof(text[0]), "%s/%s", dir, name);
	return out;
}

static struct swd *start(const char *zero, const char *one, int want)
{
	struct swd *s = calloc(1, sizeof(*s));
	static char spec[2][300];
	static char *port[2] = { spec[0], spec[1] };

	snprintf(spec[0], sizeof(spec[0]), "0=%s", zero);
	snprintf(spec[1], sizeof(spec[1]), "1=%s", one);
	s->timer_fd = -1;
	s->opts = (struct swd_opts){
		.cluster = "c.yaml", .max_late_us = 1000000, .port = port, .ports = 2,
	};
	s->loop = ev_loop_new(0);
	assert_int_equal(suo_cluster_parse("c.yaml", CLUSTER, strlen(CLUSTER), stderr,
					   &s->cluster), 0);
	assert_int_equal(swd_net_init(s), 0);
	assert_int_equal(swd_pool_init(s, 4096), 0);
	assert_int_equal(swd_parts_start(s), want);
	return s;
}

static void stop(struct swd *s)
{
	swd_parts_stop(s);
	swd_pool_free(s);
	swd_net_free(s);
	suo_cluster_free(s->cluster);
	ev_loop_destroy(s->loop);
	free(s);
}

/* The process runs until something is there to read, or for a second. */
static bool wait_for(struct swd *s, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (u32 i = 0; i < 1000; i++) {
		ev_run(s->loop, EVRUN_NOWAIT);
		if (poll(&p, 1, 1))
			return true;
	}
	return false;
}

/* And so that it has nothing to do any more. */
static void settle(struct swd *s)
{
	for (u32 i = 0; i < 20; i++) {
		ev_run(s->loop, EVRUN_NOWAIT);
		usleep(200);
	}
}

/* A NIC with a datagram socket, as QEMU has it. */
static int dgram_nic(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	strcpy(addr.sun_path, path(name));
	unlink(addr.sun_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static ssize_t send_to(int fd, const char *name, const void *data, size_t len)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	strcpy(addr.sun_path, path(name));
	return sendto(fd, data, len, 0, (struct sockaddr *)&addr, sizeof(addr));
}

static int stream_nic(struct swd *s, const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(addr.sun_path, path(name));
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	settle(s);
	return fd;
}

/* A frame behind its length: four bytes, the highest first. */
static void stream_send(int fd, const u8 *data, u32 len)
{
	u8 header[] = { len >> 24, len >> 16, len >> 8, len };

	assert_int_equal(write(fd, header, 4), 4);
	assert_int_equal(write(fd, data, len), len);
}

static void stream_expect(struct swd *s, int fd, const u8 *data, u32 len)
{
	static u8 got[SWD_FRAME_ROOM + 4];
	u32 n = 0;

	while (n < len + 4) {
		ssize_t more;

		assert_true(wait_for(s, fd));
		more = read(fd, got + n, len + 4 - n);
		assert_true(more > 0);
		n += more;
	}
	assert_int_equal((u32)got[0] << 24 | got[1] << 16 | got[2] << 8 | got[3], len);
	assert_memory_equal(got + 4, data, len);
}

static void dgram_expect(struct swd *s, int fd, const u8 *data, u32 len)
{
	static u8 got[SWD_FRAME_ROOM];

	assert_true(wait_for(s, fd));
	assert_int_equal(recv(fd, got, sizeof(got), 0), len);
	assert_memory_equal(got, data, len);
}

static struct swd *start_want(int want)
{
	char zero[256], one[256];

	snprintf(zero, sizeof(zero), "dgram:%s,%s", path("s0"), path("n0"));
	snprintf(one, sizeof(one), "stream:%s", path("s1"));
	return start(zero, one, want);
}

static struct swd *start_both(void)
{
	return start_want(0);
}

static void test_both_ways(void **state)
{
	struct swd *s = start_both();
	int nic0 = dgram_nic("n0"), nic1 = stream_nic(s, "s1");
	u8 there[9000], back[200];
	u32 there_len = swd_udp(there, 9000, 0, 1, 0, 1);
	u32 back_len = swd_udp(back, 200, 1, 0, 0, 1);

	for (u32 i = 0; i < 20; i++) {
		assert_int_equal(send_to(nic0, "s0", there, there_len), there_len);
		stream_expect(s, nic1, there, there_len);
		stream_send(nic1, back, back_len);
		dgram_expect(s, nic0, back, back_len);
	}
	assert_int_equal(s->frames_out, 0);
	close(nic0);
	close(nic1);
	stop(s);
	/* It leaves nothing behind. */
	assert_int_equal(access(path("s0"), F_OK), -1);
	assert_int_equal(access(path("s1"), F_OK), -1);
}

/* Both peers go, and come back; what is sent meanwhile is lost, and counted. */
static void test_peers_vanish(void **state)
{
	struct swd *s = start_both();
	int nic0 = dgram_nic("n0"), nic1 = stream_nic(s, "s1"), late;
	u8 data[300];
	u32 len;

	len = swd_udp(data, 300, 0, 1, 0, 1);
	send_to(nic0, "s0", data, len);
	stream_expect(s, nic1, data, len);
	len = swd_udp(data, 300, 1, 0, 0, 1);
	stream_send(nic1, data, len);
	dgram_expect(s, nic0, data, len);

	close(nic0);
	stream_send(nic1, data, len);
	settle(s);
	assert_int_equal(s->port[0].write_drops, 1);
	nic0 = dgram_nic("n0");
	stream_send(nic1, data, len);
	dgram_expect(s, nic0, data, len);

	/* A second one is turned away; half a frame is nothing. */
	late = stream_nic(s, "s1");
	assert_true(wait_for(s, late));
	assert_int_equal(read(late, data, 1), 0);
	close(late);
	assert_int_equal(write(nic1, "\0\0\1", 3), 3);
	settle(s);
	close(nic1);
	settle(s);
	len = swd_udp(data, 300, 0, 1, 0, 1);
	send_to(nic0, "s0", data, len);
	settle(s);
	assert_int_equal(s->port[1].write_drops, 1);
	nic1 = stream_nic(s, "s1");
	send_to(nic0, "s0", data, len);
	stream_expect(s, nic1, data, len);
	assert_int_equal(s->port[1].attached, 2);
	assert_int_equal(s->frames_out, 0);
	close(nic0);
	close(nic1);
	stop(s);
}

/* A peer sends many frames at once, and then nothing for long: all of them come out. */
static void test_burst(void **state)
{
	struct swd *s = start_both();
	int nic0 = dgram_nic("n0"), nic1 = stream_nic(s, "s1");
	const u32 frames = 300, each = 4 + 60;
	u8 burst[300 * (4 + 60)], data[60];
	u32 got = 0, len = swd_udp(data, 64, 1, 0, 0, 1);

	assert_int_equal(len, 60);
	for (u32 i = 0; i < frames; i++) {
		memcpy(burst + i * each, "\0\0\0\x3c", 4);
		memcpy(burst + i * each + 4, data, len);
	}
	assert_int_equal(write(nic1, burst, sizeof(burst)), sizeof(burst));
	while (got < frames && wait_for(s, nic0))
		got += recv(nic0, data, sizeof(data), 0) == len;
	assert_int_equal(got, frames);
	assert_int_equal(s->frames_out, 0);
	close(nic0);
	close(nic1);
	stop(s);
}

/* A frame of which the peer's socket took only a part is finished before another comes. */
static void test_part(void **state)
{
	struct swd *s = start_both();
	int nic0 = dgram_nic("n0"), nic1 = stream_nic(s, "s1"), room = 4096;
	u8 data[9000];
	u32 len;

	len = swd_udp(data, 300, 1, 0, 0, 1);
	stream_send(nic1, data, len);
	dgram_expect(s, nic0, data, len);
	assert_int_equal(setsockopt(s->port[1].fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)),
			 0);
	len = swd_udp(data, 9000, 0, 1, 0, 1);
	assert_int_equal(send_to(nic0, "s0", data, len), len);
	stream_expect(s, nic1, data, len);
	assert_int_equal(s->port[1].write_drops, 0);
	assert_int_equal(s->frames_out, 0);
	close(nic0);
	close(nic1);
	stop(s);
}

/* What is no frame does not hold up what follows; what is no length ends the connection. */
static void test_bad_lengths(void **state)
{
	struct swd *s = start_both();
	int nic0 = dgram_nic("n0"), nic1 = stream_nic(s, "s1");
	u8 data[300];
	static u8 long_one[20000];
	u32 len;

	len = swd_udp(data, 300, 0, 1, 0, 1);
	send_to(nic0, "s0", data, len);
	stream_expect(s, nic1, data, len);

	len = swd_udp(data, 300, 1, 0, 0, 1);
	stream_send(nic1, long_one, sizeof(long_one));
	stream_send(nic1, data, 0);
	stream_send(nic1, data, 13);
	stream_send(nic1, data, len);
	dgram_expect(s, nic0, data, len);
	assert_int_equal(s->node[0].ifs[1].in_oversize, 1);
	assert_int_equal(s->node[0].ifs[1].in_malformed, 1);
	send_to(nic0, "s0", long_one, sizeof(long_one));
	send_to(nic0, "s0", data, 5);
	settle(s);
	assert_int_equal(s->node[0].ifs[0].in_oversize, 1);
	assert_int_equal(s->node[0].ifs[0].in_malformed, 1);

	assert_int_equal(write(nic1, "\xff\xff\xff\xff", 4), 4);
	assert_true(wait_for(s, nic1));
	assert_int_equal(read(nic1, data, 1), 0);
	close(nic1);
	nic1 = stream_nic(s, "s1");
	stream_send(nic1, data, len);
	dgram_expect(s, nic0, data, len);
	close(nic0);
	close(nic1);
	stop(s);
}

/* A killed process leaves sockets; the next one takes them over. Other files stay. */
static void test_left_over(void **state)
{
	int left = dgram_nic("s0"), nic0, nic1;
	struct swd *s;
	u8 data[300];
	u32 len;
	FILE *file;

	close(left);
	s = start_both();
	nic0 = dgram_nic("n0");
	nic1 = stream_nic(s, "s1");
	len = swd_udp(data, 300, 0, 1, 0, 1);
	send_to(nic0, "s0", data, len);
	stream_expect(s, nic1, data, len);
	close(nic0);
	close(nic1);
	stop(s);

	file = fopen(path("s1"), "w");
	fclose(file);
	stop(start("tap:a-name-that-is-too-long", "stream:/proc/none", -EINVAL));
	stop(start_want(-EADDRINUSE));
	assert_int_equal(access(path("s1"), F_OK), 0);
	assert_int_equal(access(path("s0"), F_OK), -1);
	unlink(path("s1"));
}

static void end_loop(struct ev_loop *loop, ev_timer *watcher, int events)
{
	ev_break(loop, EVBREAK_ALL);
}

/* Let the process run for a while. Return: times that it woke. */
static u32 run_for(struct swd *s, double seconds)
{
	u32 before = ev_iteration(s->loop);
	ev_timer timer;

	ev_timer_init(&timer, end_loop, seconds, 0);
	ev_timer_start(s->loop, &timer);
	ev_run(s->loop, 0);
	ev_timer_stop(s->loop, &timer);
	return ev_iteration(s->loop) - before;
}

/* File descriptors run out: a peer has to wait, and the process does not spin. */
static void test_no_files(void **state)
{
	struct swd *s = start_both();
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int nic0 = dgram_nic("n0"), nic1 = socket(AF_UNIX, SOCK_STREAM, 0), next = dup(0);
	struct rlimit all, few;
	u8 data[300];
	u32 len = swd_udp(data, 300, 0, 1, 0, 1);

	settle(s);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = (struct rlimit){ next, all.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	strcpy(addr.sun_path, path("s1"));
	assert_int_equal(connect(nic1, (struct sockaddr *)&addr, sizeof(addr)), 0);
	/* Once a millisecond it looks for deadlocks; who spins wakes far more often. */
	assert_true(run_for(s, 0.2) < 1000);
	assert_int_equal(s->port[1].attached, 0);

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
	run_for(s, 0.6);
	assert_int_equal(s->port[1].attached, 1);
	assert_int_equal(send_to(nic0, "s0", data, len), len);
	stream_expect(s, nic1, data, len);
	close(nic0);
	close(nic1);
	stop(s);
}

/* Sockets of a process that lives are its own: a second one is told, and disturbs nobody. */
static void test_in_use(void **state)
{
	struct swd *s = start_both();
	int nic0 = dgram_nic("n0"), nic1 = stream_nic(s, "s1");
	char one[256], zero[256];
	u8 data[300];
	u32 len = swd_udp(data, 300, 0, 1, 0, 1);

	stop(start_want(-EADDRINUSE));
	snprintf(zero, sizeof(zero), "dgram:%s,%s", path("other"), path("n0"));
	snprintf(one, sizeof(one), "stream:%s", path("s1"));
	stop(start(zero, one, -EADDRINUSE));
	assert_int_equal(send_to(nic0, "s0", data, len), len);
	stream_expect(s, nic1, data, len);
	close(nic1);
	settle(s);
	nic1 = stream_nic(s, "s1");
	assert_int_equal(s->port[1].attached, 2);
	close(nic0);
	close(nic1);
	stop(s);
}

/* A peer that takes nothing has so many frames waiting, and then loses them. */
static void test_slow_peer(void **state)
{
	struct swd *s = start_both();
	int nic0 = dgram_nic("n0"), nic1 = stream_nic(s, "s1");
	u8 data[9000];
	u32 n = 0, len, sent = 3000;

	len = swd_udp(data, 300, 1, 0, 0, 1);
	stream_send(nic1, data, len);
	dgram_expect(s, nic0, data, len);
	len = swd_udp(data, 9000, 0, 1, 0, 1);
	for (u32 i = 0; i < sent; ) {
		if (send_to(nic0, "s0", data, len) > 0)
			i++;
		else
			settle(s);
	}
	settle(s);
	assert_int_equal(s->port[1].waits, 1024);
	assert_true(s->port[1].write_drops > 1000);
	for (; n + s->port[1].write_drops < sent; n++)
		stream_expect(s, nic1, data, len);
	assert_int_equal(s->port[1].waits, 0);
	settle(s);
	assert_int_equal(s->frames_out, 0);
	close(nic0);
	close(nic1);
	stop(s);
}

/* Modelled time stands still for what the process was stopped for, but for a second. */
static void nothing(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	*(u64 *)timer->arg = at_ps;
}

static void test_stopped(void **state)
{
	struct swd *s = start_both();
	u64 done_ps = 0, due_ps, began_ps = swd_clock_ps(s);
	struct swd_timer timer = { nothing, &done_ps, U64_MAX };

	due_ps = began_ps + 1000000;
	swd_timer_at(s, &timer, due_ps);
	/* It began ten seconds earlier, and has done nothing since. */
	s->clock.base_ns -= 10000000000;
	settle(s);
	assert_int_equal(done_ps, due_ps);
	assert_int_equal(s->clock.slips, 1);
	assert_true(s->clock.slipped_ns > 8900000000 && s->clock.slipped_ns < 9900000000);
	assert_true(swd_clock_ps(s) < began_ps + 1900000000000);

	/* What is stopped does not happen; what is set anew happens once. */
	done_ps = 0;
	swd_timer_at(s, &timer, s->now_ps + 1000);
	swd_timer_stop(s, &timer);
	settle(s);
	assert_int_equal(done_ps, 0);
	swd_timer_at(s, &timer, s->now_ps + 1000);
	due_ps = s->now_ps + 2000;
	swd_timer_at(s, &timer, due_ps);
	settle(s);
	assert_int_equal(done_ps, due_ps);
	stop(s);
}

/* Return: exit status of suo-switch. */
static int run_switch(const char *args)
{
	char command[256];
	int status;

	snprintf(command, sizeof(command), "build/bin/suo-switch %s 2> /dev/null", args);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* What could not be printed is no success. */
static void test_exit_status(void **state)
{
	assert_int_equal(run_switch("--print tests/data/leaf-spine.yaml > /dev/null"), 0);
	assert_int_equal(run_switch("--print tests/data/leaf-spine.yaml > /dev/full"), 1);
	assert_int_equal(run_switch("--print tests/data/no-such.yaml"), 2);
	assert_int_equal(run_switch("--fault-script /no/such tests/data/leaf-spine.yaml"), 1);
}

static int make_dir(void **state)
{
	strcpy(dir, "/tmp/swd-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	unlink(path("n0"));
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_peers_vanish),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_bad_lengths),
		cmocka_unit_test(test_left_over),
		cmocka_unit_test(test_no_files),
		cmocka_unit_test(test_in_use),
		cmocka_unit_test(test_slow_peer),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_exit_status),
	};

	return cmocka_run_group_tests_name("swd-port", tests, make_dir, remove_dir);
}
