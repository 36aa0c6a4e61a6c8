// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * suo-switch and suo show, as they are run: frames cross two leaves and a spine, and
 * every counter on their way has as many.
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"

#define FRAMES		200
#define LEN		1000	/* without FCS */
#define SHOW		"XDG_CACHE_HOME=$D/cache build/bin/suo show "
#define CLEAR		"XDG_CACHE_HOME=$D/cache build/bin/suo clear "
#define SOCK		" --socket $D/control"

static void in_dir(char *path, size_t size, const char *name)
{
	assert_true((size_t)snprintf(path, size, "%s/%s", get_dir(), name) < size);
}

static int bind_at(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	assert_true(fd >= 0);
	in_dir(addr.sun_path, sizeof(addr.sun_path), name);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* IPv4 with DSCP 26, which is priority 3, and ECN capable. */
static void make_frame(unsigned char *frame, unsigned char from, unsigned char to)
{
	static const unsigned char ip[20] = {
		0x45, 26 << 2 | 2, (LEN - 14) >> 8, (LEN - 14) & 0xff, 0, 0, 0, 0, 64, 17,
		0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
	};
	unsigned int sum = 0;

	memset(frame, 0, LEN);
	frame[0] = 2;
	frame[5] = to;
	frame[6] = 2;
	frame[11] = from;
	frame[12] = 8;
	memcpy(frame + 14, ip, sizeof(ip));
	for (int i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	frame[24] = sum >> 8;
	frame[25] = sum;
	/* UDP to 4791, so that it has a flow. */
	frame[34] = 0xc0;
	frame[36] = 4791 >> 8;
	frame[37] = 4791 & 0xff;
	frame[38] = (LEN - 34) >> 8;
	frame[39] = (LEN - 34) & 0xff;
}

static void send_frame(int fd, const char *to, unsigned char *frame)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	in_dir(addr.sun_path, sizeof(addr.sun_path), to);
	assert_int_equal(sendto(fd, frame, LEN, 0, (struct sockaddr *)&addr, sizeof(addr)),
			 LEN);
}

static void receive_frame(int fd)
{
	unsigned char frame[2048];
	struct pollfd p = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&p, 1, 20000), 1);
	assert_int_equal(recv(fd, frame, sizeof(frame), 0), LEN);
}

static pid_t start_switch(void)
{
	char port[2][256], control[128], series[128], cluster[128], line[256];
	const char *dir = get_dir();
	int out[2];
	pid_t pid;
	FILE *said;

	for (int e = 0; e < 2; e++)
		snprintf(port[e], sizeof(port[e]), "--port=%d=dgram:%s/in%d,%s/out%d", e, dir,
			 e, dir, e);
	snprintf(control, sizeof(control), "--control=%s/control", dir);
	snprintf(series, sizeof(series), "--series=%s/series.csv:20ms", dir);
	in_dir(cluster, sizeof(cluster), "c.yaml");
	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(out[1], 1);
		close(out[0]);
		execl("build/bin/suo-switch", "suo-switch", port[0], port[1], control,
		      series, "--time-scale=1", cluster, NULL);
		_exit(127);
	}
	close(out[1]);
	said = fdopen(out[0], "r");
	/* It says when it is ready. */
	if (!fgets(line, sizeof(line), said))
		fail_msg("suo-switch does not start");
	fclose(said);
	return pid;
}

/* What a leaf's port to a host has counted. */
static json_t *row(const char *what, const char *sw, const char *port)
{
	char command[256];
	json_t *json, *object;

	snprintf(command, sizeof(command), SHOW "%s -j --switch %s" SOCK, what, sw);
	json = get_json(command);
	object = json_object_get(json_object_get(json, sw), port);
	if (!object)
		fail_msg("%s: nothing of %s %s", what, sw, port);
	json_incref(object);
	json_decref(json);
	return object;
}

static void test_run(void **state)
{
	unsigned char there[LEN], back[LEN];
	int host[2];
	json_t *json;
	pid_t pid;
	int status;

	put_file("c.yaml", "name: two\nhosts: 2\naccelerators: 1\n"
		 "scale_up:\n  profile: nvlink4\n"
		 "scale_out:\n  profile: roce-400g\n");
	host[0] = bind_at("out0");
	host[1] = bind_at("out1");
	pid = start_switch();
	make_frame(there, 1, 2);
	make_frame(back, 2, 1);
	/* Each learns where the other is; the first one is flooded, to the same host. */
	send_frame(host[1], "in1", back);
	receive_frame(host[0]);
	for (int i = 0; i < FRAMES; i++) {
		send_frame(host[0], "in0", there);
		receive_frame(host[1]);
	}

	/* With FCS: 1004 bytes each. */
	json = row("queue counters", "leaf0", "Ethernet1");
	assert_int_equal(number(json_object_get(json, "UC3"), "totalpacket"), FRAMES);
	assert_int_equal(number(json_object_get(json, "UC3"), "totalbytes"),
			 FRAMES * (LEN + 4));
	assert_int_equal(number(json_object_get(json, "UC0"), "totalpacket"), 0);
	json_decref(json);
	json = row("interfaces counters", "leaf0", "Ethernet0");
	assert_int_equal(number(json, "RX_OK"), FRAMES);
	assert_int_equal(number(json, "TX_OK"), 1);
	assert_string_equal(json_string_value(json_object_get(json, "STATE")), "U");
	json_decref(json);
	json = row("queue watermark", "leaf0", "Ethernet1");
	assert_true(number(json, "UC3") == 0 || number(json, "UC3") >= LEN + 4);
	json_decref(json);

	/* From now on: 7 more. */
	expect(CLEAR "queue counters" SOCK, 0, "");
	for (int i = 0; i < 7; i++) {
		send_frame(host[0], "in0", there);
		receive_frame(host[1]);
	}
	expect(SHOW "queue counters -nz --switch leaf0" SOCK, 0,
	       "Ethernet1    UC3               7            7,028            0             0");
	expect(SHOW "queue counters -nz --raw --switch leaf0" SOCK, 0, " 207 ");
	expect(CLEAR "queue watermark" SOCK, 0, "");

	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	expect(SHOW "queue counters" SOCK, 1, "no such socket");
	/* What it leaves of the run says the same. */
	expect(SHOW "queue counters -nz --file $D/snapshot-last.json --baseline $D/snapshot-first.json",
	       0, "             207          207,828 ");
	expect("tail -n 1 $D/series.csv | cut -d, -f2-6", 0, "leaf0,Ethernet1,3,207,207828\n");
	expect("awk -F, 'NR > 1 { if (NF != 40 || $1 < last) exit 1; last = $1 } END { print \"whole\" }'"
	       " $D/series.csv", 0, "whole");
	close(host[0]);
	close(host[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests_name("telemetry_run", tests, make_dir, remove_dir);
}
