/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connect handshake of one pair of endpoints, without clock and I/O.
 *
 * Each side has at most one RC queue pair for the other; a generation number,
 * growing over the endpoint's life, tells it from its predecessors. Three
 * messages are sent over UD, all carrying the sender's queue pair and both
 * generations:
 *
 *	REQ	"this is my queue pair; tell me yours"
 *	REP	"mine can receive; here it is"		(to a REQ or a REP)
 *	RTU	"mine can receive, too"			(to a REP)
 *
 * Since every message says what the other side must know, two REQs that cross
 * connect the same two queue pairs; nobody has to win. A side sends data only
 * when it knows that the other's queue pair can receive. Messages may be lost,
 * repeated and reordered: what has no answer is sent again, what is of an older
 * generation is dropped, and a newer generation of the peer resets our side.
 */
#ifndef SUO_FI_HANDSHAKE_H
#define SUO_FI_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

enum suo_hs_state {
	SUO_HS_IDLE,		/* no queue pair */
	SUO_HS_REQ_SENT,	/* ours is in INIT, the peer's unknown */
	SUO_HS_REP_SENT,	/* ours can receive; not known if the peer's can */
	SUO_HS_READY,		/* both can */
};

enum suo_hs_type {
	SUO_HS_NONE,
	SUO_HS_REQ,
	SUO_HS_REP,
	SUO_HS_RTU,
};

/**
 * struct suo_hs - one side's state
 * @state: where the handshake is
 * @gen: generation of our queue pair; meaningless in IDLE
 * @peer_gen: generation of the peer's queue pair that ours is connected to
 */
struct suo_hs {
	enum suo_hs_state	state;
	uint32_t		gen;
	uint32_t		peer_gen;
};

/**
 * struct suo_hs_todo - what the caller has to do, in this order
 * @reset: our queue pair is connected to one that is gone: destroy it and fail
 *	what was posted to it
 * @create: make a queue pair, whose generation is now in suo_hs.gen
 * @bring_up: connect it to the one that the message names
 * @send: the message to send, SUO_HS_NONE for none
 * @rearm: start the retransmission timer and the count of attempts anew
 * @ready: data may be sent from now on
 */
struct suo_hs_todo {
	bool			reset;
	bool			create;
	bool			bring_up;
	enum suo_hs_type	send;
	bool			rearm;
	bool			ready;
};

/* We want to send: starts a handshake if there is none. */
void suo_hs_connect(struct suo_hs *hs, uint32_t *next_gen,
		    struct suo_hs_todo *todo);

/**
 * suo_hs_supersedes() - does a message end our queue pair?
 * @hs: our state
 * @their_gen: as for suo_hs_message()
 *
 * Return: true if suo_hs_message() would reset; a caller that has work on the
 * queue pair must end that first.
 */
bool suo_hs_supersedes(const struct suo_hs *hs, uint32_t their_gen);

/**
 * suo_hs_message() - a message came in
 * @hs: our state
 * @next_gen: the endpoint's counter of generations, from 1
 * @type: enum suo_hs_type; an unknown one is ignored
 * @their_gen: generation of the sender's queue pair
 * @our_gen: generation of ours, as far as the sender knows it; 0 in a REQ
 * @todo: what to do
 */
void suo_hs_message(struct suo_hs *hs, uint32_t *next_gen, uint32_t type,
		    uint32_t their_gen, uint32_t our_gen,
		    struct suo_hs_todo *todo);

/* The timer ran out: says what to send again. */
void suo_hs_timeout(const struct suo_hs *hs, struct suo_hs_todo *todo);

/* Data arrived on our queue pair, which proves what an RTU says. */
void suo_hs_data(struct suo_hs *hs, struct suo_hs_todo *todo);

#endif /* SUO_FI_HANDSHAKE_H */
