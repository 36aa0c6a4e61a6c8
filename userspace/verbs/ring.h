/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a ring shared with the kernel (struct suo_ring_hdr). Nothing here
 * locks, allocates or calls the system.
 */
#ifndef SUO_VERBS_RING_H
#define SUO_VERBS_RING_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/suo-abi.h>

/**
 * struct suo_ring - our end of a ring
 * @hdr: the shared head; NULL: there is no such ring
 * @slots: the shared slots, behind the head
 * @mask: slots - 1
 * @stride: bytes from slot to slot
 * @pos: the index that this end advances. Ahead of the shared copy from
 *	the first slot written (or read) until suo_ring_publish() (or
 *	suo_ring_release()).
 * @seen: the other end's index as last read. It only ever moves forward, so an
 *	old value is safe: it shows too little room, or too few entries.
 * @map_size: bytes mapped
 */
struct suo_ring {
	struct suo_ring_hdr *hdr;
	char *slots;
	uint32_t mask;
	uint32_t stride;
	uint32_t pos;
	uint32_t seen;
	size_t map_size;
};

/**
 * suo_ring_check() - does the kernel describe a ring that we can use?
 * @info: from a create response
 * @slot_size: bytes that we want to put into a slot
 *
 * Return: 0, or EPROTO: kernel module and provider do not fit together.
 */
static inline int suo_ring_check(const struct suo_ring_info *info,
				 size_t slot_size)
{
	uint64_t bytes;

	if (!info->entries || (info->entries & (info->entries - 1)))
		return EPROTO;
	if (info->stride < slot_size || info->stride % 8)
		return EPROTO;

	bytes = (uint64_t)info->entries * info->stride;
	if (info->mmap_size < sizeof(struct suo_ring_hdr) + bytes)
		return EPROTO;

	return 0;
}

/**
 * suo_ring_attach() - start using a mapped ring, as producer or consumer
 * @ring: to be set up
 * @map: the mapping, zeroed indices at first
 * @info: checked by suo_ring_check()
 */
static inline void suo_ring_attach(struct suo_ring *ring, void *map,
				   const struct suo_ring_info *info)
{
	ring->hdr = map;
	ring->slots = (char *)map + sizeof(struct suo_ring_hdr);
	ring->mask = info->entries - 1;
	ring->stride = info->stride;
	ring->pos = 0;
	ring->seen = 0;
	ring->map_size = info->mmap_size;
}

static inline void *suo_ring_slot(const struct suo_ring *ring, uint32_t index)
{
	return ring->slots + (size_t)(index & ring->mask) * ring->stride;
}

/**
 * suo_ring_next_free() - the slot to fill next, for a producer
 * @ring: ring with this end as producer
 *
 * Return: the slot at @ring->pos, or NULL if the ring is full. Filling it has
 * no effect until @ring->pos is advanced past it and published.
 */
static inline void *suo_ring_next_free(struct suo_ring *ring)
{
	if (ring->pos - ring->seen > ring->mask) {
		ring->seen = __atomic_load_n(&ring->hdr->cons,
					     __ATOMIC_ACQUIRE);
		if (ring->pos - ring->seen > ring->mask)
			return NULL;
	}
	return suo_ring_slot(ring, ring->pos);
}

/* Show the kernel all slots up to @ring->pos. */
static inline void suo_ring_publish(struct suo_ring *ring)
{
	__atomic_store_n(&ring->hdr->prod, ring->pos, __ATOMIC_RELEASE);
}

/**
 * suo_ring_next_used() - the slot to read next, for a consumer
 * @ring: ring with this end as consumer
 *
 * Return: the slot at @ring->pos, or NULL if the ring is empty. It stays valid
 * until @ring->pos is advanced past it and released.
 */
static inline void *suo_ring_next_used(struct suo_ring *ring)
{
	if (ring->pos == ring->seen) {
		ring->seen = __atomic_load_n(&ring->hdr->prod,
					     __ATOMIC_ACQUIRE);
		if (ring->pos == ring->seen)
			return NULL;
	}
	return suo_ring_slot(ring, ring->pos);
}

/* Give the kernel back all slots up to @ring->pos. */
static inline void suo_ring_release(struct suo_ring *ring)
{
	__atomic_store_n(&ring->hdr->cons, ring->pos, __ATOMIC_RELEASE);
}

/**
 * suo_ring_wants_doorbell() - has the kernel asked to be told?
 * @ring: receive ring, just published
 *
 * The kernel arms a receive ring when the queue pair has failed, since then
 * receives are completed (flushed) rather than waited with. The barrier orders
 * the new index before the look at the request: either we see the request, or
 * the kernel, which looks at the index after it has armed, sees the receive.
 */
static inline bool suo_ring_wants_doorbell(const struct suo_ring *ring)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&ring->hdr->arm, __ATOMIC_RELAXED);
}

/**
 * suo_ring_resync() - forget what was queued, after the kernel did
 * @ring: ring with this end as producer; both ends are at rest
 */
static inline void suo_ring_resync(struct suo_ring *ring)
{
	ring->seen = __atomic_load_n(&ring->hdr->cons, __ATOMIC_ACQUIRE);
	ring->pos = ring->seen;
	suo_ring_publish(ring);
}

/**
 * suo_ring_arm() - ask for an event at the next completion
 * @ring: completion ring
 * @solicited_only: only for a solicited (or failed) completion
 *
 * A request for any completion is never weakened to one for solicited ones.
 * The barrier orders the request before the poll that has to follow: either
 * the kernel sees the request after it has produced an entry, or that poll
 * sees the entry.
 */
static inline void suo_ring_arm(struct suo_ring *ring, bool solicited_only)
{
	uint32_t none = SUO_ARM_NONE;

	if (solicited_only)
		__atomic_compare_exchange_n(&ring->hdr->arm, &none,
					    SUO_ARM_SOLICITED, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&ring->hdr->arm, SUO_ARM_NEXT,
				 __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif /* SUO_VERBS_RING_H */
