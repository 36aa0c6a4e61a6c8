/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Closed forms of what groups of ranks do over links of one kind. Times are
 * picoseconds from when all members begin to when the last one has its data;
 * SUO_NO_FORM where there is no form that the replayed plan agrees with.
 *
 * With L the latency of a link, s(m) the time that m elements take it, framing
 * included, and t(m) = s(m) + L:
 */
#ifndef SUO_ANALYTIC_CLOSED_H
#define SUO_ANALYTIC_CLOSED_H

#include "model/analytic/net.h"

#define SUO_NO_FORM	U64_MAX

/* The links of a group: those of the domain, or those across. */
struct suo_leg {
	const struct suo_net	*net;
	bool			up;
};

/* t(m), s(m) and L; so many messages from one port, one after the other: their s + L. */
u64 suo_leg_message_ps(const struct suo_leg *leg, u64 count);
u64 suo_leg_busy_ps(const struct suo_leg *leg, u64 count);
u64 suo_leg_latency_ps(const struct suo_leg *leg);
u64 suo_leg_row_ps(const struct suo_leg *leg, u32 messages, u64 count);

/* The largest of so many nearly equal parts. */
u64 suo_leg_part(u64 count, u32 parts);

/*
 * ReduceScatter or AllGather: (n - 1) t(m / n) in a ring; in halves, the sum of
 * t(m / 2), t(m / 4) and so on for powers of two, in O(log n), and of as many steps
 * as the next power of two has for others, in O(n log n). Patarasuk and Yuan 2009;
 * Thakur et al. 2005; Traeff 2024. Both are one after the other.
 */
u64 suo_ring_half_ps(const struct suo_leg *leg, u32 n, u64 count);
u64 suo_rhd_half_ps(const struct suo_leg *leg, u32 n, u64 count);
u64 suo_rhd_both_ps(const struct suo_leg *leg, u32 n, u64 count);

/* All to all at once: (n - 1) s(m / n) + L, for m that n divides. */
u64 suo_direct_half_ps(const struct suo_leg *leg, u32 n, u64 count);

/* AllReduce of whole vectors: log2 n t(m), for powers of two. */
u64 suo_rd_ps(const struct suo_leg *leg, u32 n, u64 count);

/*
 * ReduceScatter and AllGather, or both, in @steps steps of two rings: a port sends
 * a half part each way, and is done with one way's before it has the next. Of
 * equal half parts that are one piece each, no longer than the latency.
 */
u64 suo_biring_ps(const struct suo_leg *leg, u32 n, u64 count, u32 steps);

/* A Broadcast in C chunks through all members: (n - 1) t(m / C) + (C - 1) s(m / C). */
u64 suo_chain_ps(const struct suo_leg *leg, u32 n, u64 count, u32 chunks);

/*
 * A ring round domains of g, where the links between domains are slow: a message
 * may wait for its port (s) or move on (t), 2 (N - 1) times in all for an
 * AllReduce; what takes longest counts.
 */
void suo_mixed_ring_ps(const struct suo_net *net, u32 nranks, u64 count, u32 steps,
		       u64 *data_ps, u64 *done_ps);

/*
 * Binomial trees, of any size. Broadcast: a node serves its K children in turn,
 * so that with z for the last piece of a message the k-th has it after
 * K (s - z) + k z + L, and the first a little earlier. Reduce: a node takes its
 * children's vectors as they come; on a scale-up port one after the other.
 */
u64 suo_binomial_broadcast_ps(const struct suo_leg *leg, u32 n, u64 count);
u64 suo_binomial_reduce_ps(const struct suo_leg *leg, u32 n, u64 count);

#endif /* SUO_ANALYTIC_CLOSED_H */
