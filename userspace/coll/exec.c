// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "userspace/coll/exec.h"
#include "userspace/coll/window.h"

#define EPOCH_BITS	(32 - SUO_LAYOUT_STEP_BITS)
#define EPOCH_MASK	((1u << EPOCH_BITS) - 1)
#define CQ_BATCH	16
#define WORD_BITS	64u

/* libfabric wants memory of its own with each operation. */
struct op {
	struct fi_context2	ctx;	/* first: it is the op's context */
	uint32_t		step;
};

/**
 * struct suo_exec - the executor
 * @comm: the ranks
 * @mem: this rank's buffers
 * @scratch: two halves, one for even and one for odd epochs
 * @half: bytes of a half
 * @windows: for steps in the network; NULL before the first such plan
 * @window_key: of the run that is on
 * @epoch: number of the run that is on, or comes next
 * @arrived: for even and for odd epochs, a bit for each step whose message has
 *	come; a peer may be one epoch ahead
 * @early: how many messages came before their epoch began
 * @layout: of the run that is on
 * @type: of the run that is on
 * @op: of the run that is on
 * @waits: what each step waits for still
 * @ops: context of each step's send
 * @cap: entries of @waits, @ops and @queue
 * @queue: steps that can be carried out: a ring of layout->nsteps entries at
 *	most, each step passing once
 * @head: next to carry out
 * @tail: where the next one is put
 * @left: steps that are not done
 */
struct suo_exec {
	struct suo_comm			*comm;
	struct suo_exec_mem		mem;
	uint8_t				*scratch;
	size_t				half;
	struct suo_windows		*windows;
	uint64_t			window_key;
	uint32_t			epoch;
	uint64_t			*arrived[2];
	uint32_t			early[2];
	const struct suo_layout		*layout;
	enum suo_dtype			type;
	enum suo_redop			op;
	uint32_t			*waits;
	struct op			*ops;
	uint32_t			cap;
	uint32_t			*queue;
	uint32_t			head;
	uint32_t			tail;
	uint32_t			left;
};

int suo_exec_create(struct suo_comm *comm, const struct suo_exec_mem *mem,
		    struct suo_exec **out)
{
	struct suo_exec *exec = calloc(1, sizeof(*exec));
	void *region[SUO_NUM_REGIONS];
	size_t len[SUO_NUM_REGIONS];
	int err;

	if (!exec)
		return suo_comm_fail(comm, -ENOMEM, "no memory");
	/* A half begins on a cache line; and a region must not be empty. */
	exec->half = (mem->scratch_len + 63) / 64 * 64 + 64;
	exec->comm = comm;
	exec->mem = *mem;
	err = -ENOMEM;
	if (posix_memalign((void **)&exec->scratch, 4096, 2 * exec->half))
		exec->scratch = NULL;
	for (int i = 0; i < 2; i++)
		exec->arrived[i] = calloc(SUO_LAYOUT_MAX_STEPS / WORD_BITS, sizeof(uint64_t));
	if (!exec->scratch || !exec->arrived[0] || !exec->arrived[1]) {
		suo_comm_fail(comm, err, "no memory for %zu bytes of scratch", 2 * exec->half);
		goto mem;
	}
	region[SUO_REGION_DATA] = mem->data;
	len[SUO_REGION_DATA] = mem->data_len;
	region[SUO_REGION_SCRATCH] = exec->scratch;
	len[SUO_REGION_SCRATCH] = 2 * exec->half;
	region[SUO_REGION_INPUT] = mem->input;
	len[SUO_REGION_INPUT] = mem->input_len;
	err = suo_comm_expose(comm, region, len);
	if (err)
		goto mem;
	*out = exec;
	return 0;

mem:
	suo_exec_free(exec);
	return err;
}

void suo_exec_stop(struct suo_exec *exec)
{
	if (!exec)
		return;
	suo_windows_free(exec->windows);
	exec->windows = NULL;
}

void suo_exec_free(struct suo_exec *exec)
{
	if (!exec)
		return;
	suo_exec_stop(exec);
	free(exec->queue);
	free(exec->ops);
	free(exec->waits);
	free(exec->arrived[0]);
	free(exec->arrived[1]);
	free(exec->scratch);
	free(exec);
}

