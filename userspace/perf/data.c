// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "userspace/coll/half.h"
#include "userspace/perf/data.h"

/* An element before it gets its type: an integer, or a complex number. */
struct number {
	__int128	i;
	long double	re;
	long double	im;
};

/* Different and without pattern for each rank and element: splitmix64. */
static uint64_t hash(uint32_t rank, uint32_t j)
{
	uint64_t x = ((uint64_t)rank << 32 | j) + 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Whole numbers up to here are exact. */
static uint32_t exact_limit(enum suo_dtype type)
{
	switch (type) {
	case SUO_FLOAT16:
		return 1 << 11;
	case SUO_BFLOAT16:
		return 1 << 8;
	default:
		return 1 << 24;
	}
}

/* A summand: small enough that the sum of all ranks' is exact. */
static int64_t summand(enum suo_dtype type, uint32_t nranks, uint32_t rank, uint32_t j,
		       uint64_t h)
{
	uint32_t limit = exact_limit(type), range = limit / nranks, some;

	if (range > 63)
		range = 63;
	if (!range) {
		/* Only so many ranks at a time have something to add. */
		some = (nranks + limit - 1) / limit;
		if ((rank + j) % some)
			return 0;
		range = 1;
	}
	return (int64_t)(h % (2 * range + 1)) - range;
}

/* A factor: a power of two, and few of them, so that nothing overflows. */
static long double factor(enum suo_dtype type, uint32_t rank, uint64_t h)
{
	static const long double some[] = { 1, -1, 2, -2, 0.5L, -0.5L };
	uint32_t limit = type == SUO_FLOAT16 ? 14 : 126;

	return some[h % (rank < limit ? 6 : 2)];
}

static __int128 integer(enum suo_dtype type, enum suo_redop op, uint32_t nranks,
			uint64_t h)
{
	unsigned int bit = h % (8 * suo_dtype_size(type));

	switch (op) {
	case SUO_PROD:
		/* odd: modulo a power of two, none of them hides another */
		return h % 4 * 2 + 1;
	case SUO_LOR:
		return !(h % nranks) * (1 + h / nranks % 3);
	case SUO_LAND:
		return !!(h % nranks) * (1 + h / nranks % 3);
	case SUO_LXOR:
		return h % 2 * (1 + h / 2 % 3);
	case SUO_BOR:
		return (unsigned __int128)1 << bit;
	case SUO_BAND:
		return ~((unsigned __int128)1 << bit);
	case SUO_BXOR:
		return h;
	default:
		return (int64_t)(h % 127) - (suo_dtype_is_unsigned(type) ? 0 : 63);
	}
}

static long double real(enum suo_dtype type, enum suo_redop op, uint32_t nranks,
			uint32_t rank, uint32_t j, uint64_t h)
{
	switch (op) {
	case SUO_SUM:
	case SUO_AVG:
		return summand(type, nranks, rank, j, h);
	case SUO_PROD:
		return factor(type, rank, h);
	default:
		return integer(SUO_INT8, op, nranks, h);
	}
}

static struct number number(enum suo_dtype type, enum suo_redop op, uint32_t rank,
			    uint32_t nranks, uint32_t j)
{
	uint64_t h = hash(rank, j);
	struct number n = { 0 };

	if (!suo_dtype_is_float(type)) {
		n.i = integer(type, op, nranks, h);
	} else if (!suo_dtype_is_complex(type)) {
		n.re = real(type, op, nranks, rank, j, h);
	} else if (op == SUO_PROD) {
		/* a unit: 1, i, -1 or -i */
		n.re = h % 2 ? 0 : 1 - (int)(h & 2);
		n.im = h % 2 ? 1 - (int)(h & 2) : 0;
	} else {
		n.re = real(type, op, nranks, rank, j, h);
		if (op == SUO_SUM || op == SUO_AVG)
			n.im = real(type, op, nranks, rank, j, hash(rank, j + DATA_PERIOD));
	}
	return n;
}

static void store(enum suo_dtype type, uint8_t *to, const struct number *n)
{
	size_t size = suo_dtype_size(type);
	float f[2] = { n->re, n->im };
	double d[2] = { n->re, n->im };
	uint16_t h;

	switch (type) {
	case SUO_FLOAT16:
		h = float_to_half(f[0]);
		memcpy(to, &h, sizeof(h));
		break;
	case SUO_BFLOAT16:
		h = float_to_bfloat(f[0]);
		memcpy(to, &h, sizeof(h));
		break;
	case SUO_FLOAT32:
	case SUO_COMPLEX64:
		memcpy(to, f, size);
		break;
	case SUO_FLOAT64:
	case SUO_COMPLEX128:
		memcpy(to, d, size);
		break;
	case SUO_LONG_DOUBLE:
	case SUO_COMPLEX_LONG:
		/* The padding of a long double is not a part of it. */
		memset(to, 0, size);
		memcpy(to, &n->re, 10);
		if (type == SUO_COMPLEX_LONG)
			memcpy(to + sizeof(long double), &n->im, 10);
		break;
	default:
		/* Integers are cut to their size: the reduction wraps around. */
		memcpy(to, &n->i, size);
		break;
	}
}

static __int128 combine_int(enum suo_redop op, __int128 a, __int128 b)
{
	switch (op) {
	case SUO_SUM:
	case SUO_AVG:
		return (__int128)((unsigned __int128)a + (unsigned __int128)b);
	case SUO_PROD:
		return (__int128)((unsigned __int128)a * (unsigned __int128)b);
	case SUO_MIN:
		return a < b ? a : b;
	case SUO_MAX:
		return a > b ? a : b;
	case SUO_LOR:
		return a || b;
	case SUO_LAND:
		return a && b;
	case SUO_LXOR:
		return !a != !b;
	case SUO_BOR:
		return a | b;
	case SUO_BAND:
		return a & b;
	default:
		return a ^ b;
	}
}

static void combine_float(enum suo_redop op, struct number *a, const struct number *b)
{
	long double re = a->re;
	bool has_a = a->re != 0 || a->im != 0, has_b = b->re != 0 || b->im != 0;

	switch (op) {
	case SUO_SUM:
	case SUO_AVG:
		a->re += b->re;
		a->im += b->im;
		return;
	case SUO_PROD:
		a->re = re * b->re - a->im * b->im;
		a->im = re * b->im + a->im * b->re;
		return;
	case SUO_MIN:
		a->re = fminl(a->re, b->re);
		return;
	case SUO_MAX:
		a->re = fmaxl(a->re, b->re);
		return;
	case SUO_LOR:
		a->re = has_a || has_b;
		break;
	case SUO_LAND:
		a->re = has_a && has_b;
		break;
	default:
		a->re = has_a != has_b;
		break;
	}
	a->im = 0;
}

/* What an integer is when it has been cut to its size. */
static __int128 wrapped(enum suo_dtype type, __int128 i)
{
	unsigned int shift = 128 - 8 * suo_dtype_size(type);

	if (suo_dtype_is_unsigned(type))
		return (__int128)((unsigned __int128)i << shift >> shift);
	return (__int128)((unsigned __int128)i << shift) >> shift;
}

static void finish(enum suo_dtype type, enum suo_redop op, struct number *n,
		   uint32_t nranks)
{
	if (op != SUO_AVG)
		return;
	n->re /= nranks;
	n->im /= nranks;
	n->i = wrapped(type, n->i);
	if (type == SUO_UINT128)
		n->i = (__int128)((unsigned __int128)n->i / nranks);
	else
		n->i /= nranks;
}

/* What all ranks' elements number j reduce to. */
static struct number reduced(enum suo_dtype type, enum suo_redop op, uint32_t nranks,
			     uint32_t j)
{
	struct number n = number(type, op, 0, nranks, j);

	for (uint32_t r = 1; r < nranks; r++) {
		struct number other = number(type, op, r, nranks, j);

		if (suo_dtype_is_float(type))
			combine_float(op, &n, &other);
		else
			n.i = combine_int(op, n.i, other.i);
	}
	finish(type, op, &n, nranks);
	return n;
}

static void draw(struct data_table *table, uint32_t j)
{
	struct number n;

	if (table->drawn[j])
		return;
	table->drawn[j] = true;
	table->ndrawn++;
	if (table->rank == DATA_REDUCED)
		n = reduced(table->type, table->op, table->nranks, j);
	else
		n = number(table->type, table->op, table->rank, table->nranks, j);
	store(table->type, table->elem + j * table->size, &n);
}

void data_input(struct data_table *table, enum suo_dtype type, enum suo_redop op,
		uint32_t rank, uint32_t nranks)
{
	if (table->type == type && table->op == op && table->rank == rank &&
	    table->nranks == nranks)
		return;
	table->type = type;
	table->op = op;
	table->rank = rank;
	table->nranks = nranks;
	table->size = suo_dtype_size(type);
	memset(table->drawn, 0, sizeof(table->drawn));
	table->ndrawn = 0;
}

void data_reduced(struct data_table *table, enum suo_dtype type, enum suo_redop op,
		  uint32_t nranks)
{
	data_input(table, type, op, DATA_REDUCED, nranks);
}

/* Calls go in pieces that do not wrap around in the table. */
static size_t piece(struct data_table *table, uint64_t first, size_t count,
		    const uint8_t **from)
{
	uint32_t j = first % DATA_PERIOD;

	if (count > DATA_PERIOD - j)
		count = DATA_PERIOD - j;
	for (uint32_t i = j; i < j + count && table->ndrawn < DATA_PERIOD; i++)
		draw(table, i);
	*from = table->elem + j * table->size;
	return count;
}

void data_fill(struct data_table *table, uint64_t first, void *vector, size_t count)
{
	uint8_t *to = vector;
	const uint8_t *from;

	while (count) {
		size_t n = piece(table, first, count, &from);

		memcpy(to, from, n * table->size);
		to += n * table->size;
		first += n;
		count -= n;
	}
}

/* A complex product may have -0 where another order of its factors has +0. */
static bool same(const struct data_table *table, const uint8_t *a, const uint8_t *b)
{
	float _Complex f[2];
	double _Complex d[2];
	long double _Complex l[2];

	if (!memcmp(a, b, table->size))
		return true;
	switch (table->type) {
	case SUO_COMPLEX64:
		memcpy(&f[0], a, sizeof(f[0]));
		memcpy(&f[1], b, sizeof(f[1]));
		return f[0] == f[1];
	case SUO_COMPLEX128:
		memcpy(&d[0], a, sizeof(d[0]));
		memcpy(&d[1], b, sizeof(d[1]));
		return d[0] == d[1];
	case SUO_COMPLEX_LONG:
		memcpy(&l[0], a, sizeof(l[0]));
		memcpy(&l[1], b, sizeof(l[1]));
		return l[0] == l[1];
	default:
		return false;
	}
}

uint64_t data_check(struct data_table *table, uint64_t first, const void *vector,
		    size_t count)
{
	const uint8_t *at = vector, *from;
	uint64_t wrong = 0;

	while (count) {
		size_t n = piece(table, first, count, &from);

		if (memcmp(at, from, n * table->size))
			for (size_t i = 0; i < n; i++)
				wrong += !same(table, at + i * table->size, from + i * table->size);
		at += n * table->size;
		first += n;
		count -= n;
	}
	return wrong;
}
