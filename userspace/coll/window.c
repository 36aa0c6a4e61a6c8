// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/coll/window.h"
#include "userspace/fabric/fi_suo.h"

/**
 * struct suo_windows - the windows of a rank
 * @ops: the provider's
 * @domain_size: ranks of a domain; the same for all plans
 * @window: for each type and reduction, or NULL
 * @key: their keys
 */
struct suo_windows {
	struct fi_suo_ops_window	*ops;
	uint32_t			domain_size;
	struct fi_suo_window		*window[SUO_NUM_DTYPES][SUO_NUM_REDOPS];
	uint64_t			key[SUO_NUM_DTYPES][SUO_NUM_REDOPS];
};

/* One more than fi_suo.h's number; 0: there is none. */
static const uint8_t types[SUO_NUM_DTYPES] = {
	[SUO_INT32]	= FI_SUO_WINDOW_INT32 + 1,
	[SUO_UINT32]	= FI_SUO_WINDOW_UINT32 + 1,
	[SUO_INT64]	= FI_SUO_WINDOW_INT64 + 1,
	[SUO_UINT64]	= FI_SUO_WINDOW_UINT64 + 1,
	[SUO_FLOAT16]	= FI_SUO_WINDOW_FLOAT16 + 1,
	[SUO_BFLOAT16]	= FI_SUO_WINDOW_BFLOAT16 + 1,
	[SUO_FLOAT32]	= FI_SUO_WINDOW_FLOAT32 + 1,
	[SUO_FLOAT64]	= FI_SUO_WINDOW_FLOAT64 + 1,
};

static const uint8_t ops[SUO_NUM_REDOPS] = {
	[SUO_SUM]	= FI_SUO_WINDOW_SUM + 1,
	[SUO_AVG]	= FI_SUO_WINDOW_SUM + 1,
	[SUO_MIN]	= FI_SUO_WINDOW_MIN + 1,
	[SUO_MAX]	= FI_SUO_WINDOW_MAX + 1,
};

bool suo_window_can(enum suo_dtype type, enum suo_redop op)
{
	return types[type] && ops[op];
}

static int open_windows(struct suo_windows **windows, struct suo_comm *comm,
			uint32_t domain_size)
{
	struct suo_windows *w = calloc(1, sizeof(*w));

	if (!w)
		return suo_comm_fail(comm, -ENOMEM, "no memory");
	w->domain_size = domain_size;
	if (fi_open_ops(&comm->domain->fid, FI_SUO_OPS_WINDOW, 0, (void **)&w->ops, NULL)) {
		free(w);
		return suo_comm_fail(comm, -EOPNOTSUPP,
				     "the plan reduces in the network, which this provider or device cannot");
	}
	*windows = w;
	return 0;
}

/* What the ranks tell each other on the way. */
struct word {
	int	err;
	uint8_t	token[FI_SUO_TOKEN_SIZE];
};

/* Every rank hears what every other one says. */
static int exchange(struct suo_comm *comm, struct word *own, struct word *all)
{
	int err = comm->boot.allgather(comm->boot.ctx, own, all, sizeof(*own));

	if (err)
		return suo_comm_fail(comm, err, "the exchange of a window's token failed");
	for (uint32_t r = 0; r < comm->nranks; r++)
		if (all[r].err)
			return suo_comm_fail(comm, all[r].err, "rank %u has no window: %s", r,
					     strerror(-all[r].err));
	return 0;
}

/*
 * The first rank of each domain makes it, the others join. It is ready when all
 * have bound their memory, which the second exchange says.
 */
static int make(struct suo_windows *w, struct suo_comm *comm, void *data, size_t len,
		enum suo_dtype type, enum suo_redop op, struct word *all)
{
	struct fi_suo_window **window = &w->window[type][op];
	uint32_t index = comm->rank % w->domain_size, first = comm->rank - index;
	struct word own = { 0 };
	int err;

	len -= len % suo_dtype_size(type);
	if (!index)
		own.err = w->ops->create(comm->domain, len, w->domain_size, ops[op] - 1,
					 types[type] - 1, own.token, window);
	err = exchange(comm, &own, all);
	if (err)
		return err;
	if (index)
		own.err = w->ops->join(comm->domain, all[first].token, window);
	if (!own.err)
		own.err = w->ops->bind(*window, comm->mr[SUO_REGION_DATA], data, index);
	if (!own.err)
		own.err = w->ops->key(*window, &w->key[type][op]);
	return exchange(comm, &own, all);
}

int suo_windows_key(struct suo_windows **windows, struct suo_comm *comm,
		    uint32_t domain_size, void *data, size_t len, enum suo_dtype type,
		    enum suo_redop op, uint64_t *key)
{
	struct suo_windows *w = *windows;
	struct word *all;
	int err = 0;

	if (!suo_window_can(type, op))
		return suo_comm_fail(comm, -EOPNOTSUPP,
				     "the network does not reduce %s by %s",
				     suo_dtype_name(type), suo_redop_name(op));
	if (!w) {
		err = open_windows(windows, comm, domain_size);
		if (err)
			return err;
		w = *windows;
	}
	if (w->domain_size != domain_size)
		return suo_comm_fail(comm, -EINVAL, "plans for domains of %u and of %u ranks",
				     w->domain_size, domain_size);
	if (!w->window[type][op]) {
		all = calloc(comm->nranks, sizeof(*all));
		if (!all)
			return suo_comm_fail(comm, -ENOMEM, "no memory");
		err = make(w, comm, data, len, type, op, all);
		free(all);
	}
	*key = w->key[type][op];
	return err;
}

void suo_windows_free(struct suo_windows *w)
{
	if (!w)
		return;
	for (int t = 0; t < SUO_NUM_DTYPES; t++)
		for (int op = 0; op < SUO_NUM_REDOPS; op++)
			if (w->window[t][op])
				w->ops->destroy(w->window[t][op]);
	free(w);
}
