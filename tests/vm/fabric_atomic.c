// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Atomic operations of the suo provider between two processes: each type with each
 * operation, contention, order, refusals.
 *
 * Usage: fabric_atomic RANK DEVICE RENDEZVOUS
 */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fi_atomic.h>

#include "tests/vm/fabric_ends.h"

#define COUNT	3

__extension__ typedef __int128 int128;

static int ctx[4];

/* Small numbers, which each type holds exactly. */
static void put(enum fi_datatype type, uint8_t *mem, int at, int val)
{
	switch (type) {
#define PUT(id, t)	case id: { t v = val; memcpy(mem + at * sizeof(v), &v, sizeof(v)); break; }
	PUT(FI_INT8, int8_t)
	PUT(FI_UINT8, uint8_t)
	PUT(FI_INT16, int16_t)
	PUT(FI_UINT16, uint16_t)
	PUT(FI_INT32, int32_t)
	PUT(FI_UINT32, uint32_t)
	PUT(FI_INT64, int64_t)
	PUT(FI_UINT64, uint64_t)
	PUT(FI_INT128, int128)
	PUT(FI_UINT128, int128)
	PUT(FI_FLOAT, float)
	PUT(FI_DOUBLE, double)
	PUT(FI_LONG_DOUBLE, long double)
	PUT(FI_FLOAT_COMPLEX, float complex)
	PUT(FI_DOUBLE_COMPLEX, double complex)
	PUT(FI_LONG_DOUBLE_COMPLEX, long double complex)
	default:
		abort();
	}
}

static int get(enum fi_datatype type, const uint8_t *mem, int at)
{
	switch (type) {
#define GET(id, t)	case id: { t v; memcpy(&v, mem + at * sizeof(v), sizeof(v)); return (int)v; }
	GET(FI_INT8, int8_t)
	GET(FI_UINT8, uint8_t)
	GET(FI_INT16, int16_t)
	GET(FI_UINT16, uint16_t)
	GET(FI_INT32, int32_t)
	GET(FI_UINT32, uint32_t)
	GET(FI_INT64, int64_t)
	GET(FI_UINT64, uint64_t)
	GET(FI_INT128, int128)
	GET(FI_UINT128, int128)
	GET(FI_FLOAT, float)
	GET(FI_DOUBLE, double)
	GET(FI_LONG_DOUBLE, long double)
	GET(FI_FLOAT_COMPLEX, float complex)
	GET(FI_DOUBLE_COMPLEX, double complex)
	GET(FI_LONG_DOUBLE_COMPLEX, long double complex)
	default:
		abort();
	}
}

/* 3 stands there, 2 comes, 5 is compared with: what follows by fi_atomic(3). */
struct row {
	enum fi_op	op;
	int		want;
	bool		reals;		/* there for real types, too */
	bool		complexes;	/* there for complex ones */
};

static const struct row plain[] = {
	{ FI_MIN, 2, true, false },		{ FI_MAX, 3, true, false },
	{ FI_SUM, 5, true, true },		{ FI_PROD, 6, true, true },
	{ FI_LOR, 1, true, true },		{ FI_LAND, 1, true, true },
	{ FI_LXOR, 0, true, true },		{ FI_BOR, 3, false, false },
	{ FI_BAND, 2, false, false },		{ FI_BXOR, 1, false, false },
	{ FI_ATOMIC_WRITE, 2, true, true },	{ FI_ATOMIC_READ, 3, true, true },
};

/* FI_MSWAP: (2 & 5) | (3 & ~5) = 0 | 2 */
static const struct row compare[] = {
	{ FI_CSWAP, 3, true, true },		{ FI_CSWAP_NE, 2, true, true },
	{ FI_CSWAP_LE, 3, true, false },	{ FI_CSWAP_LT, 3, true, false },
	{ FI_CSWAP_GE, 2, true, false },	{ FI_CSWAP_GT, 2, true, false },
	{ FI_MSWAP, 2, false, false },
};

static bool is_complex(enum fi_datatype type)
{
	return type == FI_FLOAT_COMPLEX || type == FI_DOUBLE_COMPLEX ||
	       type == FI_LONG_DOUBLE_COMPLEX;
}

static bool is_integer(enum fi_datatype type)
{
	return type <= FI_UINT64 || type >= FI_INT128;
}

static bool exists(const struct row *row, enum fi_datatype type)
{
	return is_integer(type) || (is_complex(type) ? row->complexes : row->reals);
}

