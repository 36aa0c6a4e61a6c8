// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints of the libfabric provider by IP address and service, over loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "userspace/fabric/suo_fi.h"

struct fi_provider suo_prov = { .name = "suo" };

uint64_t suo_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

uint64_t suo_deadline(int timeout_ms)
{
	return suo_now_ns() + (uint64_t)timeout_ms * 1000000;
}

/* ::ffff:127.0.0.1, and a port that nobody has. */
static struct suo_addr free_service(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct suo_addr name = { .gid = { [10] = 0xff, 0xff, 127, 0, 0, 1 } };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	close(fd);
	name.qkey = htonl(ntohs(in.sin_port));
	return name;
}

static void names(void **state)
{
	struct suo_addr addr = { .qpn = htonl(5), .qkey = htonl(6) };

	assert_false(suo_addr_is_service(&addr));
	addr.qpn = 0;
	assert_true(suo_addr_is_service(&addr));
	addr.qkey = 0;
	assert_false(suo_addr_is_service(&addr));
}

static void send_garbage(const struct suo_addr *name)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char junk[200] = "SUO1";

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in.sin_port = htons(ntohl(name->qkey));
	for (size_t len = 0; len < sizeof(junk); len += 20)
		sendto(fd, junk, len, 0, (struct sockaddr *)&in, sizeof(in));
	close(fd);
}

static void found(void **state)
{
	struct suo_addr name = free_service(), got;
	struct suo_ep *ep = calloc(1, sizeof(*ep)), *other = calloc(1, sizeof(*other));

	ep->addr = (struct suo_addr){ .gid = { 1, 2, 3 }, .qpn = htonl(17), .qkey = htonl(99) };
	assert_int_equal(suo_service_start(ep, &name), 0);
	assert_non_null(ep->service);
	send_garbage(&name);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(suo_service_resolve(&name, &got), 0);
		assert_true(!memcmp(&got, &ep->addr, sizeof(got)));
	}
	/* The port is taken: the first one goes on. */
	assert_int_equal(suo_service_start(other, &name), 0);
	assert_null(other->service);
	suo_service_stop(other);
	assert_int_equal(suo_service_resolve(&name, &got), 0);
	assert_true(!memcmp(&got, &ep->addr, sizeof(got)));
	suo_service_stop(ep);
	assert_null(ep->service);
	/* And then it is free again. */
	assert_int_equal(suo_service_start(other, &name), 0);
	assert_non_null(other->service);
	suo_service_stop(other);
	free(ep);
	free(other);
}

/* Nobody: an error after the last try, and no hang. */
static void nobody(void **state)
{
	struct suo_addr name = free_service(), got;

	assert_int_equal(suo_service_resolve(&name, &got), -FI_EHOSTUNREACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(found),
		cmocka_unit_test(nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
