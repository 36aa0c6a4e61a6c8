/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The executor: runs one rank's part of a plan over libfabric. A send is one
 * RDMA write with immediate data, whatever its length; a receive is done when
 * that immediate has come. Documentation/design/executor.rst says why this is
 * safe without any further message.
 */
#ifndef SUO_COLL_EXEC_H
#define SUO_COLL_EXEC_H

#include "userspace/coll/comm.h"
#include "userspace/coll/layout.h"
#include "userspace/coll/reduce.h"

struct suo_exec;

/**
 * struct suo_exec_mem - the buffers that plans run on
 * @data: DATA of the plans
 * @data_len: its bytes
 * @input: INPUT of the plans, or NULL if none of them has one
 * @input_len: its bytes
 * @scratch_len: bytes of scratch memory that the most demanding run needs at
 *	this rank in one epoch (suo_layout.scratch_len elements)
 */
struct suo_exec_mem {
	void	*data;
	size_t	data_len;
	void	*input;
	size_t	input_len;
	size_t	scratch_len;
};

/**
 * suo_exec_create() - make ready to run plans
 * @comm: the ranks; suo_comm.why holds the reason of a failure
 * @mem: the buffers
 * @out: the executor
 *
 * All ranks call it together. Return: 0 or -errno.
 */
int suo_exec_create(struct suo_comm *comm, const struct suo_exec_mem *mem,
		    struct suo_exec **out);

/**
 * suo_exec_run() - run a plan once
 * @exec: the executor
 * @layout: this rank's part
 * @type: of the elements
 * @op: how RECV_REDUCE combines them; what SUO_AVG divides is the output
 *
 * All ranks must run the same plans in the same order. While it runs, and only
 * then, peers write into DATA; when it returns 0, DATA holds the result and is
 * the caller's again.
 *
 * Return: 0; -ERANGE if the plan needs more memory than was set up;
 * -ECONNABORTED if a rank is gone; or what libfabric said. After an error the
 * executor can only be freed.
 */
int suo_exec_run(struct suo_exec *exec, const struct suo_layout *layout,
		 enum suo_dtype type, enum suo_redop op);

/* Gives up what it has of the endpoint's domain: before suo_comm_free(). */
void suo_exec_stop(struct suo_exec *exec);

/* Peers must not write any more; nor may DATA be freed before. */
void suo_exec_free(struct suo_exec *exec);

#endif /* SUO_COLL_EXEC_H */
