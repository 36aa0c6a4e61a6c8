/* SPDX-License-Identifier: GPL-2.0-only */
/* A ring shared with a process, or private to the kernel: see suo-abi.h. */
#ifndef SUO_RING_H
#define SUO_RING_H

#include <rdma/ib_verbs.h>
#include <rdma/suo-abi.h>

struct suo_import;

/**
 * struct suo_ring - one ring
 * @hdr: head; slots follow it
 * @size: bytes mapped
 * @entries: slots, a power of two
 * @stride: bytes a slot
 * @entry: mmap entry, NULL for a kernel ring
 */
struct suo_ring {
	struct suo_ring_hdr	*hdr;
	size_t			size;
	u32			entries;
	u32			stride;
	struct suo_mmap_entry	*entry;
};

static inline void *suo_ring_slot(const struct suo_ring *ring, u32 index)
{
	return (u8 *)(ring->hdr + 1) +
	       (size_t)(index & (ring->entries - 1)) * ring->stride;
}

/**
 * struct suo_mmap_entry - what a process can map
 * @rdma: the core's part
 * @mem: a ring
 * @import: or another member's memory, held; see window_mmap.c
 */
struct suo_mmap_entry {
	struct rdma_user_mmap_entry	rdma;
	void				*mem;
	struct suo_import		*import;
};

int suo_ring_init(struct suo_ring *ring, u32 entries, u32 stride,
		  struct ib_ucontext *ibuc, struct suo_ring_info *info);
void suo_ring_free(struct suo_ring *ring);
struct suo_mmap_entry *suo_mmap_entry_add(struct ib_ucontext *ibuc,
					  struct suo_import *import, u32 pgoff,
					  size_t size);
void suo_mmap_entry_del(struct suo_mmap_entry *entry);
int suo_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void suo_mmap_free(struct rdma_user_mmap_entry *entry);

#endif /* SUO_RING_H */
