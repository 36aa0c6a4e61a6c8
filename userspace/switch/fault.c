// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "model/core/ecmp.h"
#include "model/core/rand.h"
#include "userspace/switch/fault.h"

#define ETH_BITS	(14 * 8)

int swd_faults_init(struct swd_faults *faults, const struct swd_fault_ends *ends,
		    u32 links, u64 seed)
{
	*faults = (struct swd_faults){ .links = links, .ends = ends, .seed = seed };
	faults->of = calloc(links ? links : 1, sizeof(*faults->of));
	return faults->of ? 0 : -ENOMEM;
}

void swd_faults_free(struct swd_faults *faults)
{
	struct swd_fault *fault, *next;

	for (u32 i = 0; faults->of && i < faults->links; i++)
		for (fault = faults->of[i]; fault; fault = next) {
			next = fault->next;
			free(fault);
		}
	free(faults->of);
	*faults = (struct swd_faults){ 0 };
}

int swd_faults_add(struct swd_faults *faults, const struct swd_fault *given)
{
	struct swd_fault **at = &faults->of[given->link];
	struct swd_fault *fault;

	if (faults->n == SWD_FAULTS_MAX)
		return -ENOSPC;
	fault = malloc(sizeof(*fault));
	if (!fault)
		return -ENOMEM;
	*fault = *given;
	fault->next = NULL;
	fault->id = ++faults->last_id;
	fault->hits = 0;
	if (!fault->seed)
		fault->seed = suo_ecmp_hash_u64(fault->id, faults->seed);
	for (u32 d = 0; d < SWD_DIRS; d++)
		fault->side[d] = (struct swd_fault_side){
			.random = suo_ecmp_hash_u64(d, fault->seed),
		};
	while (*at)
		at = &(*at)->next;
	*at = fault;
	faults->n++;
	return fault->id;
}

int swd_faults_remove(struct swd_faults *faults, u32 id)
{
	for (u32 i = 0; i < faults->links; i++) {
		struct swd_fault **at = &faults->of[i], *fault;

		while (*at && (*at)->id != id)
			at = &(*at)->next;
		if (!*at)
			continue;
		fault = *at;
		*at = fault->next;
		free(fault);
		faults->n--;
		return 0;
	}
	return -ENOENT;
}

static bool is_on(const struct swd_fault *fault, u64 now_ps)
{
	return now_ps >= fault->from_ps && now_ps < fault->to_ps;
}

/* Does what has a chance of num / den happen now? */
static bool happens(u64 *random, u64 num, u64 den)
{
	/* 2^63 and half of the denominator, so that 2^64 is not needed. */
	return suo_rand(random) < suo_mul_div(num, 1ull << 63, den / 2) || num >= den;
}

static bool share(struct swd_fault *fault, struct swd_fault_side *side)
{
	return happens(&side->random, fault->share, SWD_FAULT_ONE);
}

/*
 * Gilbert's channel (Bell System Technical Journal, 1960), in which each frame of the
 * bad state is lost: it is left with the chance r = 1 / burst, and begins with the chance
 * g = share r / (1 - share). The share of time in it is g / (g + r) = share, and the mean
 * stay 1 / r.
 */
static bool in_burst(struct swd_fault *fault, struct swd_fault_side *side)
{
	if (side->bad)
		side->bad = !happens(&side->random, 2, 2ull * fault->burst);
	else
		side->bad = happens(&side->random, fault->share,
				    (SWD_FAULT_ONE - fault->share) * fault->burst);
	return side->bad;
}

/* Below n, evenly. */
static u64 below(u64 *random, u64 n)
{
	/* Of 63 bits, as 2^64, which none of them reaches, is no u64. */
	return suo_mul_div(suo_rand(random) >> 1, n, 1ull << 63);
}

/* How long after now a frame that is late arrives; none overtakes another. */
static u64 late_ps(struct swd_fault *fault, struct swd_fault_side *side, u64 now_ps)
{
	u64 at_ps = now_ps + fault->by_ps;

	if (fault->jitter_ps)
		at_ps += below(&side->random, fault->jitter_ps + 1);
	side->last_ps = suo_max(side->last_ps, at_ps);
	return side->last_ps - now_ps;
}

static bool is_down(const struct swd_fault *fault, u64 now_ps)
{
	if (fault->kind == SWD_FAULT_DEAD)
		return true;
	return fault->kind == SWD_FAULT_FLAP &&
	       (now_ps - fault->from_ps) % fault->period_ps < fault->down_ps;
}

