// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/cluster_helper.h"

struct suo_cluster *parse(const char *text)
{
	struct suo_cluster *cluster = NULL;
	char *errors = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&errors, &size);
	int ret = suo_cluster_parse("c.yaml", text, strlen(text), out, &cluster);

	fclose(out);
	if (ret)
		fail_msg("%s%s", text, errors);
	assert_int_equal(size, 0);
	free(errors);
	return cluster;
}

void refuse_bytes(const char *text, size_t len, const char *message)
{
	struct suo_cluster *cluster = NULL;
	char *errors = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&errors, &size);
	int ret = suo_cluster_parse("c.yaml", text, len, out, &cluster);

	fclose(out);
	assert_int_equal(ret, -EINVAL);
	assert_null(cluster);
	assert_string_equal(errors, message);
	free(errors);
	assert_int_equal(suo_cluster_parse("c.yaml", text, len, NULL, &cluster),
			 -EINVAL);
}

void refuse(const char *text, const char *message)
{
	refuse_bytes(text, strlen(text), message);
}