static const enum suo_region region_of[SUO_PLAN_NUM_BUFS] = {
	[SUO_PLAN_DATA]		= SUO_REGION_DATA,
	[SUO_PLAN_INPUT]	= SUO_REGION_INPUT,
	[SUO_PLAN_SCRATCH]	= SUO_REGION_SCRATCH,
};

/* An element of a buffer. */
static uint8_t *at(const struct suo_exec *exec, enum suo_plan_buf buf, uint64_t elem)
{
	uint8_t *base = exec->mem.data;

	if (buf == SUO_PLAN_INPUT)
		base = exec->mem.input;
	else if (buf == SUO_PLAN_SCRATCH)
		base = exec->scratch + (exec->epoch & 1) * exec->half;
	return base + elem * suo_dtype_size(exec->type);
}

static size_t bytes_of(const struct suo_exec *exec, const struct suo_layout_step *step)
{
	return step->len * suo_dtype_size(exec->type);
}

static void count_down(struct suo_exec *exec, uint32_t i)
{
	if (!--exec->waits[i])
		exec->queue[exec->tail++] = i;
}

static void step_done(struct suo_exec *exec, uint32_t i)
{
	const struct suo_layout_step *step = &exec->layout->step[i];

	exec->left--;
	for (uint32_t n = 0; n < step->nthen; n++)
		count_down(exec, exec->layout->then[step->first + n]);
}

/* Where a message lands at the peer. */
static int target(struct suo_exec *exec, const struct suo_layout_step *step, size_t len,
		  struct fi_rma_iov *to)
{
	enum suo_region which = step->scratch ? SUO_REGION_SCRATCH : SUO_REGION_DATA;
	const struct suo_remote *win =
		&exec->comm->remote[step->peer * SUO_NUM_REGIONS + which];
	uint64_t off = step->at * suo_dtype_size(exec->type);
	uint64_t end = win->len;

	if (which == SUO_REGION_SCRATCH) {
		if (exec->epoch & 1)
			off += win->len / 2;
		else
			end = win->len / 2;
	}
	if (off > end || len > end - off)
		return suo_comm_fail(exec->comm, -ERANGE,
				     "the memory of rank %u is too small for the plan", step->peer);
	to->addr = win->addr + off;
	to->key = win->key;
	to->len = len;
	return 0;
}

static int send_step(struct suo_exec *exec, uint32_t i)
{
	const struct suo_layout_step *step = &exec->layout->step[i];
	struct suo_comm *comm = exec->comm;
	size_t len = bytes_of(exec, step);
	struct fi_rma_iov to = { 0 };
	uint32_t data;
	ssize_t ret;

	ret = target(exec, step, len, &to);
	if (ret)
		return ret;
	data = (exec->epoch & EPOCH_MASK) << SUO_LAYOUT_STEP_BITS | step->peer_step;
	exec->ops[i].step = i;
	ret = fi_writedata(comm->ep, at(exec, step->buf, step->off), len,
			   fi_mr_desc(comm->mr[region_of[step->buf]]), data,
			   comm->addr[step->peer], to.addr, to.key, &exec->ops[i]);
	if (ret && ret != -FI_EAGAIN)
		suo_comm_fail(comm, ret, "fi_writedata to rank %u: %s", step->peer,
			      fi_strerror(-ret));
	return ret;
}

/*
 * What the switch does for the whole domain: requests that go over a connection
 * to another member. Addresses in a window are those in DATA.
 */
static int network_step(struct suo_exec *exec, uint32_t i)
{
	const struct suo_layout_step *step = &exec->layout->step[i];
	bool write = step->op == SUO_PLAN_MCAST_WRITE;
	struct suo_comm *comm = exec->comm;
	enum suo_plan_buf local = write ? step->src : step->buf;
	uint8_t *mem = at(exec, local, write ? step->src_off : step->off);
	uint64_t addr = (write ? step->off : step->src_off) * suo_dtype_size(exec->type);
	void *desc = fi_mr_desc(comm->mr[region_of[local]]);
	ssize_t ret;

	if (!step->len) {
		step_done(exec, i);
		return 0;
	}
	exec->ops[i].step = i;
	if (write)
		ret = fi_write(comm->ep, mem, bytes_of(exec, step), desc, comm->addr[step->peer],
			       addr, exec->window_key, &exec->ops[i]);
	else
		ret = fi_read(comm->ep, mem, bytes_of(exec, step), desc, comm->addr[step->peer],
			      addr, exec->window_key, &exec->ops[i]);
	if (ret && ret != -FI_EAGAIN)
		suo_comm_fail(comm, ret, "%s over rank %u: %s", write ? "fi_write" : "fi_read",
			      step->peer, fi_strerror(-ret));
	return ret;
}

