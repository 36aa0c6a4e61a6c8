// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "ring.h"
#include "suo.h"
#include "window.h"

/**
 * suo_ring_init() - allocate a ring
 * @ring: the ring
 * @entries: least number of slots
 * @stride: bytes a slot
 * @ibuc: the process that shares it, or NULL
 * @info: tells the process where it is; used with @ibuc only
 *
 * Return: 0 or -ENOMEM.
 */
int suo_ring_init(struct suo_ring *ring, u32 entries, u32 stride,
		  struct ib_ucontext *ibuc, struct suo_ring_info *info)
{
	struct suo_mmap_entry *entry;
	int err = -ENOMEM;

	ring->entries = roundup_pow_of_two(max(entries, 1u));
	ring->stride = stride;
	ring->size = PAGE_ALIGN(sizeof(*ring->hdr) +
				(size_t)ring->entries * stride);
	/* How much is up to a process: that it is too much is not worth a line
	 * in the log.
	 */
	ring->hdr = __vmalloc(ring->size, GFP_KERNEL | __GFP_ZERO |
					  __GFP_NOWARN);
	if (!ring->hdr)
		return -ENOMEM;
	if (!ibuc)
		return 0;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		goto err_entry;
	entry->mem = ring->hdr;
	err = rdma_user_mmap_entry_insert(ibuc, &entry->rdma, ring->size);
	if (err)
		goto err_insert;
	ring->entry = entry;
	info->mmap_offset = rdma_user_mmap_get_offset(&entry->rdma);
	info->mmap_size = ring->size;
	info->entries = ring->entries;
	info->stride = ring->stride;
	return 0;

err_insert:
	kfree(entry);
err_entry:
	vfree(ring->hdr);
	ring->hdr = NULL;
	return err;
}

/* A shared ring is freed with its mmap entry, which an mmap() that is under
 * way may hold; pages that a process has mapped live until it unmaps them.
 */
void suo_ring_free(struct suo_ring *ring)
{
	if (ring->entry)
		rdma_user_mmap_entry_remove(&ring->entry->rdma);
	else
		vfree(ring->hdr);
	ring->hdr = NULL;
	ring->entry = NULL;
}

/**
 * suo_mmap_entry_add() - let a process map an import
 * @ibuc: the process
 * @import: the import; its reference is taken over, unless this fails
 * @pgoff: place in the file
 * @size: bytes
 *
 * Return: the entry, -ENOMEM, or -EBUSY.
 */
struct suo_mmap_entry *suo_mmap_entry_add(struct ib_ucontext *ibuc,
					  struct suo_import *import, u32 pgoff,
					  size_t size)
{
	struct suo_mmap_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	int err;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->import = import;
	err = rdma_user_mmap_entry_insert_exact(ibuc, &entry->rdma, size, pgoff);
	if (err) {
		kfree(entry);
		return ERR_PTR(err);
	}
	return entry;
}

void suo_mmap_entry_del(struct suo_mmap_entry *entry)
{
	rdma_user_mmap_entry_remove(&entry->rdma);
}

int suo_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *rdma;
	struct suo_mmap_entry *entry;
	unsigned long at;
	int err = 0;

	/* Which has made sure that the sizes are the same. */
	rdma = rdma_user_mmap_entry_get(ibuc, vma);
	if (!rdma)
		return -EINVAL;
	entry = container_of(rdma, struct suo_mmap_entry, rdma);
	if (entry->import) {
		err = suo_import_mmap(entry->import, vma);
		goto out;
	}
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (at = vma->vm_start; at < vma->vm_end && !err; at += PAGE_SIZE)
		err = vm_insert_page(vma, at,
				     vmalloc_to_page(entry->mem + at -
						     vma->vm_start));
out:
	rdma_user_mmap_entry_put(rdma);
	return err;
}

void suo_mmap_free(struct rdma_user_mmap_entry *rdma)
{
	struct suo_mmap_entry *entry;

	entry = container_of(rdma, struct suo_mmap_entry, rdma);
	vfree(entry->mem);
	if (entry->import)
		suo_import_put(entry->import);
	kfree(entry);
}
