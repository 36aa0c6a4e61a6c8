// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * windows_data: what is written to a window is at every member, and what is read is
 * what the members' numbers come to, for each type and operation, to the last bit.
 * The numbers are computed here by the compiler's own arithmetic, by the rules of
 * windows.rst: in the order of the members; float16 and bfloat16 as float.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "windows_lab.h"

#define GUARD	0xa5

static const char * const type_names[] = {
	"int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
};

static const char * const op_names[] = { "sum", "min", "max" };

static const uint32_t sizes[] = { 4, 4, 8, 8, 2, 2, 4, 8 };

static struct group group;
static struct end a, b;

static bool all_have(uint64_t at, uint32_t len, const uint8_t *want)
{
	int i;

	for (i = 0; i < MEMBERS; i++) {
		if (!memcmp(member[i].buf + at, want, len))
			continue;
		printf("# member %d has something else\n", i);
		return false;
	}
	return true;
}

static bool guarded(uint64_t at, uint32_t len)
{
	int i;

	for (i = 0; i < MEMBERS; i++) {
		if (at && member[i].buf[at - 1] != GUARD)
			return false;
		if (at + len < WINDOW_SIZE && member[i].buf[at + len] != GUARD)
			return false;
	}
	return true;
}

static void write_one(uint64_t at, uint32_t len)
{
	long long before[MEMBERS], rx = 0;
	int i;

	for (i = 0; i < MEMBERS; i++) {
		memset(member[i].buf, GUARD, WINDOW_SIZE);
		before[i] = read_counter(i, "su_rx_bytes");
	}
	pattern(&member[0], ASIDE, len, len);
	check(transfer(&a, IBV_WR_RDMA_WRITE, group.info.rkey, at, ASIDE, len) ==
	      IBV_WC_SUCCESS, "%u bytes at %llu are written", len,
	      (unsigned long long)at);
	check(all_have(at, len, member[0].buf + ASIDE),
	      "they are at every member, the writer too");
	check(guarded(at, len), "and nothing around them has changed");
	for (i = 0; i < MEMBERS; i++)
		rx += read_counter(i, "su_rx_bytes") - before[i] == len;
	check(rx == MEMBERS, "each member has received %u bytes", len);
}

static void writes(void)
{
	static const struct {
		uint64_t	at;
		uint32_t	len;
	} cases[] = {
		{ 0, 4 }, { 4, 12 }, { 4092, 20 }, { 8, 4100 }, { 0, 16384 },
		{ 16380, 16388 }, { 12, 65540 }, { 0, WINDOW_SIZE },
	};
	long long before = read_counter(1, "su_mcast_writes");
	size_t i, n = sizeof(cases) / sizeof(cases[0]);

	check(group_open(&group, SUO_WINDOW_SUM, SUO_WINDOW_INT32, WINDOW_SIZE, MEMBERS),
	      "a window over %d members", MEMBERS);
	ends_open(&a, &member[0], &b, &member[1], &rc_link);
	for (i = 0; i < n; i++)
		write_one(cases[i].at, cases[i].len);
	check(read_counter(1, "su_mcast_writes") - before == (long long)n,
	      "the member that was asked counts %zu multicast writes", n);
	end_close(&b);
	end_close(&a);
	check(group_close(&group), "the window closes");
}

/* A write with immediate data: the peer's receive completes, the data is everywhere. */
static void write_imm(void)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = 0x1234,
	};
	struct ibv_wc wc;
	bool good;

	group_open(&group, SUO_WINDOW_SUM, SUO_WINDOW_INT32, WINDOW_SIZE, MEMBERS);
	ends_open(&a, &member[3], &b, &member[5], &rc_link);
	pattern(&member[3], ASIDE, 40, 9);
	wr.wr.rdma.rkey = group.info.rkey;
	good = !post_recv(&b, 1, ASIDE, 4) && !post_send(&a, &wr, ASIDE, 40) &&
	       expect(&b, IBV_WC_SUCCESS, &wc) && wc.imm_data == 0x1234 &&
	       wc.byte_len == 40 && all_have(0, 40, member[3].buf + ASIDE) &&
	       expect(&a, IBV_WC_SUCCESS, &wc);
	check(good, "a write with immediate data is announced to the peer that was asked");
	end_close(&b);
	end_close(&a);
	group_close(&group);
}

static float half_to_float(uint16_t bits)
{
	_Float16 x;

	memcpy(&x, &bits, sizeof(x));
	return (float)x;
}

