/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Priority flow control, IEEE 802.1Qbb (802.1Q-2018, clause 36): when a receiver
 * asks its sender to stop, for how long, and what room it needs for what comes
 * after that. Buffers are shared by dynamic thresholds: Choudhury and Hahne,
 * "Dynamic queue length thresholds for shared-memory packet switches", 1998, in the
 * form that SAI and SONiC configure.
 */
#ifndef SUO_CORE_PFC_H
#define SUO_CORE_PFC_H

#include "types.h"

#define SUO_PFC_PRIOS		8
#define SUO_PFC_MAX_QUANTA	0xffffu
#define SUO_PFC_QUANTUM_BITS	512
#define SUO_PFC_NO_DYNAMIC	127	/* static_bytes counts */

/**
 * struct suo_pfc_pool - a buffer that many share
 * @size_bytes: its size, without what is reserved and without headroom
 * @used_bytes: of it
 * @used_max_bytes: the most that was in use (watermark)
 */
struct suo_pfc_pool {
	u64	size_bytes;
	u64	used_bytes;
	u64	used_max_bytes;
};

/**
 * struct suo_pfc_law - a buffer profile, as SONiC's BUFFER_PROFILE has it
 * @reserved_bytes: a priority group's own ("size" without headroom)
 * @static_bytes: it may use so much of the pool, if @dynamic_th says so
 * @headroom_bytes: room for what arrives after it has asked to stop ("xoff"); 0
 *	for a lossy class, which drops instead of asking
 * @xon_bytes: it asks to go on when its part of the pool is so far below the
 *	threshold ("xon_offset")
 * @dynamic_th: or it may use 2^dynamic_th times what is free of the pool;
 *	SUO_PFC_NO_DYNAMIC or from -16 to 16
 */
struct suo_pfc_law {
	u64	reserved_bytes;
	u64	static_bytes;
	u64	headroom_bytes;
	u64	xon_bytes;
	s32	dynamic_th;
};

/**
 * struct suo_pfc_pg - a priority group: one priority of one ingress port
 * @reserved_bytes: used of what is its own
 * @shared_bytes: used of the pool
 * @headroom_bytes: used of its headroom
 * @shared_max_bytes: watermark of @shared_bytes
 * @headroom_max_bytes: watermark of @headroom_bytes
 * @paused: it has asked to stop, and not yet to go on
 */
struct suo_pfc_pg {
	u64	reserved_bytes;
	u64	shared_bytes;
	u64	headroom_bytes;
	u64	shared_max_bytes;
	u64	headroom_max_bytes;
	bool	paused;
};

/* What a change of a priority group means for its sender. */
enum suo_pfc_signal {
	SUO_PFC_NOTHING,
	SUO_PFC_XOFF,
	SUO_PFC_XON,
};

/* How much of a pool a class may use now. */
u64 suo_pfc_threshold_bytes(const struct suo_pfc_law *law,
			    const struct suo_pfc_pool *pool);

/**
 * suo_pfc_admit() - a packet comes in
 * @law: the profile
 * @pool: the pool
 * @pg: the priority group
 * @bytes: of the packet
 * @signal: enum suo_pfc_signal, for its sender
 *
 * The packet takes what is reserved, then the pool up to the threshold, then the
 * headroom; a packet is never split. To need headroom is to ask to stop; so is to
 * have used the pool up to the threshold, or beyond it by a part of the packet: the one
 * that makes the group ask takes no headroom.
 *
 * Return: whether there was room. If not, nothing was taken.
 */
bool suo_pfc_admit(const struct suo_pfc_law *law, struct suo_pfc_pool *pool,
		   struct suo_pfc_pg *pg, u64 bytes, u32 *signal);

/**
 * suo_pfc_release() - a packet has gone
 * @law: the profile
 * @pool: the pool
 * @pg: the priority group
 * @bytes: of the packet
 * @signal: enum suo_pfc_signal, for its sender
 *
 * Headroom is given back first, then the pool, then what is reserved.
 */
void suo_pfc_release(const struct suo_pfc_law *law, struct suo_pfc_pool *pool,
		     struct suo_pfc_pg *pg, u64 bytes, u32 *signal);

/* Should a group that has asked to stop ask to go on? The pool may have emptied. */
bool suo_pfc_may_resume(const struct suo_pfc_law *law,
			const struct suo_pfc_pool *pool,
			const struct suo_pfc_pg *pg);

/* How long a pause of so many quanta (512 bit times of the link) is. */
u64 suo_pfc_quanta_ps(u64 rate_mbps, u32 quanta);

/* The fewest quanta that last so long, or SUO_PFC_MAX_QUANTA. */
u32 suo_pfc_quanta(u64 rate_mbps, u64 ps);

/**
 * struct suo_pfc_tx - what a sender has been asked
 * @until_ps: it does not begin a packet of a priority before this
 */
struct suo_pfc_tx {
	u64	until_ps[SUO_PFC_PRIOS];
};

/* A pause frame for one priority takes effect; 0 quanta: go on. */
void suo_pfc_hear(struct suo_pfc_tx *tx, u64 rate_mbps, u32 prio, u32 quanta,
		  u64 now_ps);

static inline bool suo_pfc_is_paused(const struct suo_pfc_tx *tx, u32 prio,
				     u64 now_ps)
{
	return tx->until_ps[prio] > now_ps;
}

/**
 * struct suo_pfc_cable - what decides on the headroom of a port
 * @rate_mbps: of the link
 * @length_m: of the cable
 * @mtu_bytes: largest packet of any class, which a pause frame may have to wait for
 * @lossless_mtu_bytes: of the class
 * @cell_bytes: the buffer is allotted in cells of so many
 * @small_percent: share of packets so short that they waste the cells most
 * @gearbox_bytes: what a gearbox holds, one way
 * @mac_phy_bytes: what MAC and PHY hold
 * @quanta: how long the peer takes to obey; 0: what IEEE allows at this rate
 */
struct suo_pfc_cable {
	u64	rate_mbps;
	u32	length_m;
	u32	mtu_bytes;
	u32	lossless_mtu_bytes;
	u32	cell_bytes;
	u32	small_percent;
	u32	gearbox_bytes;
	u32	mac_phy_bytes;
	u32	quanta;
};

/* Quanta that a receiver of a pause frame may take: sonic-swss has them by rate. */
u32 suo_pfc_response_quanta(u64 rate_mbps);

/**
 * suo_pfc_late_bytes() - headroom that loses nothing
 * @cable: the link
 *
 * As in sonic-swss, buffer_headroom_mellanox.lua:
 *
 *	lossless_mtu + occ (mtu + 2 L R / c + 2 gearbox + mac_phy + quanta 512 / 8)
 *
 * with light at 198 m/us in the cable, occ = (100 - s + s w) / 100 for s percent
 * of small packets, and w = cell / 64, or 2 cell / (1 + cell) for cells of 128
 * bytes and less. R is in units of 2^10 10^-9 there and so it is here.
 *
 * Return: bytes, rounded up to 1 KiB.
 */
u64 suo_pfc_late_bytes(const struct suo_pfc_cable *cable);

#endif /* SUO_CORE_PFC_H */
