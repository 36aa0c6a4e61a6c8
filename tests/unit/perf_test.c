// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo-perf: reductions, input and answers, sizes, and what is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/coll/reduce.h"
#include "userspace/perf/data.h"
#include "userspace/perf/opts.h"
#include "userspace/perf/table.h"

#define COUNT	(2 * DATA_PERIOD + 77)

static void reduce_by_hand(void **state)
{
	float f[3] = { 1.5f, -2, 0 }, g[3] = { 0.25f, 5, -7 };
	int8_t c[2] = { 127, -128 }, d[2] = { 1, 3 };
	uint32_t u[2] = { 0, 7 }, v[2] = { UINT32_MAX, 2 };
	int64_t k[2] = { -5, INT64_MAX }, l[2] = { 4, 1 };
	double x[1] = { -3 }, y[1] = { 0.5 };

	suo_reduce(SUO_FLOAT32, SUO_SUM, f, g, 3);
	assert_true(f[0] == 1.75f && f[1] == 3 && f[2] == -7);
	suo_reduce(SUO_INT8, SUO_SUM, c, d, 2);
	assert_true(c[0] == -128 && c[1] == -125);	/* wraps around */
	suo_reduce(SUO_UINT32, SUO_MAX, u, v, 2);
	assert_true(u[0] == UINT32_MAX && u[1] == 7);
	suo_reduce(SUO_UINT32, SUO_MIN, u, v, 1);
	assert_true(u[0] == UINT32_MAX);
	suo_reduce(SUO_INT64, SUO_MIN, k, l, 2);
	assert_true(k[0] == -5 && k[1] == 1);
	suo_reduce(SUO_FLOAT64, SUO_PROD, x, y, 1);
	assert_true(x[0] == -1.5);
	suo_reduce(SUO_FLOAT64, SUO_PROD, x, y, 0);
	assert_true(x[0] == -1.5);
}

/* The answer must be what reducing the inputs gives, for all types and ops. */
static void answers(void **state)
{
	static struct data data;
	static uint8_t acc[COUNT * 8], in[COUNT * 8];

	for (int type = 0; type < SUO_NUM_DTYPES; type++) {
		for (int op = 0; op < SUO_NUM_REDOPS; op++) {
			for (uint32_t n = 1; n <= 9; n += 4) {
				data_init(&data, type, op, 0, n);
				data_fill(&data, acc, COUNT);
				for (uint32_t r = 1; r < n; r++) {
					data_init(&data, type, op, r, n);
					data_fill(&data, in, COUNT);
					suo_reduce(type, op, acc, in, COUNT);
				}
				assert_int_equal(data_check(&data, acc, COUNT), 0);
			}
		}
	}
}

/* The first sums by hand: ranks 0 and 1 have (37 j + 101 r) % 127 - 63. */
static void answers_by_hand(void **state)
{
	static struct data data;
	float sum[3];

	data_init(&data, SUO_FLOAT32, SUO_SUM, 1, 2);
	data_fill(&data, sum, 3);
	assert_true(sum[0] == 38 && sum[1] == -52 && sum[2] == -15);
	sum[0] += -63;
	sum[1] += 37 - 63;
	sum[2] += 74 - 63;
	assert_int_equal(data_check(&data, sum, 3), 0);
}

/* The checker must see every kind of fault that a collective can make. */
static void checker_sees(void **state)
{
	static struct data data;
	static float good[COUNT], bad[COUNT];

	data_init(&data, SUO_FLOAT32, SUO_SUM, 2, 4);
	for (size_t i = 0; i < COUNT; i++)
		memcpy(&good[i], data.expect + i % DATA_PERIOD * sizeof(float), sizeof(float));
	assert_int_equal(data_check(&data, good, COUNT), 0);

	memcpy(bad, good, sizeof(bad));
	bad[COUNT - 1] += 1;
	bad[0] = -bad[0] - 1;
	assert_int_equal(data_check(&data, bad, COUNT), 2);

	/* one's own input instead of the sum, all over */
	data_fill(&data, bad, COUNT);
	assert_true(data_check(&data, bad, COUNT) > COUNT / 2);

	/* two parts swapped, and a part moved by one element */
	memcpy(bad, good, sizeof(bad));
	memcpy(bad, good + 256, 256 * sizeof(float));
	memcpy(bad + 256, good, 256 * sizeof(float));
	assert_true(data_check(&data, bad, COUNT) > 256);
	memcpy(bad, good, sizeof(bad));
	memmove(bad + 1, good, 100 * sizeof(float));
	assert_true(data_check(&data, bad, COUNT) > 90);

	assert_int_equal(data_check(&data, bad, 0), 0);
}

