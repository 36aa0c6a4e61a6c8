// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Running one member's part of a plan: what waits for what, and what has come.
 *
 * A request that fails may end an operation while somebody is in the middle of
 * it; so an operation is freed only by suo_coll_op_settle(), when nobody is.
 */
#include <arpa/inet.h>

#include "coll.h"

static size_t step_bytes(const struct suo_coll_op *op, const struct suo_coll_step *step)
{
	return step->len * op->elem;
}

static bool is_eager(const struct suo_coll_op *op, const struct suo_coll_step *step)
{
	return step_bytes(op, step) <= op->group->eager;
}

static bool is_receive(const struct suo_coll_step *step)
{
	return step->op == SUO_PLAN_RECV || step->op == SUO_PLAN_RECV_REDUCE;
}

static uint8_t *at(const struct suo_coll_op *op, enum suo_plan_buf buf, uint64_t elem)
{
	return op->base[buf] + elem * op->elem;
}

/* A step is there at most twice: when it may start, and when its message comes. */
static uint32_t queue_size(const struct suo_coll_op *op)
{
	return 2 * op->plan->nsteps + 1;
}

static void enqueue(struct suo_coll_op *op, uint32_t i)
{
	op->queue[op->tail++ % queue_size(op)] = i;
}

/* The peer does not owe the step's message any more. */
void suo_coll_settle_debt(struct suo_coll_op *op, uint32_t i)
{
	if (op->state[i].owed)
		op->group->conn[op->plan->step[i].peer]->owed--;
	op->state[i].owed = false;
}

static void step_done(struct suo_coll_op *op, uint32_t i)
{
	const struct suo_coll_step *step = &op->plan->step[i];

	op->state[i].done = true;
	suo_coll_settle_debt(op, i);
	op->left--;
	for (uint32_t n = 0; n < step->nthen; n++) {
		uint32_t then = op->plan->then[step->first + n];

		if (!--op->state[then].waits)
			enqueue(op, then);
	}
}

/* Tells the sender where a long message is to go. */
static int tell_place(struct suo_coll_op *op, uint32_t i)
{
	const struct suo_coll_step *step = &op->plan->step[i];
	bool reduce = step->op == SUO_PLAN_RECV_REDUCE;
	enum suo_plan_buf buf = reduce ? SUO_PLAN_SCRATCH : step->buf;
	struct suo_seg seg = {
		.addr = htobe64((uintptr_t)at(op, buf, reduce ? step->src_off : step->off)),
		.len = htobe64(step_bytes(op, step)),
		.rkey = htonl(op->mr[buf]->rkey),
	};

	op->state[i].told = true;
	return suo_coll_control(op->group, step->peer, SUO_OP_COLL_READY, op->seq, step->index,
				&seg, sizeof(seg));
}

/* A message is here, and its step's turn has come. */
static void take(struct suo_coll_op *op, uint32_t i, const uint8_t *payload)
{
	const struct suo_coll_step *step = &op->plan->step[i];

	if (step->op == SUO_PLAN_RECV_REDUCE)
		suo_reduce(op->type, op->op, at(op, SUO_PLAN_DATA, step->off),
			   payload ? payload : at(op, SUO_PLAN_SCRATCH, step->src_off),
			   step->len);
	else if (payload && step->len)
		memcpy(at(op, step->buf, step->off), payload, step_bytes(op, step));
	step_done(op, i);
}

static int receive_step(struct suo_coll_op *op, uint32_t i)
{
	const struct suo_coll_step *step = &op->plan->step[i];
	struct suo_coll_state *state = &op->state[i];

	if (!state->came) {
		if (!is_eager(op, step) && !state->told)
			return tell_place(op, i);
		return 0;
	}
	take(op, i, state->msg ? state->msg->payload : NULL);
	free(state->msg);
	state->msg = NULL;
	return 0;
}

static int send_step(struct suo_coll_op *op, uint32_t i)
{
	const struct suo_coll_step *step = &op->plan->step[i];
	int err;

	if (!is_eager(op, step)) {
		if (!op->state[i].told || op->state[i].started)
			return 0;
		op->state[i].started = true;
		return suo_coll_write(op, i);
	}
	err = suo_coll_eager(op, step->peer, step->index, at(op, step->buf, step->off),
			     step_bytes(op, step));
	if (!err)
		step_done(op, i);
	return err;
}

/* A step's dependencies are done. */
static int start_step(struct suo_coll_op *op, uint32_t i)
{
	const struct suo_coll_step *step = &op->plan->step[i];

	if (op->state[i].done)
		return 0;
	switch (step->op) {
	case SUO_PLAN_SEND:
		return send_step(op, i);
	case SUO_PLAN_COPY:
		if (step->len)
			memcpy(at(op, step->buf, step->off), at(op, step->src, step->src_off),
			       step_bytes(op, step));
		step_done(op, i);
		return 0;
	default:
		return receive_step(op, i);
	}
}

/* Goes on until nothing is left to start, or no buffer is left to send from. */
void suo_coll_advance(struct suo_coll_op *op)
{
	if (op->busy)
		return;
	op->busy = true;
	while (op->head != op->tail && !op->err) {
		int err = start_step(op, op->queue[op->head % queue_size(op)]);

		if (err == -FI_EAGAIN) {
			if (suo_list_empty(&op->stall))
				suo_list_add_tail(&op->stall, &op->group->ep->coll.stalled);
			break;
		}
		if (err)
			suo_coll_fail(op->group, -err, true);
		op->head++;
	}
	op->busy = false;
	suo_coll_op_settle(op);
}

