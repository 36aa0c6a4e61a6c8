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
#include "userspace/perf/collective.h"
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

static void reduce_all(struct data_table *t, enum suo_dtype type, enum suo_redop op,
		       uint32_t n, uint8_t *acc, bool backwards)
{
	static uint8_t in[COUNT * SUO_DTYPE_MAX_SIZE];

	data_input(t, type, op, backwards ? n - 1 : 0, n);
	data_fill(t, 0, acc, COUNT);
	for (uint32_t r = 1; r < n; r++) {
		data_input(t, type, op, backwards ? n - 1 - r : r, n);
		data_fill(t, 0, in, COUNT);
		suo_reduce(type, op, acc, in, COUNT);
	}
	suo_reduce_finish(type, op, acc, COUNT, n);
}

/*
 * The answer must be what reducing the inputs gives, for all types and ops, in
 * whatever order.
 */
static void answers(void **state)
{
	static const uint32_t ranks[] = { 1, 2, 5, 9, 64, 512 };
	static uint8_t acc[COUNT * SUO_DTYPE_MAX_SIZE];
	static struct data_table t;

	for (int type = 0; type < SUO_NUM_DTYPES; type++) {
		for (int op = 0; op < SUO_NUM_REDOPS; op++) {
			if (!suo_reduce_valid(type, op))
				continue;
			for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
				for (int back = 0; back < 2; back++) {
					reduce_all(&t, type, op, ranks[i], acc, back);
					data_reduced(&t, type, op, ranks[i]);
					if (data_check(&t, 0, acc, COUNT))
						fail_msg("%s %s of %u ranks",
							 suo_dtype_name(type),
							 suo_redop_name(op), ranks[i]);
				}
			}
		}
	}
}

/*
 * A rank that is missing, one that is counted twice (where that makes a
 * difference), and one whose data came from another: for all types and ops, and
 * up to 8 ranks, some element must show it.
 */
static void faults_show(void **state)
{
	static uint8_t acc[COUNT * SUO_DTYPE_MAX_SIZE], in[COUNT * SUO_DTYPE_MAX_SIZE];
	static struct data_table t, expect;
	const uint32_t n = 8;

	for (int type = 0; type < SUO_NUM_DTYPES; type++)
	for (int op = 0; op < SUO_NUM_REDOPS; op++)
	for (uint32_t bad = 0; bad < n; bad++)
	for (int fault = 0; fault < 3; fault++) {
		bool twice_is_once = op == SUO_MIN || op == SUO_MAX || op == SUO_LOR ||
				     op == SUO_LAND || op == SUO_BOR || op == SUO_BAND;
		bool first = true;

		if (!suo_reduce_valid(type, op) || (fault == 1 && twice_is_once))
			continue;
		for (uint32_t r = 0; r < n; r++) {
			if (fault == 0 && r == bad)
				continue;
			data_input(&t, type, op, fault == 2 && r == bad ? (r + 1) % n : r, n);
			for (int times = 0; times < 1 + (fault == 1 && r == bad); times++) {
				data_fill(&t, 0, first ? acc : in, COUNT);
				if (!first)
					suo_reduce(type, op, acc, in, COUNT);
				first = false;
			}
		}
		suo_reduce_finish(type, op, acc, COUNT, n);
		data_reduced(&expect, type, op, n);
		if (!data_check(&expect, 0, acc, COUNT))
			fail_msg("%s %s: fault %d of rank %u goes unseen", suo_dtype_name(type),
				 suo_redop_name(op), fault, bad);
	}
}

/* A sum of two ranks by hand. */
static void answers_by_hand(void **state)
{
	static struct data_table t;
	float a[5], b[5], sum[5];

	data_input(&t, SUO_FLOAT32, SUO_SUM, 0, 2);
	data_fill(&t, DATA_PERIOD - 2, a, 5);
	data_input(&t, SUO_FLOAT32, SUO_SUM, 1, 2);
	data_fill(&t, DATA_PERIOD - 2, b, 5);
	for (int i = 0; i < 5; i++) {
		assert_true(a[i] >= -63 && a[i] <= 63);
		sum[i] = a[i] + b[i];
	}
	data_reduced(&t, SUO_FLOAT32, SUO_SUM, 2);
	assert_int_equal(data_check(&t, DATA_PERIOD - 2, sum, 5), 0);
	assert_int_equal(data_check(&t, 2 * DATA_PERIOD - 2, sum, 5), 0);
	sum[3] += 1;
	assert_int_equal(data_check(&t, DATA_PERIOD - 2, sum, 5), 1);
}

