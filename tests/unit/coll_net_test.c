// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The cluster's figures, as the provider's collectives read and use them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/fabric/coll_net.h"

static char path[] = "/tmp/coll_net_test.XXXXXX";

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static const char cluster[] =
	"SUO_NAME='x'\n"
	"SUO_HOSTS='2'\n"
	"SUO_ACCELS='4'\n"
	"SUO_UP_RATE_MBPS='3600000'\n"
	"SUO_UP_ENDPOINT_PS='500000'\n"
	"SUO_UP_STAGES='1'\n"
	"SUO_UP_HEADER_BYTES='16'\n"
	"SUO_OUT_RATE_MBPS='400000'\n"
	"SUO_OUT_LATENCY_PS='2000000'\n"
	"SUO_OUT_MTU_BYTES='1024'\n";

static void reads_a_file(void **state)
{
	struct suo_coll_net net;

	write_file(cluster);
	assert_int_equal(suo_coll_net_read("nosuchdevice", path, &net), 0);
	assert_int_equal(net.domain_size, 4);
	assert_int_equal(net.figure[SUO_COLL_UP_rate_mbps], 3600000);
	assert_int_equal(net.figure[SUO_COLL_UP_endpoint_ps], 500000);
	assert_int_equal(net.figure[SUO_COLL_UP_stages], 1);
	assert_int_equal(net.figure[SUO_COLL_UP_header_bytes], 16);
	assert_int_equal(net.figure[SUO_COLL_UP_flit_bytes], 0);
	assert_int_equal(net.figure[SUO_COLL_OUT_RATE_MBPS], 400000);
	assert_int_equal(net.figure[SUO_COLL_OUT_LATENCY_PS], 2000000);
	assert_int_equal(net.figure[SUO_COLL_OUT_MTU_BYTES], 1024);
	/* 400 Gb/s for 2 us are 100000 bytes; 2 us outside, for 8 ranks in fours */
	assert_int_equal(suo_coll_chunk_len(&net, 8, 4), 25000);
}

static void refuses_other_files(void **state)
{
	struct suo_coll_net net;

	assert_int_equal(suo_coll_net_read("nosuchdevice", "/nonexistent/file", &net), -EINVAL);
	assert_int_equal(net.domain_size, 0);
	write_file("name: 2x4\nhosts: 2\naccelerators: 4\n");
	assert_int_equal(suo_coll_net_read("nosuchdevice", path, &net), -EINVAL);
	assert_int_equal(net.domain_size, 0);
	write_file("SUO_ACCELS='x'\nSUO_ACCELS=4\n");
	assert_int_equal(suo_coll_net_read("nosuchdevice", path, &net), -EINVAL);
}

static void no_domain(void **state)
{
	assert_int_equal(suo_coll_domain_id("nosuchdevice"), 0);
}

/* The chooser's name can be made, whatever is known of the cluster. */
static void choices_can_be_made(void **state)
{
	struct suo_coll_net net[2] = { { .domain_size = 4 } };

	write_file(cluster);
	assert_int_equal(suo_coll_net_read("nosuchdevice", path, &net[1]), 0);
	for (int k = 0; k < 2; k++) {
		struct suo_chooser *chooser;

		assert_int_equal(suo_coll_chooser(&net[k], 8, &chooser), 0);
		for (int coll = 0; coll < SUO_NUM_COLLS; coll++) {
			for (uint64_t bytes = 8; bytes <= 1 << 24; bytes *= 64) {
				const struct suo_plan_shape shape = {
					.nranks = 8, .domain_size = 4,
					.count = coll == SUO_COLL_BARRIER ? 0 : bytes,
				};
				char name[SUO_PLAN_NAME_SIZE];
				struct suo_plan *plan;

				assert_int_equal(suo_coll_pick(chooser, coll, shape.count, name), 0);
				assert_int_equal(suo_plan_make(coll, name, &shape, &plan), 0);
				/* nothing that needs a window */
				assert_false(plan->uses & (1u << SUO_PLAN_MCAST_WRITE |
							   1u << SUO_PLAN_REDUCED_READ));
				suo_plan_free(plan);
			}
		}
		suo_coll_chooser_free(chooser);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_file),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(no_domain),
		cmocka_unit_test(choices_can_be_made),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
