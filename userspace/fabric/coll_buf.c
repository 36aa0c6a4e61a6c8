// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The buffers of an operation: where a plan's DATA, INPUT and SCRATCH are. A plan
 * works in place and knows ranks; the application has an input and an output and
 * knows members. Where a member's rank is its number, DATA is the application's
 * own memory if that has room for it; else it is work space, and blocks are put
 * in order when they are copied.
 */
#include "coll.h"

#define PAGE	4096

static size_t block(const struct suo_coll_op *op)
{
	return op->args.count * op->elem;
}

static bool is_root(const struct suo_coll_op *op)
{
	return op->group->self == op->args.root;
}

static uint32_t own_rank(const struct suo_coll_op *op)
{
	return op->group->rank_of[op->group->self];
}

/* Takes the group's spare memory if it is large enough. */
static int mem_get(struct suo_coll_group *group, size_t len, struct suo_coll_mem *mem)
{
	if (!len)
		len = 1;
	if (group->spare.len >= len) {
		*mem = group->spare;
		memset(&group->spare, 0, sizeof(group->spare));
		return 0;
	}
	memset(mem, 0, sizeof(*mem));
	if (posix_memalign((void **)&mem->mem, PAGE, len))
		return -FI_ENOMEM;
	mem->len = len;
	return 0;
}

static void mem_free(struct suo_coll_mem *mem)
{
	if (mem->mr)
		ibv_dereg_mr(mem->mr);
	free(mem->mem);
	memset(mem, 0, sizeof(*mem));
}

/* Keeps the larger one of this and what is spare; after a failure, peers may still
 * write to it.
 */
static void mem_put(struct suo_coll_op *op, struct suo_coll_mem *mem)
{
	struct suo_coll_mem *spare = &op->group->spare;

	if (op->err || mem->len <= spare->len) {
		mem_free(mem);
		return;
	}
	mem_free(spare);
	*spare = *mem;
	memset(mem, 0, sizeof(*mem));
}

static void copy(void *to, const void *from, size_t len)
{
	if (len && to != from)
		memmove(to, from, len);
}

/* Blocks of all members to blocks of all ranks, and back. */
static void to_ranks(const struct suo_coll_op *op, uint8_t *to, const uint8_t *from)
{
	for (uint32_t m = 0; m < op->group->n; m++)
		copy(to + op->group->rank_of[m] * block(op), from + m * block(op), block(op));
}

static void to_members(const struct suo_coll_op *op, uint8_t *to, const uint8_t *from)
{
	for (uint32_t m = 0; m < op->group->n; m++)
		copy(to + m * block(op), from + op->group->rank_of[m] * block(op), block(op));
}

/* Where a member's own block is in DATA, in bytes. */
static size_t own_block(const struct suo_coll_op *op)
{
	return own_rank(op) * block(op);
}

/* DATA is work space of @len bytes. */
static int use_work(struct suo_coll_op *op, size_t len)
{
	int err = mem_get(op->group, len, &op->work);

	op->base[SUO_PLAN_DATA] = op->work.mem;
	return err;
}

static int prepare_alltoall(struct suo_coll_op *op)
{
	size_t len = op->group->n * block(op);

	if (op->group->straight) {
		op->base[SUO_PLAN_INPUT] = (uint8_t *)op->args.buf;
		op->base[SUO_PLAN_DATA] = op->args.result;
		if (op->args.buf != op->args.result)
			return 0;
	}
	op->work_in = malloc(len + 1);
	if (!op->work_in)
		return -FI_ENOMEM;
	to_ranks(op, op->work_in, op->args.buf);
	op->base[SUO_PLAN_INPUT] = op->work_in;
	return op->group->straight ? 0 : use_work(op, len);
}

/* The plan touches no more of DATA than the member's own block. */
static void use_block(struct suo_coll_op *op, const void *mem)
{
	op->base[SUO_PLAN_DATA] = (uint8_t *)mem - own_block(op);
}

int suo_coll_buf_prepare(struct suo_coll_op *op)
{
	const struct suo_coll_args *a = &op->args;
	size_t all = op->group->n * block(op);
	int err = 0;

	switch (a->coll) {
	case SUO_COLL_ALLREDUCE:
		copy(a->result, a->buf, block(op));
		op->base[SUO_PLAN_DATA] = a->result;
		break;
	case SUO_COLL_REDUCE:
		if (is_root(op))
			op->base[SUO_PLAN_DATA] = a->result;
		else
			err = use_work(op, block(op));
		if (!err)
			copy(op->base[SUO_PLAN_DATA], a->buf, block(op));
		break;
	case SUO_COLL_BROADCAST:
		op->base[SUO_PLAN_DATA] = a->result;
		break;
	case SUO_COLL_REDUCE_SCATTER:
		err = use_work(op, all);
		if (!err)
			to_ranks(op, op->work.mem, a->buf);
		break;
	case SUO_COLL_ALL_GATHER:
	case SUO_COLL_GATHER:
		if (a->coll == SUO_COLL_GATHER && !is_root(op)) {
			use_block(op, a->buf);
			break;
		}
		op->base[SUO_PLAN_DATA] = a->result;
		if (!op->group->straight)
			err = use_work(op, all);
		if (!err)
			copy(op->base[SUO_PLAN_DATA] + own_block(op), a->buf, block(op));
		break;
	case SUO_COLL_SCATTER:
		if (!is_root(op)) {
			use_block(op, a->result);
			break;
		}
		op->base[SUO_PLAN_DATA] = (uint8_t *)a->buf;
		if (op->group->straight)
			break;
		err = use_work(op, all);
		if (!err)
			to_ranks(op, op->work.mem, a->buf);
		break;
	case SUO_COLL_ALLTOALL:
		err = prepare_alltoall(op);
		break;
	default:
		break;
	}
	return err;
}

