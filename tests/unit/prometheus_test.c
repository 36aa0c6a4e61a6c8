// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * suo-switch --prometheus: the metrics, with promtool as a judge that is not ours, and
 * clients of HTTP, good ones and bad ones.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/telemetry_helper.h"
#include "userspace/telemetry/metrics.h"

#define PROMTOOL	"build/tests/promtool"

static int port;
static char address[32];

/* A port that nobody has. */
static int find_port(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof(in)) ||
	    getsockname(fd, (struct sockaddr *)&in, &len))
		return -1;
	close(fd);
	port = ntohs(in.sin_port);
	snprintf(address, sizeof(address), "%d", port);
	return 0;
}

static struct swd *make_switch(void)
{
	struct swd *s = fake_switch();

	s->opts.prometheus = address;
	s->node[0].sw->port[1].count.pause_rx[3] = 1234;
	s->node[0].sw->port[1].count.marked[3] = 5;
	s->node[0].sw->port[0].queue[7].bytes_max = 8356;
	s->node[0].ifs[0].prio[3].pfc_rx_ps = 2500001000000;	/* 2.5 s and 1 us */
	s->node[0].ifs[0].prio[3].wd.stormed = true;
	s->node[0].ifs[1].in_octets = 9000;
	s->link[0].wire[0].lost = 17;
	fake_now_ps = 1500000000001;
	return s;
}

static int connect_client(void)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	return fd;
}

/* All until the end of the connection. */
static char *hear(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t len = 0, room = 1 << 20;
	char *text = malloc(room);

	assert_non_null(text);
	for (;;) {
		ssize_t n;

		assert_int_equal(poll(&p, 1, 15000), 1);
		n = recv(fd, text + len, room - len - 1, 0);
		if (n <= 0)
			break;
		len += n;
	}
	text[len] = '\0';
	close(fd);
	return text;
}

static char *get(const char *request)
{
	int fd = connect_client();

	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
			 strlen(request));
	return hear(fd);
}

static void expect(const char *request, const char *begin, const char *part)
{
	char *text = get(request);

	if (strncmp(text, begin, strlen(begin)) || !strstr(text, part))
		fail_msg("%s: %.1000s", request, text);
	free(text);
}

/* The body has the length that was said. Return: it, in text. */
static const char *body_of(const char *text)
{
	const char *body = strstr(text, "\r\n\r\n"), *len = strstr(text, "Content-Length: ");

	assert_non_null(body);
	assert_non_null(len);
	assert_int_equal(atoi(len + 16), strlen(body + 4));
	return body + 4;
}

