// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Open MPI's own AllReduce, timed as suo-perf times ours: from the moment when the
 * last rank begins until the last one has its result. All ranks have one clock.
 * Every element of the result is compared.
 *
 * Usage: bench_mpi MIN-BYTES MAX-BYTES FACTOR ITERATIONS TIME-SCALE
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static double run(const float *in, float *out, int count)
{
	double begin, end, first, last;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = now();
	MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	end = now();
	MPI_Allreduce(&begin, &first, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return last - first;
}

int main(int argc, char **argv)
{
	int rank, ranks, wrong = 0, all = 0;
	long min, max, factor, iters;
	double scale;
	float *in, *out;

	MPI_Init(&argc, &argv);
	if (argc != 6)
		MPI_Abort(MPI_COMM_WORLD, 2);
	min = atol(argv[1]);
	max = atol(argv[2]);
	factor = atol(argv[3]);
	iters = atol(argv[4]);
	scale = atof(argv[5]);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	in = malloc(max + 1);
	out = malloc(max + 1);
	if (!in || !out || factor < 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (long i = 0; i < max / 4; i++)
		in[i] = (i + rank) % 64;
	for (long size = min; size <= max; size *= factor) {
		int count = size / 4;
		double sum = 0, us;

		run(in, out, count);
		for (long i = 0; i < iters; i++)
			sum += run(in, out, count);
		for (int i = 0; i < count; i++) {
			float want = 0;

			for (int r = 0; r < ranks; r++)
				want += (i + r) % 64;
			wrong += out[i] != want;
		}
		us = sum / iters / scale;
		if (!rank)
			printf("allreduce,%ld,%d,openmpi,%.3f,%.3f\n", size, ranks, us,
			       size / us / 1000 * 2 * (ranks - 1) / ranks);
		fflush(stdout);
	}
	MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all != 0;
}