/* The checker must see every kind of fault that a collective can make. */
static void checker_sees(void **state)
{
	static struct data_table t, own;
	static float good[COUNT], bad[COUNT];

	data_reduced(&t, SUO_FLOAT32, SUO_SUM, 4);
	data_fill(&t, 0, good, COUNT);
	assert_int_equal(data_check(&t, 0, good, COUNT), 0);

	memcpy(bad, good, sizeof(bad));
	bad[COUNT - 1] += 1;
	bad[0] = -bad[0] - 1;
	assert_int_equal(data_check(&t, 0, bad, COUNT), 2);

	/* one's own input instead of the sum, all over */
	data_input(&own, SUO_FLOAT32, SUO_SUM, 2, 4);
	data_fill(&own, 0, bad, COUNT);
	assert_true(data_check(&t, 0, bad, COUNT) > COUNT / 2);

	/* two parts swapped, and a part moved by one element */
	memcpy(bad, good, sizeof(bad));
	memcpy(bad, good + 256, 256 * sizeof(float));
	memcpy(bad + 256, good, 256 * sizeof(float));
	assert_true(data_check(&t, 0, bad, COUNT) > 256);
	memcpy(bad, good, sizeof(bad));
	memmove(bad + 1, good, 100 * sizeof(float));
	assert_true(data_check(&t, 0, bad, COUNT) > 90);

	assert_int_equal(data_check(&t, 0, bad, 0), 0);
}

/*
 * What each collective takes and gives, at 3 ranks, 12 bytes and 2 bytes an
 * element: by the definitions of nccl-tests.
 */
static void shares(void **state)
{
	static const struct {
		enum collective	coll;
		uint64_t	count, in, out, root_in, root_out;
		double		bus;
	} want[] = {
		{ COLL_ALLREDUCE, 6, 6, 6, 6, 6, 4. / 3 },
		{ COLL_REDUCE_SCATTER, 2, 6, 2, 6, 2, 2. / 3 },
		{ COLL_ALL_GATHER, 2, 2, 6, 2, 6, 2. / 3 },
		{ COLL_ALLTOALL, 2, 6, 6, 6, 6, 2. / 3 },
		{ COLL_BROADCAST, 6, 0, 6, 6, 6, 1 },
		{ COLL_REDUCE, 6, 6, 0, 6, 6, 1 },
		{ COLL_GATHER, 2, 2, 0, 2, 6, 2. / 3 },
		{ COLL_SCATTER, 2, 0, 2, 6, 2, 2. / 3 },
		{ COLL_SENDRECV, 6, 6, 6, 6, 6, 1 },
	};

	assert_int_equal(sizeof(want) / sizeof(want[0]), NUM_COLLECTIVES);
	for (int i = 0; i < NUM_COLLECTIVES; i++) {
		struct collective_case c = {
			.coll = want[i].coll, .nranks = 3, .rank = 1, .root = 2,
			.type = SUO_INT16,
			.count = collective_count(want[i].coll, 13, 2, 3),
		};

		assert_int_equal(c.count, want[i].count);
		assert_int_equal(collective_in(&c), want[i].in);
		assert_int_equal(collective_out(&c), want[i].out);
		c.root = 1;
		assert_int_equal(collective_in(&c), want[i].root_in);
		assert_int_equal(collective_out(&c), want[i].root_out);
		assert_true(collective_bus_factor(c.coll, 3) == want[i].bus);
		assert_int_equal(collective_parse(collective_name(c.coll)), c.coll);
	}
	assert_int_equal(collective_parse("all_reduce"), COLL_ALLREDUCE);
	assert_int_equal(collective_parse("barrier"), -EINVAL);
}

/*
 * Collectives done by hand on the inputs of 3 ranks, element by element; then
 * with one element taken from where it does not belong.
 */