static void test_metrics(void **state)
{
	static const char *const line[] = {
		"# TYPE suo_switch_pfc_rx_frames_total counter\n"
		"suo_switch_pfc_rx_frames_total{switch=\"leaf0\",port=\"Ethernet0\",priority=\"0\"} 0\n",
		"suo_switch_pfc_rx_frames_total{switch=\"leaf0\",port=\"Ethernet4\",priority=\"3\"} 1234\n",
		"suo_switch_ecn_marked_packets_total{switch=\"leaf0\",port=\"Ethernet4\",priority=\"3\"} 5\n",
		"# TYPE suo_switch_queue_watermark_bytes gauge\n",
		"suo_switch_queue_watermark_bytes{switch=\"leaf0\",port=\"Ethernet0\",priority=\"7\"} 8356\n",
		"suo_switch_pfc_rx_pause_seconds_total{switch=\"leaf0\",port=\"Ethernet0\",priority=\"3\"} 2.500001\n",
		"suo_switch_pfcwd_stormed{switch=\"leaf0\",port=\"Ethernet0\",priority=\"3\"} 1\n",
		"suo_switch_pfcwd_stormed{switch=\"leaf0\",port=\"Ethernet0\",priority=\"4\"} 0\n",
		"suo_switch_port_rx_bytes_total{switch=\"leaf0\",port=\"Ethernet4\"} 9000\n",
		/* 400 Gb/s */
		"suo_switch_port_speed_bytes{switch=\"leaf0\",port=\"Ethernet4\"} 50000000000\n",
		"suo_switch_link_lost_frames_total{link=\"h0:nic0-leaf0:Ethernet0\"} 17\n",
		"suo_switch_pool_size_bytes{switch=\"leaf0\"} 1000000\n",
		"suo_switch_modelled_seconds_total 1.500000000001\n",
		"suo_switch_time_scale 16\n",
		"suo_switch_info{cluster=\"fake\",balancing=\"ecmp\"} 1\n",
	};
	struct swd *s = make_switch();
	int pid = start_serving(s, swd_prometheus_start, swd_prometheus_stop);
	char *text = get("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	const char *body = body_of(text);

	assert_int_equal(strncmp(text, "HTTP/1.1 200 OK\r\n", 17), 0);
	assert_non_null(strstr(text, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		if (!strstr(body, line[i]))
			fail_msg("no %s", line[i]);
	free(text);
	stop_serving(pid);
	fake_switch_free(s);
}

static int promtool(const char *text, size_t len)
{
	FILE *tool = popen("said=$(" PROMTOOL " check metrics 2>&1) && [ -z \"$said\" ]",
			   "w");

	assert_non_null(tool);
	assert_int_equal(fwrite(text, 1, len, tool), len);
	return pclose(tool);
}

/* Nothing to find fault with: neither the format nor the names. */
static void test_promtool(void **state)
{
	struct swd *s = make_switch();
	struct suo_snapshot *snap = swd_snapshot_new(s);
	static const char bad[] = "suo_switch_a_total{x=\"1\"} 1\nsuo_switch_a_total{x=\"1} 1\n";
	char *text;
	size_t len;

	if (access(PROMTOOL, X_OK)) {
		suo_snapshot_free(snap);
		fake_switch_free(s);
		skip();
	}
	swd_snapshot_take(s, snap, 5);
	/* Names that have what is special in labels. */
	strcpy(snap->sw[0].name, "le\\af\"0");
	text = suo_metrics(snap, &len);
	assert_non_null(strstr(text, "{switch=\"le\\\\af\\\"0\","));
	assert_int_equal(len, strlen(text));
	assert_int_equal(promtool(text, len), 0);
	/* The judge can say no. */
	assert_int_not_equal(promtool(bad, strlen(bad)), 0);
	free(text);
	suo_snapshot_free(snap);
	fake_switch_free(s);
}

/* The manual has all names, and no others. */
static void test_manual(void **state)
{
	static const char path[] = "Documentation/man/suo-switch-telemetry.7.rst";
	struct swd *s = make_switch();
	struct suo_snapshot *snap = swd_snapshot_new(s);
	static char whole[65536];
	char *text, *page = whole, word[80];
	FILE *file = fopen(path, "r");
	size_t len, names = 0, lines = 0;

	assert_non_null(file);
	assert_true(fread(whole, 1, sizeof(whole) - 1, file) > 0);
	fclose(file);
	swd_snapshot_take(s, snap, 5);
	text = suo_metrics(snap, &len);
	for (char *at = text; (at = strstr(at, "# TYPE suo_switch_")); names++) {
		at += 18;
		snprintf(word, sizeof(word), "\n\t%.*s ", (int)strcspn(at, " "), at);
		if (!strstr(page, word))
			fail_msg("%s is not in %s", word + 2, path);
	}
	assert_true(names > 40);
	page = strstr(page, "and the counter above that each tells::");
	assert_non_null(page);
	for (char *at = page; (at = strstr(at, "\n\t")) && at < strstr(page, "\nEXAMPLE"); at++)
		lines++;
	assert_int_equal(lines, names);
	free(text);
	suo_snapshot_free(snap);
	fake_switch_free(s);
}

static void test_http(void **state)
{
	struct swd *s = make_switch();
	int pid = start_serving(s, swd_prometheus_start, swd_prometheus_stop), fd;
	char *text, *head;

	expect("GET /metrics?x=1 HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "suo_switch_");
	expect("GET /metrics HTTP/1.1\n\n", "HTTP/1.1 200 OK\r\n", "suo_switch_");
	expect("\r\n\r\nGET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "see /metrics");
	expect("GET /metric HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", "only /metrics");
	expect("GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.1 404 ", "");
	expect("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b",
	       "HTTP/1.1 405 Method Not Allowed\r\n", "\r\nAllow: GET, HEAD\r\n");
	expect("GET /metrics HTTP/2.0\r\n\r\n", "HTTP/1.1 505 ", "");
	expect("GET /metrics\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n", "");
	expect("\x16\x03\x01\x02 \x01\n\n", "HTTP/1.1 400 ", "");
	expect(" GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "");

	/* HEAD has the length of GET's body, and no body. */
	head = get("HEAD /metrics HTTP/1.1\r\n\r\n");
	text = get("GET /metrics HTTP/1.1\r\n\r\n");
	assert_string_equal(strstr(head, "\r\n\r\n"), "\r\n\r\n");
	assert_int_equal(strncmp(head, text, strlen(head)), 0);
	body_of(text);
	free(head);
	free(text);

	/* In pieces. */
	fd = connect_client();
	for (const char *c = "GET /metrics HTTP/1.1\r\nA: b\r\n\r\n"; *c; c++) {
		assert_int_equal(send(fd, c, 1, MSG_NOSIGNAL), 1);
		if (*c == '\n')
			usleep(5000);
	}
	text = hear(fd);
	assert_int_equal(strncmp(text, "HTTP/1.1 200 ", 13), 0);
	free(text);
	/* It ends in the middle: no answer, and nothing is held up. */
	fd = connect_client();
	assert_int_equal(send(fd, "GET /met", 8, MSG_NOSIGNAL), 8);
	shutdown(fd, SHUT_WR);
	text = hear(fd);
	assert_string_equal(text, "");
	free(text);
	stop_serving(pid);
	fake_switch_free(s);
}

static void test_bad_clients(void **state)
{
	struct swd *s = make_switch();
	int pid = start_serving(s, swd_prometheus_start, swd_prometheus_stop), fd[16];
	char *text, *big = malloc(8193);

	/* A head that has no end. */
	assert_non_null(big);
	memset(big, 'a', 8192);
	big[8192] = '\0';
	expect(big, "HTTP/1.1 431 Request Header Fields Too Large\r\n", "");
	free(big);

	/* As many as there may be, who say nothing; they are let go after five seconds. */
	for (int i = 0; i < 16; i++)
		fd[i] = connect_client();
	expect("GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 503 ", "Retry-After");
	/* One asks, and goes away without reading. */
	assert_int_equal(send(fd[0], "GET /metrics HTTP/1.1\r\n\r\n", 25, MSG_NOSIGNAL), 25);
	close(fd[0]);
	usleep(50000);
	expect("GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 ", "suo_switch_");
	text = hear(fd[1]);
	assert_string_equal(text, "");
	free(text);
	for (int i = 2; i < 16; i++)
		close(fd[i]);
	stop_serving(pid);
	fake_switch_free(s);
}

static void refused(const char *arg, int ret, const char *expected)
{
	struct swd *s = fake_switch();

	s->opts.prometheus = arg;
	*fake_said = '\0';
	assert_int_equal(swd_prometheus_start(s), ret);
	if (!strstr(fake_said, expected))
		fail_msg("'%s', expected '%s'", fake_said, expected);
	swd_prometheus_stop(s);
	fake_switch_free(s);
}

static void test_address(void **state)
{
	struct swd *s = make_switch();
	char arg[64];
	int pid;

	refused("x", -EINVAL, "'x' is not a port from 1 to 65535");
	refused("localhost:", -EINVAL, "'' is not a port");
	refused("127.0.0.1:65536", -EINVAL, "'65536' is not a port");
	refused("127.0.0.1:0", -EINVAL, "'0' is not a port");
	refused("127.0.0.300:9100", -EINVAL, "'127.0.0.300' is not an address of IP");
	refused("192.0.2.1:9100", -EADDRNOTAVAIL, "192.0.2.1:9100: Cannot assign");

	pid = start_serving(s, swd_prometheus_start, swd_prometheus_stop);
	refused(address, -EADDRINUSE, "Address already in use");
	stop_serving(pid);
	/* And again at once, at an address that is written out. */
	snprintf(arg, sizeof(arg), "127.0.0.1:%d", port);
	s->opts.prometheus = arg;
	pid = start_serving(s, swd_prometheus_start, swd_prometheus_stop);
	expect("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 ", "");
	stop_serving(pid);
	fake_switch_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_promtool),
		cmocka_unit_test(test_manual),
		cmocka_unit_test(test_http),
		cmocka_unit_test(test_bad_clients),
		cmocka_unit_test(test_address),
	};

	return cmocka_run_group_tests_name("prometheus", tests, find_port, NULL);
}
