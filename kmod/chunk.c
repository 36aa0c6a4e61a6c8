// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fresh page is cleared before it is handed out, which costs as much as
 * copying a payload into it. So each processor keeps the chunks that it has
 * sent, and takes the oldest one again if nobody else holds it any more.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "chunk.h"

/* A megabyte under way */
#define CHUNKS	16

struct suo_chunks {
	struct page	*page[CHUNKS];
	unsigned int	next;
};

static DEFINE_PER_CPU(struct suo_chunks, cpu_chunks);

/**
 * suo_chunk_get() - memory for a datagram
 *
 * To be called with softirqs off.
 *
 * Return: SUO_CHUNK_BYTES of memory with a reference for the caller, or NULL.
 */
struct page *suo_chunk_get(void)
{
	struct suo_chunks *chunks = this_cpu_ptr(&cpu_chunks);
	struct page **slot = &chunks->page[chunks->next++ % CHUNKS];
	struct page *page = *slot;

	/* Only this processor's own reference is left, and nobody takes one
	 * but from somebody who has one.
	 */
	if (page && page_ref_count(page) == 1) {
		get_page(page);
		return page;
	}
	if (page)
		put_page(page);
	page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN |
			   __GFP_NORETRY, SUO_CHUNK_ORDER);
	*slot = page;
	if (page)
		get_page(page);
	return page;
}

void suo_chunks_exit(void)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < CHUNKS; i++) {
			struct page **slot = &per_cpu(cpu_chunks, cpu).page[i];

			if (*slot)
				put_page(*slot);
			*slot = NULL;
		}
}