/* The step that a message is for; false if the plan has none. */
static bool find_step(const struct suo_coll_op *op, const struct suo_hdr *hdr, uint32_t *step)
{
	const struct suo_coll_plan *plan = op->plan;
	uint32_t member = hdr->data, index = (uint32_t)hdr->id;
	uint32_t first = plan->by_peer[member], end = plan->by_peer[member + 1];

	/* READY is for one of our sends, all others for a receive. */
	if (hdr->op == SUO_OP_COLL_READY)
		end = first + plan->nsends[member];
	else
		first += plan->nsends[member];
	if (index >= end - first)
		return false;
	*step = plan->msg[first + index];
	return true;
}

static bool message_fits(const struct suo_coll_op *op, uint32_t i, const struct suo_hdr *hdr,
			 const struct suo_seg *seg)
{
	const struct suo_coll_step *step = &op->plan->step[i];
	const struct suo_coll_state *state = &op->state[i];

	switch (hdr->op) {
	case SUO_OP_COLL_DATA:
		return is_eager(op, step) && hdr->len == step_bytes(op, step) && !state->came;
	case SUO_OP_COLL_READY:
		return !is_eager(op, step) && seg->len == step_bytes(op, step) && !state->told;
	case SUO_OP_COLL_DONE:
		return !is_eager(op, step) && state->told && !state->came;
	default:
		return false;
	}
}

void suo_coll_message(struct suo_coll_op *op, struct suo_conn *conn,
		      const struct suo_hdr *hdr, const uint8_t *payload, size_t size)
{
	const struct suo_seg *seg = (const struct suo_seg *)payload;
	struct suo_coll_state *state;
	uint32_t i;

	if (op->err)
		return;
	if (!find_step(op, hdr, &i) || !message_fits(op, i, hdr, seg)) {
		suo_warn(EP_DATA, "a collective got a message that its plan does not have: do all members make the same calls?\n");
		suo_coll_fail(op->group, FI_EIO, true);
		return;
	}
	state = &op->state[i];
	if (hdr->op == SUO_OP_COLL_READY) {
		state->told = true;
		state->place = *seg;
		if (!state->waits)
			enqueue(op, i);
	} else {
		state->came = true;
		if (!state->waits && hdr->op == SUO_OP_COLL_DATA && !op->busy) {
			take(op, i, payload);
		} else if (hdr->op == SUO_OP_COLL_DATA) {
			state->msg = malloc(sizeof(*state->msg) + size);
			if (!state->msg) {
				suo_coll_fail(op->group, FI_ENOMEM, true);
				return;
			}
			memcpy(state->msg->payload, payload, size);
			if (!state->waits)
				enqueue(op, i);
		} else if (!state->waits) {
			enqueue(op, i);
		}
	}
	suo_coll_advance(op);
}

void suo_coll_tx_done(struct suo_txreq *req, int err)
{
	struct suo_coll_op *op = req->coll;
	struct suo_coll_state *state = &op->state[req->coll_step];
	bool busy = op->busy;

	op->busy = true;
	op->inflight--;
	state->writes--;
	if (err)
		suo_coll_fail(op->group, err, true);
	else if (!state->writes && !op->err)
		step_done(op, req->coll_step);
	op->busy = busy;
	suo_coll_advance(op);
}

/* Messages that came before the operation began here. */
static void take_early(struct suo_coll_op *op)
{
	struct suo_list *pos, *tmp, mine;

	suo_list_init(&mine);
	suo_list_for_each_safe(pos, tmp, &op->group->early) {
		struct suo_coll_msg *msg = suo_entry(pos, struct suo_coll_msg, link);

		if (msg->hdr.id >> 32 != op->seq)
			continue;
		suo_list_del(pos);
		suo_list_add_tail(pos, &mine);
	}
	while ((pos = suo_list_pop(&mine))) {
		struct suo_coll_msg *msg = suo_entry(pos, struct suo_coll_msg, link);

		suo_coll_message(op, msg->conn, &msg->hdr, msg->payload, msg->size);
		free(msg);
	}
}

/* May a message land at once, whatever else goes on? Scratch memory is always free. */
static bool lands_in_scratch(const struct suo_coll_step *step)
{
	return step->op == SUO_PLAN_RECV_REDUCE ||
	       (step->op == SUO_PLAN_RECV && step->buf == SUO_PLAN_SCRATCH);
}

void suo_coll_run(struct suo_coll_op *op)
{
	int err = 0;

	op->busy = true;
	for (uint32_t i = 0; i < op->plan->nsteps; i++)
		op->state[i].waits = op->plan->step[i].waits;
	for (uint32_t i = 0; i < op->plan->nsteps && !err && !op->err; i++) {
		const struct suo_coll_step *step = &op->plan->step[i];

		if (is_receive(step))
			err = suo_coll_expect(op->group, step->peer, &op->state[i].owed);
		if (!err && lands_in_scratch(step) && !is_eager(op, step))
			err = tell_place(op, i);
		if (!op->state[i].waits)
			enqueue(op, i);
	}
	if (err)
		suo_coll_fail(op->group, -err, true);
	if (!op->err)
		take_early(op);
	op->busy = false;
	suo_coll_advance(op);
}
