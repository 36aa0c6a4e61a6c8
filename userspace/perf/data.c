// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <string.h>

#include "userspace/perf/data.h"

static bool is_float(enum suo_dtype type)
{
	return type == SUO_FLOAT32 || type == SUO_FLOAT64;
}

static bool is_unsigned(enum suo_dtype type)
{
	return type == SUO_UINT8 || type == SUO_UINT32 || type == SUO_UINT64;
}

/* Element j of a rank. */
static int64_t value(enum suo_dtype type, enum suo_redop op, uint32_t rank, uint32_t j)
{
	int64_t v;

	if (op == SUO_PROD) {
		/* Few factors of 2: the product stays far from overflow. */
		if ((j + rank) % 5 == 0)
			return 2;
		return (j + rank) % 2 && !is_unsigned(type) ? -1 : 1;
	}
	v = (j * 37 + rank * 101) % 127;
	return is_unsigned(type) ? v : v - 63;
}

static void store(enum suo_dtype type, uint8_t *to, int64_t i, double d)
{
	float f = d;

	/* Integers are cut to their size: the reduction wraps around. */
	switch (type) {
	case SUO_FLOAT32:
		memcpy(to, &f, sizeof(f));
		break;
	case SUO_FLOAT64:
		memcpy(to, &d, sizeof(d));
		break;
	case SUO_INT64:
	case SUO_UINT64:
		memcpy(to, &i, 8);
		break;
	case SUO_INT32:
	case SUO_UINT32:
		memcpy(to, &(int32_t){ i }, 4);
		break;
	default:
		memcpy(to, &(int8_t){ i }, 1);
		break;
	}
}

/* The answer, by a wider type than the benchmark's. */
static void expect(enum suo_dtype type, enum suo_redop op, uint32_t nranks, uint32_t j,
		   uint8_t *to)
{
	int64_t acc = value(type, op, 0, j);
	double dacc = acc;

	for (uint32_t r = 1; r < nranks; r++) {
		int64_t v = value(type, op, r, j);

		switch (op) {
		case SUO_SUM:
			acc += v;
			dacc += v;
			break;
		case SUO_PROD:
			acc = (int64_t)((uint64_t)acc * (uint64_t)v);
			dacc *= v;
			break;
		case SUO_MIN:
			acc = v < acc ? v : acc;
			dacc = acc;
			break;
		default:
			acc = v > acc ? v : acc;
			dacc = acc;
			break;
		}
	}
	store(type, to, acc, is_float(type) ? dacc : 0);
}

void data_init(struct data *data, enum suo_dtype type, enum suo_redop op,
	       uint32_t rank, uint32_t nranks)
{
	data->size = suo_dtype_size(type);
	for (uint32_t j = 0; j < DATA_PERIOD; j++) {
		int64_t v = value(type, op, rank, j);

		store(type, data->input + j * data->size, v, v);
		expect(type, op, nranks, j, data->expect + j * data->size);
	}
}

void data_fill(const struct data *data, void *vector, size_t count)
{
	uint8_t *to = vector;

	while (count) {
		size_t n = count < DATA_PERIOD ? count : DATA_PERIOD;

		memcpy(to, data->input, n * data->size);
		to += n * data->size;
		count -= n;
	}
}

uint64_t data_check(const struct data *data, const void *vector, size_t count)
{
	const uint8_t *at = vector;
	uint64_t wrong = 0;

	while (count) {
		size_t n = count < DATA_PERIOD ? count : DATA_PERIOD;

		if (memcmp(at, data->expect, n * data->size))
			for (size_t i = 0; i < n; i++)
				wrong += !!memcmp(at + i * data->size,
						  data->expect + i * data->size, data->size);
		at += n * data->size;
		count -= n;
	}
	return wrong;
}
