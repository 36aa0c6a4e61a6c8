// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pfc.h"

u64 suo_pfc_threshold_bytes(const struct suo_pfc_law *law,
			    const struct suo_pfc_pool *pool)
{
	u64 free_bytes = suo_sub_sat(pool->size_bytes, pool->used_bytes);

	if (law->dynamic_th == SUO_PFC_NO_DYNAMIC)
		return law->static_bytes;
	if (law->dynamic_th < 0)
		return free_bytes >> -law->dynamic_th;
	return free_bytes << law->dynamic_th;
}

/* Take of the pool and, as it is shared, keep the most that was taken. */
static void take_shared(struct suo_pfc_pool *pool, struct suo_pfc_pg *pg, u64 bytes)
{
	pool->used_bytes += bytes;
	pool->used_max_bytes = suo_max(pool->used_max_bytes, pool->used_bytes);
	pg->shared_bytes += bytes;
	pg->shared_max_bytes = suo_max(pg->shared_max_bytes, pg->shared_bytes);
}

bool suo_pfc_admit(const struct suo_pfc_law *law, struct suo_pfc_pool *pool,
		   struct suo_pfc_pg *pg, u64 bytes, u32 *signal)
{
	u64 threshold_bytes;

	*signal = SUO_PFC_NOTHING;
	if (pg->reserved_bytes + bytes <= law->reserved_bytes) {
		pg->reserved_bytes += bytes;
		return true;
	}

	/*
	 * What follows a packet in the headroom may not overtake it there. The packet
	 * that makes a lossless group ask to stop is none of those that come after that,
	 * which headroom is for.
	 */
	threshold_bytes = suo_pfc_threshold_bytes(law, pool);
	if (!pg->headroom_bytes &&
	    (pg->shared_bytes + bytes <= threshold_bytes ||
	     (law->headroom_bytes && !pg->paused && pg->shared_bytes < threshold_bytes)) &&
	    pool->used_bytes + bytes <= pool->size_bytes) {
		take_shared(pool, pg, bytes);
		if (law->headroom_bytes && !pg->paused &&
		    pg->shared_bytes >= suo_pfc_threshold_bytes(law, pool))
			*signal = SUO_PFC_XOFF;
	} else {
		if (pg->headroom_bytes + bytes > law->headroom_bytes)
			return false;
		pg->headroom_bytes += bytes;
		pg->headroom_max_bytes = suo_max(pg->headroom_max_bytes,
						 pg->headroom_bytes);
		if (!pg->paused)
			*signal = SUO_PFC_XOFF;
	}

	if (*signal == SUO_PFC_XOFF)
		pg->paused = true;
	return true;
}

bool suo_pfc_may_resume(const struct suo_pfc_law *law,
			const struct suo_pfc_pool *pool,
			const struct suo_pfc_pg *pg)
{
	return pg->paused && !pg->headroom_bytes &&
	       (!pg->shared_bytes || pg->shared_bytes + law->xon_bytes <=
				     suo_pfc_threshold_bytes(law, pool));
}

/* Give back what is there, at most so much. Return: how much is left to give. */
static u64 give_back(u64 *used_bytes, u64 bytes)
{
	u64 part = *used_bytes < bytes ? *used_bytes : bytes;

	*used_bytes -= part;
	return bytes - part;
}

void suo_pfc_release(const struct suo_pfc_law *law, struct suo_pfc_pool *pool,
		     struct suo_pfc_pg *pg, u64 bytes, u32 *signal)
{
	u64 shared_bytes;

	bytes = give_back(&pg->headroom_bytes, bytes);
	shared_bytes = pg->shared_bytes;
	bytes = give_back(&pg->shared_bytes, bytes);
	pool->used_bytes -= shared_bytes - pg->shared_bytes;
	give_back(&pg->reserved_bytes, bytes);

	*signal = SUO_PFC_NOTHING;
	if (suo_pfc_may_resume(law, pool, pg)) {
		pg->paused = false;
		*signal = SUO_PFC_XON;
	}
}

u64 suo_pfc_quanta_ps(u64 rate_mbps, u32 quanta)
{
	if (!rate_mbps)
		return 0;
	return suo_div((u64)quanta * SUO_PFC_QUANTUM_BITS * 1000000, rate_mbps);
}

u32 suo_pfc_quanta(u64 rate_mbps, u64 ps)
{
	u64 bits = suo_mul_div(ps, rate_mbps, 1000000);
	u64 quanta = bits / SUO_PFC_QUANTUM_BITS;

	while (quanta < SUO_PFC_MAX_QUANTA &&
	       suo_pfc_quanta_ps(rate_mbps, quanta) < ps && rate_mbps)
		quanta++;
	return quanta < SUO_PFC_MAX_QUANTA ? quanta : SUO_PFC_MAX_QUANTA;
}

void suo_pfc_hear(struct suo_pfc_tx *tx, u64 rate_mbps, u32 prio, u32 quanta,
		  u64 now_ps)
{
	tx->until_ps[prio] = quanta ?
		suo_add_sat(now_ps, suo_pfc_quanta_ps(rate_mbps, quanta)) : 0;
}

u32 suo_pfc_response_quanta(u64 rate_mbps)
{
	static const struct {
		u32	rate_mbps;
		u32	quanta;
	} table[] = {
		{ 400000, 905 }, { 200000, 453 }, { 100000, 394 }, { 50000, 147 },
		{ 0, 80 },
	};
	u32 i = 0;

	while (rate_mbps < table[i].rate_mbps)
		i++;
	return table[i].quanta;
}

u64 suo_pfc_late_bytes(const struct suo_pfc_cable *cable)
{
	u64 s = cable->small_percent, c = cable->cell_bytes;
	u64 quanta = cable->quanta ? cable->quanta :
				     suo_pfc_response_quanta(cable->rate_mbps);
	u64 worst = c > 128 ? c : 2 * c;
	u64 per = c > 128 ? 64 : 1 + c;
	u64 bytes;

	/* 2 L R 10^9 / (1.98 10^8 * 8 * 2^10) = 2 L R 625 / 1013760 */
	bytes = suo_mul_div(2ull * cable->length_m * cable->rate_mbps, 625, 1013760);
	bytes += cable->mtu_bytes + 2ull * cable->gearbox_bytes +
		 cable->mac_phy_bytes + quanta * (SUO_PFC_QUANTUM_BITS / 8);
	bytes = suo_mul_div(bytes, (100 - s) * per + s * worst, 100 * per) + 1;
	bytes += cable->lossless_mtu_bytes;
	return (bytes + 1023) >> 10 << 10;
}