static void sizes(void **state)
{
	static const char *const bad[] = {
		"", "K", "-1", " 1", "1x", "1KB", "1.5K", "0x10", "281474976710656",
		"999999999999999999999", "300000G",
	};
	uint64_t val;

	assert_true(opts_size("0", &val) && val == 0);
	assert_true(opts_size("1023", &val) && val == 1023);
	assert_true(opts_size("4K", &val) && val == 4096);
	assert_true(opts_size("4k", &val) && val == 4096);
	assert_true(opts_size("32M", &val) && val == 33554432);
	assert_true(opts_size("1g", &val) && val == 1073741824);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(opts_size(bad[i], &val));
}

static void next_sizes(void **state)
{
	struct opts opts = { .factor = 2 };

	assert_int_equal(opts_next_size(&opts, 1024), 2048);
	assert_int_equal(opts_next_size(&opts, 0), 1);
	opts.factor = 0;
	opts.step = 100;
	assert_int_equal(opts_next_size(&opts, 1024), 1124);
}

/* PERFORMANCE.md of nccl-tests: algbw = S / t, busbw = algbw * 2 (n - 1) / n. */
static void bandwidths(void **state)
{
	assert_true(table_algbw(1000000, 10) == 100);
	assert_true(table_busbw(1000000, 10, 8) == 175);
	assert_true(table_busbw(1000000, 10, 1) == 0);
	assert_true(table_algbw(1000000, 0) == 0);
}

static char *print(bool check, uint64_t wrong, char **csv)
{
	const struct opts opts = {
		.ranks = 8, .domain_size = 4, .provider = "suo", .min_bytes = 1024,
		.max_bytes = 1024, .factor = 2, .iters = 5, .warmup = 1, .check = check,
		.type = SUO_FLOAT32, .op = SUO_SUM,
	};
	const struct table_cell out = { 16384, wrong }, in = { 8.7625, wrong };
	size_t size, csv_size;
	struct table table;
	FILE *f, *g;
	char *text;

	f = open_memstream(&text, &size);
	g = open_memstream(csv, &csv_size);
	table_begin(&table, &opts, f, g, 1000);
	table_algorithm(&table, "ring");
	table_row(&table, "ring", 256, &out, &in);
	assert_int_equal(table_end(&table), 0);
	fclose(f);
	fclose(g);
	return text;
}

static void printed(void **state)
{
	char *csv, *text = print(true, 0, &csv);

	assert_non_null(strstr(text,
		"\n        1024           256     float     sum      -1"
		"    16384    0.00    0.00       0     8.76    0.12    0.20       0\n"));
	assert_non_null(strstr(text, "\n# Out of bounds values : 0 OK\n"));
	assert_string_equal(csv,
		"size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong\n"
		"1024,8,ring,8.762,0.117,0.205,0\n");
	free(text);
	free(csv);

	text = print(true, 3, &csv);
	assert_non_null(strstr(text, "\n# Out of bounds values : 6 FAILED\n"));
	free(text);
	free(csv);

	text = print(false, 0, &csv);
	assert_non_null(strstr(text, "     N/A\n"));
	free(text);
	free(csv);
}

static void full_disk(void **state)
{
	const struct opts opts = { .ranks = 2, .domain_size = 2, .provider = "suo", .factor = 2 };
	struct table table;
	FILE *f = fopen("/dev/full", "w"), *null = fopen("/dev/null", "w");

	assert_non_null(f);
	assert_non_null(null);
	table_begin(&table, &opts, null, f, 1);
	assert_int_equal(table_end(&table), -EIO);
	fclose(null);
	fclose(f);
}

static void names(void **state)
{
	assert_int_equal(suo_dtype_parse("float"), SUO_FLOAT32);
	assert_int_equal(suo_dtype_parse("float32"), SUO_FLOAT32);
	assert_int_equal(suo_dtype_parse("uint8"), SUO_UINT8);
	assert_int_equal(suo_dtype_parse("half"), -EINVAL);
	assert_int_equal(suo_redop_parse("max"), SUO_MAX);
	assert_int_equal(suo_redop_parse("MAX"), -EINVAL);
	for (int i = 0; i < SUO_NUM_DTYPES; i++)
		assert_int_equal(suo_dtype_parse(suo_dtype_name(i)), i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reduce_by_hand),
		cmocka_unit_test(answers),
		cmocka_unit_test(answers_by_hand),
		cmocka_unit_test(checker_sees),
		cmocka_unit_test(sizes),
		cmocka_unit_test(next_sizes),
		cmocka_unit_test(bandwidths),
		cmocka_unit_test(printed),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
