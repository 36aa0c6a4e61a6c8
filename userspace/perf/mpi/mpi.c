// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo-perf-mpi.so: what suo-perf wants of MPI. Nothing that is measured uses it. */
#include <errno.h>
#include <limits.h>
#include <mpi.h>

#include "userspace/perf/boot.h"

static int mpi_init(uint32_t *rank, uint32_t *nranks)
{
	int r, n;

	if (MPI_Init(NULL, NULL) || MPI_Comm_rank(MPI_COMM_WORLD, &r) ||
	    MPI_Comm_size(MPI_COMM_WORLD, &n))
		return -EIO;
	*rank = r;
	*nranks = n;
	return 0;
}

static int mpi_allgather(const void *in, void *out, size_t len)
{
	if (len > INT_MAX)
		return -EMSGSIZE;
	return MPI_Allgather(in, len, MPI_BYTE, out, len, MPI_BYTE, MPI_COMM_WORLD) ? -EIO : 0;
}

static void mpi_abort(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
}

static void mpi_finalize(void)
{
	MPI_Finalize();
}

extern const struct boot_mpi suo_perf_mpi;

__attribute__((visibility("default")))
const struct boot_mpi suo_perf_mpi = {
	.init		= mpi_init,
	.allgather	= mpi_allgather,
	.abort		= mpi_abort,
	.finalize	= mpi_finalize,
};
