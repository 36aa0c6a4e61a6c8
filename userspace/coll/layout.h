/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plan made ready for one rank: where each message lands, which of the plan's
 * dependencies still have to be waited for, and the proof that it may be run
 * again and again. Documentation/design/executor.rst has the argument.
 */
#ifndef SUO_COLL_LAYOUT_H
#define SUO_COLL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/plan/plan.h"

/* Bits of the remote CQ data; the rest is the epoch. */
#define SUO_LAYOUT_STEP_BITS	20
#define SUO_LAYOUT_MAX_STEPS	(1u << SUO_LAYOUT_STEP_BITS)

/**
 * struct suo_layout_step - one step of this rank
 * @op: enum suo_plan_op
 * @peer: the other rank
 * @off: first element of the vector
 * @len: elements
 * @scratch: the message lands in scratch memory: always for RECV_REDUCE, for
 *	RECV only where landing in the vector is not proven safe. For a SEND, the
 *	same of the peer's step.
 * @at: first element of where it lands, in scratch memory or the vector; for a
 *	SEND, at the peer
 * @peer_step: SEND: the peer's step that takes the message
 * @waits: what has to happen before the step can be carried out: dependencies,
 *	and the arrival of a receive's message
 * @first: the steps that wait for this one are then[first] ... of the layout
 * @nthen: how many
 */
struct suo_layout_step {
	uint32_t	op;
	uint32_t	peer;
	uint64_t	off;
	uint64_t	len;
	uint64_t	at;
	uint32_t	peer_step;
	uint32_t	waits;
	uint32_t	first;
	uint32_t	nthen;
	bool		scratch;
};

/**
 * struct suo_layout - a plan from one rank's point of view
 * @step: steps, numbered as in the plan
 * @nsteps: how many
 * @nrecvs: how many of them receive
 * @scratch_len: elements of scratch memory an epoch needs at this rank
 * @then: see struct suo_layout_step
 */
struct suo_layout {
	struct suo_layout_step	*step;
	uint32_t		nsteps;
	uint32_t		nrecvs;
	uint64_t		scratch_len;
	uint32_t		*then;
};

/**
 * suo_layout_create() - make a plan ready for a rank
 * @plan: the plan; it must have passed suo_plan_check(). Not needed later.
 * @rank: whose view
 * @out: the layout; free it with suo_layout_free()
 * @why: room for a message, or NULL
 * @why_size: its size in bytes
 *
 * Return: 0, -EINVAL if sends and receives do not match, -EOPNOTSUPP if a rank
 * may end the plan before another has begun it or if the plan is too large,
 * -ENOMEM.
 */
int suo_layout_create(const struct suo_plan *plan, uint32_t rank,
		      struct suo_layout **out, char *why, size_t why_size);

void suo_layout_free(struct suo_layout *layout);

#endif /* SUO_COLL_LAYOUT_H */
