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
 * @buf: enum suo_plan_buf: what the plan says
 * @src: enum suo_plan_buf: where a COPY, MCAST_WRITE or REDUCED_READ reads
 * @off: first element in @buf
 * @len: elements
 * @src_off: first element in @src
 * @scratch: the message lands in scratch memory, at @at: always for
 *	RECV_REDUCE; for a RECV into DATA only where landing there is not proven
 *	safe, and for one into SCRATCH because that is the place. For a SEND, the
 *	same of the peer's step.
 * @at: first element of where it lands, in scratch memory or DATA; for a SEND,
 *	at the peer
 * @peer_step: SEND: the peer's step that takes the message
 * @waits: what has to happen before the step can be carried out: dependencies,
 *	and the arrival of a receive's message
 * @first: the steps that wait for this one are then[first] ... of the layout
 * @nthen: how many
 */
struct suo_layout_step {
	uint16_t	op;
	uint8_t		buf;
	uint8_t		src;
	uint32_t	peer;
	uint64_t	off;
	uint64_t	len;
	uint64_t	src_off;
	uint64_t	at;
	uint32_t	peer_step;
	uint32_t	waits;
	uint32_t	first;
	uint32_t	nthen;
	bool		scratch;
};

/**
 * struct suo_layout - a plan from one rank's point of view
 * @coll: what the plan does
 * @nranks: its ranks
 * @domain_size: ranks of a domain
 * @count: elements of DATA
 * @uses: bit op is set if some rank has a step of that kind
 * @step: steps, numbered as in the plan
 * @nsteps: how many
 * @nrecvs: how many of them receive
 * @scratch_len: elements of scratch memory an epoch needs at this rank
 * @then: see struct suo_layout_step
 */
struct suo_layout {
	enum suo_coll		coll;
	uint32_t		nranks;
	uint32_t		domain_size;
	uint64_t		count;
	uint32_t		uses;
	struct suo_layout_step	*step;
	uint32_t		nsteps;
	uint32_t		nrecvs;
	uint64_t		scratch_len;
	uint32_t		*then;
};

/* Does some rank have a step that the switch does for its whole domain? */
static inline bool suo_layout_in_network(const struct suo_layout *layout)
{
	return layout->uses & (1u << SUO_PLAN_MCAST_WRITE | 1u << SUO_PLAN_REDUCED_READ);
}

enum suo_layout_flags {
	/*
	 * Between any two runs all ranks meet by other means, when their buffers
	 * are ready: so that the plan need not see to it.
	 */
	SUO_LAYOUT_APART = 1 << 0,
};

/**
 * suo_layout_create() - make a plan ready for a rank
 * @plan: the plan; it must have passed suo_plan_check(). Not needed later.
 * @rank: whose view
 * @flags: enum suo_layout_flags
 * @out: the layout; free it with suo_layout_free()
 * @why: room for a message, or NULL
 * @why_size: its size in bytes
 *
 * Return: 0, -EINVAL if sends and receives do not match, -EOPNOTSUPP if a rank
 * may end the plan before another has begun it or if the plan is too large,
 * -ENOMEM.
 */
int suo_layout_create(const struct suo_plan *plan, uint32_t rank, unsigned int flags,
		      struct suo_layout **out, char *why, size_t why_size);

void suo_layout_free(struct suo_layout *layout);

#endif /* SUO_COLL_LAYOUT_H */
