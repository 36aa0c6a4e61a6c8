/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rendezvous: how the processes of one benchmark find each other. Rank 0
 * listens on a socket; the others connect, say who they are and what they were
 * asked to do, and from then on all talk in lockstep:
 *
 *	rank r to 0:	u32 length, its bytes
 *	0 to rank r:	the bytes of all ranks in order, once all have come
 *
 * A connection that ends tells that its process has.
 */
#ifndef SUO_PERF_BOOT_H
#define SUO_PERF_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct boot_mpi - the part that is linked with MPI
 *
 * It is an object of its own, suo-perf-mpi.so, loaded when mpirun has started
 * the process, so that suo-perf runs where no MPI is installed.
 *
 * @init: MPI_Init(); who am I, and of how many? 0 or -errno
 * @allgather: of @len bytes; 0 or -errno
 * @abort: ends all processes
 * @finalize: MPI_Finalize()
 */
struct boot_mpi {
	int	(*init)(uint32_t *rank, uint32_t *nranks);
	int	(*allgather)(const void *in, void *out, size_t len);
	void	(*abort)(int status);
	void	(*finalize)(void);
};

#define BOOT_MPI_FILE	"suo-perf-mpi.so"
#define BOOT_MPI_SYMBOL	"suo_perf_mpi"

/**
 * struct boot_attr - who takes part
 * @where: "unix:PATH" or "tcp:HOST:PORT"
 * @rank: this process
 * @nranks: processes in all
 * @options: hash of all options that must be the same everywhere
 * @mpi: talk by MPI, not by sockets; @where is not used
 */
struct boot_attr {
	const char		*where;
	uint32_t		rank;
	uint32_t		nranks;
	uint64_t		options;
	const struct boot_mpi	*mpi;
};

/**
 * struct boot - an open rendezvous
 * @attr: as given
 * @fd: rank 0: a socket for each other rank, -1 for itself; else one, to rank 0
 * @nfds: entries of @fd
 * @abort_fd: an epoll descriptor, readable when a connection has ended
 * @same_clock: all processes run on one kernel, so CLOCK_MONOTONIC is common
 * @why: the reason of the last failure
 */
struct boot {
	struct boot_attr	attr;
	int			*fd;
	uint32_t		nfds;
	int			abort_fd;
	bool			same_clock;
	char			why[200];
};

/* Has mpirun, or srun, started this process? */
bool boot_mpi_wanted(void);

/**
 * boot_mpi_load() - load suo-perf-mpi.so
 * @why: room for the reason of a failure
 * @size: its size in bytes
 *
 * Looked for in SUO_PERF_MPI, beside the program (../lib), and where the
 * dynamic linker looks.
 *
 * Return: the functions, or NULL. They are never unloaded.
 */
const struct boot_mpi *boot_mpi_load(char *why, size_t size);

/* Is the text of the form that boot_attr.where has? */
bool boot_where_valid(const char *where);

/**
 * boot_open() - meet the others
 * @boot: filled in; on failure, too, so that boot.why can be read. Close it
 *	with boot_close().
 * @attr: who takes part
 *
 * Return: 0 or -errno.
 */
int boot_open(struct boot *boot, const struct boot_attr *attr);

/**
 * boot_allgather() - exchange a piece of data, and wait for all to have come
 * @boot: struct boot, as the executor's callback wants it
 * @in: this rank's piece
 * @out: the pieces of all ranks, in order
 * @len: bytes of a piece, the same everywhere
 *
 * Return: 0 or -errno, with the reason in boot.why.
 */
int boot_allgather(void *boot, const void *in, void *out, size_t len);

void boot_close(struct boot *boot);

#endif /* SUO_PERF_BOOT_H */
