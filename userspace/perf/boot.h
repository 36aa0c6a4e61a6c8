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
 * struct boot_attr - who takes part
 * @where: "unix:PATH" or "tcp:HOST:PORT"
 * @rank: this process
 * @nranks: processes in all
 * @options: hash of all options that must be the same everywhere
 */
struct boot_attr {
	const char	*where;
	uint32_t	rank;
	uint32_t	nranks;
	uint64_t	options;
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
