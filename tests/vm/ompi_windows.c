// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One-sided communication. */
#include <stdlib.h>

#include "ompi_check.h"

#define BIG	(1 << 20)
#define ROUNDS	25

static void put_get(void)
{
	static const int len[5] = { 1, 8, 1000, 65536, BIG };
	int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
	uint8_t *mem, *out = buffer(BIG);
	long bad = 0;
	MPI_Win win;

	MPI_Win_allocate(BIG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 5; i++) {
		fill(out, len[i], me, i);
		MPI_Win_fence(0, win);
		MPI_Put(out, len[i], MPI_BYTE, to, 0, len[i], MPI_BYTE, win);
		MPI_Win_fence(0, win);
		bad += wrong(mem, len[i], from, i);
		MPI_Win_fence(0, win);
		MPI_Get(out, len[i], MPI_BYTE, to, 0, len[i], MPI_BYTE, win);
		MPI_Win_fence(0, win);
		/* what we have put there */
		bad += wrong(out, len[i], me, i);
	}
	MPI_Win_free(&win);
	result(bad, "put and get between fences");
	free(out);
}

/* Everybody adds to the same elements of everybody. */
#define ACCUMULATE(name, type, mpi)					\
static long accumulate_##name(void)					\
{									\
	type *mem = calloc(100, sizeof(type)), val[100];		\
	type old[100];							\
	long bad = 0;							\
	MPI_Win win;							\
									\
	for (int i = 0; i < 100; i++)					\
		val[i] = (type)((me + 1) * (i + 1));			\
	MPI_Win_create(mem, 100 * sizeof(type), sizeof(type),		\
		       MPI_INFO_NULL, MPI_COMM_WORLD, &win);		\
	MPI_Win_fence(0, win);						\
	for (int r = 0; r < ranks; r++)					\
		MPI_Accumulate(val, 100, mpi, r, 0, 100, mpi, MPI_SUM, win); \
	MPI_Win_fence(0, win);						\
	for (int i = 0; i < 100; i++)					\
		bad += mem[i] != (type)(ranks * (ranks + 1) / 2 * (i + 1)); \
	MPI_Win_fence(0, win);						\
	/* Only one rank touches a target now, so what it fetches is known. */ \
	MPI_Get_accumulate(val, 100, mpi, old, 100, mpi, (me + 1) % ranks, 0, \
			   100, mpi, MPI_REPLACE, win);			\
	MPI_Win_fence(0, win);						\
	for (int i = 0; i < 100; i++) {					\
		int from = (me + ranks - 1) % ranks;			\
									\
		bad += old[i] != (type)(ranks * (ranks + 1) / 2 * (i + 1)); \
		bad += mem[i] != (type)((from + 1) * (i + 1));		\
	}								\
	MPI_Win_free(&win);						\
	free(mem);							\
	return bad;							\
}

ACCUMULATE(int, int, MPI_INT)
ACCUMULATE(long, int64_t, MPI_INT64_T)
ACCUMULATE(float, float, MPI_FLOAT)
ACCUMULATE(double, double, MPI_DOUBLE)

/* A window of one number at each rank, which all have before anybody goes on. */
static int64_t *number_open(int64_t value, MPI_Win *win)
{
	int64_t *mem;

	MPI_Win_allocate(sizeof(*mem), sizeof(*mem), MPI_INFO_NULL, MPI_COMM_WORLD, &mem,
			 win);
	*mem = value;
	MPI_Barrier(MPI_COMM_WORLD);
	return mem;
}

/* Rank 0's. */
static int64_t number_get(MPI_Win win)
{
	int64_t value;

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Get(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win);
	MPI_Win_unlock(0, win);
	return value;
}

/* A ticket each: every number is drawn once. */
static void fetch_and_op(void)
{
	int64_t one = 1, ticket, last = -1;
	int64_t mine = 0, all = 0;
	long bad = 0;
	MPI_Win win;

	number_open(0, &win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		bad += ticket <= last || ticket >= (int64_t)ROUNDS * ranks;
		last = ticket;
		mine += ticket;
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
	/* 0 + 1 + ... + (n - 1) */
	bad += all != (int64_t)ROUNDS * ranks * (ROUNDS * ranks - 1) / 2;
	bad += number_get(win) != (int64_t)ROUNDS * ranks;
	MPI_Win_free(&win);
	result(bad, "fetch_and_op");
}

/* A counter that everybody raises by compare and swap. */
static void compare_and_swap(void)
{
	int64_t got, want, next;
	long bad = 0;
	MPI_Win win;

	number_open(100, &win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		want = 100;
		for (;;) {
			next = want + 1;
			MPI_Compare_and_swap(&next, &want, &got, MPI_INT64_T, 0, 0, win);
			MPI_Win_flush(0, win);
			if (got == want)
				break;
			want = got;
		}
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	bad += number_get(win) != 100 + (int64_t)ROUNDS * ranks;
	MPI_Win_free(&win);
	result(bad, "compare_and_swap");
}

/* Under an exclusive lock a read and a write are one. */
static void locks(void)
{
	int64_t *mem, val;
	long bad = 0;
	MPI_Win win;

	mem = number_open(0, &win);
	for (int i = 0; i < 5; i++) {
		for (int r = 0; r < ranks; r++) {
			int target = (me + r) % ranks;

			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
			MPI_Get(&val, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win);
			MPI_Win_flush(target, win);
			val += me + 1;
			MPI_Put(&val, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win);
			MPI_Win_unlock(target, win);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
	bad += *mem != 5 * (int64_t)ranks * (ranks + 1) / 2;
	MPI_Win_unlock(me, win);
	MPI_Win_free(&win);
	result(bad, "exclusive locks, flush");
}

/* Post, start, complete, wait: only neighbours take part. */
static void groups(void)
{
	int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
	int *mem = calloc(1, sizeof(*mem)), val = 1000 + me;
	MPI_Group world, targets, origins;
	long bad = 0;
	MPI_Win win;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &to, &targets);
	MPI_Group_incl(world, 1, &from, &origins);
	MPI_Win_create(mem, sizeof(*mem), sizeof(*mem), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_post(origins, 0, win);
	MPI_Win_start(targets, 0, win);
	MPI_Put(&val, 1, MPI_INT, to, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	bad += *mem != 1000 + from;
	MPI_Win_free(&win);
	MPI_Group_free(&targets);
	MPI_Group_free(&origins);
	MPI_Group_free(&world);
	result(bad, "post, start, complete, wait");
	free(mem);
}

void check_windows(void)
{
	put_get();
	result(accumulate_int(), "accumulate, get_accumulate of int");
	result(accumulate_long(), "accumulate, get_accumulate of int64");
	result(accumulate_float(), "accumulate, get_accumulate of float");
	result(accumulate_double(), "accumulate, get_accumulate of double");
	fetch_and_op();
	compare_and_swap();
	locks();
	groups();
}