/* Rank 1 works for rank 0 until that is done. */
static void serve(struct end *end)
{
	check(end, !fi_recv(end->ep, end->rx + MAX_MSG / 2, 1, fi_mr_desc(end->rx_mr), end->peer, &ctx[3]));
	barrier(end);
	want_comp(end, &ctx[3], FI_RECV, NULL);
}

static void served(struct end *end)
{
	check(end, !fi_send(end->ep, end->tx, 1, fi_mr_desc(end->tx_mr), end->peer, &ctx[3]));
	want_comp(end, &ctx[3], FI_SEND, NULL);
}

/* The elements at the target, by way of a plain write or read. */
static void target_set(struct end *end, enum fi_datatype type, size_t len)
{
	for (int i = 0; i < COUNT; i++)
		put(type, end->tx, i, 3);
	check(end, !fi_write(end->ep, end->tx, len, fi_mr_desc(end->tx_mr), end->peer,
			     end->window.addr, end->window.key, &ctx[0]));
	want_comp(end, &ctx[0], FI_WRITE, NULL);
}

static bool target_is(struct end *end, enum fi_datatype type, size_t len, int want)
{
	bool good = true;

	check(end, !fi_read(end->ep, end->rx, len, fi_mr_desc(end->rx_mr), end->peer,
			    end->window.addr, end->window.key, &ctx[0]));
	want_comp(end, &ctx[0], FI_READ, NULL);
	for (int i = 0; i < COUNT; i++)
		good &= get(type, end->rx, i) == want;
	return good;
}

/* kind: 0 fi_atomic(), 1 fi_fetch_atomic(), 2 fi_compare_atomic() */
static ssize_t start(struct end *end, int kind, enum fi_datatype type, enum fi_op op,
		     size_t count, uint64_t addr, uint64_t key)
{
	static uint8_t two[64 * COUNT], five[64 * COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		put(type, two, i, 2);
		put(type, five, i, 5);
	}
	memset(end->rx, 0xee, 256);
	if (kind == 0)
		return fi_atomic(end->ep, two, count, NULL, end->peer, addr, key, type, op,
				 &ctx[1]);
	if (kind == 1)
		return fi_fetch_atomic(end->ep, two, count, NULL, end->rx, NULL, end->peer,
				       addr, key, type, op, &ctx[1]);
	return fi_compare_atomic(end->ep, two, count, NULL, five, NULL, end->rx, NULL,
				 end->peer, addr, key, type, op, &ctx[1]);
}

static void one_op(struct end *end, int kind, enum fi_datatype type, const struct row *row)
{
	static const uint64_t query[3] = { 0, FI_FETCH_ATOMIC, FI_COMPARE_ATOMIC };
	bool there = exists(row, type) && !(kind == 0 && row->op == FI_ATOMIC_READ);
	struct fi_atomic_attr attr = { 0 };
	int err = fi_query_atomic(end->domain, type, row->op, &attr, query[kind]);
	bool good = true;
	size_t len;

	if (!there) {
		check(end, err == -FI_EOPNOTSUPP);
		check(end, start(end, kind, type, row->op, COUNT, end->window.addr,
				 end->window.key) == -FI_EOPNOTSUPP);
		return;
	}
	check(end, !err && attr.count >= COUNT && attr.size);
	len = COUNT * attr.size;
	target_set(end, type, len);
	check(end, !start(end, kind, type, row->op, COUNT, end->window.addr, end->window.key));
	want_comp(end, &ctx[1], FI_ATOMIC | (kind ? FI_READ : FI_WRITE), NULL);
	for (int i = 0; i < COUNT && kind; i++)
		good &= get(type, end->rx, i) == 3;
	good &= target_is(end, type, len, row->want);
	if (!good)
		printf("# call %d, type %d, operation %d\n", kind, type, row->op);
	check(end, good);
}

static void all(struct end *end)
{
	if (end->rank) {
		serve(end);
		return;
	}
	barrier(end);
	for (int type = 0; type <= FI_UINT128; type++) {
		for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
			one_op(end, 0, type, &plain[i]);
			one_op(end, 1, type, &plain[i]);
		}
		for (size_t i = 0; i < sizeof(compare) / sizeof(compare[0]); i++)
			one_op(end, 2, type, &compare[i]);
	}
	served(end);
}

#define ADDS	100

/*
 * Rank 0's memory: 8 bytes, to which rank 1 adds by the device, rank 0's endpoint
 * too, and rank 0's processor; and 4 bytes, to which all three add by messages.
 */
