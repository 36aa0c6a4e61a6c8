/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What goes wrong on links: which frames are lost, damaged, held up or doubled, when a
 * link is down or slow, and when a peer pauses. It decides and touches no frame and no
 * clock: the time is an argument, in picoseconds of modelled time. The same seed and the
 * same frames give the same decisions, and one fault's do not depend on another's.
 */
#ifndef SUO_SWITCH_FAULT_H
#define SUO_SWITCH_FAULT_H

#include "model/core/pfc.h"

#define SWD_FAULTS_MAX		256u
#define SWD_FAULT_TEXT		256u
/* A share of one, in the unit of shares: 10^-15. */
#define SWD_FAULT_ONE		1000000000000000ull
#define SWD_FAULT_MAX_BURST	10000u

enum swd_fault_kind {
	SWD_FAULT_LOSS,		/* a share of the frames, one by one or in bursts */
	SWD_FAULT_LOSS_EVERY,	/* each n-th frame */
	SWD_FAULT_CORRUPT,	/* one bit of a share of the frames */
	SWD_FAULT_REORDER,	/* a share is held up, and others overtake it */
	SWD_FAULT_DUPLICATE,	/* a share comes twice */
	SWD_FAULT_DELAY,	/* all are late, in order */
	SWD_FAULT_FLAP,		/* the link goes down again and again */
	SWD_FAULT_DEAD,		/* it is down */
	SWD_FAULT_SLOW,		/* it has another rate */
	SWD_FAULT_PAUSE,	/* the peer asks for pauses, for a share of the time */
	SWD_FAULT_STORM,	/* and never ends one */
	SWD_FAULT_KINDS,
};

/* Directions of a link, as an index and as bits. */
enum swd_fault_dir {
	SWD_DIR_AB,
	SWD_DIR_BA,
	SWD_DIRS,
};

/* What one direction of a fault remembers. */
struct swd_fault_side {
	u64	random;
	u64	last_ps;	/* delay: when the last frame arrives */
	u64	count;		/* frames so far */
	bool	bad;		/* in a burst */
};

/**
 * struct swd_fault - one fault
 * @next: of the same link
 * @id: from 1 on
 * @link: its link
 * @kind: enum swd_fault_kind
 * @dirs: bit d: in direction d; of pauses: they are sent in that direction
 * @prios: bit p: frames of priority p; pauses for it
 * @from_ps: it begins
 * @to_ps: it is over; U64_MAX: never
 * @share: in 10^-15; of frames, or of the time (pause)
 * @every: loss: of so many frames the last one is lost
 * @burst: loss: mean length of a burst in frames; 1: no bursts
 * @by_ps: reorder, delay: how late
 * @jitter_ps: delay: up to so much more
 * @period_ps: flap, pause
 * @down_ps: flap: it is down for so long at the beginning of each period
 * @rate_mbps: slow
 * @seed: of its random numbers
 * @hits: frames that it has met
 * @side: by direction
 * @text: as it was written
 */
struct swd_fault {
	struct swd_fault	*next;
	u32			id;
	u32			link;
	u32			kind;
	u32			dirs;
	u32			prios;
	u64			from_ps;
	u64			to_ps;
	u64			share;
	u64			every;
	u32			burst;
	u64			by_ps;
	u64			jitter_ps;
	u64			period_ps;
	u64			down_ps;
	u64			rate_mbps;
	u64			seed;
	u64			hits;
	struct swd_fault_side	side[SWD_DIRS];
	char			text[SWD_FAULT_TEXT];
};

/**
 * struct swd_fault_ends - a link, for those who name one
 * @name: of the link
 * @a_node: a switch, such as "leaf0", or an endpoint, such as "h0:nic0"
 * @a_port: the port, such as "leaf0:Ethernet4"; of an endpoint the same as @a_node
 * @b_node: at the other end
 * @b_port: at the other end
 * @rate_mbps: of the link
 */
struct swd_fault_ends {
	const char	*name;
	const char	*a_node;
	const char	*a_port;
	const char	*b_node;
	const char	*b_port;
	u64		rate_mbps;
};

/**
 * struct swd_faults - all of them
 * @links: how many links there are
 * @ends: the links; the caller's
 * @of: by link, a list in the order in which they came
 * @seed: of what has no seed of its own
 * @last_id: of the newest
 * @n: how many there are
 */
struct swd_faults {
	u32				links;
	const struct swd_fault_ends	*ends;
	struct swd_fault		**of;
	u64				seed;
	u32				last_id;
	u32				n;
};

/**
 * struct swd_verdict - what becomes of a frame
 * @lost: it does not arrive
 * @corrupt: this bit of it is inverted, counted from the frame's first bit; 0: none.
 *	Never one of the Ethernet header: somebody shall get it.
 * @copies: so often it arrives
 * @delay_ps: so much later than it would
 */
struct swd_verdict {
	bool	lost;
	u32	corrupt;
	u32	copies;
	u64	delay_ps;
};

/**
 * struct swd_fault_state - what lasts, on one link
 * @down: by direction: nothing arrives, of no priority
 * @rate_mbps: by direction: of the port that sends; 0: its own
 * @pause: by direction, bit p: now the end that sends in this direction asks for a
 *	pause of priority p, of all quanta; a priority that is no longer here is resumed
 * @next_ps: ask again then; U64_MAX: nothing will change
 */
struct swd_fault_state {
	bool	down[SWD_DIRS];
	u64	rate_mbps[SWD_DIRS];
	u32	pause[SWD_DIRS];
	u64	next_ps;
};

/* Return: 0 or -ENOMEM; free with swd_faults_free() also then. */
int swd_faults_init(struct swd_faults *faults, const struct swd_fault_ends *ends,
		    u32 links, u64 seed);
void swd_faults_free(struct swd_faults *faults);

/**
 * swd_faults_add() - one more
 * @faults: where
 * @fault: what; it is copied, and gets an id and the state to begin with
 *
 * Return: its id, -ENOSPC when there are SWD_FAULTS_MAX, -ENOMEM.
 */
int swd_faults_add(struct swd_faults *faults, const struct swd_fault *fault);

/* Return: 0 or -ENOENT. */
int swd_faults_remove(struct swd_faults *faults, u32 id);

/* For swd_faults_frame(). */
void swd_faults_judge(struct swd_faults *faults, u32 link, u32 dir, u32 prio, u32 bytes,
		      u64 now_ps, struct swd_verdict *verdict);

/**
 * swd_faults_frame() - a frame is sent over a link
 * @faults: all faults
 * @link: number of the link
 * @dir: enum swd_fault_dir
 * @prio: 0 to 7
 * @bytes: of the frame, without FCS
 * @now_ps: the time
 * @verdict: filled in
 */
static inline void swd_faults_frame(struct swd_faults *faults, u32 link, u32 dir,
				    u32 prio, u32 bytes, u64 now_ps,
				    struct swd_verdict *verdict)
{
	*verdict = (struct swd_verdict){ .copies = 1 };
	if (faults->of[link])
		swd_faults_judge(faults, link, dir, prio, bytes, now_ps, verdict);
}

/* What lasts on a link at a time. */
void swd_faults_state(const struct swd_faults *faults, u32 link, u64 now_ps,
		      struct swd_fault_state *state);

#endif /* SUO_SWITCH_FAULT_H */
