// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_collective: the calls, and the life of an operation. */
#include "coll.h"

static struct suo_coll_group *to_group(struct suo_ep *ep, fi_addr_t addr)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &ep->coll.groups) {
		struct suo_coll_group *group = suo_entry(pos, struct suo_coll_group, link);

		if ((uintptr_t)group == addr && !group->closed)
			return group;
	}
	return NULL;
}

/* The member that an address of the AV stands for. */
static int find_root(const struct suo_coll_group *group, fi_addr_t addr, uint32_t *root)
{
	const struct suo_addr *name = suo_av_addr(group->ep->av, addr);

	for (uint32_t m = 0; m < group->n; m++) {
		if (group->fi_addr[m] != addr &&
		    !(name && suo_addr_equal(name, &group->addr[m])))
			continue;
		*root = m;
		return 0;
	}
	return -FI_EINVAL;
}

static void complete(struct suo_coll_op *op)
{
	struct suo_ep *ep = op->group->ep;
	struct fi_cq_err_entry e = {
		.op_context	= op->args.context,
		.flags		= FI_COLLECTIVE,
		.err		= op->err,
	};

	suo_cntr_add(ep->cntr[SUO_CNTR_SEND], op->err);
	if (ep->tx_cq && (op->comp || op->err))
		suo_cq_push(ep->tx_cq, &e, FI_ADDR_NOTAVAIL);
}

static void op_free(struct suo_coll_op *op)
{
	for (uint32_t i = 0; op->state && i < op->plan->nsteps; i++) {
		suo_coll_settle_debt(op, i);
		free(op->state[i].msg);
	}
	suo_list_del(&op->link);
	suo_list_del(&op->stall);
	suo_coll_buf_release(op);
	suo_coll_plan_put(op->plan);
	free(op->queue);
	free(op->state);
	free(op);
}

/**
 * suo_coll_op_settle() - end an operation if there is nothing left to do
 * @op: the operation
 *
 * One that has failed waits until no request uses its memory. Registrations go
 * before the application is told: no peer writes to its memory from then on.
 *
 * Return: true if it has ended, and is gone.
 */
bool suo_coll_op_settle(struct suo_coll_op *op)
{
	if (op->busy || op->inflight || (op->left && !op->err))
		return false;
	if (!op->err)
		suo_coll_buf_finish(op);
	suo_list_del(&op->link);
	complete(op);
	op_free(op);
	return true;
}

/* Elements of a plan's DATA. */
static uint64_t data_count(const struct suo_coll_group *group, const struct suo_coll_args *args)
{
	switch (args->coll) {
	case SUO_COLL_BARRIER:
		return 0;
	case SUO_COLL_ALLREDUCE:
	case SUO_COLL_REDUCE:
	case SUO_COLL_BROADCAST:
		return args->count;
	default:
		return (uint64_t)args->count * group->n;
	}
}

static int set_types(struct suo_coll_op *op)
{
	int type, redop = SUO_SUM;

	op->elem = 1;
	if (op->args.coll == SUO_COLL_BARRIER)
		return 0;
	type = suo_coll_type(op->args.datatype);
	if (type < 0)
		return type;
	if (suo_coll_reduces(op->args.coll))
		redop = suo_coll_redop(op->args.op);
	if (redop < 0)
		return redop;
	if (!suo_reduce_valid(type, redop))
		return -FI_EOPNOTSUPP;
	op->type = type;
	op->op = redop;
	op->elem = suo_dtype_size(type);
	if (op->args.count > SUO_COLL_MAX_COUNT)
		return -FI_EMSGSIZE;
	return 0;
}

static int start(struct suo_coll_group *group, const struct suo_coll_args *args)
{
	struct suo_coll_op *op = calloc(1, sizeof(*op));
	int err;

	if (!op)
		return -FI_ENOMEM;
	suo_list_init(&op->link);
	suo_list_init(&op->stall);
	op->group = group;
	op->args = *args;
	op->comp = suo_tx_comp(group->ep, args->flags);
	err = set_types(op);
	if (err)
		goto plan;
	err = suo_coll_plan_get(group, args->coll, data_count(group, args), args->root,
				op->elem, &op->plan);
	if (err)
		goto plan;
	op->left = op->plan->nsteps;
	op->state = calloc(op->plan->nsteps + 1, sizeof(*op->state));
	op->queue = calloc(2 * op->plan->nsteps + 1, sizeof(*op->queue));
	err = op->state && op->queue ? suo_coll_buf_prepare(op) : -FI_ENOMEM;
	if (!err)
		err = suo_coll_buf_register(op);
	if (err)
		goto buf;
	op->seq = group->next_seq++;
	suo_list_add_tail(&op->link, &group->ops);
	suo_coll_run(op);
	return 0;

buf:
	op->err = -err;
	op_free(op);
	return err;
plan:
	free(op);
	return err;
}

static ssize_t collective(struct fid_ep *fid, fi_addr_t coll_addr, fi_addr_t root_addr,
			  struct suo_coll_args *args)
{
	struct suo_ep *ep = to_ep(fid);
	struct suo_coll_group *group;
	int err = 0;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (args->flags & ~SUO_TX_FLAGS)
		return -FI_EINVAL;
	pthread_mutex_lock(&ep->domain->lock);
	group = to_group(ep, coll_addr);
	if (!group)
		err = -FI_EINVAL;
	else if (group->err)
		err = -group->err;
	else if (!group->joined)
		err = -FI_EOPBADSTATE;
	else if (suo_coll_has_root(args->coll))
		err = find_root(group, root_addr, &args->root);
	if (!err)
		err = start(group, args);
	pthread_mutex_unlock(&ep->domain->lock);
	return err;
}