static void checks_of_collectives(void **state)
{
	enum { N = 3, C = 400 };
	static int32_t in[N][N * C], out[N * C];

	for (int coll = 0; coll < NUM_COLLECTIVES; coll++) {
		struct collective_case c = {
			.coll = coll, .nranks = N, .root = 1, .type = SUO_INT32, .count = C,
		};

		for (c.rank = 0; c.rank < N; c.rank++)
			collective_fill(&c, in[c.rank]);
		for (c.rank = 0; c.rank < N; c.rank++) {
			uint64_t n = collective_out(&c);

			for (uint64_t i = 0; i < n; i++) {
				uint64_t block = i / C, j = i % C;
				int32_t sum = in[0][i] + in[1][i] + in[2][i];

				switch (coll) {
				case COLL_ALLREDUCE:
				case COLL_REDUCE:
					out[i] = sum;
					break;
				case COLL_REDUCE_SCATTER:
					i += c.rank * C;
					out[j] = in[0][i] + in[1][i] + in[2][i];
					i -= c.rank * C;
					break;
				case COLL_ALL_GATHER:
				case COLL_GATHER:
					out[i] = in[block][j];
					break;
				case COLL_ALLTOALL:
					out[i] = in[block][c.rank * C + j];
					break;
				case COLL_BROADCAST:
					out[i] = in[1][i];
					break;
				case COLL_SCATTER:
					out[i] = in[1][c.rank * C + i];
					break;
				default:
					out[i] = in[(c.rank + 2) % N][i];
					break;
				}
			}
			assert_int_equal(collective_check(&c, out), 0);
			if (!n)
				continue;
			out[n / 2] ^= 1;
			assert_int_equal(collective_check(&c, out), 1);
		}
	}
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

static void bandwidths(void **state)
{
	assert_true(table_algbw(1000000, 10) == 100);
	assert_true(table_algbw(1000000, 0) == 0);
	/* PERFORMANCE.md of nccl-tests */
	assert_true(collective_bus_factor(COLL_ALLREDUCE, 8) == 1.75);
	assert_true(collective_bus_factor(COLL_ALLREDUCE, 1) == 0);
	assert_true(collective_bus_factor(COLL_ALL_GATHER, 8) == 0.875);
	assert_true(collective_bus_factor(COLL_REDUCE, 8) == 1);
}

static char *print(struct collective_case *c, bool check, uint64_t wrong, char **csv, char **json)
{
	const struct opts opts = {
		.ranks = 8, .domain_size = 4, .provider = "suo", .min_bytes = 1024,
		.max_bytes = 1024, .factor = 2, .iters = 5, .warmup = 1, .check = check,
		.json = "x",
	};
	const struct table_cell out = { 16384, wrong, true };
	const struct table_cell in = { 8.7625, wrong, collective_in_place(c->coll) };
	size_t size, csv_size, json_size;
	FILE *f, *g, *h;
	struct table table;
	char *text;

	f = open_memstream(&text, &size);
	g = open_memstream(csv, &csv_size);
	h = open_memstream(json, &json_size);
	table_begin(&table, &opts, f, g, 1000);
	table_head(&table, c->coll, "ring");
	table_row(&table, "ring", c, &out, &in);
	assert_int_equal(table_end(&table, h), 0);
	fclose(f);
	fclose(g);
	fclose(h);
	return text;
}

static void printed(void **state)
{
	struct collective_case c = {
		.coll = COLL_ALLREDUCE, .type = SUO_FLOAT32, .nranks = 8, .count = 256,
	};
	char *csv, *json, *text = print(&c, true, 0, &csv, &json);

	assert_non_null(strstr(text,
		"\n        1024           256     float     sum      -1"
		"    16384    0.00    0.00       0     8.76    0.12    0.20       0\n"));
	assert_non_null(strstr(text, "\n# Out of bounds values : 0 OK\n"));
	assert_string_equal(csv,
		"size_bytes,ranks,algorithm,time_us,algbw_GBps,busbw_GBps,wrong\n"
		"1024,8,ring,8.762,0.117,0.205,0\n");
	assert_non_null(strstr(json, "\"collective\": \"allreduce\""));
	assert_non_null(strstr(json, "\"time_us\": 8.7625"));
	assert_non_null(strstr(json, "\"wrong\": 0"));
	free(text);
	free(csv);
	free(json);

	text = print(&c, true, 3, &csv, &json);
	assert_non_null(strstr(text, "\n# Out of bounds values : 6 FAILED\n"));
	free(text);
	free(csv);
	free(json);

	/* 256 elements to each of 8 ranks: a size of 8192 bytes; not in place */
	c.coll = COLL_ALLTOALL;
	text = print(&c, false, 0, &csv, &json);
	assert_non_null(strstr(text,
		"\n        8192           256     float    none      -1"
		"    16384    0.00    0.00     N/A      N/A     N/A     N/A     N/A\n"));
	assert_non_null(strstr(json, "\"in_place\": null"));
	free(text);
	free(csv);
	free(json);

	c.coll = COLL_REDUCE;
	c.root = 5;
	c.op = SUO_MAX;
	text = print(&c, true, 0, &csv, &json);
	assert_non_null(strstr(text, "\n        1024           256     float     max       5"));
	free(text);
	free(csv);
	free(json);
}

static void full_disk(void **state)
{
	const struct opts opts = { .ranks = 2, .domain_size = 2, .provider = "suo", .factor = 2 };
	struct table table;
	FILE *f = fopen("/dev/full", "w"), *null = fopen("/dev/null", "w");

	assert_non_null(f);
	assert_non_null(null);
	table_begin(&table, &opts, null, f, 1);
	assert_int_equal(table_end(&table, NULL), -EIO);
	fclose(null);
	fclose(f);
}

static void names(void **state)
{
	assert_int_equal(suo_dtype_parse("float"), SUO_FLOAT32);
	assert_int_equal(suo_dtype_parse("float32"), SUO_FLOAT32);
	assert_int_equal(suo_dtype_parse("uint8"), SUO_UINT8);
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
		cmocka_unit_test(faults_show),
		cmocka_unit_test(shares),
		cmocka_unit_test(checks_of_collectives),
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
