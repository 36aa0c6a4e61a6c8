// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What MPI does, against closed forms. Rank 0 prints TAP.
 *
 * Usage: ompi_check messages|collectives|windows ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi_check.h"

int me;
int ranks;

static int tests, failed;

void *buffer(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p) {
		fprintf(stderr, "rank %d: out of memory\n", me);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return p;
}

void fill(uint8_t *buf, size_t len, int r, int n)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = byte_of(r, n, i);
}

int wrong(const uint8_t *buf, size_t len, int r, int n)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != byte_of(r, n, i))
			return 1;
	return 0;
}

void result(long found, const char *what)
{
	long total = 0;

	MPI_Allreduce(&found, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	tests++;
	failed |= total != 0;
	if (me)
		return;
	printf("%sok %d - %s\n", total ? "not " : "", tests, what);
	if (total)
		printf("# %ld wrong\n", total);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "messages")) {
			check_messages();
		} else if (!strcmp(argv[i], "collectives")) {
			check_collectives();
		} else if (!strcmp(argv[i], "windows")) {
			check_windows();
		} else {
			fprintf(stderr, "ompi_check: what is '%s'?\n", argv[i]);
			MPI_Abort(MPI_COMM_WORLD, 2);
		}
	}
	if (!me)
		printf("1..%d\n", tests);
	MPI_Finalize();
	return failed;
}
