/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ranks of a collective, connected through a libfabric RDM endpoint. */
#ifndef SUO_COLL_COMM_H
#define SUO_COLL_COMM_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

/* Memory that peers write to, and the input of an All-to-All, which they do not. */
enum suo_region {
	SUO_REGION_DATA,
	SUO_REGION_SCRATCH,
	SUO_REGION_INPUT,
	SUO_NUM_REGIONS,
};

/**
 * struct suo_boot - how the ranks talk before they are connected
 * @allgather: give each rank @len bytes of all ranks, in the order of ranks;
 *	0 or -errno
 * @ctx: its first argument
 * @abort_fd: readable as soon as a rank is gone; -1: nobody watches
 */
struct suo_boot {
	int	(*allgather)(void *ctx, const void *in, void *out, size_t len);
	void	*ctx;
	int	abort_fd;
};

/**
 * struct suo_comm_attr - what to connect
 * @provider: libfabric provider
 * @device: its domain's name, NULL: the first
 * @rank: this rank
 * @nranks: ranks in all
 * @boot: used by suo_comm_create() and while waiting
 */
struct suo_comm_attr {
	const char	*provider;
	const char	*device;
	uint32_t	rank;
	uint32_t	nranks;
	struct suo_boot	boot;
};

/* Where a peer's region is, as it published it. */
struct suo_remote {
	uint64_t	addr;
	uint64_t	key;
	uint64_t	len;
};

/**
 * struct suo_comm - the ranks
 * @rank: this rank
 * @nranks: ranks in all
 * @boot: as given
 * @info: what the provider offers
 * @fabric: and its objects
 * @domain: of the device
 * @av: addresses of the ranks
 * @cq: sends and arrivals
 * @cq_fd: readable when @cq may have something
 * @ep: the endpoint
 * @addr: of each rank
 * @mr: registrations of this rank's regions; NULL where it has none
 * @remote: regions of each rank, SUO_NUM_REGIONS a rank
 * @why: the reason of the last failure
 */
struct suo_comm {
	uint32_t		rank;
	uint32_t		nranks;
	struct suo_boot		boot;
	struct fi_info		*info;
	struct fid_fabric	*fabric;
	struct fid_domain	*domain;
	struct fid_av		*av;
	struct fid_cq		*cq;
	int			cq_fd;
	struct fid_ep		*ep;
	fi_addr_t		*addr;
	struct fid_mr		*mr[SUO_NUM_REGIONS];
	struct suo_remote	*remote;
	char			why[160];
};

/**
 * suo_comm_create() - open the endpoint and learn the addresses of all ranks
 * @attr: what to connect
 * @out: the ranks; on failure, too, so that suo_comm.why can be read, unless
 *	the error is -ENOMEM. Free it with suo_comm_free().
 *
 * Return: 0 or -errno.
 */
int suo_comm_create(const struct suo_comm_attr *attr, struct suo_comm **out);

/**
 * suo_comm_expose() - register the regions and learn those of all ranks
 * @comm: the ranks
 * @mem: each region's memory; NULL: it has none
 * @len: each region's length in bytes, which may differ from rank to rank
 *
 * Return: 0 or -errno, with the reason in comm->why.
 */
int suo_comm_expose(struct suo_comm *comm, void *const mem[SUO_NUM_REGIONS],
		    const size_t len[SUO_NUM_REGIONS]);

/**
 * suo_comm_wait() - sleep until the completion queue may have something
 * @comm: the ranks
 *
 * Return: 0, -ECONNABORTED if a rank is gone, or another -errno.
 */
int suo_comm_wait(struct suo_comm *comm);

/* Stores the reason of a failure. Return: @err. */
int suo_comm_fail(struct suo_comm *comm, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void suo_comm_free(struct suo_comm *comm);

#endif /* SUO_COLL_COMM_H */