/* Carries out one step whose waiting is over. */
static int start_step(struct suo_exec *exec, uint32_t i)
{
	const struct suo_layout_step *step = &exec->layout->step[i];

	switch (step->op) {
	case SUO_PLAN_SEND:
		return send_step(exec, i);
	case SUO_PLAN_RECV:
		if (step->scratch && step->buf != SUO_PLAN_SCRATCH)
			memcpy(at(exec, step->buf, step->off),
			       at(exec, SUO_PLAN_SCRATCH, step->at), bytes_of(exec, step));
		break;
	case SUO_PLAN_RECV_REDUCE:
		suo_reduce(exec->type, exec->op, at(exec, SUO_PLAN_DATA, step->off),
			   at(exec, SUO_PLAN_SCRATCH, step->at), step->len);
		break;
	case SUO_PLAN_COPY:
		memcpy(at(exec, step->buf, step->off), at(exec, step->src, step->src_off),
		       bytes_of(exec, step));
		break;
	default:
		return network_step(exec, i);
	}
	step_done(exec, i);
	return 0;
}

/* Until nothing is left to start, or the endpoint takes no more. */
static int start_steps(struct suo_exec *exec)
{
	while (exec->head != exec->tail) {
		int err = start_step(exec, exec->queue[exec->head]);

		if (err == -FI_EAGAIN)
			return 0;
		if (err)
			return err;
		exec->head++;
	}
	return 0;
}

static bool is_receive(const struct suo_exec *exec, uint32_t i)
{
	const struct suo_layout *layout = exec->layout;

	return i < layout->nsteps && (layout->step[i].op == SUO_PLAN_RECV ||
				      layout->step[i].op == SUO_PLAN_RECV_REDUCE);
}

static int message_came(struct suo_exec *exec, uint64_t data)
{
	uint32_t i = data & (SUO_LAYOUT_MAX_STEPS - 1);
	uint32_t ahead = ((data >> SUO_LAYOUT_STEP_BITS) - exec->epoch) & EPOCH_MASK;
	uint64_t *word, bit = 1ull << (i % WORD_BITS);

	if (ahead > 1 || (!ahead && !is_receive(exec, i)))
		return suo_comm_fail(exec->comm, -EPROTO,
				     "unexpected message for step %u, %u epochs ahead", i, ahead);
	word = &exec->arrived[(exec->epoch + ahead) & 1][i / WORD_BITS];
	if (*word & bit)
		return suo_comm_fail(exec->comm, -EPROTO,
				     "second message for step %u", i);
	*word |= bit;
	if (ahead)
		exec->early[(exec->epoch + 1) & 1]++;
	else
		count_down(exec, i);
	return 0;
}

static int read_error(struct suo_exec *exec)
{
	struct fi_cq_err_entry e = { 0 };
	ssize_t ret = fi_cq_readerr(exec->comm->cq, &e, 0);

	if (ret < 0)
		return suo_comm_fail(exec->comm, ret, "fi_cq_readerr: %s", fi_strerror(-ret));
	if (e.op_context && (e.flags & (FI_WRITE | FI_READ))) {
		const struct op *op = e.op_context;

		return suo_comm_fail(exec->comm, -e.err, "message to rank %u: %s",
				     exec->layout->step[op->step].peer, fi_strerror(e.err));
	}
	return suo_comm_fail(exec->comm, -e.err, "%s", fi_strerror(e.err));
}

static int handle(struct suo_exec *exec, const struct fi_cq_data_entry *e)
{
	const struct op *op = e->op_context;

	/* Some providers set FI_REMOTE_CQ_DATA at the sender, too. */
	if (!(e->flags & (FI_WRITE | FI_READ)))
		return message_came(exec, e->data);
	step_done(exec, op->step);
	return 0;
}