static void judge(struct swd_fault *fault, struct swd_fault_side *side, u32 bytes,
		  u64 now_ps, struct swd_verdict *verdict)
{
	bool hit;

	switch (fault->kind) {
	case SWD_FAULT_LOSS:
		hit = fault->burst > 1 ? in_burst(fault, side) : share(fault, side);
		verdict->lost |= hit;
		break;
	case SWD_FAULT_LOSS_EVERY:
		hit = !(++side->count % fault->every);
		verdict->lost |= hit;
		break;
	case SWD_FAULT_CORRUPT:
		hit = share(fault, side) && bytes * 8 > ETH_BITS;
		if (hit)
			verdict->corrupt = ETH_BITS + below(&side->random,
							    bytes * 8 - ETH_BITS);
		break;
	case SWD_FAULT_REORDER:
		hit = share(fault, side);
		if (hit)
			verdict->delay_ps += fault->by_ps;
		break;
	case SWD_FAULT_DUPLICATE:
		hit = share(fault, side);
		verdict->copies += hit;
		break;
	case SWD_FAULT_DELAY:
		hit = true;
		verdict->delay_ps += late_ps(fault, side, now_ps);
		break;
	default:
		hit = is_down(fault, now_ps);
		verdict->lost |= hit;
		break;
	}
	fault->hits += hit;
}

void swd_faults_judge(struct swd_faults *faults, u32 link, u32 dir, u32 prio, u32 bytes,
		      u64 now_ps, struct swd_verdict *verdict)
{
	struct swd_fault *fault;

	for (fault = faults->of[link]; fault; fault = fault->next)
		if (is_on(fault, now_ps) && fault->dirs >> dir & 1 &&
		    fault->prios >> prio & 1)
			judge(fault, &fault->side[dir], bytes, now_ps, verdict);
	if (verdict->lost)
		verdict->copies = 0;
}

/* The first of what may be before another time. */
static void sooner(u64 *next_ps, u64 at_ps, u64 now_ps)
{
	if (at_ps > now_ps && at_ps < *next_ps)
		*next_ps = at_ps;
}

/* The next end of a part of a period: its first part_ps, and the rest. */
static void sooner_part(const struct swd_fault *fault, u64 part_ps, u64 now_ps,
			u64 *next_ps)
{
	u64 begin_ps = now_ps - (now_ps - fault->from_ps) % fault->period_ps;

	sooner(next_ps, begin_ps + part_ps, now_ps);
	sooner(next_ps, suo_add_sat(begin_ps, fault->period_ps), now_ps);
}

static u64 paused_ps(const struct swd_fault *fault)
{
	return suo_mul_div(fault->period_ps, fault->share, SWD_FAULT_ONE);
}

static void pause_state(const struct swd_fault *fault, u64 rate_mbps, u64 now_ps,
			struct swd_fault_state *state)
{
	bool now = true;

	if (fault->kind == SWD_FAULT_PAUSE) {
		now = (now_ps - fault->from_ps) % fault->period_ps < paused_ps(fault);
		sooner_part(fault, paused_ps(fault), now_ps, &state->next_ps);
	}
	if (!now)
		return;
	for (u32 d = 0; d < SWD_DIRS; d++)
		if (fault->dirs >> d & 1)
			state->pause[d] |= fault->prios;
	/* A pause runs out: it is repeated when half of it is over. */
	sooner(&state->next_ps,
	       now_ps + suo_pfc_quanta_ps(rate_mbps, SUO_PFC_MAX_QUANTA) / 2, now_ps);
}

static void add_state(const struct swd_fault *fault, u64 rate_mbps, u64 now_ps,
		      struct swd_fault_state *state)
{
	switch (fault->kind) {
	case SWD_FAULT_FLAP:
		sooner_part(fault, fault->down_ps, now_ps, &state->next_ps);
		/* fallthrough */
	case SWD_FAULT_DEAD:
		for (u32 d = 0; d < SWD_DIRS; d++)
			state->down[d] |= is_down(fault, now_ps) &&
					  fault->dirs >> d & 1 && fault->prios == 0xff;
		return;
	case SWD_FAULT_SLOW:
		for (u32 d = 0; d < SWD_DIRS; d++)
			if (fault->dirs >> d & 1 &&
			    (!state->rate_mbps[d] ||
			     fault->rate_mbps < state->rate_mbps[d]))
				state->rate_mbps[d] = fault->rate_mbps;
		return;
	case SWD_FAULT_PAUSE:
	case SWD_FAULT_STORM:
		pause_state(fault, rate_mbps, now_ps, state);
		return;
	default:
		return;
	}
}

void swd_faults_state(const struct swd_faults *faults, u32 link, u64 now_ps,
		      struct swd_fault_state *state)
{
	const struct swd_fault *fault;

	*state = (struct swd_fault_state){ .next_ps = U64_MAX };
	for (fault = faults->of[link]; fault; fault = fault->next) {
		sooner(&state->next_ps, fault->from_ps, now_ps);
		sooner(&state->next_ps, fault->to_ps, now_ps);
		if (is_on(fault, now_ps))
			add_state(fault, faults->ends[link].rate_mbps, now_ps, state);
	}
}
