// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The parts of the libfabric provider that need no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "userspace/fabric/addr.h"
#include "userspace/fabric/match.h"

static void addr_text(void **state)
{
	struct suo_addr addr = { .qpn = htonl(0x11), .qkey = htonl(0x7fffffff) }, back;
	char buf[SUO_ADDR_STRLEN];
	size_t len;

	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.1.2", addr.gid), 1);
	len = suo_addr_format(&addr, buf, sizeof(buf));
	assert_string_equal(buf, "fi_addr_suo://[::ffff:10.0.1.2]:0x11?qkey=0x7fffffff");
	assert_int_equal(len, strlen(buf));
	assert_int_equal(suo_addr_parse(buf, &back), 0);
	assert_true(suo_addr_equal(&addr, &back));
	assert_int_equal(suo_addr_hash(&addr), suo_addr_hash(&back));

	/* The longest text there is fits its room. */
	memset(&addr, 0xff, sizeof(addr));
	assert_true(suo_addr_format(&addr, buf, sizeof(buf)) < sizeof(buf));
	/* A short buffer is filled and terminated; the length tells. */
	assert_int_equal(suo_addr_format(&addr, buf, 5),
			 suo_addr_format(&addr, NULL, 0));
	assert_string_equal(buf, "fi_a");
}

static void addr_malformed(void **state)
{
	static const char *const bad[] = {
		"",
		"fi_addr_suo://",
		"fi_addr_suo://[::1]",
		"fi_addr_suo://[::1]:",
		"fi_addr_suo://[::1]:0x",
		"fi_addr_suo://[::1]:0x1",
		"fi_addr_suo://[::1]:0x1?qkey=",
		"fi_addr_suo://[::1]:0x1?qkey=5",
		"fi_addr_suo://[::1]:0x1?qkey=0x5 ",
		"fi_addr_suo://[::1]:0x100000000?qkey=0x5",
		"fi_addr_suo://[::1]:-0x1?qkey=0x5",
		"fi_addr_suo://[10.0.0.1]:0x1?qkey=0x5",
		"fi_addr_suo://[::1:0x1?qkey=0x5",
		"fi_addr_suo://[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb]:0x1?qkey=0x5",
		"fi_sockaddr_in://10.0.0.1:5",
	};
	struct suo_addr addr;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(suo_addr_parse(bad[i], &addr), -EINVAL);
}

static int peer_a, peer_b;

static struct suo_match_recv recv_of(const void *src, uint64_t tag, uint64_t ignore)
{
	return (struct suo_match_recv){ .src = src, .tag = tag, .ignore = ignore };
}

static void match_posted_in_order(void **state)
{
	struct suo_match_recv first = recv_of(NULL, 7, 0);
	struct suo_match_recv second = recv_of(NULL, 0, UINT64_MAX);
	struct suo_match_recv third = recv_of(NULL, 7, 0);
	struct suo_matchq q;

	suo_matchq_init(&q);
	assert_null(suo_match_post(&q, &first));
	assert_null(suo_match_post(&q, &second));
	assert_null(suo_match_post(&q, &third));
	/* The oldest that fits, wild cards among them. */
	assert_ptr_equal(suo_match_arrive(&q, &peer_a, 7), &first);
	assert_ptr_equal(suo_match_arrive(&q, &peer_a, 7), &second);
	assert_null(suo_match_arrive(&q, &peer_a, 8));
	assert_ptr_equal(suo_match_arrive(&q, &peer_a, 7), &third);
	assert_null(suo_match_arrive(&q, &peer_a, 7));
}

static void match_unexpected_in_order(void **state)
{
	struct suo_match_msg msg[3] = {
		{ .src = &peer_a, .tag = 1 },
		{ .src = &peer_b, .tag = 2 },
		{ .src = &peer_a, .tag = 2 },
	};
	struct suo_match_recv from_a = recv_of(&peer_a, 2, 0);
	struct suo_match_recv odd = recv_of(NULL, 1, ~1ull);
	struct suo_match_recv any = recv_of(NULL, 0, UINT64_MAX);
	struct suo_matchq q;

	suo_matchq_init(&q);
	for (int i = 0; i < 3; i++)
		suo_match_keep(&q, &msg[i]);
	assert_ptr_equal(suo_match_find(&q, &from_a), &msg[2]);
	assert_ptr_equal(suo_match_post(&q, &from_a), &msg[2]);
	assert_ptr_equal(suo_match_post(&q, &odd), &msg[0]);
	assert_ptr_equal(suo_match_post(&q, &any), &msg[1]);
	assert_true(suo_list_empty(&q.unexpected));
	assert_true(suo_list_empty(&q.posted));
}

static void match_directed(void **state)
{
	struct suo_match_recv from_b = recv_of(&peer_b, 5, 0);
	struct suo_matchq q;

	suo_matchq_init(&q);
	assert_null(suo_match_post(&q, &from_b));
	assert_null(suo_match_arrive(&q, &peer_a, 5));
	assert_ptr_equal(suo_match_arrive(&q, &peer_b, 5), &from_b);
}

/* A buffer for several messages stays where it is in the queue. */
static void match_kept(void **state)
{
	struct suo_match_recv several = recv_of(NULL, 0, UINT64_MAX);
	struct suo_match_recv later = recv_of(NULL, 0, UINT64_MAX);
	struct suo_matchq q;

	several.keep = true;
	suo_matchq_init(&q);
	assert_null(suo_match_post(&q, &several));
	assert_null(suo_match_post(&q, &later));
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(suo_match_arrive(&q, &peer_a, i), &several);
	suo_list_del(&several.link);
	assert_ptr_equal(suo_match_arrive(&q, &peer_a, 0), &later);
	assert_null(suo_match_arrive(&q, &peer_a, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addr_text),
		cmocka_unit_test(addr_malformed),
		cmocka_unit_test(match_posted_in_order),
		cmocka_unit_test(match_unexpected_in_order),
		cmocka_unit_test(match_directed),
		cmocka_unit_test(match_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
