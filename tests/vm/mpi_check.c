// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What MPI computes, against closed forms: reductions to all, to one and
 * scattered, an exchange of all with all, a broadcast, and messages round a ring.
 * Rank 0 prints TAP without a plan.
 *
 * Element i of rank r is f(r, i) = (r + 1) * (i % 1000 + 1). With N ranks and
 * T = N (N + 1) / 2 the sum over the ranks is T * (i % 1000 + 1), an integer that
 * every type used here holds exactly.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_COUNT	(1 << 18)

static int rank, ranks, failed;

static int64_t element(int r, int i)
{
	return (int64_t)(r + 1) * (i % 1000 + 1);
}

static int64_t sum_of(int i)
{
	return (int64_t)ranks * (ranks + 1) / 2 * (i % 1000 + 1);
}

static int64_t max_of(int i)
{
	return element(ranks - 1, i);
}

/* Does every rank say so? */
static void result(int wrong, const char *what, int count)
{
	static int number;
	int total = 0;

	MPI_Allreduce(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	number++;
	if (total)
		failed = 1;
	if (!rank)
		printf("%sok %d - %s, %d elements: %d wrong\n",
		       total ? "not " : "", number, what, count, total);
}

static void *get_buf(size_t size)
{
	void *p = malloc(size);

	if (!p) {
		fprintf(stderr, "rank %d: out of memory\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return p;
}

#define DEFINE_CHECKS(name, type, mpitype)				\
static void allreduce_##name(int count, MPI_Op op, int in_place,	\
			     int64_t (*want)(int), const char *what)	\
{									\
	type *in = get_buf(count * sizeof(*in));			\
	type *out = get_buf(count * sizeof(*out));			\
	int i, wrong = 0;						\
									\
	for (i = 0; i < count; i++) {					\
		in[i] = element(rank, i);				\
		out[i] = in_place ? in[i] : -1;				\
	}								\
	MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, count, mpitype,\
		      op, MPI_COMM_WORLD);				\
	for (i = 0; i < count; i++)					\
		wrong += out[i] != (type)want(i);			\
	result(wrong, what, count);					\
	free(in);							\
	free(out);							\
}

DEFINE_CHECKS(int64, int64_t, MPI_INT64_T)
DEFINE_CHECKS(double, double, MPI_DOUBLE)
DEFINE_CHECKS(float, float, MPI_FLOAT)

static void reduce(int count)
{
	int64_t *in = get_buf(count * sizeof(*in));
	int64_t *out = get_buf(count * sizeof(*out));
	int i, root = ranks - 1, wrong = 0;

	for (i = 0; i < count; i++)
		in[i] = element(rank, i);
	MPI_Reduce(in, out, count, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD);
	for (i = 0; rank == root && i < count; i++)
		wrong += out[i] != sum_of(i);
	result(wrong, "reduce", count);
	free(in);
	free(out);
}

static void reduce_scatter(int count)
{
	int64_t *in = get_buf((size_t)count * ranks * sizeof(*in));
	int64_t *out = get_buf(count * sizeof(*out));
	int i, wrong = 0;

	for (i = 0; i < count * ranks; i++)
		in[i] = element(rank, i);
	MPI_Reduce_scatter_block(in, out, count, MPI_INT64_T, MPI_SUM,
				 MPI_COMM_WORLD);
	for (i = 0; i < count; i++)
		wrong += out[i] != sum_of(rank * count + i);
	result(wrong, "reduce_scatter_block", count);
	free(in);
	free(out);
}

static void alltoall(int count)
{
	int64_t *in = get_buf((size_t)count * ranks * sizeof(*in));
	int64_t *out = get_buf((size_t)count * ranks * sizeof(*out));
	int i, r, wrong = 0;

	for (r = 0; r < ranks; r++)
		for (i = 0; i < count; i++)
			in[r * count + i] = element(rank, i) * 1000 + r;
	MPI_Alltoall(in, count, MPI_INT64_T, out, count, MPI_INT64_T,
		     MPI_COMM_WORLD);
	for (r = 0; r < ranks; r++)
		for (i = 0; i < count; i++)
			wrong += out[r * count + i] !=
				 element(r, i) * 1000 + rank;
	result(wrong, "alltoall", count);
	free(in);
	free(out);
}

static void bcast(int count)
{
	int64_t *buf = get_buf(count * sizeof(*buf));
	int i, root = 1 % ranks, wrong = 0;

	for (i = 0; i < count; i++)
		buf[i] = rank == root ? element(root, i) : -1;
	MPI_Bcast(buf, count, MPI_INT64_T, root, MPI_COMM_WORLD);
	for (i = 0; i < count; i++)
		wrong += buf[i] != element(root, i);
	result(wrong, "bcast", count);
	free(buf);
}

static void ring(int count)
{
	int next = (rank + 1) % ranks, prev = (rank + ranks - 1) % ranks;
	int64_t *in = get_buf(count * sizeof(*in));
	int64_t *out = get_buf(count * sizeof(*out));
	int i, wrong = 0;

	for (i = 0; i < count; i++)
		in[i] = element(rank, i);
	MPI_Sendrecv(in, count, MPI_INT64_T, next, 7, out, count, MPI_INT64_T,
		     prev, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (i = 0; i < count; i++)
		wrong += out[i] != element(prev, i);
	result(wrong, "sendrecv round the ring", count);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	static const int counts[] = { 1, 7, 1000, 4097, MAX_COUNT };
	size_t n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (n = 0; n < sizeof(counts) / sizeof(counts[0]); n++) {
		int count = counts[n];

		allreduce_int64(count, MPI_SUM, 0, sum_of, "allreduce int64 sum");
		allreduce_int64(count, MPI_MAX, 1, max_of,
				"allreduce int64 max in place");
		allreduce_double(count, MPI_SUM, 1, sum_of,
				 "allreduce double sum in place");
		allreduce_float(count, MPI_MAX, 0, max_of, "allreduce float max");
		reduce(count);
		reduce_scatter(count);
		alltoall(count / ranks + 1);
		bcast(count);
		ring(count);
	}
	if (!rank)
		printf("# %d ranks, %s\n", ranks, failed ? "failed" : "all right");
	MPI_Finalize();
	return failed;
}