static void contention(struct end *end)
{
	uint64_t *wide = (uint64_t *)end->rx, one = 1, old;
	uint32_t *narrow = (uint32_t *)(end->rx + 64), one4 = 1;
	fi_addr_t dest = end->rank ? end->peer : end->self;
	uint64_t addr = end->rank ? end->window.addr : (uintptr_t)end->rx;
	uint64_t key = end->rank ? end->window.key : fi_mr_key(end->rx_mr);
	int done = 0, want = 2 * ADDS;
	struct fi_cq_err_entry e;

	memset(end->rx, 0, 128);
	barrier(end);
	if (!end->rank)
		check(end, !fi_recv(end->ep, end->rx + 4096, 1, fi_mr_desc(end->rx_mr), end->peer, &ctx[3]));
	want += !end->rank;
	for (int i = 0; i < ADDS; i++) {
		check(end, !retry(end, fi_fetch_atomic(end->ep, &one, 1, NULL, &old, NULL, dest,
						       addr, key, FI_UINT64, FI_SUM, &ctx[0])));
		check(end, !retry(end, fi_atomic(end->ep, &one4, 1, NULL, dest, addr + 64, key,
						 FI_UINT32, FI_SUM, &ctx[1])));
		if (!end->rank) {
			__atomic_fetch_add(wide, 1, __ATOMIC_SEQ_CST);
			__atomic_fetch_add(narrow, 1, __ATOMIC_SEQ_CST);
		}
		for (int k = 0; k < 2; k++, done++)
			check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS) && !e.err);
	}
	if (end->rank)
		check(end, !fi_send(end->ep, end->tx, 1, fi_mr_desc(end->tx_mr), end->peer, &ctx[3])), want++;
	while (done++ < want)
		check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS) && !e.err);
	barrier(end);
	if (!end->rank)
		check(end, *wide == 3 * ADDS && *narrow == 3 * ADDS);
}

/* As many elements as there may be, in pieces; and one more. */
static void sizes(struct end *end)
{
	struct fi_atomic_attr attr;
	size_t n;

	if (end->rank) {
		serve(end);
		return;
	}
	barrier(end);
	check(end, !fi_query_atomic(end->domain, FI_INT32, FI_SUM, &attr, FI_FETCH_ATOMIC));
	n = attr.count;
	check(end, n >= 64);
	memset(end->tx, 0, n * 4);
	check(end, !fi_write(end->ep, end->tx, n * 4, fi_mr_desc(end->tx_mr), end->peer,
			     end->window.addr, end->window.key, &ctx[0]));
	want_comp(end, &ctx[0], FI_WRITE, NULL);
	for (size_t i = 0; i < n; i++)
		((int32_t *)end->tx)[i] = i;
	for (int round = 0; round < 2; round++) {
		struct fi_ioc in[2] = { { end->tx, n - 10 }, { end->tx + 4 * (n - 10), 10 } };
		struct fi_ioc out[2] = { { end->rx, 3 }, { end->rx + 12, n - 3 } };

		check(end, !fi_fetch_atomicv(end->ep, in, NULL, 2, out, NULL, 2, end->peer,
					     end->window.addr, end->window.key, FI_INT32, FI_SUM,
					     &ctx[1]));
		want_comp(end, &ctx[1], FI_ATOMIC | FI_READ, NULL);
		for (size_t i = 0; i < n; i++)
			check(end, ((int32_t *)end->rx)[i] == round * (int32_t)i);
	}
	check(end, fi_atomic(end->ep, end->tx, n + 1, NULL, end->peer, end->window.addr,
			     end->window.key, FI_INT32, FI_SUM, &ctx[1]) == -FI_EMSGSIZE);
	check(end, fi_atomic(end->ep, end->tx, 0, NULL, end->peer, end->window.addr,
			     end->window.key, FI_INT32, FI_SUM, &ctx[1]) == -FI_EINVAL);
	/* Injected: the operand is ours again at once, and nothing completes. */
	memset(end->tx, 0, 8);
	check(end, !fi_write(end->ep, end->tx, 8, fi_mr_desc(end->tx_mr), end->peer,
			     end->window.addr, end->window.key, &ctx[0]));
	want_comp(end, &ctx[0], FI_WRITE, NULL);
	*(int32_t *)end->tx = 77;
	check(end, !fi_inject_atomic(end->ep, end->tx, 1, end->peer, end->window.addr,
				     end->window.key, FI_INT32, FI_SUM));
	memset(end->tx, 0, 8);
	check(end, !fi_fetch_atomic(end->ep, NULL, 1, NULL, end->rx, NULL, end->peer,
				    end->window.addr, end->window.key, FI_INT32, FI_ATOMIC_READ,
				    &ctx[1]));
	want_comp(end, &ctx[1], FI_ATOMIC | FI_READ, NULL);
	check(end, *(int32_t *)end->rx == 77);
	served(end);
}