/* Reads what has been completed, or sleeps if nothing has. */
static int progress(struct suo_exec *exec)
{
	struct fi_cq_data_entry e[CQ_BATCH];
	ssize_t n = fi_cq_read(exec->comm->cq, e, CQ_BATCH);
	int err = 0;

	if (n == -FI_EAGAIN)
		return suo_comm_wait(exec->comm);
	if (n == -FI_EAVAIL)
		return read_error(exec);
	if (n < 0)
		return suo_comm_fail(exec->comm, n, "fi_cq_read: %s", fi_strerror(-n));
	for (ssize_t i = 0; i < n && !err; i++)
		err = handle(exec, &e[i]);
	return err;
}

static int reserve(struct suo_exec *exec, uint32_t nsteps)
{
	if (nsteps <= exec->cap)
		return 0;
	free(exec->waits);
	free(exec->ops);
	free(exec->queue);
	exec->waits = calloc(nsteps, sizeof(*exec->waits));
	exec->ops = calloc(nsteps, sizeof(*exec->ops));
	exec->queue = calloc(nsteps, sizeof(*exec->queue));
	exec->cap = exec->waits && exec->ops && exec->queue ? nsteps : 0;
	return exec->cap ? 0 : suo_comm_fail(exec->comm, -ENOMEM, "no memory");
}

static size_t bitmap_words(const struct suo_layout *layout)
{
	return (layout->nsteps + WORD_BITS - 1) / WORD_BITS;
}

/* Messages of this epoch that came before it began. */
static int take_early(struct suo_exec *exec)
{
	const uint64_t *arrived = exec->arrived[exec->epoch & 1];
	uint32_t *early = &exec->early[exec->epoch & 1];

	for (size_t w = 0; w < bitmap_words(exec->layout) && *early; w++) {
		uint64_t bits = arrived[w];

		for (; bits; bits &= bits - 1) {
			uint32_t i = w * WORD_BITS + __builtin_ctzll(bits);

			if (!is_receive(exec, i))
				break;
			count_down(exec, i);
			--*early;
		}
	}
	if (*early)
		return suo_comm_fail(exec->comm, -EPROTO,
				     "a message that the plan does not have: do all ranks run the same plans?");
	return 0;
}

/* SUO_AVG: what the plan has added up is divided, where the result is. */
static void finish(struct suo_exec *exec)
{
	const struct suo_layout *layout = exec->layout;
	uint64_t off = 0, len = layout->count;

	if (layout->coll == SUO_COLL_REDUCE_SCATTER)
		len = suo_plan_chunk(layout->count, layout->nranks, exec->comm->rank, &off);
	suo_reduce_finish(exec->type, exec->op, at(exec, SUO_PLAN_DATA, off), len,
			  layout->nranks);
}

static int check_memory(struct suo_exec *exec, const struct suo_layout *layout,
			enum suo_dtype type)
{
	size_t elem = suo_dtype_size(type);

	if (layout->scratch_len * elem > exec->half)
		return suo_comm_fail(exec->comm, -ERANGE, "too little scratch memory");
	if (layout->count * elem > exec->mem.data_len ||
	    (layout->coll == SUO_COLL_ALLTOALL && layout->count * elem > exec->mem.input_len))
		return suo_comm_fail(exec->comm, -ERANGE, "the buffers are too small for the plan");
	return 0;
}

int suo_exec_run(struct suo_exec *exec, const struct suo_layout *layout,
		 enum suo_dtype type, enum suo_redop op)
{
	int err;

	err = check_memory(exec, layout, type);
	if (err)
		return err;
	err = reserve(exec, layout->nsteps);
	if (!err && suo_layout_in_network(layout))
		err = suo_windows_key(&exec->windows, exec->comm, layout->domain_size,
				      exec->mem.data, exec->mem.data_len, type, op,
				      &exec->window_key);
	if (err)
		return err;
	exec->layout = layout;
	exec->type = type;
	exec->op = op;
	exec->head = 0;
	exec->tail = 0;
	exec->left = layout->nsteps;
	for (uint32_t i = 0; i < layout->nsteps; i++) {
		exec->waits[i] = layout->step[i].waits;
		if (!exec->waits[i])
			exec->queue[exec->tail++] = i;
	}
	err = take_early(exec);
	while (!err && exec->left) {
		err = start_steps(exec);
		if (!err && exec->left)
			err = progress(exec);
	}
	if (err)
		return err;
	finish(exec);
	memset(exec->arrived[exec->epoch & 1], 0,
	       bitmap_words(layout) * sizeof(uint64_t));
	exec->epoch++;
	return 0;
}
