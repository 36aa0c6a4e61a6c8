// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "handshake.h"

static void create(struct suo_hs *hs, uint32_t *next_gen,
		   struct suo_hs_todo *todo)
{
	todo->create = true;
	hs->gen = (*next_gen)++;
	hs->peer_gen = 0;
}

static void begin(struct suo_hs *hs, uint32_t *next_gen, struct suo_hs_todo *todo)
{
	create(hs, next_gen, todo);
	hs->state = SUO_HS_REQ_SENT;
	todo->send = SUO_HS_REQ;
	todo->rearm = true;
}

void suo_hs_connect(struct suo_hs *hs, uint32_t *next_gen,
		    struct suo_hs_todo *todo)
{
	memset(todo, 0, sizeof(*todo));
	if (hs->state != SUO_HS_IDLE)
		return;
	begin(hs, next_gen, todo);
}

static void bring_up(struct suo_hs *hs, uint32_t their_gen,
		     struct suo_hs_todo *todo)
{
	todo->bring_up = true;
	hs->peer_gen = their_gen;
	hs->state = SUO_HS_REP_SENT;
}

static void got_req(struct suo_hs *hs, uint32_t *next_gen, uint32_t their_gen,
		    struct suo_hs_todo *todo)
{
	if (hs->state == SUO_HS_IDLE)
		create(hs, next_gen, todo);
	if (hs->state == SUO_HS_IDLE || hs->state == SUO_HS_REQ_SENT) {
		bring_up(hs, their_gen, todo);
		todo->rearm = true;
	}
	todo->send = SUO_HS_REP;
}

static void got_rep(struct suo_hs *hs, uint32_t their_gen,
		    struct suo_hs_todo *todo)
{
	if (hs->state == SUO_HS_REQ_SENT)
		bring_up(hs, their_gen, todo);
	if (hs->state == SUO_HS_REP_SENT) {
		hs->state = SUO_HS_READY;
		todo->ready = true;
	}
	todo->send = SUO_HS_RTU;
}

static bool bound(const struct suo_hs *hs)
{
	return hs->state == SUO_HS_REP_SENT || hs->state == SUO_HS_READY;
}

bool suo_hs_supersedes(const struct suo_hs *hs, uint32_t their_gen)
{
	return bound(hs) && (int32_t)(their_gen - hs->peer_gen) > 0;
}

/* Is the message about the queue pairs of today? */
static bool current(const struct suo_hs *hs, uint32_t type, uint32_t their_gen,
		    uint32_t our_gen)
{
	if (bound(hs) && their_gen != hs->peer_gen)
		return false;
	return type == SUO_HS_REQ || our_gen == hs->gen;
}

void suo_hs_message(struct suo_hs *hs, uint32_t *next_gen, uint32_t type,
		    uint32_t their_gen, uint32_t our_gen,
		    struct suo_hs_todo *todo)
{
	memset(todo, 0, sizeof(*todo));
	if (type < SUO_HS_REQ || type > SUO_HS_RTU)
		return;

	if (suo_hs_supersedes(hs, their_gen)) {
		todo->reset = true;
		hs->state = SUO_HS_IDLE;
	}
	if (hs->state == SUO_HS_IDLE && type != SUO_HS_REQ) {
		/* The peer is tied to a queue pair that is gone. */
		if (type == SUO_HS_REP || todo->reset)
			begin(hs, next_gen, todo);
		return;
	}
	if (!current(hs, type, their_gen, our_gen))
		return;

	switch (type) {
	case SUO_HS_REQ:
		got_req(hs, next_gen, their_gen, todo);
		break;
	case SUO_HS_REP:
		got_rep(hs, their_gen, todo);
		break;
	case SUO_HS_RTU:
		if (hs->state == SUO_HS_REP_SENT) {
			hs->state = SUO_HS_READY;
			todo->ready = true;
		}
		break;
	}
}

void suo_hs_timeout(const struct suo_hs *hs, struct suo_hs_todo *todo)
{
	memset(todo, 0, sizeof(*todo));
	if (hs->state == SUO_HS_REQ_SENT)
		todo->send = SUO_HS_REQ;
	else if (hs->state == SUO_HS_REP_SENT)
		todo->send = SUO_HS_REP;
}

void suo_hs_data(struct suo_hs *hs, struct suo_hs_todo *todo)
{
	memset(todo, 0, sizeof(*todo));
	if (hs->state != SUO_HS_REP_SENT)
		return;
	hs->state = SUO_HS_READY;
	todo->ready = true;
}
