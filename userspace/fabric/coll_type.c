// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Collectives, types and reductions as libfabric names them, and what there is of them. */
#include "coll.h"

static const int types[] = {
	[FI_INT8]			= SUO_INT8,
	[FI_UINT8]			= SUO_UINT8,
	[FI_INT16]			= SUO_INT16,
	[FI_UINT16]			= SUO_UINT16,
	[FI_INT32]			= SUO_INT32,
	[FI_UINT32]			= SUO_UINT32,
	[FI_INT64]			= SUO_INT64,
	[FI_UINT64]			= SUO_UINT64,
	[FI_FLOAT]			= SUO_FLOAT32,
	[FI_DOUBLE]			= SUO_FLOAT64,
	[FI_FLOAT_COMPLEX]		= SUO_COMPLEX64,
	[FI_DOUBLE_COMPLEX]		= SUO_COMPLEX128,
	[FI_LONG_DOUBLE]		= SUO_LONG_DOUBLE,
	[FI_LONG_DOUBLE_COMPLEX]	= SUO_COMPLEX_LONG,
	[FI_INT128]			= SUO_INT128,
	[FI_UINT128]			= SUO_UINT128,
};

static const int ops[] = {
	[FI_MIN]	= SUO_MIN,
	[FI_MAX]	= SUO_MAX,
	[FI_SUM]	= SUO_SUM,
	[FI_PROD]	= SUO_PROD,
	[FI_LOR]	= SUO_LOR,
	[FI_LAND]	= SUO_LAND,
	[FI_BOR]	= SUO_BOR,
	[FI_BAND]	= SUO_BAND,
	[FI_LXOR]	= SUO_LXOR,
	[FI_BXOR]	= SUO_BXOR,
};

int suo_coll_type(enum fi_datatype datatype)
{
	if ((size_t)datatype >= sizeof(types) / sizeof(types[0]))
		return -FI_EOPNOTSUPP;
	return types[datatype];
}

int suo_coll_redop(enum fi_op op)
{
	if ((size_t)op >= sizeof(ops) / sizeof(ops[0]))
		return -FI_EOPNOTSUPP;
	return ops[op];
}

enum suo_coll suo_coll_plan_of(enum fi_collective_op coll)
{
	static const enum suo_coll colls[] = {
		[FI_BARRIER]		= SUO_COLL_BARRIER,
		[FI_BROADCAST]		= SUO_COLL_BROADCAST,
		[FI_ALLTOALL]		= SUO_COLL_ALLTOALL,
		[FI_ALLREDUCE]		= SUO_COLL_ALLREDUCE,
		[FI_ALLGATHER]		= SUO_COLL_ALL_GATHER,
		[FI_REDUCE_SCATTER]	= SUO_COLL_REDUCE_SCATTER,
		[FI_REDUCE]		= SUO_COLL_REDUCE,
		[FI_SCATTER]		= SUO_COLL_SCATTER,
		[FI_GATHER]		= SUO_COLL_GATHER,
	};

	return (size_t)coll < sizeof(colls) / sizeof(colls[0]) ? colls[coll] : SUO_NUM_COLLS;
}

bool suo_coll_reduces(enum suo_coll coll)
{
	return coll == SUO_COLL_ALLREDUCE || coll == SUO_COLL_REDUCE ||
	       coll == SUO_COLL_REDUCE_SCATTER;
}

int suo_coll_query(struct fid_domain *domain, enum fi_collective_op coll,
		   struct fi_collective_attr *attr, uint64_t flags)
{
	int type, op;

	if (!attr || (flags & ~FI_SCATTER))
		return -FI_EINVAL;
	if (attr->mode)
		return -FI_EINVAL;
	/* An older way of asking for reduce-scatter */
	if ((flags & FI_SCATTER) && coll == FI_ALLREDUCE)
		coll = FI_REDUCE_SCATTER;
	if (suo_coll_plan_of(coll) == SUO_NUM_COLLS)
		return -FI_EOPNOTSUPP;
	attr->max_members = SUO_COLL_MAX_MEMBERS;
	if (coll == FI_BARRIER) {
		if (attr->op != FI_NOOP || attr->datatype != FI_VOID)
			return -FI_EOPNOTSUPP;
		attr->datatype_attr.count = 0;
		attr->datatype_attr.size = 0;
		return 0;
	}
	type = suo_coll_type(attr->datatype);
	if (type < 0)
		return type;
	if (suo_coll_reduces(suo_coll_plan_of(coll))) {
		op = suo_coll_redop(attr->op);
		if (op < 0 || !suo_reduce_valid(type, op))
			return -FI_EOPNOTSUPP;
	} else if (attr->op != FI_NOOP && attr->op != FI_ATOMIC_READ &&
		   attr->op != FI_ATOMIC_WRITE) {
		return -FI_EOPNOTSUPP;
	}
	attr->datatype_attr.size = suo_dtype_size(type);
	attr->datatype_attr.count = SUO_COLL_MAX_COUNT;
	return 0;
}