static ssize_t coll_barrier2(struct fid_ep *ep, fi_addr_t coll_addr, uint64_t flags,
			     void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_BARRIER, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, FI_ADDR_UNSPEC, &args);
}

static ssize_t coll_barrier(struct fid_ep *ep, fi_addr_t coll_addr, void *context)
{
	return coll_barrier2(ep, coll_addr, to_ep(ep)->tx_op_flags, context);
}

static ssize_t coll_broadcast(struct fid_ep *ep, void *buf, size_t count, void *desc,
			      fi_addr_t coll_addr, fi_addr_t root_addr,
			      enum fi_datatype datatype, uint64_t flags, void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_BROADCAST, .buf = buf, .result = buf, .count = count,
		.datatype = datatype, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, root_addr, &args);
}

static ssize_t coll_alltoall(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			     void *result, void *result_desc, fi_addr_t coll_addr,
			     enum fi_datatype datatype, uint64_t flags, void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_ALLTOALL, .buf = buf, .result = result, .count = count,
		.datatype = datatype, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, FI_ADDR_UNSPEC, &args);
}

static ssize_t coll_allreduce(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			      void *result, void *result_desc, fi_addr_t coll_addr,
			      enum fi_datatype datatype, enum fi_op op, uint64_t flags,
			      void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_ALLREDUCE, .buf = buf, .result = result, .count = count,
		.datatype = datatype, .op = op, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, FI_ADDR_UNSPEC, &args);
}

static ssize_t coll_allgather(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			      void *result, void *result_desc, fi_addr_t coll_addr,
			      enum fi_datatype datatype, uint64_t flags, void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_ALL_GATHER, .buf = buf, .result = result, .count = count,
		.datatype = datatype, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, FI_ADDR_UNSPEC, &args);
}

static ssize_t coll_reduce_scatter(struct fid_ep *ep, const void *buf, size_t count,
				   void *desc, void *result, void *result_desc,
				   fi_addr_t coll_addr, enum fi_datatype datatype,
				   enum fi_op op, uint64_t flags, void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_REDUCE_SCATTER, .buf = buf, .result = result,
		.count = count, .datatype = datatype, .op = op, .flags = flags,
		.context = context,
	};

	return collective(ep, coll_addr, FI_ADDR_UNSPEC, &args);
}

static ssize_t coll_reduce(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			   void *result, void *result_desc, fi_addr_t coll_addr,
			   fi_addr_t root_addr, enum fi_datatype datatype, enum fi_op op,
			   uint64_t flags, void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_REDUCE, .buf = buf, .result = result, .count = count,
		.datatype = datatype, .op = op, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, root_addr, &args);
}

static ssize_t coll_scatter(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			    void *result, void *result_desc, fi_addr_t coll_addr,
			    fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
			    void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_SCATTER, .buf = buf, .result = result, .count = count,
		.datatype = datatype, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, root_addr, &args);
}

static ssize_t coll_gather(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			   void *result, void *result_desc, fi_addr_t coll_addr,
			   fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
			   void *context)
{
	struct suo_coll_args args = {
		.coll = SUO_COLL_GATHER, .buf = buf, .result = result, .count = count,
		.datatype = datatype, .flags = flags, .context = context,
	};

	return collective(ep, coll_addr, root_addr, &args);
}

/* One piece of memory each way: more would have to be gathered first. */
static ssize_t coll_msg(struct fid_ep *ep, const struct fi_msg_collective *msg,
			struct fi_ioc *resultv, void **result_desc, size_t result_count,
			uint64_t flags)
{
	struct suo_coll_args args = {
		.coll		= suo_coll_plan_of(msg->coll),
		.datatype	= msg->datatype,
		.op		= msg->op,
		.flags		= flags,
		.context	= msg->context,
	};

	if (args.coll == SUO_NUM_COLLS || msg->iov_count > 1 || result_count > 1)
		return -FI_EINVAL;
	if (msg->iov_count) {
		args.buf = msg->msg_iov->addr;
		args.count = msg->msg_iov->count;
	}
	if (args.coll == SUO_COLL_BROADCAST)
		args.result = (void *)args.buf;
	else if (result_count)
		args.result = resultv->addr;
	/* Only the root of a scatter has an input. */
	if (!msg->iov_count && result_count)
		args.count = resultv->count;
	return collective(ep, msg->coll_addr, msg->root_addr, &args);
}

struct fi_ops_collective suo_collective_ops = {
	.size		= sizeof(struct fi_ops_collective),
	.barrier	= coll_barrier,
	.broadcast	= coll_broadcast,
	.alltoall	= coll_alltoall,
	.allreduce	= coll_allreduce,
	.allgather	= coll_allgather,
	.reduce_scatter	= coll_reduce_scatter,
	.reduce		= coll_reduce,
	.scatter	= coll_scatter,
	.gather		= coll_gather,
	.msg		= coll_msg,
	.barrier2	= coll_barrier2,
};