static uint16_t float_to_half(float x)
{
	_Float16 half = (_Float16)x;
	uint16_t bits;

	memcpy(&bits, &half, sizeof(bits));
	return bits;
}

static float bf16_to_float(uint16_t bits)
{
	uint32_t word = (uint32_t)bits << 16;
	float x;

	memcpy(&x, &word, sizeof(x));
	return x;
}

/* Of the bfloat16 below and the one above, the nearer one, or the even one. */
static uint16_t float_to_bf16(float x)
{
	uint32_t word;
	uint16_t low;
	double down, up;

	memcpy(&word, &x, sizeof(word));
	low = word >> 16;
	if (isinf(x))
		return low;
	down = fabs((double)x - bf16_to_float(low));
	/* Beyond the largest there would be 2^128. */
	up = ((low + 1) & 0x7fff) == 0x7f80 ? 0x1p128 - fabs((double)x) :
	     fabs((double)bf16_to_float(low + 1) - x);
	if (down != up)
		return down < up ? low : low + 1;
	return low & 1 ? low + 1 : low;
}

/* A number of a type that is likely to meet others of its kind, as memory has it. */
static void make_number(uint16_t type, void *to)
{
	uint64_t bits = rand64();
	double x = (double)(int64_t)rand64() * 0x1p-63;
	uint16_t half;
	float f;

	if (type < SUO_WINDOW_FLOAT16) {
		memcpy(to, &bits, sizes[type]);
		return;
	}
	/* Some are small, some large, some infinite, some no number. */
	x *= ldexp(1, (int)(bits % 24) - 8);
	if (bits >> 56 == 0)
		x = bits & 1 ? INFINITY : -INFINITY;
	if (bits >> 56 == 1)
		x = NAN;
	if (bits >> 56 == 2)
		x = bits & 1 ? 0.0 : -0.0;
	f = (float)x;
	switch (type) {
	case SUO_WINDOW_FLOAT16:
		half = float_to_half(f);
		memcpy(to, &half, sizeof(half));
		break;
	case SUO_WINDOW_BFLOAT16:
		half = isnan(f) ? 0x7fc0 : float_to_bf16(f);
		memcpy(to, &half, sizeof(half));
		break;
	case SUO_WINDOW_FLOAT32:
		memcpy(to, &f, sizeof(f));
		break;
	default:
		memcpy(to, &x, sizeof(x));
	}
}

#define INT_OP(t)							\
	do {								\
		t x, y;							\
									\
		memcpy(&x, acc, sizeof(x));				\
		memcpy(&y, from, sizeof(y));				\
		if (op == SUO_WINDOW_SUM)				\
			x = (t)((uint64_t)x + (uint64_t)y);		\
		else if (op == SUO_WINDOW_MIN)				\
			x = x < y ? x : y;				\
		else							\
			x = x > y ? x : y;				\
		memcpy(acc, &x, sizeof(x));				\
	} while (0)

static double float_op(uint16_t op, bool single, double x, double y)
{
	if (op == SUO_WINDOW_SUM)
		return single ? (float)x + (float)y : x + y;
	if (isnan(x) || isnan(y))
		return NAN;
	if (x == y)
		return !!signbit(x) == (op == SUO_WINDOW_MIN) ? x : y;
	return (x < y) == (op == SUO_WINDOW_MIN) ? x : y;
}

static double get_float(uint16_t type, const uint8_t *from)
{
	uint16_t half;
	double x;
	float f;

	memcpy(&half, from, sizeof(half));
	if (type == SUO_WINDOW_FLOAT16)
		return half_to_float(half);
	if (type == SUO_WINDOW_BFLOAT16)
		return bf16_to_float(half);
	if (type == SUO_WINDOW_FLOAT32) {
		memcpy(&f, from, sizeof(f));
		return f;
	}
	memcpy(&x, from, sizeof(x));
	return x;
}

static void put_float(uint16_t type, double x, uint8_t *to)
{
	static const uint64_t nans[] = {
		[SUO_WINDOW_FLOAT16] = 0x7e00, [SUO_WINDOW_BFLOAT16] = 0x7fc0,
		[SUO_WINDOW_FLOAT32] = 0x7fc00000, [SUO_WINDOW_FLOAT64] = 0x7ff8ull << 48,
	};
	uint16_t half;
	float f = (float)x;

	if (isnan(x)) {
		memcpy(to, &nans[type], sizes[type]);
	} else if (type == SUO_WINDOW_FLOAT16 || type == SUO_WINDOW_BFLOAT16) {
		half = type == SUO_WINDOW_FLOAT16 ? float_to_half(f) : float_to_bf16(f);
		memcpy(to, &half, sizeof(half));
	} else if (type == SUO_WINDOW_FLOAT32) {
		memcpy(to, &f, sizeof(f));
	} else {
		memcpy(to, &x, sizeof(x));
	}
}