static void want_error(struct end *end, int err)
{
	struct fi_cq_err_entry e;

	check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
	check(end, e.err == err && e.op_context == &ctx[1]);
	if (e.err != err)
		printf("# %s\n", fi_strerror(e.err));
	check(end, strlen(fi_cq_strerror(end->cq, e.prov_errno, NULL, NULL, 0)) > 0);
}

/* A wrong key, a place outside, one that is not aligned: by message and by device. */
static void refused(struct end *end)
{
	const uint64_t addr = end->window.addr, key = end->window.key;

	if (end->rank) {
		serve(end);
		return;
	}
	barrier(end);
	check(end, !start(end, 0, FI_INT32, FI_SUM, 1, addr, key + 0x1111));
	want_error(end, FI_EACCES);
	check(end, !start(end, 1, FI_INT32, FI_SUM, 2, addr + MAX_MSG - 4, key));
	want_error(end, FI_EACCES);
	check(end, !start(end, 0, FI_INT32, FI_SUM, 1, addr - 4, key));
	want_error(end, FI_EACCES);
	check(end, !start(end, 2, FI_INT32, FI_CSWAP, 1, addr + 2, key));
	want_error(end, FI_EINVAL);
	check(end, !start(end, 1, FI_INT64, FI_SUM, 1, addr + 4, key));
	want_error(end, FI_EINVAL);
	check(end, !start(end, 1, FI_INT64, FI_SUM, 1, addr, key + 0x1111));
	want_error(end, FI_EACCES);
	check(end, !start(end, 2, FI_UINT64, FI_CSWAP, 1, addr + MAX_MSG, key));
	want_error(end, FI_EACCES);
	served(end);
}

/*
 * A write behind an atomic operation to the same place, where the order was asked
 * for: the device would do the write long before the sleeping process does the sum.
 */
static void ordered(struct end *end)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_UNSPEC };
	struct fi_info *info = fi_dupinfo(end->info);
	int32_t val = 5;
	struct fi_cq_err_entry e;
	struct fid_ep *ep;
	struct fid_cq *cq;

	if (end->rank) {
		memset(end->rx, 0, 64);
		check(end, !fi_recv(end->ep, end->rx + 4096, 1, fi_mr_desc(end->rx_mr), FI_ADDR_UNSPEC,
				    &ctx[3]));
		barrier(end);
		sleep(1);
		want_comp(end, &ctx[3], FI_RECV, NULL);
		check(end, *(int32_t *)end->rx == 1000);
		fi_freeinfo(info);
		return;
	}
	info->tx_attr->msg_order |= FI_ORDER_WAW;
	check(end, !fi_cq_open(end->domain, &attr, &cq, NULL));
	check(end, !fi_endpoint(end->domain, info, &ep, NULL));
	check(end, !fi_ep_bind(ep, &end->av->fid, 0));
	check(end, !fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	check(end, !fi_enable(ep));
	barrier(end);
	*(int32_t *)end->tx = 1000;
	check(end, !fi_atomic(ep, &val, 1, NULL, end->peer, end->window.addr, end->window.key,
			      FI_INT32, FI_SUM, &ctx[0]));
	check(end, !fi_write(ep, end->tx, 4, fi_mr_desc(end->tx_mr), end->peer, end->window.addr,
			     end->window.key, &ctx[1]));
	check(end, !fi_send(ep, end->tx, 1, fi_mr_desc(end->tx_mr), end->peer, &ctx[2]));
	for (int i = 0; i < 3; i++)
		check(end, next_comp(end, cq, &e, PEER_TIMEOUT_MS) && !e.err);
	check(end, !fi_close(&ep->fid));
	check(end, !fi_close(&cq->fid));
	fi_freeinfo(info);
}

int main(int argc, char **argv)
{
	struct end end;

	if (argc != 4) {
		fprintf(stderr, "Usage: fabric_atomic RANK DEVICE RENDEZVOUS\n");
		return 2;
	}
	end_open(&end, atoi(argv[1]), argv[2], argv[3]);
	test(&end, "each type, each operation", all);
	test(&end, "sizes, pieces, inject", sizes);
	test(&end, "device, processor and messages add to the same", contention);
	test(&end, "wrong key, out of range, not aligned", refused);
	test(&end, "a write stays behind an atomic operation", ordered);
	end_close(&end);
	if (!end.rank)
		printf("1..%d\n", end.tests);
	return end.failures ? 1 : 0;
}
