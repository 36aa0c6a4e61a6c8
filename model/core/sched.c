// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sched.h"

static u64 quantum_bytes(const struct suo_sched_law *law, u32 q)
{
	return (u64)law->weight[q] * SUO_SCHED_UNIT_BYTES;
}

static void next_turn(struct suo_sched *sched)
{
	sched->turn = (sched->turn + 1) % SUO_SCHED_QUEUES;
	sched->served = false;
}

/*
 * Small weights may take many rounds until a packet fits. All of them but the last
 * do no more than add quanta, so these are added at once.
 */
static void skip_rounds(const struct suo_sched_law *law, struct suo_sched *sched,
			u32 ready, const u32 *head_bytes)
{
	u64 rounds = U64_MAX;
	u32 q;

	for (q = 0; q < SUO_SCHED_QUEUES; q++) {
		u64 lacking, need;

		if (!(ready >> q & 1))
			continue;
		lacking = suo_sub_sat(head_bytes[q], sched->deficit_bytes[q]);
		need = suo_div(lacking + quantum_bytes(law, q) - 1,
			       quantum_bytes(law, q));
		if (need < rounds)
			rounds = need;
	}
	if (rounds < 2)
		return;
	for (q = 0; q < SUO_SCHED_QUEUES; q++)
		if (ready >> q & 1)
			sched->deficit_bytes[q] += (rounds - 1) *
						   quantum_bytes(law, q);
}

static u32 round_robin(const struct suo_sched_law *law, struct suo_sched *sched,
		       u32 ready, const u32 *head_bytes)
{
	u32 visits;

	for (visits = 0; ; visits++) {
		u32 q = sched->turn;

		if (ready >> q & 1) {
			if (!sched->served) {
				sched->deficit_bytes[q] += quantum_bytes(law, q);
				sched->served = true;
			}
			if (sched->deficit_bytes[q] >= head_bytes[q]) {
				sched->deficit_bytes[q] -= head_bytes[q];
				return q;
			}
		} else {
			sched->deficit_bytes[q] = 0;
		}
		next_turn(sched);
		/* Each has been visited from its beginning: none of them fits. */
		if (visits == SUO_SCHED_QUEUES)
			skip_rounds(law, sched, ready, head_bytes);
	}
}

u32 suo_sched_pick(const struct suo_sched_law *law, struct suo_sched *sched,
		   u32 ready, const u32 *head_bytes)
{
	u32 strict = ready & law->strict;

	if (strict)
		return suo_top_bit(strict);
	return round_robin(law, sched, ready, head_bytes);
}