/* What the members' elements at a place come to. */
static void reduce_here(uint16_t type, uint16_t op, uint64_t at, uint8_t *acc)
{
	double x;
	int i;

	if (type >= SUO_WINDOW_FLOAT16) {
		x = get_float(type, member[0].buf + at);
		for (i = 1; i < MEMBERS; i++)
			x = float_op(op, type != SUO_WINDOW_FLOAT64, x,
				     get_float(type, member[i].buf + at));
		put_float(type, x, acc);
		return;
	}
	memcpy(acc, member[0].buf + at, sizes[type]);
	for (i = 1; i < MEMBERS; i++) {
		const uint8_t *from = member[i].buf + at;

		switch (type) {
		case SUO_WINDOW_INT32:	INT_OP(int32_t); break;
		case SUO_WINDOW_UINT32:	INT_OP(uint32_t); break;
		case SUO_WINDOW_INT64:	INT_OP(int64_t); break;
		default:		INT_OP(uint64_t);
		}
	}
}

/* The buffer's upper half, less what a result that is put askew needs. */
#define RESULT_MAX	(BUF_SIZE - ASIDE - 8)

static bool result_is_right(uint16_t type, uint16_t op, uint64_t at, const uint8_t *got,
			    uint32_t len)
{
	uint8_t want[8];
	uint32_t off;

	for (off = 0; off < len; off += sizes[type]) {
		reduce_here(type, op, at + off, want);
		if (!memcmp(got + off, want, sizes[type]))
			continue;
		printf("# element %u of %u is wrong\n", off / sizes[type],
		       len / sizes[type]);
		return false;
	}
	return true;
}

static void read_one(uint16_t type, uint16_t op, uint32_t first, uint32_t count,
		     uint32_t askew)
{
	uint32_t len = count * sizes[type];
	uint64_t at = (uint64_t)first * sizes[type];
	uint8_t *to = member[2].buf + ASIDE + askew;
	enum ibv_wc_status status;

	memset(member[2].buf + ASIDE, GUARD, BUF_SIZE - ASIDE);
	status = transfer(&a, IBV_WR_RDMA_READ, group.info.rkey, at, ASIDE + askew, len);
	check(status == IBV_WC_SUCCESS &&
	      result_is_right(type, op, at, to, len) && to[len] == GUARD &&
	      (!askew || to[-1] == GUARD),
	      "%s, %s: %u from number %u on, %u bytes into a word",
	      type_names[type], op_names[op], count, first, askew);
}

static void reads(uint16_t type, uint16_t op)
{
	uint32_t all = RESULT_MAX / sizes[type];
	uint64_t at;
	int i;

	if (all * sizes[type] > WINDOW_SIZE)
		all = WINDOW_SIZE / sizes[type];
	if (!check(group_open(&group, op, type, WINDOW_SIZE, MEMBERS),
		   "a window of %s, %s", type_names[type], op_names[op]))
		return;
	for (i = 0; i < MEMBERS; i++)
		for (at = 0; at < WINDOW_SIZE; at += sizes[type])
			make_number(type, member[i].buf + at);
	ends_open(&a, &member[2], &b, &member[6], &rc_link);
	read_one(type, op, 0, 1, 0);
	read_one(type, op, 5, 3, 1);
	read_one(type, op, 1021, 33, 3);
	read_one(type, op, 7, 8191, 2);
	read_one(type, op, 3, 16389, 1);
	if (op == SUO_WINDOW_SUM)
		read_one(type, op, 0, all, 0);
	end_close(&b);
	end_close(&a);
	group_close(&group);
}

int main(void)
{
	long long before, after;
	uint16_t type, op;

	members_open();
	writes();
	write_imm();
	before = read_counter(6, "su_reduced_reads");
	for (type = 0; type < 8; type++)
		for (op = 0; op < 3; op++)
			reads(type, op);
	after = read_counter(6, "su_reduced_reads");
	check(after - before == 8 * (3 * 5 + 1),
	      "the member that was asked counts the reduced reads");
	members_close();
	return tap_done();
}
