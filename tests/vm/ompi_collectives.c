// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Collective operations. Element i of rank r is (r + 1) * (i % 97 + 1): with N
 * ranks the sum is N (N + 1) / 2 * (i % 97 + 1), the maximum N * (i % 97 + 1).
 */
#include <stdlib.h>

#include "ompi_check.h"

static const int counts[] = { 1, 3, 1000, 4096, 65537 };

#define NCOUNTS	((int)(sizeof(counts) / sizeof(counts[0])))
#define MAX	65537

static long element(int r, int i)
{
	return (long)(r + 1) * (i % 97 + 1);
}

static long sum_of(int i)
{
	return (long)ranks * (ranks + 1) / 2 * (i % 97 + 1);
}

/* One for each type: allreduce by sum and maximum, reduce, scan. */
#define REDUCTIONS(name, type, mpi)					\
static long reduce_##name(int count)					\
{									\
	type *in = buffer(count * sizeof(type));			\
	type *out = buffer(count * sizeof(type));			\
	int root = count % ranks;					\
	long bad = 0;							\
									\
	for (int i = 0; i < count; i++)					\
		in[i] = (type)element(me, i);				\
	MPI_Allreduce(in, out, count, mpi, MPI_SUM, MPI_COMM_WORLD);	\
	for (int i = 0; i < count; i++)					\
		bad += out[i] != (type)sum_of(i);			\
	MPI_Allreduce(in, out, count, mpi, MPI_MAX, MPI_COMM_WORLD);	\
	for (int i = 0; i < count; i++)					\
		bad += out[i] != (type)element(ranks - 1, i);		\
	MPI_Reduce(in, out, count, mpi, MPI_SUM, root, MPI_COMM_WORLD);	\
	for (int i = 0; i < count && me == root; i++)			\
		bad += out[i] != (type)sum_of(i);			\
	MPI_Scan(in, out, count, mpi, MPI_SUM, MPI_COMM_WORLD);		\
	for (int i = 0; i < count; i++)					\
		bad += out[i] != (type)((long)(me + 1) * (me + 2) / 2 * (i % 97 + 1)); \
	free(in);							\
	free(out);							\
	return bad;							\
}

REDUCTIONS(int, int, MPI_INT)
REDUCTIONS(long, int64_t, MPI_INT64_T)
REDUCTIONS(float, float, MPI_FLOAT)
REDUCTIONS(double, double, MPI_DOUBLE)

static void reductions(void)
{
	long bad[4] = { 0 };

	for (int k = 0; k < NCOUNTS; k++) {
		bad[0] += reduce_int(counts[k]);
		bad[1] += reduce_long(counts[k]);
		bad[2] += reduce_float(counts[k]);
		bad[3] += reduce_double(counts[k]);
	}
	result(bad[0], "reductions of int");
	result(bad[1], "reductions of int64");
	result(bad[2], "reductions of float");
	result(bad[3], "reductions of double");
}

static void moves(void)
{
	int *in = buffer((size_t)ranks * MAX * sizeof(int));
	int *out = buffer((size_t)ranks * MAX * sizeof(int));
	long bad[5] = { 0 };

	for (int k = 0; k < NCOUNTS; k++) {
		int n = counts[k], root = k % ranks;

		for (int i = 0; i < n; i++)
			in[i] = me == root ? (int)element(root, i) : -1;
		MPI_Bcast(in, n, MPI_INT, root, MPI_COMM_WORLD);
		for (int i = 0; i < n; i++)
			bad[0] += in[i] != (int)element(root, i);

		for (int i = 0; i < n; i++)
			in[i] = (int)element(me, i);
		MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
		for (int r = 0; r < ranks; r++)
			for (int i = 0; i < n; i++)
				bad[1] += out[(size_t)r * n + i] != (int)element(r, i);
		MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, MPI_COMM_WORLD);
		for (int r = 0; r < ranks && me == root; r++)
			for (int i = 0; i < n; i++)
				bad[2] += out[(size_t)r * n + i] != (int)element(r, i);

		for (int r = 0; r < ranks; r++)
			for (int i = 0; i < n; i++)
				in[(size_t)r * n + i] = (int)element(me, i) * 10 + r;
		MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, MPI_COMM_WORLD);
		for (int i = 0; i < n; i++)
			bad[3] += out[i] != (int)element(root, i) * 10 + me;
		MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
		for (int r = 0; r < ranks; r++)
			for (int i = 0; i < n; i++)
				bad[4] += out[(size_t)r * n + i] != (int)element(r, i) * 10 + me;
	}
	result(bad[0], "broadcast");
	result(bad[1], "allgather");
	result(bad[2], "gather");
	result(bad[3], "scatter");
	result(bad[4], "alltoall");
	free(in);
	free(out);
}

static void reduce_scatter(void)
{
	int *in = buffer((size_t)ranks * MAX * sizeof(int)), *out = buffer(MAX * sizeof(int));
	long bad = 0;

	for (int k = 0; k < NCOUNTS; k++) {
		int n = counts[k];

		for (int i = 0; i < n * ranks; i++)
			in[i] = (int)element(me, i);
		MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 0; i < n; i++)
			bad += out[i] != (int)sum_of(me * n + i);
	}
	result(bad, "reduce_scatter");
	free(in);
	free(out);
}

void check_collectives(void)
{
	for (int i = 0; i < 20; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	result(0, "barrier");
	reductions();
	moves();
	reduce_scatter();
}