/* Brings the result to where the application wants it. */
void suo_coll_buf_finish(struct suo_coll_op *op)
{
	const struct suo_coll_args *a = &op->args;
	const uint8_t *data = op->base[SUO_PLAN_DATA];

	switch (a->coll) {
	case SUO_COLL_REDUCE_SCATTER:
		copy(a->result, data + own_block(op), block(op));
		break;
	case SUO_COLL_SCATTER:
		if (is_root(op))
			copy(a->result, data + own_block(op), block(op));
		break;
	case SUO_COLL_GATHER:
	case SUO_COLL_ALL_GATHER:
	case SUO_COLL_ALLTOALL:
		if (op->work.mem)
			to_members(op, a->result, data);
		break;
	default:
		break;
	}
}

/* What of a buffer is ours, for registration. */
static void owned(const struct suo_coll_op *op, enum suo_plan_buf buf, uint8_t **mem,
		  size_t *len)
{
	enum suo_coll coll = op->args.coll;
	bool parts = (coll == SUO_COLL_GATHER || coll == SUO_COLL_SCATTER) && !is_root(op);

	*mem = op->base[buf];
	*len = op->plan->count * op->elem;
	if (buf == SUO_PLAN_DATA && parts) {
		*mem += own_block(op);
		*len = block(op);
	}
}

static int register_buf(struct suo_coll_op *op, enum suo_plan_buf buf)
{
	struct ibv_pd *pd = op->group->ep->domain->pd;
	bool read_only = buf == SUO_PLAN_INPUT ||
			 (op->args.coll == SUO_COLL_SCATTER && is_root(op));
	int access = read_only ? 0 : IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct suo_coll_mem *mem = NULL;
	uint8_t *at;
	size_t len;

	if (buf == SUO_PLAN_SCRATCH)
		mem = &op->scratch;
	else if (buf == SUO_PLAN_DATA && op->work.mem)
		mem = &op->work;
	if (mem && !mem->mr)
		mem->mr = ibv_reg_mr(pd, mem->mem, mem->len,
				     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (mem) {
		op->mr[buf] = mem->mr;
	} else {
		owned(op, buf, &at, &len);
		op->mr[buf] = ibv_reg_mr(pd, at, len, access);
	}
	if (op->mr[buf])
		return 0;
	suo_warn(MR, "the registration of a collective's buffer failed: %s\n", strerror(errno));
	return -errno;
}

/* Only long messages need registrations, and only they land in scratch memory. */
int suo_coll_buf_register(struct suo_coll_op *op)
{
	const struct suo_coll_plan *plan = op->plan;
	bool wanted[SUO_PLAN_NUM_BUFS] = { false }, scratch = false;
	int err = 0;

	for (uint32_t i = 0; i < plan->nsteps; i++) {
		const struct suo_coll_step *step = &plan->step[i];
		bool reduce = step->op == SUO_PLAN_RECV_REDUCE;

		scratch |= step->buf == SUO_PLAN_SCRATCH;
		if (step->op == SUO_PLAN_COPY || step->len * op->elem <= op->group->eager)
			continue;
		wanted[reduce ? SUO_PLAN_SCRATCH : step->buf] = true;
	}
	if (scratch || wanted[SUO_PLAN_SCRATCH]) {
		err = mem_get(op->group, plan->scratch_len * op->elem, &op->scratch);
		op->base[SUO_PLAN_SCRATCH] = op->scratch.mem;
	}
	for (int buf = 0; buf < SUO_PLAN_NUM_BUFS && !err; buf++)
		if (wanted[buf])
			err = register_buf(op, buf);
	return err;
}

void suo_coll_buf_release(struct suo_coll_op *op)
{
	for (int buf = 0; buf < SUO_PLAN_NUM_BUFS; buf++) {
		struct ibv_mr *mr = op->mr[buf];

		if (mr && mr != op->scratch.mr && mr != op->work.mr)
			ibv_dereg_mr(mr);
		op->mr[buf] = NULL;
	}
	mem_put(op, &op->work);
	mem_put(op, &op->scratch);
	free(op->work_in);
}
